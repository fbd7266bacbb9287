#include "solid_shell.h"

#include <stdlib.h>
#include <string.h>

/* A shell on its way. */
typedef struct shell_work {
    solid_model *shell;
    const solid_model *m;
    const boundary_faces *faces;
    uint32_t *number; /* [m's vertices]: of those of the boundary, from 1 on */
    uint32_t num;     /* of them */
} shell_work;

/* Numbers the vertices of the boundary and makes the points of both sides. */
static bool number_points(shell_work *w)
{
    const boundary_faces *f = w->faces;
    const size_t corners = f->num > 0 ? f->ends[f->num - 1] : 0, channels = w->m->channels;
    w->number = calloc(w->m->counts.num_vertices + 1, sizeof(*w->number));
    for (size_t i = 0; w->number && i < corners; i++)
        if (w->number[f->corner[i]] == 0) w->number[f->corner[i]] = ++w->num;
    w->shell->points = malloc((2 * channels * w->num + 1) * sizeof(*w->shell->points));
    if (!w->number || !w->shell->points) return solid_model_memory(w->m);
    for (size_t v = 0; v < w->m->counts.num_vertices; v++)
        for (size_t side = 0; side < 2 && w->number[v] > 0; side++)
            memcpy(w->shell->points + (w->number[v] - 1 + side * w->num) * channels,
                   w->m->points + v * channels, channels * sizeof(double));
    return true;
}

/* Adds the indices of the two ends of a prism: of polyhedra as faces, whose corners' number stands
   first. */
static bool add_ends(shell_work *w, const uint32_t *corner, uint32_t count, bool are_faces)
{
    solid_cells *c = &w->shell->cells;
    bool done = true;
    for (uint32_t side = 0; side < 2; side++) {
        if (are_faces) done = done && solid_cells_index(c, count);
        for (uint32_t i = 0; done && i < count; i++)
            done = solid_cells_index(c, w->number[corner[i]] - 1 + side * w->num);
    }
    return done;
}

/* Adds the faces of a prism that are at the edges of its ends. */
static bool add_sides(shell_work *w, const uint32_t *corner, uint32_t count)
{
    solid_cells *c = &w->shell->cells;
    bool done = true;
    for (uint32_t i = 0; done && i < count; i++) {
        const uint32_t p = w->number[corner[i]] - 1, q = w->number[corner[(i + 1) % count]] - 1;
        done = solid_cells_index(c, 4) && solid_cells_index(c, p) && solid_cells_index(c, q) &&
               solid_cells_index(c, q + w->num) && solid_cells_index(c, p + w->num);
    }
    return done;
}

/* Adds the cell on a face. */
static bool add_cell(shell_work *w, size_t face, uint8_t *kind)
{
    const size_t begin = face > 0 ? w->faces->ends[face - 1] : 0;
    const uint32_t *corner = w->faces->corner + begin;
    const uint32_t count = (uint32_t)(w->faces->ends[face] - begin);
    *kind = count == 3 ? SOLID_WEDGE : count == 4 ? SOLID_HEXAHEDRON : SOLID_POLYHEDRON;
    if (count <= 4) return add_ends(w, corner, count, false);
    return solid_cells_index(&w->shell->cells, count + 2) && add_ends(w, corner, count, true) &&
           add_sides(w, corner, count);
}

static bool add_cells(shell_work *w)
{
    solid_cells *c = &w->shell->cells;
    c->kinds = malloc(w->faces->num + 1);
    bool done = c->kinds != NULL;
    for (size_t i = 0; done && i < w->faces->num; i++)
        done = add_cell(w, i, &c->kinds[i]);
    c->num_cells = w->faces->num;
    c->num_points = 2 * (size_t)w->num;
    return done || solid_model_memory(w->m);
}

/* Takes over creases and corners. */
static bool add_creases(shell_work *w)
{
    const clsp_solid_counts *from = &w->m->counts;
    solid_cells *c = &w->shell->cells;
    bool done = true;
    for (size_t i = 0; done && i < from->num_creases; i++)
        done = solid_cells_crease(c, w->number[from->crease[2 * i]] - 1,
                                  w->number[from->crease[2 * i + 1]] - 1);
    for (size_t i = 0; done && i < w->m->cells.num_corners; i++)
        done = solid_cells_corner(c, w->number[w->m->cells.corner[i]] - 1);
    return done || solid_model_memory(w->m);
}

bool solid_shell_make(solid_model *shell, const solid_model *m, const boundary_faces *faces)
{
    shell_work w = {.shell = shell, .m = m, .faces = faces};
    *shell = (solid_model){.r = m->r, .ctx = m->ctx, .channels = m->channels};
    const bool done = number_points(&w) && add_cells(&w) && add_creases(&w) &&
                      solid_model_create(shell, m->counts.sharpness, false);
    free(w.number);
    return done;
}
