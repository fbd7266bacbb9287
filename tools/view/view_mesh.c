#include "view_mesh.h"

#include <stdlib.h>
#include <string.h>

bool view_mesh_make(view_mesh *m, size_t vertices, size_t indices, size_t curves)
{
    view_mesh_clear(m);
    m->marks = calloc(vertices + 1, sizeof(*m->marks));
    m->indices = calloc(indices + 1, sizeof(*m->indices));
    m->curves = calloc(curves + 1, sizeof(*m->curves));
    if (!m->marks || !m->indices || !m->curves) {
        view_mesh_clear(m);
        return false;
    }
    m->num_vertices = vertices;
    m->num_indices = indices;
    m->num_curves = curves;
    return true;
}

/* An edge by its ends, the smaller one first, and whether it runs the other way. */
typedef struct directed_edge {
    float ends[2][3];
    int way; /* 1 or -1 */
} directed_edge;

static int compare_edges(const void *a, const void *b)
{
    return memcmp(((const directed_edge *)a)->ends, ((const directed_edge *)b)->ends,
                  sizeof(((const directed_edge *)a)->ends));
}

/* Fills the edges of all triangles; returns their number. */
static size_t list_edges(const view_mesh *m, const float *vertices, directed_edge *edges)
{
    const size_t bytes = 3 * sizeof(float);
    size_t num = 0;
    for (size_t i = 0; i < m->num_indices; i++) {
        const size_t next = i % 3 == 2 ? i - 2 : i + 1;
        const float *from = vertices + VIEW_STRIDE * (size_t)m->indices[i];
        const float *to = vertices + VIEW_STRIDE * (size_t)m->indices[next];
        const int order = memcmp(from, to, bytes);
        if (order == 0) continue;
        directed_edge *e = &edges[num++];
        e->way = order < 0 ? 1 : -1;
        memcpy(e->ends[0], order < 0 ? from : to, bytes);
        memcpy(e->ends[1], order < 0 ? to : from, bytes);
    }
    return num;
}

size_t view_mesh_open_edges(const view_mesh *m, const float *vertices)
{
    directed_edge *edges = malloc((m->num_indices + 1) * sizeof(*edges));
    if (!edges) return SIZE_MAX;
    const size_t num = list_edges(m, vertices, edges);
    size_t open = 0;
    qsort(edges, num, sizeof(*edges), compare_edges);
    for (size_t i = 0, end; i < num; i = end) {
        int sum = 0;
        for (end = i; end < num && compare_edges(&edges[i], &edges[end]) == 0; end++)
            sum += edges[end].way;
        open += (size_t)abs(sum);
    }
    free(edges);
    return open;
}

void view_mesh_clear(view_mesh *m)
{
    free(m->marks);
    free(m->indices);
    free(m->curves);
    *m = (view_mesh){.num_vertices = 0};
}
