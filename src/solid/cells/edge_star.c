#include "edge_star.h"

#include <stdlib.h>
#include <string.h>

#include "level.h"

#include "dialect.h"
#define real double
#define R(x) x
#include "edge_slices.clh"

enum { QUAD_POINTS = 16 };

static const uint32_t stride_of[3] = {16, 4, 1};

/* ---- quads ---- */

void clspi_edge_star_release(clspi_edge_star *across)
{
    free(across->quad);
    free(across->points);
    free(across->next);
    *across = (clspi_edge_star){0};
}

static bool reserve(clspi_edge_star *across, uint32_t quads, uint32_t dim)
{
    const size_t room = quads < 16 ? 16 : quads;
    const size_t reals = room * QUAD_POINTS * dim;

    if (quads <= across->quad_room && dim == across->dim_room) return true;
    clspi_edge_star_release(across);
    across->quad = malloc(room * sizeof *across->quad);
    across->points = malloc(reals * sizeof *across->points);
    across->next = malloc(reals * sizeof *across->next);
    across->quad_room = (uint32_t)room;
    across->dim_room = dim;
    return across->quad && across->points && across->next;
}

/* Describes a quad: axis `along` of a cell of the star. */
static void find_quad(clspi_star_quad *quad, const clspi_vertex_star *star, uint32_t d,
                      uint8_t along)
{
    const clspi_star_cell *const cell = &star->cell[d];

    *quad = (clspi_star_quad){.cell = d,
                              .along = along,
                              .axis = {along == 0 ? 1 : 0, along == 2 ? 1 : 2},
                              .across = {CLSPI_NO_CELL, CLSPI_NO_CELL}};
    for (uint32_t k = 0; k < 2; k++) {
        const uint8_t off = quad->axis[k], other = quad->axis[1 - k];
        if (cell->across[off] == CLSPI_NO_CELL) continue;
        const uint8_t there = cell->to[off][along], shared = cell->to[off][other];
        quad->across[k] = star->edge_place[3 * (size_t)cell->across[off] + there];
        quad->shared[k] = shared == (there == 2 ? 1 : 2);
    }
}

bool clspi_edge_star_make(clspi_edge_star *across, const clspi_vertex_star *star, uint32_t edge,
                          uint32_t slices)
{
    const clspi_star_edge *const of = &star->edge[edge];
    const uint32_t dim = slices * star->stars->dim;

    if (!reserve(across, of->num, dim)) return false;
    across->dim = dim;
    across->star = star;
    across->edge = edge;
    across->flag = of->flag;
    across->num_quads = of->num;
    for (uint32_t k = 0; k < of->num; k++) {
        const uint32_t at = star->edge_cells[of->first + k];
        find_quad(&across->quad[k], star, at / 3, (uint8_t)(at % 3));
    }
    return true;
}

/* ---- points ---- */

/* Moves the centre, and points relative to it. */
CLSPI_INLINE void recentre(clspi_edge_star *across, const double *shift, uint32_t dim)
{
    double *const points = across->points;

    for (size_t i = 0; i < (size_t)across->num_quads * QUAD_POINTS; i++)
        for (uint32_t c = 0; c < dim; c++)
            points[i * dim + c] = i % QUAD_POINTS == 0 ? 0.0 : points[i * dim + c] - shift[c];
    for (uint32_t c = 0; c < dim; c++)
        across->centre[c] += shift[c];
}

/* Sums slices 0 to 3 along the edge, by weights, into one of the gathered slices. */
CLSPI_INLINE void gather_slice(clspi_edge_star *across, uint32_t slice, const double weight[4],
                               uint32_t dim)
{
    const clspi_vertex_star *const star = across->star;

    for (uint32_t q = 0; q < across->num_quads; q++) {
        const clspi_star_quad *const quad = &across->quad[q];
        const double *const from = star->points + (size_t)quad->cell * CLSPI_STAR_POINTS * dim;
        const size_t step = (size_t)stride_of[quad->along] * dim;
        for (uint32_t i = 0; i < QUAD_POINTS; i++) {
            const double *const p =
                from +
                (i / 4 * stride_of[quad->axis[0]] + i % 4 * stride_of[quad->axis[1]]) * (size_t)dim;
            double *const to =
                across->points + ((size_t)q * QUAD_POINTS + i) * across->dim + (size_t)slice * dim;
            for (uint32_t c = 0; c < dim; c++)
                to[c] = weight[0] * p[c] + weight[1] * p[step + c] + weight[2] * p[2 * step + c] +
                        weight[3] * p[3 * step + c];
        }
    }
}

/* Makes the points of the edge the centre. */
static void begin_centre(clspi_edge_star *across)
{
    double shift[CLSPI_STAR_MOST_DIM];

    memset(across->centre, 0, sizeof across->centre);
    memcpy(shift, across->points, across->dim * sizeof *shift);
    recentre(across, shift, across->dim);
    across->level = 0;
}

void clspi_edge_star_gather(clspi_edge_star *across, const double weight[4])
{
    gather_slice(across, 0, weight, across->dim);
    begin_centre(across);
}

static void gather_slices(clspi_edge_star *across)
{
    static const double weight[4][4] = {{1.0 / 6, 2.0 / 3, 1.0 / 6, 0},
                                        {0, 2.0 / 3, 1.0 / 3, 0},
                                        {0, 1.0 / 3, 2.0 / 3, 0},
                                        {0, 1.0 / 6, 2.0 / 3, 1.0 / 6}};

    for (uint32_t slice = 0; slice < 4; slice++)
        gather_slice(across, slice, weight[slice], 4);
}

void clspi_edge_star_gather_slices(clspi_edge_star *across)
{
    gather_slices(across);
    begin_centre(across);
}

CLSPI_INLINE void point_at(const clspi_edge_star *across, uint32_t q, const int at[2], double *to,
                           uint32_t dim)
{
    const clspi_star_quad *const quad = &across->quad[q];
    const double *points = across->points + (size_t)q * QUAD_POINTS * dim;

    if (at[0] >= 0 && at[1] >= 0) {
        memcpy(to, points + (size_t)(4 * at[0] + at[1]) * dim, dim * sizeof *to);
        return;
    }
    const uint32_t k = at[0] >= 0;
    if (quad->across[k] != CLSPI_NO_CELL) {
        const size_t other = (size_t)at[1 - k];
        points = across->points + (size_t)quad->across[k] * QUAD_POINTS * dim;
        memcpy(to, points + (quad->shared[k] ? 4 + other : 4 * other + 1) * dim, dim * sizeof *to);
        return;
    }
    const size_t side = (size_t)(k == 0 ? at[1] : 4 * at[0]) * dim;
    const size_t next = side + (k == 0 ? 4 : 1) * (size_t)dim;
    for (uint32_t c = 0; c < dim; c++)
        to[c] = 2.0 * points[side + c] - points[next + c];
}

void clspi_edge_star_point(const clspi_edge_star *across, uint32_t q, const int at[2], double *to)
{
    point_at(across, q, at, to, across->dim);
}

/* Sums the points around the edge for a step or the limit: those beside it as quads meet them, on a
   boundary those of the boundary alone, and those beyond. */
CLSPI_INLINE void sum_around(const clspi_edge_star *across, bool is_limit, double *sum,
                             uint32_t dim)
{
    const bool is_inner = !(across->flag & CLSPI_BOUNDARY), is_crease = across->flag & CLSPI_CREASE;
    const double n = across->num_quads, beyond = slice_beyond(n, is_limit);
    const double beside = is_inner || !is_crease ? slice_beside(n, is_inner, is_limit) : 0.0;

    memset(sum, 0, dim * sizeof *sum);
    for (uint32_t q = 0; q < across->num_quads; q++) {
        const double *const points = across->points + (size_t)q * QUAD_POINTS * dim;
        for (uint32_t k = 0; k < 2; k++)
            if (is_inner || across->quad[q].across[1 - k] == CLSPI_NO_CELL)
                for (uint32_t c = 0; c < dim; c++)
                    sum[c] += beside * points[(k == 0 ? 4 : 1) * dim + c];
        for (uint32_t c = 0; c < dim && is_inner; c++)
            sum[c] += beyond * points[5 * dim + c];
    }
}

void clspi_edge_star_limit(const clspi_edge_star *across, double *to)
{
    sum_around(across, true, to, across->dim);
}

/* ---- a step ---- */

/* Does a step of points of so many channels. */
CLSPI_INLINE void step(clspi_edge_star *across, uint32_t dim)
{
    double shift[CLSPI_STAR_MOST_DIM];

    sum_around(across, false, shift, dim);
    for (uint32_t q = 0; q < across->num_quads; q++) {
        double *const to = across->next + (size_t)q * QUAD_POINTS * dim;
        for (uint32_t i = 0; i < QUAD_POINTS; i++) {
            const int at[2] = {(int)(i / 4) - 1, (int)(i % 4) - 1};
            if (i == 0)
                memset(to, 0, dim * sizeof *to);
            else
                point_at(across, q, at, to + (size_t)i * dim, dim);
        }
        clspi_star_refine_lines(to, 1, 4 * dim);
        clspi_star_refine_lines(to, 4, dim);
    }
    double *const swap = across->points;
    across->points = across->next;
    across->next = swap;
    recentre(across, shift, dim);
    across->level++;
}

static void step_of_16(clspi_edge_star *across)
{
    step(across, 16);
}

void clspi_edge_star_step(clspi_edge_star *across)
{
    if (across->dim == 16)
        step_of_16(across);
    else
        step(across, across->dim);
}
