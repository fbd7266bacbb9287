/* The squared distance of a point to a part of a segment, in Bernstein form, in the precision
   `real`: as squared_distance.clh has it (docs/math.md, 14), with points of LANES coordinates; for
   segment_search_real.h. rational is a constant where functions are inlined. */

/* Control points of a part of a segment, minus the point, and their weights. */
typedef struct part {
    real a[ORDER_MAX][LANES];
    real w[ORDER_MAX];
} part;

/* ---- a part ---- */

/* Loads a segment minus the point q, times scale, a power of two. */
CLSPI_INLINE void load_part(part *to, const clspi_segments_of_curves *c, const real *segment,
                            const real *q, real scale, bool rational)
{
    const uint32_t order = c->degree + 1;
    const real *const origin = frame_of(c, segment), *const weights = segment + order * LANES;
    real x[LANES];

    for (int k = 0; k < LANES; k++)
        x[k] = q[k] - origin[k];
    for (uint32_t i = 0; i < order; i++) {
        const real *const p = segment + i * LANES;
        if (rational) to->w[i] = weights[i];
        for (int k = 0; k < LANES; k++)
            to->a[i][k] = scale * (rational ? FMA(-weights[i], x[k], p[k]) : p[k] - x[k]);
    }
}

/* Returns s x + t y, for t + s = 1. Weights may be of very different size: then a sum of two parts
   is exact to a rounding of each, and x + t (y - x), which takes one operation less, is not. */
CLSPI_INLINE real between(real x, real y, real t, real s, bool rational)
{
    return rational ? s * x + t * y : x + t * (y - x);
}

/* Makes control point i one between i and i + 1, t of the way, s being left; `to` is one of them.
 */
CLSPI_INLINE void move_point(part *p, uint32_t to, uint32_t i, real t, real s, bool rational)
{
    for (int x = 0; x < LANES; x++)
        p->a[to][x] = between(p->a[i][x], p->a[i + 1][x], t, s, rational);
    if (rational) p->w[to] = between(p->w[i], p->w[i + 1], t, s, true);
}

/* Takes of a segment the part k of 2^depth equal ones, by de Casteljau's algorithm: what is behind
   its begin, and of that what is before its end. */
CLSPI_INLINE void restrict_part(part *p, uint32_t degree, uint32_t k, uint32_t depth, bool rational)
{
    const real parts = (real)(1u << depth), left = parts - (real)k;
    const real begin = (real)k / parts, end = 1 / left;

    for (uint32_t r = degree; r > 0; r--)
        for (uint32_t i = 0; i < r; i++)
            move_point(p, i, i, begin, left / parts, rational);
    for (uint32_t r = 1; r <= degree; r++)
        for (uint32_t i = degree; i >= r; i--)
            move_point(p, i, i - 1, end, (left - 1) * end, rational);
}

CLSPI_INLINE real dot_of(const real *x, const real *y)
{
    return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
}

/* Computes the squared distance at control point i, which is an end of the part. */
CLSPI_INLINE real square_at(const part *p, uint32_t i, bool rational)
{
    const real square = dot_of(p->a[i], p->a[i]);

    return rational ? square / (p->w[i] * p->w[i]) : square;
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
   it is to be looked for, or one of these. */
#define NO_MINIMUM  ((real)-1)
#define NOT_DECIDED ((real)-2)

typedef struct finding {
    real least, at;
} finding;

/* Follows from the coefficients of the derivative, counted, where to look. crossing: where they
   change from minus to plus. */
CLSPI_INLINE finding conclude(real least, const sign_count *n, real crossing)
{
    const int most = n->to_plus > n->to_minus ? n->to_plus : n->to_minus;
    const finding found = {most_of(least, 0), most > 1                     ? NOT_DECIDED
                                              : most < 1 || n->begins_plus ? NO_MINIMUM
                                                                           : crossing};

    return found;
}

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

/* Computes the same of numbers. */
CLSPI_INLINE real product_coefficient(const real *b, uint32_t degree, uint32_t k)
{
    real sum = 0;

    for (uint32_t i = k > degree ? k - degree : 0; 2 * i < k; i++)
        sum += b[i] * b[k - i];
    return 2 * sum + (k % 2 ? 0 : b[k / 2] * b[k / 2]);
}

/* What coefficients of a derivative have been looked at. */
typedef struct derivative {
    sign_count n;
    real before, crossing;
} derivative;

/* Looks at coefficient k of `last` + 1. */
CLSPI_INLINE void look_at(derivative *d, uint32_t k, uint32_t last, real e, real error)
{
    count_sign(&d->n, e, error);
    if (d->before < 0 && e >= 0)
        d->crossing = ((real)k - 1 + d->before / (d->before - e)) / (real)last;
    d->before = e;
}

CLSPI_INLINE finding examine_polynomial(const part *p, uint32_t degree, real eps,
                                        const real *weights)
{
    const real *const divided = weights + degree + 1;
    derivative d = {.crossing = (real)0.5};
    real b[ORDER_MAX][LANES], largest = 0;

    for (uint32_t i = 0; i <= degree; i++) {
        largest = most_of(largest, dot_of(p->a[i], p->a[i]));
        for (int x = 0; x < LANES; x++)
            b[i][x] = weights[i] * p->a[i][x];
    }
    const real error = eps * largest;
    real before = dot_of(p->a[0], p->a[0]), least = before;
    for (uint32_t k = 1; k <= 2 * degree; k++) {
        const real c = square_coefficient((const real(*)[LANES])b, degree, k) * divided[k];
        look_at(&d, k - 1, 2 * degree - 1, c - before, 2 * error);
        least = least_of(c, least);
        before = c;
    }
    return conclude(least - error, &d.n, d.crossing);
}

/* The coefficients of the squared distance times the squared weight, what they are made of, without
   signs, and the weights with binomial coefficients. */
typedef struct squares {
    real value[2 * ORDER_MAX - 1], size[2 * ORDER_MAX - 1];
    real v[ORDER_MAX];
} squares;

/* Computes them, and returns a lower bound of the squared distance. */
CLSPI_INLINE real make_squares(squares *s, const part *p, uint32_t degree, real eps,
                               const real *weights)
{
    const real *const divided = weights + degree + 1;
    real b[ORDER_MAX][LANES], norm[ORDER_MAX], least = REAL_MAX;

    for (uint32_t i = 0; i <= degree; i++) {
        for (int x = 0; x < LANES; x++)
            b[i][x] = weights[i] * p->a[i][x];
        s->v[i] = weights[i] * p->w[i];
        norm[i] = SQRT(dot_of(b[i], b[i]));
    }
    for (uint32_t k = 0; k <= 2 * degree; k++) {
        s->value[k] = square_coefficient((const real(*)[LANES])b, degree, k) * divided[k];
        s->size[k] = product_coefficient(norm, degree, k) * divided[k];
        const real w = product_coefficient(s->v, degree, k) * divided[k];
        least = least_of((s->value[k] - 2 * eps * s->size[k]) / w, least);
    }
    return least;
}

CLSPI_INLINE finding examine_rational(const part *p, uint32_t degree, real eps, const real *weights)
{
    const uint32_t twice = 2 * degree;
    const real *const of_steps = weights + degree + 1 + twice + 1, *const of_all = of_steps + twice;
    const real *const of_weights = of_all + twice + 1, *const divided = of_weights + degree;
    derivative d = {.crossing = (real)0.5};
    squares s;

    const real least = make_squares(&s, p, degree, eps, weights);
    for (uint32_t l = 0; l < 3 * degree; l++) {
        real e = 0, error = 0;
        for (uint32_t k = l > degree ? l - degree : 0; k < twice && k <= l; k++) {
            const real by = of_steps[k] * s.v[l - k];
            e += (s.value[k + 1] - s.value[k]) * by;
            error += (s.size[k + 1] + s.size[k]) * by;
        }
        for (uint32_t k = l >= degree ? l + 1 - degree : 0; k <= twice && k <= l; k++) {
            const real here = p->w[l - k], next = p->w[l - k + 1];
            const real by = of_all[k] * of_weights[l - k];
            e -= s.value[k] * by * (next - here);
            error += s.size[k] * by * (next + here);
        }
        look_at(&d, l, 3 * degree - 1, e * divided[l], 4 * eps * error * divided[l]);
    }
    return conclude(least, &d.n, d.crossing);
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
CLSPI_INLINE void step_towards(part *p, uint32_t n, real t, bool rational)
{
    for (uint32_t i = 0; i < n; i++)
        move_point(p, i, i, t, 1 - t, rational);
}

CLSPI_INLINE void copy_part(part *to, const part *from, uint32_t order, bool rational)
{
    memcpy(to->a, from->a, order * sizeof *to->a);
    if (rational) memcpy(to->w, from->w, order * sizeof *to->w);
}

/* Evaluates a part at t, by de Casteljau's algorithm. */
CLSPI_INLINE void evaluate_part(const part *p, uint32_t degree, real t, bool rational, jet *j)
{
    const real by = (real)degree, by_second = degree > 1 ? by * (by - 1) : 0;
    real w1 = 0, w2 = 0;
    part b;

    copy_part(&b, p, degree + 1, rational);
    for (uint32_t n = degree; n > 2; n--)
        step_towards(&b, n, t, rational);
    for (int k = 0; k < LANES; k++)
        j->second[k] = degree > 1 ? by_second * (b.a[2][k] - 2 * b.a[1][k] + b.a[0][k]) : 0;
    if (rational && degree > 1) w2 = by_second * (b.w[2] - 2 * b.w[1] + b.w[0]);
    if (degree > 1) step_towards(&b, 2, t, rational);
    for (int k = 0; k < LANES; k++)
        j->first[k] = by * (b.a[1][k] - b.a[0][k]);
    if (rational) w1 = by * (b.w[1] - b.w[0]);
    step_towards(&b, 1, t, rational);
    for (int k = 0; k < LANES; k++)
        j->x[k] = b.a[0][k];
    if (rational) divide(j, b.w[0], w1, w2);
}

/* A local minimum: the parameter, the squared distance, and what it may be at least where the
   parameter has not the digits to tell: weights can make much of a curve belong to few
   parameters. */
typedef struct minimum {
    real t, square, lowest;
} minimum;

/* Finds the local minimum of a part, from t on, by Newton's method within the interval where the
   derivative changes its sign, halved where a step would leave it. */
CLSPI_INLINE minimum find_minimum(const part *p, uint32_t degree, real t, bool rational)
{
    enum { STEPS = 64 };
    minimum found = {t, REAL_MAX, 0};
    real low = 0, high = 1, unknown = 0;

    for (int n = 0; n < STEPS; n++) {
        jet j;
        evaluate_part(p, degree, t, rational, &j);
        const real square = dot_of(j.x, j.x), slope = dot_of(j.x, j.first);
        const real curve = dot_of(j.first, j.first) + dot_of(j.x, j.second);
        if (square < found.square) found = (minimum){t, square, 0};
        if (slope > 0) high = t;
        if (slope < 0) low = t;
        real next = t - slope / curve;
        const bool is_newton = curve > 0 && next >= low && next <= high;
        if (!is_newton) next = (low + high) / 2;
        const real step = next - t;
        const bool is_flat = is_newton && curve * step * step <= REAL_EPS / 4 * square;
        const bool is_small = FABS(step) <= REAL_EPS;
        unknown = is_flat ? 0 : 2 * FABS(slope) * (high - low);
        if (is_newton) unknown = least_of(4 * curve * step * step, unknown);
        if (is_flat || (is_newton && is_small)) found.t = next;
        if (is_flat || is_small || slope == 0) break;
        t = next;
    }
    found.lowest = most_of(found.square - unknown, 0);
    return found;
}
