#include "spline_scan.h"

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
