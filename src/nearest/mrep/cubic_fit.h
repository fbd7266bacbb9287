/* The constant matrices by which a Bezier curve of any degree is approximated by a cubic
   (docs/math.md, 15). */
#ifndef CLSPI_CUBIC_FIT_H
#define CLSPI_CUBIC_FIT_H

#include <stddef.h>
#include <stdint.h>

/* Counts the weights for a degree above 0, which clspi_cubic_fit writes. */
size_t clspi_cubic_fit_size(uint32_t degree);

/* Writes the weights. Up to degree 3: [4][degree + 1], of control point j in control point k of the
   cubic that is the same curve. Above: [degree + 1][6], for each control point j its entries in
   rows 1 and 2 of the Gram matrix of Bernstein polynomials of degree 3 and `degree`, and the
   weights of a cubic's four control points in control point j of that cubic elevated to the degree.
 */
void clspi_cubic_fit(double *weights, uint32_t degree);

#endif
