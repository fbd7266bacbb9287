#include "star_vertices.h"

#include <stdlib.h>

#include "check.h"
#include "solid_mesh.h"
#include "star_points.h"

enum { CHUNK = 131072 /* vertices that are made at once */ };

/* Vertices on their way. */
typedef struct star_chunk {
    const clsp_solid_plan *plan;
    const clspi_star_lines *from;
    const clspi_parallel *threads;
    size_t room;
    clspi_star_spot *spot; /* [room] */
    double (*params)[3];   /* [room] */
    uint8_t *faces;        /* [room] */
    double *sums;          /* [sums][room][dim] */
} star_chunk;

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for points in %zu cells", plan->num_cells);
}

/* Returns the plan whose mesh and control points are taken: a peer's owner. */
static const clsp_solid_plan *owner_of(const clsp_solid_plan *plan)
{
    return plan->owner ? plan->owner : plan;
}

/* ---- control points ---- */

/* Takes the control points of a plan whose lock is held. */
static clsp_status load(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;
    const size_t num = plan->num_vertices * plan->desc.dim;

    CLSPI_CHECK(clspi_control_hold(plan));
    double *const points = malloc((num + 1) * sizeof *points);
    if (!points) return no_memory(plan);
    for (size_t i = 0; i < num; i++)
        points[i] = plan->desc.precision == CLSP_F64 ? ((const double *)plan->host.data)[i]
                                                     : (double)((const float *)plan->host.data)[i];
    l->has_points = clspi_star_mesh_load(&l->stars, points, plan->desc.dim);
    free(points);
    return l->has_points ? CLSP_OK : no_memory(plan);
}

/* Finds the stars of a plan whose lock is held. */
static clsp_status find_stars(clsp_solid_plan *plan)
{
    clspi_lattice *const l = plan->lattice;

    if (l->stars.mesh || clspi_star_mesh_make(&l->stars, &l->mesh)) return CLSP_OK;
    clspi_star_mesh_release(&l->stars);
    return no_memory(plan);
}

clsp_status clspi_star_topology(clsp_solid_plan *plan)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = find_stars(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

clsp_status clspi_star_prepare(clsp_solid_plan *plan)
{
    clsp_solid_plan *const owner = (clsp_solid_plan *)(uintptr_t)owner_of(plan);

    pthread_mutex_lock(&owner->host.lock);
    clsp_status status = find_stars(owner);
    if (status == CLSP_OK && !owner->lattice->has_points) status = load(owner);
    pthread_mutex_unlock(&owner->host.lock);
    return status;
}

/* ---- parameters ---- */

/* Returns sample i of an axis as kernels have it. */
static double sample_at(const clsp_solid_plan *plan, uint32_t a, size_t i)
{
    const double t = clspi_solid_sample(&plan->desc.axis[a], (uint32_t)i);

    return plan->desc.precision == CLSP_F64 ? t : (double)(float)t;
}

/* Returns where a sample of a cell is, of the grid's samples that of this number. */
static clspi_solid_spot spot_on_grid(const clsp_solid_plan *plan, size_t cell, size_t sample)
{
    const size_t num_v = plan->desc.axis[1].num, num_w = plan->desc.axis[2].num;
    clspi_solid_spot spot = {.is_there = true,
                             .cell = (uint32_t)cell,
                             .t = {sample_at(plan, 0, sample / num_w / num_v),
                                   sample_at(plan, 1, sample / num_w % num_v),
                                   sample_at(plan, 2, sample % num_w)}};

    spot.face = plan->faces ? clspi_solid_face_at(plan->faces[cell], spot.t) : (uint8_t)NO_FACE;
    return spot;
}

/* Finds where so many vertices are, from number `first` of all lines on. */
static void find_spots(const star_chunk *chunk, size_t first, size_t num)
{
    const clspi_star_lines *const from = chunk->from;
    const size_t each = from->list ? 1 : clspi_grid_size(&chunk->plan->desc);

    for (size_t i = 0; i < num; i++) {
        const size_t line = from->lines.first + (first + i) / each;
        clspi_solid_spot spot;
        if (from->list)
            clspi_solid_spot_find(chunk->plan, from->list, line, &spot);
        else
            spot = spot_on_grid(chunk->plan, line, (first + i) % each);
        chunk->spot[i] = (clspi_star_spot){
            .is_there = spot.is_there, .cell = spot.cell, .t = {spot.t[0], spot.t[1], spot.t[2]}};
        memcpy(chunk->params[i], spot.t, sizeof spot.t);
        chunk->faces[i] = spot.face;
    }
}

/* ---- vertices ---- */

/* Makes so many vertices. */
static clsp_status make_some(const star_chunk *chunk, size_t first, size_t num, char *out)
{
    const clsp_solid_plan *const plan = chunk->plan;
    clspi_solid_shape shape = plan->shape;
    const clspi_star_list list = {.spot = chunk->spot,
                                  .num = num,
                                  .num_sums = shape.num_sums,
                                  .number = shape.number,
                                  .sums = chunk->sums};
    const clspi_solid_source source = {.sums = chunk->sums,
                                       .plane = num * shape.dim,
                                       .step = shape.dim,
                                       .used = shape.dim,
                                       .params = chunk->params,
                                       .faces = chunk->faces};

    find_spots(chunk, first, num);
    if (!clspi_star_points(&owner_of(plan)->lattice->stars, &list, chunk->threads))
        return no_memory(plan);
    shape.is_double = true; /* as sums are here */
    clspi_solid_vertices_store(&shape, &source, out, num);
    return CLSP_OK;
}

static bool allocate(star_chunk *chunk, size_t num)
{
    const clspi_solid_shape *const shape = &chunk->plan->shape;

    chunk->room = clspi_min(num, CHUNK);
    const size_t sums = chunk->room * shape->num_sums * shape->dim;
    chunk->spot = malloc((chunk->room + 1) * sizeof *chunk->spot);
    chunk->params = malloc((chunk->room + 1) * sizeof *chunk->params);
    chunk->faces = malloc(chunk->room + 1);
    chunk->sums = malloc((sums + 1) * sizeof *chunk->sums);
    return chunk->spot && chunk->params && chunk->faces && chunk->sums;
}

static void release(star_chunk *chunk)
{
    free(chunk->spot);
    free(chunk->params);
    free(chunk->faces);
    free(chunk->sums);
}

clsp_status clspi_star_vertices(const clsp_solid_plan *plan, uint32_t worker,
                                const clspi_star_lines *from, char *out)
{
    const size_t num = from->lines.count * (from->list ? 1 : clspi_grid_size(&plan->desc));
    const size_t bytes = plan->shape.stride * clspi_solid_element(plan);
    const clspi_parallel threads = clspi_solid_threads(plan->base.ctx);
    star_chunk chunk = {
        .plan = plan, .from = from, .threads = worker == CLSPI_HOST_WORKERS ? &threads : NULL};
    clsp_status status = allocate(&chunk, num) ? CLSP_OK : no_memory(plan);

    for (size_t first = 0; first < num && status == CLSP_OK; first += chunk.room)
        status = make_some(&chunk, first, clspi_min(chunk.room, num - first), out + first * bytes);
    release(&chunk);
    return status;
}
