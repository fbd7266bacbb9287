#include "place_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nearest_query.h"

enum { BITS = 10, CELLS = 1 << BITS, AXES = 3, PASSES = 3, DIGIT = 10, DIGITS = 1 << DIGIT };

/* Puts two zeros between the bits of a number. */
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

/* Finds the box of the points that are numbers, as its least corner and cells a length. */
static void find_box(const clspi_places *p, double low[AXES], double per_cell[AXES])
{
    for (uint32_t k = 0; k < AXES; k++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; k < p->dim && i < p->num; i++) {
            const double x = clspi_real_at(p->f64, p->points, i * p->dim + k);
            if (!(fabs(x) < (double)INFINITY)) continue;
            least = fmin(least, x);
            most = fmax(most, x);
        }
        low[k] = least;
        per_cell[k] = most > least ? CELLS / (most - least) : 0;
    }
}

static uint32_t key_of(const clspi_places *p, size_t i, const double *low, const double *per_cell)
{
    uint32_t key = 0;

    for (uint32_t k = 0; k < AXES && k < p->dim; k++) {
        const double x = (clspi_real_at(p->f64, p->points, i * p->dim + k) - low[k]) * per_cell[k];
        const uint32_t cell = !(x > 0) ? 0 : x < CELLS - 1 ? (uint32_t)x : CELLS - 1;
        key |= spread(cell) << k;
    }
    return key;
}

/* Sorts numbers by one digit of their keys. */
static void sort_digit(const uint32_t *keys, const uint32_t *from, uint32_t *to, size_t num,
                       unsigned shift)
{
    size_t count[DIGITS + 1] = {0};

    for (size_t i = 0; i < num; i++)
        count[(keys[from[i]] >> shift & (DIGITS - 1)) + 1]++;
    for (int i = 0; i < DIGITS; i++)
        count[i + 1] += count[i];
    for (size_t i = 0; i < num; i++)
        to[count[keys[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

bool clspi_place_order(const clspi_places *places, uint32_t *order)
{
    const size_t num = places->num;
    uint32_t *const keys = malloc((2 * num + 1) * sizeof *keys), *from = order, *to = keys + num;
    double low[AXES], per_cell[AXES];

    if (!keys) return false;
    find_box(places, low, per_cell);
    for (size_t i = 0; i < num; i++) {
        keys[i] = key_of(places, i, low, per_cell);
        order[i] = (uint32_t)i;
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        uint32_t *const sorted = to;
        sort_digit(keys, from, to, num, pass * DIGIT);
        to = from;
        from = sorted;
    }
    if (from != order) memcpy(order, from, num * sizeof *order);
    free(keys);
    return true;
}
