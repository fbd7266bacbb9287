#include "step_spline.h"

#include <stdlib.h>

#include "array.h"
#include "spline_scan.h"

/* Where an instance has what. */
typedef struct places {
    const char *basis, *knots, *weights; /* NULL: in no record */
    step_part rule;                      /* of the knots */
} places;

/* ---- control points ---- */

static bool find_places(step_spline *r, const step_instance *of, places *p)
{
    step_file *const f = r->f;
    *p = (places){.basis = NULL};
    step_begin(f, of);
    for (const step_word *word; (word = step_record(f));) {
        if (word->kind != of->kind) continue;
        if (word->part == STEP_WEIGHTS) p->weights = f->at;
        if (word->part == STEP_KNOTS) p->knots = f->at;
        if (word->part == STEP_BASIS || !f->is_complex) p->basis = f->at;
        if (word->part >= STEP_KNOTS && word->part <= STEP_CLAMPED) p->rule = word->part;
    }
    if (f->s->failed) return false;
    if (!p->basis) return step_fail(f, "a spline without control points");
    return p->rule != STEP_NOTHING || step_fail(f, "a spline without knots");
}

static bool add_point(step_spline *r)
{
    size_t which;
    spline *const p = &r->made;
    if (!step_reference(r->f, &which)) return false;
    if (which == STEP_NONE || r->f->instances[which].kind != STEP_POINT)
        return step_fail(r->f, "a control point that is no CARTESIAN_POINT of the file");
    const step_instance *const of = &r->f->instances[which];
    if (of->marks == 0) return step_fail(r->f, "a point of no coordinates");
    if (p->type.dim == 0) p->type.dim = of->marks;
    if (p->type.dim != of->marks)
        return step_fail(r->f, "a point of %u coordinates after one of %u", of->marks, p->type.dim);
    for (uint32_t k = 0; k < of->marks; k++)
        if (!spline_scan_append(r->f->s, &p->points, &p->num_reals, &p->point_capacity,
                                r->f->points[of->at + k]))
            return false;
    return true;
}

static bool add_weight(step_spline *r)
{
    double weight;
    return step_real(r->f, "a weight", &weight) && spline_scan_weight(r->f->s, weight) &&
           spline_scan_append(r->f->s, &r->weights, &r->num_weights, &r->weight_capacity, weight);
}

/* Reads a list, or a list of equally long lists, and gives the numbers of its items. */
static bool read_net(step_spline *r, bool (*add)(step_spline *r), uint32_t *num)
{
    step_file *const f = r->f;
    size_t rows = 0, columns = 1, n = 0;
    if (!step_list(f)) return false;
    while (step_item(f, &rows)) {
        if (r->made.type.directions == 1) {
            if (!add(r)) return false;
            continue;
        }
        if (!step_list(f)) return false;
        for (n = 0; step_item(f, &n);)
            if (!add(r)) return false;
        if (rows == 1) columns = n;
        if (n != columns)
            return step_fail(f, "a row of %lu items after one of %lu", (unsigned long)n,
                             (unsigned long)columns);
    }
    if (rows > SPLINES_MAX_CONTROLS || columns > SPLINES_MAX_CONTROLS)
        return step_fail(f, "more than %d control points", SPLINES_MAX_CONTROLS);
    num[0] = (uint32_t)rows;
    num[1] = (uint32_t)columns;
    return !f->s->failed;
}

/* Reads degrees and control points, and goes to the knots that follow in a simple instance. */
static bool read_basis(step_spline *r, const places *p)
{
    step_file *const f = r->f;
    spline_type *const type = &r->made.type;
    f->at = p->basis;
    if (!f->is_complex && !step_skip(f, 1)) return false;
    for (uint32_t k = 0; k < type->directions; k++)
        if (!step_count(f, "the degree", SPLINES_MAX_DEGREE, &type->degree[k]) || !step_comma(f))
            return false;
    if (!read_net(r, add_point, type->num_controls)) return false;
    for (uint32_t k = 0; k < type->directions; k++)
        if (type->num_controls[k] <= type->degree[k])
            return step_fail(f, "%u control points of degree %u", type->num_controls[k],
                             type->degree[k]);
    if (p->rule != STEP_KNOTS || f->is_complex) return true;
    return step_comma(f) && step_skip(f, type->directions == 1 ? 3 : 4);
}

/* ---- knots ---- */

static bool add_knot(step_spline *r, uint32_t direction, double knot, uint32_t times)
{
    spline *const p = &r->made;
    const size_t num = (size_t)p->type.num_controls[direction] + p->type.degree[direction] + 1;
    if (times > num - p->num_knots[direction])
        return step_fail(r->f, "more than the %lu knots of %u control points of degree %u",
                         (unsigned long)num, p->type.num_controls[direction],
                         p->type.degree[direction]);
    for (uint32_t i = 0; i < times; i++)
        if (!spline_scan_append(r->f->s, &p->type.knots[direction], &p->num_knots[direction],
                                &p->knot_capacity[direction], knot))
            return false;
    return true;
}

/* Makes the knots that a kind of splines has without naming them, as ISO 10303-42 defines them. */
static bool make_knots(step_spline *r, uint32_t direction, step_part rule)
{
    const uint32_t degree = r->made.type.degree[direction];
    const uint32_t num = r->made.type.num_controls[direction];
    const uint32_t piece = rule == STEP_BEZIER && degree > 0 ? degree : 1;
    if ((num - 1 - degree) % piece != 0)
        return step_fail(r->f, "%u control points are no Bezier pieces of degree %u", num, degree);
    const double last = (double)((num - 1 - degree) / piece + 1);
    for (uint32_t i = 0; i <= num + degree; i++) {
        double knot = i <= degree ? 0 : i >= num ? last : (double)((i - degree - 1) / piece + 1);
        if (rule == STEP_UNIFORM) knot = (double)i - degree;
        if (!add_knot(r, direction, knot, 1)) return false;
    }
    return true;
}

static bool read_times(step_spline *r, uint32_t direction)
{
    size_t *const num = &r->num_times[direction];
    *num = 0;
    if (!step_list(r->f)) return false;
    for (size_t n = 0; step_item(r->f, &n);) {
        uint32_t *moved =
            array_reserve(r->times[direction], &r->times_capacity[direction], n, sizeof(*moved));
        if (!moved) return spline_scan_memory(r->f->s);
        r->times[direction] = moved;
        if (!step_count(r->f, "a multiplicity", SPLINES_MAX_CONTROLS, &moved[n - 1])) return false;
        *num = n;
    }
    return !r->f->s->failed;
}

static bool read_values(step_spline *r, uint32_t direction)
{
    step_file *const f = r->f;
    const spline_type *const type = &r->made.type;
    const size_t num = (size_t)type->num_controls[direction] + type->degree[direction] + 1;
    double knot;
    size_t n = 0;
    if (!step_list(f)) return false;
    while (step_item(f, &n)) {
        if (n > r->num_times[direction]) return step_fail(f, "more knots than multiplicities");
        if (!step_real(f, "a knot", &knot) ||
            !add_knot(r, direction, knot, r->times[direction][n - 1]))
            return false;
    }
    if (f->s->failed) return false;
    if (n != r->num_times[direction]) return step_fail(f, "fewer knots than multiplicities");
    return r->made.num_knots[direction] == num ||
           step_fail(f, "%lu knots for %u control points of degree %u, not %lu",
                     (unsigned long)r->made.num_knots[direction], type->num_controls[direction],
                     type->degree[direction], (unsigned long)num);
}

static bool read_knots(step_spline *r, const places *p)
{
    step_file *const f = r->f;
    const uint32_t directions = r->made.type.directions;
    if (f->is_complex && p->rule == STEP_KNOTS) f->at = p->knots;
    for (uint32_t k = 0; k < directions; k++) {
        if (p->rule != STEP_KNOTS) {
            if (!make_knots(r, k, p->rule)) return false;
        } else if (!read_times(r, k) || !step_comma(f)) {
            return false;
        }
    }
    for (uint32_t k = 0; p->rule == STEP_KNOTS && k < directions; k++)
        if ((k > 0 && !step_comma(f)) || !read_values(r, k)) return false;
    for (uint32_t k = 0; k < directions; k++)
        if (!spline_scan_knots(f->s, &r->made.type, k, f->s->word_line)) return false;
    return true;
}

/* ---- splines ---- */

static bool read_weights(step_spline *r, const places *p)
{
    uint32_t num[2] = {0};
    const spline *const made = &r->made;
    r->num_weights = 0;
    if (!p->weights) return true;
    r->f->at = p->weights;
    if (!read_net(r, add_weight, num)) return false;
    if (num[0] != made->type.num_controls[0] || num[1] != made->type.num_controls[1])
        return step_fail(r->f, "%lu weights for %lu points", (unsigned long)r->num_weights,
                         (unsigned long)(made->num_reals / made->type.dim));
    return true;
}

bool step_spline_read(step_spline *r, const step_instance *of)
{
    places p;
    spline *const made = &r->made;
    const bool floats = r->f->s->floats;
    spline_clear(made);
    made->type.directions = of->kind == STEP_SURFACE ? 2 : 1;
    for (int k = 0; k < SPLINES_MAX_DIRECTIONS; k++)
        made->type.num_controls[k] = 1;
    bool done = find_places(r, of, &p) && read_basis(r, &p);
    r->f->s->floats = false; /* knots are doubles in any precision */
    done = done && read_knots(r, &p);
    r->f->s->floats = floats;
    done = done && read_weights(r, &p);
    made->step[0] = made->type.num_controls[1];
    made->step[1] = made->step[2] = 1;
    return done;
}

void step_spline_clear(step_spline *r)
{
    spline_clear(&r->made);
    free(r->weights);
    free(r->times[0]);
    free(r->times[1]);
    *r = (step_spline){.f = r->f};
}
