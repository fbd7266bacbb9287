#include "patch_edges.h"

#include <stdlib.h>

/* The list; without one, lines are only counted. */
typedef struct edge_list {
    uint32_t *edges;
    size_t num;
} edge_list;

static void add(edge_list *list, size_t from, size_t to)
{
    if (list->edges) {
        list->edges[2 * list->num] = (uint32_t)from;
        list->edges[2 * list->num + 1] = (uint32_t)to;
    }
    list->num++;
}

/* Adds what is around a grid of num_u x num_v vertices. */
static void add_rectangle(edge_list *list, const mesh_grid *g, size_t first)
{
    const size_t rows = g->num_u, columns = g->num_v, last = first + (rows - 1) * columns;
    for (size_t b = 0; b + 1 < columns; b++) {
        add(list, first + b, first + b + 1);
        add(list, last + b, last + b + 1);
    }
    for (size_t a = 0; a + 1 < rows; a++) {
        const size_t row = first + a * columns;
        add(list, row, row + columns);
        add(list, row + columns - 1, row + 2 * columns - 1);
    }
}

/* Adds what is around a triangle: row a has num_u - a vertices. */
static void add_triangle(edge_list *list, const mesh_grid *g, size_t first)
{
    size_t row = first;
    for (size_t b = 0; b + 1 < g->num_u; b++)
        add(list, first + b, first + b + 1);
    for (size_t a = 0; a + 1 < g->num_u; a++) {
        const size_t next = row + g->num_u - a;
        add(list, row, next);
        add(list, next - 1, next + g->num_u - a - 2);
        row = next;
    }
}

/* Adds the sides of faces on no grid. */
static void add_sides(edge_list *list, const mesh *m)
{
    for (size_t face = m->num_grid_faces; face < m->num_faces; face++) {
        size_t count;
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 0; i < count; i++)
            add(list, corners[i], corners[(i + 1) % count]);
    }
}

static void add_all(edge_list *list, const mesh *m)
{
    size_t first = 0;
    for (size_t i = 0; i < m->num_grids; i++) {
        const mesh_grid *g = &m->grids[i];
        if (g->triangle)
            add_triangle(list, g, first);
        else if (!mesh_grid_is_curve(g))
            add_rectangle(list, g, first);
        first += mesh_grid_points(g);
    }
    add_sides(list, m);
}

/* Compares lines whichever way they run. */
static int compare(const void *a, const void *b)
{
    const uint32_t *const p = a, *const q = b;
    const uint64_t one = p[0] < p[1] ? (uint64_t)p[0] << 32 | p[1] : (uint64_t)p[1] << 32 | p[0];
    const uint64_t two = q[0] < q[1] ? (uint64_t)q[0] << 32 | q[1] : (uint64_t)q[1] << 32 | q[0];
    return (one > two) - (one < two);
}

/* Keeps the lines that are there once, and returns how many these are. */
static size_t keep_single(uint32_t *edges, size_t num)
{
    size_t kept = 0, end;
    if (num > 0) qsort(edges, num, 2 * sizeof(*edges), compare);
    for (size_t i = 0; i < num; i = end) {
        for (end = i + 1; end < num && compare(&edges[2 * i], &edges[2 * end]) == 0;)
            end++;
        if (end > i + 1) continue;
        edges[2 * kept] = edges[2 * i];
        edges[2 * kept++ + 1] = edges[2 * i + 1];
    }
    return kept;
}

uint32_t *patch_edges(const mesh *m, size_t *num)
{
    edge_list list = {.edges = NULL};
    add_all(&list, m);
    list.edges = malloc((2 * list.num + 1) * sizeof(*list.edges));
    *num = list.num;
    list.num = 0;
    if (list.edges) add_all(&list, m);
    if (list.edges && m->is_pieced) *num = keep_single(list.edges, list.num);
    return list.edges;
}
