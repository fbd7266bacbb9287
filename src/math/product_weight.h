/* Weights of products of polynomials in Bernstein form. */
#ifndef CLSPI_PRODUCT_WEIGHT_H
#define CLSPI_PRODUCT_WEIGHT_H

#include <stdint.h>

/* Computes C(a, i) C(b, k - i) / C(a + b, k), by factors near 1: the share of coefficients i and
   k - i in coefficient k of a product of degrees a and b (Farin, Curves and Surfaces for CAGD,
   5.10). 0 where there is no such pair. */
double clspi_product_weight(uint32_t a, uint32_t b, uint32_t i, uint32_t k);

#endif
