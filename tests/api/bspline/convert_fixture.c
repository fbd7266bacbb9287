#include "convert_fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* ---- targets ---- */

static double within(const spline *s, uint32_t k, double ratio)
{
    return (double)domain_at(s, k, ratio);
}

/* Gives knots that end in uniform ones where the spline's may be clamped. */
static void give_knots(wish *w, const spline *s, uint32_t k)
{
    const uint32_t p = s->d.degree[k], n = s->d.num_controls[k];
    double *const u = w->knots[k];

    memcpy(u, s->knots[k], (n + p + 1) * sizeof *u);
    for (uint32_t i = 1; i <= p; i++) {
        u[p - i] = u[p] - i;
        u[n + i] = u[n] + i;
    }
    w->target.along[k].knots = u;
    w->target.along[k].degree = p;
    w->target.along[k].num_controls = n;
}

static void wish_along(wish *w, const spline *s, uint32_t k, wish_kind kind)
{
    clsp_bspline_change *const c = &w->target.along[k];
    const bool can_differ = s->d.degree[k] > 0 && !s->d.rational;

    if (kind == INSERTED || kind == ALL_AT_ONCE) {
        c->insert = w->insert[k];
        c->num_insert = s->d.degree[k] > 0 ? MAX_INSERTED : 1;
        for (uint32_t i = 0; i < MAX_INSERTED; i++)
            w->insert[k][i] = within(s, k, i < 2 ? 0.7109375 : 0.421875 - i / 64.0);
    }
    if (kind == RAISED) c->elevate = s->d.degree[k] < 9 ? 1 + k : 1;
    if (kind == ALL_AT_ONCE || kind == RAISED_PIECES) c->elevate = 1;
    if (kind == CUT || kind == ALL_AT_ONCE || kind == RAISED_PIECES) {
        c->begin = within(s, k, 0.125);
        c->end = within(s, k, 0.765625);
    }
    if (kind == DERIVED && can_differ) c->derivative = 1 + (k + s->d.degree[k]) % 2;
    if (kind == ALL_AT_ONCE && can_differ) c->derivative = 1;
    if (c->derivative > s->d.degree[k]) c->derivative = s->d.degree[k];
    if (kind == GIVEN) give_knots(w, s, k);
}

void make_wish(wish *w, const spline *s, wish_kind kind, clsp_bspline_convert_method method)
{
    *w = (wish){.target = {.bezier = kind == BEZIER || kind == RAISED_PIECES, .method = method}};
    for (uint32_t k = 0; k < s->d.directions; k++)
        wish_along(w, s, k, kind);
}

/* ---- what a target amounts to ---- */

direction direction_of(const spline *s, const wish *w, const clsp_bspline_desc *d, uint32_t k)
{
    direction x = {1, 1, 1, 1, NULL, NULL, 1.0};
    const bool there = k < s->d.directions;
    const uint32_t by = w->target.along[k].derivative;

    if (there) {
        x.rows = d->num_controls[k];
        x.terms = s->d.degree[k] + 1;
        x.orders = d->degree[k] + 1;
    }
    x.pieces = x.rows / x.orders;
    x.first = calloc(x.rows, sizeof *x.first);
    x.weights = calloc((size_t)x.rows * x.terms, sizeof *x.weights);
    assert_true(x.first && x.weights);
    x.weights[0] = 1.0L;
    for (uint32_t i = 0; there && i < x.rows; i++) {
        const ref_knots from = {s->knots[k], s->d.degree[k], s->d.num_controls[k]};
        const ref_knots to = {d->knots[k], d->degree[k], d->num_controls[k]};
        long double sum = 0.0L;
        x.first[i] = ref_bspline_conversion(from, by, to, i, x.weights + i * x.terms);
        for (uint32_t j = 0; j < x.terms; j++)
            sum += fabsl(x.weights[i * x.terms + j]);
        x.scale = fmax(x.scale, (double)sum);
    }
    if (by > 0) x.scale = gain(s->knots[k], s->d.degree[k], s->d.num_controls[k], by);
    return x;
}

void free_direction(direction *x)
{
    free(x->first);
    free(x->weights);
}

/* Where control point (i, j, l) stands in what a conversion gives. */
static size_t place_of(const direction x[3], bool pieces, uint32_t i, uint32_t j, uint32_t l)
{
    const uint32_t at[3] = {i, j, l};
    size_t piece = 0, inner = 0;

    if (!pieces) return ((size_t)i * x[1].rows + j) * x[2].rows + l;
    for (uint32_t k = 0; k < 3; k++) {
        piece = piece * x[k].pieces + at[k] / x[k].orders;
        inner = inner * x[k].orders + at[k] % x[k].orders;
    }
    return piece * x[0].orders * x[1].orders * x[2].orders + inner;
}

long double exact_control(const spline *s, const direction x[3], const double *controls,
                          const uint32_t at[3], uint32_t c)
{
    const uint32_t num_v = s->d.directions > 1 ? s->d.num_controls[1] : 1;
    const uint32_t num_w = s->d.directions > 2 ? s->d.num_controls[2] : 1;
    long double sum = 0.0L;

    for (uint32_t i = 0; i < x[0].terms; i++)
        for (uint32_t j = 0; j < x[1].terms; j++)
            for (uint32_t l = 0; l < x[2].terms; l++) {
                const size_t number =
                    ((size_t)(x[0].first[at[0]] + i) * num_v + x[1].first[at[1]] + j) * num_w +
                    x[2].first[at[2]] + l;
                sum += x[0].weights[at[0] * x[0].terms + i] * x[1].weights[at[1] * x[1].terms + j] *
                       x[2].weights[at[2] * x[2].terms + l] * controls[number * s->l.coords + c];
            }
    return sum;
}

static double worst;

double convert_worst(void)
{
    const double w = worst;

    worst = 0.0;
    return w;
}

double real_at(const spline *s, const unsigned char *reals, size_t i)
{
    return s->d.precision == CLSP_F64 ? ((const double *)(const void *)reals)[i]
                                      : (double)((const float *)(const void *)reals)[i];
}

void judge(const spline *s, const wish *w, const clsp_bspline_desc *d, const double *controls,
           const unsigned char *made)
{
    const double eps = s->d.precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    direction x[3];
    double bound = 8.0 * eps, scale = 0.0;
    size_t step, number = 0;

    for (uint32_t k = 0; k < 3; k++) {
        x[k] = direction_of(s, w, d, k);
        bound *= x[k].scale;
        if (k < s->d.directions && (s->d.degree[k] > 31 || d->degree[k] > 31)) bound *= 4.0;
    }
    for (size_t i = 0; i < s->l.controls; i++)
        scale = fmax(scale, fabs(controls[i]));
    step = 1 + (size_t)x[0].rows * x[1].rows * x[2].rows / 300;
    for (uint32_t i = 0; i < x[0].rows; i++)
        for (uint32_t j = 0; j < x[1].rows; j++)
            for (uint32_t l = 0; l < x[2].rows; l++) {
                const uint32_t at[3] = {i, j, l};
                const size_t place = place_of(x, w->target.bezier, i, j, l);
                for (uint32_t c = 0; c < s->l.coords && number % step == 0; c++) {
                    const long double exact = exact_control(s, x, controls, at, c);
                    const double got = real_at(s, made, place * s->l.coords + c);
                    const double error = (double)fabsl(got - exact) / (bound * scale);
                    worst = support_worse(worst, error);
                    if (!(error <= 1.0))
                        fail_msg("directions %u, degrees %u %u %u, control point %u %u %u: %g and "
                                 "not %Lg, %.2f of the bound",
                                 s->d.directions, s->d.degree[0], s->d.degree[1], s->d.degree[2], i,
                                 j, l, got, exact, error);
                }
                number++;
            }
    for (uint32_t k = 0; k < 3; k++)
        free_direction(&x[k]);
}

size_t target_reals(const spline *s, const clsp_bspline_desc *d)
{
    size_t reals = s->l.coords;

    for (uint32_t k = 0; k < s->d.directions; k++)
        reals *= d->num_controls[k];
    return reals;
}

void set_target(clsp_context *ctx, clsp_patch_plan *plan, const wish *w, clsp_bspline_desc *d)
{
    if (clsp_bspline_set_target(plan, &w->target) != CLSP_OK) {
        char why[256];
        clsp_context_last_error(ctx, why, sizeof why);
        fail_msg("%s", why);
    }
    assert_int_equal(clsp_bspline_target_desc(plan, 0, d, NULL), CLSP_OK);
}

clsp_status count_converted(clsp_patch_plan *plan, clsp_range patches, size_t coords, size_t *num)
{
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling = {.num_tiles = 0};
    const clsp_status status =
        clsp_bspline_convert(plan, patches, none, &(clsp_run){.tiling = &tiling});

    if (status == CLSP_OK) *num = tiling.elements.count / coords;
    return status;
}
