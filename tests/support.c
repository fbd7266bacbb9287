#include "support.h"

#include <stdio.h>
#include <string.h>

static const unsigned char poison_byte = 0xff;

void support_poison(void *bytes, size_t size)
{
    memset(bytes, poison_byte, size);
}

int support_poisoned(const void *bytes, size_t size)
{
    const unsigned char *const at = bytes;

    for (size_t i = 0; i < size; i++)
        if (at[i] != poison_byte) return 0;
    return 1;
}

uint64_t support_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double support_uniform(uint64_t *state)
{
    return (double)((int64_t)(support_random(state) >> 39) - (1 << 24)) / (1 << 24);
}

void support_assert_status(clsp_context *ctx, clsp_status got, clsp_status wanted, const char *call,
                           const char *file, int line)
{
    char text[1024];

    if (got == wanted) return;
    clsp_context_last_error(ctx, text, sizeof text);
    print_error("%s\n  gave %d, %s\n  wanted %d, %s\n  last error: %s\n", call, got, clsp_status_str(got), wanted,
                clsp_status_str(wanted), text);
    _fail(file, line);
}

int support_no_device(void)
{
    size_t count = 0;

    if (clsp_device_list(NULL, 0, &count) == CLSP_OK && count > 0) return 0;
    fprintf(stderr, "no OpenCL device: nothing can be tested here\n");
    return 77;
}

clsp_device_info support_device(void)
{
    clsp_context *ctx = NULL;
    clsp_device_info info;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_ok(ctx, clsp_context_device(ctx, &info));
    clsp_context_destroy(&ctx);
    return info;
}
