/* Conversions: the control points of a spline, or of a derivative of one, over other knots that
   describe it too, as sums of those that it has (docs/math.md, 16). */
#ifndef CLSPI_CONVERSION_H
#define CLSPI_CONVERSION_H

#include <stddef.h>

#include "knots.h"

/* From the by-th derivative of splines over some knots. Both must live as long. */
typedef struct clspi_conversion {
    const clspi_knots *from, *to;
    uint32_t by; /* at most the degree */
} clspi_conversion;

/* Looks for what the knots `to` lack: a degree, a domain within that of `from`, and at each knot of
   `from` within it as many as the spline's smoothness there needs. `knot`: a number of to's knots,
   or for what to lacks of from's. */
clspi_knot_defect clspi_conversion_check(const clspi_conversion *conversion);

/* Returns the terms of a row. */
uint32_t clspi_conversion_terms(const clspi_conversion *conversion);

/* Returns the doubles that clspi_conversion_row works in. */
size_t clspi_conversion_scratch(const clspi_conversion *conversion);

/* Computes a row of a conversion that has passed the check, row < to->controls: the weights of the
   control points of the derivative, as clspi_knots_values has them, from the returned number on.
   They sum to 1, and are not negative where the knots outside of to's domain are among those that
   from would have with the same knots inside. */
uint32_t clspi_conversion_row(const clspi_conversion *conversion, uint32_t row, double *weights,
                              double *scratch);

/* Computes a row of a derivative's conversion, by above 0, in terms of the first differences of the
   spline's control points, degree of them, from the returned number on. */
uint32_t clspi_conversion_difference_row(const clspi_conversion *conversion, uint32_t row,
                                         double *weights, double *scratch);

/* Computes a row in terms of the control points of the spline itself, degree + 1 of them, from the
   returned number on. */
uint32_t clspi_conversion_full_row(const clspi_conversion *conversion, uint32_t row,
                                   double *weights, double *scratch);

#endif
