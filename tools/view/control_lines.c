#include "control_lines.h"

#include <stdlib.h>

/* Adds a line. False without memory. */
static bool add(control_lines *c, size_t from, size_t to)
{
    if (2 * c->num_pairs + 2 > c->pair_capacity) {
        const size_t capacity = 2 * c->pair_capacity + 1024;
        uint32_t *pairs = realloc(c->pairs, capacity * sizeof(*pairs));
        if (!pairs) return false;
        c->pairs = pairs;
        c->pair_capacity = capacity;
    }
    c->pairs[2 * c->num_pairs] = (uint32_t)from;
    c->pairs[2 * c->num_pairs++ + 1] = (uint32_t)to;
    return true;
}

/* Adds the lines of a grid of [sizes], the last one fastest, whose first point this is. */
static bool add_grid(control_lines *c, size_t first, const uint32_t sizes[3])
{
    const size_t steps[3] = {(size_t)sizes[1] * sizes[2], sizes[2], 1};
    bool done = true;
    for (size_t i = 0; i < sizes[0] * steps[0]; i++)
        for (int k = 0; done && k < 3; k++)
            if (i / steps[k] % sizes[k] + 1 < sizes[k])
                done = add(c, first + i, first + i + steps[k]);
    return done;
}

/* Adds the lines of a triangle's control points, (i, j) with i rising and then j. */
static bool add_triangle(control_lines *c, size_t first, uint32_t degree)
{
    bool done = true;
    for (uint32_t i = 0; i <= degree; first += degree - i + 1, i++)
        for (uint32_t j = 0; done && j + i < degree; j++)
            done = add(c, first + j, first + j + 1) &&                /* to (i, j + 1) */
                   add(c, first + j, first + j + degree - i + 1) &&   /* to (i + 1, j) */
                   add(c, first + j + 1, first + j + degree - i + 1); /* between these */
    return done;
}

static bool add_patches(control_lines *c, const bezierview *content)
{
    size_t first = 0;
    bool done = true;
    for (size_t i = 0; i < content->num_batches; i++) {
        const bezierview_type *type = &content->batches[i].type;
        const uint32_t sizes[3] = {1, type->degree_u + 1, type->degree_v + 1};
        for (size_t k = 0; done && k < content->batches[i].num_patches; k++) {
            done = type->form == BEZIERVIEW_TRIANGLE ? add_triangle(c, first, type->degree_u)
                                                     : add_grid(c, first, sizes);
            first += (size_t)bezierview_patch_points(type);
        }
    }
    return done;
}

static bool add_splines(control_lines *c, const splines *from)
{
    size_t first = 0;
    bool done = true;
    for (size_t i = 0; i < from->num_batches; i++) {
        const spline_type *type = &from->batches[i].type;
        uint32_t sizes[3] = {1, 1, 1};
        for (uint32_t k = 0; k < type->directions; k++)
            sizes[k] = type->num_controls[k];
        for (size_t k = 0; done && k < from->batches[i].num_splines; k++) {
            done = add_grid(c, first, sizes);
            first += (size_t)sizes[0] * sizes[1] * sizes[2];
        }
    }
    return done;
}

/* Edges of VTK's cells, as pairs of their vertices. */
typedef struct cell_edges {
    int kind, num;
    uint8_t ends[12][2];
} cell_edges;

static const cell_edges known[] = {
    {SOLID_HEXAHEDRON,
     12,
     {{0, 1},
      {1, 2},
      {2, 3},
      {3, 0},
      {4, 5},
      {5, 6},
      {6, 7},
      {7, 4},
      {0, 4},
      {1, 5},
      {2, 6},
      {3, 7}}},
    {SOLID_TETRAHEDRON, 6, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    {SOLID_WEDGE, 9, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}},
    {SOLID_PYRAMID, 8, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}}};

/* Adds the edges of a polyhedron's faces, each from its lesser vertex on, so that of the two faces
   that share it one adds it. Moves *index behind the cell. */
static bool add_polyhedron(control_lines *c, const uint32_t **index)
{
    const uint32_t *at = *index;
    bool done = true;
    for (uint32_t faces = *at++; faces > 0; faces--) {
        const uint32_t count = *at++;
        for (uint32_t i = 0; done && i < count; i++)
            if (at[i] < at[(i + 1) % count]) done = add(c, at[i], at[(i + 1) % count]);
        at += count;
    }
    *index = at;
    return done;
}

/* Adds the edges of cells; those that cells share come several times. */
static bool add_cells(control_lines *c, const solid_cells *cells)
{
    const uint32_t *index = cells->index;
    bool done = true;
    for (size_t i = 0; done && i < cells->num_cells; i++) {
        const cell_edges *edges = known;
        if (cells->kinds[i] == SOLID_POLYHEDRON) {
            done = add_polyhedron(c, &index);
            continue;
        }
        while (edges->kind != cells->kinds[i])
            edges++;
        for (int k = 0; done && k < edges->num; k++)
            done = add(c, index[edges->ends[k][0]], index[edges->ends[k][1]]);
        index += solid_kind_vertices(cells->kinds[i]);
    }
    return done;
}

bool control_lines_make(control_lines *c, const view_model *m)
{
    *c = (control_lines){.num_points = m->controls.num};
    c->points = malloc((3 * c->num_points + 1) * sizeof(*c->points));
    if (!c->points) return false;
    for (size_t i = 0; i < c->num_points; i++)
        control_points_get(&m->controls, i, c->points + 3 * i);
    if (m->kind == VIEW_SOLID) return add_cells(c, &m->solid.cells);
    return m->kind == VIEW_SPLINES ? add_splines(c, &m->from) : add_patches(c, &m->content);
}

void control_lines_clear(control_lines *c)
{
    free(c->points);
    free(c->pairs);
    *c = (control_lines){.num_points = 0};
}
