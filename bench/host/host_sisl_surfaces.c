#include <math.h>
#include <sisl.h>
#include <stdlib.h>

#include "host_nearest_boxes.h"

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

static int search(void *surfaces, size_t number, const double *query, double *least)
{
    SISLSurf *const surface = ((SISLSurf **)surfaces)[number];
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

int host_nearest_sisl(const host_nearest_surfaces *s, const double *queries, size_t num,
                      double *distances)
{
    SISLSurf **const surfaces = calloc(s->num, sizeof *surfaces);
    int good = surfaces != NULL;

    for (size_t i = 0; i < s->num && good; i++) {
        surfaces[i] = surface_of(s, i);
        good = surfaces[i] != NULL;
    }
    good = good && host_nearest_by_boxes(s, queries, num, search, surfaces, distances);
    for (size_t i = 0; i < s->num && surfaces; i++)
        if (surfaces[i]) freeSurf(surfaces[i]);
    free(surfaces);
    return good;
}
