#include "trim_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES_MAX = 2 * CLSPI_SURFACE_LANES,
    ORDER_MAX = CLSPI_LINE_ORDER_MAX,
    HALVINGS = 40,  /* until a place where a function is 0 is taken as found */
    ROOT_STEPS = 60 /* of a root that is alone */
};

/* What is smaller than this share of a function's largest coefficient is rounding. */
#define ROUNDING 1e-14

void clspi_bezier_of_span(const double *knots, uint32_t degree, uint32_t at, const double *controls,
                          uint32_t coords, double *out)
{
    const double *const first = controls + (size_t)(at - degree) * coords;
    double d[ORDER_MAX * CLSPI_SURFACE_COORDS_MAX];

    for (uint32_t k = 0; k <= degree; k++) { /* the blossom at k times the end, else the begin */
        memcpy(d, first, (degree + 1) * coords * sizeof *d);
        for (uint32_t r = 1; r <= degree; r++) {
            const double x = knots[r <= degree - k ? at : at + 1];
            for (uint32_t i = degree; i >= r; i--) {
                const double low = knots[at - degree + i], high = knots[at + 1 + i - r];
                const double blend = (x - low) / (high - low);
                for (uint32_t c = 0; c < coords; c++)
                    d[i * coords + c] =
                        (1 - blend) * d[(i - 1) * coords + c] + blend * d[i * coords + c];
            }
        }
        memcpy(out + k * coords, d + degree * coords, coords * sizeof *d);
    }
}

/* ---- in the plane ---- */

/* Cuts numbers, `stride` apart, at t: to the first or the second part. */
static void cut(double *x, uint32_t n, uint32_t stride, double t, bool keeps_first)
{
    for (uint32_t r = 1; r <= n; r++)
        for (uint32_t k = 0; k <= n - r; k++) {
            const uint32_t i = keeps_first ? n - k : k, other = keeps_first ? i - 1 : i + 1;
            const double a = x[(keeps_first ? other : i) * stride];
            const double b = x[(keeps_first ? i : other) * stride];
            x[i * stride] = (1 - t) * a + t * b;
        }
}

void clspi_trim_restrict(const double *controls, uint32_t degree, double low, double high,
                         double *out)
{
    memcpy(out, controls, (degree + 1) * CLSPI_PLANE_COORDS * sizeof *out);
    for (uint32_t c = 0; c < CLSPI_PLANE_COORDS; c++) {
        if (high < 1) cut(out + c, degree, CLSPI_PLANE_COORDS, high, true);
        if (low > 0) cut(out + c, degree, CLSPI_PLANE_COORDS, low / high, false);
    }
}

void clspi_trim_point(const double *controls, uint32_t degree, double t, double point[2])
{
    double x[CLSPI_TRIM_REALS];

    memcpy(x, controls, (degree + 1) * CLSPI_PLANE_COORDS * sizeof *x);
    for (uint32_t n = degree; n > 0; n--)
        for (uint32_t i = 0; i < n * CLSPI_PLANE_COORDS; i++)
            x[i] = (1 - t) * x[i] + t * x[i + CLSPI_PLANE_COORDS];
    for (int k = 0; k < 2; k++)
        point[k] = x[k] / x[2];
}

/* ---- roots ---- */

/* What roots of a function in Bernstein form are found for. */
typedef struct root_search {
    clspi_trim_roots *roots;
    double tiny; /* what is smaller is 0 */
} root_search;

static void put_root(const root_search *l, double t)
{
    clspi_trim_roots *const to = l->roots;

    if (to->num < to->room && t > 0 && t < 1) to->at[to->num++] = t;
}

static double value_at(const double *c, uint32_t n, double t)
{
    double x[2 * ORDER_MAX];

    memcpy(x, c, (n + 1) * sizeof *x);
    for (; n > 0; n--)
        for (uint32_t i = 0; i < n; i++)
            x[i] = (1 - t) * x[i] + t * x[i + 1];
    return x[0];
}

/* Counts how often coefficients change their sign, apart from those that are 0 but for rounding. */
static int count_changes(const double *c, uint32_t n, double tiny, int *first)
{
    int changes = 0, last = 0;

    *first = 0;
    for (uint32_t i = 0; i <= n; i++) {
        const int sign = c[i] > tiny ? 1 : c[i] < -tiny ? -1 : 0;
        if (sign == 0) continue;
        changes += last != 0 && sign != last;
        if (*first == 0) *first = sign;
        last = sign;
    }
    return changes;
}

/* Finds the roots in [low, high], whose coefficients c are lost. */
static void find_roots(const root_search *l, double *c, uint32_t n, double low, double high,
                       int depth)
{
    double half[2 * ORDER_MAX], begin = 0, end = 1;
    int sign;
    const int changes = count_changes(c, n, l->tiny, &sign);

    if (changes == 0) return;
    if (changes == 1) {
        for (int i = 0; i < ROOT_STEPS && end - begin > 1e-17; i++) {
            const double t = (begin + end) / 2;
            if (value_at(c, n, t) * sign > 0)
                begin = t;
            else
                end = t;
        }
        put_root(l, low + (begin + end) / 2 * (high - low));
        return;
    }
    const double middle = (low + high) / 2;
    if (depth == HALVINGS) {
        put_root(l, middle);
        return;
    }
    memcpy(half, c, (n + 1) * sizeof *half);
    cut(half, n, 1, 0.5, true);
    cut(c, n, 1, 0.5, false);
    if (fabs(c[0]) <= l->tiny) put_root(l, middle);
    find_roots(l, half, n, low, middle, depth + 1);
    find_roots(l, c, n, middle, high, depth + 1);
}

static double choose(uint32_t n, uint32_t k)
{
    double c = 1;

    for (uint32_t i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

/* Adds the product of Bernstein forms of degrees n and m; the second one's numbers and those of the
   product are `stride` apart. */
static void add_product(const double *x, uint32_t n, const double *y, uint32_t m, uint32_t stride,
                        double *to)
{
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= m; k++)
            to[(i + k) * stride] +=
                x[i] * y[k * stride] * choose(n, i) * choose(m, k) / choose(n + m, i + k);
}

/* Takes one coordinate, or its derivative but for a factor. */
static void take_coordinate(const double *controls, uint32_t n, int axis, bool derivative,
                            double *to)
{
    for (uint32_t i = 0; i + derivative <= n; i++)
        to[i] = derivative ? controls[(i + 1) * CLSPI_PLANE_COORDS + (uint32_t)axis] -
                                 controls[i * CLSPI_PLANE_COORDS + (uint32_t)axis]
                           : controls[i * CLSPI_PLANE_COORDS + (uint32_t)axis];
}

void clspi_trim_crossings(const double *controls, uint32_t degree, int axis, double value,
                          clspi_trim_roots *roots)
{
    double c[ORDER_MAX], x[ORDER_MAX], w[ORDER_MAX], most = 0;

    take_coordinate(controls, degree, axis, false, x);
    take_coordinate(controls, degree, 2, false, w);
    for (uint32_t i = 0; i <= degree; i++) {
        c[i] = x[i] - value * w[i];
        most = fmax(most, fabs(x[i]) + fabs(value * w[i]));
    }
    find_roots(&(root_search){roots, ROUNDING * most}, c, degree, 0, 1, 0);
}

void clspi_trim_turns(const double *controls, uint32_t degree, int axis, clspi_trim_roots *roots)
{
    double c[2 * ORDER_MAX] = {0}, x[ORDER_MAX], w[ORDER_MAX], dx[ORDER_MAX] = {0}, dw[ORDER_MAX];
    double most = 0;

    take_coordinate(controls, degree, axis, false, x);
    take_coordinate(controls, degree, 2, false, w);
    take_coordinate(controls, degree, axis, true, dx);
    take_coordinate(controls, degree, 2, true, dw);
    add_product(dx, degree - 1, w, degree, 1, c); /* x' w - x w' */
    for (uint32_t i = 0; i < degree; i++)
        dw[i] = -dw[i];
    add_product(dw, degree - 1, x, degree, 1, c);
    for (uint32_t i = 0; i <= degree; i++)
        most = fmax(most, fabs(x[i] * w[i]));
    find_roots(&(root_search){roots, ROUNDING * most}, c, 2 * degree - 1, 0, 1, 0);
}

/* ---- on a piece ---- */

/* A Bernstein form whose coefficients are homogeneous points of LANES_MAX reals. */
typedef double points_of_curve[ORDER_MAX * LANES_MAX];

/* A coordinate and the weight of a curve in the plane. */
typedef struct plane_form {
    const double *x, *w;
    uint32_t degree;
} plane_form;

/* Makes (w - x) a + x b, of forms a and b of degree m. */
static void blend(const plane_form *of, const double *a, const double *b, uint32_t m, double *to)
{
    const uint32_t n = of->degree;
    double rest[ORDER_MAX];

    for (uint32_t i = 0; i <= n; i++)
        rest[i] = of->w[i] - of->x[i];
    memset(to, 0, (n + m + 1) * LANES_MAX * sizeof *to);
    for (uint32_t l = 0; l < LANES_MAX; l++) {
        add_product(rest, n, a + l, m, LANES_MAX, to + l);
        add_product(of->x, n, b + l, m, LANES_MAX, to + l);
    }
}

/* Tells whether x / w is a constant. */
static bool is_constant(const double *x, const double *w, uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++)
        if (fabs(x[i] * w[0] - x[0] * w[i]) > 1e-15 * fabs(w[i] * w[0])) return false;
    return true;
}

/* Goes one direction of de Casteljau's algorithm: of count + 1 forms of a degree, `apart` reals
   from one another, to one, which is the first. Returns its degree. */
static uint32_t go_along(const plane_form *of, double *forms, size_t apart, uint32_t count,
                         uint32_t degree)
{
    static const double one = 1;
    const double at = of->x[0] / of->w[0];
    const plane_form fixed = {&at, &one, 0};
    const plane_form *const by = is_constant(of->x, of->w, of->degree) ? &fixed : of;
    points_of_curve to;

    for (uint32_t r = count; r > 0; r--, degree += by->degree)
        for (uint32_t i = 0; i < r; i++) {
            double *const a = forms + i * apart;
            blend(by, a, a + apart, degree, to);
            memcpy(a, to, (by->degree + degree + 1) * LANES_MAX * sizeof *to);
        }
    return degree;
}

bool clspi_trim_on_piece(const clspi_surface_piece *piece, const double *controls, uint32_t degree,
                         clspi_surface_shape *shape, double *out)
{
    const clspi_surface_shape *const s = piece->shape;
    const uint32_t p = s->degree[0], q = s->degree[1];
    double x[2][ORDER_MAX], w[ORDER_MAX];
    bool rational = s->rational;

    for (int k = 0; k < 2; k++)
        take_coordinate(controls, degree, k, false, x[k]);
    take_coordinate(controls, degree, 2, false, w);
    for (uint32_t i = 0; i <= degree; i++)
        rational = rational || w[i] != 1;
    const uint32_t along[2] = {is_constant(x[0], w, degree) ? 0 : degree * p,
                               is_constant(x[1], w, degree) ? 0 : degree * q};
    const uint32_t to[2] = {along[0] + along[1] > 0 ? along[0] + along[1] : 1, 0};
    if (to[0] > CLSPI_LINE_DEGREE_MAX) return false;

    *shape = clspi_surface_shape_of(to, s->dim, rational);
    const size_t apart = (to[0] + 1) * (size_t)LANES_MAX;
    double *const forms = calloc((size_t)(p + 1) * (q + 1) * apart, sizeof *forms);
    if (!forms) return false;
    for (uint32_t i = 0; i < (p + 1) * (q + 1); i++) {
        memcpy(forms + i * apart, piece->controls + i * s->lanes, s->lanes * sizeof *forms);
        if (rational && !s->rational) forms[i * apart + s->dim] = 1;
    }
    uint32_t made = 0;
    for (uint32_t i = 0; i <= p; i++)
        made = go_along(&(plane_form){x[1], w, degree}, forms + i * (q + 1) * apart, apart, q, 0);
    made = go_along(&(plane_form){x[0], w, degree}, forms, (q + 1) * apart, p, made);
    for (uint32_t i = 0; i <= to[0]; i++)
        for (uint32_t l = 0; l < shape->lanes; l++)
            out[i * shape->lanes + l] = forms[(i < made ? i : made) * LANES_MAX + l];
    free(forms);
    return true;
}
