/* Where a parameter is on a spline, by the functions of its spans (docs/math.md, 13).

   The basis of a direction with s spans, n control points and degree p is
     [0]                                s
     [s]                                the number of the first control point that counts
     [s + 1]                            the knots where spans begin and the last one ends
     [s + 1]                            what these have lost by rounding: nothing
     [2][n]                             the factors of first and second differences
     [s][p + 1][p + 1], [s][p][p], ..   Bernstein coefficients of the functions of degree p, p - 1
                                        and p - 2 on each span, a row for each function */
#ifndef CLSPI_SPLINE_PLACE_H
#define CLSPI_SPLINE_PLACE_H

#include "patch_jets.h"

/* Returns x as a double or as a float. */
static inline double clspi_rounded(bool is_double, double x)
{
    return is_double ? x : (double)(float)x;
}

/* What finds the places of a direction. */
typedef struct clspi_spline_axis {
    const double *basis;
    uint32_t controls, degree;
    bool is_double; /* parameters are, else floats */
} clspi_spline_axis;

/* Returns the reals of a direction's basis. */
size_t clspi_spline_reals(const clspi_spline_axis *axis);

/* Finds the places of a parameter x[0] + x[1], where x[0] is rounded, for sums of orders up to
   `most`, as number `point` of each: where something jumps at a knot that x[0] is but for the
   knot's rounding, in the span that begins there. first: 1 more than the number of the first
   control point that counts; 0: the parameter tells. Returns whether places may differ. */
bool clspi_spline_places(const clspi_spline_axis *axis, uint32_t most, const double x[2],
                         uint32_t first, clspi_point_place *places, size_t point);

#endif
