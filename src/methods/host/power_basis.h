/* Bernstein polynomials in powers of s = 2 t - 1, which is in [-1, 1] for t in [0, 1]: for the
   matrix method of Bezier patches (docs/math.md, 8). */
#ifndef CLSPI_POWER_BASIS_H
#define CLSPI_POWER_BASIS_H

#include <stdint.h>

enum { CLSPI_POWER_DEGREE_MAX = 64 };

/* Fills r, [degree + 1][degree + 1], with the coefficients of s^j in B_k^degree at [j][k], each
   within three roundings. degree <= CLSPI_POWER_DEGREE_MAX. */
void clspi_power_basis(double *r, uint32_t degree);

/* Sets values[k] = s^k, k = 0..order - 1, at sample a of a uniform grid of num samples from t =
   begin to t = end. */
void clspi_powers(double *values, uint32_t order, double begin, double end, uint32_t a,
                  uint32_t num);

#endif
