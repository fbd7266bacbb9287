#include "host_nearest_boxes.h"

#include <math.h>
#include <stdlib.h>

/* How far a box around control points is. */
static double distance_to(const double box[6], const double *query)
{
    double square = 0;

    for (int k = 0; k < 3; k++) {
        const double x = fmax(fmax(box[k] - query[k], query[k] - box[3 + k]), 0);
        square += x * x;
    }
    return sqrt(square);
}

static void find_box(const host_nearest_surfaces *s, size_t number, double box[6])
{
    const size_t each = (size_t)s->controls * s->controls, coords = 3 + s->rational;
    const double *const points = s->points + number * each * coords;

    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
        for (size_t i = 0; i < each; i++) {
            const double w = s->rational ? points[i * coords + 3] : 1;
            const double x = points[i * coords + (size_t)k] / w;
            box[k] = fmin(box[k], x);
            box[3 + k] = fmax(box[3 + k], x);
        }
    }
}

/* A surface, and how far its box is from the query at hand. */
typedef struct near_surface {
    size_t number;
    double distance;
} near_surface;

static int by_distance(const void *a, const void *b)
{
    const near_surface *const x = a, *const y = b;

    return (x->distance > y->distance) - (x->distance < y->distance);
}

int host_nearest_by_boxes(const host_nearest_surfaces *s, const double *queries, size_t num,
                          host_nearest_search search, void *surfaces, double *distances)
{
    double(*const boxes)[6] = malloc(s->num * sizeof *boxes);
    near_surface *const order = malloc(s->num * sizeof *order);
    int good = boxes && order;

    for (size_t i = 0; i < s->num && good; i++)
        find_box(s, i, boxes[i]);
    for (size_t i = 0; i < num && good; i++) {
        const double *const query = queries + 3 * i;
        for (size_t k = 0; k < s->num; k++)
            order[k] = (near_surface){k, distance_to(boxes[k], query)};
        qsort(order, s->num, sizeof *order, by_distance);
        distances[i] = INFINITY;
        for (size_t k = 0; k < s->num && good && order[k].distance < distances[i]; k++)
            good = search(surfaces, order[k].number, query, &distances[i]);
    }
    free(boxes);
    free(order);
    return good;
}
