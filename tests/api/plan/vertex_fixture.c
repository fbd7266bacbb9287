#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "vertex_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tile_fixture.h"
#include "bezier_ref.h"

/* ---- layouts ---- */

unsigned attribute_elements(const layout *l, unsigned i)
{
    return 1u << i == W ? 1 : 1u << i == T || 1u << i == K ? l->directions : l->dim;
}

static void place(layout *l)
{
    bool placed = false;
    unsigned next = 0;

    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        placed = placed || l->d.vertex.offset[i] > 0;
    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++) {
        if (!(l->d.vertex.attributes & 1u << i)) continue;
        l->at[i] = placed ? l->d.vertex.offset[i] : next;
        next += attribute_elements(l, i);
    }
    l->stride = l->d.vertex.stride ? l->d.vertex.stride : next;
}

layout layout_of(const clsp_bezier_desc *d)
{
    layout l = {.d = *d};
    const size_t orders[] = {(size_t)d->degree[0] + 1, (size_t)d->degree[1] + 1,
                             (size_t)d->degree[2] + 1};

    if (l.d.form == CLSP_BEZIER_FORM_DEFAULT) l.d.form = CLSP_BEZIER_SURFACE;
    if (l.d.vertex.attributes == 0) l.d.vertex.attributes = P;
    l.dim = d->dim ? d->dim : 3;
    l.coords = l.dim + d->rational;
    l.directions = l.d.form == CLSP_BEZIER_CURVE ? 1 : l.d.form == CLSP_BEZIER_VOLUME ? 3 : 2;
    l.type = d->vertex.type != CLSP_TYPE_DEFAULT ? d->vertex.type
             : d->precision == CLSP_F64          ? CLSP_F64
                                                 : CLSP_F32;
    l.element = clsp_type_bytes(l.type);
    l.controls = orders[0] * l.coords;
    if (l.d.form == CLSP_BEZIER_TRIANGLE) l.controls = orders[0] * (orders[0] + 1) / 2 * l.coords;
    if (l.d.form == CLSP_BEZIER_SURFACE || l.d.form == CLSP_BEZIER_VOLUME) l.controls *= orders[1];
    if (l.d.form == CLSP_BEZIER_VOLUME) l.controls *= orders[2];
    place(&l);
    return l;
}

/* ---- patches ---- */

double *random_controls(const layout *l, size_t num_patches)
{
    double *const controls = malloc((num_patches * l->controls + 1) * sizeof *controls);

    assert_non_null(controls);
    for (size_t i = 0; i < num_patches * l->controls; i++) {
        const bool weight = l->d.rational && i % l->coords == l->dim;
        const double x = weight ? 1.25 + 0.75 * random_real() : random_real();
        controls[i] = l->d.precision == CLSP_F64 ? x : (double)(float)x;
    }
    return controls;
}

clsp_status load_controls(clsp_patch_plan *plan, const layout *l, const double *controls,
                          size_t num_patches)
{
    const size_t count = num_patches * l->controls;
    float *const narrow = malloc((count + 1) * sizeof *narrow);
    clsp_status status;

    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)controls[i];
    status = clsp_patch_set_control_points(plan, num_patches,
                                           l->d.precision == CLSP_F64 ? clsp_in_f64(controls, count)
                                                                      : clsp_in_f32(narrow, count),
                                           NULL);
    free(narrow);
    return status;
}

clsp_patch_plan *plan_with(clsp_context *ctx, const layout *l, const double *controls,
                           size_t num_patches)
{
    clsp_patch_plan *plan;

    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &l->d), CLSP_OK);
    assert_int_equal(load_controls(plan, l, controls, num_patches), CLSP_OK);
    return plan;
}

/* ---- vertices ---- */

unsigned char *guarded(const layout *l, size_t num)
{
    const size_t bytes = num * l->stride * l->element + 2 * GUARD;
    unsigned char *const memory = malloc(bytes);

    assert_non_null(memory);
    memset(memory, POISON, bytes);
    return memory + GUARD;
}

void free_guarded(const layout *l, size_t num, unsigned char *vertices)
{
    const unsigned char *const end = vertices + num * l->stride * l->element;

    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(vertices[i - GUARD], POISON);
        assert_int_equal(end[i], POISON);
    }
    free(vertices - GUARD);
}

clsp_status eval_host(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                      void *vertices)
{
    const clsp_range patches = {first, count};
    clsp_mesh_size size = {0}; /* stays so where there is no such range */

    clsp_patch_mesh_size(plan, patches, &size);
    return eval_tiles(plan, patches, (clsp_range){0, 0}, CLSP_SCHEDULE_DEVICE,
                      host_out(l->type, vertices, size.vertices * l->stride), NULL);
}

clsp_status eval_on_host(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                         void *vertices)
{
    const clsp_range patches = {first, count};
    const size_t elements = bezier_tiling(plan, patches, (clsp_range){0, 0}).elements.count;

    return eval_by_caller(plan, patches, host_out(l->type, vertices, elements));
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double value = exponent == 0    ? ldexp(mantissa, -24)
                         : exponent == 31 ? (mantissa ? NAN : HUGE_VAL)
                                          : ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

double vertex_element(const layout *l, const unsigned char *vertices, size_t k, unsigned e)
{
    const unsigned char *const at = vertices + (k * l->stride + e) * l->element;
    double wide;
    float narrow;
    uint16_t half;

    memcpy(&half, at, sizeof half);
    if (l->element == 2) return half_value(half);
    memcpy(&narrow, at, sizeof narrow);
    if (l->element == 4) return (double)narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static unsigned index_of(unsigned bit)
{
    unsigned i = 0;
    while (bit >> i > 1)
        i++;
    return i;
}

double attribute(const layout *l, const unsigned char *vertices, size_t k, unsigned bit, unsigned c)
{
    return vertex_element(l, vertices, k, l->at[index_of(bit)] + c);
}

/* ---- bounds ---- */

static size_t triangle_index(size_t degree, size_t i, size_t j)
{
    return i * (degree + 1) - (i > 0 ? i * (i - 1) / 2 : 0) + j;
}

/* Where control point (i, j, k) begins. */
static size_t control_index(const layout *l, const size_t at[3])
{
    const clsp_bezier_desc *const d = &l->d;
    const size_t order_w = d->form == CLSP_BEZIER_VOLUME ? (size_t)d->degree[2] + 1 : 1;
    const size_t order_v = d->form == CLSP_BEZIER_CURVE ? 1 : (size_t)d->degree[1] + 1;

    if (d->form == CLSP_BEZIER_TRIANGLE)
        return triangle_index(d->degree[0], at[0], at[1]) * l->coords;
    return ((at[0] * order_v + at[1]) * order_w + at[2]) * l->coords;
}

/* The difference of order by[] at a control point. */
static double difference(const layout *l, const double *controls, const size_t at[3],
                         const unsigned by[3], unsigned c)
{
    for (unsigned k = 0; k < 3; k++) {
        if (by[k] == 0) continue;
        size_t next[3] = {at[0], at[1], at[2]};
        unsigned less[3] = {by[0], by[1], by[2]};
        next[k]++;
        less[k]--;
        return difference(l, controls, next, less, c) - difference(l, controls, at, less, c);
    }
    return controls[control_index(l, at) + c];
}

static sum_scale largest_difference(const layout *l, const double *controls, const unsigned by[3])
{
    const clsp_bezier_desc *const d = &l->d;
    const bool triangle = d->form == CLSP_BEZIER_TRIANGLE;
    const size_t nu = d->degree[0], nv = d->form == CLSP_BEZIER_CURVE ? 0 : d->degree[1];
    const size_t nw = d->form == CLSP_BEZIER_VOLUME ? d->degree[2] : 0;
    sum_scale s = {0.0, 0.0};
    size_t at[3];

    for (at[0] = 0; at[0] + by[0] + (triangle ? by[1] : 0) <= nu; at[0]++)
        for (at[1] = 0; at[1] + by[1] <= (triangle ? nu - at[0] - by[0] : nv); at[1]++)
            for (at[2] = 0; at[2] + by[2] <= nw; at[2]++)
                for (unsigned c = 0; c < l->coords; c++) {
                    double *const most = c < l->dim ? &s.x : &s.w;
                    *most = fmax(*most, fabs(difference(l, controls, at, by, c)));
                }
    return s;
}

static double falling(double n, unsigned by)
{
    return by == 0 ? 1.0 : by == 1 ? n : n * (n - 1.0);
}

/* What the errors of a derivative in homogeneous coordinates are relative to: the hodograph's
   control points, and what they are differences of, which were rounded before. */
static sum_scale scale_of(const layout *l, const double *controls, const unsigned by[3])
{
    const clsp_bezier_desc *const d = &l->d;
    const unsigned total = by[0] + by[1] + by[2];
    const double factor = d->form == CLSP_BEZIER_TRIANGLE
                              ? falling(d->degree[0], total)
                              : falling(d->degree[0], by[0]) * falling(d->degree[1], by[1]) *
                                    falling(d->degree[2], by[2]);
    sum_scale s = largest_difference(l, controls, by);

    if (total == 2) {
        unsigned before[3] = {0, 0, 0};
        before[by[1] > 0 ? 1 : by[0] > 0 ? 0 : 2] = 1;
        const sum_scale b = largest_difference(l, controls, before);
        s.x += b.x;
        s.w += b.w;
    }
    if (!d->rational && total == 0) s.w = 0.0;
    s.x *= factor;
    s.w *= factor;
    return s;
}

const unsigned sum_orders[NUM_SUMS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                          {1, 1, 0}, {0, 2, 0}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}};

static double largest(const long double *x, unsigned dim)
{
    double most = 0.0;
    for (unsigned c = 0; c < dim; c++)
        most = fmax(most, (double)fabsl(x[c]));
    return most;
}

/* Errors of the Euclidean derivatives to first order, by the quotient rule S_x = (A_x - w_x S) / w
   and so on, when those of the sums are e times their scale. */
static void error_bounds(const layout *l, const sum_scale scales[NUM_SUMS], const ref_vertex *r,
                         double e, double error[NUM_SUMS])
{
    static const int first[NUM_SUMS][2] = {
        {SUM_S, SUM_S}, {SUM_U, SUM_S}, {SUM_V, SUM_S}, {SUM_W, SUM_S}, {SUM_U, SUM_U},
        {SUM_U, SUM_V}, {SUM_V, SUM_V}, {SUM_U, SUM_W}, {SUM_V, SUM_W}, {SUM_W, SUM_W}};
    const double w = (double)r->weight;
    const double size[NUM_SUMS] = {largest(r->point, l->dim), largest(r->du, l->dim),
                                   largest(r->dv, l->dim),    largest(r->dw, l->dim),
                                   largest(r->duu, l->dim),   largest(r->duv, l->dim),
                                   largest(r->dvv, l->dim),   largest(r->duw, l->dim),
                                   largest(r->dvw, l->dim),   largest(r->dww, l->dim)};

    for (int k = 0; k < NUM_SUMS; k++) {
        const int a = first[k][0], b = first[k][1];
        error[k] = e * scales[k].x;
        if (!l->d.rational) continue;
        error[k] += e * scales[k].w * size[SUM_S] + e * scales[SUM_S].w * size[k];
        if (k != SUM_S) error[k] += scales[k].w * error[SUM_S];
        if (k >= SUM_UU)
            error[k] += e * (scales[a].w * size[b] + scales[b].w * size[a]) +
                        scales[a].w * error[b] + scales[b].w * error[a];
        error[k] /= w;
    }
}

/* ---- one vertex ---- */

/* Error of a value, less what rounding to the storage explains, over its bound. */
static double over_bound(const layout *l, double got, long double exact, double bound)
{
    const double size = (double)fabsl(exact);
    const double stored = l->element == 2   ? size * 0x1p-11 + 0x1p-25
                          : l->element == 4 ? size * 0x1p-24
                                            : 0.0;
    const double error = (double)fabsl(got - exact);

    if (isnan(got)) return HUGE_VAL;
    return error <= stored ? 0.0 : (error - stored) / fmax(bound, DBL_MIN);
}

static double reals_error(const layout *l, const unsigned char *vertices, size_t k, unsigned bit,
                          const long double *exact, unsigned num, double bound)
{
    double worst = 0.0;

    for (unsigned c = 0; (l->d.vertex.attributes & bit) && c < num; c++)
        worst =
            support_worse(worst, over_bound(l, attribute(l, vertices, k, bit, c), exact[c], bound));
    return worst;
}

/* S_u x S_v turns by what its length and the errors of both tangents allow. */
static double normal_error(const layout *l, const unsigned char *vertices, size_t k,
                           const ref_vertex *r, const double error[NUM_SUMS], double eps)
{
    const double u =
        sqrt((double)(r->du[0] * r->du[0] + r->du[1] * r->du[1] + r->du[2] * r->du[2]));
    const double v =
        sqrt((double)(r->dv[0] * r->dv[0] + r->dv[1] * r->dv[1] + r->dv[2] * r->dv[2]));
    const long double n[3] = {r->du[1] * r->dv[2] - r->du[2] * r->dv[1],
                              r->du[2] * r->dv[0] - r->du[0] * r->dv[2],
                              r->du[0] * r->dv[1] - r->du[1] * r->dv[0]};
    const double length = sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    /* an error of each coordinate is one of sqrt(3) times as much */
    const double turn = 1.8 * (error[SUM_U] * v + error[SUM_V] * u) / fmax(length, DBL_MIN);

    if (!(l->d.vertex.attributes & N) || !(turn < 0.1)) return 0.0;
    return reals_error(l, vertices, k, N, r->normal, 3, turn + 8 * eps);
}

static double square_of(const long double *x, unsigned dim)
{
    double sum = 0.0;

    for (unsigned c = 0; c < dim; c++)
        sum += (double)(x[c] * x[c]);
    return sum;
}

/* The least that a step in the parameters is stretched by: of a curve |S_u|, of a surface the
   smaller singular value of (S_u, S_v). */
static double least_stretch(const layout *l, const ref_vertex *r)
{
    const double e = square_of(r->du, l->dim), g = square_of(r->dv, l->dim);
    const long double n[3] = {r->du[1] * r->dv[2] - r->du[2] * r->dv[1],
                              r->du[2] * r->dv[0] - r->du[0] * r->dv[2],
                              r->du[0] * r->dv[1] - r->du[1] * r->dv[0]};
    double f = 0.0;

    if (l->directions == 1) return sqrt(e);
    for (unsigned c = 0; c < l->dim; c++)
        f += (double)(r->du[c] * r->dv[c]);
    return sqrt(square_of(n, 3) / fmax((e + g) / 2 + hypot((e - g) / 2, f), DBL_MIN));
}

double curvature_bound(const layout *l, const ref_vertex *r, const double error[NUM_SUMS])
{
    const double eps = l->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double least = least_stretch(l, r);
    const double size = sqrt(square_of(r->du, l->dim) + square_of(r->dv, l->dim));
    const double bend =
        sqrt(square_of(r->duu, l->dim) + 2 * square_of(r->duv, l->dim) + square_of(r->dvv, l->dim));
    const double more = l->directions > 1;
    /* an error of each coordinate is one of sqrt(3) times as much */
    const double first = 1.8 * hypot(error[SUM_U], more * error[SUM_V]) + 8 * eps * size;
    const double second =
        1.8 * hypot(error[SUM_UU], more * hypot(1.5 * error[SUM_UV], error[SUM_VV])) +
        8 * eps * bend;

    if (!(first < 0.05 * least)) return HUGE_VAL;
    return (second + 4 * bend * (first / least)) / (least * least);
}

static void assert_gaps(const layout *l, const unsigned char *vertices, size_t k)
{
    bool used[CLSP_VERTEX_MAX_STRIDE] = {false};

    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        for (unsigned c = 0; (l->d.vertex.attributes & 1u << i) && c < attribute_elements(l, i);
             c++)
            used[l->at[i] + c] = true;
    for (unsigned e = 0; e < l->stride; e++)
        for (size_t b = 0; !used[e] && b < l->element; b++)
            assert_int_equal(vertices[(k * l->stride + e) * l->element + b], POISON);
}

unsigned order_of(const layout *l)
{
    if (l->d.vertex.attributes & (DUU | DUV | DVV | DUW | DVW | DWW | K)) return 2;
    return l->d.vertex.attributes & (DU | DV | DW | N) ? 1 : 0;
}

/* What the scales of a patch depend on besides its control points. */
typedef struct net_key {
    size_t num; /* reals of the control points */
    unsigned form, degree[3], coords, dim, order;
} net_key;

/* The scales of a patch up to the order that is needed. They are kept, since those of many vertices
   of one patch are asked for in a row: as long as the control points are the same. */
static const sum_scale *scales_of(const layout *l, const double *controls)
{
    static net_key kept;
    static double *kept_controls;
    static sum_scale scales[NUM_SUMS];
    const clsp_bezier_desc *const d = &l->d;
    const size_t bytes = l->controls * sizeof *controls;
    net_key key;

    memset(&key, 0, sizeof key);
    key.num = l->controls, key.form = d->form, key.coords = l->coords, key.dim = l->dim;
    key.order = order_of(l);
    memcpy(key.degree, d->degree, sizeof key.degree);
    if (memcmp(&key, &kept, sizeof key) == 0 && memcmp(controls, kept_controls, bytes) == 0)
        return scales;
    free(kept_controls);
    kept_controls = malloc(bytes);
    assert_non_null(kept_controls);
    memcpy(kept_controls, controls, bytes);
    memcpy(&kept, &key, sizeof key); /* padding, too */
    for (int i = 0; i < NUM_SUMS; i++)
        scales[i] = sum_orders[i][0] + sum_orders[i][1] + sum_orders[i][2] <= key.order
                        ? scale_of(l, controls, sum_orders[i])
                        : (sum_scale){0.0, 0.0};
    return scales;
}

double oracle_error(const layout *l, const ref_vertex *r, const sum_scale scales[NUM_SUMS],
                    const long double t[3], const unsigned char *vertices, size_t k, double bound)
{
    const double eps = l->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double error[NUM_SUMS], worst = 0.0;

    error_bounds(l, scales, r, bound * eps, error);
    const struct {
        unsigned bit;
        const long double *exact;
        unsigned num;
        double bound;
    } checks[] = {{P, r->point, l->dim, error[SUM_S]},
                  {W, &r->weight, 1, bound * eps * scales[SUM_S].w},
                  {DU, r->du, l->dim, error[SUM_U]},
                  {DV, r->dv, l->dim, error[SUM_V]},
                  {DW, r->dw, l->dim, error[SUM_W]},
                  {DUU, r->duu, l->dim, error[SUM_UU]},
                  {DUV, r->duv, l->dim, error[SUM_UV]},
                  {DVV, r->dvv, l->dim, error[SUM_VV]},
                  {DUW, r->duw, l->dim, error[SUM_UW]},
                  {DVW, r->dvw, l->dim, error[SUM_VW]},
                  {DWW, r->dww, l->dim, error[SUM_WW]},
                  {T, t, l->directions, 2 * eps * fmax(1.0, largest(t, l->directions))}};
    for (size_t i = 0; i < COUNT(checks); i++)
        worst = support_worse(worst, reals_error(l, vertices, k, checks[i].bit, checks[i].exact,
                                                 checks[i].num, checks[i].bound));
    worst = support_worse(worst, normal_error(l, vertices, k, r, error, eps));
    worst = support_worse(worst, reals_error(l, vertices, k, K, r->curvature, l->directions,
                                             curvature_bound(l, r, error)));
    assert_gaps(l, vertices, k);
    return worst;
}

double vertex_error(const layout *l, const double *controls, const long double t[3],
                    const unsigned char *vertices, size_t k, double bound)
{
    const clsp_bezier_desc *const d = &l->d;
    const ref_patch patch = {(ref_form)d->form,
                             {d->degree[0], d->degree[1], d->degree[2]},
                             l->dim,
                             (int)d->rational,
                             controls};
    ref_vertex r;

    assert_true(ref_bezier_vertex_to(&patch, order_of(l), t, &r));
    return oracle_error(l, &r, scales_of(l, controls), t, vertices, k, bound);
}

double near_error(const layout *l, const double *controls, const double *centre,
                  const long double t[3], const unsigned char *vertices, size_t k, double bound)
{
    double *const moved = malloc(l->controls * sizeof *moved);

    assert_non_null(moved);
    assert_true((l->d.vertex.attributes & P) == 0);
    memcpy(moved, controls, l->controls * sizeof *moved);
    for (size_t i = 0; i < l->controls; i += l->coords)
        for (unsigned c = 0; c < l->dim; c++)
            moved[i + c] = fma(-centre[c], l->d.rational ? moved[i + l->dim] : 1.0, moved[i + c]);
    const double error = vertex_error(l, moved, t, vertices, k, bound);
    free(moved);
    return error;
}

void with_limits(turn_fn check)
{
    static const char *const limits[] = {
        "", "class=discrete",
        ("class=integrated,fp64=0,work_group=64,local=16384,images=0,opencl=120,svm=0,"
         "alloc=134217728")};

    each_turn(limits, COUNT(limits), 1, check);
}
