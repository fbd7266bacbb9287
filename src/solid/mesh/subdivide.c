#include "subdivide.h"

#include <stdlib.h>
#include <string.h>

#include "step_weights.h"

typedef struct step {
    const clspi_incidence *mesh;
    uint32_t dim;
    clspi_step_weights weights;
} step;

clspi_incidence clspi_incidence_of(const clspi_cell_mesh *mesh)
{
    return (clspi_incidence){
        .num_vertices = mesh->num_vertices,
        .num_edges = mesh->num_edges,
        .num_faces = mesh->num_faces,
        .num_cells = mesh->num_cells,
        .cell_vertices = {NULL, CLSPI_CORNERS, mesh->cell_vertex},
        .cell_edges = {NULL, CLSPI_CELL_EDGES, mesh->cell_edge},
        .cell_faces = {NULL, CLSPI_CELL_FACES, mesh->cell_face},
        .face_vertices = {NULL, CLSPI_FACE_SIDES, mesh->face_vertex},
        .face_edges = {NULL, CLSPI_FACE_SIDES, mesh->face_edge},
        .edge_vertex = mesh->edge_vertex,
        .face_flag = mesh->face_flag,
        .edge_flag = mesh->edge_flag,
        .vertex_flag = mesh->vertex_flag,
        .edge_sharpness = mesh->edge_sharpness,
    };
}

/* ---- sums ---- */

static inline void add(double *to, const double *from, double weight, uint32_t dim)
{
    for (uint32_t i = 0; i < dim; i++)
        to[i] += weight * from[i];
}

/* Writes the mean of some points. */
static void mean(double *to, const double *points, const uint32_t *item, size_t num, uint32_t dim)
{
    memset(to, 0, dim * sizeof *to);
    for (size_t i = 0; i < num; i++)
        add(to, points + (size_t)item[i] * dim, 1.0, dim);
    for (uint32_t i = 0; i < dim; i++)
        to[i] /= (double)num;
}

static void means(double *to, const double *points, const clspi_lists *lists, size_t num,
                  uint32_t dim)
{
    for (size_t i = 0; i < num; i++) {
        const size_t begin = clspi_list_begin(lists, i), end = clspi_list_begin(lists, i + 1);
        mean(to + i * dim, points, lists->item + begin, end - begin, dim);
    }
}

/* Adds the middles of edges to their points and to the vertices at their ends. */
static void add_edges(const step *at, double *fine, const double *points, double *middle)
{
    const clspi_incidence *const m = at->mesh;
    double *const edges = fine + m->num_vertices * at->dim;

    for (size_t e = 0; e < m->num_edges; e++) {
        const uint32_t *const end = m->edge_vertex + 2 * e;
        mean(middle, points, end, 2, at->dim);
        add(edges + e * at->dim, middle, clspi_edge_weights_of(&at->weights, m, e).middle, at->dim);
        for (uint32_t s = 0; s < 2; s++)
            add(fine + (size_t)end[s] * at->dim, middle,
                clspi_middle_weight(&at->weights, m, end[s], e), at->dim);
    }
}

/* Adds the middles of faces to the points of their edges and vertices. */
static void add_faces(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    const clspi_lists *const of_edges = &m->face_edges, *const of_vertices = &m->face_vertices;
    double *const edges = fine + m->num_vertices * at->dim;
    const double *middle = edges + m->num_edges * at->dim;

    for (size_t f = 0; f < m->num_faces; f++, middle += at->dim) {
        const uint8_t flag = m->face_flag[f];
        for (size_t i = clspi_list_begin(of_edges, f); i < clspi_list_begin(of_edges, f + 1); i++) {
            const size_t e = of_edges->item[i];
            const clspi_edge_weights w = clspi_edge_weights_of(&at->weights, m, e);
            if (w.face > 0.0 && (flag & w.face_flags) == w.face_flags)
                add(edges + e * at->dim, middle, w.face, at->dim);
        }
        for (size_t i = clspi_list_begin(of_vertices, f); i < clspi_list_begin(of_vertices, f + 1);
             i++) {
            const size_t v = of_vertices->item[i];
            const clspi_vertex_weights *const w = at->weights.vertex + v;
            if (w->face > 0.0 && (flag & w->face_flags) == w->face_flags)
                add(fine + v * at->dim, middle, w->face, at->dim);
        }
    }
}

/* Adds the points of cells to those of their edges and vertices within the solid. */
static void add_cells(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    const clspi_lists *const of_edges = &m->cell_edges, *const of_vertices = &m->cell_vertices;
    double *const edges = fine + m->num_vertices * at->dim;
    const double *middle = edges + (m->num_edges + m->num_faces) * at->dim;

    for (size_t c = 0; c < m->num_cells; c++, middle += at->dim) {
        for (size_t i = clspi_list_begin(of_edges, c); i < clspi_list_begin(of_edges, c + 1); i++) {
            const size_t e = of_edges->item[i];
            const double weight = clspi_edge_weights_of(&at->weights, m, e).cell;
            if (weight > 0.0) add(edges + e * at->dim, middle, weight, at->dim);
        }
        for (size_t i = clspi_list_begin(of_vertices, c); i < clspi_list_begin(of_vertices, c + 1);
             i++) {
            const size_t v = of_vertices->item[i];
            const double weight = at->weights.vertex[v].cell;
            if (weight > 0.0) add(fine + v * at->dim, middle, weight, at->dim);
        }
    }
}

/* Moves the points of faces within the solid halfway to those of their two cells. */
static void finish_faces(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    double *const faces = fine + (m->num_vertices + m->num_edges) * at->dim;
    const double *middle = faces + m->num_faces * at->dim;

    for (size_t f = 0; f < m->num_faces; f++)
        for (uint32_t i = 0; i < at->dim && !(m->face_flag[f] & CLSPI_BOUNDARY); i++)
            faces[f * at->dim + i] *= 0.5;
    for (size_t c = 0; c < m->num_cells; c++, middle += at->dim)
        for (size_t i = clspi_list_begin(&m->cell_faces, c);
             i < clspi_list_begin(&m->cell_faces, c + 1); i++) {
            const size_t f = m->cell_faces.item[i];
            if (!(m->face_flag[f] & CLSPI_BOUNDARY))
                add(faces + f * at->dim, middle, 0.25, at->dim);
        }
}

bool clspi_subdivide(double *fine, const double *points, uint32_t dim, const clspi_incidence *mesh,
                     clspi_vertex_rule rule)
{
    const size_t edges = mesh->num_vertices, faces = edges + mesh->num_edges;
    const size_t cells = faces + mesh->num_faces;
    double *const middle = malloc((dim + 1) * sizeof *middle);
    step at = {.mesh = mesh, .dim = dim};
    const bool done = clspi_step_weights_make(&at.weights, mesh, rule) && middle;

    if (done) {
        for (size_t i = 0; i < mesh->num_vertices * dim; i++)
            fine[i] = at.weights.vertex[i / dim].self * points[i];
        memset(fine + edges * dim, 0, mesh->num_edges * dim * sizeof *fine);
        means(fine + faces * dim, points, &mesh->face_vertices, mesh->num_faces, dim);
        means(fine + cells * dim, points, &mesh->cell_vertices, mesh->num_cells, dim);
        add_edges(&at, fine, points, middle);
        add_faces(&at, fine);
        add_cells(&at, fine);
        finish_faces(&at, fine);
    }
    free(middle);
    clspi_step_weights_release(&at.weights);
    return done;
}
