/* The bounds of docs/math.md where they are hard to hold, by every kernel shape: patches far from
   the origin, and flat ones, whose roundings all add up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "vertex_fixture.h"
#include "tile_fixture.h"
#include "bezier_ref.h"

static const char *const limits[] = {
    "class=discrete,local_is_real=1,vendor=NVIDIA",
    "",
    "class=discrete",
    "class=integrated,work_group=64,local=16384,fma=0",
};

static double worst;

static void judge(const layout *l, const char *what, double error)
{
    worst = support_worse(worst, error);
    if (!(error <= 1.0))
        fail_msg("%s, form %d, degrees %u %u %u, rational %u, precision %d, attributes %u: "
                 "%.2f of the bound",
                 what, (int)l->d.form, l->d.degree[0], l->d.degree[1], l->d.degree[2],
                 l->d.rational, (int)l->d.precision, l->d.vertex.attributes, error);
}

static void everywhere(turn_fn check)
{
    worst = 0.0;
    each_turn(limits, COUNT(limits), 2, check);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- grids ---- */

/* The samples of a direction, 1 where the form does not have it. */
static size_t samples(const layout *l, unsigned direction)
{
    return direction < l->directions ? l->d.axis[direction].num : 1;
}

/* Evaluates one patch, and returns the largest error of its vertices over the bound. */
static double grid_error(clsp_context *ctx, const layout *l, const double *controls, double bound)
{
    const size_t num_v = samples(l, 1), num_w = samples(l, 2), num = samples(l, 0) * num_v * num_w;
    clsp_patch_plan *plan = plan_with(ctx, l, controls, 1);
    unsigned char *const vertices = guarded(l, num);
    double most = 0.0;

    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    for (size_t k = 0; k < num; k++) {
        const long double t[3] = {
            axis_parameter(&l->d.axis[0], k / num_w / num_v, l->d.axis[0].num),
            axis_parameter(&l->d.axis[1], k / num_w % num_v, num_v),
            axis_parameter(&l->d.axis[2], k % num_w, num_w)};
        most = fmax(most, vertex_error(l, controls, t, vertices, k, bound));
    }
    free_guarded(l, num, vertices);
    clsp_patch_plan_destroy(&plan);
    return most;
}

/* ---- far from the origin ---- */

/* Moves a patch by so much in each coordinate, as far as the precision tells points apart. */
static void move(const layout *l, double *controls, double by)
{
    for (size_t i = 0; i < l->controls; i++) {
        const bool weight = l->d.rational && i % l->coords == l->dim;
        const double w = l->d.rational ? controls[i / l->coords * l->coords + l->dim] : 1.0;
        if (weight) continue;
        controls[i] += by * w;
        if (l->d.precision == CLSP_F32) controls[i] = (double)(float)controls[i];
    }
}

static void far_away(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        clsp_bezier_form form;
        unsigned degree[3], rational, attributes;
    } cases[] = {{CLSP_BEZIER_SURFACE, {2, 2}, 0, P | DU | DV | N},
                 {CLSP_BEZIER_SURFACE, {4, 30}, 0, P | DU | DV | N},
                 {CLSP_BEZIER_SURFACE, {3, 3}, 0, P | N},
                 {CLSP_BEZIER_SURFACE, {11, 7}, 0, P | N | T},
                 {CLSP_BEZIER_SURFACE, {18, 5}, 0, DU | N},
                 {CLSP_BEZIER_SURFACE, {5, 4}, 0, DU},
                 {CLSP_BEZIER_SURFACE, {1, 4}, 0, P | DV},
                 {CLSP_BEZIER_SURFACE, {7, 7}, 1, P | W | DU | DV | N},
                 {CLSP_BEZIER_SURFACE, {30, 30}, 0, P | DU | DV},
                 {CLSP_BEZIER_SURFACE, {6, 5}, 0, P | DUU | DUV | DVV | K},
                 {CLSP_BEZIER_SURFACE, {2, 3}, 1, K | N},
                 {CLSP_BEZIER_CURVE, {9}, 0, P | DU | DUU | K},
                 {CLSP_BEZIER_VOLUME, {3, 4, 2}, 0, P | DU | DV | DW},
                 {CLSP_BEZIER_VOLUME, {2, 3, 4}, 0, DUU | DUV | DVV | DUW | DVW | DWW}};
    static const double offsets[] = {1e3, 1e4, 1e6};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_bezier_desc d = {
            .form = cases[i].form,
            .precision = precision,
            .degree = {cases[i].degree[0], cases[i].degree[1], cases[i].degree[2]},
            .axis = {{.num = 35}, {.num = cases[i].form ? 3 : 37}, {.num = 5}},
            .rational = cases[i].rational,
            .vertex.attributes = cases[i].attributes};
        const layout l = layout_of(&d);
        if (!in_turn(i)) continue;
        for (size_t k = 0; k < COUNT(offsets); k++) {
            seed((unsigned)(i * 10 + k));
            double *const controls = random_controls(&l, 1);
            move(&l, controls, offsets[k]);
            judge(&l, "far away", grid_error(ctx, &l, controls, 8.0));
            free(controls);
        }
    }
}

/* Points of at most 1 around one that is far away. */
static void far_rational_controls(const layout *l, double *controls, double by)
{
    for (size_t i = 0; i < l->controls; i += l->coords) {
        const double w = controls[i + l->dim];
        for (unsigned c = 0; c < l->dim; c++) {
            const double x = (controls[i + c] + by) * w;
            controls[i + c] = l->d.precision == CLSP_F64 ? x : (double)(float)x;
        }
    }
}

/* Looks at one patch's derivatives on the grid of a plan, by the device or by the host. */
static void judge_near(const layout *l, const char *what, const double *controls, double by,
                       const unsigned char *vertices)
{
    const size_t num_v = samples(l, 1), num_w = samples(l, 2), num = samples(l, 0) * num_v * num_w;
    const double centre[3] = {by, by, by};
    double most = 0.0;

    for (size_t k = 0; k < num; k++) {
        const long double t[3] = {
            axis_parameter(&l->d.axis[0], k / num_w / num_v, l->d.axis[0].num),
            axis_parameter(&l->d.axis[1], k / num_w % num_v, num_v),
            axis_parameter(&l->d.axis[2], k % num_w, num_w)};
        most = support_worse(most, near_error(l, controls, centre, t, vertices, k, 8.0));
    }
    judge(l, what, most);
}

static void far_rational_patch(clsp_context *ctx, const layout *l, const double *controls,
                               double by)
{
    const size_t num = samples(l, 0) * samples(l, 1) * samples(l, 2);
    const uint32_t nums[] = {l->d.axis[0].num, l->d.axis[1].num, l->d.axis[2].num};
    clsp_patch_plan *plan = plan_with(ctx, l, controls, 1);
    unsigned char *const vertices = guarded(l, num);

    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    judge_near(l, "far, rational", controls, by, vertices);
    assert_int_equal(
        eval_by_caller(plan, (clsp_range){0, 1}, host_out(l->type, vertices, num * l->stride)),
        CLSP_OK);
    judge_near(l, "far, rational, by the caller", controls, by, vertices);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, l->directions)),
                     CLSP_OK);
    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    judge_near(l, "far, rational, patch grid", controls, by, vertices);
    free_guarded(l, num, vertices);
    clsp_patch_plan_destroy(&plan);
}

static void far_rational(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        clsp_bezier_form form;
        unsigned degree[3], attributes, watertight;
    } cases[] = {{CLSP_BEZIER_SURFACE, {3, 3}, DU | DV | N, 0},
                 {CLSP_BEZIER_SURFACE, {2, 3}, K | N, 0},
                 {CLSP_BEZIER_SURFACE, {30, 2}, DU | DV | N, 1},
                 {CLSP_BEZIER_CURVE, {9}, DU | DUU | K, 0},
                 {CLSP_BEZIER_VOLUME, {3, 4, 2}, DU | DV | DW, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_bezier_desc d = {
            .form = cases[i].form,
            .precision = precision,
            .degree = {cases[i].degree[0], cases[i].degree[1], cases[i].degree[2]},
            .axis = {{.num = 35}, {.num = 9}, {.num = 5}},
            .rational = 1,
            .vertex.attributes = cases[i].attributes,
            .watertight = cases[i].watertight};
        const layout l = layout_of(&d);
        const double by = precision == CLSP_F64 ? 1e6 : 1e3;
        if (!in_turn(i)) continue;
        seed((unsigned)i);
        double *const controls = random_controls(&l, 1);
        far_rational_controls(&l, controls, by);
        far_rational_patch(ctx, &l, controls, by);
        free(controls);
    }
}

static void test_far_rational(void **state)
{
    (void)state;
    everywhere(far_rational);
}

/* So many rows that the device makes the tables. */
static void many_rows(clsp_context *ctx, clsp_type precision)
{
    for (unsigned degree = 3; degree <= 4; degree++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {degree, 2},
                                    .axis = {{.num = 33001}, {.num = 2}},
                                    .vertex.attributes = P | DU | DV};
        const layout l = layout_of(&d);
        if (!program_in_turn(degree)) continue;
        seed(degree);
        double *const controls = random_controls(&l, 1);
        judge(&l, "many rows", grid_error(ctx, &l, controls, 8.0));
        free(controls);
    }
}

/* Vertices of whole blocks of rows, as most of a large grid are, and of strips cut off. */
static void whole_blocks(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        unsigned degree[2], rational, attributes;
    } cases[] = {{{3, 2}, 0, P | N},  {{7, 3}, 0, P | N},      {{11, 4}, 0, P | N},
                 {{15, 3}, 0, P | N}, {{18, 2}, 0, P | N | T}, {{12, 3}, 0, P | DU | DV},
                 {{8, 3}, 1, P | N},  {{5, 3}, 0, DV | N}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {cases[i].degree[0], cases[i].degree[1]},
                                    .axis = {{.num = 281}, {.num = 67}},
                                    .rational = cases[i].rational,
                                    .vertex.attributes = cases[i].attributes};
        const layout l = layout_of(&d);
        if (!in_turn(i) || tiny()) continue;
        seed((unsigned)i);
        double *const controls = random_controls(&l, 1);
        judge(&l, "whole blocks", grid_error(ctx, &l, controls, 8.0));
        free(controls);
    }
}

static void test_whole_blocks(void **state)
{
    (void)state;
    everywhere(whole_blocks);
}

static void test_far_away(void **state)
{
    (void)state;
    everywhere(far_away);
}

static void test_many_rows(void **state)
{
    (void)state;
    worst = 0.0;
    each_turn(limits, 1, 1, many_rows);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- flat patches ---- */

enum { FLAT = 24 /* patches */, SAMPLES = 33, PARAMS = 600 };

/* Control points that are all one point in each patch. */
static double *flat_controls(const layout *l)
{
    double *const controls = random_controls(l, FLAT);

    for (size_t i = 0; i < FLAT * l->controls; i++) {
        const size_t first = i / l->controls * l->controls + i % l->coords;
        const double x = 1.5 + 0.5 * random_real();
        controls[i] =
            i == first ? l->d.precision == CLSP_F64 ? x : (double)(float)x : controls[first];
    }
    return controls;
}

/* Looks at `num` vertices of one such patch, of which they all are; bound: in eps. */
static void judge_flat(const layout *l, const char *what, const double *point,
                       const unsigned char *vertices, size_t num, double bound)
{
    const double eps = l->d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    double most = 0.0, scale = 0.0;

    for (unsigned c = 0; c < l->dim; c++)
        scale = fmax(scale, point[c]);
    for (size_t k = 0; k < num; k++)
        for (unsigned c = 0; c < l->dim; c++)
            most = fmax(most, fabs(attribute(l, vertices, k, P, c) - point[c]));
    judge(l, what, most / (bound * eps * scale));
}

/* Evaluates one patch at PARAMS random parameters, by the device alone or by who makes calls into
   host memory: params, [PARAMS][directions], gets them. */
static void list_points(clsp_patch_plan *plan, const layout *l, bool by_device, double *params,
                        unsigned char *vertices)
{
    uint32_t *const patches = calloc(PARAMS, sizeof *patches);
    float *const narrow = calloc(3 * PARAMS, sizeof *narrow);
    const size_t num = (size_t)PARAMS * l->directions;
    clsp_tiling tiling = {.num_tiles = 0};

    assert_true(patches && narrow);
    for (size_t i = 0; i < num; i++) {
        params[i] = 0.5 + 0.5 * random_real();
        narrow[i] = (float)params[i];
    }
    const clsp_points points = {.num = PARAMS,
                                .item = clsp_in_u32(patches, PARAMS),
                                .params = l->d.precision == CLSP_F64 ? clsp_in_f64(params, num)
                                                                     : clsp_in_f32(narrow, num)};
    clsp_patch_eval_points(plan, &points, (clsp_output){.type = CLSP_TYPE_DEFAULT},
                           &(clsp_run){.tiling = &tiling});
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, tiling.num_tiles}};
    assert_int_equal(clsp_patch_eval_points(
                         plan, &points, host_out(l->type, vertices, PARAMS * l->stride),
                         by_device && tiling.num_tiles > 0 ? &(clsp_run){.share = &share} : NULL),
                     CLSP_OK);
    for (size_t i = 0; i < num && l->d.precision == CLSP_F32; i++)
        params[i] = (double)narrow[i];
    free(patches);
    free(narrow);
}

/* The proven bound of flat patches, in eps (docs/math.md, 3); at most 8, save for volumes of high
   degrees. */
static double flat_bound(const layout *l)
{
    const double factor = l->d.precision == CLSP_F64 ? 2.1 : 1.45;
    double sum = 0.0;

    for (unsigned k = 0; k < l->directions; k++)
        sum += factor * sqrt(l->d.degree[k]) + 1.0;
    return l->directions < 3 || l->d.degree[0] < 20 ? fmin(sum, 8.0) : sum;
}

static void flat_points(clsp_context *ctx, clsp_patch_plan *plan, const layout *l,
                        const double *controls)
{
    const double by_kernels = 1e-3; /* exact */
    unsigned char *const vertices = guarded(l, PARAMS);
    double params[3 * PARAMS];

    list_points(plan, l, true, params, vertices);
    judge_flat(l, "flat, eval_points", controls, vertices, PARAMS,
               support_is_own_cpu(ctx) ? flat_bound(l) : by_kernels);
    list_points(plan, l, false, params, vertices);
    judge_flat(l, "flat, eval_points into host memory", controls, vertices, PARAMS, flat_bound(l));
    free_guarded(l, PARAMS, vertices);
}

static void flat_patches(clsp_context *ctx, const clsp_bezier_desc *d)
{
    const layout l = layout_of(d);
    const size_t each = samples(&l, 0) * samples(&l, 1) * samples(&l, 2);
    double *const controls = flat_controls(&l);
    clsp_patch_plan *plan = plan_with(ctx, &l, controls, FLAT);
    unsigned char *const vertices = guarded(&l, FLAT * each);

    assert_int_equal(eval_host(plan, &l, 0, FLAT, vertices), CLSP_OK);
    for (size_t p = 0; p < FLAT; p++)
        judge_flat(&l, "flat", controls + p * l.controls,
                   vertices + p * each * l.stride * l.element, each, flat_bound(&l));
    for (size_t p = 0; p < FLAT && d->vertex.attributes == P; p++) {
        assert_int_equal(
            eval_by_caller(plan, (clsp_range){p, 1}, host_out(l.type, vertices, each * l.stride)),
            CLSP_OK);
        judge_flat(&l, "flat, by the caller", controls + p * l.controls, vertices, each,
                   flat_bound(&l));
    }
    flat_points(ctx, plan, &l, controls);
    free_guarded(&l, FLAT * each, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void flat(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        clsp_bezier_form form;
        unsigned degree[3], attributes;
    } cases[] = {{CLSP_BEZIER_CURVE, {23}, P},
                 {CLSP_BEZIER_SURFACE, {24, 24}, P},
                 {CLSP_BEZIER_SURFACE, {31, 23}, P},
                 {CLSP_BEZIER_SURFACE, {3, 3}, P},
                 {CLSP_BEZIER_SURFACE, {9, 12}, P | T},
                 {CLSP_BEZIER_SURFACE, {7, 11}, P | N},
                 {CLSP_BEZIER_SURFACE, {20, 26}, P | DU},
                 {CLSP_BEZIER_VOLUME, {9, 10, 11}, P},
                 {CLSP_BEZIER_VOLUME, {29, 27, 31}, P}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint32_t num = cases[i].form == CLSP_BEZIER_VOLUME ? 13 : SAMPLES;
        const clsp_bezier_desc d = {
            .form = cases[i].form,
            .precision = precision,
            .degree = {cases[i].degree[0], cases[i].degree[1], cases[i].degree[2]},
            .axis = {{.num = num}, {.num = num + 1}, {.num = num + 2}},
            .vertex.attributes = cases[i].attributes};
        seed((unsigned)i);
        if (in_turn(i)) flat_patches(ctx, &d);
    }
}

static void test_flat(void **state)
{
    (void)state;
    everywhere(flat);
}

/* Control points of a plane at equal distances: its points are those of the parameters' square. */
static void planes(clsp_context *ctx, clsp_type precision)
{
    static const unsigned degrees[][2] = {{3, 3}, {8, 5}, {16, 16}, {31, 31}};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        const unsigned *const n = degrees[i];
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {n[0], n[1]},
                                    .axis = {{.num = 21}, {.num = 19}},
                                    .vertex.attributes = P};
        const layout l = layout_of(&d);
        if (!in_turn(i)) continue;
        seed((unsigned)i);
        double *const controls = random_controls(&l, 1);
        for (size_t k = 0; k < l.controls; k++) {
            const double u = (double)(k / 3 / (n[1] + 1)) / n[0];
            const double v = (double)(k / 3 % (n[1] + 1)) / n[1];
            const double x = k % 3 == 0 ? 1.0 + u : k % 3 == 1 ? 2.0 - v : 1.0 + (u + v) / 2.0;
            controls[k] = precision == CLSP_F64 ? x : (double)(float)x;
        }
        judge(&l, "plane", grid_error(ctx, &l, controls, 8.0));
        free(controls);
    }
}

static void test_planes(void **state)
{
    (void)state;
    everywhere(planes);
}

/* ---- weights of very different sizes ---- */

/* Weights between 10^-power and 10^power. */
static double *rational_controls(const layout *l, double power)
{
    double *const controls = random_controls(l, 1);

    for (size_t i = 0; i < l->controls; i += l->coords) {
        const double w = (double)(float)pow(10.0, power * random_real());
        for (unsigned c = 0; c <= l->dim; c++) {
            const double x = c < l->dim ? controls[i + c] * w : w;
            controls[i + c] = l->d.precision == CLSP_F64 ? x : (double)(float)x;
        }
    }
    return controls;
}

static void weights(clsp_context *ctx, clsp_type precision)
{
    for (unsigned i = 0; i < 24; i++) {
        const unsigned degree = 1 + i % 5;
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {degree, 1 + i / 5},
                                    .axis = {{.num = 9}, {.num = 9}},
                                    .rational = 1,
                                    .vertex.attributes = P | DU | DV | N,
                                    .watertight = i % 2};
        const layout l = layout_of(&d);
        if (!in_turn(i / 3) || (is_thin() && i % 3 != 0)) continue;
        seed(i);
        double *const controls = rational_controls(&l, i < 12 ? 2.0 : 3.0);
        judge(&l, "weights", grid_error(ctx, &l, controls, 8.0));
        free(controls);
    }
}

static void test_weights(void **state)
{
    (void)state;
    everywhere(weights);
}

/* Weights of 10^-power .. 10^power that rise or fall along u, or are random. */
typedef enum slope { RISING, FALLING, RANDOM, SLOPES } weight_slope;

static double *sloped_controls(const layout *l, weight_slope slope, double power)
{
    double *const controls = random_controls(l, 1);
    const size_t along_u = l->controls / (l->d.degree[0] + 1);

    for (size_t i = 0; i < l->controls; i += l->coords) {
        const double u = 2.0 * (double)(i / along_u) / l->d.degree[0] - 1.0;
        const double t = slope == RISING ? u : slope == FALLING ? -u : random_real();
        const double w = (double)(float)pow(10.0, power * t);
        for (unsigned c = 0; c <= l->dim; c++) {
            const double x = c < l->dim ? controls[i + c] * w : w;
            controls[i + c] = l->d.precision == CLSP_F64 ? x : (double)(float)x;
        }
    }
    return controls;
}

/* The largest error of points over 8 eps of what their terms amount to there: the point of the
   patch whose coordinates are all positive. */
static double local_error(const layout *l, const double *controls, const long double t[3],
                          const unsigned char *vertices, size_t k)
{
    const double eps = l->d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    double *const sizes = malloc(l->controls * sizeof *sizes);
    ref_patch patch = {
        (ref_form)l->d.form, {l->d.degree[0], l->d.degree[1], l->d.degree[2]}, l->dim, 1, controls};
    ref_vertex exact, size;
    double most = 0.0;

    assert_non_null(sizes);
    for (size_t i = 0; i < l->controls; i++)
        sizes[i] = fabs(controls[i]);
    assert_true(ref_bezier_vertex_to(&patch, 0, t, &exact));
    patch.points = sizes;
    assert_true(ref_bezier_vertex_to(&patch, 0, t, &size));
    for (unsigned c = 0; c < l->dim; c++) {
        const double error =
            (double)fabsl(attribute(l, vertices, k, P, c) - exact.point[c]) / (double)size.point[c];
        most = support_worse(most, error / (8.0 * eps));
    }
    free(sizes);
    return most;
}

/* Looks at all vertices of a grid. */
static double local_grid_error(const layout *l, const double *controls,
                               const unsigned char *vertices)
{
    const size_t num_v = samples(l, 1), num_w = samples(l, 2), num = samples(l, 0) * num_v * num_w;
    double most = 0.0;

    for (size_t k = 0; k < num; k++) {
        const long double t[3] = {
            axis_parameter(&l->d.axis[0], k / num_w / num_v, l->d.axis[0].num),
            axis_parameter(&l->d.axis[1], k / num_w % num_v, num_v),
            axis_parameter(&l->d.axis[2], k % num_w, num_w)};
        most = support_worse(most, local_error(l, controls, t, vertices, k));
    }
    return most;
}

/* Looks at the grid of the device, that of the host, the same one as a patch's own, and a list. */
static void judge_local(clsp_context *ctx, const layout *l, const double *controls)
{
    const size_t num = samples(l, 0) * samples(l, 1) * samples(l, 2);
    const uint32_t nums[] = {l->d.axis[0].num, l->d.axis[1].num, l->d.axis[2].num};
    clsp_patch_plan *plan = plan_with(ctx, l, controls, 1);
    unsigned char *const vertices = guarded(l, num), *const listed = guarded(l, PARAMS);
    double params[3 * PARAMS];

    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    judge(l, "local weights", local_grid_error(l, controls, vertices));
    assert_int_equal(
        eval_by_caller(plan, (clsp_range){0, 1}, host_out(l->type, vertices, num * l->stride)),
        CLSP_OK);
    judge(l, "local weights, by the caller", local_grid_error(l, controls, vertices));
    list_points(plan, l, false, params, listed);
    for (size_t k = 0; k < PARAMS; k++) {
        long double t[3] = {0.0L, 0.0L, 0.0L};
        for (unsigned x = 0; x < l->directions; x++)
            t[x] = params[k * l->directions + x];
        judge(l, "local weights, eval_points", local_error(l, controls, t, listed, k));
    }
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, l->directions)),
                     CLSP_OK);
    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    judge(l, "local weights, patch grid", local_grid_error(l, controls, vertices));
    free_guarded(l, num, vertices);
    free_guarded(l, PARAMS, listed);
    clsp_patch_plan_destroy(&plan);
}

static void local_weights(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        clsp_bezier_form form;
        unsigned degree[3], attributes;
    } cases[] = {
        {CLSP_BEZIER_SURFACE, {2, 2}, P},  {CLSP_BEZIER_SURFACE, {7, 7}, P | W | DU | DV | N},
        {CLSP_BEZIER_SURFACE, {12, 3}, P}, {CLSP_BEZIER_SURFACE, {30, 4}, P},
        {CLSP_BEZIER_CURVE, {9}, P},       {CLSP_BEZIER_VOLUME, {9, 3, 2}, P}};

    for (size_t i = 0; i < COUNT(cases) * SLOPES; i++) {
        const size_t k = i / SLOPES;
        const clsp_bezier_desc d = {
            .form = cases[k].form,
            .precision = precision,
            .degree = {cases[k].degree[0], cases[k].degree[1], cases[k].degree[2]},
            .axis = {{.num = 35}, {.num = 9}, {.num = 5}},
            .rational = 1,
            .vertex.attributes = cases[k].attributes};
        const layout l = layout_of(&d);
        if (!in_turn(k)) continue;
        seed((unsigned)i);
        double *const controls = sloped_controls(&l, (weight_slope)(i % SLOPES), 3.0);
        judge_local(ctx, &l, controls);
        free(controls);
    }
}

/* Patches with weights of 1/1000 .. 1000 whose edges all have normals. */
static void edge_weights(clsp_context *ctx, clsp_type precision)
{
    enum { PATCHES = 200, NUM = 9 };

    for (unsigned i = 0; i < 3; i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {2 + i, 3},
                                    .axis = {{.num = NUM}, {.num = NUM}},
                                    .rational = 1,
                                    .vertex.attributes = P | N};
        const layout l = layout_of(&d);
        unsigned char *const vertices = guarded(&l, NUM * NUM);
        size_t lost = 0;
        if (!in_turn(i)) continue;
        seed(i);
        for (size_t p = 0; p < PATCHES; p++) {
            double *const controls = sloped_controls(&l, RANDOM, 3.0);
            clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
            for (int host = 0; host < 2; host++) {
                assert_int_equal(
                    host ? eval_by_caller(plan, (clsp_range){0, 1},
                                          host_out(l.type, vertices, NUM * NUM * l.stride))
                         : eval_host(plan, &l, 0, 1, vertices),
                    CLSP_OK);
                for (size_t k = 0; k < NUM * NUM; k++) {
                    const bool edge = k / NUM % (NUM - 1) == 0 || k % NUM % (NUM - 1) == 0;
                    lost += edge && attribute(&l, vertices, k, N, 0) == 0.0 &&
                            attribute(&l, vertices, k, N, 1) == 0.0;
                }
            }
            clsp_patch_plan_destroy(&plan);
            free(controls);
        }
        free_guarded(&l, NUM * NUM, vertices);
        if (lost > 0)
            fail_msg("edges, case %u, precision %d: %zu normals are 0", i, (int)precision, lost);
    }
}

static void test_edge_weights(void **state)
{
    (void)state;
    everywhere(edge_weights);
}

static void test_local_weights(void **state)
{
    (void)state;
    everywhere(local_weights);
}

/* ---- patches that are lines ---- */

/* Points of one line, exactly. */
static void collapse(const layout *l, double *controls)
{
    static const double along[3] = {3.0, 5.0, 7.0};

    for (size_t i = 0; i < l->controls; i += l->coords) {
        const double t = rint(2048.0 * controls[i]) / 1024.0;
        const double w = l->d.rational ? ldexp(1.0, (int)(i % 5)) : 1.0;
        for (unsigned c = 0; c < 3; c++)
            controls[i + c] = w * t * along[c];
        if (l->d.rational) controls[i + 3] = w;
    }
}

static void lines(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 17 };

    for (unsigned i = 0; i < 12; i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {1 + i % 4, 2 + i / 4},
                                    .axis = {{.num = NUM}, {.num = NUM}},
                                    .rational = i % 2,
                                    .vertex.attributes = P | N};
        const layout l = layout_of(&d);
        if (!in_turn(i)) continue;
        unsigned char *const vertices = guarded(&l, NUM * NUM);
        size_t num = 0;
        seed(i);
        double *const controls = random_controls(&l, 1);
        collapse(&l, controls);
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
        assert_int_equal(eval_host(plan, &l, 0, 1, vertices), CLSP_OK);
        for (size_t k = 0; k < NUM * NUM; k++)
            num += attribute(&l, vertices, k, N, 0) != 0.0;
        if (num > 0)
            fail_msg("line, case %u, precision %d: %zu normals are not 0", i, (int)precision, num);
        clsp_patch_plan_destroy(&plan);
        free_guarded(&l, NUM * NUM, vertices);
        free(controls);
    }
}

static void test_lines(void **state)
{
    (void)state;
    everywhere(lines);
}

/* Rational points next to 0 are as exact as themselves, whatever is far from them. */
static void test_small_and_large(void **state)
{
    static const double ends[] = {0.001, -0.001, 1.0, -1.0}, middle[] = {0.501, -0.501};
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_CURVE,
                                .degree = {1},
                                .dim = 1,
                                .rational = 1,
                                .axis = {{.num = 2}},
                                .vertex.attributes = P | DU};
    const layout l = layout_of(&d);
    clsp_context *ctx = context_with("");

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double from = ends[i], to = i < 2 ? ends[i + 2] : middle[i % 2];
        double controls[4] = {(double)(float)from, 1.0, (double)(float)to, 1.0};
        float at[2] = {0.0f, 1.0f}, list[2][2], grid[2][2];
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
        const clsp_points points = {.num = 2, .params = clsp_in_f32(at, 2)};
        assert_ok(ctx, clsp_patch_eval_points(plan, &points, clsp_out_f32(list[0], 4), NULL));
        assert_ok(ctx, clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(grid[0], 4), NULL));
        for (size_t k = 0; k < 2; k++) {
            const double exact = controls[2 * k], bound = 8.0 * FLT_EPSILON * fabs(exact);
            assert_true(fabs((double)list[k][0] - exact) <= bound);
            assert_true(fabs((double)grid[k][0] - exact) <= bound);
        }
        clsp_patch_plan_destroy(&plan);
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_away),        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_whole_blocks),    cmocka_unit_test(test_flat),
        cmocka_unit_test(test_planes),          cmocka_unit_test(test_weights),
        cmocka_unit_test(test_local_weights),   cmocka_unit_test(test_lines),
        cmocka_unit_test(test_far_rational),    cmocka_unit_test(test_edge_weights),
        cmocka_unit_test(test_small_and_large),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
