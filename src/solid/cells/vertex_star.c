#include "vertex_star.h"

#include <stdlib.h>
#include <string.h>

#include "level.h"
#include "limit_points.h"
#include "subdivide.h"

#include "dialect.h"
#define real double
#define R(x) x
#include "edge_slices.clh"

static const uint32_t stride_of[3] = {16, 4, 1};

/* ---- what stars are made of ---- */

/* Lists the corners of cells by vertices. */
static void list_corners(clspi_star_mesh *stars)
{
    const clspi_cell_mesh *const mesh = stars->mesh;
    const size_t corners = (size_t)mesh->num_cells * CLSPI_CORNERS;
    uint32_t *const begin = stars->begin;

    for (size_t i = 0; i < corners; i++)
        begin[mesh->cell_vertex[i] + 1]++;
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        begin[v + 1] += begin[v];
    for (size_t i = 0; i < corners; i++)
        stars->corners[begin[mesh->cell_vertex[i]]++] = (uint32_t)i;
    memmove(begin + 1, begin, mesh->num_vertices * sizeof *begin);
    begin[0] = 0;
}

bool clspi_star_mesh_make(clspi_star_mesh *stars, const clspi_cell_mesh *mesh)
{
    const clspi_incidence incidence = clspi_incidence_of(mesh);
    const size_t corners = (size_t)mesh->num_cells * CLSPI_CORNERS;

    *stars = (clspi_star_mesh){.mesh = mesh};
    stars->begin = calloc((size_t)mesh->num_vertices + 1, sizeof *stars->begin);
    stars->corners = malloc((corners + 1) * sizeof *stars->corners);
    if (!stars->begin || !stars->corners || corners > UINT32_MAX ||
        !clspi_step_weights_make(&stars->weights, &incidence, CLSPI_RULE_TENSOR))
        return false;
    list_corners(stars);
    return true;
}

void clspi_star_mesh_forget(clspi_star_mesh *stars)
{
    free(stars->control);
    free(stars->points);
    free(stars->limits);
    stars->control = stars->points = stars->limits = NULL;
}

bool clspi_star_mesh_load(clspi_star_mesh *stars, const double *points, uint32_t dim)
{
    const clspi_cell_mesh *const mesh = stars->mesh;
    const clspi_incidence incidence = clspi_incidence_of(mesh);
    const size_t vertices = mesh->num_vertices;
    const size_t all = vertices + mesh->num_edges + mesh->num_faces + mesh->num_cells;

    clspi_star_mesh_forget(stars);
    stars->dim = dim;
    stars->control = malloc((vertices * dim + 1) * sizeof *stars->control);
    stars->points = malloc((all * dim + 1) * sizeof *stars->points);
    stars->limits = malloc((vertices * dim + 1) * sizeof *stars->limits);
    if (stars->control) memcpy(stars->control, points, vertices * dim * sizeof *points);
    if (stars->control && stars->points && stars->limits &&
        clspi_subdivide(stars->points, points, dim, &incidence, CLSPI_RULE_TENSOR) &&
        clspi_limit_points(stars->limits, points, dim, mesh))
        return true;
    clspi_star_mesh_forget(stars);
    return false;
}

void clspi_star_mesh_release(clspi_star_mesh *stars)
{
    clspi_star_mesh_forget(stars);
    clspi_step_weights_release(&stars->weights);
    free(stars->begin);
    free(stars->corners);
    *stars = (clspi_star_mesh){0};
}

/* ---- memory of a star ---- */

void clspi_vertex_star_release(clspi_vertex_star *star)
{
    free(star->cell);
    free(star->edge);
    free(star->edge_cells);
    free(star->edge_place);
    free(star->table);
    free(star->centre);
    free(star->points);
    free(star->next);
    free(star->slices);
    *star = (clspi_vertex_star){0};
}

/* Returns the places of a table of so many numbers, a power of two. */
static uint32_t places_for(uint32_t num)
{
    uint32_t places = 8;

    while (places < 2 * num)
        places *= 2;
    return places;
}

/* Makes room for so many cells. */
static bool reserve(clspi_vertex_star *star, uint32_t cells, uint32_t dim)
{
    const size_t room = cells < 32 ? 32 : (size_t)cells + cells / 2;
    const size_t reals = room * CLSPI_STAR_POINTS * dim;

    if (cells <= star->cell_room && dim == star->dim_room) return true;
    clspi_vertex_star_release(star);
    if (room > UINT32_MAX / 8) return false;
    star->cell = malloc(room * sizeof *star->cell);
    star->edge = malloc(3 * room * sizeof *star->edge);
    star->edge_cells = malloc(3 * room * sizeof *star->edge_cells);
    star->edge_place = malloc(3 * room * sizeof *star->edge_place);
    star->table = malloc(places_for(3 * (uint32_t)room) * sizeof *star->table);
    star->centre = malloc(dim * sizeof *star->centre);
    star->points = malloc(reals * sizeof *star->points);
    star->next = malloc(reals * sizeof *star->next);
    star->slices = malloc(3 * room * 3 * dim * sizeof *star->slices);
    star->cell_room = (uint32_t)room;
    star->dim_room = dim;
    return star->cell && star->edge && star->edge_cells && star->edge_place && star->table &&
           star->centre && star->points && star->next && star->slices;
}

/* ---- cells and edges ---- */

static uint32_t scattered(uint32_t key)
{
    key *= UINT32_C(0x9e3779b1);
    return key ^ key >> 15;
}

/* Returns the number of an edge of the mesh in the star, a new one where it is new. */
static uint32_t number_edge(clspi_vertex_star *star, uint32_t edge)
{
    const uint32_t mask = places_for(3 * star->num_cells) - 1;
    uint32_t at = scattered(edge) & mask;

    while (star->table[at] != 0 && star->edge[star->table[at] - 1].edge != edge)
        at = (at + 1) & mask;
    if (star->table[at] == 0) {
        star->edge[star->num_edges] = (clspi_star_edge){.edge = edge};
        star->table[at] = ++star->num_edges;
    }
    return star->table[at] - 1;
}

static void clear_table(clspi_vertex_star *star)
{
    memset(star->table, 0, places_for(3 * star->num_cells) * sizeof *star->table);
}

/* Finds the edges of all cells, and what the next vertex is made of. */
static void find_edges(clspi_vertex_star *star)
{
    const clspi_star_mesh *const stars = star->stars;
    const clspi_cell_mesh *const mesh = stars->mesh;
    const clspi_incidence incidence = clspi_incidence_of(mesh);
    uint32_t sum = 0;

    star->num_edges = 0;
    clear_table(star);
    for (uint32_t d = 0; d < star->num_cells; d++) {
        const size_t cell = star->cell[d].corner / CLSPI_CORNERS;
        const uint32_t corner = star->cell[d].corner % CLSPI_CORNERS;
        for (uint32_t a = 0; a < 3; a++) {
            const size_t at = cell * CLSPI_CELL_EDGES + clspi_corner_edge(a, corner);
            star->cell[d].edge[a] = number_edge(star, mesh->cell_edge[at]);
            star->edge[star->cell[d].edge[a]].num++;
        }
    }
    for (uint32_t e = 0; e < star->num_edges; e++) {
        clspi_star_edge *const edge = &star->edge[e];
        edge->flag = mesh->edge_flag[edge->edge];
        edge->middle = clspi_middle_weight(&stars->weights, &incidence, star->vertex, edge->edge);
        edge->first = sum;
        sum += edge->num;
        edge->num = 0;
    }
    for (uint32_t i = 0; i < 3 * star->num_cells; i++) {
        clspi_star_edge *const edge = &star->edge[star->cell[i / 3].edge[i % 3]];
        star->edge_place[i] = edge->num;
        star->edge_cells[edge->first + edge->num++] = i;
    }
}

/* Returns the star's number of a cell of the mesh, all of which are in the table. */
static uint32_t number_of_cell(const clspi_vertex_star *star, uint32_t cell)
{
    const uint32_t mask = places_for(3 * star->num_cells) - 1;
    uint32_t at = scattered(cell) & mask;

    while (star->table[at] != 0 && star->cell[star->table[at] - 1].corner / CLSPI_CORNERS != cell)
        at = (at + 1) & mask;
    return star->table[at] != 0 ? star->table[at] - 1 : CLSPI_NO_CELL;
}

/* Finds how the axes of a cell go on beyond a face of it: two edges are in both. */
static void join(clspi_vertex_star *star, uint32_t d, uint32_t a)
{
    clspi_star_cell *const cell = &star->cell[d];
    const clspi_star_cell *const next = &star->cell[cell->across[a]];
    uint32_t away = 3;

    for (uint32_t b = 0; b < 3; b++) {
        if (b == a) continue;
        uint32_t x = 0;
        while (x < 2 && next->edge[x] != cell->edge[b])
            x++;
        cell->to[a][b] = (uint8_t)x;
        away -= x;
    }
    cell->to[a][a] = (uint8_t)(away < 3 ? away : 0);
}

/* Finds which cells touch which. */
static void find_neighbours(clspi_vertex_star *star)
{
    const clspi_cell_mesh *const mesh = star->stars->mesh;
    const uint32_t mask = places_for(3 * star->num_cells) - 1;

    clear_table(star);
    for (uint32_t d = 0; d < star->num_cells; d++) {
        uint32_t at = scattered(star->cell[d].corner / CLSPI_CORNERS) & mask;
        while (star->table[at] != 0)
            at = (at + 1) & mask;
        star->table[at] = d + 1;
    }
    for (uint32_t d = 0; d < star->num_cells; d++) {
        clspi_star_cell *const cell = &star->cell[d];
        const size_t number = cell->corner / CLSPI_CORNERS;
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t k = 2 * a + (cell->corner >> a & 1);
            const uint32_t next = mesh->across[number * CLSPI_CELL_FACES + k];
            cell->across[a] = next == CLSPI_NO_CELL ? next : number_of_cell(star, next);
            if (cell->across[a] != CLSPI_NO_CELL) join(star, d, a);
        }
    }
}

/* ---- the first points ---- */

/* Returns the mesh's point after one step that is at some coordinates, 0 to 2, in a cell. */
static size_t point_at(const clspi_cell_mesh *mesh, size_t cell, const uint32_t at[3])
{
    const size_t edges = mesh->num_vertices, faces = edges + mesh->num_edges;
    uint32_t corner = 0, inner = 0, axis = 0, fixed = 0;

    for (uint32_t a = 0; a < 3; a++) {
        corner |= (at[a] >> 1) << a;
        inner += at[a] == 1;
        if (at[a] == 1) axis = a;
        if (at[a] != 1) fixed = a;
    }
    if (inner == 0) return mesh->cell_vertex[cell * CLSPI_CORNERS + corner];
    if (inner == 1)
        return edges + mesh->cell_edge[cell * CLSPI_CELL_EDGES + clspi_corner_edge(axis, corner)];
    if (inner == 2)
        return faces + mesh->cell_face[cell * CLSPI_CELL_FACES + 2 * fixed + (corner >> fixed & 1)];
    return faces + mesh->num_faces + cell;
}

/* Brings the points of all cells after one step. */
static void gather_points(clspi_vertex_star *star)
{
    const clspi_star_mesh *const stars = star->stars;
    const uint32_t dim = stars->dim;

    memcpy(star->centre, stars->points + (size_t)star->vertex * dim, dim * sizeof *star->centre);
    for (uint32_t d = 0; d < star->num_cells; d++) {
        const uint32_t corner = star->cell[d].corner % CLSPI_CORNERS;
        double *const to = star->points + (size_t)d * CLSPI_STAR_POINTS * dim;
        for (uint32_t i = 0; i < 27; i++) {
            const uint32_t x[3] = {i / 9, i / 3 % 3, i % 3};
            uint32_t at[3];
            for (uint32_t a = 0; a < 3; a++)
                at[a] = corner >> a & 1 ? 2 - x[a] : x[a];
            const double *const from =
                stars->points +
                point_at(stars->mesh, star->cell[d].corner / CLSPI_CORNERS, at) * dim;
            for (uint32_t c = 0; c < dim; c++)
                to[(16 * x[0] + 4 * x[1] + x[2]) * dim + c] = from[c] - star->centre[c];
        }
    }
    star->level = 1;
}

bool clspi_vertex_star_make(clspi_vertex_star *star, const clspi_star_mesh *stars, uint32_t vertex)
{
    const uint32_t begin = stars->begin[vertex], num = stars->begin[vertex + 1] - begin;

    if (!reserve(star, num, stars->dim)) return false;
    star->stars = stars;
    star->vertex = vertex;
    star->num_cells = num;
    for (uint32_t d = 0; d < num; d++)
        star->cell[d].corner = stars->corners[begin + d];
    find_edges(star);
    find_neighbours(star);
    gather_points(star);
    return true;
}

/* ---- points ---- */

void clspi_vertex_star_point(const clspi_vertex_star *star, uint32_t cell, const int at[3],
                             double *to)
{
    const uint32_t dim = star->stars->dim;
    const clspi_star_cell *const here = &star->cell[cell];
    uint32_t a = 0;

    while (a < 3 && at[a] >= 0)
        a++;
    if (a == 3) {
        const size_t point = (size_t)(16 * at[0] + 4 * at[1] + at[2]);
        memcpy(to, star->points + (cell * (size_t)CLSPI_STAR_POINTS + point) * dim,
               dim * sizeof *to);
        return;
    }
    int there[3] = {at[0], at[1], at[2]};
    if (here->across[a] != CLSPI_NO_CELL) {
        for (uint32_t b = 0; b < 3; b++)
            there[here->to[a][b]] = b == a ? 1 : at[b];
        clspi_vertex_star_point(star, here->across[a], there, to);
        return;
    }
    /* beyond the boundary the layer before it is continued */
    double second[CLSPI_STAR_MOST_DIM];
    there[a] = 1;
    clspi_vertex_star_point(star, cell, there, second);
    there[a] = 0;
    clspi_vertex_star_point(star, cell, there, to);
    for (uint32_t c = 0; c < dim; c++)
        to[c] = 2.0 * to[c] - second[c];
}

/* ---- a step ---- */

CLSPI_INLINE void refine_lines(double *points, uint32_t outer, uint32_t inner)
{
    for (uint32_t o = 0; o < outer; o++, points += 4 * (size_t)inner)
        for (uint32_t i = 0; i < inner; i++) {
            double *const p = points + i;
            const double before = p[0], first = p[inner];
            const double second = p[2 * (size_t)inner], third = p[3 * (size_t)inner];
            p[0] = 0.125 * (before + second) + 0.75 * first;
            p[inner] = 0.5 * (first + second);
            p[2 * (size_t)inner] = 0.125 * (first + third) + 0.75 * second;
            p[3 * (size_t)inner] = 0.5 * (second + third);
        }
}

static void refine_lines_of_4(double *points, uint32_t outer, uint32_t num)
{
    for (uint32_t i = 0; i < outer; i++)
        refine_lines(points + (size_t)16 * num * i, 1, 4 * num);
}

void clspi_star_refine_lines(double *points, uint32_t outer, uint32_t inner)
{
    if (inner % 4 == 0)
        refine_lines_of_4(points, outer, inner / 4);
    else
        refine_lines(points, outer, inner);
}

/* Adds weight * (from - base) to a point. */
CLSPI_INLINE void add(double *to, const double *from, const double *base, double weight,
                      uint32_t dim)
{
    for (uint32_t c = 0; c < dim; c++)
        to[c] += weight * (from[c] - base[c]);
}

/* Makes the slices of an edge at its first three points: the next points of a surface's vertex. */
CLSPI_INLINE void make_slices(clspi_vertex_star *star, uint32_t e, uint32_t dim)
{
    const clspi_star_edge *const edge = &star->edge[e];
    const bool is_inner = !(edge->flag & CLSPI_BOUNDARY), is_crease = edge->flag & CLSPI_CREASE;
    const double n = edge->num, beyond = slice_beyond(n, false);
    const double beside = is_inner || !is_crease ? slice_beside(n, is_inner, false) : 0.0;

    for (uint32_t k = 0; k < edge->num; k++) {
        const uint32_t at = star->edge_cells[edge->first + k], a = at % 3;
        const clspi_star_cell *const cell = &star->cell[at / 3];
        const double *const points = star->points + (size_t)(at / 3) * CLSPI_STAR_POINTS * dim;
        for (uint32_t i = 0; i < 3; i++) {
            double *const to = star->slices + (3 * (size_t)e + i) * dim;
            const double *const base = points + (size_t)(i * stride_of[a]) * dim;
            const size_t one = (size_t)stride_of[(a + 1) % 3] * dim;
            const size_t two = (size_t)stride_of[(a + 2) % 3] * dim;
            if (k == 0) memcpy(to, base, dim * sizeof *to);
            /* axis a + 1 leads along the face that axis a + 2 leads away from */
            if (is_inner || cell->across[(a + 2) % 3] == CLSPI_NO_CELL)
                add(to, base + one, base, beside, dim);
            if (is_inner || cell->across[(a + 1) % 3] == CLSPI_NO_CELL)
                add(to, base + two, base, beside, dim);
            if (is_inner) add(to, base + one + two, base, beyond, dim);
        }
    }
}

/* Computes the next vertex relative to the vertex. */
CLSPI_INLINE void find_shift(const clspi_vertex_star *star, double *shift, uint32_t dim)
{
    const clspi_vertex_weights *const w = &star->stars->weights.vertex[star->vertex];

    memset(shift, 0, dim * sizeof *shift);
    for (uint32_t d = 0; d < star->num_cells; d++) {
        const clspi_star_cell *const cell = &star->cell[d];
        const double *const points = star->points + (size_t)d * CLSPI_STAR_POINTS * dim;
        for (uint32_t away = 1; away < CLSPI_CORNERS; away++) {
            const uint32_t at = 16 * (away & 1) + 4 * (away >> 1 & 1) + (away >> 2);
            double weight = w->cell / 8.0;
            for (uint32_t a = 0; a < 3; a++) {
                /* of the face that axis a leads away from, which the first of its cells counts */
                const bool is_outer = cell->across[a] == CLSPI_NO_CELL;
                const uint8_t flag = is_outer ? CLSPI_BOUNDARY : 0;
                if (!(away >> a & 1) && (flag & w->face_flags) == w->face_flags &&
                    (is_outer || cell->across[a] > d))
                    weight += w->face / 4.0;
            }
            for (uint32_t c = 0; c < dim; c++)
                shift[c] += weight * points[at * dim + c];
        }
    }
    for (uint32_t e = 0; e < star->num_edges; e++) {
        const uint32_t at = star->edge_cells[star->edge[e].first];
        const double *const end =
            star->points + ((size_t)(at / 3) * CLSPI_STAR_POINTS + stride_of[at % 3]) * dim;
        for (uint32_t c = 0; c < dim; c++)
            shift[c] += star->edge[e].middle / 2.0 * end[c];
    }
}

/* Copies 3 x 3 points: from steps along two axes to steps of a gathered cell. */
CLSPI_INLINE void copy_face(double *to, const size_t to_step[2], const double *from,
                            const size_t from_step[2], uint32_t dim)
{
    for (size_t j = 0; j < 3; j++)
        for (size_t k = 0; k < 3; k++) {
            const double *const p = from + j * from_step[0] + k * from_step[1];
            double *const q = to + j * to_step[0] + k * to_step[1];
            for (uint32_t c = 0; c < dim; c++)
                q[c] = p[c];
        }
}

/* Gathers the points one before those of a cell along an axis: beyond the boundary the layer before
   it is continued. */
CLSPI_INLINE void gather_beyond(const clspi_vertex_star *star, uint32_t d, uint32_t a, double *to,
                                uint32_t dim)
{
    const uint32_t b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    const clspi_star_cell *const cell = &star->cell[d];
    const size_t step[2] = {(size_t)stride_of[b] * dim, (size_t)stride_of[c] * dim};
    double *const first = to + step[0] + step[1];

    if (cell->across[a] != CLSPI_NO_CELL) {
        const uint8_t *const there = cell->to[a];
        const size_t steps[2] = {(size_t)stride_of[there[b]] * dim,
                                 (size_t)stride_of[there[c]] * dim};
        const double *const points =
            star->points + (size_t)cell->across[a] * CLSPI_STAR_POINTS * dim;
        copy_face(first, step, points + (size_t)stride_of[there[a]] * dim, steps, dim);
        return;
    }
    const size_t next = (size_t)stride_of[a] * dim;
    for (size_t j = 0; j < 3; j++)
        for (size_t k = 0; k < 3; k++) {
            double *const p = first + j * step[0] + k * step[1];
            for (uint32_t i = 0; i < dim; i++)
                p[i] = 2.0 * p[next + i] - p[2 * next + i];
        }
}

/* Gathers the points of a cell from one before its first ones on, but those beyond edges, which
   no point is made of that is not on an edge. to: [4][4][4][dim]. */
CLSPI_INLINE void gather(const clspi_vertex_star *star, uint32_t cell, double *to, uint32_t dim)
{
    const double *const points = star->points + (size_t)cell * CLSPI_STAR_POINTS * dim;
    const size_t step[2] = {(size_t)4 * dim, dim};

    memset(to, 0, (size_t)CLSPI_STAR_POINTS * dim * sizeof *to);
    for (size_t i = 0; i < 3; i++)
        copy_face(to + (16 * i + 21) * dim, step, points + 16 * i * dim, step, dim);
    for (uint32_t a = 0; a < 3; a++)
        gather_beyond(star, cell, a, to, dim);
}

/* Writes the next points of a cell on its edges. to: its next points. */
CLSPI_INLINE void write_edges(const clspi_vertex_star *star, uint32_t cell, double *to,
                              uint32_t dim)
{

    for (uint32_t a = 0; a < 3; a++) {
        const double *const slices = star->slices + 3 * (size_t)star->cell[cell].edge[a] * dim;
        const size_t step = (size_t)stride_of[a] * dim;
        for (uint32_t c = 0; c < dim; c++) {
            const double first = slices[c], second = slices[dim + c], third = slices[2 * dim + c];
            to[step + c] = 0.5 * (first + second);
            to[2 * step + c] = 0.125 * (first + third) + 0.75 * second;
            to[3 * step + c] = 0.5 * (second + third);
        }
    }
}

/* Does a step of points of so many channels. */
CLSPI_INLINE void step(clspi_vertex_star *star, uint32_t dim)
{
    double shift[CLSPI_STAR_MOST_DIM];

    for (uint32_t e = 0; e < star->num_edges; e++)
        make_slices(star, e, dim);
    find_shift(star, shift, dim);
    for (uint32_t d = 0; d < star->num_cells; d++) {
        double *const to = star->next + (size_t)d * CLSPI_STAR_POINTS * dim;
        gather(star, d, to, dim);
        for (uint32_t a = 0; a < 3; a++)
            refine_lines(to, 16 / stride_of[a], stride_of[a] * dim);
        write_edges(star, d, to, dim);
        for (uint32_t i = 0; i < CLSPI_STAR_POINTS; i++)
            for (uint32_t c = 0; c < dim; c++)
                to[i * dim + c] = i == 0 ? 0.0 : to[i * dim + c] - shift[c];
    }
    for (uint32_t c = 0; c < dim; c++)
        star->centre[c] += shift[c];
    double *const swap = star->points;
    star->points = star->next;
    star->next = swap;
    star->level++;
}

static void step_of_4(clspi_vertex_star *star)
{
    step(star, 4);
}

void clspi_vertex_star_step(clspi_vertex_star *star)
{
    if (star->stars->dim == 4)
        step_of_4(star);
    else
        step(star, star->stars->dim);
}
