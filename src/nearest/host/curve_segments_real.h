/* Segments and nodes of curves in the precision `real`, as segments.cl makes them; for
   segment_search_real.h. */
#include <string.h>
#include <tgmath.h>

#include "real_words.h"
#include "segment_search.h"

enum {
    LANES = CLSPI_SEGMENT_LANES,
    BOXES = CLSPI_BOX_LANES,
    SPAN_ENDS = CLSPI_SPAN_ENDS,
    ORDER_MAX = CLSPI_SEARCH_ORDER_MAX
};

/* ---- where things are ---- */

static size_t segment_reals(const clspi_segments_of_curves *c)
{
    return (size_t)(c->degree + 1) * (LANES + c->rational) + LANES + 1 + SPAN_ENDS;
}

CLSPI_INLINE const real *segment_at(const clspi_segments_of_curves *c, size_t number)
{
    return (const real *)c->segments + number * segment_reals(c);
}

/* What stands behind the control points and weights of a segment. */
CLSPI_INLINE const real *frame_of(const clspi_segments_of_curves *c, const real *segment)
{
    return segment + (size_t)(c->degree + 1) * (LANES + c->rational);
}

/* Returns node number n of a curve, or of all above the curves' tiers. */
CLSPI_INLINE real *node_at(const clspi_segments_of_curves *c, uint32_t tier, size_t curve, size_t n)
{
    const size_t row = tier < c->own ? curve * c->num_nodes[tier] : 0;

    return (real *)c->nodes + (c->before[tier] + row + n) * 2 * c->dim * BOXES;
}

static void narrow(void *out, const double *in, size_t num)
{
    for (size_t i = 0; i < num; i++)
        ((real *)out)[i] = (real)in[i];
}

/* Returns the number of the first span of a curve in what spans decide. */
CLSPI_INLINE size_t table_of(const clspi_segments_of_curves *c, size_t curve)
{
    return c->has_own ? curve * c->spans : 0;
}

/* ---- segments ---- */

/* Sums coordinate x of the control points p of a span, weighted by column k of its operator, minus
   the origin. */
static real sum_of(const clspi_segments_of_curves *c, const real *rows, const real *p, uint32_t x,
                   real origin)
{
    const uint32_t order = c->degree + 1, coords = c->dim + c->rational;
    real sum = 0;

    for (uint32_t i = 0; i < order; i++) {
        const real at = p[i * coords + x];
        sum += rows[i * order] *
               (c->rational ? fma(-p[i * coords + c->dim], origin, at) : at - origin);
    }
    return sum;
}

static bool is_finite(real x)
{
    return fabs(x) <= REAL_MAX;
}

/* Makes control points, with the origin in place; returns whether all is finite and weights are
   positive. */
static bool make_points(const clspi_segments_of_curves *c, const real *rows, const real *p,
                        real *segment)
{
    const uint32_t order = c->degree + 1, coords = c->dim + c->rational;
    real *const weights = segment + order * LANES;
    const real *const origin = frame_of(c, segment);
    bool sound = true;

    for (uint32_t k = 0; k < order; k++) {
        real w = 0;
        for (uint32_t i = 0; c->rational && i < order; i++)
            w += rows[i * order + k] * p[i * coords + c->dim];
        if (c->rational) weights[k] = w;
        sound = sound && (!c->rational || (w > 0 && is_finite(w)));
        for (uint32_t x = 0; x < LANES; x++) {
            segment[k * LANES + x] = x < c->dim ? sum_of(c, rows + k, p, x, origin[x]) : 0;
            sound = sound && is_finite(segment[k * LANES + x]);
        }
    }
    return sound;
}

/* Computes the largest distance of a control point from the origin; squares of coordinates need not
   be numbers. */
static real extent_of(const clspi_segments_of_curves *c, const real *segment)
{
    const uint32_t order = c->degree + 1;
    const real *const weights = segment + order * LANES;
    real most = 0, largest = 0;

    for (uint32_t i = 0; i < order * LANES; i++)
        most = most_of(fabs(segment[i]) / (c->rational ? weights[i / LANES] : 1), most);
    if (!(most > 0) || !is_finite(most)) return most;
    for (uint32_t k = 0; k < order; k++) {
        real square = 0;
        for (uint32_t x = 0; x < LANES; x++) {
            const real part = segment[k * LANES + x] / (c->rational ? weights[k] : 1) / most;
            square += part * part;
        }
        largest = most_of(square, largest);
    }
    return most * sqrt(largest);
}

static void make_segment(const clspi_segments_of_curves *c, const real *points, size_t number)
{
    const uint32_t order = c->degree + 1, coords = c->dim + c->rational;
    const size_t curve = number / c->spans, span = table_of(c, curve) + number % c->spans;
    const real *const p = points + (curve * c->controls + c->first[span]) * coords;
    const real *const middle = p + c->degree / 2 * coords;
    real *const segment = (real *)c->segments + number * segment_reals(c);
    real *const frame = segment + (frame_of(c, segment) - segment);
    bool sound = true;

    for (uint32_t x = 0; x < LANES; x++) {
        frame[x] = x >= c->dim ? 0 : c->rational ? middle[x] / middle[c->dim] : middle[x];
        sound = sound && is_finite(frame[x]);
    }
    sound = make_points(c, (const real *)c->operators + span * order * order, p, segment) && sound;
    frame[LANES] = sound ? extent_of(c, segment) : (real)INFINITY;
    memcpy(frame + LANES + 1, (const real *)c->span_ends + SPAN_ENDS * span,
           SPAN_ENDS * sizeof(real));
}

/* ---- nodes ---- */

/* Makes box k of a node around the control points of a segment, rounded outward. */
static void write_box(const clspi_segments_of_curves *c, real *node, size_t k, const real *segment)
{
    const real *const frame = frame_of(c, segment);
    const real *const weights = segment + (c->degree + 1) * LANES;

    for (uint32_t x = 0; x < c->dim; x++) {
        real low = REAL_MAX, high = -REAL_MAX;
        for (uint32_t i = 0; i <= c->degree; i++) {
            const real at = segment[i * LANES + x] / (c->rational ? weights[i] : 1);
            low = least_of(at, low);
            high = most_of(at, high);
        }
        const real slack = 4 * REAL_EPS * (frame[LANES] + fabs(frame[x]));
        const bool sound = is_finite(frame[LANES]);
        node[x * BOXES + k] = sound ? frame[x] + low - slack : REAL_MAX;
        node[(c->dim + x) * BOXES + k] = sound ? frame[x] + high + slack : -REAL_MAX;
    }
}

/* Makes box k of a node around the boxes of another one. */
static void join_boxes(const clspi_segments_of_curves *c, real *node, size_t k, const real *below)
{
    for (uint32_t x = 0; x < c->dim; x++) {
        real low = REAL_MAX, high = -REAL_MAX;
        for (uint32_t i = 0; i < BOXES; i++) {
            low = least_of(low, below[x * BOXES + i]);
            high = most_of(high, below[(c->dim + x) * BOXES + i]);
        }
        node[x * BOXES + k] = low;
        node[(c->dim + x) * BOXES + k] = high;
    }
}

/* Makes box b of a tier of a curve's, or of all. */
static void make_box(const clspi_segments_of_curves *c, uint32_t tier, size_t curve, size_t b)
{
    real *const node = node_at(c, tier, curve, b / BOXES);
    const size_t k = b % BOXES;

    if (tier == 0)
        write_box(c, node, k, segment_at(c, curve * c->spans + b));
    else if (tier == c->own)
        join_boxes(c, node, k, node_at(c, tier - 1, b, 0));
    else
        join_boxes(c, node, k, node_at(c, tier - 1, curve, b));
}

static void make(const clspi_segments_of_curves *c, const void *points)
{
    const size_t boxes = c->before[c->all] * BOXES;
    real *const nodes = c->nodes;

    for (size_t i = 0; i < c->num_curves * c->spans; i++)
        make_segment(c, points, i);
    for (size_t i = 0; i < boxes * 2 * c->dim; i++) /* all are empty */
        nodes[i] = i / BOXES % (2 * c->dim) < c->dim ? REAL_MAX : -REAL_MAX;
    for (uint32_t tier = 0; tier < c->all; tier++)
        for (size_t curve = 0; curve < (tier < c->own ? c->num_curves : 1); curve++)
            for (size_t b = 0; b < c->num_boxes[tier]; b++)
                make_box(c, tier, curve, b);
}
