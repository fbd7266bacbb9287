/* The weights by which products of polynomials in Bernstein form are summed: of the squared
   distance of a point to a Bezier segment, and of its derivative (docs/math.md, 14). */
#ifndef CLSPI_PRODUCT_WEIGHTS_H
#define CLSPI_PRODUCT_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the weights of segments of degree p, 1 to 64, and returns how many there are; `to` may be
   NULL. Coefficient k of the product of two polynomials of degree p, x_i and y_j, is the sum over
   i + j = k of C(p, i) x_i C(p, j) y_j / C(2p, k). Powers of two keep all within float's range:
     [p + 1]   C(p, i) 2^-r
     [2p + 1]  2^2r / C(2p, k)
   of rational segments then
     [2p]      C(2p - 1, k) 2^-s
     [2p + 1]  C(2p, k) 2^-s
     [p]       C(p - 1, i) 2^-r
     [3p]      2^(r + s) / C(3p - 1, l) */
size_t clspi_product_weights(double *to, uint32_t p, bool rational);

#endif
