#include "power_basis.h"

/* Multiplies a polynomial of degree n, given by its coefficients, by 1 + sign s. They stay integers
   of at most C(n + 1, j), below 2^63 for degrees to 66. */
static void multiply(int64_t *coefficients, uint32_t n, int sign)
{
    coefficients[n + 1] = 0;
    for (uint32_t j = n + 1; j > 0; j--)
        coefficients[j] += sign * coefficients[j - 1];
}

/* Multiplies out B_k^n = C(n, k) (1 + s)^k (1 - s)^(n - k) / 2^n. */
void clspi_power_basis(double *r, uint32_t degree)
{
    int64_t coefficients[CLSPI_POWER_DEGREE_MAX + 1];
    int64_t binomials[CLSPI_POWER_DEGREE_MAX + 1] = {1};

    for (uint32_t n = 0; n < degree; n++)
        multiply(binomials, n, 1);
    for (uint32_t k = 0; k <= degree; k++) {
        coefficients[0] = 1;
        for (uint32_t n = 0; n < degree; n++)
            multiply(coefficients, n, n < k ? 1 : -1);
        for (uint32_t j = 0; j <= degree; j++)
            r[j * (degree + 1) + k] = (double)binomials[k] * (double)coefficients[j] /
                                      (double)(UINT64_C(1) << (degree / 2)) /
                                      (double)(UINT64_C(1) << (degree - degree / 2));
    }
}

/* Makes s = 2 t - 1 within three roundings of the true one: on [0, 1] one, of a ratio of
   integers. */
void clspi_powers(double *values, uint32_t order, double begin, double end, uint32_t a,
                  uint32_t num)
{
    const double last = num > 1 ? num - 1 : 1, rest = last - a;
    const double s = ((2.0 * begin - 1.0) * rest + (2.0 * end - 1.0) * a) / last;
    double power = 1.0;

    for (uint32_t k = 0; k < order; k++, power *= s)
        values[k] = power;
}
