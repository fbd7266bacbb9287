#include "reduce_segments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "level.h"

enum { ORDER_MAX = CLSPI_REDUCE_FROM_MAX + 1 };

/* What a relative error of roundings in sums of squares may hide of an error. */
#define SLACK (1 + 0x1p-40)

/* A segment while it is made: its span, and the control points that count. */
typedef struct source {
    const clspi_reduce_curves *of;
    const clspi_reduce_form *form;
    const double *operators; /* [order][order]; of Bezier curves they are not looked at */
    uint32_t order, coords;
    const double *reals; /* [order][coords], the caller's, or here: */
    double room[ORDER_MAX * CLSPI_REDUCE_COORDS];
    int exponent;              /* of points */
    double most, reach, ratio; /* the largest coordinate; the same relative to the origin, scaled;
                                  of the largest weight by the least */
} source;

static size_t span_of(const clspi_reduce_curves *curves, size_t segment)
{
    const clspi_spans *const spans = curves->spans;

    return segment % spans->spans + (spans->sets > 1 ? segment / spans->spans * spans->spans : 0);
}

/* Reads the control points that count for a segment. */
static void read_source(source *s, const clspi_reduce_curves *curves, size_t segment)
{
    const clspi_spans *const spans = curves->spans;
    const clspi_reduce_form *const form = &curves->tables->form;
    const size_t span = span_of(curves, segment), order = form->degree + 1;
    const uint32_t coords = clspi_reduce_from_coords(form);
    const size_t first =
        segment / spans->spans * curves->stride + (size_t)spans->first[span] * coords;

    s->of = curves;
    s->form = form;
    s->operators = spans->operators + span * order * order;
    s->order = (uint32_t)order;
    s->coords = coords;
    s->reals = form->f64 ? (const double *)curves->points + first : s->room;
    for (size_t i = 0; i < order * coords && !form->f64; i++)
        s->room[i] = (double)((const float *)curves->points)[first + i];
}

/* ---- ends ---- */

/* Computes the control point of a segment at one of its ends, as it is given. */
static void end_of(const source *s, uint32_t at, double *to)
{
    const uint32_t coords = s->coords, dim = s->form->dim;

    for (uint32_t c = 0; c < coords; c++) {
        double sum = s->of->is_bezier ? s->reals[at * coords + c] : 0;
        for (uint32_t i = 0; i < s->order && !s->of->is_bezier; i++)
            sum += s->operators[i * s->order + at] * s->reals[i * coords + c];
        to[c] = sum;
    }
    for (uint32_t c = 0; c < dim && s->form->to_polynomial && s->form->rational; c++)
        to[c] /= to[dim];
}

/* Finds both ends. Where a curve goes on in another span, the end is where that one begins. */
void clspi_reduce_find_ends(const clspi_reduce_curves *curves, size_t segment,
                            clspi_reduce_segment *to)
{
    const clspi_spans *const spans = curves->spans;
    const size_t span = span_of(curves, segment);
    const bool is_last = segment % spans->spans + 1 == spans->spans;
    source s;

    read_source(&s, curves, segment);
    end_of(&s, 0, to->begin);
    end_of(&s, s.order - 1, to->end);
    if (!is_last && clspi_reduce_is_there(curves, segment + 1) &&
        spans->first[span + 1] - spans->first[span] < s.order) {
        read_source(&s, curves, segment + 1);
        end_of(&s, 0, to->end);
    }
}

/* ---- points ---- */

/* Returns the exponent of the power of two above x, of what is small one that has an inverse. */
static int exponent_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    const int e = (int)(bits >> 52) - 1022;
    return x == 0 ? 0 : e < -1000 ? -1000 : e;
}

static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;

    if (e < -1022 || e > 1023) return ldexp(1, e);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Looks at the weights of control points: positive and finite, and how different. Returns what they
   are to be scaled with. */
static int look_at_weights(source *s, bool *is_sound)
{
    double least = DBL_MAX, most = 0;

    for (uint32_t i = 0; i < s->order; i++) {
        const double w = s->reals[i * s->coords + s->form->dim];
        *is_sound = *is_sound && w > 0 && w <= DBL_MAX;
        least = w < least ? w : least;
        most = w > most ? w : most;
    }
    s->ratio = most / least;
    return exponent_of(most);
}

/* Looks at the points of rational curves: finite, and where the first one is. */
static void look_at_points(source *s, clspi_reduce_segment *to)
{
    const uint32_t dim = s->form->dim;

    for (uint32_t i = 0; i < s->order; i++)
        for (uint32_t c = 0; c < dim; c++) {
            const double *const p = s->reals + i * s->coords;
            const double x = p[c] / p[dim], size = fabs(x);
            to->is_sound = to->is_sound && size <= DBL_MAX;
            if (i == 0) to->origin[c] = x;
            s->most = size > s->most ? size : s->most;
        }
}

/* Takes control points of rational curves relative to the first one, scaled, with weights. */
static void take_rational(source *s, double *points, clspi_reduce_segment *to)
{
    const uint32_t dim = s->form->dim, coords = s->coords;
    const int weights = look_at_weights(s, &to->is_sound);
    const double to_weight = power_of_two(-weights);

    to->weight = power_of_two(weights);
    look_at_points(s, to);
    const double by = power_of_two(-exponent_of(s->most));
    for (uint32_t i = 0; i < s->order; i++) {
        const double *const p = s->reals + i * coords;
        const double w = points[i * coords + dim] = p[dim] * to_weight;
        for (uint32_t c = 0; c < dim; c++) {
            const double x = p[c] * to_weight * by - to->origin[c] * by * w, size = fabs(x) / w;
            points[i * coords + c] = x;
            s->reach = size > s->reach ? size : s->reach;
        }
    }
}

/* Takes those of polynomial curves. */
CLSPI_INLINE void take_polynomial(source *s, double *points, clspi_reduce_segment *to, uint32_t dim)
{
    const double *const p = s->reals;
    const uint32_t reals = s->order * dim;
    double origin[4], most_of[4] = {0}, reach_of[4] = {0}, finite[4] = {0}, most = 0, reach = 0;

    for (uint32_t i = 0; i < reals; i += dim)
        for (uint32_t c = 0; c < dim; c++) {
            const double size = fabs(p[i + c]);
            finite[c] += 0 * p[i + c];
            most_of[c] = size > most_of[c] ? size : most_of[c];
        }
    for (uint32_t c = 0; c < dim; c++)
        most = most_of[c] > most ? most_of[c] : most;
    const double by = power_of_two(-exponent_of(most));
    for (uint32_t c = 0; c < dim; c++) {
        to->is_sound = to->is_sound && finite[c] == 0;
        to->origin[c] = p[c];
        origin[c] = p[c] * by;
    }
    for (uint32_t i = 0; i < reals; i += dim)
        for (uint32_t c = 0; c < dim; c++) {
            const double x = p[i + c] * by - origin[c], size = fabs(x);
            points[i + c] = x;
            reach_of[c] = size > reach_of[c] ? size : reach_of[c];
        }
    for (uint32_t c = 0; c < dim; c++)
        reach = reach_of[c] > reach ? reach_of[c] : reach;
    s->most = most;
    s->reach = reach;
}

/* Takes control points relative to the first one, scaled: [order][coords]. */
static void take_points(source *s, double *points, clspi_reduce_segment *to)
{
    const uint32_t dim = s->form->dim;

    s->most = s->reach = 0;
    s->ratio = to->weight = 1;
    if (s->form->rational)
        take_rational(s, points, to);
    else if (dim == 2)
        take_polynomial(s, points, to, 2);
    else if (dim == 3)
        take_polynomial(s, points, to, 3);
    else
        take_polynomial(s, points, to, dim);
    const int again = exponent_of(s->reach);
    const double larger = power_of_two(-again);
    for (uint32_t i = 0; i < s->order; i++)
        for (uint32_t c = 0; c < dim; c++)
            points[i * s->coords + c] *= larger;
    s->exponent = exponent_of(s->most) + again;
}

/* Makes control points of the span of those that count. */
static void extract(const source *s, const double *from, double *to)
{
    for (uint32_t j = 0; j < s->order; j++)
        for (uint32_t c = 0; c < s->coords; c++) {
            double sum = 0;
            for (uint32_t i = 0; i < s->order; i++)
                sum += s->operators[i * s->order + j] * from[i * s->coords + c];
            to[j * s->coords + c] = sum;
        }
}

/* Chooses what pieces may err by: of the tolerance what rounding leaves, but no less than that;
   twice, as parts that are alike are not all looked at. */
static void choose_limit(const source *s, clspi_reduce_segment *to)
{
    const clspi_reduce_tables *const t = s->of->tables;
    const double scale = s->reach > 0 ? to->scale[0] * to->scale[1] : 0;
    const double ratio = s->form->rational ? 3 * s->ratio : 1;

    to->rounding = ratio * (t->of_parts * scale + t->of_reals * (s->most + scale));
    const double left = s->of->tolerance - 2 * to->rounding;
    to->limit = (left > to->rounding ? left : to->rounding) * (1 / to->scale[0]) *
                (1 / to->scale[1]) / SLACK;
}

void clspi_reduce_load(const clspi_reduce_curves *curves, size_t segment, double *points,
                       clspi_reduce_segment *to)
{
    source s;

    read_source(&s, curves, segment);
    to->is_sound = true;
    if (curves->is_bezier)
        take_points(&s, points, to);
    else {
        double room[ORDER_MAX * CLSPI_REDUCE_COORDS];
        take_points(&s, room, to);
        extract(&s, room, points);
    }
    to->scale[0] = power_of_two(s.exponent / 2);
    to->scale[1] = power_of_two(s.exponent - s.exponent / 2);
    choose_limit(&s, to);
}

double clspi_reduce_bound(const clspi_reduce_segment *segment, double error)
{
    if (!segment->is_sound) return (double)INFINITY;
    return error * SLACK * segment->scale[0] * segment->scale[1] + segment->rounding;
}
