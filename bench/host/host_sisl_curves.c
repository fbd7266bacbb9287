#include <math.h>
#include <sisl.h>
#include <stdlib.h>

#include "host_curves.h"

/* s1953 applies it to squared distances: with less it misses minima near the curve. */
static const double resolution = 1e-9;

static SISLCurve *curve_of(const host_curve *c)
{
    const unsigned num = c->num_controls + c->degree + 1;
    double *const knots = malloc(num * sizeof *knots);
    SISLCurve *curve = NULL;

    for (unsigned i = 0; knots && i < num; i++)
        knots[i] = i <= c->degree         ? 0
                   : i >= c->num_controls ? 1
                                          : (double)(i - c->degree) / (c->num_controls - c->degree);
    if (knots) {
        double *const controls = (double *)c->controls; /* they are copied */
        curve =
            newCurve((int)c->num_controls, (int)c->degree + 1, knots, controls, 1, (int)c->dim, 1);
    }
    free(knots);
    return curve;
}

/* The distance at a parameter, if it is less. */
static void look_at(const host_curve *c, SISLCurve *curve, double t, const double *point,
                    double *least)
{
    double at[3], square = 0;
    int left = 0, status = 0;

    s1221(curve, 0, t, &left, at, &status);
    if (status < 0) return;
    for (unsigned k = 0; k < c->dim; k++)
        square += (at[k] - point[k]) * (at[k] - point[k]);
    *least = fmin(*least, sqrt(square));
}

static int all_minima(const host_curve *c, SISLCurve *curve, double *point, double *least)
{
    int num = 0, num_curves = 0, status = 0;
    double *params = NULL;
    SISLIntcurve **curves = NULL;

    s1953(curve, point, (int)c->dim, resolution, resolution, &num, &params, &num_curves, &curves,
          &status);
    *least = INFINITY;
    look_at(c, curve, 0, point, least);
    look_at(c, curve, 1, point, least);
    for (int i = 0; i < num && status >= 0; i++)
        look_at(c, curve, params[i], point, least);
    for (int i = 0; i < num_curves && status >= 0; i++)
        look_at(c, curve, curves[i]->epar1[0], point, least);
    free(params);
    if (curves) freeIntcrvlist(curves, num_curves);
    return status >= 0;
}

int host_sisl_project(const host_curve *c, host_search search, const double *points, size_t num,
                      double *distances)
{
    SISLCurve *const curve = curve_of(c);
    int good = curve != NULL;

    for (size_t i = 0; i < num && good; i++) {
        double point[3] = {0}, param = 0;
        int status = 0;
        for (unsigned k = 0; k < c->dim; k++)
            point[k] = points[i * c->dim + k];
        if (search == HOST_ALL_MINIMA) {
            good = all_minima(c, curve, point, &distances[i]);
            continue;
        }
        s1957(curve, point, (int)c->dim, resolution, resolution, &param, &distances[i], &status);
        good = status >= 0;
    }
    if (curve) freeCurve(curve);
    return good;
}
