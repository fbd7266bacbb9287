/* The bounds of docs/math.md where they are hard to hold, by every kernel shape: flat nets, whose
   roundings all add up, weights of very different sizes, and parts that are far away. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "spline_fixture.h"

static const char *const limits[] = {
    "class=discrete,local_is_real=1,vendor=NVIDIA",
    "",
    "class=discrete",
    "class=integrated,work_group=64,local=16384",
};

static double worst;

static void judge(const spline *s, const char *what, double error)
{
    worst = support_worse(worst, error);
    if (!(error <= 1.0))
        fail_msg("%s, directions %u, degrees %u %u %u, rational %u, precision %d, attributes %u: "
                 "%.2f of the bound",
                 what, s->d.directions, s->d.degree[0], s->d.degree[1], s->d.degree[2],
                 s->d.rational, (int)s->d.precision, s->d.vertex.attributes, error);
}

static void everywhere(turn_fn check)
{
    worst = 0.0;
    each_turn(limits, COUNT(limits), 2, check);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- ways to evaluate ---- */

enum { PARAMS = 60, FLAT = 24 /* patches */ };

typedef enum way { BY_DEVICE, BY_HOST, BY_PATCH_GRIDS, WAYS } way;
static const char *const way_names[] = {"grid", "grid, by the host", "patch grid"};

static size_t samples(const spline *s, uint32_t k)
{
    return k < s->d.directions ? s->d.axis[k].num : 1;
}

/* The vertices of a patch's grid. */
static size_t num_samples(const spline *s)
{
    return samples(s, 0) * samples(s, 1) * samples(s, 2);
}

/* Whether vertices that are made one by one take no time: each has a sum of so many terms, of which
   each takes as long as the last direction has terms. */
static bool is_short(const spline *s)
{
    size_t steps = s->d.degree[s->d.directions - 1] + 1;

    for (uint32_t k = 0; k < s->d.directions; k++)
        steps *= s->d.degree[k] + 1;
    return steps <= 100000;
}

/* Lets all of `num` patches have grids of their own, the plan's. */
static void set_patch_grids(clsp_patch_plan *plan, const spline *s, size_t num)
{
    uint32_t nums[3 * FLAT];
    const size_t all = num * s->d.directions;

    assert_true(num <= FLAT);
    for (size_t i = 0; i < all; i++)
        nums[i] = s->d.axis[i % s->d.directions].num;
    assert_int_equal(clsp_patch_set_grids(plan, NULL, num, clsp_in_u32(nums, all)), CLSP_OK);
}

/* Evaluates `num` patches, all that are loaded, on the plan's grid, or by patch grids, which stay
   then, the first one. Returns how many; 0 where the way is not for this spline. */
static size_t eval_grid(clsp_patch_plan *plan, const spline *s, way by, size_t num,
                        unsigned char *vertices)
{
    const size_t count = by == BY_PATCH_GRIDS ? 1 : num;
    const clsp_output out = host_out(s->l.type, vertices, count * num_samples(s) * s->l.stride);
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run run = {.share = by == BY_HOST ? &by_host : NULL};

    if (by == BY_HOST && (s->d.vertex.attributes & N)) return 0;
    if (by == BY_PATCH_GRIDS && !is_short(s)) return 0;
    if (by == BY_PATCH_GRIDS) set_patch_grids(plan, s, num);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, count}, out, &run), CLSP_OK);
    return count;
}

/* Evaluates the first patch at PARAMS random parameters: params, [PARAMS][3], gets them. */
static void list_points(clsp_patch_plan *plan, const spline *s, long double params[][3],
                        unsigned char *vertices)
{
    const uint32_t directions = s->d.directions;
    const size_t num = (size_t)PARAMS * directions;
    double wide[3 * PARAMS];
    float narrow[3 * PARAMS];

    for (size_t i = 0; i < num; i++) {
        const double t =
            (double)domain_at(s, (uint32_t)(i % directions), 0.5L + 0.5L * random_real());
        narrow[i] = (float)t;
        wide[i] = s->d.precision == CLSP_F64 ? t : (double)narrow[i];
        params[i / directions][i % directions] = wide[i];
    }
    const clsp_points list = {.num = PARAMS,
                              .params = s->d.precision == CLSP_F64 ? clsp_in_f64(wide, num)
                                                                   : clsp_in_f32(narrow, num)};
    assert_int_equal(
        eval_list_twice(plan, &list, host_out(s->l.type, vertices, PARAMS * s->l.stride)), CLSP_OK);
}

/* ---- flat nets ---- */

/* Control points that are all one point in each patch. */
static double *flat_controls(const spline *s)
{
    double *const controls = random_controls(&s->l, FLAT);

    for (size_t i = 0; i < FLAT * s->l.controls; i++) {
        const size_t first = i / s->l.controls * s->l.controls + i % s->l.coords;
        const double x = 1.5 + 0.5 * random_real();
        controls[i] =
            i == first ? s->d.precision == CLSP_F64 ? x : (double)(float)x : controls[first];
    }
    return controls;
}

/* The bound of flat nets, in eps (docs/math.md, 13); at most 8, save for volumes of high degrees.
 */
static double flat_bound(const spline *s)
{
    const double factor = s->d.precision == CLSP_F64 ? 2.1 : 1.45;
    double sum = 0.0;

    for (uint32_t k = 0; k < s->d.directions; k++)
        sum += factor * sqrt(s->d.degree[k]) + 1.0;
    return s->d.directions < 3 || s->d.degree[0] < 20 ? fmin(sum, 8.0) : sum;
}

/* Looks at `num` vertices of one such patch, of which they all are. */
static void judge_flat(const spline *s, const char *what, const double *point,
                       const unsigned char *vertices, size_t num)
{
    const double eps = s->d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    double most = 0.0, scale = 0.0;

    for (unsigned c = 0; c < s->l.dim; c++)
        scale = fmax(scale, point[c]);
    for (size_t k = 0; k < num; k++)
        for (unsigned c = 0; c < s->l.dim; c++)
            most = support_worse(most, fabs(attribute(&s->l, vertices, k, P, c) - point[c]));
    judge(s, what, most / (flat_bound(s) * eps * scale));
}

static void flat_nets(clsp_context *ctx, spline *s)
{
    const size_t each = num_samples(s), bytes = each * s->l.stride * s->l.element;
    double *const controls = flat_controls(s);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, FLAT);
    unsigned char *const vertices = guarded(&s->l, FLAT * each);
    unsigned char *const listed = guarded(&s->l, PARAMS);
    long double params[PARAMS][3];

    for (int by = 0; by < WAYS; by++) {
        const size_t count = eval_grid(plan, s, (way)by, FLAT, vertices);
        for (size_t p = 0; p < count; p++)
            judge_flat(s, way_names[by], controls + p * s->l.controls, vertices + p * bytes, each);
    }
    if (is_short(s)) {
        list_points(plan, s, params, listed);
        judge_flat(s, "eval_points", controls, listed, PARAMS);
    }
    free_guarded(&s->l, FLAT * each, vertices);
    free_guarded(&s->l, PARAMS, listed);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void flat(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        uint32_t directions, degree[3], controls[3], attributes;
    } cases[] = {{1, {23}, {24}, P},
                 {1, {31}, {64}, P},
                 {1, {255}, {256}, P},
                 {2, {3, 3}, {9, 12}, P},
                 {2, {3, 3}, {9, 12}, P | N},
                 {2, {24, 24}, {25, 25}, P},
                 {2, {15, 31}, {40, 50}, P | DU},
                 {3, {9, 10, 11}, {10, 15, 12}, P},
                 {3, {29, 27, 31}, {30, 28, 36}, P}};
    static const uint32_t nums[] = {201, 33, 13}; /* samples, by directions */

    for (size_t i = 0; i < COUNT(cases); i++)
        for (int kind = CLAMPED; kind <= UNIFORM; kind++) {
            if (!in_turn(i) || (tiny() && cases[i].degree[0] > 9)) continue;
            spline s = make_spline(precision, cases[i].directions, cases[i].degree,
                                   cases[i].controls, (knot_kind)kind, 0, cases[i].attributes);
            for (uint32_t k = 0; k < s.d.directions; k++)
                s.d.axis[k].num = nums[s.d.directions - 1] + k;
            seed((unsigned)i);
            flat_nets(ctx, &s);
        }
}

static void test_flat(void **state)
{
    (void)state;
    everywhere(flat);
}

/* ---- weights of very different sizes ---- */

/* Weights of 1/1000 .. 1000 that rise or fall along u, or are random. */
typedef enum weight_slope { RISING, FALLING, RANDOM, SLOPES } weight_slope;

static double *sloped_controls(const spline *s, weight_slope slope)
{
    double *const controls = random_controls(&s->l, 1);
    const size_t along_u = s->l.controls / s->d.num_controls[0];

    for (size_t i = 0; i < s->l.controls; i += s->l.coords) {
        const double u = 2.0 * (double)(i / along_u) / (s->d.num_controls[0] - 1) - 1.0;
        const double t = slope == RISING ? u : slope == FALLING ? -u : random_real();
        const double w = (double)(float)pow(10.0, 3.0 * t);
        for (unsigned c = 0; c <= s->l.dim; c++) {
            const double x = c < s->l.dim ? controls[i + c] * w : w;
            controls[i + c] = s->d.precision == CLSP_F64 ? x : (double)(float)x;
        }
    }
    return controls;
}

/* The homogeneous point at t. */
static void exact_point(const spline *s, const double *controls, const long double t[3],
                        long double *point)
{
    static const unsigned by[3] = {0, 0, 0};
    const ref_bspline exact = exact_spline_of(s, controls);

    assert_true(ref_bspline_derivative(&exact, t, by, point));
}

/* The largest error of point k over the bound, relative to what its terms amount to there, which is
   the point of the spline whose coordinates are all positive. */
static double local_error(const spline *s, const double *controls, const long double t[3],
                          const unsigned char *vertices, size_t k)
{
    const double eps = s->d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    double *const sizes = malloc(s->l.controls * sizeof *sizes), most = 0.0;
    const unsigned dim = s->l.dim;
    long double point[5], size[5];

    assert_non_null(sizes);
    for (size_t i = 0; i < s->l.controls; i++)
        sizes[i] = fabs(controls[i]);
    exact_point(s, controls, t, point);
    exact_point(s, sizes, t, size);
    for (unsigned c = 0; c < dim; c++) {
        const long double off = attribute(&s->l, vertices, k, P, c) - point[c] / point[dim];
        most = support_worse(most, (double)(fabsl(off) / (size[c] / size[dim])) / (8.0 * eps));
    }
    free(sizes);
    return most;
}

/* Looks at the grid of the device, that of the host, the same one as a patch's own, and a list. */
static void judge_local(clsp_context *ctx, spline *s, const double *controls)
{
    const size_t num = num_samples(s), num_v = samples(s, 1), num_w = samples(s, 2);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
    unsigned char *const vertices = guarded(&s->l, num), *const listed = guarded(&s->l, PARAMS);
    long double params[PARAMS][3] = {{0.0L}};

    list_points(plan, s, params, listed);
    for (size_t k = 0; k < PARAMS; k++)
        judge(s, "local weights, eval_points", local_error(s, controls, params[k], listed, k));
    for (int by = 0; by < WAYS; by++) {
        const size_t count = eval_grid(plan, s, (way)by, 1, vertices);
        for (size_t k = 0; k < count * num; k++) {
            const size_t at[3] = {k / num_w / num_v, k / num_w % num_v, k % num_w};
            long double t[3];
            for (uint32_t i = 0; i < 3; i++)
                t[i] = domain_at(s, i, (long double)at[i] / (samples(s, i) - (samples(s, i) > 1)));
            judge(s, way_names[by], local_error(s, controls, t, vertices, k));
        }
    }
    free_guarded(&s->l, num, vertices);
    free_guarded(&s->l, PARAMS, listed);
    clsp_patch_plan_destroy(&plan);
}

static void local_weights(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        uint32_t directions, degree[3], controls[3], attributes;
        knot_kind kind;
    } cases[] = {
        {2, {2, 2}, {7, 5}, P, CLAMPED},     {2, {7, 7}, {11, 9}, P | W | DU | DV | N, REPEATED},
        {2, {12, 3}, {15, 9}, P, UNIFORM},   {2, {30, 4}, {36, 7}, P, CLAMPED},
        {1, {9}, {24}, P, JUMPING},          {1, {15}, {18}, P, CLAMPED},
        {2, {15, 15}, {18, 19}, P, CLAMPED}, {3, {5, 3, 2}, {9, 5, 4}, P, CLAMPED}};

    for (size_t i = 0; i < COUNT(cases) * SLOPES; i++) {
        const size_t k = i / SLOPES;
        if (!in_turn(k) || (tiny() && cases[k].directions == 3)) continue;
        spline s = make_spline(precision, cases[k].directions, cases[k].degree, cases[k].controls,
                               cases[k].kind, 1, cases[k].attributes);
        s.d.axis[0].num = cases[k].directions == 1 ? 211 : 35;
        s.d.axis[1].num = 9;
        s.d.axis[2].num = 5;
        seed((unsigned)i);
        double *const controls = sloped_controls(&s, (weight_slope)(i % SLOPES));
        judge_local(ctx, &s, controls);
        free(controls);
    }
}

static void test_local_weights(void **state)
{
    (void)state;
    everywhere(local_weights);
}

/* ---- a small part far away ---- */

enum { ROWS = 14, NEAR_ROWS = 7 /* of control points along u, of a part of size PART_SIZE */ };
#define PART_SIZE 0x1p-10

/* Control points of which the first NEAR_ROWS are around a point that is `far` in each coordinate,
   and the others around the origin. */
static double *far_controls(const spline *s, double far)
{
    double *const controls = random_controls(&s->l, 1);

    for (size_t i = 0; i < s->l.controls; i += s->l.coords)
        for (unsigned c = 0; c < s->l.dim; c++) {
            const bool is_far = i / (s->l.controls / ROWS) < NEAR_ROWS;
            const double x = is_far ? far + PART_SIZE * controls[i + c] : controls[i + c];
            const double wx = controls[i + s->l.dim] * x;
            controls[i + c] = s->d.precision == CLSP_F64 ? wx : (double)(float)wx;
        }
    return controls;
}

/* The error of the derivative along u of vertex k over its bound: some eps of the part's size, and
   `lost` eps of the distance from the origin, to which the oracle has it too. */
static double far_error(const spline *s, const double *controls, const long double t[3],
                        const unsigned char *vertices, size_t k, double far, double lost)
{
    const double eps = s->d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    const double bound = 32.0 * eps * PART_SIZE + (lost * eps + 0x1p-60) * far;
    const ref_bspline exact = exact_spline_of(s, controls);
    const ref_family family = ref_bspline_family(&exact);
    double most = 0.0;
    ref_vertex r;

    assert_true(ref_vertex_to(&family, 1, t, &r));
    for (unsigned c = 0; c < s->l.dim; c++)
        most = support_worse(most,
                             (double)fabsl(attribute(&s->l, vertices, k, DU, c) - r.du[c]) / bound);
    return most;
}

/* Looks at the part on all grids and at parameters; only grids of the plan lose digits. */
static void judge_far(clsp_context *ctx, spline *s, const double *controls, double far)
{
    const size_t num = num_samples(s), num_v = samples(s, 1);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, 1);
    unsigned char *const vertices = guarded(&s->l, num), *const listed = guarded(&s->l, PARAMS);
    long double params[PARAMS][3] = {{0.0L}};

    list_points(plan, s, params, listed);
    for (size_t k = 0; k < PARAMS; k++)
        if (params[k][0] < s->knots[0][NEAR_ROWS])
            judge(s, "far part, eval_points",
                  far_error(s, controls, params[k], listed, k, far, 0.0));
    for (int by = 0; by < WAYS; by++) {
        const size_t count = eval_grid(plan, s, (way)by, 1, vertices);
        for (size_t k = 0; k < count * num; k++) {
            const long double ratio = (long double)(k / num_v) / (samples(s, 0) - 1);
            const long double t[3] = {
                domain_at(s, 0, ratio),
                domain_at(s, 1, (long double)(k % num_v) / (num_v > 1 ? num_v - 1 : 1)), 0.0L};
            if (t[0] < s->knots[0][NEAR_ROWS])
                judge(
                    s, way_names[by],
                    far_error(s, controls, t, vertices, k, far, by == BY_PATCH_GRIDS ? 0.0 : 8.0));
        }
    }
    free_guarded(&s->l, num, vertices);
    free_guarded(&s->l, PARAMS, listed);
    clsp_patch_plan_destroy(&plan);
}

static void far_parts(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degree[3] = {3, 2}, controls[3] = {ROWS, 4};

    for (uint32_t directions = 1; directions <= 2; directions++) {
        spline s = make_spline(precision, directions, degree, controls, CLAMPED, 1,
                               directions == 2 ? P | DU | DV : P | DU);
        const double far = precision == CLSP_F64 ? 0x1p20 : 0x1p10;
        if (!in_turn(directions)) continue;
        s.d.axis[0].num = 57;
        s.d.axis[1].num = 5;
        seed(directions);
        double *const points = far_controls(&s, far);
        judge_far(ctx, &s, points, far);
        free(points);
    }
}

static void test_far_parts(void **state)
{
    (void)state;
    everywhere(far_parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_local_weights),
        cmocka_unit_test(test_far_parts),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
