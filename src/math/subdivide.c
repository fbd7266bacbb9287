#include "subdivide.h"

#include <stdlib.h>
#include <string.h>

/* ---- weights ---- */

/* What is counted around a vertex. */
typedef struct counts {
    uint32_t cells, faces, edges;
    uint32_t boundary_faces, creases;
    double valences; /* the sum of n (n - 3) over its edges */
} counts;

/* The weights of a vertex: of each cell's and face's point and each edge's middle at it, and of
   itself. Of faces those with all flags of `flags` count, of edges too. */
typedef struct vertex_weights {
    double cell, face, edge, self;
    uint8_t face_flags, edge_flags;
    bool by_valence; /* edge times n (n - 3) */
} vertex_weights;

typedef struct step {
    const clspi_incidence *mesh;
    uint32_t channels;
    uint32_t *edge_faces;   /* [edges]: n */
    vertex_weights *vertex; /* [vertices] */
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
    };
}

static size_t list_begin(const clspi_lists *lists, size_t i)
{
    return lists->begin ? lists->begin[i] : i * lists->each;
}

static double valence_weight(uint32_t n)
{
    return (double)n * ((double)n - 3.0);
}

static void count_all(const step *at, counts *count)
{
    const clspi_incidence *const m = at->mesh;

    for (size_t i = 0; i < list_begin(&m->face_edges, m->num_faces); i++)
        at->edge_faces[m->face_edges.item[i]]++;
    for (size_t i = 0; i < list_begin(&m->cell_vertices, m->num_cells); i++)
        count[m->cell_vertices.item[i]].cells++;
    for (size_t f = 0; f < m->num_faces; f++)
        for (size_t i = list_begin(&m->face_vertices, f); i < list_begin(&m->face_vertices, f + 1);
             i++) {
            counts *const here = count + m->face_vertices.item[i];
            here->faces++;
            here->boundary_faces += m->face_flag[f] & CLSPI_BOUNDARY;
        }
    for (size_t i = 0; i < 2 * m->num_edges; i++) {
        counts *const here = count + m->edge_vertex[i];
        here->edges++;
        here->creases += !!(m->edge_flag[i / 2] & CLSPI_CREASE);
        here->valences += valence_weight(at->edge_faces[i / 2]);
    }
}

/* Returns the weights of a vertex within the solid. */
static vertex_weights inner_weights(const counts *n, clspi_vertex_rule rule)
{
    const double cells = n->cells, faces = n->faces, edges = n->edges;

    if (rule == CLSPI_RULE_JOY)
        return (vertex_weights){.cell = 1.0 / (8.0 * cells),
                                .face = 3.0 / (8.0 * faces),
                                .edge = 3.0 / (8.0 * edges),
                                .self = 0.125};
    return (vertex_weights){.cell = 1.0 / (cells * cells),
                            .face = 3.0 / (faces * cells),
                            .edge = 1.0 / (cells * cells),
                            .self = 1.0 - 4.0 / cells - n->valences / (cells * cells),
                            .by_valence = true};
}

/* Returns the weights of a boundary vertex: the rules of the surface and of its creases. */
static vertex_weights boundary_weights(const counts *n, uint8_t flag)
{
    const double faces = n->boundary_faces;

    if (flag & CLSPI_CORNER || n->creases > 2) return (vertex_weights){.self = 1.0};
    if (n->creases == 2)
        return (vertex_weights){.edge = 0.25, .self = 0.5, .edge_flags = CLSPI_CREASE};
    return (vertex_weights){.face = 1.0 / (faces * faces),
                            .edge = 2.0 / (faces * faces),
                            .self = (faces - 3.0) / faces,
                            .face_flags = CLSPI_BOUNDARY,
                            .edge_flags = CLSPI_BOUNDARY};
}

static bool find_weights(const step *at, clspi_vertex_rule rule)
{
    const clspi_incidence *const m = at->mesh;
    counts *const count = calloc(m->num_vertices + 1, sizeof *count);

    if (!count) return false;
    count_all(at, count);
    for (size_t v = 0; v < m->num_vertices; v++)
        at->vertex[v] = m->vertex_flag[v] & CLSPI_BOUNDARY
                            ? boundary_weights(&count[v], m->vertex_flag[v])
                            : inner_weights(&count[v], rule);
    free(count);
    return true;
}

/* ---- sums ---- */

static inline void add(double *to, const double *from, double weight, uint32_t channels)
{
    for (uint32_t i = 0; i < channels; i++)
        to[i] += weight * from[i];
}

/* Writes the mean of some points. */
static void mean(double *to, const double *points, const uint32_t *item, size_t num,
                 uint32_t channels)
{
    memset(to, 0, channels * sizeof *to);
    for (size_t i = 0; i < num; i++)
        add(to, points + (size_t)item[i] * channels, 1.0, channels);
    for (uint32_t i = 0; i < channels; i++)
        to[i] /= (double)num;
}

static void means(double *to, const double *points, const clspi_lists *lists, size_t num,
                  uint32_t channels)
{
    for (size_t i = 0; i < num; i++) {
        const size_t begin = list_begin(lists, i), end = list_begin(lists, i + 1);
        mean(to + i * channels, points, lists->item + begin, end - begin, channels);
    }
}

/* Adds the middles of edges to their points and to the vertices at their ends. */
static void add_edges(const step *at, double *fine, const double *points, double *middle)
{
    const clspi_incidence *const m = at->mesh;
    double *const edges = fine + m->num_vertices * at->channels;

    for (size_t e = 0; e < m->num_edges; e++) {
        const uint8_t flag = m->edge_flag[e];
        const uint32_t n = at->edge_faces[e], *const end = m->edge_vertex + 2 * e;
        const double weight = flag & CLSPI_CREASE     ? 1.0
                              : flag & CLSPI_BOUNDARY ? 0.5
                                                      : ((double)n - 3.0) / (double)n;
        mean(middle, points, end, 2, at->channels);
        add(edges + e * at->channels, middle, weight, at->channels);
        for (uint32_t s = 0; s < 2; s++) {
            const vertex_weights *const w = at->vertex + end[s];
            if ((flag & w->edge_flags) != w->edge_flags) continue;
            add(fine + (size_t)end[s] * at->channels, middle,
                w->by_valence ? w->edge * valence_weight(n) : w->edge, at->channels);
        }
    }
}

/* Adds the middles of faces to the points of their edges and vertices. */
static void add_faces(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    double *const edges = fine + m->num_vertices * at->channels;
    const double *middle = edges + m->num_edges * at->channels;

    for (size_t f = 0; f < m->num_faces; f++, middle += at->channels) {
        const uint8_t flag = m->face_flag[f];
        for (size_t i = list_begin(&m->face_edges, f); i < list_begin(&m->face_edges, f + 1); i++) {
            const size_t e = m->face_edges.item[i];
            const double n = at->edge_faces[e];
            if (m->edge_flag[e] & CLSPI_CREASE) continue;
            if (!(m->edge_flag[e] & CLSPI_BOUNDARY))
                add(edges + e * at->channels, middle, 2.0 / (n * n), at->channels);
            else if (flag & CLSPI_BOUNDARY)
                add(edges + e * at->channels, middle, 0.25, at->channels);
        }
        for (size_t i = list_begin(&m->face_vertices, f); i < list_begin(&m->face_vertices, f + 1);
             i++) {
            const size_t v = m->face_vertices.item[i];
            const vertex_weights *const w = at->vertex + v;
            if ((flag & w->face_flags) == w->face_flags)
                add(fine + v * at->channels, middle, w->face, at->channels);
        }
    }
}

/* Adds the points of cells to those of their edges and vertices within the solid. */
static void add_cells(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    double *const edges = fine + m->num_vertices * at->channels;
    const double *middle = edges + (m->num_edges + m->num_faces) * at->channels;

    for (size_t c = 0; c < m->num_cells; c++, middle += at->channels) {
        for (size_t i = list_begin(&m->cell_edges, c); i < list_begin(&m->cell_edges, c + 1); i++) {
            const size_t e = m->cell_edges.item[i];
            const double n = at->edge_faces[e];
            if (!(m->edge_flag[e] & CLSPI_BOUNDARY))
                add(edges + e * at->channels, middle, 1.0 / (n * n), at->channels);
        }
        for (size_t i = list_begin(&m->cell_vertices, c); i < list_begin(&m->cell_vertices, c + 1);
             i++) {
            const size_t v = m->cell_vertices.item[i];
            if (at->vertex[v].cell > 0.0)
                add(fine + v * at->channels, middle, at->vertex[v].cell, at->channels);
        }
    }
}

/* Moves the points of faces within the solid halfway to those of their two cells. */
static void finish_faces(const step *at, double *fine)
{
    const clspi_incidence *const m = at->mesh;
    double *const faces = fine + (m->num_vertices + m->num_edges) * at->channels;
    const double *middle = faces + m->num_faces * at->channels;

    for (size_t f = 0; f < m->num_faces; f++)
        for (uint32_t i = 0; i < at->channels && !(m->face_flag[f] & CLSPI_BOUNDARY); i++)
            faces[f * at->channels + i] *= 0.5;
    for (size_t c = 0; c < m->num_cells; c++, middle += at->channels)
        for (size_t i = list_begin(&m->cell_faces, c); i < list_begin(&m->cell_faces, c + 1); i++) {
            const size_t f = m->cell_faces.item[i];
            if (!(m->face_flag[f] & CLSPI_BOUNDARY))
                add(faces + f * at->channels, middle, 0.25, at->channels);
        }
}

bool clspi_subdivide(double *fine, const double *points, uint32_t channels,
                     const clspi_incidence *mesh, clspi_vertex_rule rule)
{
    const size_t edges = mesh->num_vertices, faces = edges + mesh->num_edges;
    const size_t cells = faces + mesh->num_faces;
    double *const middle = malloc((channels + 1) * sizeof *middle);
    step at = {.mesh = mesh, .channels = channels};
    bool done;

    at.edge_faces = calloc(mesh->num_edges + 1, sizeof *at.edge_faces);
    at.vertex = calloc(mesh->num_vertices + 1, sizeof *at.vertex);
    done = middle && at.edge_faces && at.vertex && find_weights(&at, rule);
    if (done) {
        for (size_t i = 0; i < mesh->num_vertices * channels; i++)
            fine[i] = at.vertex[i / channels].self * points[i];
        memset(fine + edges * channels, 0, mesh->num_edges * channels * sizeof *fine);
        means(fine + faces * channels, points, &mesh->face_vertices, mesh->num_faces, channels);
        means(fine + cells * channels, points, &mesh->cell_vertices, mesh->num_cells, channels);
        add_edges(&at, fine, points, middle);
        add_faces(&at, fine);
        add_cells(&at, fine);
        finish_faces(&at, fine);
    }
    free(middle);
    free(at.edge_faces);
    free(at.vertex);
    return done;
}
