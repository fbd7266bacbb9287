#include "star_points.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cell_slopes.h"
#include "edge_star.h"
#include "point_sums.h"
#include "span_splines.h"

/* Sums as bits of their numbers. */
enum {
    VALUES = 1u << CLSPI_VALUE,
    FIRST_SLOPES = 1u << CLSPI_BY_U | 1u << CLSPI_BY_V | 1u << CLSPI_BY_W,
    REGULAR = NO_FACE + 1 /* in the place of a face */
};

/* A parameter as the vertex nearest to it has it; or the cell, behind all vertices, where it is
   regular or a class makes derivatives. */
typedef struct star_entry {
    uint32_t vertex, corner; /* 8 times the cell + the corner that is the vertex */
    uint32_t spot;
    uint16_t sums;  /* that it makes, as bits */
    uint8_t face;   /* of a class: that of the boundary along which they are, or NO_FACE; REGULAR */
    uint32_t place; /* 8 times the star's cell + at which point of it a sub-cell begins, as bits */
    uint32_t edge;  /* of the star, irregular, that the sub-cell is beside, or CLSPI_NO_CELL */
    double x[3];    /* in segments away from the vertex, at the star's level; of a cell as it is */
} star_entry;

/* A list on its way. */
typedef struct star_work {
    const clspi_star_mesh *stars;
    const clspi_star_list *list;
    star_entry *entry;
    size_t num_entries;
    size_t *begin; /* [pieces + 1] */
    atomic_bool failed;
} star_work;

/* What is across an edge at a place along it, which entries one after another may have in common.
 */
typedef struct edge_section {
    clspi_edge_star across;
    uint32_t edge; /* of the star, or CLSPI_NO_CELL */
    double at;
} edge_section;

/* What a thread has to itself. */
typedef struct star_scratch {
    const star_work *work;
    clspi_vertex_star star;
    edge_section section[3]; /* by how often it is derived along the edge */
    uint32_t level, place;   /* of the points around a sub-cell, likewise */
    double grid[CLSPI_GRID_POINTS * CLSPI_STAR_MOST_DIM + 4];
    uint32_t numbers[CLSPI_GRID_POINTS]; /* 0, 1, .. */
    double sums[CLSPI_ORDERS * CLSPI_STAR_MOST_DIM];
    clspi_point_sum sum; /* of the grid */
} star_scratch;

/* ---- parameters ---- */

static bool is_near(double t)
{
    const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);

    return t < least || t > 1.0 - least;
}

/* Tells whether a parameter is so near to an irregular edge or vertex of its cell that derivatives
   may not exist. */
static bool is_at_irregular(const clspi_cell_mesh *mesh, const clspi_star_spot *spot)
{
    const uint32_t *const edge = mesh->cell_edge + (size_t)spot->cell * CLSPI_CELL_EDGES;
    uint32_t near = 0, corner = 0;

    for (uint32_t a = 0; a < 3; a++) {
        near |= (uint32_t)is_near(spot->t[a]) << a;
        corner |= (uint32_t)(spot->t[a] >= 0.5) << a;
    }
    for (uint32_t a = 0; a < 3; a++)
        if ((near | 1u << a) == 7 &&
            mesh->edge_flag[edge[clspi_corner_edge(a, corner)]] & CLSPI_IRREGULAR)
            return true;
    const uint32_t vertex = mesh->cell_vertex[(size_t)spot->cell * CLSPI_CORNERS + corner];
    return near == 7 && mesh->vertex_flag[vertex] & CLSPI_IRREGULAR;
}

/* Returns the first of a cell's boundary faces that a spot is on, or NO_FACE. */
static uint32_t face_on(const clspi_cell_mesh *mesh, const clspi_star_spot *spot)
{
    const uint32_t *const across = mesh->across + (size_t)spot->cell * CLSPI_CELL_FACES;
    uint32_t face = 0;

    while (face < CLSPI_CELL_FACES &&
           (across[face] != CLSPI_NO_CELL || spot->t[face / 2] != (double)(face & 1)))
        face++;
    return face;
}

/* Moves a parameter 2^-20 away from all faces but one. */
static void step_away(const double t[3], uint32_t face, double away[3])
{
    const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);

    for (uint32_t a = 0; a < 3; a++)
        away[a] = a == face / 2 ? t[a] : fmin(fmax(t[a], least), 1.0 - least);
}

/* Counts the cells at an edge. */
static uint32_t count_edge_cells(const clspi_star_mesh *stars, uint32_t edge)
{
    const uint32_t faces = stars->weights.edge_faces[edge];

    return stars->mesh->edge_flag[edge] & CLSPI_BOUNDARY ? faces - 1 : faces;
}

/* Tells whether a cell may have slices that are alike along an axis: its vertices have the cells of
   its edges along it, or twice as many. */
static bool may_be_layered(const clspi_star_mesh *stars, size_t cell, uint32_t axis)
{
    const clspi_cell_mesh *const mesh = stars->mesh;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++) {
        const uint32_t edge = mesh->cell_edge[cell * CLSPI_CELL_EDGES + clspi_corner_edge(axis, i)];
        const uint32_t vertex = mesh->cell_vertex[cell * CLSPI_CORNERS + i];
        const uint32_t at_edge = count_edge_cells(stars, edge);
        const uint32_t at_vertex = stars->begin[vertex + 1] - stars->begin[vertex];
        if (at_vertex != at_edge && at_vertex != 2 * at_edge) return false;
    }
    return true;
}

/* Tells whether first derivatives at an irregular edge may be limits across slices. */
static bool may_be_across_slices(const clspi_star_mesh *stars, const clspi_star_spot *spot)
{
    for (uint32_t a = 0; a < 3; a++)
        if (is_near(spot->t[(a + 1) % 3]) && is_near(spot->t[(a + 2) % 3]) &&
            may_be_layered(stars, spot->cell, a))
            return true;
    return false;
}

/* Describes a parameter of a cell. */
static star_entry entry_of(const clspi_cell_mesh *mesh, uint32_t cell, size_t spot,
                           const double t[3], uint32_t sums)
{
    star_entry entry = {.spot = (uint32_t)spot, .sums = (uint16_t)sums, .face = NO_FACE};

    for (uint32_t a = 0; a < 3; a++) {
        const bool upper = t[a] >= 0.5;
        entry.corner |= (uint32_t)upper << a;
        entry.x[a] = 2.0 * (upper ? 1.0 - t[a] : t[a]);
    }
    entry.corner += CLSPI_CORNERS * cell;
    entry.vertex = mesh->cell_vertex[entry.corner];
    return entry;
}

/* Describes a parameter of a regular cell. */
static star_entry entry_of_regular(const star_work *work, size_t spot, uint32_t sums)
{
    const clspi_star_spot *const at = &work->list->spot[spot];

    return (star_entry){.vertex = work->stars->mesh->num_vertices + at->cell,
                        .corner = CLSPI_CORNERS * at->cell,
                        .spot = (uint32_t)spot,
                        .sums = (uint16_t)sums,
                        .face = REGULAR,
                        .x = {at->t[0], at->t[1], at->t[2]}};
}

/* Adds a parameter of a spot, if it makes any sums. */
static void add_entry(star_work *work, size_t spot, const double t[3], uint32_t sums)
{
    if (sums)
        work->entry[work->num_entries++] =
            entry_of(work->stars->mesh, work->list->spot[spot].cell, spot, t, sums);
}

/* Adds first derivatives of a spot that may be limits, if there are any: by the class of its cell,
   or that of a boundary face. What is near to an end is taken to be there, as limits are. */
static void add_slopes(star_work *work, size_t spot, uint32_t face, uint32_t sums)
{
    const clspi_star_spot *const at = &work->list->spot[spot];

    if (!sums) return;
    star_entry *const entry = &work->entry[work->num_entries++];
    *entry = (star_entry){.vertex = work->stars->mesh->num_vertices + at->cell,
                          .corner = CLSPI_CORNERS * at->cell,
                          .spot = (uint32_t)spot,
                          .sums = (uint16_t)sums,
                          .face = (uint8_t)face};
    for (uint32_t a = 0; a < 3; a++)
        entry->x[a] = face != NO_FACE && is_near(at->t[a]) ? round(at->t[a]) : at->t[a];
}

/* Adds the parameters of a spot near an irregular edge or vertex. */
static void add_irregular(star_work *work, size_t spot, uint32_t all)
{
    const clspi_star_mesh *const stars = work->stars;
    const clspi_star_spot *const at = &work->list->spot[spot];
    const uint32_t face = face_on(stars->mesh, at);
    uint32_t limits = 0;
    double away[3];

    if (all & FIRST_SLOPES && may_be_across_slices(stars, at)) {
        limits = all & FIRST_SLOPES;
        add_slopes(work, spot, NO_FACE, limits);
    } else if (face != NO_FACE) {
        limits = all & FIRST_SLOPES & ~(1u << (CLSPI_BY_U + face / 2));
        add_slopes(work, spot, face, limits);
    }
    step_away(at->t, face, away);
    add_entry(work, spot, away, all & ~(VALUES | limits));
    add_entry(work, spot, at->t, all & VALUES);
}

/* Finds the parameters of all spots: several where derivatives are not those of the value's. */
static void find_entries(star_work *work)
{
    const clspi_star_list *const list = work->list;
    uint32_t all = 0;

    for (uint32_t k = 0; k < list->num_sums; k++)
        all |= 1u << list->number[k];
    for (size_t i = 0; i < list->num; i++) {
        const clspi_star_spot *const spot = &list->spot[i];
        if (!spot->is_there) continue;
        if (clspi_cell_is_regular(work->stars->mesh, spot->cell))
            work->entry[work->num_entries++] = entry_of_regular(work, i, all);
        else if (all != VALUES && is_at_irregular(work->stars->mesh, spot))
            add_irregular(work, i, all);
        else
            add_entry(work, i, spot->t, all);
    }
}

/* Compares entries: by vertices, then by faces, by cells and by spots. */
static int compare(const void *one, const void *other)
{
    const star_entry *const a = one, *const b = other;

    if (a->vertex != b->vertex) return a->vertex < b->vertex ? -1 : 1;
    if (a->face != b->face) return (int)a->face - (int)b->face;
    if (a->corner != b->corner) return a->corner < b->corner ? -1 : 1;
    if (a->spot != b->spot) return a->spot < b->spot ? -1 : 1;
    return (int)a->sums - (int)b->sums;
}

/* ---- sums ---- */

/* Tells whether an entry makes a sum. */
static bool makes(const star_entry *entry, uint8_t number)
{
    return entry->sums >> number & 1;
}

/* Returns where the k-th sum of an entry goes. */
static double *sum_at(const star_work *work, const star_entry *entry, uint32_t k)
{
    return work->list->sums + (k * work->list->num + entry->spot) * work->stars->dim;
}

/* Returns the factor of a derivative of the cell, of one along axes of a star: its levels, of
   which steps across an edge are `more` along all but one axis, `along`. */
static double factor_of(const star_entry *entry, const uint8_t by[3], uint32_t level,
                        uint32_t along, uint32_t more)
{
    double factor = 1.0;

    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < by[a]; i++) {
            factor = ldexp(factor, (int)(a == along ? level : level + more));
            if (entry->corner >> a & 1) factor = -factor;
        }
    return factor;
}

/* Brings the points around the sub-cell of an entry. */
static void gather_grid(star_scratch *s, const star_entry *entry)
{
    const uint32_t dim = s->star.stars->dim, base = entry->place % CLSPI_CORNERS;

    if (s->level == s->star.level && s->place == entry->place) return;
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        const int at[3] = {(int)(i >> 4) + (int)(base & 1) - 1,
                           (int)(i >> 2 & 3) + (int)(base >> 1 & 1) - 1,
                           (int)(i & 3) + (int)(base >> 2) - 1};
        clspi_vertex_star_point(&s->star, entry->place / CLSPI_CORNERS, at,
                                s->grid + (size_t)i * dim);
    }
    s->level = s->star.level;
    s->place = entry->place;
}

/* Makes the sums of an entry at t of the points that are brought. level: steps of derivatives;
   centre: what points are relative to. */
static void sum_points(star_scratch *s, const star_entry *entry, const double t[3], uint32_t level,
                       const double *centre)
{
    const star_work *const work = s->work;
    const uint32_t dim = work->stars->dim;

    for (uint32_t i = 0; i < 3 * CLSPI_POINTS; i++)
        s->sum.t[i / CLSPI_POINTS][i % CLSPI_POINTS] = t[i / CLSPI_POINTS];
    clspi_point_sums(&s->sum);
    for (uint32_t k = 0; k < work->list->num_sums; k++) {
        const uint8_t number = work->list->number[k];
        const double factor = factor_of(entry, clspi_order_by[number], level, 3, 0);
        const double *const from = s->sums + (size_t)k * dim;
        double *const to = sum_at(work, entry, k);
        for (uint32_t c = 0; c < dim && makes(entry, number); c++)
            to[c] = number == CLSPI_VALUE ? centre[c] + from[c] : factor * from[c];
    }
}

/* Makes the sums of an entry in a regular sub-cell. */
static void sum_grid(star_scratch *s, const star_entry *entry)
{
    double t[3];

    gather_grid(s, entry);
    for (uint32_t a = 0; a < 3; a++)
        t[a] = entry->x[a] - (double)(entry->place >> a & 1);
    sum_points(s, entry, t, s->star.level, s->star.centre);
}

/* Makes the entries of a regular cell. */
static void make_regular(star_scratch *s, const star_entry *entry, size_t num)
{
    static const double centre[CLSPI_STAR_MOST_DIM] = {0};
    const clspi_star_mesh *const stars = s->work->stars;
    const size_t bytes = stars->dim * sizeof *s->grid;
    uint32_t grid[CLSPI_GRID_POINTS];
    bool is_there[CLSPI_GRID_POINTS];

    clspi_regular_grid(stars->mesh, entry->corner / CLSPI_CORNERS, grid);
    for (size_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        is_there[i] = grid[i] != CLSPI_NO_CELL;
        if (is_there[i])
            memcpy(s->grid + i * stars->dim, stars->control + (size_t)grid[i] * stars->dim, bytes);
    }
    clspi_continue_grid(s->grid, is_there, stars->dim);
    for (size_t i = 0; i < num; i++)
        sum_points(s, &entry[i], entry[i].x, 0, centre);
}

/* ---- beside edges ---- */

/* Tells whether the sub-cell of an entry is beside one edge alone. */
static bool is_beside_one(const star_entry *entry)
{
    const uint32_t base = entry->place % CLSPI_CORNERS;

    return base == 1 || base == 2 || base == 4;
}

/* Returns the axis of that edge. */
static uint32_t axis_beside(const star_entry *entry)
{
    const uint32_t base = entry->place % CLSPI_CORNERS;

    return base == 1 ? 0 : base == 2 ? 1 : 2;
}

/* Brings the 4 x 4 points around the sub-quad where a parameter is, which begins at point 0 or 1
   along both axes; the parameter becomes that within it. */
static void gather_section(const clspi_edge_star *across, uint32_t quad, double x[2],
                           double *points)
{
    const int base[2] = {x[0] >= 1.0, x[1] >= 1.0};

    for (int i = 0; i < 16; i++) {
        const int at[2] = {i / 4 + base[0] - 1, i % 4 + base[1] - 1};
        clspi_edge_star_point(across, quad, at, points + (size_t)i * across->dim);
    }
    for (uint32_t k = 0; k < 2; k++)
        x[k] -= base[k];
}

/* Sums these points. */
static void sum_section(const double *points, uint32_t dim, const double x[2], const uint8_t by[2],
                        double *sum)
{
    double span[2][4];

    memset(sum, 0, dim * sizeof *sum);
    for (uint32_t k = 0; k < 2; k++)
        clspi_span_splines(x[k], by[k], span[k]);
    for (size_t i = 0; i < 16; i++)
        for (uint32_t c = 0; c < dim; c++)
            sum[c] += span[0][i / 4] * span[1][i % 4] * points[i * dim + c];
}

/* Refines what is across the edge of an entry until a parameter is in a regular quad, beginning
   with what the entry before has left, if that is at the same place. False: no memory. */
static bool refine_section(star_scratch *s, const star_entry *entry, uint32_t order, double x[2])
{
    edge_section *const section = &s->section[order];
    clspi_edge_star *const across = &section->across;
    const double most = fmax(x[0], x[1]), at = entry->x[axis_beside(entry)];
    uint32_t level = 0;
    double weight[4];

    while (most > 0.0 && ldexp(most, (int)level) < 1.0 && level < CLSPI_LIMIT_DEPTH)
        level++;
    if (section->edge != entry->edge) {
        if (!clspi_edge_star_make(across, &s->star, entry->edge, 1)) return false;
        section->edge = entry->edge;
        section->at = 0.0; /* no entry is there */
    }
    if (section->at != at || across->level > level) {
        clspi_span_splines(at - 1.0, order, weight);
        clspi_edge_star_gather(across, weight);
        section->at = at;
    }
    while (across->level < level)
        clspi_edge_star_step(across);
    x[0] = ldexp(x[0], (int)level);
    x[1] = ldexp(x[1], (int)level);
    return true;
}

/* Makes the sums of an entry beside an edge that are derived `order` times along it. False: no
   memory. */
static bool sum_across(star_scratch *s, const star_entry *entry, uint32_t order)
{
    const star_work *const work = s->work;
    const clspi_edge_star *const across = &s->section[order].across;
    const uint32_t along = axis_beside(entry), dim = work->stars->dim;
    const uint32_t axis[2] = {along == 0 ? 1 : 0, along == 2 ? 1 : 2};
    const uint32_t q = s->star.edge_place[3 * (size_t)(entry->place / CLSPI_CORNERS) + along];
    double x[2] = {entry->x[axis[0]], entry->x[axis[1]]}, points[16 * CLSPI_STAR_MOST_DIM];
    const bool is_on = x[0] == 0.0 && x[1] == 0.0;

    if (!refine_section(s, entry, order, x)) return false;
    if (!is_on) gather_section(across, q, x, points);
    for (uint32_t k = 0; k < work->list->num_sums; k++) {
        const uint8_t number = work->list->number[k], *const by = clspi_order_by[number];
        const uint8_t by_two[2] = {by[axis[0]], by[axis[1]]};
        double *const sum = sum_at(work, entry, k);
        if (!makes(entry, number) || by[along] != order) continue;
        if (is_on)
            clspi_edge_star_limit(across, sum);
        else
            sum_section(points, dim, x, by_two, sum);
        const double factor = factor_of(entry, by, s->star.level, along, across->level);
        for (uint32_t c = 0; c < dim; c++) {
            if (!(by_two[0] | by_two[1])) sum[c] += across->centre[c];
            sum[c] = number == CLSPI_VALUE ? s->star.centre[c] + sum[c] : factor * sum[c];
        }
    }
    return true;
}

/* Makes the sums of an entry beside an irregular edge, from point 1 to 2 of it. False: no memory.
 */
static bool sum_edge(star_scratch *s, const star_entry *entry)
{
    const star_work *const work = s->work;
    const uint32_t along = axis_beside(entry);
    uint32_t orders = 0;
    bool done = true;

    for (uint32_t k = 0; k < work->list->num_sums; k++)
        if (makes(entry, work->list->number[k]))
            orders |= 1u << clspi_order_by[work->list->number[k]][along];
    for (uint32_t order = 0; order < 3 && done; order++)
        if (orders >> order & 1) done = sum_across(s, entry, order);
    return done;
}

/* ---- vertices ---- */

/* Gives an entry at a vertex, or as near to it as what is left of the cell is a point, its value;
   no derivative is so near. */
static void sum_vertex(const star_scratch *s, const star_entry *entry)
{
    const star_work *const work = s->work;
    const uint32_t dim = work->stars->dim;
    const bool is_on = entry->x[0] == 0.0 && entry->x[1] == 0.0 && entry->x[2] == 0.0;
    const double *const limit = work->stars->limits + (size_t)entry->vertex * dim;

    for (uint32_t k = 0; k < work->list->num_sums; k++)
        if (makes(entry, work->list->number[k]))
            memcpy(sum_at(work, entry, k), is_on ? limit : s->star.centre, dim * sizeof(double));
}

/* Finds the sub-cell of an entry at the star's level. Returns whether it can be made there. */
static bool find_place(const star_scratch *s, star_entry *entry, uint32_t cell)
{
    const clspi_cell_mesh *const mesh = s->work->stars->mesh;
    uint32_t base = 0;

    for (uint32_t a = 0; a < 3; a++)
        base |= (uint32_t)(s->star.level > 1 && entry->x[a] >= 1.0) << a;
    entry->place = CLSPI_CORNERS * cell + base;
    entry->edge = CLSPI_NO_CELL;
    const uint32_t edge = s->star.cell[cell].edge[axis_beside(entry)];
    if (is_beside_one(entry) && s->star.edge[edge].flag & CLSPI_IRREGULAR) entry->edge = edge;
    return base != 0 || !(mesh->vertex_flag[entry->vertex] & CLSPI_IRREGULAR) ||
           (entry->x[0] == 0.0 && entry->x[1] == 0.0 && entry->x[2] == 0.0) ||
           s->star.level == CLSPI_LIMIT_DEPTH;
}

/* Makes an entry at the star's level. False: no memory. */
static bool make_entry(star_scratch *s, const star_entry *entry)
{
    if (entry->edge != CLSPI_NO_CELL) return sum_edge(s, entry);
    if (entry->place % CLSPI_CORNERS == 0 &&
        s->work->stars->mesh->vertex_flag[entry->vertex] & CLSPI_IRREGULAR)
        sum_vertex(s, entry);
    else
        sum_grid(s, entry);
    return true;
}

/* Returns how far an entry is off the edge that it is beside. */
static double off_edge(const star_entry *entry)
{
    const uint32_t along = axis_beside(entry);

    return fmax(entry->x[(along + 1) % 3], entry->x[(along + 2) % 3]);
}

/* Compares entries of a vertex: by edges that they are beside, by the place along these and by how
   far they are off them, farther ones first; and by sub-cells. */
static int compare_places(const void *one, const void *other)
{
    const star_entry *const a = one, *const b = other;

    if (a->edge != b->edge) return a->edge < b->edge ? -1 : 1;
    if (a->edge != CLSPI_NO_CELL) {
        const double at_a = a->x[axis_beside(a)], at_b = b->x[axis_beside(b)];
        const double off_a = off_edge(a), off_b = off_edge(b);
        if (at_a != at_b) return at_a < at_b ? -1 : 1;
        if (off_a != off_b) return off_a > off_b ? -1 : 1;
    }
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return a->spot != b->spot ? (a->spot < b->spot ? -1 : 1) : (int)a->sums - (int)b->sums;
}

/* Returns the star's number of the cell of an entry. */
static uint32_t cell_of(const clspi_vertex_star *star, const star_entry *entry, uint32_t guess)
{
    while (star->cell[guess].corner != entry->corner)
        guess = guess + 1 < star->num_cells ? guess + 1 : 0;
    return guess;
}

/* Puts entries that can be made at the star's level to the front. Returns how many there are. */
static size_t sort_out(const star_scratch *s, star_entry *entry, size_t num)
{
    size_t made = 0;
    uint32_t cell = 0;

    for (size_t i = 0; i < num; i++) {
        cell = cell_of(&s->star, &entry[i], cell);
        if (!find_place(s, &entry[i], cell)) continue;
        const star_entry swap = entry[made];
        entry[made++] = entry[i];
        entry[i] = swap;
    }
    return made;
}

/* Makes all entries of a vertex, which are put into another order. */
static bool make_vertex(star_scratch *s, star_entry *entry, size_t num)
{
    s->level = 0;
    if (!clspi_vertex_star_make(&s->star, s->work->stars, entry->vertex)) return false;
    for (;;) {
        const size_t made = sort_out(s, entry, num);
        for (uint32_t order = 0; order < 3; order++)
            s->section[order].edge = CLSPI_NO_CELL;
        if (made > 1) qsort(entry, made, sizeof *entry, compare_places);
        for (size_t i = 0; i < made; i++)
            if (!make_entry(s, &entry[i])) return false;
        if (made == num) return true;
        entry += made;
        num -= made;
        for (size_t i = 0; i < 3 * num; i++)
            entry[i / 3].x[i % 3] *= 2.0;
        clspi_vertex_star_step(&s->star);
    }
}

/* ---- derivatives that may be limits ---- */

/* Makes an entry where there are no limits: 2^-20 away. */
static bool make_away(star_scratch *s, const star_entry *entry)
{
    const clspi_cell_mesh *const mesh = s->work->stars->mesh;
    const clspi_star_spot *const spot = &s->work->list->spot[entry->spot];
    double away[3];

    step_away(spot->t, face_on(mesh, spot), away);
    star_entry one = entry_of(mesh, spot->cell, entry->spot, away, entry->sums);
    return make_vertex(s, &one, 1);
}

/* Makes the class of an entry, of its cell or of a face. */
static bool make_class(const star_scratch *s, const star_entry *entry, clspi_cell_slopes *slopes)
{
    const uint32_t cell = entry->corner / CLSPI_CORNERS;

    return entry->face == NO_FACE
               ? clspi_cell_slopes_make(slopes, s->work->stars, cell)
               : clspi_face_slopes_make(slopes, s->work->stars, cell, entry->face);
}

/* Makes the entries of a cell that have one class. */
static bool make_slopes(star_scratch *s, const star_entry *entry, size_t num)
{
    const star_work *const work = s->work;
    clspi_cell_slopes *const slopes = calloc(1, sizeof *slopes);
    const bool has_class = slopes && make_class(s, entry, slopes);
    bool done = has_class || (slopes && slopes->set.too_large);

    for (size_t i = 0; i < num && done; i++) {
        if (!has_class) done = make_away(s, &entry[i]);
        for (uint32_t k = 0; k < work->list->num_sums && has_class; k++) {
            const uint8_t number = work->list->number[k];
            if (makes(&entry[i], number))
                clspi_cell_slopes_sum(slopes, work->stars, entry[i].x, clspi_order_by[number],
                                      sum_at(work, &entry[i], k));
        }
    }
    if (slopes) clspi_cell_slopes_release(slopes);
    free(slopes);
    return done;
}

/* Returns how many entries from one on have the same star, or the same class. */
static size_t count_alike(const star_entry *entry, size_t num)
{
    size_t i = 1;

    while (i < num && entry[i].vertex == entry->vertex && entry[i].face == entry->face)
        i++;
    return i;
}

/* Makes what a thread needs. NULL: no memory. */
static star_scratch *make_scratch(const star_work *work)
{
    star_scratch *const s = calloc(1, sizeof *s);

    if (!s) return NULL;
    s->work = work;
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        s->numbers[i] = i;
    s->sum = (clspi_point_sum){
        .control = s->grid,
        .is_double = true,
        .dim = work->stars->dim,
        .num_sums = work->list->num_sums,
        .number = work->list->number,
        .num = 1,
        .of = {{.points = s->numbers, .sums = s->sums, .step = {16, 4}, .axis = {0, 1, 2}}}};
    return s;
}

static void make_piece(void *user, size_t piece)
{
    star_work *const work = user;
    star_scratch *const s = atomic_load(&work->failed) ? NULL : make_scratch(work);
    bool done = s;

    for (size_t i = work->begin[piece]; i < work->begin[piece + 1] && done;) {
        star_entry *const entry = work->entry + i;
        const size_t num = count_alike(entry, work->begin[piece + 1] - i);
        if (entry->face == REGULAR)
            make_regular(s, entry, num);
        else
            done = entry->vertex < work->stars->mesh->num_vertices ? make_vertex(s, entry, num)
                                                                   : make_slopes(s, entry, num);
        i += num;
    }
    if (!done) atomic_store(&work->failed, true);
    if (!s) return;
    clspi_vertex_star_release(&s->star);
    for (uint32_t order = 0; order < 3; order++)
        clspi_edge_star_release(&s->section[order].across);
    free(s);
}

/* Cuts entries into pieces of whole vertices. Returns how many there are. */
static size_t cut(star_work *work, size_t most)
{
    size_t num = 0, at = 0;

    work->begin[0] = 0;
    while (at < work->num_entries) {
        at += most;
        while (at < work->num_entries && work->entry[at].vertex == work->entry[at - 1].vertex)
            at++;
        if (at > work->num_entries) at = work->num_entries;
        work->begin[++num] = at;
    }
    return num;
}

bool clspi_star_points(const clspi_star_mesh *stars, const clspi_star_list *list,
                       const clspi_parallel *threads)
{
    enum { PIECE = 512 };
    star_work work = {.stars = stars, .list = list};
    const size_t sums = list->num_sums * list->num * stars->dim;

    if (list->num == 0 || list->num_sums == 0) return true;
    work.entry = malloc(3 * list->num * sizeof *work.entry);
    work.begin = malloc((3 * list->num / PIECE + 2) * sizeof *work.begin);
    bool done = work.entry && work.begin;
    for (size_t i = 0; i < sums; i++)
        list->sums[i] = (double)NAN;
    if (done) {
        find_entries(&work);
        qsort(work.entry, work.num_entries, sizeof *work.entry, compare);
        clspi_in_parallel(threads, cut(&work, PIECE), make_piece, &work);
        done = !atomic_load(&work.failed);
    }
    free(work.entry);
    free(work.begin);
    return done;
}
