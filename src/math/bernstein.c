#include "bernstein.h"

/* Starts at the mode, the largest value, with 1, walks outwards by the ratio of neighbours
       B_{k+1} / B_k = (n - k) / (k + 1) * t / (1 - t)
   and divides by the sum, which is 1 for the true values. Nothing overflows: all values are at most
   the first, up to the rounding of where the mode lies. bernstein.cl does the same on a device. */
void clspi_bernstein(double *values, uint32_t degree, double x, double y)
{
    const double guess =
        ((double)degree + 1.0) * (x / (x + y)); /* any start near the mode will do */
    const uint32_t mode = guess < degree ? (uint32_t)guess : degree;
    double sum = 1.0;

    values[mode] = 1.0;
    for (uint32_t k = mode; k < degree; k++) {
        values[k + 1] = values[k] * ((double)(degree - k) * x) / ((double)(k + 1) * y);
        sum += values[k + 1];
    }
    for (uint32_t k = mode; k > 0; k--) {
        values[k - 1] = values[k] * ((double)k * y) / ((double)(degree - k + 1) * x);
        sum += values[k - 1];
    }
    for (uint32_t k = 0; k <= degree; k++)
        values[k] /= sum;
}
