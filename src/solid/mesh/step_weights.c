#include "step_weights.h"

#include <stdlib.h>

/* What is counted around a vertex. */
typedef struct counts {
    uint32_t cells, faces, edges;
    uint32_t boundary_faces, creases;
    double valences; /* the sum of n (n - 3) over its edges */
} counts;

static double valence_weight(uint32_t n)
{
    return (double)n * ((double)n - 3.0);
}

static void count_all(const clspi_incidence *m, uint32_t *edge_faces, counts *count)
{
    for (size_t i = 0; i < clspi_list_begin(&m->face_edges, m->num_faces); i++)
        edge_faces[m->face_edges.item[i]]++;
    for (size_t i = 0; i < clspi_list_begin(&m->cell_vertices, m->num_cells); i++)
        count[m->cell_vertices.item[i]].cells++;
    for (size_t f = 0; f < m->num_faces; f++)
        for (size_t i = clspi_list_begin(&m->face_vertices, f);
             i < clspi_list_begin(&m->face_vertices, f + 1); i++) {
            counts *const here = count + m->face_vertices.item[i];
            here->faces++;
            here->boundary_faces += m->face_flag[f] & CLSPI_BOUNDARY;
        }
    for (size_t i = 0; i < 2 * m->num_edges; i++) {
        counts *const here = count + m->edge_vertex[i];
        here->edges++;
        here->creases += !!(m->edge_flag[i / 2] & CLSPI_CREASE);
        here->valences += valence_weight(edge_faces[i / 2]);
    }
}

/* Returns the weights of a vertex within the solid. */
static clspi_vertex_weights inner_weights(const counts *n, clspi_vertex_rule rule)
{
    const double cells = n->cells, faces = n->faces, edges = n->edges;

    if (rule == CLSPI_RULE_JOY)
        return (clspi_vertex_weights){.cell = 1.0 / (8.0 * cells),
                                      .face = 3.0 / (8.0 * faces),
                                      .edge = 3.0 / (8.0 * edges),
                                      .self = 0.125};
    return (clspi_vertex_weights){.cell = 1.0 / (cells * cells),
                                  .face = 3.0 / (faces * cells),
                                  .edge = 1.0 / (cells * cells),
                                  .self = 1.0 - 4.0 / cells - n->valences / (cells * cells),
                                  .by_valence = true};
}

/* Returns the weights of a boundary vertex: the rules of the surface and of its creases. */
static clspi_vertex_weights boundary_weights(const counts *n, uint8_t flag)
{
    const double faces = n->boundary_faces;

    if (flag & CLSPI_CORNER || n->creases > 2) return (clspi_vertex_weights){.self = 1.0};
    if (n->creases == 2)
        return (clspi_vertex_weights){.edge = 0.25, .self = 0.5, .edge_flags = CLSPI_CREASE};
    return (clspi_vertex_weights){.face = 1.0 / (faces * faces),
                                  .edge = 2.0 / (faces * faces),
                                  .self = (faces - 3.0) / faces,
                                  .face_flags = CLSPI_BOUNDARY,
                                  .edge_flags = CLSPI_BOUNDARY};
}

bool clspi_step_weights_make(clspi_step_weights *weights, const clspi_incidence *m,
                             clspi_vertex_rule rule)
{
    counts *const count = calloc(m->num_vertices + 1, sizeof *count);
    bool done;

    weights->edge_faces = calloc(m->num_edges + 1, sizeof *weights->edge_faces);
    weights->vertex = calloc(m->num_vertices + 1, sizeof *weights->vertex);
    done = count && weights->edge_faces && weights->vertex;
    if (done) count_all(m, weights->edge_faces, count);
    for (size_t v = 0; v < m->num_vertices && done; v++)
        weights->vertex[v] = m->vertex_flag[v] & CLSPI_BOUNDARY
                                 ? boundary_weights(&count[v], m->vertex_flag[v])
                                 : inner_weights(&count[v], rule);
    free(count);
    return done;
}

void clspi_step_weights_release(clspi_step_weights *weights)
{
    free(weights->edge_faces);
    free(weights->vertex);
    *weights = (clspi_step_weights){0};
}

clspi_edge_weights clspi_edge_weights_of(uint8_t flag, uint32_t n)
{
    const double faces = n;

    if (flag & CLSPI_CREASE) return (clspi_edge_weights){.middle = 1.0};
    if (flag & CLSPI_BOUNDARY)
        return (clspi_edge_weights){.middle = 0.5, .face = 0.25, .face_flags = CLSPI_BOUNDARY};
    return (clspi_edge_weights){.middle = (faces - 3.0) / faces,
                                .face = 2.0 / (faces * faces),
                                .cell = 1.0 / (faces * faces)};
}

double clspi_middle_weight(const clspi_vertex_weights *vertex, uint8_t edge_flag, uint32_t n)
{
    if ((edge_flag & vertex->edge_flags) != vertex->edge_flags) return 0.0;
    return vertex->by_valence ? vertex->edge * valence_weight(n) : vertex->edge;
}
