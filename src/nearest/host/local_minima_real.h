/* The nearest local minima of the distance along curves, in the precision `real`, as
   local_minima.clh has them (docs/math.md, 14); for segment_search_real.h.

   A valley is what a way along a curve goes through between where the distance falls for certain
   and where it rises for certain, ends of curves and jumps being walls. It is the nearest point in
   it so far, infinitely far away where the distance does not fall. */

static const kept_point no_valley = {.square = (real)INFINITY};

/* Tells whether a part is as near to the query as rounding leaves it: within `size`. */
static bool is_at_query(const part *p, uint32_t degree, real size, part_form form)
{
    real most = 0;

    for (uint32_t i = 0; i <= degree; i++)
        most = most_of(most, square_at(p, i, form));
    return most <= size * size;
}

/* Finds out whether a part that is not decided is flat: one that is not halved further. */
CLSPI_INLINE void find_flat(const search *s, finding *found, const part *p, const whereabouts *here,
                            part_form form)
{
    if (s->num == 1 || found->at != NOT_DECIDED)
        found->is_flat = false;
    else if (!found->is_flat)
        found->is_flat = is_at_query(p, s->c->degree, EXTENT_EPS * here->extent, form);
    if (found->is_flat) found->at = NO_MINIMUM;
}

/* Enters a part. end: the valley that may begin within. A part that is too far away rises. */
CLSPI_INLINE void enter_part(kept_point *low, finding *found, bool is_near, const kept_point *end)
{
    if (!is_near) found->first = found->last = 1;
    if (found->first < 0) *low = *end;
}

/* Leaves a part, and keeps the minimum of the valley that ends there, if one does. */
CLSPI_INLINE void leave_part(search *s, kept_point *low, const finding *found,
                             const kept_point *end)
{
    if (found->first <= 0 && found->last <= 0) return;
    keep(s, low);
    *low = found->first > 0 && found->last < 0 ? *end : no_valley;
}

/* Tells whether a curve goes on from an end of a segment, its control point `end`, to control point
   i of another, which is the end beside it: not where it jumps, nor into what cannot be searched.
 */
static bool is_joined(const search *s, const part *whole, uint32_t end, real extent,
                      const real *segment, uint32_t i, part_form form)
{
    const real *const frame = frame_of(s->c, segment);
    const real weight = form == RATIONAL ? segment[(s->c->degree + 1) * LANES + i] : 1;
    const real own_weight = form == RATIONAL ? whole->w[end] : 1;
    real here[LANES], apart[LANES];

    if (!is_finite(frame[LANES])) return false;
    for (uint32_t k = 0; k < LANES; k++) {
        const real there = segment[i * LANES + k] / weight - (s->q[k] - frame[k]);
        here[k] = whole->a[end][k] / own_weight + (form == POLYNOMIAL ? 0 : whole->base[k]);
        apart[k] = here[k] - there * s->scale;
    }
    const real size = 32 * REAL_EPS * (extent + SQRT(dot_of(here, here)));
    return dot_of(apart, apart) <= size * size;
}

/* Returns the valley at the begin of a segment, where a curve begins. Else there is none: what goes
   on belongs to the segment where it began. */
static kept_point begin_valley(const search *s, const part *whole, const whereabouts *here,
                               part_form form)
{
    const size_t number = here->number;

    if (number % s->c->spans > 0 &&
        is_joined(s, whole, 0, here->extent, segment_at(s->c, number - 1), s->c->degree, form))
        return no_valley;
    return (kept_point){square_at(whole, 0, form), place_at(0), number};
}

/* Tells whether a valley is to be followed behind a segment that is done. */
static bool goes_on(const search *s, const kept_point *low, const part *whole,
                    const whereabouts *here, part_form form)
{
    const size_t next = here->number + 1;

    return low->square < s->least && next % s->c->spans > 0 &&
           is_joined(s, whole, s->c->degree, here->extent, segment_at(s->c, next), 0, form);
}
