/* Faces of grids. Those of surfaces are made by the cell, one quad; those of triangular grids by
   the face, which is then the cell. */
#include <stdio.h>

#include "bezier_at.h"
#include "bezier_own.h"
#include "buffer.h"
#include "check.h"

/* ---- counting ---- */

static cl_uint indices_per_cell(const clsp_bezier_plan *plan, clsp_bezier_faces faces)
{
    return plan->desc.form == CLSP_BEZIER_TRIANGLE ? 3 : faces == CLSP_BEZIER_QUADS ? 4 : 6;
}

static clsp_status check(const clsp_bezier_plan *plan, clsp_bezier_faces faces)
{
    const clsp_bezier_form form = plan->desc.form;
    clspi_log *const log = &plan->ctx->log;

    if (faces != CLSP_BEZIER_TRIANGLES && faces != CLSP_BEZIER_QUADS)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: faces of %d vertices", (int)faces);
    if (form != CLSP_BEZIER_SURFACE && form != CLSP_BEZIER_TRIANGLE)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: only surfaces have faces");
    if (form == CLSP_BEZIER_TRIANGLE && faces == CLSP_BEZIER_QUADS)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: triangles have no quads");
    return CLSP_OK;
}

/* Of a patch on the common grid, if there is one. */
static size_t common_cells(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const uint32_t other = d->form == CLSP_BEZIER_TRIANGLE ? d->num_u : d->num_v;

    if (d->num_u < 2 || other < 2) return 0;
    return (size_t)(d->num_u - 1) * (other - 1);
}

/* Cells of a range. */
static clsp_status count_cells(const clsp_bezier_plan *plan, clsp_bezier_faces faces, size_t first,
                               size_t count, size_t *cells)
{
    size_t vertices, bytes = indices_per_cell(plan, faces) * sizeof(cl_uint);
    clsp_status status;

    CLSPI_TRY(check(plan, faces));
    CLSPI_TRY(clsp_bezier_num_vertices(plan, first, count, &vertices));
    *cells = count;
    if (plan->own_first)
        *cells = plan->at->own_cells[first + count] - plan->at->own_cells[first];
    else if (!clspi_size_mul(cells, common_cells(plan)))
        goto too_many;
    if (clspi_size_mul(&bytes, *cells)) return CLSP_OK;

too_many:
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: the faces are more than the address space");
fail:
    return status;
}

/* The same, where indices must reach all vertices. */
static clsp_status count_indexed(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                 size_t first, size_t count, size_t *cells)
{
    clsp_status status;
    size_t vertices;

    CLSPI_TRY(count_cells(plan, faces, first, count, cells));
    CLSPI_TRY(clsp_bezier_num_vertices(plan, first, count, &vertices));
    if ((uint64_t)vertices <= (uint64_t)UINT32_MAX + 1) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                      "bezier: %zu vertices are more than indices of 32 bits can count", vertices);

fail:
    return status;
}

clsp_status clsp_bezier_num_indices(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                    size_t first, size_t count, size_t *num)
{
    clsp_status status;
    size_t cells;

    if (!plan || !num)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_num_indices: NULL argument");
    CLSPI_TRY(count_cells(plan, faces, first, count, &cells));
    *num = cells * indices_per_cell(plan, faces);
    return CLSP_OK;

fail:
    return status;
}

/* Whether samples run against u and v taken together: faces must then turn round. */
static bool is_mirrored(const clsp_bezier_desc *d)
{
    return (d->interval_u[1] < d->interval_u[0]) != (d->interval_v[1] < d->interval_v[0]);
}

/* ---- on the device ---- */

void clspi_bezier_faces_options(char *text, size_t size, const clsp_context *ctx, bool triangle)
{
    snprintf(text, size, "-DCLSP_REAL=32 -DCLSP_LANES=1 -DCLSP_ADDRESS=%u -DCLSP_TRIANGLE=%d",
             ctx->device.address_bits, triangle);
}

static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series, clsp_bezier_faces faces,
                          size_t first, const clspi_bezier_part *part, cl_mem indices,
                          size_t out_offset)
{
    const bool triangle = plan->desc.form == CLSP_BEZIER_TRIANGLE, own = plan->own_first != NULL;
    const uint32_t num_u = own ? plan->own_num[2 * part->patch] : plan->desc.num_u;
    const uint32_t num_v = own ? plan->own_num[2 * part->patch + 1] : plan->desc.num_v;
    const cl_uint width = triangle ? 2 * num_u - 3 : num_v - 1; /* cells of the first row */
    const cl_uint per_cell = indices_per_cell(plan, faces), mirrored = is_mirrored(&plan->desc);
    const cl_uint2 patch = clspi_halves(part->patch), offset = clspi_halves(out_offset);
    const cl_uint cells = own ? 0 : (cl_uint)clspi_min(common_cells(plan), UINT32_MAX);
    const cl_uint vertices = (cl_uint)plan->vertices_per_patch;
    const cl_uint base = (cl_uint)(own ? plan->own_first[part->patch] - plan->own_first[first]
                                       : plan->vertices_per_patch * (part->patch - first));
    const cl_mem nums = own ? plan->at->nums : indices; /* not read then */
    const cl_mem prefix = own ? plan->at->prefix : indices;
    const cl_mem own_cells = own ? plan->at->cells : indices;
    const clspi_kernel *kernel;
    cl_uint row = 0, skip = 0;
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_kernel(plan, CLSPI_AT_FACES, &kernel));
    if (part->item > 0 && triangle) row = clspi_bezier_triangle_row(width, 2, part->item, &skip);
    if (part->item > 0 && !triangle) {
        row = (cl_uint)(part->item / width);
        skip = (cl_uint)(part->item % width);
    }
    const clspi_arg args[] = {CLSPI_ARG(patch),
                              CLSPI_ARG(part->num_patches),
                              CLSPI_ARG(plan->desc.num_u),
                              CLSPI_ARG(plan->desc.num_v),
                              CLSPI_ARG(cells),
                              CLSPI_ARG(vertices),
                              CLSPI_ARG(nums),
                              CLSPI_ARG(prefix),
                              CLSPI_ARG(own_cells),
                              CLSPI_ARG(base),
                              CLSPI_ARG(row),
                              CLSPI_ARG(skip),
                              CLSPI_ARG(per_cell),
                              CLSPI_ARG(mirrored),
                              CLSPI_ARG(part->items),
                              CLSPI_ARG(indices),
                              CLSPI_ARG(offset)};
    return clspi_series_launch(series, kernel, args, CLSPI_COUNT(args), part->items);

fail:
    return status;
}

static clsp_status enqueue(clsp_bezier_plan *plan, clspi_series *series, clsp_bezier_faces faces,
                           size_t first, size_t cells, cl_mem indices, size_t offset)
{
    enum { MOST = 1 << 29 };
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const size_t most = clspi_min(MOST, tuning->max_groups * tuning->work_group);
    clspi_bezier_cursor at = {first, 0};
    clsp_status status;

    while (cells > 0) {
        const clspi_bezier_part part = clspi_bezier_next_part(
            &at, plan->own_first ? plan->at->own_cells : NULL, common_cells(plan), most, cells);
        if (part.items > 0) CLSPI_TRY(launch(plan, series, faces, first, &part, indices, offset));
        offset += (size_t)part.items * indices_per_cell(plan, faces);
        cells -= part.items;
    }
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_indices(clsp_bezier_plan *plan, clsp_bezier_faces faces, size_t first,
                                size_t count, cl_mem indices, size_t offset, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t cells;

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_indices: plan is NULL");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(count_indexed(plan, faces, first, count, &cells));
    CLSPI_TRY(clspi_wait_list_check(plan->ctx, num_wait, wait));
    CLSPI_TRY(clspi_buffer_check(plan->ctx, indices, offset, cells * indices_per_cell(plan, faces),
                                 sizeof(cl_uint), "indices"));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    CLSPI_TRY(enqueue(plan, &series, faces, first, cells, indices, offset));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

/* ---- on the host ---- */

/* One triangle, turned round where samples are mirrored. */
static uint32_t *put(uint32_t *out, uint32_t a, uint32_t b, uint32_t c, bool mirrored)
{
    out[0] = a;
    out[1] = mirrored ? c : b;
    out[2] = mirrored ? b : c;
    return out + 3;
}

static uint32_t *put_triangle_grid(uint32_t *out, uint32_t base, uint32_t num)
{
    for (uint32_t a = 0; a + 1 < num; a++) {
        const uint32_t next = base + num - a; /* the row after */
        for (uint32_t b = 0; a + b + 1 < num; b++) {
            out = put(out, base + b, next + b, base + b + 1, false);
            if (a + b + 2 < num) out = put(out, next + b, next + b + 1, base + b + 1, false);
        }
        base = next;
    }
    return out;
}

static uint32_t *put_grid(uint32_t *out, uint32_t base, uint32_t num_u, uint32_t num_v,
                          clsp_bezier_faces faces, bool mirrored)
{
    for (uint32_t a = 0; a + 1 < num_u; a++, base += num_v) {
        for (uint32_t b = 0; b + 1 < num_v; b++) {
            const uint32_t at = base + b, next = at + num_v;
            if (faces == CLSP_BEZIER_QUADS) {
                out = put(out, at, next, next + 1, mirrored);
                if (mirrored) out[-2] = at + 1, out[-1] = next + 1;
                *out++ = mirrored ? next : at + 1;
            } else {
                out = put(out, at, next, next + 1, mirrored);
                out = put(out, at, next + 1, at + 1, mirrored);
            }
        }
    }
    return out;
}

clsp_status clsp_bezier_indices_u32(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                    size_t first, size_t count, uint32_t *indices)
{
    clsp_status status;
    size_t cells, base = 0;

    if (!plan || (!indices && count > 0))
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_indices_u32: NULL argument");
    CLSPI_TRY(count_indexed(plan, faces, first, count, &cells));
    const bool mirrored = is_mirrored(&plan->desc);
    for (size_t p = first; p < first + count; p++) {
        const uint32_t num_u = plan->own_first ? plan->own_num[2 * p] : plan->desc.num_u;
        const uint32_t num_v = plan->own_first ? plan->own_num[2 * p + 1] : plan->desc.num_v;
        const uint32_t at = (uint32_t)base;
        indices = plan->desc.form == CLSP_BEZIER_TRIANGLE
                      ? put_triangle_grid(indices, at, num_u)
                      : put_grid(indices, at, num_u, num_v, faces, mirrored);
        base += plan->own_first ? plan->own_first[p + 1] - plan->own_first[p]
                                : plan->vertices_per_patch;
    }
    return CLSP_OK;

fail:
    return status;
}
