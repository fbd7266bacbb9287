/* The definition of one clspi_segment_functions, SEGMENT_FUNCTIONS, in the precision `real`. The
   file that includes this one names both, NEAREST, the type of a result, REAL_EPS, REAL_MAX, SQRT,
   FABS, FMA, and SCALE_MAX, the largest exponent of a scale. */
#include "curve_segments_real.h"
#include "squared_distance_real.h"

/* Parts of a segment have at least 2^-DEPTH of its length, and a query makes at most so many. */
enum { DEPTH = 28, PARTS_MAX = 65536, WAITING_MAX = CLSPI_NODE_TIERS * CLSPI_BOX_LANES };

/* A box that has not been looked into: number `box` of a tier, of a curve or above the curves of
   all. */
typedef struct waiting {
    real distance; /* squared, to the box */
    uint32_t tier;
    size_t curve, box;
} waiting;

/* The search for one query. Distances are squared, and scaled where that is not said otherwise. */
typedef struct search {
    const clspi_segments_of_curves *c;
    real eps, distance_eps; /* rounding errors of coefficients; how much nearer a point must be to
                               be looked for, of its distance */
    real q[LANES], scale;
    real least, limit;     /* of the nearest point; of what is worth looking for */
    real lowest;           /* that a point may be at in what was given up */
    real extent;           /* the largest of a segment, a distance */
    place at;              /* of the nearest point, of its segment */
    size_t nearest, begun; /* its segment; the one that was searched first, for a hint */
    bool is_found, is_cut, has_begun;
    uint32_t num_parts, num_waiting;
    waiting waiting[WAITING_MAX]; /* the nearest of those put there together is the last */
} search;

#define EXTENT_EPS (3 * REAL_EPS)

/* Returns the square of what is worth looking for below a squared distance. */
CLSPI_INLINE real limit_of(const search *s, real square, real extent)
{
    if (!(square <= REAL_MAX)) return square;
    const real distance = SQRT(square);
    const real limit = distance - (s->distance_eps * distance + EXTENT_EPS * extent);
    return limit > 0 ? limit * limit : 0;
}

/* ---- boxes ---- */

CLSPI_INLINE void distances_to(const search *s, const real *node, real distance[BOXES])
{
    const uint32_t dim = s->c->dim;
    real sum[BOXES] = {0};

    for (uint32_t c = 0; c < dim; c++) {
        const real *const low = node + c * BOXES, *const high = node + (dim + c) * BOXES;
        const real q = s->q[c], scale = s->scale;
        for (int k = 0; k < BOXES; k++) {
            const real x = most_of(most_of(low[k] - q, q - high[k]), 0) * scale;
            sum[k] += x * x;
        }
    }
    for (int k = 0; k < BOXES; k++)
        distance[k] = sum[k] * (1 - 8 * REAL_EPS);
}

/* Puts a node's boxes that are near enough behind those that wait, the nearest last. */
CLSPI_INLINE void put_boxes(search *s, uint32_t tier, size_t curve, size_t node)
{
    const size_t first = node * BOXES, left = s->c->num_boxes[tier] - first;
    const uint32_t bottom = s->num_waiting;
    real distance[BOXES];

    distances_to(s, node_at(s->c, tier, curve, node), distance);
    for (uint32_t k = 0; k < BOXES && k < left; k++) {
        const waiting box = {distance[k], tier, curve, first + k};
        uint32_t at = s->num_waiting;
        if (!(distance[k] < s->limit)) continue;
        for (; at > bottom && s->waiting[at - 1].distance < box.distance; at--)
            s->waiting[at] = s->waiting[at - 1];
        s->waiting[at] = box;
        s->num_waiting++;
    }
}

/* Finds the next segment whose box is near enough; false where there is none. */
CLSPI_INLINE bool next_segment(search *s, size_t *number)
{
    const clspi_segments_of_curves *const c = s->c;

    while (s->num_waiting > 0) {
        const waiting box = s->waiting[--s->num_waiting];
        if (!(box.distance < s->limit)) continue;
        if (box.tier == 0) {
            *number = box.curve * c->spans + box.box;
            if (!s->has_begun || *number != s->begun) return true;
        } else if (box.tier == c->own) {
            put_boxes(s, box.tier - 1, box.box, 0);
        } else {
            put_boxes(s, box.tier - 1, box.curve, box.box);
        }
    }
    return false;
}

/* ---- segments ---- */

/* Searches a part; true where it has to be halved. */
CLSPI_INLINE bool search_part(search *s, const part *p, uint32_t k, uint32_t depth, size_t number,
                              real extent, part_form form)
{
    const uint32_t degree = s->c->degree;
    const real begin = square_at(p, 0, form), end = square_at(p, degree, form);
    minimum nearest = {place_at(begin <= end ? (real)0 : (real)1), begin <= end ? begin : end, 0};
    const finding found = form == RATIONAL
                              ? examine_rational(p, degree, s->eps, s->c->weights)
                              : examine_polynomial(p, degree, s->eps, s->c->weights, form);
    const real limit = limit_of(s, least_of(nearest.square, s->least), extent);
    const bool is_near = found.least < limit, is_open = is_near && found.at == NOT_DECIDED;
    const bool is_split = is_open && depth < DEPTH && s->num_parts++ < PARTS_MAX;

    if (is_near && found.at >= 0) {
        const minimum inner = find_minimum(p, degree, found.at, form);
        if (inner.square < nearest.square) nearest = inner;
        s->lowest = least_of(inner.lowest, s->lowest);
    }
    if (is_open && !is_split) {
        s->lowest = least_of(found.least, s->lowest);
        s->is_cut = true;
    }
    if (nearest.square < s->least) {
        s->least = nearest.square;
        s->limit = limit_of(s, s->least, 0);
        s->nearest = number;
        s->at = place_of_segment(nearest.at, k, depth, form);
        s->is_found = true;
    }
    return is_split;
}

/* Searches a segment, which is halved until each part has no minimum or one, or is too far away.
   Parts are known by their number, and made of the segment again. */
CLSPI_INLINE void search_segment(search *s, size_t number, part_form form)
{
    const real *const segment = segment_at(s->c, number);
    const real extent = frame_of(s->c, segment)[LANES] * s->scale;
    const uint32_t degree = s->c->degree;
    uint32_t k = 0, depth = 0;
    part whole, p;

    if (!(extent <= REAL_MAX)) return;
    s->extent = most_of(s->extent, extent);
    load_part(&whole, s->c, segment, s->q, s->scale, form);
    for (;;) {
        copy_part(&p, &whole, degree + 1, form);
        if (depth > 0) restrict_part(&p, degree, k, depth, form);
        if (search_part(s, &p, k, depth, number, extent, form)) {
            k *= 2;
            depth++;
            continue;
        }
        for (k++; depth > 0 && k % 2 == 0; depth--)
            k /= 2;
        if (depth == 0) return;
    }
}

/* ---- a query ---- */

/* Chooses a power of two by which squares of what is within a node's boxes and of distances to it
   neither overflow nor vanish. */
CLSPI_INLINE real choose_scale(const search *s, const real *node)
{
    const uint32_t dim = s->c->dim;
    real size = 0;

    for (uint32_t c = 0; c < dim; c++)
        for (uint32_t k = 0; k < BOXES; k++) {
            const real low = node[c * BOXES + k], high = node[(dim + c) * BOXES + k];
            const real most = most_of(FABS(s->q[c] - low), FABS(s->q[c] - high));
            if (low <= high) size = most_of(size, most);
        }
    if (!(size > 0)) return 1;
    const int exponent = -ilogb((double)size);
    return (real)ldexp(1.0, exponent > SCALE_MAX    ? SCALE_MAX
                            : exponent < -SCALE_MAX ? -SCALE_MAX
                                                    : exponent);
}

/* Returns the segment of a curve that has the parameter. */
CLSPI_INLINE uint32_t span_of(const clspi_segments_of_curves *c, real t)
{
    const real *const ends = c->span_ends;
    uint32_t low = 0, count = c->spans;

    while (count > 1) {
        const uint32_t lower = count / 2;
        const bool is_beyond = t < ends[ENDS * (size_t)(low + lower)];
        if (!is_beyond) low += lower;
        count = is_beyond ? lower : count - lower;
    }
    return low;
}

/* Begins a search: in curve number `curve`, or in all. */
CLSPI_INLINE void begin_search(search *s, bool all, size_t curve, real hint, double max_dist)
{
    const clspi_segments_of_curves *const c = s->c;
    const uint32_t top = all ? c->all - 1 : c->own - 1;

    s->scale = choose_scale(s, node_at(c, top, curve, 0));
    const real distance = (real)max_dist * s->scale;
    s->least = s->limit = max_dist > 0 ? distance * distance : (real)INFINITY;
    s->lowest = (real)INFINITY;
    s->extent = 0;
    s->at = place_at(0);
    s->nearest = s->begun = 0;
    s->is_found = s->is_cut = false;
    s->num_parts = s->num_waiting = 0;
    s->has_begun = hint == hint;
    if (s->has_begun) s->begun = curve * c->spans + span_of(c, hint);
    put_boxes(s, top, curve, 0);
}

/* Writes the parameter at t : s of a segment's span, as a sum of two numbers: from its nearer end,
   since weights may make much of a curve belong to few parameters. */
static void write_param(real *param, const real *span, place at)
{
    const bool from_begin = at.t <= (real)0.5;
    const real length = (span[1] - span[0]) + (span[3] - span[2]);
    const real end = span[from_begin ? 0 : 1], rest = span[from_begin ? 2 : 3];
    const real way = from_begin ? at.t * length : -at.s * length;
    const real sum = end + way, moved = sum - end;
    const real lost = ((end - (sum - moved)) + (way - moved)) + rest;

    param[0] = sum + lost;
    param[1] = lost - (param[0] - sum);
}

/* Writes the nearest point. */
CLSPI_INLINE void write_nearest(const search *s, NEAREST *out, part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    const real *const segment = segment_at(c, s->nearest), *const frame = frame_of(c, segment);
    real square = 0;
    part p;
    jet j;

    load_part(&p, c, segment, frame, 1, form);
    evaluate_part(&p, c->degree, s->at, form, &j);
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < c->dim; k++) {
        const real d = ((s->q[k] - frame[k]) - j.x[k]) * s->scale;
        square += d * d;
        out->point[k] = frame[k] + j.x[k];
    }
    out->distance = SQRT(square) / s->scale;
    write_param(out->param, frame + LANES + 1, s->at);
    real bound = SQRT(least_of(s->least, s->lowest));
    bound -= 2 * (s->distance_eps * bound + EXTENT_EPS * s->extent);
    out->bound = least_of(most_of(bound, 0) / s->scale, out->distance);
    out->patch = (uint32_t)(s->nearest / c->spans);
    /* what of an extent rounding is, and how far a polynomial curve goes between parameters that
       follow each other, in units of EXTENT_EPS: no more than results may be off by */
    const real steps = c->rational ? 1 : (real)(3 + (c->degree < 5 ? c->degree : 5)) / 3;
    const bool is_open = s->lowest < limit_of(s, s->least, steps * s->extent);
    out->status = s->is_cut || is_open ? CLSPI_SEARCH_CUT : CLSPI_SEARCH_FOUND;
}

/* Writes that there is no result. */
static void write_none(NEAREST *out, bool valid, double max_dist)
{
    *out = (NEAREST){.distance = (real)INFINITY,
                     .bound = !valid         ? (real)NAN
                              : max_dist > 0 ? (real)max_dist
                                             : (real)INFINITY,
                     .param = {(real)NAN, (real)NAN, (real)NAN},
                     .point = {(real)NAN, (real)NAN, (real)NAN, (real)NAN},
                     .patch = UINT32_MAX,
                     .status = valid ? CLSPI_SEARCH_NONE : CLSPI_SEARCH_INVALID};
}

/* Searches for query i. */
CLSPI_INLINE void search_query(search *s, const clspi_segment_queries *queries, size_t i,
                               part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    const real *const q = (const real *)queries->points + i * c->dim;
    const real hint = queries->hints ? ((const real *)queries->hints)[i] : (real)NAN;
    const bool all = !queries->patches;
    const size_t curve = all ? 0 : queries->patches[i];
    NEAREST *const out = (NEAREST *)queries->out + i;
    bool valid = curve < c->num_curves || c->num_curves == 0;
    size_t number;

    for (uint32_t k = 0; k < c->dim; k++) {
        s->q[k] = q[k];
        valid = valid && is_finite(q[k]);
    }
    if (!valid || c->num_curves == 0) {
        write_none(out, valid, queries->max_dist);
        return;
    }
    begin_search(s, all, curve, hint, queries->max_dist);
    number = s->begun;
    for (bool there = s->has_begun || next_segment(s, &number); there;
         there = next_segment(s, &number))
        search_segment(s, number, form);
    if (s->is_found)
        write_nearest(s, out, form);
    else
        write_none(out, true, queries->max_dist);
}

/* Returns how much nearer a point must be to be looked for, of its distance: what tells one that is
   nearer by rounding alone, but in single precision no more than what results may be off by. Where
   that is less parts with a base are halved until their errors are. */
CLSPI_INLINE real distance_eps_of(const search *s, part_form form)
{
    const real rounding = s->eps * (form == RATIONAL ? 2 : 1) + 2 * REAL_EPS;
    const uint32_t degree = s->c->degree;

    if (sizeof(real) == sizeof(double)) return rounding;
    const real most = form == POLYNOMIAL ? 6 : degree > 16 ? (real)(degree / 2) : 4;
    return least_of(rounding, REAL_EPS * most);
}

CLSPI_INLINE void search_all(const clspi_segments_of_curves *c,
                             const clspi_segment_queries *queries, part_form form)
{
    search s;

    s.c = c;
    s.eps = REAL_EPS / 2 * (real)(c->dim + c->degree + (form != POLYNOMIAL ? 7 : 4));
    s.distance_eps = distance_eps_of(&s, form);
    for (int k = 0; k < LANES; k++)
        s.q[k] = 0;
    for (size_t i = 0; i < queries->num; i++)
        search_query(&s, queries, i, form);
}

static void find(const clspi_segments_of_curves *c, const clspi_segment_queries *queries)
{
    if (c->rational)
        search_all(c, queries, RATIONAL);
    else if (sizeof(real) == sizeof(float) && c->dim + c->degree > 12) /* many terms round */
        search_all(c, queries, POLYNOMIAL_WITH_BASE);
    else
        search_all(c, queries, POLYNOMIAL);
}

const clspi_segment_functions SEGMENT_FUNCTIONS = {sizeof(real), segment_reals, narrow, make, find};
