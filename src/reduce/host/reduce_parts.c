#include "reduce_parts.h"

#include <float.h>

#define REAL_BYTES 8
typedef double real;

#include "vectors_real.h"

enum { COORDS_MAX = 5, AT_ONCE = 2 /* nodes */ };

/* Some parts side by side. Where it is inlined with numbers, the compiler knows them. */
typedef struct lanes {
    const clspi_reduce_tables *t;
    uint32_t degree, to, dim;
    uint32_t coords, out; /* of control points of curves, and of pieces */
    vec *q;               /* [degree + 1][coords]: control points of parts */
    vec *d;               /* the same room, for what comes between */
    vec *r;               /* [to + 1][out], of pieces */
    vec *c;               /* [to][coords], of points that are interpolated */
} lanes;

/* ---- parts ---- */

/* Loads the curves of some parts; where there are fewer than lanes, the last one again. */
CLSPI_INLINE void load_curves(const lanes *l, const clspi_reduce_part *part, size_t num, vec *to)
{
    const double *curve[LANES];
    const uint32_t reals = (l->degree + 1) * l->coords;

    for (size_t k = 0; k < LANES; k++)
        curve[k] = part[k < num ? k : num - 1].curve;
    for (uint32_t i = 0; i < reals; i++) {
        double x[LANES];
        for (size_t k = 0; k < LANES; k++)
            x[k] = curve[k][i];
        to[i] = load_vec(x);
    }
}

/* Restricts curves to [0, t] by de Casteljau's algorithm. */
CLSPI_INLINE void keep_begin(const lanes *l, vec *q, vec t)
{
    const vec s = 1 - t;

    for (uint32_t n = 1; n <= l->degree; n++)
        for (uint32_t c = 0; c < l->coords; c++) {
            vec next = q[l->degree * l->coords + c];
            for (uint32_t i = l->degree; i >= n; i--) {
                const vec before = q[(i - 1) * l->coords + c];
                q[i * l->coords + c] = s * before + t * next;
                next = before;
            }
        }
}

/* Restricts them to [t, 1], where s = 1 - t. */
CLSPI_INLINE void keep_end(const lanes *l, vec *q, vec t, vec s)
{
    for (uint32_t n = 1; n <= l->degree; n++)
        for (uint32_t c = 0; c < l->coords; c++) {
            vec before = q[c];
            for (uint32_t i = 0; i <= l->degree - n; i++) {
                const vec next = q[(i + 1) * l->coords + c];
                q[i * l->coords + c] = s * before + t * next;
                before = next;
            }
        }
}

/* Where parts begin, and end, in [0, 1]. */
typedef struct part_ends {
    vec begin, end;
} part_ends;

CLSPI_INLINE part_ends ends_of(const clspi_reduce_part *part, size_t num)
{
    double begin[LANES], end[LANES];

    for (size_t k = 0; k < LANES; k++) {
        begin[k] = part[k < num ? k : num - 1].begin;
        end[k] = part[k < num ? k : num - 1].end;
    }
    return (part_ends){load_vec(begin), load_vec(end)};
}

/* ---- pieces ---- */

/* Sums control points of curves, or points of them: a value each. */
CLSPI_INLINE vec sum_of(const vec *x, uint32_t apart, const double *values, uint32_t num)
{
    vec sum = {0};

    for (uint32_t j = 0; j < num; j++)
        sum += all_lanes(values[j]) * x[j * apart];
    return sum;
}

/* Tells whether pieces of rational curves are polynomial. */
CLSPI_INLINE bool divides(const lanes *l)
{
    return l->out < l->coords;
}

/* Computes how far coordinate c of the control point next to an end of a piece is from it where the
   piece has the derivative there: that at a part's control point `at`, `near` being the next
   one. */
CLSPI_INLINE vec step_of(const lanes *l, uint32_t at, uint32_t near, uint32_t c)
{
    const vec speed = all_lanes((double)l->degree / l->to);
    const vec *const x = l->q + at * l->coords, *const y = l->q + near * l->coords;

    return divides(l) ? speed * (y[c] - x[c] / x[l->dim] * y[l->dim]) / x[l->dim]
                      : speed * (y[c] - x[c]);
}

/* Computes the points at both ends of parts, and the control points next to them of pieces that
   have the derivatives there. */
CLSPI_INLINE void make_ends(const lanes *l)
{
    const uint32_t p = l->degree, k = l->to;
    const vec *const q = l->q, *const last = l->q + p * l->coords;
    vec *const r = l->r;

    for (uint32_t c = 0; c < l->out; c++) {
        r[c] = divides(l) ? q[c] / q[l->dim] : q[c];
        r[k * l->out + c] = divides(l) ? last[c] / last[l->dim] : last[c];
        if (l->t->first < 2) continue;
        r[l->out + c] = r[c] + step_of(l, 0, 1, c);
        r[(k - 1) * l->out + c] = r[k * l->out + c] + step_of(l, p, p - 1, c);
    }
}

/* Computes the inner control points, so that pieces have points in common with parts. */
CLSPI_INLINE void make_inner(const lanes *l)
{
    const clspi_reduce_tables *const t = l->t;
    const uint32_t columns = l->to + 1, order = l->degree + 1;

    for (uint32_t i = 0; i < t->inner; i++) {
        const double *const values = t->inner_from + (size_t)i * order;
        for (uint32_t c = 0; c < l->coords; c++)
            l->c[i * l->coords + c] = sum_of(l->q + c, l->coords, values, order);
        for (uint32_t c = 0; c < l->out && divides(l); c++)
            l->c[i * l->coords + c] /= l->c[i * l->coords + l->dim];
    }
    for (uint32_t i = 0; i < t->inner; i++) {
        const double *const of = t->inner_of + i * columns;
        for (uint32_t c = 0; c < l->out; c++) {
            vec sum = sum_of(l->r + c, l->out, of, t->first);
            sum += sum_of(l->c + c, l->coords, of + t->first, t->inner);
            sum += sum_of(l->r + (columns - t->first) * l->out + c, l->out, of + columns - t->first,
                          t->first);
            l->d[i * l->out + c] = sum;
        }
    }
    memcpy(l->r + t->first * l->out, l->d, t->inner * l->out * sizeof *l->r);
}

CLSPI_INLINE vec dot_lanes(const lanes *l, const vec *x, const vec *y)
{
    vec sum = x[0] * y[0];

    for (uint32_t c = 1; c < l->out; c++)
        sum += x[c] * y[c];
    return sum;
}

/* Returns what is not 0 where x is not along a tangent, and goes against it or is off by more than
   rounding. */
CLSPI_INLINE vec off_tangent(const lanes *l, const vec *x, const vec *tangent)
{
    const vec along = dot_lanes(l, x, tangent), square = dot_lanes(l, tangent, tangent);
    vec across = {0}, one = all_lanes(1);

    for (uint32_t c = 0; c < l->out; c++) {
        const vec off = x[c] * square - along * tangent[c];
        across = max_lanes(across, abs_lanes(off));
    }
    const vec most = all_lanes(0x1p-40) * square;
    return select_lanes(along < 0 - most, one, select_lanes(across > most, one, all_lanes(0)));
}

/* Puts the inner control point of pieces of degree 2 where the curve's tangents want it that their
   kind has: that of both ends where they meet. Returns what is not 0 where they do not. */
CLSPI_INLINE vec make_tangents(const lanes *l, vec kind)
{
    const vec *const begin = l->r, *const end = l->r + 2 * l->out;
    const vec_mask at_begin = kind < all_lanes(1.5), at_end = kind < all_lanes(2.5);
    const vec_mask is_free = kind<all_lanes(0.5), at_both = kind> all_lanes(2.5);
    vec u[COORDS_MAX], v[COORDS_MAX], chord[COORDS_MAX], to[COORDS_MAX], from[COORDS_MAX];
    vec *const r = l->r + l->out;

    for (uint32_t c = 0; c < COORDS_MAX; c++) /* which compilers would miss */
        u[c] = v[c] = chord[c] = to[c] = from[c] = all_lanes(0);
    for (uint32_t c = 0; c < l->out; c++) {
        u[c] = step_of(l, 0, 1, c);
        v[c] = 0 - step_of(l, l->degree, l->degree - 1, c);
        chord[c] = end[c] - begin[c];
    }
    const vec uu = dot_lanes(l, u, u), uv = dot_lanes(l, u, v), vv = dot_lanes(l, v, v);
    const vec uc = dot_lanes(l, u, chord), vc = dot_lanes(l, v, chord);
    const vec det = uu * vv - uv * uv, meets = det - all_lanes(0x1p-24) * uu * vv;
    const vec_mask do_meet = meets > all_lanes(0);
    const vec along = (uc * vv - vc * uv) / select_lanes(do_meet, det, all_lanes(1));
    for (uint32_t c = 0; c < l->out; c++) {
        const vec both = select_lanes(do_meet, begin[c] + along * u[c], r[c]);
        const vec one = select_lanes(at_begin, begin[c] + u[c], end[c] - v[c]);
        r[c] = select_lanes(is_free, r[c], select_lanes(at_end, one, both));
        to[c] = r[c] - begin[c];
        from[c] = end[c] - r[c];
    }
    const vec off = max_lanes(off_tangent(l, to, u), off_tangent(l, from, v));
    return select_lanes(at_both, off, all_lanes(0));
}

/* ---- differences ---- */

/* Returns the square of the largest difference at the nodes, of polynomial curves: their
   difference's Bernstein coefficients are taken in pairs, those of even and of odd functions. */
CLSPI_INLINE vec difference_of(const lanes *l)
{
    const uint32_t p = l->degree, columns = l->to + 1, dim = l->dim;
    const clspi_reduce_tables *const t = l->t;
    vec largest = {0};

    for (uint32_t j = 1; j < p; j++) {
        const uint32_t low = j > p - l->to ? j - (p - l->to) : 0, high = j < l->to ? j : l->to;
        for (uint32_t c = 0; c < dim; c++)
            l->d[j * dim + c] =
                l->q[j * dim + c] - sum_of(l->r + low * dim + c, dim,
                                           t->raise + (size_t)j * columns + low, high - low + 1);
    }
    for (uint32_t j = 1; 2 * j < p; j++)
        for (uint32_t c = 0; c < dim; c++) {
            const vec x = l->d[j * dim + c], y = l->d[(p - j) * dim + c];
            l->d[j * dim + c] = x + y;
            l->d[(p - j) * dim + c] = x - y;
        }
    for (uint32_t m = 0; m < t->nodes; m += AT_ONCE) {
        const double *const at = t->node_from + 2 * (size_t)m * (p + 1);
        vec e[AT_ONCE][COORDS_MAX], o[AT_ONCE][COORDS_MAX];
        for (uint32_t n = 0; n < AT_ONCE; n++)
            for (uint32_t c = 0; c < COORDS_MAX; c++)
                e[n][c] = o[n][c] = all_lanes(0);
        for (uint32_t j = 1; 2 * j <= p; j++)
            for (uint32_t n = 0; n < AT_ONCE; n++) {
                const vec even = all_lanes(at[2 * n * (p + 1) + j]);
                const vec odd = all_lanes(at[(2 * n + 1) * (p + 1) + j]);
                for (uint32_t c = 0; c < dim; c++) {
                    e[n][c] += even * l->d[j * dim + c];
                    if (2 * j < p) o[n][c] += odd * l->d[(p - j) * dim + c];
                }
            }
        for (uint32_t n = 0; n < AT_ONCE; n++) {
            vec one = {0}, other = {0};
            for (uint32_t c = 0; c < dim; c++) {
                one += (e[n][c] + o[n][c]) * (e[n][c] + o[n][c]);
                other += (e[n][c] - o[n][c]) * (e[n][c] - o[n][c]);
            }
            largest = max_lanes(largest, max_lanes(one, other));
        }
    }
    return largest;
}

/* Returns the least weight of some control points. */
CLSPI_INLINE vec least_weight(const vec *x, uint32_t coords, uint32_t dim, uint32_t num)
{
    vec least = x[dim];

    for (uint32_t j = 1; j < num; j++)
        least = min_lanes(least, x[j * coords + dim]);
    return least;
}

/* Returns the square of the largest difference of rational curves, by their numerators and weights
   at the nodes; infinite where weights may not be positive. */
CLSPI_INLINE vec rational_difference(const lanes *l)
{
    const clspi_reduce_tables *const t = l->t;
    const uint32_t order = l->degree + 1, columns = l->to + 1;
    vec largest = {0};

    for (uint32_t m = 0; m < 2 * t->nodes; m++) {
        const double *const from = t->node_from + (size_t)m * order;
        const double *const to = t->node_to + (size_t)m * columns;
        const vec w = sum_of(l->q + l->dim, l->coords, from, order);
        const vec v = divides(l) ? all_lanes(1) : sum_of(l->r + l->dim, l->out, to, columns);
        vec square = {0};
        for (uint32_t c = 0; c < l->dim; c++) {
            const vec x = sum_of(l->q + c, l->coords, from, order);
            const vec y = sum_of(l->r + c, l->out, to, columns);
            square += (x * v - y * w) * (x * v - y * w);
        }
        largest = max_lanes(largest, square);
    }
    const vec least = least_weight(l->q, l->coords, l->dim, order);
    const vec other = divides(l) ? all_lanes(1) : least_weight(l->r, l->out, l->dim, columns);
    const vec positive = min_lanes(least, other);
    return select_lanes(positive > 0, largest / (least * least * other * other),
                        all_lanes((double)INFINITY));
}

/* Returns the largest coordinate of pieces, relative to their weights. */
CLSPI_INLINE vec largest_of(const lanes *l)
{
    const bool has_weights = l->out > l->dim;
    vec largest = {0};

    for (uint32_t i = 0; i <= l->to; i++)
        for (uint32_t c = 0; c < l->dim; c++)
            largest = max_lanes(largest, abs_lanes(l->r[i * l->out + c]));
    return has_weights ? largest / least_weight(l->r, l->out, l->dim, l->to + 1) : largest;
}

/* ---- lanes ---- */

/* Stores control points of pieces. */
CLSPI_INLINE void store_points(const lanes *l, size_t num, double *to)
{
    const uint32_t reals = (l->to + 1) * l->out;

    for (uint32_t i = 0; i < reals; i++) {
        double x[LANES];
        store_vec(x, l->r[i]);
        for (size_t k = 0; k < num; k++)
            to[k * reals + i] = x[k];
    }
}

/* Measures the errors of pieces; off: not 0 where there is none of its kind. */
CLSPI_INLINE void measure(const lanes *l, vec off, size_t num, double *to)
{
    const clspi_reduce_tables *const t = l->t;
    const vec largest = t->form.rational ? rational_difference(l) : difference_of(l);
    double square[LANES], rounding[LANES];

    store_vec(square, select_lanes(off > 0, all_lanes((double)INFINITY), largest));
    store_vec(rounding, all_lanes(t->rounding) * largest_of(l));
    for (size_t k = 0; k < num; k++)
        to[k] = square[k] <= DBL_MAX ? t->factor * sqrt(square[k]) + rounding[k] : (double)INFINITY;
}

/* Makes some parts, at most as many as there are lanes. */
CLSPI_INLINE void make_lanes(const lanes *l, const clspi_reduce_parts *parts, size_t first)
{
    const clspi_reduce_tables *const t = l->t;
    const clspi_reduce_part *const part = parts->part + first;
    const size_t num = parts->num - first < LANES ? parts->num - first : LANES;
    const part_ends ends = ends_of(part, num);
    double kind[LANES];
    vec off = {0};

    load_curves(l, part, num, l->q);
    keep_begin(l, l->q, ends.end);
    keep_end(l, l->q, ends.begin / ends.end, (ends.end - ends.begin) / ends.end);
    make_ends(l);
    make_inner(l);
    if (clspi_reduce_has_short_ends(&t->form)) {
        for (size_t k = 0; k < LANES; k++)
            kind[k] = part[k < num ? k : num - 1].kind;
        off = make_tangents(l, load_vec(kind));
    }
    if (parts->error) measure(l, off, num, parts->error + first);
    if (parts->points) store_points(l, num, parts->points + first * (l->to + 1) * l->out);
}

/* Makes all parts of numbers that the compiler may know. */
CLSPI_INLINE void make_parts(const clspi_reduce_parts *parts, uint32_t degree, uint32_t to,
                             uint32_t dim, uint32_t coords, uint32_t out)
{
    lanes l = {
        .t = parts->tables,
        .degree = degree,
        .to = to,
        .dim = dim,
        .coords = coords,
        .out = out,
        .q = (vec *)(void *)((char *)parts->room + (0 - (uintptr_t)parts->room) % sizeof(vec))};

    l.d = l.q + (degree + 1) * coords;
    l.r = l.d + (degree + 1) * coords;
    l.c = l.r + (to + 1) * coords;
    for (size_t i = 0; i < parts->num; i += LANES)
        make_lanes(&l, parts, i);
}

/* Makes all parts of polynomial curves. */
CLSPI_INLINE void make_polynomial(const clspi_reduce_parts *parts, uint32_t dim)
{
    const clspi_reduce_form *const f = &parts->tables->form;

    if (f->degree == 3 && f->to == 2)
        make_parts(parts, 3, 2, dim, dim, dim);
    else if (f->to == 3)
        make_parts(parts, f->degree, 3, dim, dim, dim);
    else
        make_parts(parts, f->degree, f->to, dim, dim, dim);
}

void clspi_reduce_parts_make(const clspi_reduce_parts *parts)
{
    const clspi_reduce_form *const f = &parts->tables->form;

    if (!f->rational && f->dim == 2)
        make_polynomial(parts, 2);
    else if (!f->rational && f->dim == 3)
        make_polynomial(parts, 3);
    else
        make_parts(parts, f->degree, f->to, f->dim, clspi_reduce_from_coords(f),
                   clspi_reduce_to_coords(f));
}
