#include "random_fixture.h"

#include <math.h>

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(support_random(state) % n);
}

int one_in(uint64_t *state, uint32_t n)
{
    return random_below(state, n) == 0;
}

size_t strange_size(uint64_t *state)
{
    static const size_t sizes[] = {0,       1, 2, 7, 1000, UINT32_MAX, SIZE_MAX / 8, SIZE_MAX - 1,
                                   SIZE_MAX};

    return sizes[random_below(state, sizeof sizes / sizeof sizes[0])];
}

uint32_t strange_number(uint64_t *state)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 9, 100, INT32_MAX, 0x80000000u, UINT32_MAX};

    return numbers[random_below(state, sizeof numbers / sizeof numbers[0])];
}

double strange_real(uint64_t *state)
{
    static const double reals[] = {0, -1, 1e-310, 0x1p31, -1e300, 1e308, INFINITY, -INFINITY, NAN};

    return reals[random_below(state, sizeof reals / sizeof reals[0])];
}

void spoil_input(uint64_t *state, clsp_input *in)
{
    clsp_output out = {.type = in->type, .size = in->size, .offset = in->offset};

    if (one_in(state, 6)) {
        in->host = NULL;
        return;
    }
    if (one_in(state, 6)) {
        in->svm = in->host;
        return;
    }
    spoil_output(state, &out);
    in->type = out.type;
    in->size = out.size;
    in->offset = out.offset;
    in->reserved[1] = out.reserved[1];
}

void spoil_output(uint64_t *state, clsp_output *out)
{
    switch (random_below(state, 6)) {
    case 0:
        out->type = (clsp_type)random_below(state, 12);
        break;
    case 1:
        out->size = random_below(state, (uint32_t)out->size + 1);
        break;
    case 2:
        out->offset = strange_size(state);
        break;
    case 3:
        out->reserved[1] = 1;
        break;
    case 4:
        out->svm = out->host;
        break;
    default:
        out->host = NULL;
        break;
    }
}

void spoil_range(uint64_t *state, clsp_range *range)
{
    if (one_in(state, 2))
        range->first = strange_size(state);
    else
        range->count = strange_size(state);
}

void spoil_sync(uint64_t *state, clsp_run *sync)
{
    if (one_in(state, 2))
        sync->num_wait = 1 + random_below(state, 3); /* and no list */
    else
        sync->reserved[0] = 1;
}

void spoil_sharing(uint64_t *state, clsp_share *opts)
{
    switch (random_below(state, 5)) {
    case 0:
        opts->schedule = (clsp_schedule)strange_number(state);
        break;
    case 1:
        opts->static_ratio = strange_real(state);
        break;
    case 2:
        opts->num_workers = strange_number(state);
        break;
    case 3:
        opts->bit_equal = 2 + random_below(state, 9);
        break;
    default:
        opts->reserved[3] = 1;
        break;
    }
}

void check_refused(clsp_context *ctx, clsp_status status)
{
    char why[256];

    if (status != CLSP_ERROR_ARGUMENT && status != CLSP_ERROR_BUFFER_SIZE &&
        status != CLSP_ERROR_STATE && status != CLSP_ERROR_NO_MEMORY &&
        status != CLSP_ERROR_NO_FP64)
        fail_msg("refused by %d, %s", (int)status, clsp_status_str(status));
    clsp_context_last_error(ctx, why, sizeof why);
    assert_true(why[0] != '\0');
}
