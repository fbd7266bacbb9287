#include "bezier_own.h"

#include <stdlib.h>

#include "bezier_at.h"
#include "bezier_desc.h"
#include "buffer.h"
#include "check.h"

/* ---- resolutions ---- */

bool clspi_bezier_is_own(const clsp_bezier_plan *plan)
{
    return plan->own_first || plan->desc.form == CLSP_BEZIER_TRIANGLE;
}

void clspi_bezier_own_clear(clsp_bezier_plan *plan)
{
    free(plan->own_num);
    free(plan->own_first);
    plan->own_num = NULL;
    plan->own_first = NULL;
    plan->num_own = 0;
    if (!plan->at) return;
    free(plan->at->own_cells);
    plan->at->own_cells = NULL;
    clspi_buffer_release(&plan->at->nums);
    clspi_buffer_release(&plan->at->prefix);
    clspi_buffer_release(&plan->at->cells);
}

static clsp_status check_resolutions(const clsp_bezier_plan *plan, size_t num_patches,
                                     const uint32_t *num)
{
    const bool both = plan->desc.form == CLSP_BEZIER_SURFACE;

    for (size_t p = 0; p < num_patches; p++) {
        const uint32_t num_u = num[2 * p], num_v = both ? num[2 * p + 1] : 1;
        if (num_u < 1 || num_v < 1 || num_u > CLSP_BEZIER_MAX_SAMPLES ||
            num_v > CLSP_BEZIER_MAX_SAMPLES)
            return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                              "bezier: a grid of %u x %u samples for patch %zu: 1 to %d each",
                              num_u, num_v, p, CLSP_BEZIER_MAX_SAMPLES);
    }
    return CLSP_OK;
}

/* *sum += a b / divisor; false when it does not fit. */
static bool add_product(size_t *sum, size_t a, size_t b, size_t divisor)
{
    if (!clspi_size_mul(&a, b) || a / divisor > SIZE_MAX - *sum) return false;
    *sum += a / divisor;
    return true;
}

/* Fills the plan's arrays of own grids; false when all vertices together are more than the address
   space. */
static bool fill_resolutions(clsp_bezier_plan *plan, const uint32_t *num)
{
    const clsp_bezier_form form = plan->desc.form;
    size_t vertices = 0, cells = 0, bytes = clspi_bezier_vertex_bytes(plan);

    for (size_t p = 0; p < plan->num_own; p++) {
        const uint32_t num_u = num[2 * p];
        const uint32_t num_v = form == CLSP_BEZIER_SURFACE ? num[2 * p + 1] : 1;
        const bool triangle = form == CLSP_BEZIER_TRIANGLE;
        plan->own_num[2 * p] = num_u;
        plan->own_num[2 * p + 1] = num_v;
        plan->own_first[p] = vertices;
        plan->at->own_cells[p] = cells;
        if (!add_product(&vertices, num_u, triangle ? (size_t)num_u + 1 : num_v,
                         triangle ? 2 : 1) ||
            !add_product(&cells, num_u - 1, (triangle ? num_u : num_v) - 1, 1))
            return false;
    }
    plan->own_first[plan->num_own] = vertices;
    plan->at->own_cells[plan->num_own] = cells;
    return clspi_size_mul(&bytes, vertices);
}

static clsp_status upload(clsp_bezier_plan *plan, clspi_series *series, cl_mem *buffer,
                          const void *numbers, size_t count)
{
    const size_t bytes = count * sizeof(cl_uint);
    clsp_status status;

    CLSPI_TRY(clspi_buffer_create(buffer, plan->ctx, bytes));
    return clspi_series_write(series, *buffer, 0, numbers, bytes);

fail:
    return status;
}

/* The low halves of long numbers. */
static clsp_status upload_low(clsp_bezier_plan *plan, clspi_series *series, cl_mem *buffer,
                              const size_t *numbers)
{
    cl_uint *const low = malloc(plan->num_own * sizeof *low);
    clsp_status status;

    if (!low)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for %zu grids",
                          plan->num_own);
    for (size_t p = 0; p < plan->num_own; p++)
        low[p] = (cl_uint)numbers[p];
    status = upload(plan, series, buffer, low, plan->num_own);
    free(low);
    return status;
}

static clsp_status upload_resolutions(clsp_bezier_plan *plan)
{
    struct clspi_bezier_at *const at = plan->at;
    clspi_series series = {0};
    clsp_status status;

    if (plan->num_own == 0) return CLSP_OK;
    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(upload(plan, &series, &at->nums, plan->own_num, 2 * plan->num_own));
    CLSPI_TRY(upload_low(plan, &series, &at->prefix, plan->own_first));
    CLSPI_TRY(upload_low(plan, &series, &at->cells, at->own_cells));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

static clsp_status set_resolutions(clsp_bezier_plan *plan, size_t num_patches, const uint32_t *num)
{
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    plan->num_own = num_patches;
    if (num_patches < SIZE_MAX / sizeof(size_t)) {
        plan->own_num = malloc((2 * num_patches + 1) * sizeof *plan->own_num);
        plan->own_first = malloc((num_patches + 1) * sizeof *plan->own_first);
        plan->at->own_cells = malloc((num_patches + 1) * sizeof *plan->at->own_cells);
    }
    if (!plan->own_num || !plan->own_first || !plan->at->own_cells ||
        !fill_resolutions(plan, num)) {
        clspi_fail(&plan->ctx->log, status, "bezier: no memory for %zu grids or their vertices",
                   num_patches);
        goto fail;
    }
    CLSPI_TRY(upload_resolutions(plan));
    return CLSP_OK;

fail:
    clspi_bezier_own_clear(plan);
    return status;
}

clsp_status clsp_bezier_set_patch_resolutions(clsp_bezier_plan *plan, size_t num_patches,
                                              const uint32_t *num)
{
    clsp_status status;

    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_set_patch_resolutions: plan is NULL");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    if (plan->desc.form == CLSP_BEZIER_VOLUME)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: grids of volumes cannot differ");
    if (num) CLSPI_TRY(check_resolutions(plan, num_patches, num));
    CLSPI_TRY(clspi_bezier_at_prepare(plan));
    clspi_bezier_own_clear(plan);
    return num ? set_resolutions(plan, num_patches, num) : CLSP_OK;

fail:
    return status;
}

/* ---- numbers of vertices ---- */

/* Of one grid, or of all. Patches that are not there are the caller's to exclude. */
static clsp_status count_vertices(const clsp_bezier_plan *plan, size_t first, size_t count,
                                  size_t *num)
{
    size_t bytes = clspi_bezier_vertex_bytes(plan);

    if (!plan->own_first && plan->vertices_per_patch == 0)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE, "bezier: the plan has no grid");
    *num = count;
    if (plan->own_first)
        *num = plan->own_first[first + count] - plan->own_first[first];
    else if (!clspi_size_mul(num, plan->vertices_per_patch))
        goto too_many;
    if (clspi_size_mul(&bytes, *num)) return CLSP_OK;

too_many:
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: the vertices are more than the address space");
}

clsp_status clsp_bezier_num_vertices(const clsp_bezier_plan *plan, size_t first, size_t count,
                                     size_t *num)
{
    if (!plan || !num)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_num_vertices: NULL argument");
    if (plan->own_first && (first > plan->num_own || count > plan->num_own - first))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: patches %zu to %zu + %zu of %zu", first, first, count,
                          plan->num_own);
    return count_vertices(plan, first, count, num);
}

clsp_status clspi_bezier_own_count(const clsp_bezier_plan *plan, size_t first, size_t count,
                                   size_t *vertices)
{
    if (plan->own_first && plan->num_own != plan->num_patches)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE,
                          "bezier: %zu patches are loaded, and %zu have grids of their own",
                          plan->num_patches, plan->num_own);
    return count_vertices(plan, first, count, vertices);
}

/* ---- launches ---- */

clspi_bezier_part clspi_bezier_next_part(clspi_bezier_cursor *at, const size_t *prefix,
                                         size_t per_patch, size_t most, size_t left)
{
    const size_t here = prefix ? prefix[at->patch + 1] - prefix[at->patch] : per_patch;
    clspi_bezier_part part = {at->patch, at->item, 1, 0};
    size_t items = here - at->item, patches = 1;

    most = clspi_min(most, left);
    if (at->item == 0 && items <= most) {
        if (!prefix) {
            patches = most / per_patch;
            items = patches * per_patch;
        }
        while (prefix && items < left &&
               prefix[at->patch + patches + 1] - prefix[at->patch] <= most) {
            patches++;
            items = prefix[at->patch + patches] - prefix[at->patch];
        }
        at->patch += patches;
    } else {
        items = clspi_min(items, most);
        at->item += items;
        if (at->item == here) {
            at->item = 0;
            at->patch++;
        }
    }
    part.num_patches = (cl_uint)patches;
    part.items = (cl_uint)items;
    return part;
}

cl_uint clspi_bezier_triangle_row(cl_uint length, cl_uint step, size_t item, cl_uint *rest)
{
    cl_uint low = 0, count = (length + step - 1) / step;
    uint64_t begin = 0;

    while (count > 1) {
        const uint64_t r = low + count / 2;
        const uint64_t before = r * length - step * (r * (r - 1) / 2);
        if (before > item) {
            count /= 2;
        } else {
            low = (cl_uint)r;
            begin = before;
            count -= count / 2;
        }
    }
    *rest = (cl_uint)(item - begin);
    return low;
}

/* Row and item in it where a part begins. */
static void begin_of(const clsp_bezier_plan *plan, const clspi_bezier_part *part, cl_uint *row,
                     cl_uint *skip)
{
    const uint32_t *const own = plan->own_first ? plan->own_num + 2 * part->patch : NULL;
    const cl_uint num_u = own ? own[0] : plan->desc.num_u;
    const cl_uint num_v = own ? own[1] : plan->desc.num_v;

    if (plan->desc.form == CLSP_BEZIER_TRIANGLE) {
        *row = clspi_bezier_triangle_row(num_u, 1, part->item, skip);
    } else {
        *row = (cl_uint)(part->item / num_v);
        *skip = (cl_uint)(part->item % num_v);
    }
}

static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series,
                          const clspi_bezier_part *part, cl_mem out, size_t out_offset)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const cl_uint2 reals = clspi_halves(plan->points_per_patch);
    const cl_uint2 patch = clspi_halves(part->patch), offset = clspi_halves(out_offset);
    /* patches of one launch that are cut from common grids fit; of a part the number is not used */
    const cl_uint per_patch =
        plan->own_first ? 0 : (cl_uint)clspi_min(plan->vertices_per_patch, UINT32_MAX);
    const cl_mem nums = plan->own_first ? plan->at->nums : plan->points; /* not read then */
    const cl_mem prefix = plan->own_first ? plan->at->prefix : plan->points;
    clspi_bezier_interval u, v;
    const clspi_kernel *kernel;
    cl_uint row, skip;
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_kernel(plan, CLSPI_AT_OWN, &kernel));
    begin_of(plan, part, &row, &skip);
    const clspi_arg args[] = {CLSPI_ARG(plan->points),
                              CLSPI_ARG(reals),
                              CLSPI_ARG(d->degree_u),
                              CLSPI_ARG(d->degree_v),
                              CLSPI_ARG(patch),
                              CLSPI_ARG(part->num_patches),
                              CLSPI_ARG(d->num_u),
                              CLSPI_ARG(d->num_v),
                              CLSPI_ARG(per_patch),
                              CLSPI_ARG(nums),
                              CLSPI_ARG(prefix),
                              CLSPI_ARG(row),
                              CLSPI_ARG(skip),
                              clspi_bezier_interval_arg(&u, d->precision, d->interval_u),
                              clspi_bezier_interval_arg(&v, d->precision, d->interval_v),
                              CLSPI_ARG(part->items),
                              CLSPI_ARG(out),
                              CLSPI_ARG(offset)};
    return clspi_series_launch(series, kernel, args, CLSPI_COUNT(args), part->items);

fail:
    return status;
}

/* The next num vertices from a cursor on. */
static clsp_status enqueue(clsp_bezier_plan *plan, clspi_series *series, clspi_bezier_cursor *at,
                           size_t num, cl_mem out, size_t offset)
{
    const size_t most = clspi_bezier_at_most(plan);
    clsp_status status;

    while (num > 0) {
        const clspi_bezier_part part =
            clspi_bezier_next_part(at, plan->own_first, plan->vertices_per_patch, most, num);
        CLSPI_TRY(launch(plan, series, &part, out, offset));
        offset += (size_t)part.items * plan->desc.vertex_stride;
        num -= part.items;
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_enqueue_own(clsp_bezier_plan *plan, clspi_series *series, size_t first,
                                     size_t count, cl_mem out, size_t offset)
{
    clspi_bezier_cursor at = {first, 0};
    clsp_status status;
    size_t num = 0;

    CLSPI_TRY(clspi_bezier_own_count(plan, first, count, &num));
    return enqueue(plan, series, &at, num, out, offset);

fail:
    return status;
}

/* ---- into host memory ---- */

size_t clspi_bezier_staging_vertices(const clsp_bezier_plan *plan)
{
    enum { STAGING = 256 << 20 };
    const size_t bytes = clspi_min(STAGING, (size_t)plan->ctx->device.max_alloc_bytes);

    return clspi_max(1, bytes / clspi_bezier_vertex_bytes(plan));
}

static clsp_status eval_part(clsp_bezier_plan *plan, clspi_bezier_cursor *at, size_t num,
                             char *target)
{
    const size_t bytes = num * clspi_bezier_vertex_bytes(plan);
    clspi_series series = {0};
    clsp_status status;

    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    if (clspi_bezier_used_elements(&plan->desc) <
        plan->desc.vertex_stride) /* some are the caller's */
        CLSPI_TRY(clspi_series_write(&series, plan->staging, 0, target, bytes));
    CLSPI_TRY(enqueue(plan, &series, at, num, plan->staging, 0));
    CLSPI_TRY(clspi_series_read(&series, plan->staging, 0, target, bytes));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

clsp_status clspi_bezier_own_to_host(clsp_bezier_plan *plan, size_t first, size_t count,
                                     void *vertices)
{
    const size_t vertex = clspi_bezier_vertex_bytes(plan);
    clspi_bezier_cursor at = {first, 0};
    clsp_status status;
    size_t num = 0;

    CLSPI_TRY(clspi_bezier_own_count(plan, first, count, &num));
    const size_t part = clspi_min(num, clspi_bezier_staging_vertices(plan));
    if (num > 0) CLSPI_TRY(clspi_bezier_reserve_staging(plan, part * vertex));
    for (size_t k = 0; k < num; k += part)
        CLSPI_TRY(eval_part(plan, &at, clspi_min(part, num - k), (char *)vertices + k * vertex));
    return CLSP_OK;

fail:
    return status;
}
