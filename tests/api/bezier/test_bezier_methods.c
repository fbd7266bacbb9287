/* The methods other than the separable one: accuracy of each within its bound, in every kernel
   shape; ranges and other cuts, changes of the grid and of degrees, and what they refuse. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "bezier_fixture.h"
#include "bezier_ref.h"

/* The first ones are the host's code, on its own where there is no OpenCL. */
static const char *const limits[] = {
    "",
    "class=discrete,local_is_real=1",
    "class=integrated,fp64=0,work_group=64,local=16384,images=0,opencl=120,svm=0,alloc=134217728",
};

static const clsp_bezier_method methods[] = {CLSP_BEZIER_MULTILEVEL, CLSP_BEZIER_MATRIX,
                                             CLSP_BEZIER_BRUTE};
static const char *const names[] = {"multilevel", "matrix", "brute"};

static size_t num_limits(void)
{
    return clsp_context_queue(lent_context("")) ? COUNT(limits) : 1;
}

static void everywhere(turn_fn check)
{
    each_turn(limits, num_limits(), 2, check);
}

static clsp_bezier_desc by_method(size_t method, clsp_bezier_desc desc)
{
    desc.method = methods[method];
    return desc;
}

static uint32_t most_of(size_t method, clsp_type precision)
{
    if (methods[method] == CLSP_BEZIER_MATRIX) return precision == CLSP_F64 ? 64 : 22;
    if (methods[method] == CLSP_BEZIER_BRUTE) return precision == CLSP_F64 ? 900 : 100;
    return 65535;
}

static bool allows(size_t method, clsp_type precision, uint32_t p, uint32_t q)
{
    const uint32_t most = most_of(method, precision);

    return methods[method] == CLSP_BEZIER_MATRIX ? p + q <= most : p <= most && q <= most;
}

/* Mesa's llvmpipe ends an item's loops after 65535 rounds in all and goes on: longer double sums
   are wrong there, whoever writes them. */
static bool too_long(clsp_context *ctx, size_t method, uint32_t p, uint32_t q)
{
    const double terms = (p + 1.0) * (q + 1.0);
    const double rounds = methods[method] == CLSP_BEZIER_BRUTE ? terms * (1.0 + q / 4.0) : terms;
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return strstr(info.name, "llvmpipe") && methods[method] != CLSP_BEZIER_MATRIX &&
           rounds > 60000.0;
}

/* ---- bounds, in eps * scale ---- */

/* Multilevel: two sums of positive weights and two tables, as of the separable method. Brute: of a
   value B_k of degree n, each factor of C(n, k) has 3 roundings (OpenCL's division of floats is
   within 2.5 ulp), n / 2 factors at most; t and 1 - t are within 4, to the power of n together; the
   two powers are within 16 each. Matrix: docs/math.md, 8. */
static double bound_of(size_t method, clsp_type precision, uint32_t p, uint32_t q)
{
    const double n = p + q;

    if (methods[method] == CLSP_BEZIER_MULTILEVEL) return p <= 31 && q <= 31 ? 8.0 : 32.0;
    if (methods[method] == CLSP_BEZIER_BRUTE) return 6.0 * n + 70.0;
    return (precision == CLSP_F64 ? 16.0 * (n + 2.0) : 4.0 * (n + 4.0)) * exp2(0.5 * n);
}

static double worst[COUNT(methods)], worst_error[COUNT(methods)];

static void print_worst(void)
{
    for (size_t m = 0; m < COUNT(methods); m++) {
        print_message("%s: worst/bound %.2g, %.3g eps\n", names[m], worst[m], worst_error[m]);
        worst[m] = worst_error[m] = 0.0;
    }
}

static void note(size_t method, double error, double bound)
{
    worst[method] = support_worse(worst[method], error / bound);
    worst_error[method] = support_worse(worst_error[method], error);
}

/* ---- accuracy of surfaces ---- */

/* Whether case i is evaluated by a method; in a thin run each by one of them, in one turn. */
static bool by_chosen(size_t i, size_t m)
{
    return !is_thin() || ((i + m) % COUNT(methods) == 0 && in_turn(i));
}

/* By each method that allows it and whose turn it is: of case i. */
static void check_accuracy(clsp_context *ctx, clsp_bezier_desc desc, size_t num_patches,
                           size_t samples, size_t i)
{
    for (size_t m = 0; m < COUNT(methods); m++) {
        job j;
        if (!by_chosen(i, m) || !allows(m, desc.precision, desc.degree[0], desc.degree[1]) ||
            too_long(ctx, m, desc.degree[0], desc.degree[1]))
            continue;
        job_create(&j, ctx, by_method(m, desc), num_patches);
        job_eval(&j, 0, num_patches);
        const double error = job_error(&j, samples);
        const double bound = bound_of(m, desc.precision, desc.degree[0], desc.degree[1]);
        note(m, error, bound);
        if (!(error <= bound))
            fail_msg("%s, f%d, degrees %u, %u, dim %u, grid %u x %u: %g eps, allowed %g", names[m],
                     desc.precision == CLSP_F64 ? 64 : 32, desc.degree[0], desc.degree[1], j.dim,
                     desc.axis[0].num, desc.axis[1].num, error, bound);
        job_destroy(&j);
    }
}

/* Corners are control points exactly, save by the matrix method. */
static void corners(clsp_context *ctx, clsp_type precision)
{
    for (size_t m = 0; m < COUNT(methods); m++) {
        for (uint32_t n = 1; n < 20 && methods[m] != CLSP_BEZIER_MATRIX; n += 3) {
            if (!in_turn(m + n / 3)) continue;
            const clsp_bezier_desc desc = surface(precision, n, n + 2, 3, 3, 4);
            job j;
            job_create(&j, ctx, by_method(m, desc), 1);
            job_eval(&j, 0, 1);
            for (size_t k = 0; k < 4; k++) {
                const size_t i = k & 1 ? n : 0, l = k & 2 ? n + 2 : 0;
                const size_t a = k & 1 ? 2 : 0, b = k & 2 ? 3 : 0;
                assert_memory_equal(j.points + (a * 4 + b) * 3, j.controls + (i * (n + 3) + l) * 3,
                                    3 * sizeof(double));
            }
            job_destroy(&j);
        }
    }
}

static void test_corners(void **state)
{
    (void)state;
    each_turn(limits, num_limits(), 1, corners);
}

static void degrees(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{0, 0}, {0, 3}, {2, 1}, {3, 3}, {7, 7}, {11, 11}, {17, 31}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (tiny() && pairs[i][0] > 5 && pairs[i][0] != 17) continue;
        for (uint32_t dim = 1; dim <= 4; dim++) {
            if ((tiny() || i != 3) && dim != 3) continue;
            check_accuracy(
                ctx,
                surface(precision, pairs[i][0], pairs[i][1], dim, tiny() ? 3 : 37, tiny() ? 9 : 21),
                tiny() ? 2 : 3, tiny() ? 12 : 100, i + dim);
        }
    }
}

static void test_degrees(void **state)
{
    (void)state;
    everywhere(degrees);
    print_worst();
}

/* To the limits of each method. */
static void high_degrees(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{22, 0},  {0, 64},   {32, 32},  {100, 100},
                                        {255, 2}, {2, 1000}, {255, 255}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        const bool few = pairs[i][0] > 64 || pairs[i][1] > 64;
        check_accuracy(ctx,
                       surface(precision, pairs[i][0], pairs[i][1], 3, few ? 5 : 19, few ? 9 : 23),
                       1, 40, i);
    }
}

static void test_high_degrees(void **state)
{
    (void)state;
    if (tiny()) skip();
    everywhere(high_degrees);
    print_worst();
}

/* The limits themselves, once: 900 x 900 values again for each point take a while. */
static void test_limits(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    if (tiny()) skip();
    check_accuracy(ctx, surface(CLSP_F32, 1000, 1000, 1, 7, 9), 1, 0, 0);
    if (has_fp64(ctx)) {
        check_accuracy(ctx, surface(CLSP_F64, 900, 3, 1, 9, 7), 1, 0, 1);
        check_accuracy(ctx, surface(CLSP_F64, 900, 900, 1, is_thin() ? 1 : 3, 2), 1, 0, 1);
        check_accuracy(ctx, surface(CLSP_F64, 1000, 1000, 1, 7, 9), 1, 0, 0);
    }
    print_worst();
}

static void sizes(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 31, 64, 65, 129};

    for (size_t i = 0; i < COUNT(counts); i++) {
        if (tiny() && counts[i] > 9) break;
        check_accuracy(
            ctx,
            surface(precision, 3, 2, 3, counts[i], tiny() ? counts[i] % 4 + 1 : counts[11 - i]),
            i % 3 + 1, tiny() ? 10 : 60, i);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    everywhere(sizes);
    print_worst();
}

/* Control points in several chunks of local memory, the last of them not full. In double the
   second pair's R P R^T goes through CLBlast on GPUs, which Oclgrind does not bear. */
static void chunks(clsp_context *ctx, clsp_type precision)
{
    check_accuracy(ctx, surface(precision, 16, 33, 3, 9, 10), 2, 30, 0);
    if (!tiny()) check_accuracy(ctx, surface(precision, 31, 15, 4, 8, 8), 1, 30, 1);
}

static void test_chunks(void **state)
{
    (void)state;
    everywhere(chunks);
    print_worst();
}

enum { ABSENCE_MAX = 256 };

/* Keeps what the log says of CLBlast. */
static void keep_absence(void *user, clsp_log_level level, const char *message)
{
    (void)level;
    if (strstr(message, "CLBlast")) snprintf(user, ABSENCE_MAX, "%s", message);
}

/* R P R^T of a high degree goes through CLBlast on GPUs. Where its library is not installed our own
   kernels make it and the log says so, which fails here; a build that leaves it out says nothing.
 */
static void test_clblast(void **state)
{
    char absence[ABSENCE_MAX] = "";
    const clsp_context_opts opts = {
        .limits = "class=discrete", .log = keep_absence, .log_user = absence};
    const double bound = bound_of(1, CLSP_F64, 31, 15);
    clsp_context *ctx;
    clsp_device_info info;
    job j;

    (void)state;
    support_needs_opencl(lent_context(""));
    assert_int_equal(clsp_context_create(&ctx, support_queue(), &opts), CLSP_OK);
    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    if (info.fp64 && strcmp(info.platform, "Oclgrind") != 0) {
        job_create(&j, ctx, by_method(1, surface(CLSP_F64, 31, 15, 4, 8, 8)), 1);
        job_eval(&j, 0, 1);
        note(1, job_error(&j, 30), bound);
        assert_true(job_error(&j, 30) <= bound);
        job_destroy(&j);
    }
    clsp_context_destroy(&ctx);
    assert_string_equal(absence, "");
    print_worst();
}

/* A patch that is one point, of which all roundings add up, and its error in eps. */
static double flat_error(clsp_context *ctx, clsp_type precision, uint32_t degree)
{
    enum { DIM = 4, SAMPLES = 6 };
    double point[DIM], most = 0.0;
    job j;

    job_create(&j, ctx, by_method(0, surface(precision, degree, degree, DIM, SAMPLES, SAMPLES)), 1);
    for (size_t c = 0; c < DIM; c++)
        point[c] = 1.5 + 0.5 * j.controls[c];
    for (size_t i = 0; i < j.num_controls; i++)
        j.controls[i] = point[i % DIM] =
            precision == CLSP_F64 ? point[i % DIM] : (double)(float)point[i % DIM];
    job_load(&j);
    job_eval(&j, 0, 1);
    for (size_t i = 0; i < j.num_points; i++)
        most = support_worse(most, fabs(j.points[i] / point[i % DIM] - 1.0));
    job_destroy(&j);
    return most / (precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
}

/* Sums of a million terms are made in stages, of rows, of chunks of control points and of rows of
   chunks. In one chain over all chunks floats are off by 24 eps here. */
static void test_stages(void **state)
{
    const double bound = 12.0;
    clsp_context *const ctx = lent_context("class=discrete,local_is_real=1");

    (void)state;
    if (tiny()) skip();
    for (int wide = 0; wide <= has_fp64(ctx); wide++) {
        seed(5);
        const double error = flat_error(ctx, wide ? CLSP_F64 : CLSP_F32, 1000);
        note(0, error, bound);
        if (!(error <= bound)) fail_msg("flat, f%d: %g eps", wide ? 64 : 32, error);
    }
    print_worst();
}

/* Whether barriers within two loops are compiled to what they mean, in a work-group of one item.
   PoCL on processors of 32 bits makes a loop of them that does not end
   (docs/notes/implementations.md). */
static bool keeps_loops(void)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(lent_context(""), &info), CLSP_OK);
    return info.address_bits == 64 || strcmp(info.platform, "Portable Computing Language") != 0;
}

/* Launches of few items: parts of rows, rows and patches on their own. */
static void test_short_launches(void **state)
{
    enum { STAGED = 1 };
    static const char *const words[] = {"work_group=1",
                                        "class=discrete,local_is_real=1,work_group=1",
                                        "class=discrete,local_is_real=0,work_group=1"};
    static const uint32_t cases[][6] = {
        {1, 2, 1, 2, 70000, 2}, {2, 1, 2, 257, 300, 2}, {1, 1, 1, 16, 16, 300}};

    (void)state;
    if (tiny()) skip();
    for (size_t i = 0; i < COUNT(words); i++) {
        clsp_context *const ctx = lent_context(words[i]);
        if (i == STAGED && !keeps_loops()) continue;
        for (size_t k = 0; k < COUNT(cases); k++)
            if (!is_thin() || (i + k) % COUNT(words) == 0)
                check_accuracy(ctx,
                               surface(CLSP_F32, cases[k][0], cases[k][1], cases[k][2], cases[k][3],
                                       cases[k][4]),
                               cases[k][5], 300, k);
    }
    print_worst();
    if (!keeps_loops()) {
        print_message("skipped: PoCL of 32 bits, staged work-groups of one item\n");
        skip();
    }
}

/* ---- curves, rational patches, parts of the interval, derivatives ---- */

/* A description with what its form lacks left out, control points and vertices. */
typedef struct vertices {
    clsp_bezier_desc d;
    unsigned coords, stride;
    size_t num_controls, num_vertices;
    double *controls, *values;
} vertices;

static void fill(vertices *v, clsp_bezier_desc d)
{
    const bool curve = d.form == CLSP_BEZIER_CURVE;

    v->d = d;
    v->coords = d.dim + d.rational;
    v->stride = d.dim * (d.vertex.attributes & CLSP_VERTEX_DU ? 2 : 1);
    v->num_controls = (size_t)(d.degree[0] + 1) * (curve ? 1 : d.degree[1] + 1) * v->coords;
    v->num_vertices = (size_t)d.axis[0].num * (curve ? 1 : d.axis[1].num);
    v->controls = malloc(v->num_controls * sizeof(double));
    v->values = malloc(v->num_vertices * v->stride * sizeof(double));
    assert_true(v->controls && v->values);
    for (size_t i = 0; i < v->num_controls; i++) {
        const bool weight = d.rational && i % v->coords == d.dim;
        const double x = weight ? 1.25 + 0.75 * random_real() : random_real();
        v->controls[i] = d.precision == CLSP_F64 ? x : (double)(float)x;
    }
}

static void release(vertices *v)
{
    free(v->controls);
    free(v->values);
}

/* Evaluates a plan of v->d, in the precision. */
static void run(clsp_context *ctx, vertices *v)
{
    const size_t reals = v->num_vertices * v->stride;
    float *const narrow = malloc((v->num_controls + reals) * sizeof *narrow);
    clsp_patch_plan *plan;

    assert_non_null(narrow);
    const bool wide = v->d.precision == CLSP_F64;
    const clsp_output out =
        wide ? clsp_out_f64(v->values, reals) : clsp_out_f32(narrow + v->num_controls, reals);
    for (size_t i = 0; i < v->num_controls; i++)
        narrow[i] = (float)v->controls[i];
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &v->d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1,
                                                   wide ? clsp_in_f64(v->controls, v->num_controls)
                                                        : clsp_in_f32(narrow, v->num_controls),
                                                   NULL),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, out, NULL), CLSP_OK);
    for (size_t i = 0; i < reals && !wide; i++)
        v->values[i] = (double)narrow[v->num_controls + i];
    clsp_patch_plan_destroy(&plan);
    free(narrow);
}

/* What an error of 1 in coordinates up to 1 and weights of 0.5 to 2 becomes. Points: at most 2 from
   the quotient x / w by x, and by w |S| / w with |S| <= 2. Derivatives along u of polynomial
   patches: differences of two control points, times the degree. */
static double factor_of(const vertices *v)
{
    if (v->d.rational) return 2.0 * (1.0 + 2.0 * 2.0);
    return v->d.vertex.attributes & CLSP_VERTEX_DU ? 2.0 * v->d.degree[0] : 1.0;
}

static double error_of(const vertices *v)
{
    const clsp_bezier_desc *const d = &v->d;
    const bool curve = d->form == CLSP_BEZIER_CURVE;
    const size_t num_v = curve ? 1 : d->axis[1].num;
    const ref_patch patch = {.form = curve ? REF_CURVE : REF_SURFACE,
                             .degree = {d->degree[0], curve ? 0 : d->degree[1]},
                             .dim = d->dim,
                             .rational = (int)d->rational,
                             .points = v->controls};
    double most = 0.0;

    for (size_t i = 0; i < v->num_vertices; i++) {
        ref_vertex exact;
        const long double at[3] = {axis_parameter(&d->axis[0], i / num_v, d->axis[0].num),
                                   curve ? 0.0L : axis_parameter(&d->axis[1], i % num_v, num_v)};
        assert_true(ref_bezier_vertex_to(&patch, v->d.vertex.attributes & CLSP_VERTEX_DU ? 1 : 0,
                                         at, &exact));
        for (unsigned c = 0; c < v->stride; c++) {
            const long double x = c < d->dim ? exact.point[c] : exact.du[c - d->dim];
            const double error = (double)fabsl(v->values[i * v->stride + c] - x);
            most = fmax(most, isnan(error) ? HUGE_VAL : error);
        }
    }
    return most;
}

/* float's own intervals: 0.125 to 0.875 and the like, so that their ends are exact */
static void forms(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc descs[] = {
        {.form = CLSP_BEZIER_CURVE, .degree = {7}, .dim = 3, .axis = {{.num = 100}}},
        {.form = CLSP_BEZIER_CURVE, .degree = {20}, .dim = 2, .axis = {{.num = 17}}, .rational = 1},
        {.degree = {3, 4}, .dim = 3, .axis = {{.num = 19}, {.num = 10}}, .rational = 1},
        {.degree = {2, 9}, .dim = 4, .axis = {{.num = 7}, {.num = 33}}, .rational = 1},
        {.degree = {5, 3},
         .dim = 3,
         .axis = {{.num = 21, .begin = 0.125, .end = 0.875},
                  {.num = 18, .begin = 1.0, .end = 0.25}}},
        {.degree = {4, 3},
         .dim = 2,
         .axis = {{.num = 11}, {.num = 9}},
         .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DU},
    };
    const double eps = precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;

    for (size_t i = 0; i < COUNT(descs); i++) {
        if (tiny() && descs[i].degree[0] > 7) continue;
        for (size_t m = 0; m < COUNT(methods); m++) {
            clsp_bezier_desc d = by_method(m, descs[i]);
            vertices v;
            if (!by_chosen(i, m)) continue;
            d.precision = precision;
            if (tiny()) d.axis[0].num = d.axis[1].num = 5;
            fill(&v, d);
            run(ctx, &v);
            const double bound =
                (bound_of(m, precision, d.degree[0], d.degree[1]) + 4.0) * eps * factor_of(&v);
            const double error = error_of(&v);
            note(m, error, bound);
            if (!(error <= bound))
                fail_msg("%s, case %zu, f%d: off by %g, allowed %g", names[m], i,
                         precision == CLSP_F64 ? 64 : 32, error, bound);
            release(&v);
        }
    }
}

static void test_forms(void **state)
{
    (void)state;
    everywhere(forms);
    for (size_t m = 0; m < COUNT(methods); m++)
        print_message("%s: worst/bound %.2g\n", names[m], worst[m]);
}

/* Normals are those of the separable method, to the tangents' errors over the sine of their angle:
   the patch is nearly flat. */
static void test_normals(void **state)
{
    clsp_context *ctx = context_with("");
    vertices v[COUNT(methods) + 1];
    const clsp_bezier_desc d = {.degree = {3, 3},
                                .dim = 3,
                                .axis = {{.num = 12}, {.num = 9}},
                                .vertex.attributes = CLSP_VERTEX_NORMAL};

    (void)state;
    for (size_t m = 0; m <= COUNT(methods); m++) {
        fill(&v[m], m < COUNT(methods) ? by_method(m, d) : d);
        for (unsigned i = 0; i < 16; i++) {
            v[m].controls[3 * i] = i / 4;
            v[m].controls[3 * i + 1] = i % 4;
            v[m].controls[3 * i + 2] = i * i % 7 / 16.0;
        }
        run(ctx, &v[m]);
    }
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t i = 0; i < v[m].num_vertices * 3; i++)
            assert_true(fabs(v[m].values[i] - v[COUNT(methods)].values[i]) < 1e-3);
    for (size_t m = 0; m <= COUNT(methods); m++)
        release(&v[m]);
    clsp_context_destroy(&ctx);
}

/* ---- splitting and changing ---- */

static void ranges(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc d = surface(precision, 3, 6, 3, tiny() ? 5 : 34, tiny() ? 4 : 29);

    for (size_t m = 0; m < COUNT(methods); m++) {
        job j;
        if (!in_turn(m)) continue;
        job_create(&j, ctx, by_method(m, d), 11);
        job_eval(&j, 0, 11);
        double *const whole = malloc(j.num_points * sizeof(double));
        assert_non_null(whole);
        memcpy(whole, j.points, j.num_points * sizeof(double));
        memset(j.points, 0, j.num_points * sizeof(double));
        job_eval(&j, 0, 4);
        job_eval_buffer(&j, 4, 1, 5);
        job_eval_buffer(&j, 5, 0, 3);
        job_eval(&j, 5, 0);
        job_eval_buffer(&j, 5, 6, 0);
        assert_memory_equal(whole, j.points, j.num_points * sizeof(double));
        free(whole);
        job_destroy(&j);
    }
}

static void test_ranges(void **state)
{
    (void)state;
    support_needs_opencl(lent_context(""));
    everywhere(ranges);
}

/* With a small largest buffer the calls into host memory cut inside a patch. */
static void test_small_buffers(void **state)
{
    static const char *const shapes[] = {"class=cpu", "class=discrete,local_is_real=1"};
    const clsp_bezier_desc d = surface(CLSP_F32, 3, 4, 3, tiny() ? 61 : 301, tiny() ? 31 : 83);

    (void)state;
    support_needs_opencl(lent_context(""));
    for (size_t i = 0; i < COUNT(shapes) * COUNT(methods); i++) {
        const char *const shape = shapes[i / COUNT(methods)];
        char less[64];
        (void)snprintf(less, sizeof less, "%s,alloc=%d", shape, tiny() ? 16384 : 65536);
        clsp_context *wide = lent_context(shape), *narrow = context_with(less);
        job a, b;
        seed(5);
        job_create(&a, wide, by_method(i % COUNT(methods), d), 2);
        seed(5);
        job_create(&b, narrow, by_method(i % COUNT(methods), d), 2);
        job_eval(&a, 0, 2);
        job_eval(&b, 0, 2);
        assert_memory_equal(a.points, b.points, a.num_points * sizeof(double));
        job_destroy(&a);
        job_destroy(&b);
        clsp_context_destroy(&narrow);
    }
}

/* Another grid, other degrees, other patches and back: the same bits as a plan of its own. */
static void changes(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc first = surface(precision, 3, 3, 3, 9, 17);
    const clsp_bezier_desc second = surface(precision, 5, 2, 3, 33, 8);
    const clsp_axis small[2] = {{.num = 2}, {.num = 3}};

    for (size_t m = 0; m < COUNT(methods); m++) {
        job a, b;
        if (!in_turn(m)) continue;
        job_create(&a, ctx, by_method(m, first), 1);
        job_eval(&a, 0, 1);
        job_create(&b, ctx, by_method(m, second), 2);
        job_eval(&b, 0, 2);
        clsp_patch_plan *const plan = b.plan;
        b.plan = a.plan; /* of the first description */
        assert_int_equal(clsp_bezier_set_degrees(b.plan, second.degree), CLSP_OK);
        assert_int_equal(clsp_patch_set_grids(b.plan, second.axis, 0, (clsp_input){0}), CLSP_OK);
        double *const own = malloc(b.num_points * sizeof(double));
        assert_non_null(own);
        memcpy(own, b.points, b.num_points * sizeof(double));
        memset(b.points, 0, b.num_points * sizeof(double));
        job_load(&b);
        job_eval(&b, 0, 2);
        assert_memory_equal(own, b.points, b.num_points * sizeof(double));
        assert_int_equal(clsp_patch_set_grids(b.plan, small, 0, (clsp_input){0}), CLSP_OK);
        assert_int_equal(clsp_patch_set_grids(b.plan, second.axis, 0, (clsp_input){0}), CLSP_OK);
        memset(b.points, 0, b.num_points * sizeof(double));
        job_eval(&b, 0, 2); /* control points stay loaded */
        assert_memory_equal(own, b.points, b.num_points * sizeof(double));
        free(own);
        a.plan = plan;
        job_destroy(&a);
        job_destroy(&b);
    }
}

static void test_changes(void **state)
{
    (void)state;
    everywhere(changes);
}

/* ---- refusals ---- */

static void assert_refused(clsp_context *ctx, clsp_bezier_desc d, clsp_status wanted)
{
    clsp_patch_plan *plan = (clsp_patch_plan *)&d;

    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), wanted);
    assert_null(plan);
}

static void refusals(clsp_context *ctx, clsp_type precision)
{
    const uint32_t matrix = most_of(1, precision), brute = most_of(2, precision);
    job j;

    assert_refused(ctx, by_method(1, surface(precision, matrix, 1, 3, 2, 2)), CLSP_ERROR_DEGREE);
    assert_refused(ctx, by_method(1, surface(precision, 3, matrix - 2, 3, 2, 2)),
                   CLSP_ERROR_DEGREE);
    assert_refused(ctx, by_method(2, surface(precision, brute + 1, 1, 3, 2, 2)), CLSP_ERROR_DEGREE);
    assert_refused(ctx, by_method(2, surface(precision, 1, brute + 1, 3, 2, 2)), CLSP_ERROR_DEGREE);
    assert_refused(ctx, by_method(0, surface(precision, 65536, 1, 3, 2, 2)), CLSP_ERROR_DEGREE);
    for (size_t m = 0; m < COUNT(methods); m++) {
        clsp_bezier_desc d = by_method(m, surface(precision, 2, 2, 3, 4, 4));
        d.form = CLSP_BEZIER_TRIANGLE;
        assert_refused(ctx, d, CLSP_ERROR_ARGUMENT);
        d.form = CLSP_BEZIER_VOLUME;
        d.axis[2].num = 4;
        assert_refused(ctx, d, CLSP_ERROR_ARGUMENT);
    }
    clsp_bezier_desc d = surface(precision, 2, 2, 3, 4, 4);
    d.method = (clsp_bezier_method)5;
    assert_refused(ctx, d, CLSP_ERROR_ARGUMENT);

    /* a plan that refuses other degrees is as it was */
    if (!program_in_turn(1)) return;
    job_create(&j, ctx, by_method(1, surface(precision, 3, 3, 3, 8, 8)), 1);
    const uint32_t too_high[2] = {matrix, 1};
    assert_int_equal(clsp_bezier_set_degrees(j.plan, too_high), CLSP_ERROR_DEGREE);
    /* a driver may still compile what was enqueued, and the process ends soon */
    assert_int_equal(clsp_context_finish(ctx), CLSP_OK);
    job_destroy(&j);
}

static void test_refusals(void **state)
{
    (void)state;
    everywhere(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners),        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_high_degrees),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_short_launches), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_normals),        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_small_buffers),  cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_stages),
        cmocka_unit_test(test_clblast),
    };

    support_begin();
    if (!support_has_methods()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
