#include "spline_place.h"

/* The parts of a basis. */
typedef struct parts {
    uint32_t spans;
    const double *numbers, *knots, *factors, *coefficients;
} parts;

static parts parts_of(const clspi_spline_axis *axis)
{
    parts p = {.spans = (uint32_t)axis->basis[0], .numbers = axis->basis + 1};

    p.knots = p.numbers + p.spans;
    p.factors = p.knots + 2 * ((size_t)p.spans + 1);
    p.coefficients = p.factors + 2 * (size_t)axis->controls;
    return p;
}

size_t clspi_spline_reals(const clspi_spline_axis *axis)
{
    const parts p = parts_of(axis);
    const size_t order = (size_t)axis->degree + 1, less = order - 1,
                 least = less > 0 ? less - 1 : 0;

    return (size_t)(p.coefficients - axis->basis) +
           p.spans * (order * order + less * less + least * least);
}

/* Finds the last of `count` increasing numbers that is x[0] + x[1] or less. */
static uint32_t find(const double *numbers, uint32_t count, const double x[2])
{
    uint32_t low = 0;

    while (count > 1) {
        const uint32_t half = count / 2, k = low + half;
        const bool is_beyond = (x[0] - numbers[k]) + x[1] < 0;
        low = is_beyond ? low : k;
        count = is_beyond ? half : count - half;
    }
    return low;
}

/* Tells whether x is the knot behind span k but for the knot's rounding, and not the one before. */
static bool is_at_next(const clspi_spline_axis *axis, const parts *p, uint32_t k, double x)
{
    return k + 1 < p->spans && clspi_rounded(axis->is_double, p->knots[k + 1]) == x &&
           clspi_rounded(axis->is_double, p->knots[k]) != x;
}

/* Says where x is on span k. */
static void take_place(const parts *p, uint32_t k, const double x[2], clspi_point_place *place,
                       size_t point)
{
    const double t = (x[0] - p->knots[k]) + x[1], s = (p->knots[k + 1] - x[0]) - x[1];

    place->first[point] = (size_t)p->numbers[k];
    place->factors[point] = p->factors + place->first[point];
    place->t[point] = t > 0 ? t : 0;
    place->s[point] = s > 0 ? s : t > 0 ? 0 : 1;
}

bool clspi_spline_places(const clspi_spline_axis *axis, uint32_t most, const double x[2],
                         uint32_t first, clspi_point_place *places, size_t point)
{
    const parts p = parts_of(axis);
    const double number[2] = {(double)first - 1, 0};
    const uint32_t k = first > 0 ? find(p.numbers, p.spans, number) : find(p.knots, p.spans, x);
    const bool is_next = first == 0 && is_at_next(axis, &p, k, x[0]);
    const uint32_t times = is_next ? (uint32_t)(p.numbers[k + 1] - p.numbers[k]) : 0;
    const double *coefficients = p.coefficients;

    for (uint32_t by = 0; by <= most && by <= axis->degree; by++) {
        const size_t order = (size_t)axis->degree + 1 - by;
        const uint32_t span = is_next && times + by > axis->degree ? k + 1 : k;
        take_place(&p, span, x, &places[by], point);
        places[by].functions[point] = coefficients + span * order * order;
        coefficients += p.spans * order * order;
    }
    return is_next;
}
