#include "uniform_curve.h"

typedef double real;
#define REAL_BYTES 8
#include "vectors_real.h"

_Static_assert((int)LANES <= (int)CLSPI_UNIFORM_SPARE, "vectors end in spare points");

static const double count_up[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Makes the Bernstein values at samples first, first + 1, .. by the triangle of de Casteljau. One
   in the middle is what the others' sum lacks of 1; at the ends it is 0. */
CLSPI_INLINE void make_values(vec *b, uint32_t degree, double first, double steps)
{
    const vec number = all_lanes(first) + load_vec(count_up);
    const vec t = number / steps, s = (steps - number) / steps;
    const uint32_t middle = (degree + 1) / 2;
    vec rest = all_lanes(1);

    b[0] = all_lanes(1);
    for (uint32_t n = 1; n <= degree; n++) {
        b[n] = t * b[n - 1];
        for (uint32_t k = n - 1; k > 0; k--)
            b[k] = s * b[k] + t * b[k - 1];
        b[0] = s * b[0];
    }
    for (uint32_t k = 0; k <= degree; k++)
        if (k != middle) rest = rest - b[k];
    b[middle] = rest;
}

/* Sums up one coordinate. */
CLSPI_INLINE vec sum_up(const vec *b, uint32_t degree, const double *x, uint32_t numbers)
{
    vec q = b[0] * x[0];

    CLSPI_UNROLL(3)
    for (uint32_t k = 1; k <= degree; k++)
        q = q + b[k] * x[(size_t)k * numbers];
    return q;
}

/* Makes points whose coordinates vectors are interleaved of. */
CLSPI_INLINE void make_few(const clspi_uniform_curve *curve, const vec *b, uint32_t degree,
                           uint32_t numbers, double *out)
{
    vec e[INTERLEAVED_MAX];

    CLSPI_UNROLL(3)
    for (uint32_t c = 0; c < numbers; c++)
        e[c] = sum_up(b, degree, curve->points + c, numbers);
    interleave_lanes(e, (int)numbers);
    CLSPI_UNROLL(3)
    for (uint32_t c = 0; c < numbers; c++)
        store_vec(out + (size_t)c * LANES, e[c]);
}

/* Makes points of any numbers. */
CLSPI_INLINE void make_many(const clspi_uniform_curve *curve, const vec *b, double *out)
{
    double lane[LANES];

    for (uint32_t c = 0; c < curve->numbers; c++) {
        store_vec(lane, sum_up(b, curve->degree, curve->points + c, curve->numbers));
        for (size_t p = 0; p < LANES; p++)
            out[p * curve->numbers + c] = lane[p];
    }
}

void clspi_uniform_points(const clspi_uniform_curve *curve, uint32_t first, uint32_t count,
                          double *out)
{
    const double steps = curve->steps;
    vec b[CLSPI_UNIFORM_DEGREE + 1];

    for (uint32_t k = 0; k < count; k += LANES, out += (size_t)LANES * curve->numbers) {
        const double at = (double)first + k;
        if (curve->degree == 3 && curve->numbers == 3) {
            make_values(b, 3, at, steps);
            make_few(curve, b, 3, 3, out);
            continue;
        }
        make_values(b, curve->degree, at, steps);
        if (curve->numbers == 3)
            make_few(curve, b, curve->degree, 3, out);
        else
            make_many(curve, b, out);
    }
}
