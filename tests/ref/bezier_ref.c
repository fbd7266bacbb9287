#include "bezier_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long double casteljau(long double *b, unsigned degree, long double t)
{
    for (unsigned r = degree; r > 0; r--)
        for (unsigned i = 0; i < r; i++)
            b[i] = (1.0L - t) * b[i] + t * b[i + 1];
    return b[0];
}

long double ref_casteljau(const double *p, size_t stride, unsigned degree, long double t,
                          long double *scratch)
{
    for (unsigned i = 0; i <= degree; i++)
        scratch[i] = p[i * stride];
    return casteljau(scratch, degree, t);
}

long double ref_bezier_surface(const double *points, unsigned degree_u, unsigned degree_v,
                               unsigned dim, unsigned c, long double u, long double v,
                               long double *scratch)
{
    long double *const row = scratch + degree_u + 1;

    for (unsigned i = 0; i <= degree_u; i++)
        scratch[i] =
            ref_casteljau(points + (size_t)i * (degree_v + 1) * dim + c, dim, degree_v, v, row);
    return casteljau(scratch, degree_u, u);
}

void ref_bernstein(long double *values, unsigned degree, long double t)
{
    values[0] = 1.0L;
    for (unsigned n = 1; n <= degree; n++) {
        values[n] = t * values[n - 1];
        for (unsigned k = n - 1; k > 0; k--)
            values[k] = (1.0L - t) * values[k] + t * values[k - 1];
        values[0] *= 1.0L - t;
    }
}

/* bu: the Bernstein values of u, and behind them those of v. */
static long double double_sum(const double *points, unsigned degree_u, unsigned degree_v,
                              unsigned dim, unsigned c, const long double *bu)
{
    const long double *const bv = bu + degree_u + 1;
    long double sum = 0.0L;

    for (unsigned i = 0; i <= degree_u; i++) {
        const double *const row = points + (size_t)i * (degree_v + 1) * dim + c;
        long double inner = 0.0L;
        for (unsigned k = 0; k <= degree_v; k++)
            inner += bv[k] * row[(size_t)k * dim];
        sum += bu[i] * inner;
    }
    return sum;
}

long double ref_bezier_sum(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                           unsigned c, long double u, long double v, long double *scratch)
{
    ref_bernstein(scratch, degree_u, u);
    ref_bernstein(scratch + degree_u + 1, degree_v, v);
    return double_sum(points, degree_u, degree_v, dim, c, scratch);
}

enum { CASTELJAU_MAX = 64 };

void ref_bezier_point(const double *points, unsigned degree_u, unsigned degree_v, unsigned dim,
                      long double u, long double v, long double *scratch, long double *value)
{
    const int low = degree_u <= CASTELJAU_MAX && degree_v <= CASTELJAU_MAX;

    if (!low) {
        ref_bernstein(scratch, degree_u, u);
        ref_bernstein(scratch + degree_u + 1, degree_v, v);
    }
    for (unsigned c = 0; c < dim; c++)
        value[c] = low ? ref_bezier_surface(points, degree_u, degree_v, dim, c, u, v, scratch)
                       : double_sum(points, degree_u, degree_v, dim, c, scratch);
}

/* ---- patches of all forms ---- */

/* One direction of a tensor product, differentiated `by` times. */
typedef struct direction {
    unsigned degree, by;
    long double t;
    long double *line;   /* [degree + 1] */
    long double *values; /* Bernstein's, of degree - by; NULL: de Casteljau */
    size_t stride;       /* of the control points, in reals */
} direction;

/* A control point of the derivative of all directions from d on: differences are taken of the
   patch's control points, so that they are exact, or nearly, wherever the patch lies. */
static long double control(const direction *d, unsigned directions, const double *p)
{
    if (directions == 0) return *p;
    const long double n = d->degree;
    const long double p0 = control(d + 1, directions - 1, p);
    if (d->by == 0) return p0;
    const long double p1 = control(d + 1, directions - 1, p + d->stride);
    if (d->by == 1) return n * (p1 - p0);
    const long double p2 = control(d + 1, directions - 1, p + 2 * d->stride);
    return n * (n - 1.0L) * ((p2 - p1) - (p1 - p0));
}

/* The sum over directions k, k + 1, .. of the derivative. */
static long double tensor(const direction *all, unsigned directions, unsigned k,
                          const double *points)
{
    const direction *const d = &all[k];
    long double sum = 0.0L;

    if (d->by > d->degree) return 0.0L;
    const unsigned degree = d->degree - d->by;
    for (unsigned i = 0; i <= degree; i++, points += d->stride)
        d->line[i] = k + 1 < directions ? tensor(all, directions, k + 1, points)
                                        : control(all, directions, points);
    if (!d->values) return casteljau(d->line, degree, d->t);
    for (unsigned i = 0; i <= degree; i++)
        sum += d->values[i] * d->line[i];
    return sum;
}

static int tensor_derivative(const ref_patch *patch, const long double t[3], const unsigned by[3],
                             long double *value)
{
    const unsigned directions = patch->form == REF_CURVE ? 1 : patch->form == REF_SURFACE ? 2 : 3;
    const unsigned coords = patch->dim + (patch->rational != 0);
    direction d[3];
    size_t stride = coords;
    int ok = 1;

    for (unsigned k = directions; k-- > 0;) {
        const unsigned degree = patch->degree[k];
        d[k] = (direction){.degree = degree, .by = by[k], .t = t[k], .stride = stride};
        stride *= degree + 1;
        d[k].line = malloc((degree + 1) * sizeof *d[k].line);
        if (degree > CASTELJAU_MAX) {
            d[k].values = malloc((degree + 1) * sizeof *d[k].values);
            if (d[k].values) ref_bernstein(d[k].values, degree - by[k], t[k]);
        }
        ok = ok && d[k].line && (degree <= CASTELJAU_MAX || d[k].values);
    }
    for (unsigned c = 0; ok && c < coords; c++)
        value[c] = tensor(d, directions, 0, patch->points + c);
    for (unsigned k = 0; k < directions; k++) {
        free(d[k].line);
        free(d[k].values);
    }
    return ok;
}

/* Index of P_ijk with i + j + k = degree. */
static size_t triangle_index(unsigned degree, unsigned i, unsigned j)
{
    return (size_t)i * (degree + 1) - (size_t)i * (i - (i > 0)) / 2 + j;
}

/* One step from a net of degree n to one of n - 1: wu P_{i+1,j,k} + wv P_{i,j+1,k} + ww P_{i,j,k+1}
   in place, since what is read lies behind what is written. */
static void triangle_step(long double *net, unsigned n, long double wu, long double wv,
                          long double ww)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; i + j < n; j++)
            net[triangle_index(n - 1, i, j)] = wu * net[triangle_index(n, i + 1, j)] +
                                               wv * net[triangle_index(n, i, j + 1)] +
                                               ww * net[triangle_index(n, i, j)];
}

static int triangle_derivative(const ref_patch *patch, const long double t[3], const unsigned by[3],
                               long double *value)
{
    const unsigned coords = patch->dim + (patch->rational != 0);
    const size_t controls = triangle_index(patch->degree[0], patch->degree[0], 0) + 1;
    long double *const net = malloc(controls * sizeof *net);

    for (unsigned c = 0; net && c < coords; c++) {
        unsigned n = patch->degree[0];
        value[c] = 0.0L;
        if (by[0] + by[1] > n) continue;
        for (size_t i = 0; i < controls; i++)
            net[i] = patch->points[i * coords + c];
        for (unsigned k = 0; k < by[0]; k++, n--)
            triangle_step(net, n, n, 0.0L, -(long double)n);
        for (unsigned k = 0; k < by[1]; k++, n--)
            triangle_step(net, n, 0.0L, n, -(long double)n);
        for (; n > 0; n--)
            triangle_step(net, n, t[0], t[1], 1.0L - t[0] - t[1]);
        value[c] = net[0];
    }
    free(net);
    return net != NULL;
}

int ref_bezier_derivative(const ref_patch *patch, const long double t[3], const unsigned by[3],
                          long double *value)
{
    return patch->form == REF_TRIANGLE ? triangle_derivative(patch, t, by, value)
                                       : tensor_derivative(patch, t, by, value);
}

/* Homogeneous derivatives, as ref_bezier_vertex needs them. */
enum { S, U, V, W, UU, UV, VV, UW, VW, WW, NUM_DERIVATIVES };

static void unit_cross(const long double a[3], const long double b[3], long double n[3])
{
    for (int c = 0; c < 3; c++)
        n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3; c++)
        n[c] = length > 0.0L ? n[c] / length : 0.0L;
}

static long double dot3(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of a curve with the derivatives a and b (do Carmo, Differential Geometry of Curves and Surfaces,
   1-5, exercise 12); coordinates that it does not have are 0. */
static long double curve_curvature(unsigned dim, const long double a[3], const long double b[3])
{
    const long double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                              a[0] * b[1] - a[1] * b[0]};
    const long double length = sqrtl(dot3(a, a));
    const long double product = dim == 2 ? n[2] : sqrtl(dot3(n, n));

    return length > 0.0L ? product / (length * length * length) : 0.0L;
}

/* The eigenvalues of both fundamental forms (3-3), after S_u has been made orthogonal to S_v, which
   leaves them as they are. */
static void surface_curvatures(const ref_vertex *s, long double k[2])
{
    const long double *const n = s->normal;
    const long double gg = dot3(s->dv, s->dv), ratio = gg > 0.0L ? dot3(s->du, s->dv) / gg : 0.0L;
    long double a[3];

    for (int c = 0; c < 3; c++)
        a[c] = s->du[c] - ratio * s->dv[c];
    const long double ee = dot3(a, a), l = dot3(s->duu, n), m = dot3(s->duv, n);
    const long double z = dot3(s->dvv, n);
    if (!(dot3(n, n) > 0.0L) || !(ee > 0.0L)) return;
    const long double xx = (l - 2 * ratio * m + ratio * ratio * z) / ee;
    const long double xy = (m - ratio * z) / sqrtl(ee * gg), yy = z / gg;
    const long double root = hypotl((xx - yy) / 2, xy);
    k[0] = (xx + yy) / 2 + root;
    k[1] = (xx + yy) / 2 - root;
}

/* Coordinate c by the quotient rule; w: the weights' derivatives. */
static void quotient(ref_vertex *vertex, unsigned c, long double a[NUM_DERIVATIVES][5],
                     const long double w[NUM_DERIVATIVES])
{
    const long double s = a[S][c] / w[S];
    const long double du = (a[U][c] - w[U] * s) / w[S];
    const long double dv = (a[V][c] - w[V] * s) / w[S];
    const long double dw = (a[W][c] - w[W] * s) / w[S];

    vertex->point[c] = s;
    vertex->du[c] = du;
    vertex->dv[c] = dv;
    vertex->dw[c] = dw;
    vertex->duu[c] = (a[UU][c] - 2 * w[U] * du - w[UU] * s) / w[S];
    vertex->duv[c] = (a[UV][c] - w[U] * dv - w[V] * du - w[UV] * s) / w[S];
    vertex->dvv[c] = (a[VV][c] - 2 * w[V] * dv - w[VV] * s) / w[S];
    vertex->duw[c] = (a[UW][c] - w[U] * dw - w[W] * du - w[UW] * s) / w[S];
    vertex->dvw[c] = (a[VW][c] - w[V] * dw - w[W] * dv - w[VW] * s) / w[S];
    vertex->dww[c] = (a[WW][c] - 2 * w[W] * dw - w[WW] * s) / w[S];
}

int ref_bezier_vertex(const ref_patch *patch, long double u, long double v, long double w,
                      ref_vertex *vertex)
{
    const long double t[3] = {u, v, w};

    return ref_bezier_vertex_to(patch, 2, t, vertex);
}

int ref_vertex_to(const ref_family *family, unsigned order, const long double t[3],
                  ref_vertex *vertex)
{
    static const unsigned by[NUM_DERIVATIVES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                                    {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {1, 0, 1},
                                                    {0, 1, 1}, {0, 0, 2}};
    long double a[NUM_DERIVATIVES][5] = {{0}}, weights[NUM_DERIVATIVES] = {1.0L};

    memset(vertex, 0, sizeof *vertex);
    for (int k = 0; k < NUM_DERIVATIVES; k++) {
        if (family->directions < 2 && by[k][1] > 0) continue;
        if (family->directions < 3 && by[k][2] > 0) continue;
        if (by[k][0] + by[k][1] + by[k][2] > order) continue;
        if (!family->derivative(family->user, t, by[k], a[k])) return 0;
        if (family->rational) weights[k] = a[k][family->dim];
    }
    vertex->weight = weights[S];
    for (unsigned c = 0; c < family->dim; c++)
        quotient(vertex, c, a, weights);
    if (family->dim == 3) unit_cross(vertex->du, vertex->dv, vertex->normal);
    if (family->directions == 1 && family->dim <= 3)
        vertex->curvature[0] = curve_curvature(family->dim, vertex->du, vertex->duu);
    if (family->directions == 2 && family->dim == 3) surface_curvatures(vertex, vertex->curvature);
    return 1;
}

static int derivative_of_patch(const void *user, const long double t[3], const unsigned by[3],
                               long double *value)
{
    return ref_bezier_derivative(user, t, by, value);
}

int ref_bezier_vertex_to(const ref_patch *patch, unsigned order, const long double t[3],
                         ref_vertex *vertex)
{
    const unsigned directions = patch->form == REF_CURVE ? 1 : patch->form == REF_VOLUME ? 3 : 2;
    const ref_family family = {derivative_of_patch, patch, directions, patch->dim, patch->rational};

    return ref_vertex_to(&family, order, t, vertex);
}
