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

/* A point that is kept: its squared distance, its parameter, and the number of its segment. */
typedef struct kept_point {
    real square;
    place at;
    size_t number;
} kept_point;

/* The search for one query. Distances are squared, and scaled where that is not said otherwise. */
typedef struct search {
    const clspi_segments_of_curves *c;
    real eps, distance_eps; /* rounding errors of coefficients; how much nearer a point must be to
                               be looked for, of its distance */
    real q[LANES], scale;
    real least, limit; /* below which points are kept; of what is worth looking for */
    real lowest;       /* that a point may be at in what was given up */
    real extent;       /* the largest of a segment, a distance */
    size_t begun;      /* the segment that was searched first, for a hint */
    bool is_cut, has_begun;
    uint32_t num, count; /* points that are asked for, above 1 local minima; that are kept */
    kept_point kept[CLSPI_SEARCH_NEAREST_MAX]; /* by their distance */
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

/* A part of a segment, number k of 2^depth, of which it is made anew each time; and the segment's
   largest distance from its origin. */
typedef struct whereabouts {
    size_t number;
    uint32_t k, depth;
    real extent;
} whereabouts;

/* Goes from a part to its first half, or to the next of the largest that is not done; of depth 0
   behind the last. */
static void next_part(whereabouts *here, bool is_split)
{
    if (is_split) {
        here->k *= 2;
        here->depth++;
        return;
    }
    for (here->k++; here->depth > 0 && here->k % 2 == 0; here->depth--)
        here->k /= 2;
}

CLSPI_INLINE finding examine_part(const search *s, const part *p, part_form form)
{
    return form == RATIONAL ? examine_rational(p, s->c->degree, s->eps, s->c->weights)
                            : examine_polynomial(p, s->c->degree, s->eps, s->c->weights, form);
}

/* Tells whether a part has to be halved, and notes what is given up where that cannot be. */
static bool has_halves(search *s, const finding *found, bool is_near, uint32_t depth)
{
    const bool is_open = is_near && found->at == NOT_DECIDED;
    const bool is_split = is_open && depth < DEPTH && s->num_parts++ < PARTS_MAX;

    if (is_open && !is_split) {
        s->lowest = least_of(found->least, s->lowest);
        s->is_cut = true;
    }
    return is_split;
}

/* Returns what is to be kept of a point of a part. */
CLSPI_INLINE kept_point point_of(real square, place at, const whereabouts *here, part_form form)
{
    return (kept_point){square, place_of_segment(at, here->k, here->depth, form), here->number};
}

/* Keeps a point, if it is below the limit and among the nearest so far. */
static void keep(search *s, const kept_point *point)
{
    uint32_t k = s->count < s->num ? s->count : s->num - 1;

    if (!(point->square < s->least)) return;
    for (; k > 0 && s->kept[k - 1].square > point->square; k--)
        s->kept[k] = s->kept[k - 1];
    s->kept[k] = *point;
    if (s->count < s->num) s->count++;
    if (s->count < s->num) return;
    s->least = s->kept[s->num - 1].square;
    s->limit = limit_of(s, s->least, 0);
}

#include "local_minima_real.h"

/* Lowers a point by the least within a part, which is near and decided. */
CLSPI_INLINE void lower_point(search *s, kept_point *low, const part *p, const finding *found,
                              const whereabouts *here, part_form form)
{
    if (found->at >= 0) {
        const minimum inner = find_minimum(p, s->c->degree, found->at, form);
        if (inner.square <= low->square) *low = point_of(inner.square, inner.at, here, form);
        s->lowest = least_of(inner.lowest, s->lowest);
    } else if (found->is_flat) {
        const real square = square_at(p, 0, form);
        if (square <= low->square) *low = point_of(square, place_at((real)0.5), here, form);
    }
}

/* Searches a part; true where it has to be halved. low: of local minima the valley that the part
   begins in, and then the one that it ends in; is_first: others may begin there. */
CLSPI_INLINE bool search_part(search *s, kept_point *low, const part *p, const whereabouts *here,
                              bool is_first, part_form form)
{
    const uint32_t degree = s->c->degree;
    const bool many = s->num > 1;
    const kept_point begin = point_of(square_at(p, 0, form), place_at(0), here, form);
    const kept_point end = point_of(square_at(p, degree, form), place_at(1), here, form);
    finding found = examine_part(s, p, form);

    if (!many) *low = begin.square <= end.square ? begin : end;
    const real least = many ? s->least : least_of(low->square, s->least);
    const bool is_near = found.least < limit_of(s, least, here->extent);
    find_flat(s, &found, p, here, form);
    const bool is_split = has_halves(s, &found, is_near, here->depth);
    if (is_split && many) return true;
    if (many) enter_part(low, &found, is_near, is_first ? &end : &no_valley);
    if (is_near && low->square < (real)INFINITY) lower_point(s, low, p, &found, here, form);
    if (many)
        leave_part(s, low, &found, is_first ? &end : &no_valley);
    else
        keep(s, low);
    return is_split;
}

/* Searches a segment, which is halved until each part has no minimum or one, or is too far away. Of
   local minima those of valleys that begin there are searched for, and the last of these is
   followed into the next segments while it does not end. */
CLSPI_INLINE void search_segment(search *s, size_t number, part_form form)
{
    kept_point low = no_valley;
    part whole, p;

    for (bool is_first = true;; is_first = false, number++) {
        const real *const segment = segment_at(s->c, number);
        whereabouts here = {.number = number, .extent = frame_of(s->c, segment)[LANES] * s->scale};
        if (!(here.extent <= REAL_MAX)) return;
        s->extent = most_of(s->extent, here.extent);
        load_part(&whole, s->c, segment, s->q, s->scale, form);
        if (is_first && s->num > 1) low = begin_valley(s, &whole, &here, form);
        do {
            copy_part(&p, &whole, s->c->degree + 1, form);
            if (here.depth > 0) restrict_part(&p, s->c->degree, here.k, here.depth, form);
            next_part(&here, search_part(s, &low, &p, &here, is_first, form));
        } while (here.depth > 0 && (is_first || low.square < (real)INFINITY));
        if (s->num == 1 || !goes_on(s, &low, &whole, &here, form)) break;
    }
    if (s->num > 1) keep(s, &low);
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
CLSPI_INLINE uint32_t span_of(const clspi_segments_of_curves *c, size_t curve, real t)
{
    const real *const ends = (const real *)c->span_ends + ENDS * table_of(c, curve);
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
    s->begun = 0;
    s->is_cut = false;
    s->count = s->num_parts = s->num_waiting = 0;
    s->has_begun = hint == hint;
    if (s->has_begun) s->begun = curve * c->spans + span_of(c, curve, hint);
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

/* Writes a point that is kept. */
CLSPI_INLINE void write_point(const search *s, const kept_point *kept, bool is_cut, NEAREST *out,
                              part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    const real *const segment = segment_at(c, kept->number), *const frame = frame_of(c, segment);
    real square = 0;
    part p;
    jet j;

    load_part(&p, c, segment, frame, 1, form);
    evaluate_part(&p, c->degree, kept->at, form, &j);
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < c->dim; k++) {
        const real d = ((s->q[k] - frame[k]) - j.x[k]) * s->scale;
        square += d * d;
        out->point[k] = frame[k] + j.x[k];
    }
    out->distance = SQRT(square) / s->scale;
    write_param(out->param, frame + LANES + 1, kept->at);
    real bound = SQRT(least_of(kept->square, s->lowest));
    bound -= 2 * (s->distance_eps * bound + EXTENT_EPS * s->extent);
    out->bound = least_of(most_of(bound, 0) / s->scale, out->distance);
    out->patch = (uint32_t)(kept->number / c->spans);
    out->status = is_cut ? CLSPI_SEARCH_CUT : CLSPI_SEARCH_FOUND;
}

/* Writes all points that are kept, by their distance: rounding may have changed the order. */
CLSPI_INLINE void write_points(const search *s, NEAREST *out, part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    /* what of an extent rounding is, and how far a polynomial curve goes between parameters that
       follow each other, in units of EXTENT_EPS: no more than results may be off by */
    const real steps = c->rational ? 1 : (real)(3 + (c->degree < 5 ? c->degree : 5)) / 3;
    const bool is_open =
        s->count > 0 && s->lowest < limit_of(s, s->kept[0].square, steps * s->extent);

    for (uint32_t i = 0; i < s->count; i++) {
        NEAREST point;
        uint32_t k = i;
        write_point(s, &s->kept[i], s->is_cut || is_open, &point, form);
        for (; k > 0 && point.distance < out[k - 1].distance; k--)
            out[k] = out[k - 1];
        out[k] = point;
    }
}

/* Writes that there is no result from number `first` of `num` on. */
static void write_none(NEAREST *out, uint32_t first, uint32_t num, bool valid, double max_dist)
{
    for (uint32_t i = first; i < num; i++)
        out[i] = (NEAREST){.distance = (real)INFINITY,
                           .bound = !valid         ? (real)NAN
                                    : max_dist > 0 ? (real)max_dist
                                                   : (real)INFINITY,
                           .param = {(real)NAN, (real)NAN, (real)NAN},
                           .point = {(real)NAN, (real)NAN, (real)NAN, (real)NAN},
                           .patch = UINT32_MAX,
                           .status = valid ? CLSPI_SEARCH_NONE : CLSPI_SEARCH_INVALID};
}

/* Searches for query i. */
CLSPI_INLINE void search_query(search *s, const clspi_nearest_queries *queries, size_t i,
                               part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    const real *const q = (const real *)queries->points + i * c->dim;
    const real hint = queries->hints ? ((const real *)queries->hints)[i] : (real)NAN;
    const bool all = !queries->patches;
    const size_t curve = all ? 0 : queries->patches[i];
    NEAREST *const out = (NEAREST *)queries->out + i * s->num;
    bool valid = curve < c->num_curves || c->num_curves == 0;
    size_t number;

    for (uint32_t k = 0; k < c->dim; k++) {
        s->q[k] = q[k];
        valid = valid && is_finite(q[k]);
    }
    if (!valid || c->num_curves == 0) {
        write_none(out, 0, s->num, valid, queries->max_dist);
        return;
    }
    begin_search(s, all, curve, hint, queries->max_dist);
    number = s->begun;
    for (bool there = s->has_begun || next_segment(s, &number); there;
         there = next_segment(s, &number))
        search_segment(s, number, form);
    write_points(s, out, form);
    write_none(out, s->count, s->num, true, queries->max_dist);
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
                             const clspi_nearest_queries *queries, part_form form)
{
    search s;

    s.c = c;
    s.num = queries->num_nearest;
    s.eps = REAL_EPS / 2 * (real)(c->dim + c->degree + (form != POLYNOMIAL ? 7 : 4));
    s.distance_eps = distance_eps_of(&s, form);
    for (int k = 0; k < LANES; k++)
        s.q[k] = 0;
    for (size_t i = 0; i < queries->num; i++)
        search_query(&s, queries, i, form);
}

static void find(const clspi_segments_of_curves *c, const clspi_nearest_queries *queries)
{
    if (c->rational)
        search_all(c, queries, RATIONAL);
    else if (sizeof(real) == sizeof(float) && c->dim + c->degree > 12) /* many terms round */
        search_all(c, queries, POLYNOMIAL_WITH_BASE);
    else
        search_all(c, queries, POLYNOMIAL);
}

const clspi_segment_functions SEGMENT_FUNCTIONS = {sizeof(real), segment_reals, narrow, make, find};
