#include "solid_surface.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "normals.h"

static bool number_vertices(solid_surface *w)
{
    const solid_model *m = w->m;
    const size_t inner = w->num - 2;
    w->edges = boundary_faces_edges(w->faces, &w->num_edges);
    w->vertex = calloc(m->counts.num_vertices + 1, sizeof(*w->vertex));
    w->flips = malloc(w->faces->num + 1);
    if (!w->edges || !w->vertex || !w->flips ||
        !boundary_faces_orient(w->faces, w->edges, w->num_edges, w->flips))
        return solid_model_memory(m);
    for (size_t i = 0; i < 4 * w->faces->num; i++)
        if (w->vertex[w->faces->corner[i]] == 0) w->vertex[w->faces->corner[i]] = ++w->num_corners;
    const size_t quads = w->faces->num * (inner + 1) * (inner + 1);
    const size_t all = w->num_corners + inner * w->num_edges + inner * inner * w->faces->num;
    if (!mesh_reserve(&w->result, all, quads, 4 * quads) || !mesh_add_vertices(&w->result, all)) {
        complain("%s: its boundary of %zu vertices is too large", m->r->base.inputs[0], all);
        return false;
    }
    if (w->num_data > 0) w->data = malloc((all + 1) * w->num_data * sizeof(*w->data));
    return w->num_data == 0 || w->data || solid_model_memory(m);
}

/* Returns the vertex at place (a, b) of a face, a along its first edge. */
static uint32_t vertex_at(const solid_surface *w, size_t face, uint32_t a, uint32_t b)
{
    const uint32_t last = w->num - 1, inner = w->num - 2;
    const uint32_t *corner = w->faces->corner + 4 * face;
    const bool at_a = a == 0 || a == last, at_b = b == 0 || b == last;
    if (at_a && at_b) return w->vertex[corner[b == 0 ? (a == 0 ? 0 : 1) : (a == 0 ? 3 : 2)]] - 1;
    if (!at_a && !at_b)
        return w->num_corners + inner * w->num_edges + (uint32_t)face * inner * inner +
               (a - 1) * inner + b - 1;
    const uint32_t edge = at_b ? (b == 0 ? 0 : 2) : (a == 0 ? 3 : 1);
    const uint32_t along = edge == 0 ? a : edge == 1 ? b : edge == 2 ? last - a : last - b;
    const bool rises = corner[edge] < corner[(edge + 1) % 4];
    return w->num_corners + inner * w->edges[4 * face + edge] + (rises ? along : last - along) - 1;
}

/* Fills the vertices of a quad of a face. */
static void quad_at(const solid_surface *w, size_t face, uint32_t a, uint32_t b, uint32_t quad[4])
{
    static const uint8_t turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const bool turned = w->flips[face] != w->inward;
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *at = turn[turned ? 3 - i : i];
        quad[i] = vertex_at(w, face, a + at[0], b + at[1]);
    }
}

/* Tells whether the faces look inward: whether the volume that they enclose, summed from their
   corners, is below 0. */
static bool looks_inward(const solid_surface *w)
{
    const double *origin = w->result.positions;
    double volume = 0;
    for (size_t face = 0; face < w->faces->num; face++)
        for (uint32_t i = 0; i < (w->num - 1) * (w->num - 1); i++) {
            uint32_t quad[4];
            double p[4][3];
            quad_at(w, face, i / (w->num - 1), i % (w->num - 1), quad);
            for (int k = 0; k < 12; k++)
                p[k / 3][k % 3] =
                    w->result.positions[3 * (size_t)quad[k / 3] + (size_t)k % 3] - origin[k % 3];
            for (int k = 1; k < 3; k++) {
                const double *q = p[k], *r = p[k + 1];
                volume += p[0][0] * (q[1] * r[2] - q[2] * r[1]) +
                          p[0][1] * (q[2] * r[0] - q[0] * r[2]) +
                          p[0][2] * (q[0] * r[1] - q[1] * r[0]);
            }
        }
    return volume < 0;
}

/* Adds the quads of a face. False when memory runs out. */
static bool add_quads(solid_surface *w, size_t face)
{
    bool done = true;
    for (uint32_t a = 0; a + 1 < w->num; a++)
        for (uint32_t b = 0; done && b + 1 < w->num; b++) {
            uint32_t quad[4];
            quad_at(w, face, a, b, quad);
            for (int i = 0; done && i < 4; i++)
                done = mesh_add_corner(&w->result, quad[i]);
            done = done && mesh_end_face(&w->result);
        }
    return done;
}

/* Places a vertex where a point is, with its data. */
static void place_vertex(solid_surface *w, uint32_t vertex, const double *point)
{
    memcpy(w->result.positions + 3 * (size_t)vertex, point, 3 * sizeof(*point));
    if (w->num_data > 0)
        memcpy(w->data + (size_t)vertex * w->num_data, point + 3, w->num_data * sizeof(*point));
}

/* Places the vertices of all faces. */
static bool place_samples(solid_surface *w, progress_bar *bar)
{
    const size_t most = w->samples->most, each = (size_t)w->num * w->num;
    for (size_t first = 0; first < w->faces->num; first += most) {
        const size_t left = w->faces->num - first, count = left < most ? left : most;
        if (!solid_samples_make(w->samples, first, count)) return false;
        for (size_t i = 0; i < count * each; i++)
            place_vertex(w,
                         vertex_at(w, first + i / each, (uint32_t)(i % each / w->num),
                                   (uint32_t)(i % w->num)),
                         w->samples->values + i * w->m->channels);
        progress_report(bar, (double)(first + count) / (double)w->faces->num);
    }
    return true;
}

/* Makes vertices and faces. */
static bool make(solid_surface *w, progress_bar *bar)
{
    const solid_model *m = w->m;
    bool done = number_vertices(w) && (!w->samples || place_samples(w, bar));
    for (size_t v = 0; done && !w->samples && v < m->counts.num_vertices; v++)
        if (w->vertex[v] > 0) place_vertex(w, w->vertex[v] - 1, m->points + v * m->channels);
    w->inward = done && looks_inward(w);
    for (size_t face = 0; done && face < w->faces->num; face++)
        if (!add_quads(w, face)) done = solid_model_memory(m);
    return done;
}

bool solid_surface_make(solid_surface *w, const solid_model *m, solid_boundary *boundary,
                        bool with_data, bool with_normals, progress_bar *bar)
{
    solid_samples *samples = m->r->samples ? &boundary->samples : NULL;
    *w = (solid_surface){.m = m,
                         .samples = samples,
                         .num = samples ? samples->grid.along : 2,
                         .faces = &boundary->faces,
                         .num_data = with_data ? m->channels - 3 : 0};
    w->result.precision = samples ? samples->precision : MESH_F64;
    if (!samples && m->r->has_precision) w->result.precision = m->r->base.precision;
    if (!make(w, bar)) return false;
    return !with_normals || mesh_compute_normals(&w->result) || solid_model_memory(m);
}

uint32_t *solid_surface_edges(const solid_surface *w, size_t *num)
{
    const uint32_t last = w->num - 1;
    uint32_t *edges = malloc((w->faces->num * 8 * last + 1) * sizeof(*edges)), *to = edges;
    *num = w->faces->num * 4 * last;
    if (!edges) solid_model_memory(w->m);
    for (size_t face = 0; edges && face < w->faces->num; face++)
        for (uint32_t i = 0; i < 2 * last; i++) { /* two sides along a, then two along b */
            const uint32_t side = i % 2 * last, at = i / 2;
            *to++ = vertex_at(w, face, at, side);
            *to++ = vertex_at(w, face, at + 1, side);
            *to++ = vertex_at(w, face, side, at);
            *to++ = vertex_at(w, face, side, at + 1);
        }
    return edges;
}

void solid_surface_close(solid_surface *w)
{
    free(w->edges);
    free(w->vertex);
    free(w->flips);
    free(w->data);
    mesh_clear(&w->result);
}
