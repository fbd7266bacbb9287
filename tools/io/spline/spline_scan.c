#include "spline_scan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "array.h"

bool spline_scan_memory(scanner *s)
{
    return scanner_fail(s, s->line, "not enough memory for this file");
}

bool spline_scan_room(scanner *s, uint64_t numbers)
{
    if (scanner_can_hold(s, numbers)) return true;
    return scanner_fail(s, s->word_line,
                        "the file is too short for the %llu numbers announced here",
                        (unsigned long long)numbers);
}

bool spline_scan_append(scanner *s, double **reals, size_t *count, size_t *capacity, double value)
{
    double *moved = array_reserve(*reals, capacity, *count + 1, sizeof(double));
    if (!moved) return spline_scan_memory(s);
    *reals = moved;
    moved[(*count)++] = value;
    return true;
}

bool spline_scan_weight(scanner *s, double weight)
{
    if (!(weight > 0)) return scanner_fail(s, s->word_line, "the weight %g is not above 0", weight);
    if (s->floats && !((float)weight > 0))
        return scanner_fail(s, s->word_line,
                            "the weight %g is too small for a float; use --precision f64", weight);
    return true;
}

static bool are_equal(const double *values, size_t num)
{
    for (size_t i = 1; i < num; i++)
        if (values[i] != values[0]) return false;
    return true;
}

bool spline_scan_weigh(scanner *s, spline *p, const double *weights, size_t num, uint64_t line)
{
    const size_t dim = p->type.dim;
    if (are_equal(weights, num)) return true;
    double *to = malloc(num * (dim + 1) * sizeof(double));
    if (!to) return spline_scan_memory(s);
    const double largest = s->floats ? FLT_MAX : DBL_MAX;
    bool fits = true;
    for (size_t i = 0; i < num; i++) {
        for (size_t k = 0; k < dim; k++) {
            to[i * (dim + 1) + k] = p->points[i * dim + k] * weights[i];
            if (!(fabs(to[i * (dim + 1) + k]) <= largest)) fits = false;
        }
        to[i * (dim + 1) + dim] = weights[i];
    }
    free(p->points);
    p->points = to;
    p->num_reals = num * (dim + 1);
    p->type.rational = true;
    return fits || scanner_fail(s, line, "a point times its weight is too large%s",
                                s->floats ? " for a float; use --precision f64" : "");
}

bool spline_scan_knots(scanner *s, const spline_type *type, uint32_t direction, uint64_t line)
{
    size_t which;
    const char *defect = spline_knot_defect(type, direction, &which);
    if (!defect) return true;
    if (type->directions == 1)
        return scanner_fail(s, line, "knot %lu %s", (unsigned long)which, defect);
    return scanner_fail(s, line, "knot %lu along %c %s", (unsigned long)which, "uvw"[direction],
                        defect);
}
