#include "step_trim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "spline_scan.h"

#define SLACK 1e-9 /* of a domain, a weight, or the size of a surface */

void step_trim_begin(step_trim *t, step_file *f)
{
    *t = (step_trim){.f = f, .edge = {.f = f}, .budget = 16 * (uint64_t)(f->end - f->text)};
}

void step_trim_end(step_trim *t)
{
    step_spline_clear(&t->edge);
    free(t->bounds);
    free(t->edges);
}

/* Pays for what was read of an instance; false where it was too much. */
static bool spend(step_trim *t, const step_instance *of)
{
    const char *const from = t->f->text + of->at;
    const uint64_t bytes = t->f->at > from ? (uint64_t)(t->f->at - from) : 0;
    if (t->f->s->failed || t->budget < bytes) return false;
    t->budget -= bytes;
    return true;
}

/* Goes to a parameter of a simple instance, whose keyword is then in the scanner's word. */
static bool go_to(step_trim *t, size_t which, int skipped)
{
    if (which == STEP_NONE) return false;
    const step_instance *const of = &t->f->instances[which];
    if (of->kind == STEP_POINT || of->kind == STEP_DIRECTION) return false;
    step_begin(t->f, of);
    return !t->f->is_complex && step_record(t->f) && step_skip(t->f, skipped) && spend(t, of);
}

static bool is_named(const step_trim *t, const char *keyword)
{
    return strcmp(t->f->s->word, keyword) == 0;
}

/* Collects the references of a list. False where there is something else. */
static bool collect(step_trim *t, size_t **list, size_t *capacity, size_t *num)
{
    *num = 0;
    if (!step_is_list(t->f)) return false;
    step_list(t->f);
    for (size_t n = 0; step_item(t->f, &n); *num = n) {
        size_t *moved = array_reserve(*list, capacity, n, sizeof(*moved));
        if (!moved) return spline_scan_memory(t->f->s);
        *list = moved;
        if (!step_may_refer(t->f, &moved[n - 1])) return false;
    }
    return !t->f->s->failed;
}

/* ---- sides of a surface ---- */

/* A row of control points at an end of a direction. */
typedef struct side {
    const step_spline *of;
    uint32_t along;       /* the direction in which it runs */
    size_t first, stride; /* of its control points */
} side;

/* Finds a side, 0 to 3. False where the surface does not end in its control points. */
static bool find_side(const step_spline *of, uint32_t number, side *found)
{
    const spline_type *const type = &of->made.type;
    const uint32_t across = number / 2, degree = type->degree[across];
    const uint32_t num = type->num_controls[across];
    const double *const knots = type->knots[across] + (number % 2 ? num : 0);
    if (knots[0] != knots[degree]) return false;
    *found = (side){of, 1 - across, number % 2 ? (num - 1) * of->made.step[across] : 0,
                    of->made.step[1 - across]};
    return true;
}

static const double *side_point(const side *s, uint32_t i)
{
    const spline *const made = &s->of->made;
    return made->points + (s->first + i * s->stride) * made->type.dim;
}

static bool same_point(const double *a, const double *b, uint32_t dim, double slack)
{
    for (uint32_t k = 0; k < dim; k++)
        if (!(fabs(a[k] - b[k]) <= slack)) return false;
    return true;
}

static double weight_of(const step_spline *of, size_t i)
{
    return of->num_weights > 0 ? of->weights[i] : 1;
}

/* A knot where the domain is [0, 1]. */
static double knot_at(const spline_type *type, uint32_t direction, uint32_t i)
{
    const double *const knots = type->knots[direction];
    const double begin = knots[type->degree[direction]];
    return (knots[i] - begin) / (knots[type->num_controls[direction]] - begin);
}

/* Whether a curve has the knots of a side, forward or backward. */
static bool has_knots(const side *s, const spline_type *own, bool backward)
{
    const spline_type *const type = &s->of->made.type;
    const uint32_t last = own->num_controls[0] + own->degree[0];
    for (uint32_t i = 0; i <= last; i++) {
        const double knot = backward ? 1 - knot_at(own, 0, last - i) : knot_at(own, 0, i);
        if (!(fabs(knot - knot_at(type, s->along, i)) <= SLACK)) return false;
    }
    return true;
}

/* Whether a curve is the one of a side, forward or backward. */
static bool is_side(const side *s, const step_spline *curve, bool backward, double slack)
{
    const spline_type *const type = &s->of->made.type, *const own = &curve->made.type;
    const uint32_t num = own->num_controls[0];
    if (num != type->num_controls[s->along] || own->degree[0] != type->degree[s->along])
        return false;
    if (own->dim != type->dim || !has_knots(s, own, backward)) return false;
    const double first = weight_of(s->of, s->first);
    const double own_first = weight_of(curve, backward ? num - 1 : 0);
    for (uint32_t i = 0; i < num; i++) {
        const size_t j = backward ? num - 1 - i : i;
        const double weight = weight_of(s->of, s->first + i * s->stride) / first;
        const double own_weight = weight_of(curve, j) / own_first;
        const double *const own_point = curve->made.points + j * type->dim;
        if (!same_point(side_point(s, i), own_point, type->dim, slack)) return false;
        if (!(fabs(weight - own_weight) <= SLACK * weight)) return false;
    }
    return true;
}

/* Whether a curve is one of the sides of a surface. */
static bool is_any_side(const step_spline *of, const step_spline *curve, double slack)
{
    side s;
    for (uint32_t i = 0; i < 4; i++)
        if (find_side(of, i, &s) &&
            (is_side(&s, curve, false, slack) || is_side(&s, curve, true, slack)))
            return true;
    return false;
}

/* Whether a side of a surface is the line between two points. */
static bool is_any_line(const step_spline *of, const double *a, const double *b, double slack)
{
    const spline_type *const type = &of->made.type;
    side s;
    for (uint32_t i = 0; i < 4; i++) {
        if (!find_side(of, i, &s) || type->num_controls[s.along] != 2 || type->dim != STEP_DIM)
            continue;
        const double *const p = side_point(&s, 0), *const q = side_point(&s, 1);
        if (same_point(p, a, STEP_DIM, slack) && same_point(q, b, STEP_DIM, slack)) return true;
        if (same_point(p, b, STEP_DIM, slack) && same_point(q, a, STEP_DIM, slack)) return true;
    }
    return false;
}

/* What points may be off: SLACK of the largest side of the control points' box. */
static double slack_of(const step_spline *of)
{
    const spline *const made = &of->made;
    const uint32_t dim = made->type.dim;
    double size = 0;
    for (uint32_t k = 0; k < dim; k++) {
        double low = made->points[k], high = low;
        for (size_t at = k; at < made->num_reals; at += dim) {
            low = fmin(low, made->points[at]);
            high = fmax(high, made->points[at]);
        }
        size = fmax(size, high - low);
    }
    return SLACK * size;
}

/* ---- edges ---- */

/* Gives the coordinates of a VERTEX_POINT; NULL where it is none. */
static const double *vertex_point(step_trim *t, size_t which)
{
    size_t point;
    if (!go_to(t, which, 1) || !is_named(t, "VERTEX_POINT")) return NULL;
    if (!step_may_refer(t->f, &point) || point == STEP_NONE) return NULL;
    const step_instance *const of = &t->f->instances[point];
    return of->kind == STEP_POINT ? t->f->points + of->at : NULL;
}

/* Finds the curve in space of an edge's geometry. */
static size_t find_curve(step_trim *t, size_t which)
{
    for (int i = 0; i < 4 && which != STEP_NONE; i++) {
        if (t->f->instances[which].kind != STEP_SURFACE_CURVE) return which;
        if (!go_to(t, which, 1) || !step_may_refer(t->f, &which)) return STEP_NONE;
    }
    return STEP_NONE;
}

/* Whether an ORIENTED_EDGE lies on a side of a surface. */
static bool lies_on_side(step_trim *t, size_t oriented, const step_spline *of)
{
    size_t edge, ends[2], curve;
    if (!go_to(t, oriented, 3) || !is_named(t, "ORIENTED_EDGE") || !step_may_refer(t->f, &edge))
        return false;
    if (!go_to(t, edge, 1) || !is_named(t, "EDGE_CURVE") || !step_may_refer(t->f, &ends[0]) ||
        !step_comma(t->f) || !step_may_refer(t->f, &ends[1]) || !step_comma(t->f) ||
        !step_may_refer(t->f, &curve))
        return false;
    curve = find_curve(t, curve);
    if (curve == STEP_NONE) return false;
    const step_instance *const shape = &t->f->instances[curve];
    if (shape->kind == STEP_CURVE)
        return step_spline_read(&t->edge, shape) && spend(t, shape) &&
               is_any_side(of, &t->edge, t->slack);
    if (!go_to(t, curve, 0) || !is_named(t, "LINE")) return false;
    const double *const a = vertex_point(t, ends[0]), *const b = vertex_point(t, ends[1]);
    return a && b && is_any_line(of, a, b, t->slack);
}

/* Whether all edges of a face's bound lie on sides of its surface; that may also be a vertex. */
static bool is_outer(step_trim *t, size_t bound, const step_spline *of)
{
    size_t loop, num;
    if (!go_to(t, bound, 1) || !(is_named(t, "FACE_OUTER_BOUND") || is_named(t, "FACE_BOUND")) ||
        !step_may_refer(t->f, &loop) || !go_to(t, loop, 1))
        return false;
    if (is_named(t, "VERTEX_LOOP")) return true;
    if (!is_named(t, "EDGE_LOOP") || !collect(t, &t->edges, &t->edge_capacity, &num)) return false;
    for (size_t i = 0; i < num; i++)
        if (!lies_on_side(t, t->edges[i], of)) return false;
    return true;
}

static bool is_whole_face(step_trim *t, size_t face, const step_spline *of)
{
    size_t num;
    if (t->budget < of->made.num_reals) return false;
    t->budget -= of->made.num_reals;
    t->slack = slack_of(of);
    if (!go_to(t, face, 1) || !collect(t, &t->bounds, &t->bound_capacity, &num)) return false;
    for (size_t i = 0; i < num; i++)
        if (!is_outer(t, t->bounds[i], of)) return false;
    return num > 0;
}

/* ---- parts of parameters ---- */

static bool is_whole_domain(const spline *s, uint32_t direction, double a, double b)
{
    const double begin = spline_begin(&s->type, direction), end = spline_end(&s->type, direction);
    const double slack = SLACK * (end - begin);
    return fmin(a, b) <= begin + slack && fmax(a, b) >= end - slack;
}

/* Takes a list that has PARAMETER_VALUE(number) and may have a point too. */
static bool take_parameter(step_trim *t, double *value)
{
    static const char word[] = "PARAMETER_VALUE";
    step_file *const f = t->f;
    bool found = false;
    if (!step_is_list(f)) return false;
    step_list(f);
    for (size_t n = 0; step_item(f, &n);) {
        if (!step_is_word(f, word)) {
            if (!step_value(f)) return false;
            continue;
        }
        if (!step_list(f) || !step_real(f, "a parameter", value) || !step_end(f)) return false;
        found = true;
    }
    return found && !f->s->failed;
}

static bool is_whole_curve(step_trim *t, size_t user, const spline *s)
{
    double a, b;
    return go_to(t, user, 2) && take_parameter(t, &a) && step_comma(t->f) &&
           take_parameter(t, &b) && is_whole_domain(s, 0, a, b);
}

static bool is_whole_rectangle(step_trim *t, size_t user, const spline *s)
{
    double ends[4];
    if (!go_to(t, user, 2)) return false;
    for (int i = 0; i < 4; i++)
        if (!step_real(t->f, "a parameter", &ends[i]) || !step_comma(t->f)) return false;
    return is_whole_domain(s, 0, ends[0], ends[1]) && is_whole_domain(s, 1, ends[2], ends[3]);
}

bool step_trim_is_whole(step_trim *t, size_t user, const step_spline *of)
{
    switch (t->f->instances[user].kind) {
    case STEP_FACE:
        return is_whole_face(t, user, of);
    case STEP_TRIMMED_CURVE:
        return is_whole_curve(t, user, &of->made);
    default:
        return is_whole_rectangle(t, user, &of->made);
    }
}
