/* Part of the suites bezier, bspline and solid: grids at Gauss points beside uniform ones, and
   beside lists of the same parameters. */
#ifndef BENCH_GAUSS_AXES_H
#define BENCH_GAUSS_AXES_H

#include "bench.h"

/* Makes num Gauss points of [0, 1], rising. */
void gauss_points(double *points, size_t num);

/* Measure Bezier surfaces, with as many Gauss points in each, and a B-spline surface, with as many
   in each span. */
clsp_status gauss_axes_bezier(bench *b, const char *suite, clsp_type precision);
clsp_status gauss_axes_bspline(bench *b, const char *suite, clsp_type precision);

/* Reports two grids that were measured in turns, of so many points each. */
void gauss_axes_report(bench *b, bench_row row, const bench_contestant *uniform,
                       const bench_contestant *gauss, double points);

#endif
