#include <math.h>
#include <sisl.h>
#include <stdlib.h>

#include "host_nearest.h"

/* With 1e-6 s1954 misses closest points that are not on the surface. */
static const double resolution = 1e-9;

/* A surface of SISL's, whose first direction is the fastest in memory: v. */
static SISLSurf *surface_of(const host_nearest_surfaces *s, size_t number)
{
    const unsigned num = s->controls + s->degree + 1, coords = 3 + s->rational;
    double *const knots = malloc(num * sizeof *knots);
    SISLSurf *surface = NULL;

    for (unsigned i = 0; knots && i < num; i++)
        knots[i] = i <= s->degree     ? 0
                   : i >= s->controls ? 1
                                      : (double)(i - s->degree) / (s->controls - s->degree);
    if (knots) {
        double *const points =
            (double *)s->points + number * s->controls * s->controls * coords; /* copied */
        surface = newSurf((int)s->controls, (int)s->controls, (int)s->degree + 1,
                          (int)s->degree + 1, knots, knots, points, s->rational ? 2 : 1, 3, 1);
    }
    free(knots);
    return surface;
}

/* The distance at parameters, if it is less. */
static void look_at(SISLSurf *surface, double *t, const double *point, double *least)
{
    double at[3], normal[3], square = 0;
    int left[2] = {0, 0}, status = 0;

    s1421(surface, 0, t, &left[0], &left[1], at, normal, &status);
    if (status < 0) return;
    for (int k = 0; k < 3; k++)
        square += (at[k] - point[k]) * (at[k] - point[k]);
    *least = fmin(*least, sqrt(square));
}

static int search(SISLSurf *surface, const double *query, double *least)
{
    double point[3] = {query[0], query[1], query[2]}, *params = NULL;
    int num = 0, num_curves = 0, status = 0;
    SISLIntcurve **curves = NULL;

    s1954(surface, point, 3, resolution, resolution, &num, &params, &num_curves, &curves, &status);
    for (int i = 0; i < num && status >= 0; i++)
        look_at(surface, params + 2 * i, query, least);
    for (int i = 0; i < num_curves && status >= 0; i++)
        look_at(surface, curves[i]->epar1, query, least);
    free(params);
    if (curves) freeIntcrvlist(curves, num_curves);
    return status >= 0;
}

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

/* Goes through the surfaces, always the one that is nearest of those that are left. */
static int find(SISLSurf **surfaces, size_t num, double (*boxes)[6], const double *query,
                double *least)
{
    double done = -1;

    *least = INFINITY;
    for (;;) {
        size_t next = num;
        double near = *least;
        for (size_t i = 0; i < num; i++) {
            const double distance = distance_to(boxes[i], query) + 1e-15 * (double)i;
            if (distance > done && distance < near) {
                near = distance;
                next = i;
            }
        }
        if (next == num) return 1;
        done = near;
        if (!search(surfaces[next], query, least)) return 0;
    }
}

int host_nearest_sisl(const host_nearest_surfaces *s, const double *queries, size_t num,
                      double *distances)
{
    SISLSurf **const surfaces = calloc(s->num, sizeof *surfaces);
    double(*const boxes)[6] = malloc(s->num * sizeof *boxes);
    int good = surfaces && boxes;

    for (size_t i = 0; i < s->num && good; i++) {
        surfaces[i] = surface_of(s, i);
        find_box(s, i, boxes[i]);
        good = surfaces[i] != NULL;
    }
    for (size_t i = 0; i < num && good; i++)
        good = find(surfaces, s->num, boxes, queries + 3 * i, &distances[i]);
    for (size_t i = 0; i < s->num && surfaces; i++)
        if (surfaces[i]) freeSurf(surfaces[i]);
    free(surfaces);
    free(boxes);
    return good;
}
