#include "iges_trim.h"

#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "spline_scan.h"

enum { LINE = 110, CURVE_ON_SURFACE = 142, DIM = 3 };

#define SLACK 1e-9 /* of a domain */

void iges_trim_begin(iges_trim *t, iges_file *f)
{
    *t = (iges_trim){.f = f, .budget = 16 * (uint64_t)f->num_data};
}

void iges_trim_end(iges_trim *t)
{
    free(t->bounds);
    free(t->curves);
}

/* Goes to the parameters of an entity that no matrix moves. False where its lines were read too
   often. */
static bool go_to(iges_trim *t, size_t which)
{
    const iges_entity *const of = &t->f->entities[which];
    const uint64_t bytes = 64 * (uint64_t)of->num;
    if (of->matrix != IGES_NONE || t->budget < bytes) return false;
    t->budget -= bytes;
    return iges_begin(t->f, of);
}

/* Collects pointers, as many as there are. False where one is missing. */
static bool collect(iges_trim *t, uint32_t num, size_t **list, size_t *capacity)
{
    for (size_t i = 0; i < num; i++) {
        size_t *moved = array_reserve(*list, capacity, i + 1, sizeof(*moved));
        if (!moved) return spline_scan_memory(t->f->s);
        *list = moved;
        if (!iges_pointer(t->f, &moved[i]) || moved[i] == IGES_NONE) return false;
    }
    return true;
}

/* The sides of a domain on which a place lies, as bits. */
static unsigned sides_at(const spline *of, const double *place)
{
    unsigned sides = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const double begin = spline_begin(&of->type, k), end = spline_end(&of->type, k);
        const double slack = SLACK * (end - begin);
        if (fabs(place[k] - begin) <= slack) sides |= 1u << 2 * k;
        if (fabs(place[k] - end) <= slack) sides |= 2u << 2 * k;
    }
    return sides;
}

/* Goes behind the weights of a B-spline curve, and tells how many control points follow. */
static bool skip_knots(iges_file *f, uint32_t *num)
{
    uint32_t last, degree;
    if (!iges_count(f, "the last index of control points", SPLINES_MAX_CONTROLS - 1, &last) ||
        !iges_count(f, "the degree", SPLINES_MAX_DEGREE, &degree))
        return false;
    *num = last + 1;
    return iges_skip(f, 4 + last + degree + 2 + last + 1);
}

/* Whether a curve in parameters lies on a side. */
static bool is_on_side(iges_trim *t, size_t which, const spline *of)
{
    uint32_t num = 2;
    double place[DIM] = {0};
    unsigned sides = 15;
    const uint32_t type = t->f->entities[which].type;
    if ((type != LINE && type != IGES_CURVE) || !go_to(t, which)) return false;
    if (type == IGES_CURVE && !skip_knots(t->f, &num)) return false;
    for (uint32_t i = 0; i < num && sides; i++) {
        for (int k = 0; k < DIM; k++)
            if (t->f->has_ended || !iges_real(t->f, "a coordinate", &place[k])) return false;
        sides &= sides_at(of, place);
    }
    return sides != 0;
}

/* Whether a boundary runs along the sides. */
static bool is_outer(iges_trim *t, size_t bound, const spline *of)
{
    size_t curve;
    uint32_t num;
    if (t->f->entities[bound].type != CURVE_ON_SURFACE || !go_to(t, bound) || !iges_skip(t->f, 2) ||
        !iges_pointer(t->f, &curve) || curve == IGES_NONE)
        return false;
    if (t->f->entities[curve].type != IGES_COMPOSITE_CURVE) return is_on_side(t, curve, of);
    if (!go_to(t, curve) || !iges_count(t->f, "a number of curves", IGES_MAX_TYPE, &num) ||
        !collect(t, num, &t->curves, &t->curve_capacity))
        return false;
    for (uint32_t i = 0; i < num; i++)
        if (!is_on_side(t, t->curves[i], of)) return false;
    return true;
}

bool iges_trim_is_whole(iges_trim *t, size_t user, const spline *of)
{
    uint32_t has_outer, num;
    size_t surface;
    if (!go_to(t, user) || !iges_pointer(t->f, &surface) ||
        !iges_count(t->f, "1 for an outer boundary or 0", 1, &has_outer) ||
        !iges_count(t->f, "the number of inner boundaries", IGES_MAX_TYPE, &num))
        return false;
    if (!has_outer && !iges_skip(t->f, 1)) return false;
    num += has_outer;
    if (!collect(t, num, &t->bounds, &t->bound_capacity)) return false;
    for (uint32_t i = 0; i < num; i++)
        if (!is_outer(t, t->bounds[i], of)) return false;
    return true;
}
