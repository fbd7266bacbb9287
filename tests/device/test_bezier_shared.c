/* The kernel that pops tiles, with a counter and a result in plain buffers: every tiling gives the
   bits of bezier_rows, in vectors and in work-groups. */
#include "../support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One group of items or one item with vectors. */
typedef struct form {
    cl_uint lanes, group, strip;
} form;

typedef struct shape {
    cl_uint num_patches, order, width, num_u;
    cl_uint patches_per_tile, tile_rows, tiles_per_patch;
} shape;

static const form forms[] = {{4, 1, 16}, {1, 1, 1}, {1, 16, 1}};
static const shape shapes[] = {
    {1, 1, 1, 1, 1, 8, 1},     {1, 4, 37, 19, 1, 8, 3}, {3, 5, 48, 41, 1, 16, 3},
    {5, 3, 9, 7, 2, 7, 1},     {4, 12, 21, 8, 4, 8, 1}, {2, 4, 33, 40, 1, 40, 1},
    {7, 2, 15, 11, 3, 100, 1},
};

enum { GUARD = 64 };

typedef struct job {
    clsp_context *ctx;
    const shape *shape;
    cl_uint stride_t, stride_u;
    size_t reals; /* of the result */
    cl_mem t, table, counter, out;
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

static void begin(job *j, clsp_context *ctx, const shape *s)
{
    j->ctx = ctx;
    j->shape = s;
    j->stride_t = (s->width + 15) / 16 * 16;
    j->stride_u = (s->num_u + 15) / 16 * 16;
    j->reals = (size_t)s->num_patches * s->num_u * s->width;
    j->t = random_rows(ctx, (size_t)s->num_patches * s->order, s->width, j->stride_t);
    j->table = random_rows(ctx, s->order, s->num_u, j->stride_u);
    j->counter = buffer(ctx, 128, NULL);
    j->out = buffer(ctx, (j->reals + GUARD) * sizeof(float), NULL);
}

static void end(job *j)
{
    clReleaseMemObject(j->t);
    clReleaseMemObject(j->table);
    clReleaseMemObject(j->counter);
    clReleaseMemObject(j->out);
}

static void make_options(char *text, size_t size, const form *f)
{
    snprintf(text, size, "-DCLSP_REAL=32 -DCLSP_LANES=%u -DCLSP_FMA=0 -DCLSP_GROUP=%u", f->lanes,
             f->group);
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

static float *by_rows(job *j, const form *f)
{
    const shape *const s = j->shape;
    const cl_uint strip = f->lanes, num_strips = (s->width + strip - 1) / strip;
    const cl_uint first = 0, num_blocks = (s->num_u + 7) / 8;
    const cl_uint items = s->num_patches * num_strips * num_blocks;
    const cl_uint2 none = clspi_halves(0);
    const clspi_arg args[] = {CLSPI_ARG(j->t),        CLSPI_ARG(none),       CLSPI_ARG(s->order),
                              CLSPI_ARG(j->stride_t), CLSPI_ARG(j->table),   CLSPI_ARG(j->stride_u),
                              CLSPI_ARG(s->width),    CLSPI_ARG(first),      CLSPI_ARG(s->num_u),
                              CLSPI_ARG(strip),       CLSPI_ARG(num_blocks), CLSPI_ARG(num_strips),
                              CLSPI_ARG(items),       CLSPI_ARG(j->out),     CLSPI_ARG(none)};
    clspi_kernel kernel = {0};
    clspi_series series;
    char options[128];

    make_options(options, sizeof options, f);
    assert_ok(j->ctx, clspi_kernel_create(&kernel, j->ctx, "bezier_rows", options, "bezier_rows"));
    reset(j, &series);
    assert_ok(j->ctx, clspi_series_launch(&series, &kernel, args, COUNT(args), items));
    clspi_kernel_release(&kernel);
    return finish(j, &series);
}

static float *by_tiles(job *j, const form *f, cl_uint groups)
{
    const shape *const s = j->shape;
    const cl_uint layers = (s->num_patches + s->patches_per_tile - 1) / s->patches_per_tile;
    const cl_int num_tiles = (cl_int)(layers * s->tiles_per_patch);
    const clspi_arg args[] = {
        CLSPI_ARG(j->counter),   CLSPI_ARG(num_tiles),          CLSPI_ARG(s->patches_per_tile),
        CLSPI_ARG(s->tile_rows), CLSPI_ARG(s->tiles_per_patch), CLSPI_ARG(s->num_patches),
        CLSPI_ARG(j->t),         CLSPI_ARG(s->order),           CLSPI_ARG(j->stride_t),
        CLSPI_ARG(j->table),     CLSPI_ARG(j->stride_u),        CLSPI_ARG(s->width),
        CLSPI_ARG(s->num_u),     CLSPI_ARG(f->strip),           CLSPI_ARG(j->out)};
    clspi_kernel kernel = {0};
    clspi_series series;
    char options[128];
    cl_int popped = 0;

    make_options(options, sizeof options, f);
    assert_ok(j->ctx,
              clspi_kernel_create(&kernel, j->ctx, "bezier_shared", options, "bezier_shared"));
    kernel.local = f->group;
    reset(j, &series);
    assert_ok(j->ctx, clspi_series_launch(&series, &kernel, args, COUNT(args), groups * f->group));
    clspi_kernel_release(&kernel);
    assert_ok(j->ctx, clspi_series_read(&series, j->counter, 0, &popped, sizeof popped));
    assert_int_equal(popped, num_tiles + (cl_int)groups); /* each group once in vain */
    return finish(j, &series);
}

static void tiles_are_rows(void **state)
{
    clsp_context *ctx = NULL;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (size_t i = 0; i < COUNT(shapes) * COUNT(forms); i++) {
        const form *const f = &forms[i % COUNT(forms)];
        job j;
        begin(&j, ctx, &shapes[i / COUNT(forms)]);
        float *const wanted = by_rows(&j, f);
        for (cl_uint groups = 1; groups <= 5; groups += 2) {
            float *const got = by_tiles(&j, f, groups);
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
    return cmocka_run_group_tests_name("bezier_shared", tests, NULL, NULL);
}
