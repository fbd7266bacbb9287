#include "lattice.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "lattice_parts.h"
#include "solid_desc.h"
#include "solid_mesh.h"
#include "solid_options.h"
#include "split.h"
#include "unlike_cells.h"

enum { PRIVATE_BYTES = 1 << 17, STEP_RULE = 0, LIMIT_RULE = 1 };

/* ---- sizes ---- */

/* Reals that are made of a channel of a cell: its points, and sums along one and two directions. */
typedef struct cell_reals {
    size_t points, first, second;
} cell_reals;

static void grow(cell_reals *most, size_t side, size_t num_u, size_t num_v)
{
    const size_t wide = side + 3;

    most->points = clspi_max(most->points, wide * wide * wide);
    most->first = clspi_max(most->first, num_u * wide * wide);
    most->second = clspi_max(most->second, num_u * num_v * wide);
}

static cell_reals reals_of(const clsp_solid_desc *desc, uint32_t steps)
{
    cell_reals most = {0};

    for (uint32_t k = 0; k < steps; k++)
        grow(&most, (size_t)1 << k, ((size_t)2 << k) + 1, ((size_t)2 << k) + 1);
    grow(&most, (size_t)1 << steps, desc->axis[0].num, desc->axis[1].num);
    return most;
}

/* Returns the channels that are made at once, all or one; 0: not even one has room. */
static uint32_t block_of(const clsp_context *ctx, const clsp_solid_desc *desc, uint32_t steps)
{
    const bool is_gpu = clspi_lanes(ctx, desc->precision) == 1;
    const cell_reals most = reals_of(desc, steps);
    const size_t bytes =
        (most.points + most.first + most.second) * clsp_type_bytes(desc->precision);
    const size_t room = is_gpu ? ctx->device.local_bytes : PRIVATE_BYTES;

    if (bytes > room) return 0;
    return (!is_gpu || desc->dim <= 4) && bytes * desc->dim <= room ? desc->dim : 1;
}

/* Returns the points of the lattice after so many steps. */
static uint64_t count_points(const clspi_cell_mesh *mesh, uint32_t steps)
{
    const uint64_t m = (UINT64_C(1) << steps) - 1;

    return mesh->num_vertices + m * (mesh->num_edges + m * (mesh->num_faces + m * mesh->num_cells));
}

clspi_options clspi_lattice_options(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    const uint32_t steps = clspi_lattice_steps(desc), block = block_of(ctx, desc, steps);
    const cell_reals most = reals_of(desc, steps);
    clspi_options options =
        clspi_options_of(ctx, desc->precision, clspi_lanes(ctx, desc->precision));

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "BLOCK", block);
    clspi_option(&options, "POINTS", most.points * block);
    clspi_option(&options, "FIRST", most.first * block);
    clspi_option(&options, "SECOND", most.second * block);
    return options;
}

/* ---- choosing ---- */

const char *clspi_lattice_refusal(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  const clspi_cell_mesh *mesh)
{
    const uint32_t steps = clspi_lattice_steps(desc);

    if (clspi_grid_size(desc) == 0) return "without a grid there is nothing that they make";
    if (desc->vertex.attributes != CLSP_VERTEX_POINT || !clspi_solid_is_plain(desc))
        return "they make packed points in the plan's precision alone";
    if (steps > CLSPI_LATTICE_STEPS)
        return "a sample is within a cell and nearer than 1/8 to a face of it";
    if (block_of(ctx, desc, steps) == 0) return "the device has no room for so many samples";
    if (!clspi_lattice_has_numbers(mesh) || count_points(mesh, steps) > UINT32_MAX)
        return "there are too many cells";
    return NULL;
}

clsp_solid_method clspi_lattice_choose(const clsp_context *ctx, const clsp_solid_desc *desc,
                                       const clspi_cell_mesh *mesh)
{
    enum { ALIKE = 8, LEAST = 64 };

    if (clspi_lattice_refusal(ctx, desc, mesh)) return CLSP_SOLID_CELLS;
    return clspi_cells_are_unlike(mesh, clspi_max(LEAST, mesh->num_cells / ALIKE))
               ? CLSP_SOLID_LATTICES
               : CLSP_SOLID_CELLS;
}

/* ---- making ---- */

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the lattice of %zu cells", plan->num_cells);
}

static clsp_status upload(const clsp_solid_plan *plan, clspi_series *series, cl_mem *buffer,
                          const uint32_t *numbers, size_t num)
{
    CLSPI_CHECK(clspi_buffer_create(buffer, plan->base.ctx, (num + 1) * sizeof *numbers));
    return clspi_series_write(series, *buffer, 0, numbers, num * sizeof *numbers);
}

/* Brings numbers to the device in the plan's precision; they are no more what they were. */
static clsp_status upload_reals(const clsp_solid_plan *plan, clspi_series *series, cl_mem *buffer,
                                double *numbers, size_t num)
{
    const size_t real = clsp_type_bytes(plan->desc.precision);

    for (size_t i = 0; i < num && plan->desc.precision == CLSP_F32; i++)
        clspi_put_float(numbers, i, numbers[i]);
    CLSPI_CHECK(clspi_buffer_create(buffer, plan->base.ctx, (num + 1) * real));
    return clspi_series_write(series, *buffer, 0, numbers, num * real);
}

static clsp_status upload_parts(clsp_solid_plan *plan, clspi_series *series,
                                clspi_lattice_parts *parts)
{
    clspi_lattice *const l = plan->lattice;
    const clspi_cell_mesh *const mesh = &l->mesh;

    CLSPI_CHECK(upload(plan, series, &l->cells, parts->cells,
                       (size_t)mesh->num_cells * CLSPI_LATTICE_WORDS));
    CLSPI_CHECK(
        upload(plan, series, &l->edge_begin, parts->edge_begin, (size_t)mesh->num_edges + 1));
    CLSPI_CHECK(upload(plan, series, &l->edge_list, parts->edge_list, parts->num_edge_words));
    CLSPI_CHECK(upload(plan, series, &l->vertex_begin, parts->vertex_begin,
                       (size_t)mesh->num_vertices + 1));
    CLSPI_CHECK(upload(plan, series, &l->vertex_list, parts->vertex_list, parts->num_vertex_words));
    CLSPI_CHECK(
        upload_reals(plan, series, &l->step_weights, parts->step_weights, parts->num_vertex_words));
    CLSPI_CHECK(upload_reals(plan, series, &l->limit_weights, parts->limit_weights,
                             parts->num_vertex_words));
    CLSPI_CHECK(upload(plan, series, &l->starts, l->rows.start, l->rows.num));
    return upload_reals(plan, series, &l->row_weights, l->rows.weight[0], 4 * (size_t)l->rows.num);
}

/* Makes room for the points of all steps, and for what lies on edges and vertices. */
static clsp_status make_room(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;
    const size_t point = plan->desc.dim * clsp_type_bytes(plan->desc.precision);
    const size_t line = ((size_t)1 << l->rows.steps) + 1;

    for (uint32_t k = 0; k < l->rows.steps; k++)
        CLSPI_CHECK(clspi_buffer_create(&l->points[k], plan->base.ctx,
                                        (size_t)count_points(&l->mesh, k + 1) * point));
    CLSPI_CHECK(
        clspi_buffer_create(&l->lines, plan->base.ctx, (l->mesh.num_edges * line + 1) * point));
    return clspi_buffer_create(&l->limits, plan->base.ctx,
                               ((size_t)l->mesh.num_vertices + 1) * point);
}

static clsp_status create_kernel(const clsp_solid_plan *plan, clspi_kernel *kernel,
                                 const clspi_signature *signature, const clspi_options *options)
{
    clsp_context *const ctx = plan->base.ctx;

    if (clspi_lanes(ctx, plan->desc.precision) > 1)
        return clspi_kernel_create(kernel, ctx, "lattice_points", signature, options);
    return clspi_kernel_create_for_group(kernel, ctx, "lattice_points", signature, options,
                                         CLSPI_LATTICE_GROUP);
}

static clsp_status create_kernels(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;
    const clspi_options options = clspi_lattice_options(plan->base.ctx, &plan->desc);

    CLSPI_CHECK(create_kernel(plan, &l->cell_kernel, &clspi_lattice_cells_signature, &options));
    CLSPI_CHECK(
        create_kernel(plan, &l->vertex_kernel, &clspi_lattice_vertices_signature, &options));
    CLSPI_CHECK(create_kernel(plan, &l->slice_kernel, &clspi_lattice_slices_signature, &options));
    return create_kernel(plan, &l->edge_kernel, &clspi_lattice_edges_signature, &options);
}

static clsp_status make(clsp_solid_plan *plan, clspi_lattice_parts *parts)
{
    clspi_call call;

    CLSPI_CHECK(create_kernels(plan));
    CLSPI_CHECK(make_room(plan));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, upload_parts(plan, &call.series, parts));
}

clsp_status clspi_lattice_make(clsp_solid_plan *plan, const clspi_cell_mesh *mesh)
{
    clspi_lattice_parts parts = {0};
    clsp_status status;

    plan->lattice = calloc(1, sizeof *plan->lattice);
    if (!plan->lattice) return no_memory(plan);
    if (clspi_cell_mesh_copy(&plan->lattice->mesh, mesh) &&
        clspi_lattice_rows_make(&plan->lattice->rows, &plan->desc) &&
        clspi_lattice_parts_make(&parts, mesh))
        status = make(plan, &parts);
    else
        status = no_memory(plan);
    clspi_lattice_parts_release(&parts);
    return status;
}

void clspi_lattice_release(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;

    if (!l) return;
    clsp_solid_plan_destroy(&l->by_classes);
    clspi_kernel_release(&l->cell_kernel);
    clspi_kernel_release(&l->vertex_kernel);
    clspi_kernel_release(&l->slice_kernel);
    clspi_kernel_release(&l->edge_kernel);
    clspi_buffer_release(&l->cells);
    clspi_buffer_release(&l->edge_begin);
    clspi_buffer_release(&l->edge_list);
    clspi_buffer_release(&l->vertex_begin);
    clspi_buffer_release(&l->vertex_list);
    clspi_buffer_release(&l->step_weights);
    clspi_buffer_release(&l->limit_weights);
    clspi_buffer_release(&l->starts);
    clspi_buffer_release(&l->row_weights);
    for (uint32_t k = 0; k < CLSPI_LATTICE_STEPS; k++)
        clspi_buffer_release(&l->points[k]);
    clspi_buffer_release(&l->lines);
    clspi_buffer_release(&l->limits);
    clspi_lattice_rows_release(&l->rows);
    clspi_cell_mesh_release(&l->mesh);
    free(l);
    plan->lattice = NULL;
}

/* ---- launches ---- */

/* What of a lattice is read and made; from: that after so many steps. */
typedef struct lattice_job {
    clsp_solid_plan *plan;
    clspi_series *series;
    uint32_t from;
} lattice_job;

/* Returns the points of the lattice after so many steps. */
static cl_mem points_of(const clsp_solid_plan *plan, uint32_t steps)
{
    return steps == 0 ? plan->control : plan->lattice->points[steps - 1];
}

/* Returns items of a lattice that is read. */
static clspi_lattice_items items_from(const lattice_job *job)
{
    const clspi_cell_mesh *const mesh = &job->plan->lattice->mesh;

    return (clspi_lattice_items){.side = 1u << job->from,
                                 .vertices = mesh->num_vertices,
                                 .edges = mesh->num_edges,
                                 .faces = mesh->num_faces,
                                 .first = 0,
                                 .items = 0};
}

/* Returns the channels that an item makes. */
static uint32_t channels_of_item(const clsp_solid_plan *plan)
{
    return block_of(plan->base.ctx, &plan->desc, plan->lattice->rows.steps);
}

/* Cuts vertices or edges, of which each has so many points, into launches: the next one, from
   at->first on. Returns how many it takes. */
static size_t next_items(const lattice_job *job, const clspi_kernel *kernel, size_t each,
                         size_t end, clspi_lattice_items *at)
{
    enum { TERMS = 32 }; /* of a sum, about */
    const uint32_t dim = job->plan->desc.dim;
    const size_t items = each * (dim / channels_of_item(job->plan));
    const uint64_t most = clspi_launch_lines(&job->plan->base.ctx->tuning, each * dim * TERMS,
                                             items, kernel->local, 1);
    const size_t num = (size_t)clspi_min_u64(most, end - at->first);

    at->items = (cl_uint)(num * items);
    return num;
}

static clsp_status make_vertices(const lattice_job *job, cl_mem weights, cl_mem out)
{
    clspi_lattice *const l = job->plan->lattice;
    clspi_lattice_items at = items_from(job);
    size_t num;

    for (; at.first < l->mesh.num_vertices; at.first += (cl_uint)num) {
        num = next_items(job, &l->vertex_kernel, 1, l->mesh.num_vertices, &at);
        const clspi_lattice_vertices_args args = {.points = points_of(job->plan, job->from),
                                                  .cells = l->cells,
                                                  .begin = l->vertex_begin,
                                                  .list = l->vertex_list,
                                                  .weights = weights,
                                                  .out = out,
                                                  .at = at};
        CLSPI_CHECK(clspi_launch_lattice_vertices(job->series, &l->vertex_kernel, &args, at.items));
    }
    return CLSP_OK;
}

static clsp_status make_slices(const lattice_job *job, uint32_t rule)
{
    clspi_lattice *const l = job->plan->lattice;
    clspi_lattice_items at = items_from(job);
    size_t num;

    for (; at.first < l->mesh.num_edges; at.first += (cl_uint)num) {
        num = next_items(job, &l->slice_kernel, (size_t)at.side + 1, l->mesh.num_edges, &at);
        const clspi_lattice_slices_args args = {.points = points_of(job->plan, job->from),
                                                .cells = l->cells,
                                                .begin = l->edge_begin,
                                                .list = l->edge_list,
                                                .lines = l->lines,
                                                .at = at,
                                                .rule = rule};
        CLSPI_CHECK(clspi_launch_lattice_slices(job->series, &l->slice_kernel, &args, at.items));
    }
    return CLSP_OK;
}

/* Makes the edges' points of the next lattice. */
static clsp_status make_edges(const lattice_job *job)
{
    clspi_lattice *const l = job->plan->lattice;
    clspi_lattice_items at = items_from(job);
    size_t num;

    for (; at.first < l->mesh.num_edges; at.first += (cl_uint)num) {
        num = next_items(job, &l->edge_kernel, 2 * (size_t)at.side - 1, l->mesh.num_edges, &at);
        const clspi_lattice_edges_args args = {
            .lines = l->lines, .out = points_of(job->plan, job->from + 1), .at = at};
        CLSPI_CHECK(clspi_launch_lattice_edges(job->series, &l->edge_kernel, &args, at.items));
    }
    return CLSP_OK;
}

/* Returns samples of cells of a lattice that is read, along each direction as many as rows say from
   one on; side_to: of the lattice that is made, or 0. */
static clspi_lattice_samples samples_from(const lattice_job *job, uint32_t side_to,
                                          const uint32_t num[3], const uint32_t row[3])
{
    const clspi_cell_mesh *const mesh = &job->plan->lattice->mesh;

    return (clspi_lattice_samples){.side = 1u << job->from,
                                   .vertices = mesh->num_vertices,
                                   .edges = mesh->num_edges,
                                   .faces = mesh->num_faces,
                                   .side_to = side_to,
                                   .num_u = num[0],
                                   .num_v = num[1],
                                   .num_w = num[2],
                                   .row_u = row[0],
                                   .row_v = row[1],
                                   .row_w = row[2],
                                   .first = 0,
                                   .cells = 0,
                                   .offset = 0};
}

/* Makes cells: of the next lattice, or their samples. */
static clsp_status make_cells(const lattice_job *job, clspi_lattice_samples at, size_t count,
                              cl_mem out)
{
    clsp_solid_plan *const plan = job->plan;
    clspi_lattice *const l = plan->lattice;
    const bool is_gpu = clspi_lanes(plan->base.ctx, plan->desc.precision) == 1;
    const size_t samples = (size_t)at.num_u * at.num_v * at.num_w, end = at.first + count;
    const size_t each =
        plan->desc.dim / channels_of_item(plan) * (is_gpu ? l->cell_kernel.local : 1);
    const uint64_t most = clspi_launch_lines(&plan->base.ctx->tuning, samples * plan->desc.dim * 16,
                                             each, l->cell_kernel.local, 1);

    for (; at.first < end; at.first += at.cells) {
        at.cells = (cl_uint)clspi_min_u64(most, end - at.first);
        const clspi_lattice_cells_args args = {.points = points_of(plan, job->from),
                                               .cells = l->cells,
                                               .starts = l->starts,
                                               .rows = l->row_weights,
                                               .lines = l->lines,
                                               .limits = l->limits,
                                               .out = out,
                                               .at = at};
        CLSPI_CHECK(
            clspi_launch_lattice_cells(job->series, &l->cell_kernel, &args, at.cells * each));
        if (!at.side_to) at.offset += at.cells * samples * plan->desc.dim;
    }
    return CLSP_OK;
}

clsp_status clspi_lattice_load(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_lattice *const l = plan->lattice;
    lattice_job job = {plan, series, 0};

    l->is_loaded = false;
    CLSPI_CHECK(make_vertices(&job, l->limit_weights, l->limits));
    for (; job.from < l->rows.steps; job.from++) {
        const uint32_t row = l->rows.step_row[job.from], num = (2u << job.from) + 1;
        const uint32_t rows[3] = {row, row, row}, nums[3] = {num, num, num};
        const clspi_lattice_samples at = samples_from(&job, 2u << job.from, nums, rows);
        cl_mem next = l->points[job.from];
        CLSPI_CHECK(make_vertices(&job, l->step_weights, next));
        CLSPI_CHECK(make_slices(&job, STEP_RULE));
        CLSPI_CHECK(make_edges(&job));
        CLSPI_CHECK(make_cells(&job, at, plan->num_cells, next));
    }
    return make_slices(&job, LIMIT_RULE);
}

clsp_status clspi_lattice_enqueue(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                                  const clspi_target *target)
{
    const clsp_axis *const axis = plan->desc.axis;
    const clspi_lattice_rows *const rows = &plan->lattice->rows;
    const uint32_t num[3] = {axis[0].num, axis[1].num, axis[2].num};
    const lattice_job job = {plan, series, rows->steps};
    clspi_lattice_samples at = samples_from(&job, 0, num, rows->sample_row);

    at.first = (cl_uint)cells.first;
    at.offset = target->offset;
    return make_cells(&job, at, cells.count, target->buffer);
}

/* ---- by classes ---- */

/* Makes the plan beside a lattice. */
static clsp_status create_by_classes(clsp_solid_plan *plan)
{
    const clsp_solid_mesh mesh = {
        .ctx = plan->base.ctx, .is_hexahedral = true, .cells = plan->lattice->mesh};
    clsp_solid_desc desc = plan->desc;

    for (uint32_t a = 0; a < 3; a++)
        desc.axis[a] = (clsp_axis){.num = 0};
    desc.method = CLSP_SOLID_CELLS;
    return clsp_solid_plan_create(&plan->lattice->by_classes, &mesh, &desc);
}

clsp_status clspi_solid_by_classes(clsp_solid_plan *plan, clsp_solid_plan **by_classes)
{
    clspi_lattice *const l = plan->lattice;

    *by_classes = plan;
    if (!l) return CLSP_OK;
    if (!l->by_classes) CLSPI_CHECK(create_by_classes(plan));
    if (plan->is_loaded && !l->is_loaded) {
        const clsp_input points = {.type = plan->desc.precision,
                                   .buffer = plan->control,
                                   .size = plan->num_vertices * plan->desc.dim};
        CLSPI_CHECK(clsp_solid_set_control_points(l->by_classes, points, NULL));
        l->is_loaded = true;
    }
    *by_classes = l->by_classes;
    return CLSP_OK;
}
