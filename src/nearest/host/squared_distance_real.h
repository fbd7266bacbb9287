/* The squared distance of a point to a part of a segment, in Bernstein form, in the precision
   `real`: as squared_distance.clh has it (docs/math.md, 14), with points of LANES coordinates; for
   segment_search_real.h. The form is a constant where functions are inlined. */

/* What parts are: polynomials relative to the query, and what is relative to a base: a point of the
   part where that is far from the query, else the query itself. */
typedef enum part_form { POLYNOMIAL, POLYNOMIAL_WITH_BASE, RATIONAL } part_form;

/* Control points of a part of a segment, relative to the query or to the base, and their weights;
   the base minus the query. */
typedef struct part {
    real a[ORDER_MAX][LANES];
    real w[ORDER_MAX];
    real base[LANES];
} part;

/* Double precision has digits to spare. */
#define HAS_BASE (sizeof(real) == sizeof(float))

/* Points are far that are so many times as far from the query as the part is large. From 4 on the
   rounding errors of what is relative to a base are less than those of what is not. */
#define FAR ((real)4)

CLSPI_INLINE real dot_of(const real *x, const real *y)
{
    return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
}

/* ---- parameters ---- */

/* A parameter t : s of a part or a segment, s = 1 - t. Of rational ones both have all their digits,
   for the place of a point there is the ratio t / s: weights may make much of a curve belong to few
   parameters. Of others s follows from t. */
typedef struct place {
    real t, s;
} place;

CLSPI_INLINE place place_at(real t)
{
    return (place){t, 1 - t};
}

/* Returns what a parameter of part k of 2^depth is on the segment. */
CLSPI_INLINE place place_of_segment(place at, uint32_t k, uint32_t depth, part_form form)
{
    const uint32_t parts = 1u << depth;
    const real t = ((real)k + at.t) / (real)parts;

    if (form != RATIONAL) return place_at(t);
    return (place){t, ((real)(parts - 1 - k) + at.s) / (real)parts};
}

/* Moves a parameter back by d. */
CLSPI_INLINE place moved_back(place at, real d, part_form form)
{
    if (form == RATIONAL && at.t > (real)0.5) return (place){1 - (at.s + d), at.s + d};
    return place_at(at.t - d);
}

/* Returns the parameter in the middle. */
CLSPI_INLINE place middle_of(place x, place y, part_form form)
{
    if (form == RATIONAL && x.t + y.t > 1) return (place){1 - (x.s + y.s) / 2, (x.s + y.s) / 2};
    return place_at((x.t + y.t) / 2);
}

/* Returns how far y is behind x. */
CLSPI_INLINE real way_between(place x, place y, part_form form)
{
    return form == RATIONAL && x.t > (real)0.5 ? x.s - y.s : y.t - x.t;
}

/* ---- a part ---- */

/* Loads a segment minus the point q, times scale, a power of two. Where it is far its base is its
   origin. */
CLSPI_INLINE void load_part(part *to, const clspi_segments_of_curves *c, const real *segment,
                            const real *q, real scale, part_form form)
{
    const uint32_t order = c->degree + 1;
    const real *const origin = frame_of(c, segment), *const weights = segment + order * LANES;
    const real extent = FAR * scale * origin[LANES];
    real x[LANES];

    for (int k = 0; k < LANES; k++) {
        x[k] = q[k] - origin[k];
        to->base[k] = -scale * x[k];
    }
    if (form != POLYNOMIAL) {
        const bool is_far = HAS_BASE && dot_of(to->base, to->base) > extent * extent;
        for (int k = 0; k < LANES; k++) {
            x[k] = is_far ? 0 : x[k];
            to->base[k] = is_far ? to->base[k] : 0;
        }
    }
    for (uint32_t i = 0; i < order; i++) {
        const real *const p = segment + i * LANES;
        if (form == RATIONAL) to->w[i] = weights[i];
        for (int k = 0; k < LANES; k++)
            to->a[i][k] = scale * (form == RATIONAL ? FMA(-weights[i], x[k], p[k]) : p[k] - x[k]);
    }
}

/* Gives a part that is far a base of its own, its middle control point. */
CLSPI_INLINE void choose_base(part *p, uint32_t degree, part_form form)
{
    real middle[LANES], base[LANES], x[LANES];
    bool is_far = true;

    for (int k = 0; k < LANES; k++) {
        middle[k] = p->a[degree / 2][k] / (form == RATIONAL ? p->w[degree / 2] : 1);
        base[k] = p->base[k] + middle[k];
    }
    const real far = dot_of(base, base);
    for (uint32_t i = 0; i <= degree; i++) {
        const real w = form == RATIONAL ? p->w[i] : 1;
        for (int k = 0; k < LANES; k++)
            x[k] = p->a[i][k] - w * middle[k];
        is_far = is_far && FAR * FAR * dot_of(x, x) <= far * w * w;
    }
    if (!is_far && !(dot_of(p->base, p->base) > 0)) return;
    for (uint32_t i = 0; i <= degree; i++)
        for (int k = 0; k < LANES; k++)
            p->a[i][k] -= (form == RATIONAL ? p->w[i] : 1) * middle[k];
    memcpy(p->base, base, sizeof base);
}

/* Returns s x + t y, for t + s = 1. Weights may be of very different size: then a sum of two parts
   is exact to a rounding of each, and x + t (y - x), which takes one operation less, is not. */
CLSPI_INLINE real between(real x, real y, real t, real s, part_form form)
{
    return form == RATIONAL ? s * x + t * y : x + t * (y - x);
}

/* Makes control point i one between i and i + 1, t of the way, s being left; `to` is one of them.
 */
CLSPI_INLINE void move_point(part *p, uint32_t to, uint32_t i, real t, real s, part_form form)
{
    for (int x = 0; x < LANES; x++)
        p->a[to][x] = between(p->a[i][x], p->a[i + 1][x], t, s, form);
    if (form == RATIONAL) p->w[to] = between(p->w[i], p->w[i + 1], t, s, RATIONAL);
}

/* Takes of a segment the part k of 2^depth equal ones, by de Casteljau's algorithm: what is behind
   its begin, and of that what is before its end. */
CLSPI_INLINE void restrict_part(part *p, uint32_t degree, uint32_t k, uint32_t depth,
                                part_form form)
{
    const real parts = (real)(1u << depth), left = (real)((1u << depth) - k);
    const real begin = (real)k / parts, end = 1 / left;

    for (uint32_t r = degree; r > 0; r--)
        for (uint32_t i = 0; i < r; i++)
            move_point(p, i, i, begin, left / parts, form);
    for (uint32_t r = 1; r <= degree; r++)
        for (uint32_t i = degree; i >= r; i--)
            move_point(p, i, i - 1, end, (left - 1) * end, form);
    if (HAS_BASE && form != POLYNOMIAL) choose_base(p, degree, form);
}

/* Computes the squared distance at control point i, which is an end of the part. */
CLSPI_INLINE real square_at(const part *p, uint32_t i, part_form form)
{
    real x[LANES];

    if (form == POLYNOMIAL) return dot_of(p->a[i], p->a[i]);
    for (int k = 0; k < LANES; k++)
        x[k] = p->a[i][k] / (form == RATIONAL ? p->w[i] : 1) + p->base[k];
    return dot_of(x, x);
}

/* ---- changes of sign ---- */

/* Counts changes of sign where some signs are not known: the most that there can be if the last
   sign is plus and minus, and whether the first one is plus for certain. */
typedef struct sign_count {
    int to_plus, to_minus;
    bool begins_plus, is_begun;
} sign_count;

CLSPI_INLINE void count_sign(sign_count *n, real e, real error)
{
    const bool may_be_plus = e >= -error, may_be_minus = e <= error;
    const int impossible = -(1 << 20), plus = n->to_plus, minus = n->to_minus;

    n->to_plus = !may_be_plus ? impossible : plus > minus + 1 ? plus : minus + 1;
    n->to_minus = !may_be_minus ? impossible : minus > plus + 1 ? minus : plus + 1;
    if (n->is_begun) return;
    n->to_plus = may_be_plus ? 0 : impossible;
    n->to_minus = may_be_minus ? 0 : impossible;
    n->begins_plus = !may_be_minus;
    n->is_begun = true;
}

/* ---- what coefficients say ---- */

/* What is known of a part: a lower bound of the squared distance, and where a local minimum within
   it is to be looked for, or one of these; whether rounding leaves of the distance no more than one
   value; the first and the last sign of its derivative that is certain, 0 where none is. */
#define NO_MINIMUM  ((real)-1)
#define NOT_DECIDED ((real)-2)

typedef struct finding {
    real least, at;
    bool is_flat;
    int first, last;
} finding;

/* Computes coefficient k of the square of a curve whose control points come with binomial
   coefficients, but for what is divided by. Products come in pairs. */
CLSPI_INLINE real square_coefficient(const real (*b)[LANES], uint32_t degree, uint32_t k)
{
    real sum[LANES] = {0};

    for (uint32_t i = k > degree ? k - degree : 0; 2 * i < k; i++)
        for (int x = 0; x < LANES; x++)
            sum[x] += b[i][x] * b[k - i][x];
    for (int x = 0; x < LANES; x++)
        sum[x] = 2 * sum[x] + (k % 2 ? 0 : b[k / 2][x] * b[k / 2][x]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Computes coefficient k of the product of two rows of numbers, x y, which come with binomial
   coefficients, but for what is divided by. */
CLSPI_INLINE real product_coefficient(const real *x, const real *y, uint32_t degree, uint32_t k)
{
    const uint32_t first = k > degree ? k - degree : 0;
    real sum = 0;

    for (uint32_t i = first; i <= k - first; i++)
        sum += x[i] * y[k - i];
    return sum;
}

/* What coefficients of a derivative have been looked at: their signs, the one before, and where
   they change from minus to plus. */
typedef struct derivative {
    sign_count n;
    real before, crossing;
    int first, last; /* signs that are certain */
} derivative;

/* Looks at coefficient k of `last` + 1. */
CLSPI_INLINE void look_at(derivative *d, uint32_t k, uint32_t last, real e, real error)
{
    const int sign = (e > error) - (e < -error);

    count_sign(&d->n, e, error);
    d->first = d->first ? d->first : sign;
    d->last = sign ? sign : d->last;
    if (d->before < 0 && e >= 0)
        d->crossing = ((real)k - 1 + d->before / (d->before - e)) / (real)last;
    d->before = e;
}

/* Follows from the coefficients of the squared distance, which are between two numbers but for an
   error, and from those of its derivative what is known. base: what is to be added. */
CLSPI_INLINE finding conclude(real least, real greatest, real error, real base, const derivative *d)
{
    const sign_count *const n = &d->n;
    const int most = n->to_plus > n->to_minus ? n->to_plus : n->to_minus;
    const bool may_be_there = n->to_plus > 0 && !n->begins_plus;
    const real low = (least - error) + base, high = (greatest + error) + base;
    const finding found = {.least = most_of(low, 0),
                           .at = most > 1       ? NOT_DECIDED
                                 : may_be_there ? d->crossing
                                                : NO_MINIMUM,
                           .is_flat = high - low <= 6 * error,
                           .first = d->first,
                           .last = d->last};

    return found;
}

/* Returns by how much the squared distance may differ from that of the base, at most: of a part
   whose points are within a distance, the root of `square`, from it. */
CLSPI_INLINE real largest_of(const part *p, real square)
{
    return square + 2 * SQRT(dot_of(p->base, p->base) * square);
}

CLSPI_INLINE finding examine_polynomial(const part *p, uint32_t degree, real eps,
                                        const real *weights, part_form form)
{
    const real *const divided = weights + degree + 1;
    const bool has_base = form != POLYNOMIAL;
    const real base = has_base ? dot_of(p->base, p->base) : 0;
    derivative d = {.crossing = (real)0.5};
    real b[ORDER_MAX][LANES], slopes[ORDER_MAX], largest = 0;

    for (uint32_t i = 0; i <= degree; i++) {
        largest = most_of(largest, dot_of(p->a[i], p->a[i]));
        for (int x = 0; x < LANES; x++)
            b[i][x] = weights[i] * p->a[i][x];
        if (has_base) slopes[i] = dot_of(p->base, b[i]);
    }
    const real error = eps * (has_base ? largest_of(p, largest) : largest);
    real before = dot_of(p->a[0], p->a[0]) + (has_base ? 2 * dot_of(p->base, p->a[0]) : 0);
    real least = before, greatest = before;
    for (uint32_t k = 1; k <= 2 * degree; k++) {
        real c = square_coefficient((const real(*)[LANES])b, degree, k);
        if (has_base) c += 2 * product_coefficient(weights, slopes, degree, k);
        c *= divided[k];
        look_at(&d, k - 1, 2 * degree - 1, c - before, 2 * error);
        least = least_of(c, least);
        greatest = most_of(c, greatest);
        before = c;
    }
    return conclude(least, greatest, error, base, &d);
}

/* The coefficients of the squared distance above that of the base, times the squared weight; those
   of that; and the weights with binomial coefficients. */
typedef struct squares {
    real value[2 * ORDER_MAX - 1], of_weight[2 * ORDER_MAX - 1];
    real v[ORDER_MAX];
    real least, greatest; /* of quotients of the two */
    real error;           /* of a value, by the squared weight's */
} squares;

CLSPI_INLINE void make_squares(squares *s, const part *p, uint32_t degree, real eps,
                               const real *weights)
{
    const real *const divided = weights + degree + 1;
    real b[ORDER_MAX][LANES], slopes[ORDER_MAX], largest = 0;

    s->least = REAL_MAX;
    s->greatest = -REAL_MAX;
    for (uint32_t i = 0; i <= degree; i++) {
        for (int x = 0; x < LANES; x++)
            b[i][x] = weights[i] * p->a[i][x];
        s->v[i] = weights[i] * p->w[i];
        slopes[i] = dot_of(p->base, b[i]);
        largest = most_of(largest, dot_of(p->a[i], p->a[i]) / (p->w[i] * p->w[i]));
    }
    s->error = 2 * eps * largest_of(p, largest);
    for (uint32_t k = 0; k <= 2 * degree; k++) {
        s->value[k] = (square_coefficient((const real(*)[LANES])b, degree, k) +
                       2 * product_coefficient(s->v, slopes, degree, k)) *
                      divided[k];
        s->of_weight[k] = product_coefficient(s->v, s->v, degree, k) * divided[k];
        const real square = s->value[k] / s->of_weight[k];
        s->least = least_of(square, s->least);
        s->greatest = most_of(square, s->greatest);
    }
}

CLSPI_INLINE finding examine_rational(const part *p, uint32_t degree, real eps, const real *weights)
{
    const uint32_t twice = 2 * degree;
    const real *const of_steps = weights + degree + 1 + twice + 1, *const of_all = of_steps + twice;
    const real *const of_weights = of_all + twice + 1, *const divided = of_weights + degree;
    derivative d = {.crossing = (real)0.5};
    squares s;

    make_squares(&s, p, degree, eps, weights);
    for (uint32_t l = 0; l < 3 * degree; l++) {
        real e = 0, size = 0;
        for (uint32_t k = l > degree ? l - degree : 0; k < twice && k <= l; k++) {
            const real by = of_steps[k] * s.v[l - k];
            e += (s.value[k + 1] - s.value[k]) * by;
            size += (s.of_weight[k + 1] + s.of_weight[k]) * by;
        }
        for (uint32_t k = l >= degree ? l + 1 - degree : 0; k <= twice && k <= l; k++) {
            const real here = p->w[l - k], next = p->w[l - k + 1];
            const real by = of_all[k] * of_weights[l - k];
            e -= s.value[k] * by * (next - here);
            size += s.of_weight[k] * by * (next + here);
        }
        look_at(&d, l, 3 * degree - 1, e * divided[l], 2 * s.error * size * divided[l]);
    }
    return conclude(s.least, s.greatest, s.error, dot_of(p->base, p->base), &d);
}

/* ---- minima ---- */

/* A point of a part and its derivatives, without weights. */
typedef struct jet {
    real x[LANES], first[LANES], second[LANES];
} jet;

/* Divides by the weight, whose derivatives are first and second. */
CLSPI_INLINE void divide(jet *j, real w, real first, real second)
{
    const real scale = 1 / w, w1 = first * scale, w2 = second * scale;

    for (int k = 0; k < LANES; k++) {
        j->x[k] *= scale;
        j->first[k] = j->first[k] * scale - j->x[k] * w1;
        j->second[k] = j->second[k] * scale - 2 * j->first[k] * w1 - j->x[k] * w2;
    }
}

/* Goes one step of de Casteljau's algorithm, from n + 1 points to n. */
CLSPI_INLINE void step_towards(part *p, uint32_t n, place at, part_form form)
{
    for (uint32_t i = 0; i < n; i++)
        move_point(p, i, i, at.t, at.s, form);
}

CLSPI_INLINE void copy_part(part *to, const part *from, uint32_t order, part_form form)
{
    memcpy(to->a, from->a, order * sizeof *to->a);
    if (form == RATIONAL) memcpy(to->w, from->w, order * sizeof *to->w);
    if (form != POLYNOMIAL) memcpy(to->base, from->base, sizeof to->base);
}

/* Evaluates a part at t : s, by de Casteljau's algorithm. */
CLSPI_INLINE void evaluate_part(const part *p, uint32_t degree, place at, part_form form, jet *j)
{
    const real by = (real)degree, by_second = degree > 1 ? by * (by - 1) : 0;
    real w1 = 0, w2 = 0;
    part b;

    copy_part(&b, p, degree + 1, form);
    for (uint32_t n = degree; n > 2; n--)
        step_towards(&b, n, at, form);
    for (int k = 0; k < LANES; k++)
        j->second[k] = degree > 1 ? by_second * (b.a[2][k] - 2 * b.a[1][k] + b.a[0][k]) : 0;
    if (form == RATIONAL && degree > 1) w2 = by_second * (b.w[2] - 2 * b.w[1] + b.w[0]);
    if (degree > 1) step_towards(&b, 2, at, form);
    for (int k = 0; k < LANES; k++)
        j->first[k] = by * (b.a[1][k] - b.a[0][k]);
    if (form == RATIONAL) w1 = by * (b.w[1] - b.w[0]);
    step_towards(&b, 1, at, form);
    for (int k = 0; k < LANES; k++)
        j->x[k] = b.a[0][k];
    if (form == RATIONAL) divide(j, b.w[0], w1, w2);
    for (int k = 0; k < LANES && form != POLYNOMIAL; k++)
        j->x[k] += p->base[k];
}

/* A local minimum: the parameter, the squared distance, and what it may be at least where the
   parameter has not the digits to tell. */
typedef struct minimum {
    place at;
    real square, lowest;
} minimum;

/* Finds the local minimum of a part, from t on, by Newton's method within the interval where the
   derivative changes its sign, halved where a step would leave it. */
CLSPI_INLINE minimum find_minimum(const part *p, uint32_t degree, real t, part_form form)
{
    enum { STEPS = 64 };
    place low = place_at(0), high = place_at(1), here = place_at(t);
    minimum found = {here, REAL_MAX, 0};
    real unknown = 0;

    for (int n = 0; n < STEPS; n++) {
        jet j;
        evaluate_part(p, degree, here, form, &j);
        const real square = dot_of(j.x, j.x), slope = dot_of(j.x, j.first);
        const real curve = dot_of(j.first, j.first) + dot_of(j.x, j.second);
        if (square < found.square) found = (minimum){here, square, 0};
        if (slope > 0) high = here;
        if (slope < 0) low = here;
        const real by = slope / curve; /* exact, where t - by has not the digits */
        place next = moved_back(here, by, form);
        const bool is_newton =
            curve > 0 && way_between(low, next, form) >= 0 && way_between(next, high, form) >= 0;
        if (!is_newton) next = middle_of(low, high, form);
        const real step = FABS(way_between(here, next, form));
        /* of rational parts all may lie at ratios t / s of a few powers of ten, and an end is none
         */
        const bool tells =
            is_newton && (form != RATIONAL || FABS(by) <= least_of(here.t, here.s) / 2);
        const bool is_flat = tells && slope * by <= REAL_EPS / 4 * square;
        const bool is_small = step <= REAL_EPS * (form == RATIONAL ? least_of(next.t, next.s) : 1);
        unknown = is_flat ? 0 : 2 * FABS(slope) * way_between(low, high, form);
        if (tells) unknown = least_of(4 * slope * by, unknown);
        if (is_flat || (is_newton && is_small)) found.at = next;
        if (is_flat || is_small || slope == 0) break;
        here = next;
    }
    found.lowest = most_of(found.square - unknown, 0);
    return found;
}
