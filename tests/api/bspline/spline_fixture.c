#include "spline_fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

void make_knots(double *u, uint32_t degree, uint32_t controls, knot_kind kind, double begin)
{
    const uint32_t num = controls + degree + 1, d = degree > 0 ? degree : 1;

    assert_true(num <= MAX_KNOTS);
    for (uint32_t i = 0; i < num; i++) {
        const double at = i <= degree ? 0 : i >= controls ? controls - degree : i - degree;
        u[i] = kind == UNIFORM   ? i
               : kind == CLAMPED ? at * (at + 3)
                                 : (i >= controls) + ceil(at / d);
    }
    if (kind == JUMPING && controls > 2 * (degree + 1))
        for (uint32_t i = degree + 1; i < num; i++)
            u[i] = i < 2 * (degree + 1) ? 5.0 : i >= controls ? 7.0 + num : 6.0 + i;
    for (uint32_t i = 0; i < num; i++)
        u[i] = begin + u[i] / 8;
}

spline make_spline(clsp_type precision, uint32_t directions, const uint32_t degree[3],
                   const uint32_t controls[3], knot_kind kind, uint32_t rational,
                   uint32_t attributes)
{
    spline s = {.d = {.directions = directions,
                      .precision = precision,
                      .rational = rational,
                      .vertex.attributes = attributes}};
    const clsp_bezier_form forms[] = {CLSP_BEZIER_CURVE, CLSP_BEZIER_SURFACE, CLSP_BEZIER_VOLUME};
    const clsp_bezier_desc bezier = {.form = forms[directions - 1],
                                     .precision = precision,
                                     .rational = rational,
                                     .vertex.attributes = attributes};

    s.l = layout_of(&bezier);
    s.l.controls = s.l.coords;
    for (uint32_t k = 0; k < directions; k++) {
        s.d.degree[k] = degree[k];
        s.d.num_controls[k] = controls[k];
        make_knots(s.knots[k], degree[k], controls[k], (knot_kind)((kind + k) % NUM_KINDS), 0.0);
        s.l.controls *= controls[k];
    }
    return s;
}

void aim(spline *s)
{
    for (uint32_t k = 0; k < 3; k++)
        s->d.knots[k] = k < s->d.directions ? s->knots[k] : NULL;
}

ref_bspline exact_spline_of(const spline *s, const double *controls)
{
    ref_bspline r = {.directions = s->d.directions,
                     .dim = s->l.dim,
                     .rational = (int)s->d.rational,
                     .points = controls,
                     .rounding = s->rounding};

    for (uint32_t k = 0; k < 3; k++) {
        const bool there = k < s->d.directions;
        r.degree[k] = there ? s->d.degree[k] : 0;
        r.controls[k] = there ? s->d.num_controls[k] : 1;
        r.knots[k] = s->knots[k];
    }
    return r;
}

double gain(const double *u, uint32_t degree, uint32_t controls, uint32_t by)
{
    double most[2] = {0.0, 0.0};

    for (uint32_t b = 1; b <= by && b <= degree; b++)
        for (uint32_t i = b; i < controls; i++) {
            const double length = u[i + degree + 1 - b] - u[i];
            if (length > 0) most[b - 1] = fmax(most[b - 1], 2.0 * (degree + 1 - b) / length);
        }
    return by == 0 ? 1.0 : by > degree ? 0.0 : by == 1 ? most[0] : most[0] * most[1];
}

/* Scales of all sums: the control points' largest, times what differences make of it. */
static void find_scales(const spline *s, const double *controls, sum_scale scales[NUM_SUMS])
{
    sum_scale points = {0.0, 0.0};

    for (size_t i = 0; i < s->l.controls; i++) {
        double *const most = i % s->l.coords < s->l.dim ? &points.x : &points.w;
        *most = fmax(*most, fabs(controls[i]));
    }
    if (!s->d.rational) points.w = 0.0;
    for (int n = 0; n < NUM_SUMS; n++) {
        double factor = 1.0;
        for (uint32_t k = 0; k < 3; k++)
            factor *= k < s->d.directions ? gain(s->knots[k], s->d.degree[k], s->d.num_controls[k],
                                                 sum_orders[n][k])
                                          : sum_orders[n][k] == 0;
        scales[n] = (sum_scale){factor * points.x, factor * points.w};
    }
}

double spline_error(const spline *s, const double *controls, const long double t[3],
                    const unsigned char *vertices, size_t k, double bound)
{
    const ref_bspline exact = exact_spline_of(s, controls);
    const ref_family family = ref_bspline_family(&exact);
    sum_scale scales[NUM_SUMS];
    ref_vertex r;

    find_scales(s, controls, scales);
    assert_true(ref_vertex_to(&family, order_of(&s->l), t, &r));
    const double error = oracle_error(&s->l, &r, scales, t, vertices, k, bound);
    if (!(error <= 1.0))
        fail_msg("directions %u, degrees %u %u %u, rational %u, precision %d, attributes %u, at "
                 "%Lg %Lg %Lg: %.2f of the bound",
                 s->d.directions, s->d.degree[0], s->d.degree[1], s->d.degree[2], s->d.rational,
                 (int)s->d.precision, s->d.vertex.attributes, t[0], t[1], t[2], error);
    return error;
}

clsp_input controls_in(const spline *s, const double *controls, size_t num, void *narrow)
{
    float *const floats = narrow;

    if (s->d.precision == CLSP_F64) return clsp_in_f64(controls, num * s->l.controls);
    for (size_t i = 0; i < num * s->l.controls; i++)
        floats[i] = (float)controls[i];
    return clsp_in_f32(floats, num * s->l.controls);
}

clsp_patch_plan *plan_of(clsp_context *ctx, spline *s, const double *controls, size_t num)
{
    clsp_patch_plan *plan;
    float *const narrow = malloc((num * s->l.controls + 1) * sizeof *narrow);

    assert_non_null(narrow);
    aim(s);
    if (clsp_bspline_plan_create(&plan, ctx, &s->d) != CLSP_OK) {
        char why[256];
        clsp_context_last_error(ctx, why, sizeof why);
        fail_msg("%s", why);
    }
    assert_int_equal(
        clsp_patch_set_control_points(plan, num, controls_in(s, controls, num, narrow), NULL),
        CLSP_OK);
    free(narrow);
    return plan;
}

clsp_status eval_list_twice(clsp_patch_plan *plan, const clsp_points *points, clsp_output out)
{
    clsp_points half = *points;
    clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE};
    clsp_tiling tiling;
    clsp_status status = clsp_patch_eval_points(plan, points, out, &(clsp_run){.tiling = &tiling});

    share.tiles.count = tiling.num_tiles;
    if (status == CLSP_OK)
        status = clsp_patch_eval_points(plan, points, out, &(clsp_run){.share = &share});
    half.num /= 2;
    return status == CLSP_OK ? clsp_patch_eval_points(plan, &half, out, NULL) : status;
}

long double domain_at(const spline *s, uint32_t k, long double ratio)
{
    const double begin = s->knots[k][s->d.degree[k]], end = s->knots[k][s->d.num_controls[k]];

    return k < s->d.directions ? begin + ((long double)end - begin) * ratio : 0.0L;
}
