#include "bezier_shared.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "job.h"

enum {
    STRIP = 2048,       /* columns on CPUs, whose T stay in a cache */
    GROUPS_PER_UNIT = 4 /* that stay; those that come too late find nothing left */
};

struct clspi_bezier_shared {
    clspi_kernel kernel;
    clspi_bezier_table table; /* of u, not mirrored */
    cl_mem t;                 /* first sums of the patches of the last call */
    size_t t_bytes;
};

/* ---- the kernel ---- */

/* Both bits, since some drivers report one without the other. */
static bool has_atomics(const clsp_context *ctx)
{
    const uint32_t needed = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;
    return (ctx->device.svm & needed) == needed && clspi_pop_options(ctx);
}

/* Items of a group have adjacent columns, else it is one item with vectors. */
static bool is_grouped(const clsp_context *ctx, clsp_precision precision)
{
    return clspi_bezier_lanes(ctx, precision) == 1;
}

static clsp_status create_kernel(clspi_kernel *kernel, clsp_context *ctx, clsp_precision precision)
{
    static const char name[] = "bezier_shared";
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clsp_status status;

    clspi_bezier_shared_options(options, ctx, precision, clspi_pop_options(ctx));
    if (is_grouped(ctx, precision))
        return clspi_kernel_create_grouped(kernel, ctx, name, options, name);
    CLSPI_TRY(clspi_kernel_create(kernel, ctx, name, options, name));
    kernel->local = 1;
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_shared_build(clsp_context *ctx, clsp_precision precision,
                                      clsp_kernel_fn fn, void *user)
{
    static const char name[] = "bezier_shared";
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    if (!has_atomics(ctx)) return CLSP_OK;
    clspi_bezier_shared_options(options, ctx, precision, clspi_pop_options(ctx));
    return is_grouped(ctx, precision)
               ? clspi_program_report_grouped(ctx, name, options, name, fn, user)
               : clspi_program_report(ctx, name, options, fn, user);
}

/* ---- preparation ---- */

/* Bytes of the first sums; false: more than the address space. */
static bool sums_bytes(const clspi_bezier_net *net, size_t count, size_t *bytes)
{
    *bytes = net->real_bytes;
    return clspi_size_mul(bytes, net->orders[0]) &&
           clspi_size_mul(bytes, clspi_bezier_net_sums_stride(net)) && clspi_size_mul(bytes, count);
}

const char *clspi_bezier_shared_refusal(const clsp_bezier_plan *plan, size_t count)
{
    const clspi_bezier_net *const net = &plan->nets.net[0];
    const clsp_device_info *const device = &plan->ctx->device;
    size_t bytes;

    if (!has_atomics(plan->ctx)) return "the device has no SVM atomics";
    if (plan->desc.form != CLSP_BEZIER_SURFACE) return "no kernel for this form pops tiles";
    if (plan->desc.method > CLSP_BEZIER_SEPARABLE) return "no kernel for this method pops tiles";
    if (!plan->plain || plan->desc.watertight || plan->num_own > 0)
        return "no kernel for these vertices pops tiles";
    if (plan->vertices_per_patch == 0) return "there is no grid";
    if (net->row_reals > INT32_MAX || count > INT32_MAX) return "rows or patches are too many";
    if (!sums_bytes(net, count, &bytes) || bytes > device->max_alloc_bytes ||
        bytes > device->global_bytes / 8)
        return "first sums of all patches do not fit the device";
    return NULL;
}

/* The kernel, once, and the table for the grid as it is now. */
static clsp_status prepare(clsp_bezier_plan *plan, clspi_series *series)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    const clsp_bezier_desc *const d = &plan->desc;
    clspi_bezier_table wanted = {0};
    clsp_status status;

    if (!plan->shared) plan->shared = calloc(1, sizeof *plan->shared);
    if (!plan->shared)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    struct clspi_bezier_shared *const shared = plan->shared;
    if (!shared->kernel.kernel) CLSPI_TRY(create_kernel(&shared->kernel, plan->ctx, d->precision));
    clspi_bezier_table_shape(&wanted, d->degree_u, d->num_u, d->interval_u);
    if (shared->table.values && clspi_bezier_table_same(&shared->table, &wanted)) return CLSP_OK;
    clspi_bezier_table_release(&shared->table);
    clspi_bezier_table_shape(&shared->table, d->degree_u, d->num_u, d->interval_u);
    clspi_bezier_table_options(options, plan->ctx, d->precision);
    CLSPI_TRY(clspi_bezier_table_fill(&shared->table, series, d->precision, options));
    return CLSP_OK;

fail:
    if (plan->shared) clspi_bezier_table_release(&plan->shared->table);
    return status;
}

void clspi_bezier_shared_release(clsp_bezier_plan *plan)
{
    if (!plan->shared) return;
    clspi_kernel_release(&plan->shared->kernel);
    clspi_bezier_table_release(&plan->shared->table);
    clspi_buffer_release(&plan->shared->t);
    free(plan->shared);
    plan->shared = NULL;
}

/* ---- evaluation ---- */

static clsp_status launch(const clsp_bezier_plan *plan, clspi_series *series, void *counter,
                          const clspi_bezier_tiling *tiling, size_t num_tiles, size_t count,
                          void *out)
{
    const struct clspi_bezier_shared *const shared = plan->shared;
    const clspi_bezier_net *const net = &plan->nets.net[0];
    const cl_int last_tile = (cl_int)num_tiles;
    const cl_uint num_patches = (cl_uint)count, width = (cl_uint)net->row_reals;
    const cl_uint stride_t = clspi_bezier_net_sums_stride(net);
    const cl_uint strip = clspi_bezier_lanes(plan->ctx, net->precision) == 1 ? 1 : STRIP;
    const size_t groups = clspi_min(num_tiles, clspi_max(1, plan->ctx->device.compute_units) *
                                                   (size_t)GROUPS_PER_UNIT);
    const clspi_arg args[] = {
        CLSPI_ARG_SVM(counter),
        CLSPI_ARG(last_tile),
        CLSPI_ARG(tiling->patches_per_tile),
        CLSPI_ARG(tiling->tile_rows),
        CLSPI_ARG(tiling->tiles_per_patch),
        CLSPI_ARG(num_patches),
        CLSPI_ARG(shared->t),
        CLSPI_ARG(shared->table.order),
        CLSPI_ARG(stride_t),
        CLSPI_ARG(shared->table.values),
        CLSPI_ARG(shared->table.stride),
        CLSPI_ARG(width),
        CLSPI_ARG(plan->desc.num_u),
        CLSPI_ARG(strip),
        CLSPI_ARG_SVM(out),
    };

    return clspi_series_launch(series, &shared->kernel, args, CLSPI_COUNT(args),
                               groups * shared->kernel.local);
}

clsp_status clspi_bezier_shared_enqueue(clsp_bezier_plan *plan, clspi_series *series, void *counter,
                                        const clspi_bezier_tiling *tiling, size_t num_tiles,
                                        size_t first, size_t count, void *out)
{
    clspi_bezier_net *const net = &plan->nets.net[0];
    size_t bytes = 0;
    clsp_status status;

    if (count == 0 || num_tiles == 0) return CLSP_OK;
    CLSPI_TRY(prepare(plan, series));
    struct clspi_bezier_shared *const shared = plan->shared;
    if (!sums_bytes(net, count, &bytes))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: first sums of %zu patches are more than the address space",
                          count);
    CLSPI_TRY(clspi_buffer_reserve(&shared->t, &shared->t_bytes, plan->ctx, bytes));
    CLSPI_TRY(clspi_bezier_net_sums_to(net, series, first, count, shared->t));
    CLSPI_TRY(launch(plan, series, counter, tiling, num_tiles, count, out));
    return CLSP_OK;

fail:
    return status;
}
