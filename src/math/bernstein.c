#include "bernstein.h"

#include <math.h>

/* Adds x to a sum kept in two parts (Neumaier): *rest gets what *sum lost. */
static void add(double *sum, double *rest, double x)
{
    const double s = *sum + x;

    *rest += fabs(*sum) >= fabs(x) ? (*sum - s) + x : (x - s) + *sum;
    *sum = s;
}

void clspi_sum_to_one(double *values, uint32_t num)
{
    double lack = 1.0, rest = 0.0;
    uint32_t largest = 0;

    for (uint32_t k = 0; k < num; k++) {
        add(&lack, &rest, -values[k]);
        if (values[k] > values[largest]) largest = k;
    }
    values[largest] += lack + rest;
}

/* Starts at the mode, the largest value, with 1, walks outwards by the ratio of neighbours
       B_{k+1} / B_k = (n - k) / (k + 1) * t / (1 - t)
   and divides by the sum, which is 1 for the true values. Nothing overflows: all values are at most
   the first, up to the rounding of where the mode lies. bernstein.cl does the same on a device. */
void clspi_bernstein(double *values, uint32_t degree, double x, double y)
{
    const double guess =
        ((double)degree + 1.0) * (x / (x + y)); /* any start near the mode will do */
    const uint32_t mode = guess < degree ? (uint32_t)guess : degree;
    double sum = 1.0, rest = 0.0;

    values[mode] = 1.0;
    for (uint32_t k = mode; k < degree; k++) {
        values[k + 1] = values[k] * ((double)(degree - k) * x) / ((double)(k + 1) * y);
        add(&sum, &rest, values[k + 1]);
    }
    for (uint32_t k = mode; k > 0; k--) {
        values[k - 1] = values[k] * ((double)k * y) / ((double)(degree - k + 1) * x);
        add(&sum, &rest, values[k - 1]);
    }
    sum += rest;
    for (uint32_t k = 0; k <= degree; k++)
        values[k] /= sum;
    clspi_sum_to_one(values, degree + 1);
}

void clspi_cut_f32(double *values, uint32_t num)
{
    for (uint32_t k = 0; k < num; k++)
        if (fabs(values[k]) < 0x1p-103) values[k] = 0.0;
}

void clspi_round_f32(double *values, uint32_t num)
{
    double lost = 0.0;
    uint32_t largest = 0;

    for (uint32_t k = 0; k < num; k++) {
        const double rounded = (double)(float)values[k];
        lost += values[k] - rounded;
        values[k] = rounded;
        if (fabs(rounded) > fabs(values[largest])) largest = k;
    }
    if (num > 0) values[largest] = (double)(float)(values[largest] + lost);
}
