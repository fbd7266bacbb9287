/* The weights by which products of polynomials in Bernstein form are summed: of the squared
   distance of a point to a Bezier segment, and of its derivative (docs/math.md, 14). */
#ifndef CLSPI_PRODUCT_WEIGHTS_H
#define CLSPI_PRODUCT_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the weights of segments of degree p >= 1, and returns how many there are; w may be NULL:
     [2p + 1][p + 1]  C(p, i) C(p, k - i) / C(2p, k), doubled for i below k - i
   of rational segments then
     [3p][2p]         C(2p - 1, k) C(p, l - k) / C(3p - 1, l)
     [3p][2p + 1]     C(2p, k) C(p - 1, l - k) / C(3p - 1, l)
   0 where there is no such product. */
size_t clspi_product_weights(double *w, uint32_t p, bool rational);

#endif
