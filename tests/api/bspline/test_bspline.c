/* B-splines against the definition, in every call that evaluates, and what their descriptions may
   be. */
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
#include "spline_fixture.h"

/* ---- bounds ---- */

static double worst;

/* Judges vertex k, which is at t, by the bound that the header promises. */
static void judge(const spline *s, const double *controls, const long double t[3],
                  const unsigned char *vertices, size_t k)
{
    const uint32_t *const p = s->d.degree;
    const bool is_high = p[0] > 31 || p[1] > 31 || p[2] > 31;

    worst = support_worse(worst, spline_error(s, controls, t, vertices, k, is_high ? 32.0 : 8.0));
}

/* ---- calls ---- */

static size_t samples(const spline *s, uint32_t k)
{
    return k < s->d.directions ? s->d.axis[k].num : 1;
}

/* The parameters of vertex k of a grid of so many samples over the domain. */
static void grid_parameters(const spline *s, size_t k, const size_t num[3], long double t[3])
{
    const size_t at[3] = {k / num[2] / num[1], k / num[2] % num[1], k % num[2]};

    for (uint32_t i = 0; i < 3; i++)
        t[i] = domain_at(s, i, (long double)at[i] / (num[i] > 1 ? num[i] - 1 : 1));
}

/* ---- grids ---- */

static clsp_tiling tiling_of(clsp_patch_plan *plan, size_t patch, clsp_range tiles)
{
    const clsp_share share = {.tiles = tiles};
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling = {.num_tiles = 0};
    const clsp_run ask = {.share = &share, .tiling = &tiling};

    assert_int_equal(clsp_patch_eval(plan, (clsp_range){patch, 1}, none, &ask), CLSP_OK);
    return tiling;
}

/* Makes tiles of a patch on the device, at their places in `vertices`. */
static void make_tiles(clsp_patch_plan *plan, const layout *l, size_t patch, clsp_range tiles,
                       unsigned char *vertices)
{
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = tiles};
    const clsp_range elements = tiling_of(plan, patch, tiles).elements;
    unsigned char *const at = vertices + elements.first * l->element;

    memset(at, POISON, elements.count * l->element);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){patch, 1},
                                     host_out(l->type, at, elements.count),
                                     &(clsp_run){.share = &share}),
                     CLSP_OK);
}

/* Makes a patch on the device, where it goes into `whole`, and again tile by tile: the same bits.
   one: room for a patch. */
static void check_tiles(clsp_patch_plan *plan, const layout *l, size_t patch, unsigned char *whole,
                        unsigned char *one)
{
    const clsp_range none = {0, 0};
    const clsp_tiling tiling = tiling_of(plan, patch, none);

    make_tiles(plan, l, patch, (clsp_range){0, tiling.num_tiles}, whole);
    for (size_t tile = 0; tile < tiling.num_tiles; tile++)
        make_tiles(plan, l, patch, (clsp_range){tile, 1}, one);
    assert_memory_equal(one, whole, tiling.elements.count * l->element);
}

/* Judges all vertices of a patch's grid. */
static void judge_grid(const spline *s, const double *controls, const unsigned char *vertices)
{
    const size_t nums[3] = {samples(s, 0), samples(s, 1), samples(s, 2)};

    for (size_t k = 0; k < nums[0] * nums[1] * nums[2]; k++) {
        long double t[3];
        grid_parameters(s, k, nums, t);
        judge(s, controls, t, vertices, k);
    }
}

/* Evaluates patches by several calls, which must give the same bits, and judges one of them. */
static void check_grid(clsp_context *ctx, spline *s, size_t num)
{
    const size_t nums[3] = {samples(s, 0), samples(s, 1), samples(s, 2)};
    const size_t each = nums[0] * nums[1] * nums[2], elements = each * s->l.stride;
    const size_t bytes = elements * s->l.element, last = num - 1;
    double *const controls = random_controls(&s->l, num);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, num);
    unsigned char *const all = guarded(&s->l, num * each), *const one = guarded(&s->l, each);

    assert_int_equal(
        clsp_patch_eval(plan, (clsp_range){0, num}, host_out(s->l.type, all, num * elements), NULL),
        CLSP_OK);
    judge_grid(s, controls + last * s->l.controls, all + last * bytes);
    assert_int_equal(
        clsp_patch_eval(plan, (clsp_range){last, 1}, host_out(s->l.type, one, elements), NULL),
        CLSP_OK);
    assert_memory_equal(one, all + last * bytes, bytes);
    check_tiles(plan, &s->l, last, all + last * bytes, one);
    judge_grid(s, controls + last * s->l.controls, one);
    free_guarded(&s->l, num * each, all);
    free_guarded(&s->l, each, one);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static const struct {
    uint32_t directions, degree[3], controls[3], rational, attributes;
} cases[] = {
    {2, {3, 3}, {9, 12}, 0, P},
    {1, {3}, {70}, 0, P},
    {2, {3, 2}, {10, 9}, 0, P | N},
    {1, {5}, {13}, 1, P | W | DU | DUU | K},
    {2, {2, 4}, {8, 11}, 1, P | DU | DV | N | T},
    {3, {2, 3, 1}, {5, 6, 4}, 0, P | DU | DV | DW},
    {2, {7, 1}, {17, 2}, 0, P | DUU | DUV | DVV | K},
    {2, {3, 4}, {7, 9}, 1, P | K},
    {2, {0, 3}, {5, 8}, 0, P | DU | DV},
    {1, {0}, {1}, 0, P},
    {2, {1, 1}, {2, 7}, 0, P},
    {2, {15, 11}, {33, 13}, 0, P},
    {1, {31}, {64}, 0, P | DU | K},
    {1, {63}, {130}, 0, P | DUU},
    {3, {1, 2, 3}, {4, 5, 9}, 1, P},
    {2, {5, 5}, {6, 6}, 0, P | N}, /* one span */
    {2, {3, 3}, {12, 9}, 0, P | DU | DV},
    {1, {3}, {40}, 0, P | DU},
    {2, {6, 2}, {15, 7}, 0, DU | DV | T},
    {1, {9}, {23}, 1, P | W},
    {3, {2, 3, 2}, {6, 5, 7}, 0, P | DUU | DUV | DVV | DUW | DVW | DWW},
    {3, {3, 2, 4}, {4, 5, 6}, 1, DW | DUW | DVW | DWW | T},
};

static spline spline_of_case(size_t i, clsp_type precision, knot_kind kind)
{
    return make_spline(precision, cases[i].directions, cases[i].degree, cases[i].controls, kind,
                       cases[i].rational, cases[i].attributes);
}

static void grids(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            if (!in_turn(i) || (tiny() && (i > 4 || kind > 0))) continue;
            spline s = spline_of_case(i, precision, (knot_kind)kind);
            seed((unsigned)(10 * i) + (unsigned)kind);
            s.d.axis[0].num = cases[i].directions == 1 ? 211 : 37;
            s.d.axis[1].num = cases[i].directions == 3 ? 5 : 21;
            s.d.axis[2].num = 6;
            check_grid(ctx, &s, 3);
        }
}

static void test_grids(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(grids);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- parameters of one's own ---- */

enum { OWN_U = 37, OWN_V = 21, OWN_W = 6 };
static double own_params[3][OWN_U];

/* Returns parameter a of num in direction k: along u from end to end, else within the domain; or
   those of the uniform axis over it. */
static double own_param(const spline *s, uint32_t k, uint32_t a, uint32_t num, bool uniform)
{
    const double begin = (double)domain_at(s, k, 0.0L), end = (double)domain_at(s, k, 1.0L);
    const uint32_t last = num - 1;
    const double t = k == 0 ? (double)a / last : (a + 0.3) / num;

    if ((k == 0 || uniform) && (a == 0 || a == last)) return a == 0 ? begin : end;
    if (uniform) return (begin * (last - a) + end * a) / last;
    return begin + (end - begin) * (t * t * (3.0 - 2.0 * t));
}

static void set_own_axes(spline *s, bool uniform)
{
    static const uint32_t nums[3] = {OWN_U, OWN_V, OWN_W};

    for (uint32_t k = 0; k < s->d.directions; k++) {
        s->d.axis[k] = (clsp_axis){.num = nums[k], .params = own_params[k]};
        for (uint32_t a = 0; a < nums[k]; a++)
            own_params[k][a] = own_param(s, k, a, nums[k], uniform);
    }
}

/* Evaluates a spline with axes of its own on the device and, where it can, on the host. */
static void check_own_axes(clsp_context *ctx, spline *s)
{
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    double *const controls = random_controls(&s->l, 1);

    set_own_axes(s, false);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
    const size_t w = samples(s, 2), v = samples(s, 1), num = samples(s, 0) * v * w;
    const size_t size = num * s->l.stride;
    unsigned char *const vertices = guarded(&s->l, num);
    for (int host = 0; host < 2; host++) {
        const clsp_run run = {.share = host ? &by_host : NULL};
        memset(vertices, POISON, size * s->l.element);
        assert_int_equal(
            clsp_patch_eval(plan, (clsp_range){0, 1}, host_out(s->l.type, vertices, size), &run),
            CLSP_OK);
        for (size_t k = 0; k < num; k++) {
            const size_t at[3] = {k / w / v, k / w % v, k % w};
            long double t[3] = {0};
            for (uint32_t i = 0; i < s->d.directions; i++)
                t[i] = own_params[i][at[i]];
            judge(s, controls, t, vertices, k);
        }
    }
    clsp_patch_plan_destroy(&plan);
    free_guarded(&s->l, num, vertices);
    free(controls);
}

/* The parameters of the default give its bits. */
static void check_uniform_axes(clsp_context *ctx, spline *s)
{
    const size_t num = (size_t)OWN_U * OWN_V, size = num * s->l.stride;
    double *const controls = random_controls(&s->l, 1);
    unsigned char *const bits[2] = {guarded(&s->l, num), guarded(&s->l, num)};

    for (int own = 0; own < 2; own++) {
        set_own_axes(s, true);
        for (uint32_t k = 0; k < 3 && !own; k++)
            s->d.axis[k].params = NULL;
        clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
        assert_int_equal(
            clsp_patch_eval(plan, (clsp_range){0, 1}, host_out(s->l.type, bits[own], size), NULL),
            CLSP_OK);
        clsp_patch_plan_destroy(&plan);
    }
    assert_memory_equal(bits[0], bits[1], size * s->l.element);
    free_guarded(&s->l, num, bits[0]);
    free_guarded(&s->l, num, bits[1]);
    free(controls);
}

static void own_axes(clsp_context *ctx, clsp_type precision)
{
    static const size_t chosen[] = {0, 2, 4, 5, 3}; /* of cases */

    for (size_t i = 0; i < COUNT(chosen); i++) {
        spline s = spline_of_case(chosen[i], precision, i % 2 == 0 ? CLAMPED : REPEATED);
        if (!in_turn(i) || (tiny() && i > 0)) continue;
        seed((unsigned)i);
        check_own_axes(ctx, &s);
        if (i == 1) check_uniform_axes(ctx, &s);
    }
}

static void test_own_axes(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(own_axes);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- other grids ---- */

/* Part of the domain, from its end to its begin, after another grid. */
static void test_set_grid(void **state)
{
    clsp_context *const ctx = lent_context("");
    spline s = spline_of_case(0, CLSP_F32, CLAMPED);
    enum { NUM = 19 };

    (void)state;
    seed(3);
    s.d.axis[0].num = s.d.axis[1].num = 7;
    double *const controls = random_controls(&s.l, 1);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
    const double ends[2] = {(double)domain_at(&s, 0, 0.75L), (double)domain_at(&s, 0, 0.25L)};
    const double middle = (double)domain_at(&s, 1, 0.5L);
    const clsp_axis axis[2] = {{.num = NUM, .begin = ends[0], .end = ends[1]},
                               {.num = 1, .begin = middle, .end = middle}};
    unsigned char *const vertices = guarded(&s.l, NUM);
    assert_int_equal(clsp_patch_set_grids(plan, axis, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1},
                                     host_out(s.l.type, vertices, NUM * s.l.stride), NULL),
                     CLSP_OK);
    for (size_t k = 0; k < NUM; k++) {
        const long double ratio = (long double)k / (NUM - 1);
        const long double t[3] = {ends[0] + ((long double)ends[1] - ends[0]) * ratio,
                                  (long double)axis[1].begin, 0.0L};
        judge(&s, controls, t, vertices, k);
    }
    const clsp_axis outside[2] = {{.num = NUM, .end = 1e6}, {.num = 1}};
    assert_int_equal(clsp_patch_set_grids(plan, outside, 0, (clsp_input){0}), CLSP_ERROR_ARGUMENT);
    free_guarded(&s.l, NUM, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

/* So many control points that a float cannot tell the parameters of a grid apart. */
static void test_many_spans(void **state)
{
    enum { CONTROLS = 100000, NUM = 1001 };
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc d = {.directions = 1,
                                 .degree = {3},
                                 .num_controls = {CONTROLS},
                                 .axis = {{.num = NUM}},
                                 .dim = 1};
    float *const controls = malloc(CONTROLS * sizeof *controls), points[NUM];
    double *const wide = malloc(CONTROLS * sizeof *wide);
    double *const knots = malloc((CONTROLS + 4) * sizeof *knots);
    clsp_patch_plan *plan;

    (void)state;
    assert_true(controls && wide && knots);
    seed(4);
    for (size_t i = 0; i < CONTROLS; i++)
        wide[i] = controls[i] = (float)random_real();
    for (size_t i = 0; i < CONTROLS + 4; i++)
        knots[i] = i < 4 ? 0.0 : i >= CONTROLS ? 1.0 : (double)(i - 3) / (CONTROLS - 3);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, CONTROLS), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(points, NUM), NULL),
                     CLSP_OK);
    const ref_bspline r = {1, {3, 0, 0}, {CONTROLS, 1, 1}, {knots, NULL, NULL}, 1, 0, wide, 0};
    for (size_t k = 0; k < NUM; k++) {
        const long double t[3] = {(long double)k / (NUM - 1), 0, 0};
        const unsigned by[3] = {0, 0, 0};
        long double value;
        ref_bspline_derivative(&r, t, by, &value);
        assert_true(fabsl(points[k] - value) <= 8 * FLT_EPSILON);
    }
    clsp_patch_plan_destroy(&plan);
    free(controls);
    free(wide);
    free(knots);
}

/* ---- parameters ---- */

/* Parameters all over the domain, its ends and knots among them, as the precision has them. */
static void make_parameters(const spline *s, size_t num, double *params, float *narrow)
{
    for (size_t k = 0; k < num; k++)
        for (uint32_t i = 0; i < s->d.directions; i++) {
            const uint32_t inner = s->d.num_controls[i] - s->d.degree[i];
            const double *const u = s->knots[i] + s->d.degree[i];
            const double t = k % 3 == 0 ? u[k / 3 % (inner + 1)]
                                        : (double)domain_at(s, i, 0.5L + 0.5L * random_real());
            double *const p = params + k * s->d.directions + i;
            *p = s->d.precision == CLSP_F64 ? t : (double)(float)t;
            *p = fmin(fmax(*p, u[0]), u[inner]);
            narrow[k * s->d.directions + i] = (float)*p;
        }
}

/* Evaluates some points of a list alone: they have the bits that they have in the first half. */
static void check_some(clsp_patch_plan *plan, const spline *s, const clsp_points *list,
                       const unsigned char *vertices)
{
    const size_t first = list->num / 5, count = list->num / 7, bytes = s->l.stride * s->l.element;
    unsigned char *const some = guarded(&s->l, count);
    clsp_points part = *list;

    part.num = count;
    part.item.offset += first;
    part.params.offset += first * s->d.directions;
    assert_int_equal(
        clsp_patch_eval_points(plan, &part, host_out(s->l.type, some, count * s->l.stride), NULL),
        CLSP_OK);
    assert_memory_equal(some, vertices + first * bytes, count * bytes);
    free_guarded(&s->l, count, some);
}

static void check_points(clsp_context *ctx, spline *s)
{
    enum { NUM = 120, PATCHES = 2 };
    const uint32_t directions = s->d.directions;
    double *const controls = random_controls(&s->l, PATCHES), params[3 * NUM];
    float narrow[3 * NUM];
    uint32_t patches[NUM];
    clsp_patch_plan *plan = plan_of(ctx, s, controls, PATCHES);
    unsigned char *const vertices = guarded(&s->l, NUM);

    make_parameters(s, NUM, params, narrow);
    for (size_t k = 0; k < NUM; k++)
        patches[k] = k % PATCHES;
    const clsp_points list = {.num = NUM,
                              .item = clsp_in_u32(patches, NUM),
                              .params = s->d.precision == CLSP_F64
                                            ? clsp_in_f64(params, (size_t)NUM * directions)
                                            : clsp_in_f32(narrow, (size_t)NUM * directions)};
    assert_int_equal(eval_list_twice(plan, &list, host_out(s->l.type, vertices, NUM * s->l.stride)),
                     CLSP_OK);
    for (size_t k = 0; k < NUM; k++) {
        long double t[3] = {0};
        for (uint32_t i = 0; i < directions; i++)
            t[i] = params[k * directions + i];
        judge(s, controls + k % PATCHES * s->l.controls, t, vertices, k);
    }
    check_some(plan, s, &list, vertices);
    free_guarded(&s->l, NUM, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void points(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const knot_kind kind = (knot_kind)(i % NUM_KINDS);
        if (!in_turn(i) || (tiny() && i > 3)) continue;
        spline s = spline_of_case(i, precision, kind);
        seed((unsigned)i);
        check_points(ctx, &s);
    }
}

static void test_points(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(points);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- patch grids ---- */

/* Patches with grids of their own. */
static void patch_grids(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t nums[] = {5, 7, 1, 9, 12, 2};
    enum { PATCHES = 3 };
    spline s = spline_of_case(0, precision, UNIFORM);
    const clsp_range all = {0, PATCHES};
    clsp_mesh_size size;

    seed(5);
    double *const controls = random_controls(&s.l, PATCHES);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, PATCHES);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, PATCHES, clsp_in_u32(nums, COUNT(nums))),
                     CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, all, &size), CLSP_OK);
    assert_int_equal(size.vertices, 5 * 7 + 1 * 9 + 12 * 2);
    assert_int_equal(size.quads, 4 * 6 + 11);
    unsigned char *const vertices = guarded(&s.l, size.vertices);
    assert_int_equal(
        clsp_patch_eval(plan, all, host_out(s.l.type, vertices, size.vertices * s.l.stride), NULL),
        CLSP_OK);
    for (size_t p = 0, first = 0; p < PATCHES; p++) {
        const size_t num[3] = {nums[2 * p], nums[2 * p + 1], 1};
        for (size_t k = 0; k < num[0] * num[1]; k++) {
            long double t[3];
            grid_parameters(&s, k, num, t);
            judge(&s, controls + p * s.l.controls, t, vertices, first + k);
        }
        first += num[0] * num[1];
    }
    free_guarded(&s.l, size.vertices, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void test_patch_grids(void **state)
{
    (void)state;
    with_limits(patch_grids);
}

/* ---- several processors ---- */

/* Evaluates patches by all schedules, of which one is judged. */
static void check_cooperate(clsp_context *ctx, spline *s)
{
    enum { PATCHES = 4, STEP = 7 };
    const size_t nums[3] = {samples(s, 0), samples(s, 1), samples(s, 2)};
    const size_t each = nums[0] * nums[1] * nums[2], elements = each * s->l.stride;
    double *const controls = random_controls(&s->l, PATCHES);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, PATCHES);
    unsigned char *const vertices = guarded(&s->l, PATCHES * each);
    const clsp_share measured = {.measure = 1};
    clsp_report report;

    for (int schedule = CLSP_SCHEDULE_DEFAULT; schedule <= CLSP_SCHEDULE_HOST; schedule++) {
        const clsp_share opts = {.schedule = (clsp_schedule)schedule};
        assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, PATCHES},
                                         host_out(s->l.type, vertices, PATCHES * elements),
                                         &(clsp_run){.share = &opts, .report = &report}),
                         CLSP_OK);
        for (size_t k = 0; k < each; k += STEP) {
            long double t[3];
            grid_parameters(s, k, nums, t);
            judge(s, controls + s->l.controls, t, vertices + elements * s->l.element, k);
        }
    }
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, PATCHES},
                                     host_out(s->l.type, vertices, PATCHES * elements),
                                     &(clsp_run){.share = &measured, .report = &report}),
                     CLSP_OK);
    free_guarded(&s->l, PATCHES * each, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

/* Evaluates a patch on the calling thread. */
static void check_by_caller(clsp_context *ctx, spline *s)
{
    const size_t nums[3] = {samples(s, 0), samples(s, 1), samples(s, 2)};
    const size_t each = nums[0] * nums[1] * nums[2], elements = each * s->l.stride;
    double *const controls = random_controls(&s->l, 1);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
    unsigned char *const vertices = guarded(&s->l, each);
    const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST,
                              .tiles = {0, tiling_of(plan, 0, (clsp_range){0, 0}).num_tiles}};

    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1},
                                     host_out(s->l.type, vertices, elements),
                                     &(clsp_run){.share = &share}),
                     CLSP_OK);
    for (size_t k = 0; k < each; k++) {
        long double t[3];
        grid_parameters(s, k, nums, t);
        judge(s, controls, t, vertices, k);
    }
    free_guarded(&s->l, each, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void cooperate(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!in_turn(i) || (tiny() && i > 1)) continue;
        spline s = spline_of_case(i, precision, (knot_kind)(i % NUM_KINDS));
        seed((unsigned)i);
        s.d.axis[0].num = 70;
        s.d.axis[1].num = cases[i].directions == 3 ? 5 : 45;
        s.d.axis[2].num = 4;
        check_cooperate(ctx, &s);
        check_by_caller(ctx, &s);
    }
}

static void test_cooperate(void **state)
{
    static const char *const limits[] = {"", "class=discrete"};

    (void)state;
    each_turn(limits, COUNT(limits), 1, cooperate);
}

/* ---- lost tangents ---- */

/* An edge that is one point has the normals of its neighbourhood, on grids as at parameters. */
static void collapsed(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 9 };
    static const uint32_t degree[3] = {3, 2, 0}, num_controls[3] = {6, 5, 1};
    spline s = make_spline(precision, 2, degree, num_controls, CLAMPED, 0, P | N);

    make_knots(s.knots[1], 2, 5, CLAMPED, 0.0);
    s.d.axis[0].num = s.d.axis[1].num = NUM;
    double *const controls = random_controls(&s.l, 1);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++) { /* a cone's, its tip at u = 0 */
            double *const p = controls + (i * 5 + j) * 3;
            p[0] = i * cos(j), p[1] = i * sin(j), p[2] = 0.5 * i;
            for (int c = 0; c < 3 && precision == CLSP_F32; c++)
                p[c] = (double)(float)p[c];
        }
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
    unsigned char *const vertices = guarded(&s.l, NUM * NUM);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1},
                                     host_out(s.l.type, vertices, NUM * NUM * s.l.stride), NULL),
                     CLSP_OK);
    for (size_t b = 0; b < NUM; b++) {
        double cosine = 0.0;
        for (unsigned c = 0; c < 3; c++)
            cosine += attribute(&s.l, vertices, b, N, c) * attribute(&s.l, vertices, NUM + b, N, c);
        assert_true(cosine > 0.99);
    }
    free_guarded(&s.l, NUM * NUM, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void test_collapsed(void **state)
{
    (void)state;
    with_limits(collapsed);
}

/* ---- descriptions ---- */

static void refused(const clsp_bspline_desc *d, clsp_status expected, const char *words)
{
    clsp_context *const ctx = lent_context("");
    clsp_patch_plan *plan = (clsp_patch_plan *)ctx;
    char why[256];

    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, d), expected);
    assert_null(plan);
    clsp_context_last_error(ctx, why, sizeof why);
    if (!strstr(why, words)) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

static void test_descriptions(void **state)
{
    static const double sound[] = {0, 0, 0, 1, 2, 2, 2}, falling[] = {0, 0, 0, 1, 0.5, 2, 2};
    static const double repeated[] = {0, 0, 0, 0, 1, 2, 2}, empty[] = {0, 0.5, 1, 1, 1, 2, 3};
    const double not_finite[] = {0, 0, 0, NAN, 2, 2, 2}, infinite[] = {0, 0, 0, 1, 2, 2, INFINITY};
    static const double near_ones[] = {0, 0, 0, 4e-324, 2, 2, 2};
    const double long_ones[] = {-DBL_MAX, -DBL_MAX, 0, 1, 2, DBL_MAX, DBL_MAX};
    const clsp_bspline_desc curve = {.directions = 1,
                                     .degree = {2},
                                     .num_controls = {4},
                                     .knots = {sound},
                                     .axis = {{.num = 5}}};
    const struct {
        const double *knots;
        const char *words;
    } defects[] = {{falling, "knot 4 along u, 0.5, is less than"},
                   {repeated, "knot 3 along u, 0, is repeated"},
                   {empty, "domain that is empty"},
                   {not_finite, "knot 3 along u, nan, is not finite"},
                   {infinite, "knot 6 along u, inf, is not finite"},
                   {near_ones, "knot 3 along u, 4.94065646e-324, is above the one"},
                   {long_ones, "too far from"}};
    clsp_bspline_desc d;

    (void)state;
    for (size_t i = 0; i < COUNT(defects); i++) {
        d = curve;
        d.knots[0] = defects[i].knots;
        refused(&d, CLSP_ERROR_ARGUMENT, defects[i].words);
    }
    d = curve, d.directions = 4, refused(&d, CLSP_ERROR_ARGUMENT, "directions");
    d = curve, d.dim = 5, refused(&d, CLSP_ERROR_ARGUMENT, "dim");
    d = curve, d.rational = 2, refused(&d, CLSP_ERROR_ARGUMENT, "rational");
    d = curve, d.precision = CLSP_U8, refused(&d, CLSP_ERROR_ARGUMENT, "precision");
    d = curve, d.num_controls[0] = 2, refused(&d, CLSP_ERROR_ARGUMENT, "2 control points along u");
    d = curve, d.num_controls[0] = 0, refused(&d, CLSP_ERROR_ARGUMENT, "0 control points along u");
    d = curve, d.degree[0] = 256, refused(&d, CLSP_ERROR_DEGREE, "degree 256");
    d = curve, d.reserved[3] = 1, refused(&d, CLSP_ERROR_ARGUMENT, "reserved");
    d = curve, d.axis[0].end = 3, refused(&d, CLSP_ERROR_ARGUMENT, "axis");
    d = curve, d.vertex.attributes = DV, refused(&d, CLSP_ERROR_ARGUMENT, "attributes");
    d = curve, d.directions = 2, d.num_controls[1] = 3, d.degree[1] = 1;
    refused(&d, CLSP_ERROR_ARGUMENT, "all directions or in none");
}

/* What there is to know of a plan, and calls without one. */
static void test_calls(void **state)
{
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc d = {.num_controls = {4, 5}, .degree = {3, 2}};
    clsp_patch_plan *plan;
    clsp_bspline_desc own;
    float point[3];

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    own = support_bspline_desc(plan);
    assert_int_equal(own.directions, 2);
    assert_int_equal(own.dim, 3);
    assert_int_equal(own.vertex.stride, 3);
    assert_true(own.knots[1][3] == 1.0 / 3.0 && own.knots[1][7] == 1.0 && own.axis[1].end == 1.0);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 0}, clsp_out_f32(point, 3), NULL),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(point, 3), NULL),
                     CLSP_ERROR_BUFFER_SIZE);
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(NULL, ctx, &d), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, NULL), CLSP_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),        cmocka_unit_test(test_own_axes),
        cmocka_unit_test(test_set_grid),     cmocka_unit_test(test_many_spans),
        cmocka_unit_test(test_points),       cmocka_unit_test(test_patch_grids),
        cmocka_unit_test(test_cooperate),    cmocka_unit_test(test_collapsed),
        cmocka_unit_test(test_descriptions), cmocka_unit_test(test_calls),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
