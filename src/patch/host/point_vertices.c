#include "point_vertices.h"

#include <math.h>
#include <string.h>

#include "edge_sums.h"
#include "half.h"
#include "limit_normal.h"
#include "spline_place.h"

enum {
    CHUNK = CLSPI_POINT_CHUNK,
    BLOCK = CLSPI_POINT_BLOCK,
    COORDS = CLSPI_POINT_COORDS,
    S = 0,
    U = 1,
    V = 2,
    W = 3,
    UU = 4,
    UV = 5,
    VV = 6
};

/* Vertices on their way. */
typedef struct chunk {
    const clspi_point_maker *maker;
    const clspi_point *points;
    size_t num;
    double sum[SUM_KINDS][CHUNK * COORDS]; /* [CHUNK][coords] of each, as vertices take it */
    double largest[2][CHUNK];              /* as of clspi_vertex_source */
    double near[CHUNK * 4];                /* [CHUNK][dim] */
    double param[3][CHUNK];
} chunk;

static bool has(const clspi_vertex_shape *vertex, uint32_t part)
{
    return vertex->at[part] >= 0;
}

/* ---- what vertices need ---- */

clspi_point_maker clspi_point_maker_of(const clspi_point_shape *shape,
                                       const clspi_vertex_shape *vertex, bool watertight)
{
    const bool bends = has(vertex, ATTRIBUTE_CURVATURE), normal = has(vertex, ATTRIBUTE_NORMAL);
    clspi_point_maker maker = {.shape = *shape,
                               .vertex = *vertex,
                               .sums = clspi_shape_sums(vertex),
                               .is_watertight = watertight,
                               .eps = shape->is_double ? 0x1p-52 : 0x1p-23,
                               .near = !watertight        ? 0
                                       : shape->is_double ? 0x1p-54
                                                          : 0x1p-25};

    if (normal || bends) maker.tracked = maker.sums & (1u << U | 1u << V);
    maker.is_near = shape->rational && maker.sums & ~1u;
    if (has(vertex, ATTRIBUTE_WEIGHT)) maker.sums |= 1u << S;
    return maker;
}

/* ---- places ---- */

/* Finds the place of a point of a spline for all orders; returns whether they differ. */
static bool place_spline(const clspi_point_maker *maker, const clspi_point *point,
                         clspi_point_block *block, size_t p)
{
    const clspi_point_shape *const shape = &maker->shape;
    const uint32_t most = maker->sums & SECOND_SUMS ? 2 : maker->sums & ~1u ? 1 : 0;
    clspi_spline_axis axis = {.basis = point->basis, .is_double = shape->is_double};
    bool differ = false;

    for (uint32_t d = 0; d < shape->directions; d++) {
        const double x[2] = {point->x[d], point->rest[d]};
        axis.controls = shape->controls[d];
        axis.degree = shape->degree[d];
        differ |= clspi_spline_places(&axis, most, x, point->first[d], block->place[d], p);
        axis.basis += d + 1 < shape->directions ? clspi_spline_reals(&axis) : 0;
    }
    return differ;
}

/* Finds the places of a block of points, the last one's again where there are fewer. */
static void find_places(const clspi_point_maker *maker, const clspi_point *const *points,
                        clspi_point_block *block)
{
    block->shape = &maker->shape;
    block->has_kinks = false;
    for (size_t p = 0; p < BLOCK; p++) {
        const clspi_point *const point = points[p];
        block->patch[p] = point->patch;
        for (uint32_t d = 0; d < maker->shape.directions && !maker->shape.is_spline; d++) {
            block->place[d][0].t[p] = point->t[d];
            block->place[d][0].s[p] = point->s[d];
        }
        if (maker->shape.is_spline) block->has_kinks |= place_spline(maker, point, block, p);
    }
}

/* ---- sums ---- */

/* Takes over what a block's sums say, as vertices from `first` on. */
static void take_sums(chunk *c, const clspi_point_jet *jet, size_t first)
{
    const clspi_point_maker *const maker = c->maker;
    const uint32_t dim = maker->shape.dim, coords = dim + maker->shape.rational;
    const double scale = maker->eps / 0x1p-52; /* vertices are made as of doubles */

    for (size_t p = 0; p < BLOCK; p++) {
        const size_t at = first + p;
        for (unsigned k = 0; k < SUM_KINDS; k++)
            for (uint32_t x = 0; x < coords && maker->sums >> k & 1; x++)
                c->sum[k][at * coords + x] = jet->sum[k].x[x][p];
        for (uint32_t x = 0; x < dim && maker->is_near; x++)
            c->near[at * dim + x] = jet->near[x][p];
        for (unsigned k = 0; k < 2; k++)
            c->largest[k][at] = maker->tracked >> (k + U) & 1
                                    ? scale * clspi_tangent_error(&maker->shape, jet, k + U, p)
                                    : 0;
    }
}

/* Makes all sums; those behind the points, which vertices are made of too, are any. */
static void make_sums(chunk *c)
{
    clspi_point_block block = {
        .sums = c->maker->sums, .tracked = c->maker->tracked, .is_near = c->maker->is_near};
    clspi_point_jet jet;

    for (size_t first = 0; first < CHUNK; first += BLOCK) {
        const clspi_point *points[BLOCK];
        for (size_t p = 0; p < BLOCK; p++)
            points[p] = &c->points[first + p < c->num ? first + p : c->num - 1];
        if (first < c->num) {
            find_places(c->maker, points, &block);
            clspi_patch_jets(&block, &jet);
        }
        take_sums(c, &jet, first);
    }
    for (size_t p = 0; p < CHUNK; p++)
        for (uint32_t d = 0; d < c->maker->shape.directions; d++)
            c->param[d][p] = c->points[p < c->num ? p : c->num - 1].param[d];
}

/* ---- edges ---- */

static bool is_at_begin(double t, double s, double eps)
{
    return t <= eps * s;
}

/* Finds the direction from the edge that a point is on to the inside; false: it is on none. */
static bool find_inward(const clspi_point_maker *maker, const clspi_point *point, double inward[2])
{
    const double *const t = point->t, *const s = point->s;
    bool is_on = false;

    for (int d = 0; d < 2; d++) {
        const bool begins = is_at_begin(t[d], s[d], maker->eps);
        const bool ends = is_at_begin(s[d], t[d], maker->eps);
        inward[d] = begins ? 1 : ends ? -1 : 0;
        is_on = is_on || begins || ends;
    }
    if (!maker->shape.is_triangle) return is_on;
    inward[0] = (s[0] - 2 * t[0]) / (t[0] + s[0]); /* to the centroid */
    inward[1] = (t[0] + s[0] - 3 * s[0] * t[1] / (t[1] + s[1])) / (t[0] + s[0]);
    return is_on;
}

/* Writes reals as elements of a vertex. */
static void put_reals(const clspi_vertex_shape *vertex, char *to, const double *reals, uint32_t num)
{
    float narrow[4];

    for (uint32_t k = 0; k < num; k++)
        narrow[k] = (float)reals[k];
    if (vertex->type == CLSPI_ROW_F64)
        memcpy(to, reals, num * sizeof *reals);
    else if (vertex->type == CLSPI_ROW_F32)
        memcpy(to, narrow, num * sizeof *narrow);
    for (uint32_t k = 0; k < num && vertex->type == CLSPI_ROW_F16; k++) {
        const uint16_t half = clspi_half(reals[k]);
        memcpy(to + k * sizeof half, &half, sizeof half);
    }
}

/* Makes the normals of a block of points, which are on edges. */
static void make_limits(const clspi_point_maker *maker, const clspi_point *const *points,
                        char *const *vertices)
{
    clspi_point_block block = {
        .sums = CLSPI_LIMIT_SUMS, .tracked = CLSPI_LIMIT_SUMS, .is_near = maker->shape.rational};
    clspi_point_maker limits = *maker;
    clspi_point_jet jet;

    limits.sums = CLSPI_LIMIT_SUMS;
    find_places(&limits, points, &block);
    clspi_patch_jets(&block, &jet);
    for (size_t p = 0; p < BLOCK && vertices[p]; p++) {
        double inward[2], normal[3];
        find_inward(maker, points[p], inward);
        clspi_edge_normal(&maker->shape, &jet, p, inward, maker->eps, normal);
        put_reals(&maker->vertex, vertices[p], normal, 3);
    }
}

/* Makes the normals again that are (0, 0, 0) on edges. */
static void make_normals(const clspi_point_maker *maker, const clspi_point *of, size_t count,
                         char *out)
{
    const clspi_vertex_shape *const vertex = &maker->vertex;
    const size_t bytes = clspi_row_bytes(vertex->type);
    const clspi_point *points[BLOCK];
    char *vertices[BLOCK];
    size_t num = 0;

    for (size_t p = 0; p < count; p++) {
        char *const at = out + p * vertex->stride * bytes;
        double inward[2];
        if (clspi_normal_is_lost(vertex, at) && find_inward(maker, &of[p], inward)) {
            points[num] = &of[p];
            vertices[num++] = at + (size_t)vertex->at[ATTRIBUTE_NORMAL] * bytes;
        }
        if (num == 0 || (num < BLOCK && p + 1 < count)) continue;
        for (; num < BLOCK; num++) {
            points[num] = points[0];
            vertices[num] = NULL;
        }
        make_limits(maker, points, vertices);
        num = 0;
    }
}

/* Makes the point of a vertex again that is on a side across a direction. */
static void make_side(const clspi_point_maker *maker, const clspi_point *point, int across,
                      char *vertex)
{
    const clspi_point_shape *const shape = &maker->shape;
    const size_t real = shape->is_double ? sizeof(double) : sizeof(float);
    const bool ends = point->t[across] > 0.5;
    const ptrdiff_t coords = (ptrdiff_t)(shape->dim + shape->rational);
    const ptrdiff_t steps[2] = {(ptrdiff_t)shape->controls[1] * coords, coords};
    const size_t corner = ends ? (size_t)(shape->controls[across] - 1) * (size_t)steps[across] : 0;
    clspi_vertex_shape points = maker->vertex;
    const clspi_edge edge = {.corner = (const char *)point->patch + corner * real,
                             .degree = shape->degree[1 - across],
                             .depth = shape->controls[across],
                             .step_t = steps[1 - across],
                             .step_n = ends ? -steps[across] : steps[across],
                             .watertight = true,
                             .end = 1,
                             .params = &point->t[1 - across],
                             .num = 1,
                             .count = 1,
                             .out = vertex};

    points.at[ATTRIBUTE_NORMAL] = -1;
    clspi_edge_sums(shape->is_double, &points, &edge);
}

void clspi_point_sides(const clspi_point_maker *maker, const clspi_point *points, size_t num,
                       char *out)
{
    const size_t bytes = maker->vertex.stride * clspi_row_bytes(maker->vertex.type);

    if (has(&maker->vertex, ATTRIBUTE_NORMAL)) make_normals(maker, points, num, out);
    for (size_t p = 0; p < num && maker->is_watertight; p++)
        for (int d = 2; d-- > 0;) /* corners are those along u: last */
            if (!points[p].is_lost && (points[p].t[d] <= maker->near || points[p].t[d] == 1))
                make_side(maker, &points[p], d, out + p * bytes);
}

/* ---- vertices ---- */

uint32_t clspi_part_elements(const clspi_vertex_shape *vertex, unsigned part)
{
    return part == ATTRIBUTE_WEIGHT      ? 1
           : part == ATTRIBUTE_PARAMS    ? vertex->directions
           : part == ATTRIBUTE_CURVATURE ? (vertex->directions > 1 ? 2 : 1)
                                         : vertex->dim;
}

void clspi_point_lose(const clspi_vertex_shape *vertex, char *out)
{
    const double nan = (double)NAN, none[4] = {nan, nan, nan, nan};

    for (unsigned k = 0; k < ATTRIBUTES; k++)
        if (vertex->at[k] >= 0)
            put_reals(vertex, out + (size_t)vertex->at[k] * clspi_row_bytes(vertex->type), none,
                      clspi_part_elements(vertex, k));
}

void clspi_first_vertices(const clspi_vertex_functions *functions, const clspi_vertex_shape *vertex,
                          const clspi_vertex_source *source, size_t num, char *out)
{
    const size_t element = clspi_row_bytes(vertex->type);
    double aside[CLSPI_FIRST_ELEMENTS];
    clspi_vertex_shape packed = *vertex;

    if (num == source->count) {
        functions->make(vertex, source, out);
        return;
    }
    packed.stride = 0;
    for (unsigned k = 0; k < ATTRIBUTES; k++)
        if (vertex->at[k] >= 0) {
            packed.at[k] = (int32_t)packed.stride;
            packed.stride += clspi_part_elements(vertex, k);
        }
    functions->make(&packed, source, aside);
    for (size_t p = 0; p < num; p++)
        for (unsigned k = 0; k < ATTRIBUTES; k++)
            if (vertex->at[k] >= 0)
                memcpy(out + (p * vertex->stride + (size_t)vertex->at[k]) * element,
                       (const char *)aside + (p * packed.stride + (size_t)packed.at[k]) * element,
                       clspi_part_elements(vertex, k) * element);
}

/* Says what vertices are made of. */
static clspi_vertex_source source_of(chunk *c)
{
    clspi_vertex_source source = {.count = CHUNK, .of_each = true};

    for (unsigned k = 0; k < SUM_KINDS; k++)
        source.sum[k] = c->maker->sums >> k & 1 ? c->sum[k] : NULL;
    for (int d = 0; d < 3; d++)
        source.param[d] = c->param[d];
    for (int k = 0; k < 2; k++) {
        source.largest[k][0] = c->largest[k];
        if (c->maker->shape.directions > 1) clspi_vertex_functions_f64.invert(c->largest[k], CHUNK);
    }
    source.centre = c->maker->is_near ? c->near : NULL;
    return source;
}

void clspi_point_vertices(const clspi_point_maker *maker, const clspi_point *points, size_t num,
                          char *out)
{
    const clspi_vertex_shape *const vertex = &maker->vertex;
    const size_t bytes = vertex->stride * clspi_row_bytes(vertex->type);
    chunk c;

    c.maker = maker;
    c.points = points;
    c.num = num;
    make_sums(&c);
    const clspi_vertex_source source = source_of(&c);
    clspi_first_vertices(&clspi_vertex_functions_f64, vertex, &source, num, out);
    clspi_point_sides(maker, points, num, out);
    for (size_t p = 0; p < num; p++)
        if (points[p].is_lost) clspi_point_lose(vertex, out + p * bytes);
}
