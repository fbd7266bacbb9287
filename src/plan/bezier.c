/* The plan of Bezier surfaces: checks descriptions, builds tables, chooses a kernel shape and
 * enqueues it. */
#include <clspline/bezier.h>

#include <stdlib.h>

#include "bezier_shape.h"
#include "bezier_table.h"
#include "buffer.h"
#include "check.h"
#include "launch.h"

enum {
    STRIP_MIN = 1024,  /* columns of a row for one item of bezier_rows on CPUs, */
    STRIP_MAX = 8192,  /* a multiple of all lanes */
    ROWS_MULTIPLE = 32 /* parts of a patch start at multiples of this: of every block of rows */
};

struct clsp_bezier_plan {
    clsp_context *ctx;
    clsp_bezier_desc desc; /* with dim resolved */
    size_t real_bytes;
    size_t points_per_patch; /* reals of a patch's control points */
    cl_uint width;           /* reals of a row: num_v * dim */
    clspi_bezier_shape shape;
    clspi_kernel columns, contract, rows; /* those that the shape uses */
    clspi_bezier_table u, v;
    cl_mem points; /* [num_patches][order_u][order_v][dim] */
    size_t points_capacity;
    size_t num_patches;
    bool loaded;
    cl_mem t; /* what bezier_contract makes for up to t_patches patches */
    size_t t_patches;
    cl_mem staging; /* of the host-pointer calls */
    size_t staging_bytes;
    cl_event last; /* on out-of-order queues: the plan's last command, which the next one must wait
                      for */
};

/* ---- description ---- */

static clsp_status check_desc(clsp_context *ctx, const clsp_bezier_desc *d)
{
    clspi_log *const log = &ctx->log;

    if (d->precision != CLSP_F32 && d->precision != CLSP_F64)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bezier: precision %d is neither CLSP_F32 nor CLSP_F64",
                          (int)d->precision);
    if (d->precision == CLSP_F64 && !ctx->device.fp64)
        return clspi_fail(log, CLSP_ERROR_NO_FP64,
                          "bezier: %s has no double precision; use CLSP_F32 or another device",
                          ctx->device.name);
    if (d->degree_u > CLSP_BEZIER_MAX_DEGREE || d->degree_v > CLSP_BEZIER_MAX_DEGREE)
        return clspi_fail(log, CLSP_ERROR_DEGREE, "bezier: degrees %u and %u: at most %d each",
                          d->degree_u, d->degree_v, CLSP_BEZIER_MAX_DEGREE);
    if (d->dim > 4)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: dim %u is above 4", d->dim);
    if (d->num_u < 1 || d->num_v < 1 || d->num_u > CLSP_BEZIER_MAX_SAMPLES ||
        d->num_v > CLSP_BEZIER_MAX_SAMPLES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bezier: a grid of %u x %u samples: 1 to %d each", d->num_u, d->num_v,
                          CLSP_BEZIER_MAX_SAMPLES);
    return CLSP_OK;
}

/* Every size that later code multiplies out for one patch must fit size_t. */
static clsp_status check_sizes(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    size_t points = plan->real_bytes, samples = plan->real_bytes, t = plan->real_bytes;

    if (clspi_size_mul(&points, d->dim) && clspi_size_mul(&points, plan->u.order) &&
        clspi_size_mul(&points, plan->v.order) && clspi_size_mul(&samples, plan->width) &&
        clspi_size_mul(&samples, d->num_u) && clspi_size_mul(&t, d->dim) &&
        clspi_size_mul(&t, plan->v.stride) && clspi_size_mul(&t, plan->u.order))
        return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: one patch is larger than the address space");
}

/* ---- programs ---- */

static clsp_status create_kernels(clsp_bezier_plan *plan)
{
    clsp_context *const ctx = plan->ctx;
    const clspi_bezier_shape *const shape = &plan->shape;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    if (shape->in_columns) {
        clspi_bezier_columns_options(options, ctx, shape);
        CLSPI_TRY(clspi_kernel_create_grouped(&plan->columns, ctx, "bezier_columns", options,
                                              "bezier_columns"));
        if (shape->fused) return CLSP_OK;
    }
    clspi_bezier_rows_options(options, ctx, shape);
    CLSPI_TRY(clspi_kernel_create(&plan->contract, ctx, "bezier_rows", options, "bezier_contract"));
    if (!shape->in_columns)
        CLSPI_TRY(clspi_kernel_create(&plan->rows, ctx, "bezier_rows", options, "bezier_rows"));
    return CLSP_OK;

fail:
    return status;
}

/* ---- tables ---- */

/* Both directions share a table when they are alike. */
static clsp_status create_tables(clsp_bezier_plan *plan)
{
    clsp_context *const ctx = plan->ctx;
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clspi_series series;
    clsp_status status;

    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    clspi_bezier_table_options(options, ctx, &plan->shape);
    CLSPI_TRY(clspi_bezier_table_fill(&plan->u, &series, plan->desc.precision, options));
    if (plan->u.order == plan->v.order && plan->u.num == plan->v.num) {
        CLSPI_TRY(clspi_cl(&ctx->log, clRetainMemObject(plan->u.values), "clRetainMemObject"));
        plan->v.values = plan->u.values;
    } else {
        CLSPI_TRY(clspi_bezier_table_fill(&plan->v, &series, plan->desc.precision, options));
    }
    return clspi_series_end(&series, ctx->in_order ? NULL : &plan->last);

fail:
    return clspi_series_fail(&series, status);
}

/* Room for the first sums of as many patches as stay in a cache. */
static clsp_status create_t(clsp_bezier_plan *plan)
{
    const size_t budget = plan->ctx->tuning.scratch_bytes;
    const size_t bytes = plan->real_bytes * plan->desc.dim * plan->v.stride * plan->u.order;

    plan->t_patches =
        clspi_max(1, clspi_min(budget, (size_t)plan->ctx->device.max_alloc_bytes) / bytes);
    return clspi_buffer_create(&plan->t, plan->ctx, plan->t_patches * bytes);
}

/* ---- creation ---- */

clsp_status clsp_bezier_plan_create(clsp_bezier_plan **out, clsp_context *ctx,
                                    const clsp_bezier_desc *desc)
{
    clsp_status status;
    clsp_bezier_plan *plan = NULL;

    if (out) *out = NULL;
    if (!out || !ctx || !desc)
        return clspi_fail(ctx ? &ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_plan_create: NULL argument");
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(check_desc(ctx, desc));
    plan = calloc(1, sizeof *plan);
    if (!plan) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    plan->ctx = ctx;
    plan->desc = *desc;
    if (plan->desc.dim == 0) plan->desc.dim = 3;
    plan->real_bytes = desc->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    plan->width = desc->num_v * plan->desc.dim;
    clspi_bezier_table_shape(&plan->u, desc->degree_u, desc->num_u);
    clspi_bezier_table_shape(&plan->v, desc->degree_v, desc->num_v);
    plan->shape = clspi_bezier_choose(ctx, desc->precision, plan->desc.dim, plan->u.order,
                                      plan->v.order, plan->width);
    CLSPI_TRY(check_sizes(plan));
    plan->points_per_patch = (size_t)plan->u.order * plan->v.order * plan->desc.dim;
    CLSPI_TRY(create_kernels(plan));
    CLSPI_TRY(create_tables(plan));
    if (!plan->shape.fused) CLSPI_TRY(create_t(plan));
    *out = plan;
    return CLSP_OK;

fail:
    clsp_bezier_plan_destroy(&plan);
    return status;
}

void clsp_bezier_plan_destroy(clsp_bezier_plan **ptr)
{
    clsp_bezier_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    if (plan->last) clReleaseEvent(plan->last);
    clspi_kernel_release(&plan->columns);
    clspi_kernel_release(&plan->contract);
    clspi_kernel_release(&plan->rows);
    clspi_bezier_table_release(&plan->u);
    clspi_bezier_table_release(&plan->v);
    clspi_buffer_release(&plan->points);
    clspi_buffer_release(&plan->t);
    clspi_buffer_release(&plan->staging);
    free(plan);
    *ptr = NULL;
}

/* ---- series of a plan ---- */

/* On an out-of-order queue a plan's calls still run one after another: they share its buffers. */
static clsp_status begin(clsp_bezier_plan *plan, clspi_series *series, cl_uint num_wait,
                         const cl_event *wait, const cl_event *done)
{
    clspi_series_begin(series, plan->ctx, num_wait, wait, done);
    return plan->last ? clspi_series_join(series, plan->last) : CLSP_OK;
}

static clsp_status end(clsp_bezier_plan *plan, clspi_series *series, cl_event *done)
{
    clsp_status status;
    cl_event last = NULL;

    if (plan->ctx->in_order) return clspi_series_end(series, done);
    CLSPI_TRY(clspi_series_end(series, &last));
    if (plan->last) clReleaseEvent(plan->last);
    plan->last = last;
    if (!done) return CLSP_OK;
    CLSPI_TRY(clspi_cl(&plan->ctx->log, clRetainEvent(last), "clRetainEvent"));
    *done = last;
    return CLSP_OK;

fail:
    return status;
}

/* ---- control points ---- */

/* Makes room for the control points of num_patches patches; those before are gone. */
static clsp_status reserve_points(clsp_bezier_plan *plan, size_t num_patches)
{
    size_t bytes = plan->real_bytes;
    clsp_status status;

    if (!clspi_size_mul(&bytes, plan->points_per_patch) || !clspi_size_mul(&bytes, num_patches))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: %zu patches are more than the address space", num_patches);
    plan->loaded = false;
    if (num_patches <= plan->points_capacity) return CLSP_OK;
    clspi_buffer_release(&plan->points);
    plan->points_capacity = 0;
    status = clspi_buffer_create(&plan->points, plan->ctx, bytes);
    if (status == CLSP_OK) plan->points_capacity = num_patches;
    return status;
}

clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
                                           cl_mem points, size_t offset, cl_uint num_wait,
                                           const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t count = num_patches;

    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_set_control_points: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    if (!clspi_size_mul(&count, plan->points_per_patch))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: %zu patches are more than the address space", num_patches);
    CLSPI_TRY(clspi_buffer_check(ctx, points, offset, count, plan->real_bytes, "control points"));
    CLSPI_TRY(reserve_points(plan, num_patches));
    CLSPI_TRY(begin(plan, &series, num_wait, wait, done));
    CLSPI_TRY(clspi_series_copy(&series, points, offset * plan->real_bytes, plan->points, 0,
                                count * plan->real_bytes));
    CLSPI_TRY(end(plan, &series, done));
    plan->num_patches = num_patches;
    plan->loaded = true;
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

static clsp_status set_from_host(clsp_bezier_plan *plan, size_t num_patches, const void *points,
                                 clsp_precision precision)
{
    clsp_status status;
    clspi_series series = {0};

    if (!plan || (!points && num_patches > 0) || plan->desc.precision != precision)
        return clspi_fail(
            plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
            "bezier: control points: a NULL argument, or the precision is not the plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(reserve_points(plan, num_patches));
    CLSPI_TRY(begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(clspi_series_write(&series, plan->points, 0, points,
                                 num_patches * plan->points_per_patch * plan->real_bytes));
    CLSPI_TRY(end(plan, &series, NULL));
    plan->num_patches = num_patches;
    plan->loaded = true;
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

clsp_status clsp_bezier_set_control_points_f32(clsp_bezier_plan *plan, size_t num_patches,
                                               const float *points)
{
    return set_from_host(plan, num_patches, points, CLSP_F32);
}

clsp_status clsp_bezier_set_control_points_f64(clsp_bezier_plan *plan, size_t num_patches,
                                               const double *points)
{
    return set_from_host(plan, num_patches, points, CLSP_F64);
}

/* ---- evaluation ---- */

/* Rows of whole patches (first_row 0, num_rows num_u), or some rows of one patch; where they go. */
typedef struct row_range {
    size_t first_patch, num_patches;
    cl_uint first_row, num_rows; /* first_row: a multiple of ROWS_MULTIPLE */
    cl_mem out;
    size_t offset; /* reals */
} row_range;

/* Work-groups of bezier_columns along the columns: of one patch, or with one column an item, of all
 * patches. */
static size_t tiles_of(const clsp_bezier_plan *plan, size_t num_patches)
{
    const size_t columns = plan->shape.columns == 1 ? num_patches * plan->width : plan->width;
    return clspi_div_up(columns, plan->shape.columns * plan->columns.local);
}

static clsp_status launch_columns(clsp_bezier_plan *plan, clspi_series *series,
                                  const row_range *range)
{
    const cl_uint num_patches = (cl_uint)range->num_patches;
    const cl_uint num_tiles = (cl_uint)tiles_of(plan, range->num_patches);
    const cl_uint num_blocks = (cl_uint)clspi_div_up(range->num_rows, plan->shape.block_rows);
    const size_t layers = plan->shape.columns == 1 ? 1 : range->num_patches;
    const cl_mem source = plan->shape.fused ? plan->points : plan->t;
    const cl_uint2 first_patch = clspi_halves(plan->shape.fused ? range->first_patch : 0);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(source),           CLSPI_ARG(first_patch),     CLSPI_ARG(num_patches),
        CLSPI_ARG(plan->v.order),    CLSPI_ARG(plan->u.values),  CLSPI_ARG(plan->u.stride),
        CLSPI_ARG(plan->v.values),   CLSPI_ARG(plan->v.stride),  CLSPI_ARG(plan->width),
        CLSPI_ARG(range->first_row), CLSPI_ARG(range->num_rows), CLSPI_ARG(num_tiles),
        CLSPI_ARG(num_blocks),       CLSPI_ARG(range->out),      CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &plan->columns, args, CLSPI_COUNT(args),
                               num_tiles * num_blocks * layers * plan->columns.local);
}

static clsp_status launch_contract(clsp_bezier_plan *plan, clspi_series *series,
                                   const row_range *range)
{
    const cl_uint num_strips = plan->v.stride / plan->shape.lanes;
    const cl_uint2 first_patch = clspi_halves(range->first_patch);
    const uint64_t fma_per_i =
        (uint64_t)plan->v.order * plan->v.stride * plan->desc.dim * range->num_patches;
    const cl_uint most = (cl_uint)clspi_min(
        plan->u.order, clspi_max(1, plan->ctx->tuning.max_launch_fma / fma_per_i));
    clsp_status status;

    for (cl_uint first_i = 0; first_i < plan->u.order; first_i += most) {
        const cl_uint num_i = (cl_uint)clspi_min(most, plan->u.order - first_i);
        const cl_uint items = (cl_uint)(range->num_patches * num_i * num_strips);
        const clspi_arg args[] = {
            CLSPI_ARG(plan->points),  CLSPI_ARG(first_patch),    CLSPI_ARG(plan->u.order),
            CLSPI_ARG(plan->v.order), CLSPI_ARG(plan->v.values), CLSPI_ARG(plan->v.stride),
            CLSPI_ARG(num_strips),    CLSPI_ARG(first_i),        CLSPI_ARG(num_i),
            CLSPI_ARG(items),         CLSPI_ARG(plan->t),
        };
        CLSPI_TRY(clspi_series_launch(series, &plan->contract, args, CLSPI_COUNT(args), items));
    }
    return CLSP_OK;

fail:
    return status;
}

/* Columns for one item of bezier_rows: on CPUs long strips, which run at the speed of stores, but
 * enough of them. */
static cl_uint strip_of(const clsp_bezier_plan *plan, size_t num_blocks)
{
    const size_t wanted = plan->ctx->device.compute_units * plan->ctx->tuning.items_per_unit;
    const size_t strips = clspi_max(1, wanted / num_blocks);

    if (plan->shape.lanes == 1) return 1;
    return (cl_uint)clspi_min(STRIP_MAX,
                              clspi_round_up(clspi_div_up(plan->width, strips), STRIP_MIN));
}

static clsp_status launch_rows(clsp_bezier_plan *plan, clspi_series *series, const row_range *range)
{
    const cl_uint stride_t = plan->v.stride * plan->desc.dim;
    const cl_uint num_blocks = (cl_uint)clspi_div_up(range->num_rows, CLSPI_BEZIER_ROWS_PER_ITEM);
    const cl_uint strip = strip_of(plan, range->num_patches * num_blocks);
    const cl_uint num_strips = (cl_uint)clspi_div_up(plan->width, strip);
    const cl_uint items = (cl_uint)(range->num_patches * num_blocks * num_strips);
    const cl_uint2 offset = clspi_halves(range->offset);
    const clspi_arg args[] = {
        CLSPI_ARG(plan->t),          CLSPI_ARG(plan->u.order),   CLSPI_ARG(stride_t),
        CLSPI_ARG(plan->u.values),   CLSPI_ARG(plan->u.stride),  CLSPI_ARG(plan->width),
        CLSPI_ARG(range->first_row), CLSPI_ARG(range->num_rows), CLSPI_ARG(strip),
        CLSPI_ARG(num_blocks),       CLSPI_ARG(num_strips),      CLSPI_ARG(items),
        CLSPI_ARG(range->out),       CLSPI_ARG(offset),
    };

    return clspi_series_launch(series, &plan->rows, args, CLSPI_COUNT(args), items);
}

/* Rows of patches that one launch may cover, by the number of its work-groups or items and of its
 * multiply-adds. */
static uint64_t rows_of_a_launch(const clsp_bezier_plan *plan)
{
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const uint64_t by_fma = tuning->max_launch_fma / ((uint64_t)plan->width * plan->u.order);
    uint64_t by_groups;

    if (plan->shape.in_columns) {
        by_groups = tuning->max_groups / tiles_of(plan, 1) * plan->shape.block_rows;
    } else {
        const uint64_t items = clspi_div_up(plan->width, plan->shape.lanes == 1 ? 1 : STRIP_MIN);
        by_groups =
            (uint64_t)tuning->max_groups * tuning->work_group / items * CLSPI_BEZIER_ROWS_PER_ITEM;
    }
    return clspi_max(1, clspi_min(by_fma, by_groups) / ROWS_MULTIPLE) * ROWS_MULTIPLE;
}

/* Patches, and rows of one patch, that a single launch may cover. */
static void launch_limits(const clsp_bezier_plan *plan, size_t *patches, cl_uint *rows)
{
    const uint64_t most = rows_of_a_launch(plan);

    *patches = clspi_max(1, most / clspi_round_up(plan->desc.num_u, ROWS_MULTIPLE));
    if (!plan->shape.fused) *patches = clspi_min(*patches, plan->t_patches);
    *rows = (cl_uint)clspi_min(most, plan->desc.num_u);
}

/* The second sum, and with a fused shape the first. */
static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series, const row_range *range)
{
    return plan->shape.in_columns ? launch_columns(plan, series, range)
                                  : launch_rows(plan, series, range);
}

static clsp_status enqueue_rows(clsp_bezier_plan *plan, clspi_series *series,
                                const row_range *whole)
{
    clsp_status status;
    size_t patches;
    cl_uint rows;
    row_range part = *whole;

    launch_limits(plan, &patches, &rows);
    for (size_t p = 0; p < whole->num_patches; p += part.num_patches) {
        part.first_patch = whole->first_patch + p;
        part.num_patches = clspi_min(patches, whole->num_patches - p);
        part.first_row = whole->first_row;
        part.num_rows = whole->num_rows;
        if (!plan->shape.fused) CLSPI_TRY(launch_contract(plan, series, &part));
        if (part.num_patches > 1) {
            part.offset = whole->offset + p * plan->desc.num_u * plan->width;
            CLSPI_TRY(launch(plan, series, &part));
            continue;
        }
        for (cl_uint r = 0; r < whole->num_rows; r += rows) {
            part.first_row = whole->first_row + r;
            part.num_rows = (cl_uint)clspi_min(rows, whole->num_rows - r);
            part.offset = whole->offset + (p * plan->desc.num_u + r) * plan->width;
            CLSPI_TRY(launch(plan, series, &part));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status check_range(const clsp_bezier_plan *plan, size_t first, size_t count)
{
    if (!plan->loaded)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE,
                          "bezier: no control points are loaded");
    if (first > plan->num_patches || count > plan->num_patches - first)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: patches %zu to %zu + %zu of %zu", first, first, count,
                          plan->num_patches);
    return CLSP_OK;
}

/* Reals of `count` evaluated patches. */
static clsp_status count_reals(const clsp_bezier_plan *plan, size_t count, size_t *reals)
{
    size_t bytes = plan->real_bytes;

    if (!clspi_size_mul(&bytes, plan->desc.num_u) || !clspi_size_mul(&bytes, plan->width) ||
        !clspi_size_mul(&bytes, count))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: the points are more than the address space");
    *reals = bytes / plan->real_bytes;
    return CLSP_OK;
}

clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, size_t first, size_t count, cl_mem points,
                             size_t offset, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t reals = 0;

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_eval: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(check_range(plan, first, count));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    CLSPI_TRY(count_reals(plan, count, &reals));
    CLSPI_TRY(clspi_buffer_check(ctx, points, offset, reals, plan->real_bytes, "points"));
    CLSPI_TRY(begin(plan, &series, num_wait, wait, done));
    const row_range range = {first, count, 0, plan->desc.num_u, points, offset};
    CLSPI_TRY(enqueue_rows(plan, &series, &range));
    CLSPI_TRY(end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

/* ---- evaluation into host memory ---- */

/* How the host-pointer calls cut a job: whole patches at a time, or rows of one. */
static clsp_status staging_limits(const clsp_bezier_plan *plan, size_t count, size_t *patches,
                                  cl_uint *rows)
{
    enum { STAGING = 256 << 20 };
    const size_t most = clspi_min(STAGING, (size_t)plan->ctx->device.max_alloc_bytes);
    const size_t row_bytes = plan->real_bytes * plan->width;
    const size_t num_rows = clspi_min(plan->desc.num_u, most / row_bytes);

    *patches = clspi_min(count, most / (row_bytes * plan->desc.num_u));
    *rows = plan->desc.num_u;
    if (*patches > 0) return CLSP_OK;
    *patches = 1;
    *rows = (cl_uint)(num_rows / ROWS_MULTIPLE * ROWS_MULTIPLE);
    if (*rows > 0) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CL_INVALID_BUFFER_SIZE,
                      "bezier: %d rows of %zu bytes do not fit the device's largest buffer",
                      ROWS_MULTIPLE, row_bytes);
}

static clsp_status reserve_staging(clsp_bezier_plan *plan, size_t bytes)
{
    clsp_status status;

    if (bytes <= plan->staging_bytes) return CLSP_OK;
    clspi_buffer_release(&plan->staging);
    plan->staging_bytes = 0;
    status = clspi_buffer_create(&plan->staging, plan->ctx, bytes);
    if (status == CLSP_OK) plan->staging_bytes = bytes;
    return status;
}

/* One part: into the staging buffer, then to the host. */
static clsp_status eval_part(clsp_bezier_plan *plan, const row_range *range, char *target)
{
    clsp_status status;
    clspi_series series = {0};
    const size_t bytes = range->num_patches * range->num_rows * plan->width * plan->real_bytes;

    CLSPI_TRY(begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(enqueue_rows(plan, &series, range));
    CLSPI_TRY(clspi_series_read(&series, plan->staging, 0, target, bytes));
    CLSPI_TRY(end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

static clsp_status eval_parts(clsp_bezier_plan *plan, size_t first, size_t count, char *target)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const size_t row_bytes = plan->real_bytes * plan->width;
    clsp_status status;
    size_t patches;
    cl_uint rows;

    if (count == 0) return CLSP_OK;
    CLSPI_TRY(staging_limits(plan, count, &patches, &rows));
    CLSPI_TRY(reserve_staging(plan, patches * rows * row_bytes));
    for (size_t p = 0; p < count; p += patches) {
        for (cl_uint r = 0; r < d->num_u; r += rows) {
            const row_range part = {first + p,
                                    clspi_min(patches, count - p),
                                    r,
                                    (cl_uint)clspi_min(rows, d->num_u - r),
                                    plan->staging,
                                    0};
            CLSPI_TRY(eval_part(plan, &part, target + (p * d->num_u + r) * row_bytes));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status eval_to_host(clsp_bezier_plan *plan, size_t first, size_t count, void *points,
                                clsp_precision precision)
{
    clsp_status status;
    size_t reals = 0;

    if (!plan || (!points && count > 0) || plan->desc.precision != precision)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "bezier: points: a NULL argument, or the precision is not the plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(check_range(plan, first, count));
    CLSPI_TRY(count_reals(plan, count, &reals));
    CLSPI_TRY(eval_parts(plan, first, count, points));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_eval_f32(clsp_bezier_plan *plan, size_t first, size_t count, float *points)
{
    return eval_to_host(plan, first, count, points, CLSP_F32);
}

clsp_status clsp_bezier_eval_f64(clsp_bezier_plan *plan, size_t first, size_t count, double *points)
{
    return eval_to_host(plan, first, count, points, CLSP_F64);
}
