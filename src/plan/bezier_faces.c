/* Index buffers between the vertices of patches. */
#include <stdio.h>
#include <stdlib.h>

#include "bezier_plan.h"
#include "buffer.h"
#include "check.h"

/* What one patch has. */
typedef struct face_grid {
    size_t num_u, num_v; /* num_v 0: a triangle with num_u vertices on a side */
} face_grid;

static bool has_own(const clsp_bezier_plan *plan)
{
    return plan->num_own > 0;
}

static face_grid grid_of(const clsp_bezier_plan *plan, size_t patch)
{
    const bool is_triangle = plan->desc.form == CLSP_BEZIER_TRIANGLE;
    const uint32_t *const own = has_own(plan) ? plan->own_num + 2 * patch : NULL;
    const face_grid grid = {own ? own[0] : plan->desc.num_u, is_triangle ? 0
                                                             : own       ? own[1]
                                                                         : plan->desc.num_v};
    return grid;
}

static size_t num_cells(face_grid grid)
{
    if (grid.num_u < 2 || grid.num_v == 1) return 0;
    return (grid.num_u - 1) * (grid.num_v == 0 ? grid.num_u - 1 : grid.num_v - 1);
}

static size_t vertices_of(face_grid grid)
{
    return grid.num_v == 0 ? grid.num_u * (grid.num_u + 1) / 2 : grid.num_u * grid.num_v;
}

/* Indices of a patch: a triangle of n - 1 cells a side has (n - 1)^2 faces, a quad's cell two
 * triangles. */
static size_t indices_of(face_grid grid, clsp_bezier_faces faces)
{
    return num_cells(grid) * (grid.num_v == 0 ? 3 : faces == CLSP_BEZIER_QUADS ? 4 : 6);
}

static clsp_status check(const clsp_bezier_plan *plan, clsp_bezier_faces faces, size_t first,
                         size_t count)
{
    clspi_log *const log = &plan->ctx->log;
    const clsp_bezier_form form = plan->desc.form;
    size_t end = first;

    if (faces != CLSP_BEZIER_TRIANGLES && faces != CLSP_BEZIER_QUADS)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: faces of %d indices", (int)faces);
    if (form == CLSP_BEZIER_CURVE || form == CLSP_BEZIER_VOLUME ||
        (form == CLSP_BEZIER_TRIANGLE && faces == CLSP_BEZIER_QUADS))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: the form has no such faces");
    if (count > SIZE_MAX - end || (has_own(plan) && first + count > plan->num_own))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bezier: patches %zu + %zu are not there",
                          first, count);
    if (plan->vertices_per_patch == 0 && !has_own(plan))
        return clspi_fail(log, CLSP_ERROR_STATE, "bezier: the plan has no grid");
    return CLSP_OK;
}

clsp_status clsp_bezier_num_indices(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                    size_t first, size_t count, size_t *num)
{
    clsp_status status;
    size_t total = 0;

    if (!plan || !num)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_num_indices: NULL argument");
    CLSPI_TRY(check(plan, faces, first, count));
    if (has_own(plan)) {
        for (size_t p = first; p < first + count; p++)
            total += indices_of(grid_of(plan, p), faces);
    } else {
        total = indices_of(grid_of(plan, 0), faces);
        if (!clspi_size_mul(&total, count))
            return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                              "bezier: the indices are more than the address space");
    }
    *num = total;
    return CLSP_OK;

fail:
    return status;
}

/* A vertex needs 32 bits. */
static clsp_status check_vertices(const clsp_bezier_plan *plan, size_t first, size_t count)
{
    size_t vertices = vertices_of(grid_of(plan, 0));

    if (has_own(plan))
        vertices = plan->own_first[first + count] - plan->own_first[first];
    else if (!clspi_size_mul(&vertices, count))
        vertices = SIZE_MAX;
    if ((uint64_t)vertices <= (uint64_t)UINT32_MAX + 1) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                      "bezier: %zu vertices are more than 32-bit indices can count", vertices);
}

/* ---- on the host ---- */

static uint32_t *write_cell(uint32_t *out, clsp_bezier_faces faces, uint32_t v, uint32_t num_v)
{
    const uint32_t quad[] = {v, v + num_v, v + num_v + 1, v + 1};
    const uint32_t two[] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
    const bool is_quad = faces == CLSP_BEZIER_QUADS;
    const size_t num = is_quad ? 4 : 6;

    for (size_t i = 0; i < num; i++)
        out[i] = is_quad ? quad[i] : two[i];
    return out + num;
}

/* Rows of a triangle: row a has num - a vertices, b = 0 .. num - 1 - a. */
static uint32_t *write_triangle(uint32_t *out, uint32_t v, uint32_t num)
{
    for (uint32_t a = 0; a + 1 < num; a++) {
        const uint32_t next = v + num - a; /* first of the row after */
        for (uint32_t b = 0; b + 1 < num - a; b++) {
            *out++ = v + b;
            *out++ = next + b;
            *out++ = v + b + 1;
            if (b + 2 >= num - a) continue;
            *out++ = next + b;
            *out++ = next + b + 1;
            *out++ = v + b + 1;
        }
        v = next;
    }
    return out;
}

static uint32_t *write_patch(uint32_t *out, clsp_bezier_faces faces, face_grid grid, uint32_t v)
{
    if (num_cells(grid) == 0) return out;
    if (grid.num_v == 0) return write_triangle(out, v, (uint32_t)grid.num_u);
    for (uint32_t a = 0; a + 1 < grid.num_u; a++)
        for (uint32_t b = 0; b + 1 < grid.num_v; b++)
            out = write_cell(out, faces, v + a * (uint32_t)grid.num_v + b, (uint32_t)grid.num_v);
    return out;
}

clsp_status clsp_bezier_indices_u32(const clsp_bezier_plan *plan, clsp_bezier_faces faces,
                                    size_t first, size_t count, uint32_t *indices)
{
    clsp_status status;
    size_t vertices = 0;

    if (!plan || (!indices && count > 0))
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_indices_u32: NULL argument");
    CLSPI_TRY(check(plan, faces, first, count));
    CLSPI_TRY(check_vertices(plan, first, count));
    for (size_t p = 0; p < count; p++) {
        const face_grid grid = grid_of(plan, first + p);
        indices = write_patch(indices, faces, grid, (uint32_t)vertices);
        vertices += vertices_of(grid);
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- on the device ---- */

void clspi_bezier_faces_options(char *text, size_t size, const clsp_context *ctx,
                                clsp_bezier_faces faces)
{
    snprintf(text, size, "-DCLSP_REAL=32 -DCLSP_LANES=1 -DCLSP_ADDRESS=%u -DCLSP_FACES=%d",
             ctx->device.address_bits, (int)faces);
}

/* Common grids of surfaces, in launches of whole patches. */
static clsp_status enqueue_grids(clsp_bezier_plan *plan, clspi_series *series,
                                 clsp_bezier_faces faces, size_t count, cl_mem out, size_t offset)
{
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const size_t cells = num_cells(grid_of(plan, 0));
    const size_t patches =
        cells ? clspi_max(1, tuning->max_groups * tuning->work_group / cells) : count;
    const cl_uint2 begin = clspi_halves(offset);
    char options[CLSPI_BEZIER_OPTIONS_MAX];
    clspi_kernel kernel = {0};
    clsp_status status = CLSP_OK;

    if (cells == 0) return CLSP_OK;
    clspi_bezier_faces_options(options, sizeof options, plan->ctx, faces);
    CLSPI_TRY(
        clspi_kernel_create(&kernel, plan->ctx, "bezier_faces", options, "bezier_faces_grid"));
    for (size_t p = 0; p < count; p += patches) {
        const cl_uint first = (cl_uint)p, items = (cl_uint)(clspi_min(patches, count - p) * cells);
        const clspi_arg args[] = {CLSPI_ARG(plan->desc.num_u),
                                  CLSPI_ARG(plan->desc.num_v),
                                  CLSPI_ARG(first),
                                  CLSPI_ARG(items),
                                  CLSPI_ARG(out),
                                  CLSPI_ARG(begin)};
        CLSPI_TRY(clspi_series_launch(series, &kernel, args, CLSPI_COUNT(args), items));
    }

fail:
    clspi_kernel_release(&kernel);
    return status;
}

/* Grids of many kinds are few enough to be written by the host. */
static clsp_status write_own(clsp_bezier_plan *plan, clspi_series *series, clsp_bezier_faces faces,
                             size_t first, size_t count, cl_mem out, size_t offset)
{
    clsp_status status;
    size_t num = 0, bytes = sizeof(uint32_t);
    uint32_t *indices = NULL;

    CLSPI_TRY(clsp_bezier_num_indices(plan, faces, first, count, &num));
    if (num == 0) return CLSP_OK;
    if (clspi_size_mul(&bytes, num)) indices = malloc(bytes);
    if (!indices)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: no memory for %zu indices", num);
    CLSPI_TRY(clsp_bezier_indices_u32(plan, faces, first, count, indices));
    CLSPI_TRY(clspi_series_write(series, out, offset * sizeof(uint32_t), indices, bytes));

fail:
    free(indices);
    return status;
}

clsp_status clsp_bezier_indices(clsp_bezier_plan *plan, clsp_bezier_faces faces, size_t first,
                                size_t count, cl_mem indices, size_t offset, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t num = 0;

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_indices: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    CLSPI_TRY(clsp_bezier_num_indices(plan, faces, first, count, &num));
    CLSPI_TRY(check_vertices(plan, first, count));
    CLSPI_TRY(clspi_buffer_check(ctx, indices, offset, num, sizeof(uint32_t), "indices"));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    if (has_own(plan) || plan->desc.form == CLSP_BEZIER_TRIANGLE)
        CLSPI_TRY(write_own(plan, &series, faces, first, count, indices, offset));
    else
        CLSPI_TRY(enqueue_grids(plan, &series, faces, count, indices, offset));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}
