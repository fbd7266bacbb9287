/* The definition of one clspi_segment_functions, SEGMENT_FUNCTIONS, in the precision `real`. The
   file that includes this one names both, REAL_EPS, REAL_MAX, and SCALE_MAX, the largest exponent
   of a scale. */
#include "curve_segments_real.h"
#include "segment_words.h"

#include "curve_result.clh"
#include "span_of.clh"
#include "squared_distance.clh"

/* Parts of a segment have at least 2^-DEPTH of its length, and a query makes at most so many. */
enum { DEPTH = 28, PARTS_MAX = 65536, WAITING_MAX = CLSPI_NODE_TIERS * CLSPI_BOX_LANES };

/* A box that has not been looked into: number `box` of a tier, of a curve or above the curves of
   all. */
typedef struct waiting {
    real distance; /* squared, to the box */
    uint32_t tier;
    size_t curve, box;
} waiting;

/* A part of a segment, relative to the query. */
typedef struct segment_part {
    point a[ORDER_MAX + 1];
    real w[ORDER_MAX];
} segment_part;

/* A point that is kept: the least of a valley (local_minima.clh), and the number of its segment. */
typedef struct kept_point {
    real4 low;
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

/* Keeps the least point of a valley, if it is below the limit and among the nearest so far; number:
   of the segment where the valley begins. */
#define KEEPER     search *s, size_t number
#define THE_KEEPER s, number
static void keep(KEEPER, real4 low)
{
    uint32_t k = s->count < s->num ? s->count : s->num - 1;

    if (!(low.s0 < s->least)) return;
    for (; k > 0 && s->kept[k - 1].low.s0 > low.s0; k--)
        s->kept[k] = s->kept[k - 1];
    s->kept[k] = (kept_point){low, number + (size_t)low.s3};
    if (s->count < s->num) s->count++;
    if (s->count < s->num) return;
    s->least = s->kept[s->num - 1].low.s0;
    s->limit = limit_of(s->least, 0, s->distance_eps);
}

#include "local_minima.clh"

/* Where a search is: the segment where valleys begin, how far ahead of it, in which part, number s0
   of 2^s1; and the segment's largest distance from its origin. */
typedef struct whereabouts {
    size_t number;
    uint32_t ahead;
    uint2 part;
    real extent;
} whereabouts;

/* Tells whether a part has to be halved, and notes what is given up where that cannot be. */
static bool has_halves(search *s, finding found, bool is_near, uint32_t depth)
{
    const bool is_open = is_near && found.s1 == NOT_DECIDED;
    const bool is_split = is_open && depth < DEPTH && s->num_parts++ < PARTS_MAX;

    if (is_open && !is_split) {
        s->lowest = least_of(found.s0, s->lowest);
        s->is_cut = true;
    }
    return is_split;
}

/* Searches a part; true where it has to be halved. low: of local minima the valley that the part
   begins in, and then the one that it ends in. */
CLSPI_INLINE bool search_part(search *s, valley *low, segment_part *p, const whereabouts *here,
                              part_form form)
{
    const int degree = (int)s->c->degree;
    const bool is_many = s->num > 1;
    const real *const weights = s->c->weights, eps = s->eps;
    point *const a = p->a;
    real *const w = p->w, least = s->least;
    int2 trend;
    DECLARE_SCRATCH

    finding found = examine_part(THE_PART, THE_SCRATCH, THE_PRODUCT_WEIGHTS, &trend);
    if (!is_many) {
        const real begin = square_at(THE_PART, 0), end = square_at(THE_PART, degree);
        *low = valley_at(begin <= end ? begin : end, parameter_at(R(begin <= end ? 0 : 1)),
                         here->part, 0, form);
        least = least_of(low->s0, least);
    }
    const bool is_near = found.s0 < limit_of(least, here->extent, s->distance_eps);
    if (is_many && found.s1 == NOT_DECIDED && is_at_query(THE_PART, EXTENT_EPS * here->extent))
        found.s1 = IS_FLAT;
    const bool is_split = has_halves(s, found, is_near, here->part.s1);
    if (!is_many) trend = INT2(0, 1); /* what there is is kept */
    if (!is_many || !is_split)
        *low = go_on(*low, THE_PART, THE_SCRATCH, s, here->number, found, trend, is_near,
                     here->part, here->ahead, &s->lowest);
    return is_split;
}

/* Searches a segment, which is halved until each part has no minimum or one, or is too far away. Of
   local minima those of valleys that begin there are searched for, and the last of these is
   followed into the next segments while it does not end. */
CLSPI_INLINE void search_segment(search *s, size_t number, part_form form)
{
    const int degree = (int)s->c->degree;
    const uint32_t spans = s->c->spans;
    const bool is_many = s->num > 1;
    whereabouts here = {.number = number};
    valley low = NO_VALLEY;
    segment_part whole, p;
    point *const a = whole.a, x;
    real *const w = whole.w;

    for (;; here.ahead++) {
        const size_t at = number + here.ahead;
        const real *const segment = segment_at(s->c, at);
        here.extent = EXTENT(segment) * s->scale;
        here.part = UINT2(0, 0);
        if (!(here.extent <= REAL_MAX)) return;
        s->extent = most_of(s->extent, here.extent);
        EACH_LANE x[lane] = s->q[lane] - ORIGIN(segment)[lane];
        load_part(THE_PART, segment, x, s->scale);
        if (here.ahead == 0 && is_many)
            low = begin_valley(THE_PART, segment, (uint)(at % spans), s->q, s->scale, here.extent);
        do {
            memcpy(p.a, whole.a, (size_t)(ORDER + IS_BASED) * sizeof *p.a);
            if (IS_RATIONAL) memcpy(p.w, whole.w, (size_t)ORDER * sizeof *p.w);
            if (here.part.s1 > 0) restrict_part(THE_PART_OF(p.a, p.w), here.part.s0, here.part.s1);
            here.part = next_part(here.part, search_part(s, &low, &p, &here, form));
        } while (here.part.s1 > 0 && (here.ahead == 0 || low.s0 < (real)INFINITY));
        if (!is_many || !(low.s0 < s->least) ||
            !goes_on(THE_PART, segment, (uint)(at % spans), spans, s->q, s->scale, here.extent))
            break;
    }
    if (is_many) keep(s, number, low);
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
            const real most = most_of(fabs(s->q[c] - low), fabs(s->q[c] - high));
            if (low <= high) size = most_of(size, most);
        }
    if (!(size > 0)) return 1;
    const int exponent = -ilogb((double)size);
    return (real)ldexp(1.0, exponent > SCALE_MAX    ? SCALE_MAX
                            : exponent < -SCALE_MAX ? -SCALE_MAX
                                                    : exponent);
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
    if (s->has_begun)
        s->begun =
            curve * c->spans + span_of((const real *)c->span_ends + SPAN_ENDS * table_of(c, curve),
                                       SPAN_ENDS, c->spans, hint);
    put_boxes(s, top, curve, 0);
}

/* Writes all points that are kept, by their distance: rounding may have changed the order. */
CLSPI_INLINE void write_points(const search *s, real *out, part_form form)
{
    const clspi_segments_of_curves *const c = s->c;
    const int degree = (int)c->degree;
    const bool is_cut =
        s->is_cut || (s->count > 0 && left_open(s->kept[0].low.s0, s->lowest, s->extent,
                                                s->distance_eps, degree, c->rational));
    segment_part p;
    point *const a = p.a;
    real *const w = p.w;
    DECLARE_SCRATCH

    for (uint32_t i = 0; i < s->count; i++) {
        const real4 low = s->kept[i].low;
        const size_t number = s->kept[i].number;
        real *const to = out + i * NEAREST_SIZE;
        write_nearest(THE_PART, THE_SCRATCH, to, segment_at(c, number), s->q,
                      PARAMETER(low.s1, low.s2), s->scale, least_of(low.s0, s->lowest), s->extent,
                      s->distance_eps);
        write_ids(to, (uint32_t)(number / c->spans), is_cut ? STATUS_CUT : STATUS_FOUND);
        move_up(out, i);
    }
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
    const real far = queries->max_dist > 0 ? (real)queries->max_dist : (real)INFINITY;
    real *const out = (real *)queries->out + i * s->num * NEAREST_SIZE;
    bool valid = curve < c->num_curves || c->num_curves == 0;
    size_t number;

    for (uint32_t k = 0; k < c->dim; k++) {
        s->q[k] = q[k];
        valid = valid && is_finite(q[k]);
    }
    if (!valid || c->num_curves == 0) {
        write_none(out, 0, s->num, valid ? far : REAL_NAN, valid ? STATUS_NONE : STATUS_INVALID);
        return;
    }
    begin_search(s, all, curve, hint, queries->max_dist);
    number = s->begun;
    for (bool there = s->has_begun || next_segment(s, &number); there;
         there = next_segment(s, &number))
        search_segment(s, number, form);
    write_points(s, out, form);
    write_none(out, s->count, s->num, far, STATUS_NONE);
}

CLSPI_INLINE void search_all(const clspi_segments_of_curves *c,
                             const clspi_nearest_queries *queries, part_form form)
{
    search s;

    s.c = c;
    s.num = queries->num_nearest;
    s.eps = REAL_EPS / 2 * (real)(c->dim + c->degree + (form != POLYNOMIAL ? 7 : 4));
    s.distance_eps = distance_eps_of((int)c->degree, form == RATIONAL, form != POLYNOMIAL, s.eps);
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
