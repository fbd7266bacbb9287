#include "solid_shell.h"

#include <stdlib.h>
#include <string.h>

enum { SHELL_SIDES = 254 }; /* of a face: a prism on it has two more, 256 at most */

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
    free(w->shell->points);
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

bool solid_shell_move(solid_model *shell, const solid_model *m, const boundary_faces *faces)
{
    shell_work w = {.shell = shell, .m = m, .faces = faces};
    const bool done = number_points(&w);
    free(w.number);
    return done;
}

/* ---- in the place of a solid ---- */

static uint32_t head_of(uint32_t *joined, uint32_t at)
{
    while (joined[at] != at) {
        joined[at] = joined[joined[at]];
        at = joined[at];
    }
    return at;
}

/* Keeps the faces that hang together with the vertices on the outside. joined: [vertices]. */
static void keep_outside(boundary_faces *f, const solid_model *m, uint32_t *joined)
{
    size_t kept = 0, corners = 0, begin = 0;
    for (uint32_t v = 0; v < m->counts.num_vertices; v++)
        joined[v] = v;
    for (size_t i = 0; i < f->num; begin = f->ends[i++])
        for (size_t k = begin + 1; k < f->ends[i]; k++) {
            const uint32_t a = head_of(joined, f->corner[begin]);
            const uint32_t b = head_of(joined, f->corner[k]);
            joined[a > b ? a : b] = a > b ? b : a; /* the least vertex is that on the outside */
        }
    begin = 0;
    for (size_t i = 0; i < f->num; i++) {
        const size_t end = f->ends[i];
        if (head_of(joined, f->corner[begin]) < m->outside) {
            memmove(f->corner + corners, f->corner + begin, (end - begin) * sizeof(*f->corner));
            corners += end - begin;
            f->cell[kept] = f->cell[i];
            f->side[kept] = f->side[i];
            f->ends[kept++] = corners;
        }
        begin = end;
    }
    f->num = kept;
}

bool solid_shell_faces(boundary_faces *faces, const solid_model *m)
{
    const solid_cells hexahedra = {
        .num_cells = m->counts.num_cells, .num_indices = m->counts.num_indices, .index = m->index};
    if (!boundary_faces_find(faces, m->counts.is_hexahedral ? &hexahedra : &m->cells))
        return solid_model_memory(m);
    if (m->outside == 0) return true;
    uint32_t *joined = malloc((m->counts.num_vertices + 1) * sizeof(*joined));
    if (!joined) return solid_model_memory(m);
    keep_outside(faces, m, joined);
    free(joined);
    return true;
}

/* Moves a shell into the place of a model's mesh. */
static void take_shell(solid_model *m, solid_model *shell)
{
    clsp_solid_mesh_destroy(&m->mesh);
    free(m->points);
    free(m->index);
    free(m->cells.corner);
    m->mesh = shell->mesh;
    m->counts = shell->counts;
    m->points = shell->points;
    m->index = NULL;
    m->cells.corner = shell->cells.corner;
    m->cells.num_corners = shell->cells.num_corners;
    m->outside = (uint32_t)(shell->cells.num_points / 2);
    shell->mesh = NULL;
    shell->points = NULL;
    shell->cells.corner = NULL;
}

/* Tells whether a shell of faces has fewer cells than a model, and cells that the library takes. */
static bool is_worth(const solid_model *m, const boundary_faces *f)
{
    size_t most = 0, begin = 0;
    for (size_t i = 0; i < f->num; begin = f->ends[i++])
        if (f->ends[i] - begin > most) most = f->ends[i] - begin;
    return most <= SHELL_SIDES && (m->outside > 0 || f->num < m->counts.num_cells / 2);
}

bool solid_shell_replace(solid_model *m)
{
    boundary_faces faces = {.num = 0};
    solid_model shell = {.r = m->r};
    bool done = (!m->counts.is_hexahedral || solid_model_index(m)) && solid_shell_faces(&faces, m);
    if (done && is_worth(m, &faces)) {
        done = solid_shell_make(&shell, m, &faces);
        if (done) take_shell(m, &shell);
    }
    solid_model_clear(&shell);
    boundary_faces_clear(&faces);
    return done;
}
