#include "near_points.h"

#include <math.h>
#include <stdlib.h>

/* The grid's cells that have points, by a hash table of lists. */
typedef struct point_grid {
    const double *points;
    double side, tolerance;
    uint32_t *first; /* [mask + 1]: a point's number from 1 on; 0: none */
    uint32_t *next;  /* [num], likewise */
    size_t mask;
} point_grid;

static size_t slot_of(const point_grid *g, const int64_t cell[3])
{
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ (uint64_t)cell[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash & g->mask;
}

static int64_t cell_at(const point_grid *g, double coordinate)
{
    return (int64_t)floor(coordinate / g->side);
}

static bool is_near(const point_grid *g, const double *p, const double *q)
{
    const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return hypot(hypot(x, y), z) <= g->tolerance;
}

/* Finds the first point of the grid that is near; num: there is none. */
static size_t find(const point_grid *g, const double *p, size_t num)
{
    int64_t low[3], high[3], at[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_at(g, p[k] - g->tolerance);
        high[k] = cell_at(g, p[k] + g->tolerance);
    }
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
                for (size_t i = g->first[slot_of(g, at)]; i > 0; i = g->next[i - 1])
                    if (i - 1 < num && is_near(g, p, g->points + 3 * (i - 1))) num = i - 1;
    return num;
}

static void add(point_grid *g, size_t i)
{
    int64_t cell[3];
    for (int k = 0; k < 3; k++)
        cell[k] = cell_at(g, g->points[3 * i + (size_t)k]);
    uint32_t *const first = &g->first[slot_of(g, cell)];
    g->next[i] = *first;
    *first = (uint32_t)i + 1;
}

/* Returns the side of the grid's cells: such that mostly one of them has what is near a point, that
   none has many points which are farther apart than the tolerance, and that numbers are exact. */
static double side_of(const double *points, size_t num, double tolerance)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * num; i++)
        largest = fmax(largest, fabs(points[i]));
    const double least = fmax(16 * tolerance, ldexp(largest, -40));
    return least > 0 ? least : fmax(largest, 1);
}

bool near_points_find(const double *points, size_t num, double tolerance, uint32_t *to,
                      size_t *others)
{
    point_grid g = {.points = points,
                    .side = side_of(points, num, tolerance),
                    .tolerance = tolerance,
                    .mask = 1};
    while (g.mask < num)
        g.mask = 2 * g.mask + 1;
    g.first = calloc(g.mask + 1, sizeof(*g.first));
    g.next = malloc((num + 1) * sizeof(*g.next));
    const bool done = g.first && g.next;
    *others = 0;
    for (size_t i = 0; done && i < num; i++) {
        to[i] = (uint32_t)find(&g, points + 3 * i, i);
        if (to[i] == i)
            add(&g, i);
        else
            ++*others;
    }
    free(g.first);
    free(g.next);
    return done;
}
