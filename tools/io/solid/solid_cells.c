#include "solid_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "utf8.h"

/* ---- adding ---- */

bool solid_cells_point(solid_cells *c, double x, double y, double z)
{
    double *moved =
        array_reserve(c->points, &c->point_capacity, c->num_points + 1, 3 * sizeof(*moved));
    if (!moved) return false;
    c->points = moved;
    double *to = moved + 3 * c->num_points++;
    to[0] = x;
    to[1] = y;
    to[2] = z;
    return true;
}

/* Appends an item of so many vertices. */
static bool append(uint32_t **items, size_t *capacity, size_t *count, const uint32_t *vertices,
                   size_t num)
{
    uint32_t *moved = array_reserve(*items, capacity, *count + 1, num * sizeof(*moved));
    if (!moved) return false;
    *items = moved;
    memcpy(moved + num * (*count)++, vertices, num * sizeof(*moved));
    return true;
}

bool solid_cells_index(solid_cells *c, uint32_t vertex)
{
    return append(&c->index, &c->index_capacity, &c->num_indices, &vertex, 1);
}

bool solid_cells_crease(solid_cells *c, uint32_t from, uint32_t to)
{
    return append(&c->crease, &c->crease_capacity, &c->num_creases, (uint32_t[]){from, to}, 2);
}

bool solid_cells_line(solid_cells *c, uint32_t from, uint32_t to)
{
    return append(&c->line, &c->line_capacity, &c->num_lines, (uint32_t[]){from, to}, 2);
}

bool solid_cells_corner(solid_cells *c, uint32_t vertex)
{
    return append(&c->corner, &c->corner_capacity, &c->num_corners, &vertex, 1);
}

uint32_t solid_kind_vertices(int kind)
{
    static const uint8_t vertices[] = {
        [SOLID_TETRAHEDRON] = 4, [SOLID_VOXEL] = 8,   [SOLID_HEXAHEDRON] = 8, [SOLID_WEDGE] = 6,
        [SOLID_PYRAMID] = 5,     [SOLID_PRISM5] = 10, [SOLID_PRISM6] = 12};
    return kind >= 0 && kind < (int)sizeof(vertices) ? vertices[kind] : 0;
}

bool solid_kind_is_flat(int kind)
{
    return (kind >= 0 && kind <= 9) || (kind >= 21 && kind <= 23);
}

/* Adds the faces of a prism over a polygon: both ends and the sides. */
static bool add_prism(solid_cells *c, const uint32_t *v, uint32_t n)
{
    bool done = solid_cells_index(c, n + 2);
    for (uint32_t end = 0; end < 2; end++) {
        done = done && solid_cells_index(c, n);
        for (uint32_t i = 0; done && i < n; i++)
            done = solid_cells_index(c, v[end * n + i]);
    }
    for (uint32_t i = 0; done && i < n; i++) {
        const uint32_t next = (i + 1) % n;
        done = solid_cells_index(c, 4) && solid_cells_index(c, v[i]) &&
               solid_cells_index(c, v[next]) && solid_cells_index(c, v[n + next]) &&
               solid_cells_index(c, v[n + i]);
    }
    return done;
}

bool solid_cells_add(solid_cells *c, int kind, const uint32_t *vertices, size_t count)
{
    static const uint8_t voxel[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    const bool is_prism = kind == SOLID_PRISM5 || kind == SOLID_PRISM6;
    bool done = true;
    uint8_t *moved = array_reserve(c->kinds, &c->kind_capacity, c->num_cells + 1, 1);
    if (!moved) return false;
    c->kinds = moved;
    moved[c->num_cells++] = (uint8_t)(is_prism              ? SOLID_POLYHEDRON
                                      : kind == SOLID_VOXEL ? SOLID_HEXAHEDRON
                                                            : kind);
    if (is_prism) return add_prism(c, vertices, (uint32_t)count / 2);
    for (size_t i = 0; done && i < count; i++)
        done = solid_cells_index(c, vertices[kind == SOLID_VOXEL ? voxel[i % 8] : i]);
    return done;
}

static solid_array *add_array(solid_array **arrays, size_t *capacity, size_t *count,
                              const char *name, uint32_t components)
{
    solid_array *moved = array_reserve(*arrays, capacity, *count + 1, sizeof(*moved));
    if (!moved) return NULL;
    *arrays = moved;
    solid_array *a = &moved[(*count)++];
    *a = (solid_array){.components = components};
    utf8_copy(a->name, name, sizeof(a->name));
    return a;
}

solid_array *solid_cells_array(solid_cells *c, const char *name, uint32_t components)
{
    return add_array(&c->arrays, &c->array_capacity, &c->num_arrays, name, components);
}

solid_array *solid_cells_data(solid_cells *c, const char *name, uint32_t components)
{
    return add_array(&c->cell_arrays, &c->cell_array_capacity, &c->num_cell_arrays, name,
                     components);
}

bool solid_array_append(solid_array *a, double value)
{
    double *moved = array_reserve(a->values, &a->capacity, a->count + 1, sizeof(*moved));
    if (!moved) return false;
    a->values = moved;
    moved[a->count++] = value;
    return true;
}

bool solid_cells_label(solid_cells *c, const char *name, double label)
{
    solid_array *a = NULL;
    for (size_t i = 0; !a && i < c->num_cell_arrays; i++)
        if (strcmp(c->cell_arrays[i].name, name) == 0) a = &c->cell_arrays[i];
    if (!a) a = solid_cells_data(c, name, 1);
    if (!a) return false;
    a->is_whole = true;
    while (a->count + 1 < c->num_cells)
        if (!solid_array_append(a, 0)) return false;
    return solid_array_append(a, label);
}

/* ---- checking ---- */

/* Calls `use` with the vertices of all cells in turn, numbers of polyhedra's faces left out, until
   it says false, which is then the result. It may change them. False too where a polyhedron's
   numbers do not fit its cell. */
typedef bool (*vertex_user)(void *user, size_t cell, uint32_t *vertex);
static bool for_vertices(solid_cells *c, vertex_user use, void *user)
{
    size_t at = 0;
    for (size_t cell = 0; cell < c->num_cells; cell++) {
        size_t loops = 1, left = solid_kind_vertices(c->kinds[cell]);
        const bool is_poly = c->kinds[cell] == SOLID_POLYHEDRON;
        if (is_poly) loops = at < c->num_indices ? c->index[at++] : 0;
        for (; loops > 0; loops--) {
            if (is_poly) left = at < c->num_indices ? c->index[at++] : SIZE_MAX;
            if (left > c->num_indices - at) return false;
            for (; left > 0; left--)
                if (!use(user, cell, &c->index[at++])) return false;
        }
    }
    return at == c->num_indices;
}

/* Points while they are checked. */
typedef struct point_use {
    const solid_cells *cells;
    uint32_t *number;     /* [num_points], new numbers from 1; 0: of no cell */
    size_t bad_cell, bad; /* the vertex that is no point */
    bool failed;
} point_use;

static bool check_vertex(void *user, size_t cell, uint32_t *vertex)
{
    point_use *u = user;
    u->failed = *vertex >= u->cells->num_points;
    u->bad_cell = cell;
    u->bad = *vertex;
    if (!u->failed) u->number[*vertex] = 1;
    return !u->failed;
}

static bool renumber(void *user, size_t cell, uint32_t *vertex)
{
    const point_use *u = user;
    (void)cell;
    *vertex = u->number[*vertex] - 1;
    return true;
}

/* Tells whether a cell has a vertex. */
static bool is_used(const point_use *u, uint32_t vertex)
{
    return vertex < u->cells->num_points && u->number[vertex] > 0;
}

/* Leaves out lines of vertices that no cell has: they are no edges of cells. */
static void leave_out_lines(solid_cells *c, const point_use *u)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->num_lines; i++) {
        uint32_t *const line = &c->line[2 * i];
        if (is_used(u, line[0]) && is_used(u, line[1]))
            memmove(&c->line[2 * kept++], line, 2 * sizeof(*line));
    }
    c->num_lines = kept;
}

static void renumber_all(solid_cells *c, point_use *u)
{
    for_vertices(c, renumber, u);
    for (size_t i = 0; i < 2 * c->num_creases; i++)
        renumber(u, 0, &c->crease[i]);
    for (size_t i = 0; i < 2 * c->num_lines; i++)
        renumber(u, 0, &c->line[i]);
    for (size_t i = 0; i < c->num_corners; i++)
        renumber(u, 0, &c->corner[i]);
}

/* Moves points that are used to the front, with their values. */
static void leave_out(solid_cells *c, point_use *u)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->num_points; i++) {
        if (u->number[i] == 0) continue;
        memmove(c->points + 3 * kept, c->points + 3 * i, 3 * sizeof(double));
        for (size_t k = 0; k < c->num_arrays; k++) {
            const size_t n = c->arrays[k].components;
            memmove(c->arrays[k].values + n * kept, c->arrays[k].values + n * i,
                    n * sizeof(double));
        }
        u->number[i] = (uint32_t)++kept;
    }
    c->num_isolated = c->num_points - kept;
    c->num_points = kept;
    for (size_t k = 0; k < c->num_arrays; k++)
        c->arrays[k].count = kept * c->arrays[k].components;
    if (c->num_isolated > 0) renumber_all(c, u);
}

/* ---- polyhedra ---- */

static void reverse(uint32_t *loop, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t v = loop[i];
        loop[i] = loop[count - 1 - i];
        loop[count - 1 - i] = v;
    }
}

static void add_point(const solid_cells *c, uint32_t vertex, double share, double to[3])
{
    for (size_t k = 0; k < 3; k++)
        to[k] += share * c->points[3 * (size_t)vertex + k];
}

/* Tells whether a loop turns as seen from a point within its cell: the sum of the products of three
   of the point and the loop's edges is above 0 where it turns as seen from outside. */
static bool turns_inward(const solid_cells *c, const uint32_t *loop, uint32_t count,
                         const double from[3])
{
    double sum = 0, middle[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++)
        add_point(c, loop[i], 1.0 / count, middle);
    for (uint32_t i = 0; i < count; i++) {
        const double *p = c->points + 3 * (size_t)loop[i];
        const double *q = c->points + 3 * (size_t)loop[(i + 1) % count];
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            sum += (middle[k] - from[k]) * ((p[l] - middle[l]) * (q[m] - middle[m]) -
                                            (p[m] - middle[m]) * (q[l] - middle[l]));
        }
    }
    return sum < 0;
}

/* Lets each face of a polyhedron turn as seen from outside, which is told from the middle of the
   vertices, so that the hexahedra that it becomes are as VTK has them. Returns where its indices
   end. */
static size_t turn_polyhedron(solid_cells *c, size_t begin)
{
    const uint32_t faces = c->index[begin];
    size_t at = begin + 1, num = 0;
    double middle[3] = {0, 0, 0};
    for (uint32_t f = 0; f < faces; f++)
        for (uint32_t left = c->index[at++]; left > 0; left--, num++)
            add_point(c, c->index[at++], 1, middle);
    for (int k = 0; k < 3 && num > 0; k++)
        middle[k] /= (double)num;
    at = begin + 1;
    for (uint32_t f = 0; f < faces; f++) {
        const uint32_t count = c->index[at++];
        if (turns_inward(c, c->index + at, count, middle)) reverse(c->index + at, count);
        at += count;
    }
    return at;
}

static void turn_polyhedra(solid_cells *c)
{
    size_t at = 0;
    for (size_t cell = 0; cell < c->num_cells; cell++) {
        const uint8_t kind = c->kinds[cell];
        at = kind == SOLID_POLYHEDRON ? turn_polyhedron(c, at) : at + solid_kind_vertices(kind);
    }
}

/* ---- all together ---- */

/* Checks that arrays have values for so many items. */
static bool check_arrays(const solid_array *arrays, size_t num, size_t items, const char *what,
                         const char *name, io_message *message)
{
    for (size_t i = 0; i < num; i++) {
        const solid_array *a = &arrays[i];
        if (a->count == items * a->components) continue;
        return io_fail(message, "%s: '%s' has %zu values, and %zu %s need %zu", name, a->name,
                       a->count, items, what, items * a->components);
    }
    return true;
}

/* Leaves out arrays of cells that are 0 throughout: formats that always give a cell a number have
   that for none. */
static void leave_out_zeros(solid_cells *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->num_cell_arrays; i++) {
        solid_array *a = &c->cell_arrays[i];
        size_t first = 0;
        while (first < a->count && a->values[first] == 0)
            first++;
        if (first < a->count)
            c->cell_arrays[kept++] = *a;
        else
            free(a->values);
    }
    c->num_cell_arrays = kept;
}

static bool check_all(solid_cells *c, point_use *u, const char *name, io_message *message)
{
    if (!for_vertices(c, check_vertex, u)) {
        if (u->failed)
            return io_fail(message, "%s: cell %zu has vertex %zu, and there are %zu points", name,
                           u->bad_cell, u->bad, c->num_points);
        return io_fail(message, "%s: the faces of a polyhedron do not end with it", name);
    }
    for (size_t i = 0; i < 2 * c->num_creases; i++)
        if (!is_used(u, c->crease[i]))
            return io_fail(message, "%s: crease %zu has vertex %u, which no cell has", name, i / 2,
                           c->crease[i]);
    for (size_t i = 0; i < c->num_corners; i++)
        if (!is_used(u, c->corner[i]))
            return io_fail(message, "%s: corner %zu is vertex %u, which no cell has", name, i,
                           c->corner[i]);
    return true;
}

static bool check_finite(const solid_cells *c, const char *name, io_message *message)
{
    for (size_t i = 0; i < 3 * c->num_points; i++)
        if (!isfinite(c->points[i]))
            return io_fail(message, "%s: point %zu is not finite", name, i / 3);
    for (size_t k = 0; k < c->num_arrays; k++)
        for (size_t i = 0; i < c->arrays[k].count; i++)
            if (!isfinite(c->arrays[k].values[i]))
                return io_fail(message, "%s: '%s' of point %zu is not finite", name,
                               c->arrays[k].name, i / c->arrays[k].components);
    return true;
}

bool solid_cells_finish(solid_cells *c, const char *name, io_message *message)
{
    point_use u = {.cells = c};
    if (c->num_cells == 0) return io_fail(message, "%s: there are no solid cells", name);
    if (c->num_cells > SOLID_MAX || c->num_points > SOLID_MAX)
        return io_fail(message, "%s: more than %zu points or cells", name, SOLID_MAX);
    if (!check_arrays(c->arrays, c->num_arrays, c->num_points, "points", name, message) ||
        !check_arrays(c->cell_arrays, c->num_cell_arrays, c->num_cells, "cells", name, message) ||
        !check_finite(c, name, message))
        return false;
    leave_out_zeros(c);
    u.number = calloc(c->num_points + 1, sizeof(*u.number));
    if (!u.number) return io_fail(message, "%s: not enough memory", name);
    const bool done = check_all(c, &u, name, message);
    if (done) leave_out_lines(c, &u);
    if (done) leave_out(c, &u);
    if (done) turn_polyhedra(c);
    free(u.number);
    return done;
}

/* ---- pairs of vertices ---- */

enum { RECENT = 7 }; /* vertices that the next one is compared with: all others of a hexahedron */

/* Takes two vertices of a cell. */
typedef bool (*pair_user)(void *user, size_t cell, uint32_t a, uint32_t b);

typedef struct pairs {
    pair_user use;
    void *user;
    size_t cell, num; /* vertices of it so far */
    uint32_t recent[RECENT];
} pairs;

static bool pair_up(void *user, size_t cell, uint32_t *vertex)
{
    pairs *p = user;
    if (cell != p->cell) p->num = 0;
    p->cell = cell;
    for (size_t i = 0; i < p->num && i < RECENT; i++)
        if (p->recent[i] != *vertex && !p->use(p->user, cell, p->recent[i], *vertex)) return false;
    p->recent[p->num++ % RECENT] = *vertex;
    return true;
}

/* Calls `use` with pairs of different vertices of all cells, of polyhedra those near to each other
   in faces, until it says false. */
static void for_pairs(solid_cells *c, pair_user use, void *user)
{
    pairs p = {.use = use, .user = user};
    for_vertices(c, pair_up, &p);
}

typedef struct measure {
    const solid_cells *cells;
    double distance, share; /* squares */
} measure;

static bool measure_pair(void *user, size_t cell, uint32_t a, uint32_t b)
{
    measure *m = user;
    const double *p = m->cells->points + 3 * (size_t)a, *q = m->cells->points + 3 * (size_t)b;
    double square = 0, most = 0;
    (void)cell;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fmax(fabs(p[k]), fabs(q[k])));
    for (int k = 0; k < 3 && most > 0; k++)
        square += (p[k] / most - q[k] / most) * (p[k] / most - q[k] / most);
    if (!(square > 0x1p-88)) return true;
    m->share = fmin(m->share, square);
    m->distance = fmin(m->distance, sqrt(square) * most);
    return true;
}

double solid_cells_spacing(solid_cells *c, double *share)
{
    measure m = {.cells = c, .distance = HUGE_VAL, .share = HUGE_VAL};
    for_pairs(c, measure_pair, &m);
    *share = sqrt(m.share);
    return m.distance;
}

/* ---- merging ---- */

/* Points that become one. */
typedef struct merging {
    const uint32_t *to;
    size_t cell; /* that would lose a corner; SIZE_MAX: none */
} merging;

static bool check_pair(void *user, size_t cell, uint32_t a, uint32_t b)
{
    merging *m = user;
    if (m->to[a] != m->to[b]) return true;
    m->cell = cell;
    return false;
}

/* Moves points that others become one with to the mean of all, and their values likewise. times:
   how many there are so far. */
static void add_to_means(double *values, size_t components, const uint32_t *to, size_t num,
                         uint32_t *times)
{
    for (size_t i = 0; i < num; i++) {
        times[i] = 1;
        if (to[i] == i) continue;
        times[to[i]]++;
        for (size_t k = 0; k < components; k++) {
            double *mean = &values[to[i] * components + k];
            *mean += (values[i * components + k] - *mean) / times[to[i]];
        }
    }
}

bool solid_cells_merge(solid_cells *c, const uint32_t *to, const char *name, io_message *message)
{
    merging m = {to, SIZE_MAX};
    const size_t isolated = c->num_isolated;
    point_use u = {.cells = c};
    for_pairs(c, check_pair, &m);
    if (m.cell != SIZE_MAX)
        return io_fail(message, "%s: merged so, cell %zu would lose a corner", name, m.cell);
    u.number = malloc((c->num_points + 1) * sizeof(*u.number));
    if (!u.number) return io_fail(message, "%s: not enough memory", name);
    add_to_means(c->points, 3, to, c->num_points, u.number);
    for (size_t k = 0; k < c->num_arrays; k++)
        add_to_means(c->arrays[k].values, c->arrays[k].components, to, c->num_points, u.number);
    for (size_t i = 0; i < c->num_points; i++)
        u.number[i] = to[i] + 1;
    renumber_all(c, &u);
    for (size_t i = 0; i < c->num_points; i++)
        u.number[i] = to[i] == i;
    leave_out(c, &u);
    c->num_isolated = isolated;
    free(u.number);
    return true;
}

void solid_cells_clear(solid_cells *c)
{
    for (size_t i = 0; i < c->num_arrays; i++)
        free(c->arrays[i].values);
    for (size_t i = 0; i < c->num_cell_arrays; i++)
        free(c->cell_arrays[i].values);
    free(c->cell_arrays);
    free(c->points);
    free(c->kinds);
    free(c->index);
    free(c->crease);
    free(c->line);
    free(c->corner);
    free(c->arrays);
    *c = (solid_cells){.num_points = 0};
}
