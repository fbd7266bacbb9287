/* The persistent kernel of tensor sums, with a counter and a result in plain buffers: every tiling
   gives the bits of sum_rows, in work-groups of one item and of many. */
#include "../support.h"

#include <stdlib.h>
#include <string.h>

#include "axis_sum.h"
#include "kernel_arguments.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* terms below controls: banded. */
typedef struct shape {
    cl_uint num_patches, controls, terms, width, num_u;
    cl_uint patches_per_tile, tile_rows, tiles_per_patch;
} shape;

static const cl_uint groups_of[] = {1, 16}; /* items of a group */
static const shape shapes[] = {
    {1, 1, 1, 1, 1, 1, 8, 1},     {1, 4, 4, 37, 19, 1, 8, 3},  {3, 5, 5, 48, 41, 1, 16, 3},
    {5, 3, 3, 9, 7, 2, 7, 1},     {4, 12, 12, 21, 8, 4, 8, 1}, {2, 4, 4, 33, 40, 1, 40, 1},
    {7, 2, 2, 15, 11, 3, 100, 1}, {2, 9, 4, 33, 40, 1, 16, 3}, {3, 30, 3, 17, 27, 2, 27, 1},
};

enum { GUARD = 64 };

typedef struct job {
    clsp_context *ctx;
    const shape *shape;
    cl_uint stride_t, stride_u;
    size_t reals; /* of the result */
    cl_mem t, table, first, counter, out;
} job;

static cl_mem buffer(clsp_context *ctx, size_t bytes, const void *from)
{
    cl_int code;
    const cl_mem made = clCreateBuffer(
        ctx->context, from ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, bytes,
        (void *)from, &code);

    assert_int_equal(code, CL_SUCCESS);
    return made;
}

/* Random reals, 0 in each row from `used` on. */
static cl_mem random_rows(clsp_context *ctx, size_t rows, cl_uint used, cl_uint stride)
{
    float *const values = calloc(rows * stride, sizeof *values);
    uint64_t seed = rows + used;

    assert_non_null(values);
    for (size_t i = 0; i < rows * stride; i++)
        if (i % stride < used) values[i] = (float)support_uniform(&seed);
    const cl_mem made = buffer(ctx, rows * stride * sizeof *values, values);
    free(values);
    return made;
}

/* The first control point of each sample, rising from 0 to the last that there can be. */
static cl_mem first_points(clsp_context *ctx, const shape *s, cl_uint stride)
{
    cl_uint *const first = calloc(stride, sizeof *first);

    assert_non_null(first);
    for (cl_uint a = 0; a < stride; a++)
        first[a] = a < s->num_u ? a * (s->controls - s->terms) / s->num_u : s->controls - s->terms;
    const cl_mem made = buffer(ctx, stride * sizeof *first, first);
    free(first);
    return made;
}

static void begin(job *j, clsp_context *ctx, const shape *s)
{
    j->ctx = ctx;
    j->shape = s;
    j->stride_t = (s->width + 15) / 16 * 16;
    j->stride_u = (s->num_u + 15) / 16 * 16;
    j->reals = (size_t)s->num_patches * s->num_u * s->width;
    j->t = random_rows(ctx, (size_t)s->num_patches * s->controls, s->width, j->stride_t);
    j->table = random_rows(ctx, s->terms, s->num_u, j->stride_u);
    j->first = first_points(ctx, s, j->stride_u);
    j->counter = buffer(ctx, 128, NULL);
    j->out = buffer(ctx, (j->reals + GUARD) * sizeof(float), NULL);
}

static void end(job *j)
{
    clReleaseMemObject(j->t);
    clReleaseMemObject(j->table);
    clReleaseMemObject(j->first);
    clReleaseMemObject(j->counter);
    clReleaseMemObject(j->out);
}

static clspi_options options_of(const job *j, cl_uint group)
{
    clspi_options options = clspi_options_of(j->ctx, CLSP_F32);

    clspi_option(&options, "GROUP", group);
    clspi_option(&options, "BANDED", j->shape->terms < j->shape->controls);
    return options;
}

static void reset(job *j, clspi_series *series)
{
    const cl_int zero = 0;
    float *const poison = malloc((j->reals + GUARD) * sizeof *poison);

    assert_non_null(poison);
    support_poison(poison, (j->reals + GUARD) * sizeof *poison);
    clspi_series_begin(series, j->ctx, 0, NULL, NULL);
    assert_ok(j->ctx, clspi_series_write(series, j->counter, 0, &zero, sizeof zero));
    assert_ok(j->ctx,
              clspi_series_write(series, j->out, 0, poison, (j->reals + GUARD) * sizeof *poison));
    free(poison);
}

/* Reads the result and the guard behind it. */
static float *finish(job *j, clspi_series *series)
{
    float *const values = malloc((j->reals + GUARD) * sizeof *values);

    assert_non_null(values);
    assert_ok(j->ctx,
              clspi_series_read(series, j->out, 0, values, (j->reals + GUARD) * sizeof *values));
    assert_ok(j->ctx, clspi_series_end(series, NULL));
    assert_true(support_poisoned(values + j->reals, GUARD * sizeof *values));
    return values;
}

static float *by_rows(job *j)
{
    const shape *const s = j->shape;
    const clspi_options options = options_of(j, 1);
    const clspi_rows rows = {.num_patches = s->num_patches, .num_rows = s->num_u};
    const cl_uint num_blocks = (s->num_u + CLSPI_ROW_BLOCK_ROWS - 1) / CLSPI_ROW_BLOCK_ROWS;
    const clspi_sum_rows_args args = {.t = j->t,
                                      .table = j->table,
                                      .first = j->first,
                                      .out = j->out,
                                      .sum = {.t_offset = 0,
                                              .controls = s->controls,
                                              .terms = s->terms,
                                              .stride_t = j->stride_t,
                                              .stride_table = j->stride_u,
                                              .width = s->width,
                                              .num_blocks = num_blocks,
                                              .items = s->num_patches * s->width * num_blocks},
                                      .at = clspi_row_range_of(0, &rows)};
    clspi_kernel kernel = {0};
    clspi_series series;

    assert_ok(j->ctx, clspi_kernel_create(&kernel, j->ctx, "tensor_sums", &clspi_sum_rows_signature,
                                          &options));
    reset(j, &series);
    assert_ok(j->ctx, clspi_launch_sum_rows(&series, &kernel, &args, args.sum.items));
    clspi_kernel_release(&kernel);
    return finish(j, &series);
}

/* The kernel's signature with buffers in the place of shared virtual memory, for tools that know
   none. */
static clspi_signature signature_of_buffers(clspi_parameter *parameters)
{
    clspi_signature signature = clspi_tile_rows_signature;

    memcpy(parameters, signature.parameters, signature.num * sizeof *parameters);
    for (size_t i = 0; i < signature.num; i++)
        if (parameters[i].kind == CLSPI_SVM) parameters[i].kind = CLSPI_MEMORY;
    signature.parameters = parameters;
    return signature;
}

static float *by_tiles(job *j, cl_uint group, cl_uint groups)
{
    const shape *const s = j->shape;
    const clspi_options options = options_of(j, group);
    const cl_uint layers = (s->num_patches + s->patches_per_tile - 1) / s->patches_per_tile;
    const clspi_tile_rows_args args = {.counter = j->counter,
                                       .t = j->t,
                                       .table = j->table,
                                       .first = j->first,
                                       .out = j->out,
                                       .job = {.num_tiles = layers * s->tiles_per_patch,
                                               .patches_per_tile = s->patches_per_tile,
                                               .tile_rows = s->tile_rows,
                                               .tiles_per_patch = s->tiles_per_patch,
                                               .num_patches = s->num_patches,
                                               .controls = s->controls,
                                               .terms = s->terms,
                                               .stride_t = j->stride_t,
                                               .stride_table = j->stride_u,
                                               .width = s->width,
                                               .num_u = s->num_u}};
    clspi_parameter parameters[32];
    const clspi_signature signature = signature_of_buffers(parameters);
    clspi_kernel kernel = {0};
    clspi_series series;
    cl_int taken = 0;

    assert_ok(j->ctx, clspi_kernel_create(&kernel, j->ctx, "tile_rows", &signature, &options));
    kernel.local = group;
    reset(j, &series);
    assert_ok(j->ctx, clspi_series_launch(&series, &kernel, &signature, &args, groups * group));
    clspi_kernel_release(&kernel);
    assert_ok(j->ctx, clspi_series_read(&series, j->counter, 0, &taken, sizeof taken));
    assert_int_equal(taken, args.job.num_tiles + groups); /* each group once in vain */
    return finish(j, &series);
}

static void tiles_are_rows(void **state)
{
    clsp_context *ctx = NULL;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (size_t i = 0; i < COUNT(shapes) * COUNT(groups_of); i++) {
        const cl_uint group = groups_of[i % COUNT(groups_of)];
        job j;
        begin(&j, ctx, &shapes[i / COUNT(groups_of)]);
        float *const wanted = by_rows(&j);
        for (cl_uint groups = 1; groups <= 5; groups += 2) {
            float *const got = by_tiles(&j, group, groups);
            assert_memory_equal(got, wanted, j.reals * sizeof *got);
            free(got);
        }
        free(wanted);
        end(&j);
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_rows)};

    if (support_no_device()) return support_no_device();
    return cmocka_run_group_tests_name("tile_rows", tests, NULL, NULL);
}
