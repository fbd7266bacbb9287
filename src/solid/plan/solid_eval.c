/* Cells of solids by the context's device. */
#include "check.h"
#include "cell_launch.h"
#include "lattice.h"
#include "solid_mesh.h"
#include "solid_upload.h"
#include "star_vertices.h"
#include "transfer.h"

/* ---- checks ---- */

clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells)
{
    if (cells.first <= plan->num_cells && cells.count <= plan->num_cells - cells.first)
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: cells %zu to %zu + %zu of %zu", cells.first, cells.first, cells.count,
                      plan->num_cells);
}

clsp_status clspi_solid_need(const clsp_solid_plan *plan, clsp_range cells, clspi_memory_need *need)
{
    *need = (clspi_memory_need){"vertices", plan->desc.vertex.type, plan->cell_elements};
    if (clspi_size_mul(&need->count, cells.count) && need->count <= SIZE_MAX / sizeof(double))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: the vertices of %zu cells are more than the address space",
                      cells.count);
}

/* ---- grids ---- */

clsp_status clspi_solid_enqueue(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                                const clspi_target *target)
{
    const clsp_axis *const axis = plan->desc.axis;
    const clspi_cell_samples at = {.num_u = axis[0].num,
                                   .num_v = axis[1].num,
                                   .num_w = axis[2].num,
                                   .first = (cl_uint)cells.first,
                                   .count = (cl_uint)cells.count,
                                   .record = 0,
                                   .sets = 0,
                                   .groups = 1,
                                   .tile = 0,
                                   .offset = target->offset,
                                   .keep = plan->shape.number[0] == CLSPI_VALUE ? 1.0 : 0.0};
    const clspi_star_lines lines = {NULL, cells};

    CLSPI_CHECK(clspi_solid_device_ready(plan, series));
    if (plan->lattice)
        return plan->lattice->makes_grid ? clspi_lattice_enqueue(plan, series, cells, target)
                                         : clspi_star_enqueue(plan, series, &lines, NULL, target);
    return clspi_cells_make(plan, series, target->buffer, at);
}

typedef struct eval_job {
    clsp_solid_plan *plan;
    clspi_job_streams streams;
} eval_job;

/* Makes the cells of a part, which are its lines. */
static clsp_status make_cells(void *user, clspi_series *series, const clspi_part *part)
{
    const eval_job *const job = user;
    const clspi_target target = {job->streams.stream[0].buffer, job->streams.stream[0].offset};
    const clspi_parallel threads = clspi_solid_threads(series->ctx);
    const clspi_star_lines lines = {NULL, {part->line, part->num_lines}};

    if (job->plan->lattice && !job->plan->lattice->makes_grid)
        return clspi_star_enqueue(job->plan, series, &lines, &threads, &target);
    return clspi_solid_enqueue(job->plan, series, lines.lines, &target);
}

clsp_status clspi_solid_eval_lines(clsp_solid_plan *plan, clsp_range cells,
                                   const clsp_output *vertices, const clsp_run *run)
{
    eval_job job = {.plan = plan};
    clspi_stream *const stream = &job.streams.stream[0];
    const clspi_cut cut = {.per_piece = plan->num_cells, .line = cells.first, .left = cells.count};
    clspi_memory_need need;

    CLSPI_CHECK(clspi_solid_need(plan, cells, &need));
    CLSPI_CHECK(clspi_solid_device_ready(plan, NULL));
    job.streams.num = 1;
    stream->per_line = plan->cell_elements;
    stream->written = true;
    stream->has_gaps = plan->has_gaps;
    const clsp_status status = clspi_output_open(&stream->memory, &plan->base, vertices, &need);
    if (status == CLSP_OK)
        return clspi_carry_out(&plan->base, run, &job.streams, cut, make_cells, &job);
    clspi_streams_close(&job.streams);
    return status;
}
