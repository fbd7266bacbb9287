/* Images with calls that fail: the result is an error or what is right, and the plan is as good as
 * before. */
#include "fault_fixture.h"

#include <clspline/image.h>
#include <string.h>

#include "host_memory.h"

enum {
    IMAGE_ROWS = 66,
    IMAGE_COLUMNS = 70,
    IMAGE_CHANNELS = 2,
    IMAGE_PIXELS = IMAGE_ROWS * IMAGE_COLUMNS,
    IMAGE_VALUES = 4 * IMAGE_CHANNELS * IMAGE_PIXELS,
    QUEUED_ROWS = 24, /* few: the calling thread makes all, and no other begins */
    QUEUED_COLUMNS = 30,
    QUEUED_PIXELS = QUEUED_ROWS * QUEUED_COLUMNS
};

/* A plan of images, and whether its calls are the shared ones. */
typedef struct image_way {
    const char *limits;
    clsp_image_desc desc;
    bool shared;
} image_way;

static const clsp_share own_device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};

/* Loads an image and makes all that can be made of it, by which `values` is filled. */
static clsp_status call_image(clsp_image_plan *plan, const image_way *way, clsp_input samples,
                              clsp_input coordinates, float *values)
{
    enum { ALL = IMAGE_CHANNELS * IMAGE_PIXELS };
    const clsp_range one = {0, 1};
    const clsp_run run = {.share = way->shared ? &own_device : NULL};
    const clsp_image_map list = {.at = {.num = IMAGE_PIXELS, .params = coordinates, .planar = 1}},
                         field = {.displacements = coordinates};
    clsp_status status = clsp_image_set_samples(plan, 1, samples, &run);

    if (status == CLSP_OK)
        status = clsp_image_coefficients(plan, one, clsp_out_f32(values, ALL), NULL);
    if (status == CLSP_OK)
        status = clsp_image_eval(plan, one, NULL, clsp_out_f32(values + ALL, ALL), &run);
    if (status == CLSP_OK)
        status = clsp_image_eval(plan, one, &list, clsp_out_f32(values + 2 * ALL, ALL), &run);
    if (status == CLSP_OK)
        status = clsp_image_eval(plan, one, &field, clsp_out_f32(values + 3 * ALL, ALL), &run);
    return status;
}

static clsp_status use_image(clsp_context *ctx, const image_way *way, float *values)
{
    enum { ALL = IMAGE_CHANNELS * IMAGE_PIXELS };
    static float samples[ALL], field[2 * IMAGE_PIXELS];
    clsp_image_plan *plan = NULL;

    for (size_t i = 0; i < ALL; i++)
        samples[i] = (float)(i * i % 31) / 4;
    for (size_t i = 0; i < 2 * IMAGE_PIXELS; i++)
        field[i] = (float)(i % 37) / 8 - 2;
    clsp_status status = clsp_image_plan_create(&plan, ctx, &way->desc);
    if (status == CLSP_OK)
        status = call_image(plan, way, clsp_in_f32(samples, ALL),
                            clsp_in_f32(field, 2 * IMAGE_PIXELS), values);
    clsp_image_plan_destroy(&plan);
    return status;
}

/* Whether the calls of an image reach the n-th call of the kind, which fails. n 0: none does, and
   `right` gets what is right. */
static bool fail_image(clsp_context *ctx, const image_way *way, enum kind kind, unsigned n,
                       float *right)
{
    static float values[IMAGE_VALUES];
    const long objects = live_objects, blocks = live_blocks;

    arm_fault(kind, n);
    const clsp_status status = use_image(ctx, way, values);
    fault.armed = false;
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    if (status != CLSP_OK) {
        if (!fault.reached) fail_msg("%s %u: status %d", kind_names[kind], n, status);
        assert_ok(ctx, use_image(ctx, way, values));
    }
    if (n > 0 && memcmp(values, right, sizeof values) != 0)
        fail_msg("%s %u, status %d: other values", kind_names[kind], n, status);
    if (n == 0) memcpy(right, values, sizeof values);
    return fault.reached;
}

static void test_images(void **state)
{
    static const enum kind kinds[] = {MALLOC,       CALLOC,        REALLOC,       CREATE_BUFFER,
                                      CREATE_IMAGE, COPY_TO_IMAGE, CREATE_KERNEL, SET_ARG,
                                      LAUNCH,       WRITE,         READ};
#define IMAGE                                                                                      \
    .size = {IMAGE_ROWS, IMAGE_COLUMNS}, .channels = IMAGE_CHANNELS, .planar = 1, .clip = 1
    static const image_way ways[] = {
        {"", {IMAGE, .prefilter = CLSP_IMAGE_LEAST_SQUARES}, false},
        {"class=integrated", {IMAGE, .prefilter = CLSP_IMAGE_LEAST_SQUARES}, false},
        {"class=discrete,local_is_real=1", {IMAGE}, false},
        {"", {IMAGE, .storage = CLSP_IMAGE_ON_HOST}, false},
        {"class=discrete,local_is_real=1", {IMAGE, .storage = CLSP_IMAGE_ON_HOST}, true},
        {"", {IMAGE, .kernels = CLSP_IMAGE_PASSES}, false},
        {"class=integrated", {IMAGE, .prefilter = CLSP_IMAGE_TRUNCATED}, true},
        {"", {IMAGE, .fetch = CLSP_IMAGE_TEXELS}, false},
        {"", {IMAGE, .fetch = CLSP_IMAGE_LERPS}, true}};
    static float right[IMAGE_VALUES];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(ways); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = ways[l].limits};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        if (ways[l].desc.fetch != CLSP_IMAGE_FETCH_DEFAULT && !support_has_texels(ctx)) {
            clsp_context_destroy(&ctx);
            continue;
        }
        fail_image(ctx, &ways[l], MALLOC, 0, right); /* without a fault */
        fail_image(ctx, &ways[l], MALLOC, 0, right); /* with its programs built */
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const unsigned before = failed;
            for (unsigned n = 1; fail_image(ctx, &ways[l], kinds[k], n, right);
                 n += support_full() || n < 40 ? 1 : 9)
                failed++;
            if (kinds[k] == CREATE_IMAGE && ways[l].desc.fetch != CLSP_IMAGE_FETCH_DEFAULT)
                assert_true(failed > before);
        }
        clsp_context_destroy(&ctx);
    }
#undef IMAGE
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* For the host's own CPU nothing is made on the device before kernels are asked for. */
static void test_nothing_made(void **state)
{
    static const enum kind kinds[] = {CREATE_PROGRAM, CREATE_BINARY, CREATE_KERNEL, CREATE_BUFFER,
                                      LAUNCH,         WRITE,         READ};
    static const clsp_image_desc desc = {
        .size = {IMAGE_ROWS, IMAGE_COLUMNS}, .prefilter = CLSP_IMAGE_LEAST_SQUARES, .clip = 1};
    static const float samples[IMAGE_PIXELS];
    static float coefficients[IMAGE_PIXELS];
    const clsp_context_opts opts = {.cache_dir = ""};
    clsp_context *ctx;
    clsp_image_plan *plan;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    for (size_t k = 0; k < COUNT(kinds) && clspi_is_own_cpu(ctx); k++) {
        arm_fault(kinds[k], 1);
        assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &desc));
        assert_ok(ctx, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, IMAGE_PIXELS), NULL));
        assert_ok(ctx, clsp_image_coefficients(plan, (clsp_range){0, 1},
                                               clsp_out_f32(coefficients, IMAGE_PIXELS), NULL));
        clsp_image_plan_destroy(&plan);
        fault.armed = false;
        if (fault.reached) fail_msg("%s is called", kind_names[kinds[k]]);
    }
    clsp_context_destroy(&ctx);
}

/* Loads images from a buffer, and makes their values at once. */
static clsp_status call_queued(clsp_image_plan *plan, cl_mem samples, float *values)
{
    const clsp_status status =
        clsp_image_set_samples(plan, 1, clsp_in_buffer(samples, CLSP_F32, 0), NULL);

    return status != CLSP_OK ? status
                             : clsp_image_eval(plan, (clsp_range){0, 1}, NULL,
                                               clsp_out_f32(values, QUEUED_PIXELS), NULL);
}

/* Loads images and makes their values while the n-th call of a kind fails, be it in the driver's
   thread; the next load makes it good. n 0: none fails, and `right` gets what is right. */
static bool fail_queued(clsp_context *ctx, const clsp_image_desc *desc, cl_mem samples,
                        enum kind kind, unsigned n, float *right)
{
    static float values[QUEUED_PIXELS];
    const long objects = live_objects, blocks = live_blocks;
    clsp_image_plan *plan;

    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, desc));
    arm_fault(kind, n);
    clsp_status status = call_queued(plan, samples, values);
    fault.armed = false;
    if (status != CLSP_OK && !fault.reached)
        fail_msg("%s %u: status %d", kind_names[kind], n, status);
    if (status != CLSP_OK) assert_ok(ctx, call_queued(plan, samples, values));
    if (n > 0 && memcmp(values, right, sizeof values) != 0)
        fail_msg("%s %u, status %d: other values", kind_names[kind], n, status);
    if (n == 0) memcpy(right, values, sizeof values);
    clsp_image_plan_destroy(&plan);
    let_go(ctx, blocks);
    if (n > 0 && (live_blocks != blocks || live_objects != objects))
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

/* Loads from buffers, which the host makes when their turn comes. */
static void test_queued(void **state)
{
    static const enum kind kinds[] = {MALLOC,         CALLOC, CREATE_BUFFER, MARKER, NATIVE,
                                      SET_DESTRUCTOR, MAP};
    static const clsp_image_desc descs[] = {
        {.size = {QUEUED_ROWS, QUEUED_COLUMNS}},
        {.size = {QUEUED_ROWS, QUEUED_COLUMNS}, .coefficients = CLSP_F16, .clip = 1},
        {.size = {QUEUED_ROWS, QUEUED_COLUMNS}, .prefilter = CLSP_IMAGE_LEAST_SQUARES}};
    static float samples[QUEUED_PIXELS], right[QUEUED_PIXELS];
    const clsp_context_opts opts = {.cache_dir = ""};
    clsp_context *ctx;
    cl_int code;
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t i = 0; i < QUEUED_PIXELS; i++)
        samples[i] = (float)(i * i % 31) / 4;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    cl_context context;
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof samples, samples, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (size_t d = 0; d < COUNT(descs); d++) {
        fail_queued(ctx, &descs[d], buffer, MALLOC, 0, right);
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_queued(ctx, &descs[d], buffer, kinds[k], n, right); n++)
                failed++;
    }
    clReleaseMemObject(buffer);
    clsp_context_destroy(&ctx);
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_nothing_made),
        cmocka_unit_test(test_queued),
    };

    if (support_no_device()) return 77;
    redirect_calls();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
