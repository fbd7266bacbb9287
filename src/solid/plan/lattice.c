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

enum { GROUP = 64 /* items */ };

/* ---- sizes ---- */

/* What makes a part of a cell's samples along u: how many, the channels at once, and the reals of
   its points, and of sums along one and two directions. Block 0: a device has no room. */
typedef struct cell_room {
    uint32_t chunk, block;
    size_t points, first, second;
} cell_room;

/* Counts the planes of points that samples of a part, so many from one on, are made of. */
static size_t count_planes(const uint32_t *start, uint32_t num)
{
    uint32_t least = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < num; i++) {
        const uint32_t at = start[i] & ~END_BITS;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    return num ? (size_t)most - least + 4 : 0;
}

/* Makes room for cells of so many samples of a lattice, of which the points are gathered whole
   where these are made together. */
static void grow(cell_room *room, uint32_t side, const uint32_t *start_u, uint32_t num_u,
                 uint32_t num_v)
{
    const size_t wide = (size_t)side + 3;

    for (uint32_t i = 0; i < num_u; i += room->chunk) {
        const uint32_t num = (uint32_t)clspi_min(room->chunk, num_u - i);
        const size_t planes = num == num_u ? wide : count_planes(start_u + i, num);
        room->points = clspi_max(room->points, planes * wide * wide);
        room->first = clspi_max(room->first, num * wide * wide);
        room->second = clspi_max(room->second, num * num_v * wide);
    }
}

/* Finds the room for parts of so many samples along u, at least of the reals that room has. Returns
   the bytes of a channel. */
static size_t find_room(cell_room *room, const clsp_solid_desc *desc,
                        const clspi_lattice_rows *rows)
{
    for (uint32_t k = 0; k < rows->steps; k++) {
        const uint32_t num = (2u << k) + 1;
        grow(room, 1u << k, rows->start + rows->step_row[k], num, num);
    }
    grow(room, 1u << rows->steps, rows->start + rows->sample_row[0], desc->axis[0].num,
         desc->axis[1].num);
    return (room->points + room->first + room->second) * clsp_type_bytes(desc->precision);
}

/* Chooses how cells are made: parts of which several fit into local memory, if these need not be
   smaller than a sample. All channels are made at once where they are few. */
static cell_room room_of(const clsp_context *ctx, const clsp_solid_desc *desc,
                         const clspi_lattice_rows *rows)
{
    enum { FEW = 4, LOCAL_BYTES = 16384 };
    const size_t most = ctx->device.local_bytes, wanted = clspi_min(most, LOCAL_BYTES);
    const uint32_t block = desc->dim > FEW ? 1 : desc->dim;
    cell_room room = {.chunk = (uint32_t)clspi_max((2u << rows->steps) + 1, desc->axis[0].num)};

    size_t bytes = find_room(&room, desc, rows);
    while (room.chunk > 1 && bytes * block > wanted) {
        room = (cell_room){.chunk = (room.chunk + 1) / 2};
        bytes = find_room(&room, desc, rows);
    }
    room.block = bytes * block <= most ? block : bytes <= most ? 1 : 0;
    return room;
}

/* Returns the points of the lattice after so many steps. */
static uint64_t count_points(const clspi_cell_mesh *mesh, uint32_t steps)
{
    const uint64_t m = (UINT64_C(1) << steps) - 1;

    return mesh->num_vertices + m * (mesh->num_edges + m * (mesh->num_faces + m * mesh->num_cells));
}

/* Returns the build options of lattice_points.cl. */
static clspi_options options_of(const clsp_context *ctx, const clsp_solid_desc *desc,
                                const cell_room *room)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "BLOCK", room->block);
    clspi_option(&options, "POINTS", room->points * room->block);
    clspi_option(&options, "FIRST", room->first * room->block);
    clspi_option(&options, "SECOND", room->second * room->block);
    return options;
}

clsp_status clspi_lattice_build(const clspi_build *build, const clsp_solid_desc *desc)
{
    clspi_lattice_rows rows;
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (clspi_lattice_rows_make(&rows, desc)) {
        const cell_room room = room_of(build->ctx, desc, &rows);
        const clspi_options options = options_of(build->ctx, desc, &room);
        status = clspi_program_build_for_group(build, "lattice_points",
                                               &clspi_lattice_cells_signature, &options, GROUP);
    } else {
        clspi_fail(&build->ctx->log, status, "solid: no memory for the rows of lattices");
    }
    clspi_lattice_rows_release(&rows);
    return status;
}

/* ---- choosing ---- */

/* Tells whether lattices are for a plan's grid, if the device has room for samples: packed points
   that are not within a cell and nearer than 1/16 to a face of it. */
static bool are_for(const clsp_solid_desc *desc, const clspi_cell_mesh *mesh)
{
    if (clspi_grid_size(desc) == 0 || desc->vertex.attributes != CLSP_VERTEX_POINT ||
        !clspi_solid_is_plain(desc))
        return false;
    const uint32_t steps = clspi_lattice_steps(desc);
    return steps <= CLSPI_LATTICE_STEPS && clspi_lattice_has_numbers(mesh) &&
           count_points(mesh, steps) <= UINT32_MAX;
}

clsp_solid_method clspi_lattice_choose(const clspi_cell_mesh *mesh)
{
    enum { ALIKE = 8, LEAST = 64 };

    return clspi_cells_are_unlike(mesh, clspi_max(LEAST, mesh->num_cells / ALIKE)) ||
                   clspi_cells_are_crowded(mesh, CLSPI_RING_CELLS)
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

    CLSPI_CHECK(
        upload(plan, series, &l->cells, parts->cells, (size_t)mesh->num_cells * CELL_WORDS));
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

/* Returns the parts of numbers that steps hand on. */
static uint32_t most_parts(const clsp_solid_plan *plan)
{
    return plan->desc.precision == CLSP_F32 ? 2 : 1;
}

/* Returns the parts of the numbers of the lattice after so many steps. */
static uint32_t parts_of(const clsp_solid_plan *plan, uint32_t steps)
{
    return steps > 0 && steps < plan->lattice->rows.steps ? most_parts(plan) : 1;
}

/* Makes room for the points of all steps, and for what lies on edges and vertices. */
static clsp_status make_room(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;
    const size_t point = plan->desc.dim * clsp_type_bytes(plan->desc.precision);
    const size_t line = ((size_t)1 << l->rows.steps) + 2; /* half as many in two parts, too */

    for (uint32_t k = 1; k <= l->rows.steps; k++) {
        const size_t num = (size_t)count_points(&l->mesh, k) * parts_of(plan, k);
        CLSPI_CHECK(clspi_buffer_create(&l->points[k - 1], plan->base.ctx, num * point));
    }
    CLSPI_CHECK(
        clspi_buffer_create(&l->lines, plan->base.ctx, (l->mesh.num_edges * line + 1) * point));
    return clspi_buffer_create(&l->limits, plan->base.ctx,
                               ((size_t)l->mesh.num_vertices + 1) * point);
}

static clsp_status create_kernel(const clsp_solid_plan *plan, clspi_kernel *kernel,
                                 const clspi_signature *signature, const clspi_options *options)
{
    return clspi_kernel_create_for_group(kernel, plan->base.ctx, "lattice_points", signature,
                                         options, GROUP);
}

static clsp_status create_kernels(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;
    const cell_room room = room_of(plan->base.ctx, &plan->desc, &l->rows);
    const clspi_options options = options_of(plan->base.ctx, &plan->desc, &room);

    l->chunk = room.chunk;
    l->block = room.block;
    CLSPI_CHECK(create_kernel(plan, &l->cell_kernel, &clspi_lattice_cells_signature, &options));
    CLSPI_CHECK(
        create_kernel(plan, &l->vertex_kernel, &clspi_lattice_vertices_signature, &options));
    CLSPI_CHECK(create_kernel(plan, &l->slice_kernel, &clspi_lattice_slices_signature, &options));
    return create_kernel(plan, &l->edge_kernel, &clspi_lattice_edges_signature, &options);
}

clsp_status clspi_lattice_make(clsp_solid_plan *plan, const clspi_cell_mesh *mesh)
{
    plan->lattice = calloc(1, sizeof *plan->lattice);
    if (!plan->lattice || !clspi_cell_mesh_copy(&plan->lattice->mesh, mesh)) return no_memory(plan);
    clspi_lattice *const l = plan->lattice;
    if (!are_for(&plan->desc, mesh)) return CLSP_OK;
    if (!clspi_lattice_rows_make(&l->rows, &plan->desc)) return no_memory(plan);
    l->makes_grid = room_of(plan->base.ctx, &plan->desc, &l->rows).block > 0;
    return CLSP_OK;
}

clsp_status clspi_lattice_upload(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_lattice_parts parts = {0};

    CLSPI_CHECK(create_kernels(plan));
    CLSPI_CHECK(make_room(plan));
    const clsp_status status = clspi_lattice_parts_make(&parts, &plan->lattice->mesh)
                                   ? upload_parts(plan, series, &parts)
                                   : no_memory(plan);
    clspi_lattice_parts_release(&parts);
    return status;
}

void clspi_lattice_unload(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;

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
}

void clspi_lattice_release(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;

    if (!l) return;
    clspi_star_mesh_release(&l->stars);
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

/* Returns items of a lattice that is read; parts_to: of the numbers that are made. */
static clspi_lattice_items items_from(const lattice_job *job, uint32_t parts_to)
{
    const clspi_cell_mesh *const mesh = &job->plan->lattice->mesh;

    return (clspi_lattice_items){.side = 1u << job->from,
                                 .vertices = mesh->num_vertices,
                                 .edges = mesh->num_edges,
                                 .faces = mesh->num_faces,
                                 .first = 0,
                                 .items = 0,
                                 .parts = parts_of(job->plan, job->from),
                                 .parts_to = parts_to};
}

/* Cuts vertices or edges, with `each` points, into launches. Finds the next launch, from at->first
   on, and returns how many vertices or edges it takes. */
static size_t next_items(const lattice_job *job, const clspi_kernel *kernel, size_t each,
                         size_t end, clspi_lattice_items *at)
{
    enum { TERMS = 32 }; /* of a sum, about */
    const uint32_t dim = job->plan->desc.dim;
    const size_t items = each * (dim / job->plan->lattice->block);
    const uint64_t most = clspi_launch_lines(&job->plan->base.ctx->tuning, each * dim * TERMS,
                                             items, kernel->local, 1);
    const size_t num = (size_t)clspi_min_u64(most, end - at->first);

    at->items = (uint32_t)(num * items);
    return num;
}

static clsp_status make_vertices(const lattice_job *job, cl_mem weights, cl_mem out,
                                 uint32_t parts_to)
{
    clspi_lattice *const l = job->plan->lattice;
    clspi_lattice_items at = items_from(job, parts_to);
    size_t num;

    for (; at.first < l->mesh.num_vertices; at.first += (uint32_t)num) {
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
    clspi_lattice_items at = items_from(job, rule == STEP_RULE ? most_parts(job->plan) : 1);
    size_t num;

    for (; at.first < l->mesh.num_edges; at.first += (uint32_t)num) {
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
    clspi_lattice_items at = items_from(job, parts_of(job->plan, job->from + 1));
    size_t num;

    at.parts = most_parts(job->plan); /* of slices */
    for (; at.first < l->mesh.num_edges; at.first += (uint32_t)num) {
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
                                   .chunk = (uint32_t)clspi_min(job->plan->lattice->chunk, num[0]),
                                   .first = 0,
                                   .parts = parts_of(job->plan, job->from),
                                   .parts_to = parts_of(job->plan, job->from + 1),
                                   .offset = 0};
}

/* Makes cells: of the next lattice, or their samples. */
static clsp_status make_cells(const lattice_job *job, clspi_lattice_samples at, size_t count,
                              cl_mem out)
{
    clsp_solid_plan *const plan = job->plan;
    clspi_lattice *const l = plan->lattice;
    const size_t samples = (size_t)at.num_u * at.num_v * at.num_w, end = at.first + count;
    const size_t each =
        plan->desc.dim / l->block * clspi_div_up(at.num_u, at.chunk) * l->cell_kernel.local;
    const uint64_t most = clspi_launch_lines(&plan->base.ctx->tuning, samples * plan->desc.dim * 16,
                                             each, l->cell_kernel.local, 1);

    while (at.first < end) {
        const uint32_t cells = (uint32_t)clspi_min_u64(most, end - at.first);
        const clspi_lattice_cells_args args = {.points = points_of(plan, job->from),
                                               .cells = l->cells,
                                               .starts = l->starts,
                                               .rows = l->row_weights,
                                               .lines = l->lines,
                                               .limits = l->limits,
                                               .out = out,
                                               .at = at};
        CLSPI_CHECK(clspi_launch_lattice_cells(job->series, &l->cell_kernel, &args, cells * each));
        if (!at.side_to) at.offset += cells * samples * plan->desc.dim;
        at.first += cells;
    }
    return CLSP_OK;
}

clsp_status clspi_lattice_load(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_lattice *const l = plan->lattice;
    lattice_job job = {plan, series, 0};

    if (!l->makes_grid) return CLSP_OK;
    CLSPI_CHECK(make_vertices(&job, l->limit_weights, l->limits, 1));
    for (; job.from < l->rows.steps; job.from++) {
        const uint32_t row = l->rows.step_row[job.from], num = (2u << job.from) + 1;
        const uint32_t rows[3] = {row, row, row}, nums[3] = {num, num, num};
        const clspi_lattice_samples at = samples_from(&job, 2u << job.from, nums, rows);
        cl_mem next = l->points[job.from];
        CLSPI_CHECK(make_vertices(&job, l->step_weights, next, at.parts_to));
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

    at.first = (uint32_t)cells.first;
    at.offset = target->offset;
    return make_cells(&job, at, cells.count, target->buffer);
}
