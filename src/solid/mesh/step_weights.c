#include "step_weights.h"

#include <stdlib.h>

/* What is counted around a vertex. */
typedef struct counts {
    uint32_t cells, faces, edges;
    uint32_t boundary_faces, creases;
    uint32_t later_creases, fading; /* creases that are some after the step, and that are none */
    double sharpness;               /* the sum of that of fading ones */
    double valences;                /* the sum of n (n - 3) over its edges */
} counts;

/* The rules of a boundary vertex. */
typedef enum vertex_rule { RULE_SMOOTH, RULE_CREASE, RULE_FIXED } vertex_rule;

static double valence_weight(uint32_t n)
{
    return (double)n * ((double)n - 3.0);
}

static void count_crease(counts *here, float sharpness)
{
    const bool fades = clspi_half_sharpness(sharpness) == 0.0f;

    here->creases++;
    here->later_creases += !fades;
    here->fading += fades;
    if (fades) here->sharpness += (double)sharpness;
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
        if (m->edge_flag[i / 2] & CLSPI_CREASE) count_crease(here, clspi_sharpness(m, i / 2));
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

static vertex_rule rule_of(uint8_t flag, uint32_t creases)
{
    return flag & CLSPI_CORNER || creases > 2 ? RULE_FIXED
           : creases == 2                     ? RULE_CREASE
                                              : RULE_SMOOTH;
}

/* Returns the weights of a boundary vertex by one of the rules of the surface and its creases. */
static clspi_vertex_weights rule_weights(vertex_rule rule, double faces)
{
    if (rule == RULE_FIXED) return (clspi_vertex_weights){.self = 1.0};
    if (rule == RULE_CREASE)
        return (clspi_vertex_weights){.edge = 0.25, .self = 0.5, .edge_flags = CLSPI_CREASE};
    return (clspi_vertex_weights){.face = 1.0 / (faces * faces),
                                  .edge = 2.0 / (faces * faces),
                                  .self = (faces - 3.0) / faces,
                                  .face_flags = CLSPI_BOUNDARY,
                                  .edge_flags = CLSPI_BOUNDARY};
}

/* Returns those of a boundary vertex. Where its creases fade so that another rule holds after the
   step, the two are blended by the mean sharpness of these, as in OpenSubdiv. */
static clspi_vertex_weights boundary_weights(const counts *n, uint8_t flag)
{
    const double faces = n->boundary_faces;
    const vertex_rule rule = rule_of(flag, n->creases), later = rule_of(flag, n->later_creases);
    const clspi_vertex_weights now = rule_weights(rule, faces), then = rule_weights(later, faces);

    if (rule == later) return now;
    const double share = n->sharpness / n->fading;
    clspi_vertex_weights blend = rule_weights(RULE_SMOOTH, faces);
    const double smooth = later == RULE_SMOOTH ? 1.0 - share : 0.0;
    blend.face *= smooth;
    blend.edge *= smooth;
    blend.self = share * now.self + (1.0 - share) * then.self;
    if (rule == RULE_CREASE) blend.crease = share * now.edge;
    if (later == RULE_CREASE) {
        blend.crease = (1.0 - share) * then.edge;
        blend.above = 1.0f;
    }
    return blend;
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

clspi_edge_weights clspi_edge_weights_of(const clspi_step_weights *weights,
                                         const clspi_incidence *mesh, size_t edge)
{
    const uint8_t flag = mesh->edge_flag[edge];
    const double faces = weights->edge_faces[edge];
    double sharp = 0.0;

    if (flag & CLSPI_CREASE) {
        sharp = (double)clspi_sharpness(mesh, edge);
        if (sharp >= 1.0) return (clspi_edge_weights){.middle = 1.0};
    }
    if (flag & CLSPI_BOUNDARY)
        return (clspi_edge_weights){
            .middle = 0.5 + 0.5 * sharp, .face = 0.25 - 0.25 * sharp, .face_flags = CLSPI_BOUNDARY};
    return (clspi_edge_weights){.middle = (faces - 3.0) / faces,
                                .face = 2.0 / (faces * faces),
                                .cell = 1.0 / (faces * faces)};
}

double clspi_middle_weight(const clspi_step_weights *weights, const clspi_incidence *mesh,
                           size_t vertex, size_t edge)
{
    const clspi_vertex_weights *const w = &weights->vertex[vertex];
    const uint8_t flag = mesh->edge_flag[edge];
    double weight = 0.0;

    if ((flag & w->edge_flags) == w->edge_flags)
        weight = w->by_valence ? w->edge * valence_weight(weights->edge_faces[edge]) : w->edge;
    if (w->crease > 0.0 && flag & CLSPI_CREASE && clspi_sharpness(mesh, edge) > w->above)
        weight += w->crease;
    return weight;
}
