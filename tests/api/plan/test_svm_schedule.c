/* The svm schedule of every kind of call that has it: each vertex has the bits of the device's own
   call or of the host's, whichever made its tile, and what neither makes stays as it was. */
#include "schedule_fixture.h"
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <clspline/clspline.h>

enum { CALLS = 4 };

#define POINT  CLSP_VERTEX_POINT
#define NORMAL CLSP_VERTEX_NORMAL
#define FIRST  (CLSP_VERTEX_DU | CLSP_VERTEX_DV)
#define SECOND (CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV)

/* ---- cases ---- */

/* How vertices are asked for. */
typedef enum way { GRID, PATCH_GRIDS, LIST, PLANAR_LIST } way;

/* A plan and its job. controls above 0: of a B-spline, along each direction. */
typedef struct svm_case {
    const char *name;
    uint32_t directions, degree, controls, num[3];
    size_t num_patches;
    way way;
    uint32_t rational, attributes, stride;
    clsp_type type;
    uint32_t watertight;
    bool is_triangle;
} svm_case;

#define SURFACE 2, 3, 0, {37, 101}, 23
#define SPLINE  2, 3, 9, {37, 101}, 23
static const svm_case cases[] = {
    {"points", SURFACE, GRID, 0, 0, 0, 0, 0, false},
    {"one patch", 2, 4, 0, {700, 301}, 1, GRID, 0, 0, 0, 0, 0, false},
    {"high degree", 2, 11, 0, {64, 128}, 9, GRID, 0, 0, 0, 0, 0, false},
    {"very high degree", 2, 40, 0, {32, 64}, 17, GRID, 0, 0, 0, 0, 0, false},
    {"rational points", SURFACE, GRID, 1, POINT, 0, 0, 0, false},
    {"points and weights", SURFACE, GRID, 1, POINT | CLSP_VERTEX_WEIGHT, 6, 0, 0, false},
    {"derivatives", SURFACE, GRID, 0, POINT | FIRST, 0, 0, 0, false},
    {"rational derivatives", SURFACE, GRID, 1, POINT | FIRST, 0, 0, 0, false},
    {"second derivatives", SURFACE, GRID, 0, POINT | FIRST | SECOND, 0, 0, 0, false},
    {"normals", SURFACE, GRID, 0, POINT | NORMAL, 8, 0, 0, false},
    {"rational normals", SURFACE, GRID, 1, POINT | NORMAL | CLSP_VERTEX_PARAMS, 0, 0, 0, false},
    {"halves", SURFACE, GRID, 0, POINT | NORMAL, 0, CLSP_F16, 0, false},
    {"curvatures", SURFACE, GRID, 0, POINT | CLSP_VERTEX_CURVATURE, 0, 0, 0, false},
    {"high normals", 2, 9, 0, {64, 128}, 9, GRID, 0, POINT | NORMAL, 0, 0, 0, false},
    {"watertight", SURFACE, GRID, 0, 0, 0, 0, 1, false},
    {"watertight normals", SURFACE, GRID, 1, POINT | NORMAL, 0, 0, 1, false},
    {"patch grids", SURFACE, PATCH_GRIDS, 0, POINT | NORMAL, 0, 0, 0, false},
    {"list", SURFACE, LIST, 1, POINT | NORMAL, 0, 0, 0, false},
    {"planar list", SURFACE, PLANAR_LIST, 0, POINT | FIRST, 0, 0, 0, false},
    {"spline", SPLINE, GRID, 0, 0, 0, 0, 0, false},
    {"rational spline", SPLINE, GRID, 1, POINT | FIRST, 0, 0, 0, false},
    {"spline normals", SPLINE, GRID, 0, POINT | NORMAL, 0, 0, 0, false},
    {"spline curvatures", SPLINE, GRID, 0, POINT | CLSP_VERTEX_CURVATURE, 0, 0, 0, false},
    {"spline list", SPLINE, LIST, 0, POINT | NORMAL, 0, 0, 0, false},
    {"spline patch grids", SPLINE, PATCH_GRIDS, 0, 0, 0, 0, 0, false},
    {"curves", 1, 5, 0, {201}, 400, GRID, 0, 0, 0, 0, 0, false},
    {"one curve", 1, 5, 0, {200001}, 1, GRID, 0, 0, 0, 0, 0, false},
    {"rational curves", 1, 5, 0, {201}, 400, GRID, 1, POINT | CLSP_VERTEX_DU, 0, 0, 0, false},
    {"spline curves", 1, 3, 12, {201}, 400, GRID, 0, 0, 0, 0, 0, false},
    {"spline curvatures of curves",
     1,
     3,
     12,
     {201},
     400,
     GRID,
     0,
     POINT | CLSP_VERTEX_CURVATURE,
     0,
     0,
     0,
     false},
    {"curve list", 1, 5, 0, {201}, 400, LIST, 0, 0, 0, 0, 0, false},
    {"volumes", 3, 2, 0, {13, 17, 19}, 25, GRID, 0, 0, 0, 0, 0, false},
    {"one volume", 3, 3, 0, {65, 33, 47}, 1, GRID, 0, 0, 0, 0, 0, false},
    {"rational volumes",
     3,
     2,
     0,
     {13, 17, 19},
     25,
     GRID,
     1,
     POINT | CLSP_VERTEX_DW,
     0,
     0,
     0,
     false},
    {"spline volumes", 3, 2, 5, {13, 17, 19}, 25, GRID, 0, 0, 0, 0, 0, false},
    {"volume list", 3, 2, 0, {13, 17, 19}, 25, LIST, 0, 0, 0, 0, 0, false},
    {"triangle list", 2, 3, 0, {41}, 100, LIST, 0, POINT | NORMAL, 0, 0, 0, true},
};

/* ---- plans ---- */

typedef struct svm_job {
    const svm_case *c;
    clsp_context *ctx;
    clsp_patch_plan *plan;
    clsp_type precision, type;
    size_t vertices, bytes; /* of the result */
    void *params;           /* of a list */
    uint32_t *items;
    clsp_points points;
} svm_job;

static size_t element_of(const svm_job *j)
{
    return j->type == CLSP_F64 ? sizeof(double) : j->type == CLSP_F16 ? 2 : sizeof(float);
}

static clsp_input reals_in(const svm_job *j, void *reals, size_t num)
{
    return (clsp_input){.type = j->precision, .host = reals, .size = num};
}

/* Makes reals between low and high, in the plan's precision. */
static void *random_reals(const svm_job *j, size_t num, double low, double high)
{
    const bool wide = j->precision == CLSP_F64;
    void *const reals = malloc(num * (wide ? sizeof(double) : sizeof(float)) + 1);

    assert_non_null(reals);
    for (size_t i = 0; i < num; i++) {
        const double x = low + (high - low) * (0.5 + 0.5 * random_real());
        if (wide)
            ((double *)reals)[i] = x;
        else
            ((float *)reals)[i] = (float)x;
    }
    return reals;
}

static void make_plan(svm_job *j)
{
    const svm_case *const c = j->c;
    const uint32_t d = c->directions;
    const clsp_vertex_layout vertex = {
        .attributes = c->attributes, .type = c->type, .stride = c->stride};
    clsp_bezier_desc bezier = {.form = c->is_triangle ? CLSP_BEZIER_TRIANGLE
                                       : d == 1       ? CLSP_BEZIER_CURVE
                                       : d == 2       ? CLSP_BEZIER_SURFACE
                                                      : CLSP_BEZIER_VOLUME,
                               .precision = j->precision,
                               .rational = c->rational,
                               .vertex = vertex,
                               .watertight = c->watertight};
    clsp_bspline_desc spline = {
        .directions = d, .precision = j->precision, .rational = c->rational, .vertex = vertex};

    for (uint32_t k = 0; k < d; k++) {
        bezier.degree[k] = spline.degree[k] = c->degree;
        bezier.axis[k].num = spline.axis[k].num = c->num[k];
        spline.num_controls[k] = c->controls;
    }
    assert_ok(j->ctx, c->controls > 0 ? clsp_bspline_plan_create(&j->plan, j->ctx, &spline)
                                      : clsp_bezier_plan_create(&j->plan, j->ctx, &bezier));
}

static void load(svm_job *j)
{
    const svm_case *const c = j->c;
    const size_t each = c->controls > 0 ? c->controls : c->degree + 1u;
    size_t num = c->is_triangle ? (each + 1) * each / 2 : each;

    for (uint32_t k = 1; k < c->directions; k++)
        num *= each;
    num *= c->num_patches * (3 + c->rational);
    void *const reals = random_reals(j, num, 0.5, 1.0); /* weights among them */
    assert_ok(j->ctx, clsp_patch_set_control_points(j->plan, c->num_patches,
                                                    reals_in(j, reals, num), NULL));
    free(reals);
}

/* Gives each patch a grid of its own. */
static void set_grids(svm_job *j)
{
    const svm_case *const c = j->c;
    uint32_t *const nums = malloc(2 * c->num_patches * sizeof *nums);

    assert_non_null(nums);
    for (size_t p = 0; p < c->num_patches; p++) {
        nums[2 * p] = c->num[0] + (uint32_t)(p % 5);
        nums[2 * p + 1] = c->num[1] - (uint32_t)(p / 3);
    }
    assert_ok(j->ctx, clsp_patch_set_grids(j->plan, NULL, c->num_patches,
                                           clsp_in_u32(nums, 2 * c->num_patches)));
    free(nums);
}

static void make_list(svm_job *j)
{
    enum { NUM = 5003 };
    const uint32_t d = j->c->is_triangle ? 2 : j->c->directions;

    j->params = random_reals(j, NUM * d, 0.0, j->c->is_triangle ? 0.5 : 1.0);
    j->items = malloc(NUM * sizeof *j->items);
    assert_non_null(j->items);
    for (size_t i = 0; i < NUM; i++)
        j->items[i] = (uint32_t)(i * 7 % j->c->num_patches);
    j->points = (clsp_points){.num = NUM,
                              .item = {.type = CLSP_U32, .host = j->items, .size = NUM},
                              .params = reals_in(j, j->params, NUM * d),
                              .planar = j->c->way == PLANAR_LIST};
    j->vertices = NUM;
}

/* Counts vertices of grids, and the bytes of what is asked for. */
static void count(svm_job *j)
{
    const clsp_range all = {0, j->c->num_patches};
    const clsp_output none = {.type = j->type, .host = NULL};
    clsp_mesh_size size;
    clsp_tiling tiling;

    const clsp_run asks = {.tiling = &tiling};
    assert_ok(j->ctx, clsp_patch_mesh_size(j->plan, all, &size));
    if (j->c->way < LIST) j->vertices = size.vertices;
    assert_ok(j->ctx, j->c->way >= LIST ? clsp_patch_eval_points(j->plan, &j->points, none, &asks)
                                        : clsp_patch_eval(j->plan, all, none, &asks));
    j->bytes = tiling.elements.count * element_of(j);
}

static svm_job begin(clsp_context *ctx, const svm_case *c, clsp_type precision)
{
    svm_job j = {.c = c, .ctx = ctx, .precision = precision, .type = c->type ? c->type : precision};

    make_plan(&j);
    load(&j);
    if (c->way == PATCH_GRIDS) set_grids(&j);
    if (c->way >= LIST) make_list(&j);
    count(&j);
    return j;
}

static void end(svm_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    free(j->params);
    free(j->items);
}

static clsp_report eval(const svm_job *j, void *out, size_t bytes, const clsp_share *share)
{
    const size_t element = element_of(j);
    const clsp_output to = {.type = j->type, .host = out, .size = bytes / element};
    clsp_report report;
    const clsp_run run = {.share = share, .report = &report};

    assert_ok(j->ctx, j->c->way >= LIST
                          ? clsp_patch_eval_points(j->plan, &j->points, to, &run)
                          : clsp_patch_eval(j->plan, (clsp_range){0, j->c->num_patches}, to, &run));
    return report;
}

/* ---- the schedule ---- */

/* Returns what one processor makes alone. */
static unsigned char *made_by(const svm_job *j, clsp_schedule schedule)
{
    const clsp_share share = {.schedule = schedule, .bit_equal = schedule == CLSP_SCHEDULE_DEVICE};
    unsigned char *const out = malloc(j->bytes);

    assert_non_null(out);
    memset(out, POISON, j->bytes);
    assert_int_equal(eval(j, out, j->bytes, &share).schedule, schedule);
    return out;
}

/* What each processor alone makes of the bytes from `first` on. Watertight points are the host's
   where both have made tiles, beside what the device has made of the same vertex. */
static shared_either either_of(const svm_job *j, const unsigned char *by_device,
                               const unsigned char *by_host, size_t first)
{
    return (shared_either){.name = j->c->name,
                           .ctx = j->ctx,
                           .type = j->type,
                           .has_roots = (j->c->attributes & (NORMAL | CLSP_VERTEX_CURVATURE)) != 0,
                           .by_device = by_device + first,
                           .by_host = by_host + first,
                           .piece = j->c->watertight ? element_of(j) : j->bytes / j->vertices};
}

/* Makes all tiles, and then a part of them, some times. */
static size_t check_tiles(const svm_job *j, bool part, const unsigned char *by_device,
                          const unsigned char *by_host)
{
    clsp_share share = {.schedule = CLSP_SCHEDULE_SVM};
    clsp_tiling tiling;
    size_t of_device = 0;

    const clsp_output none = {.type = j->type, .host = NULL};
    if (part) share.tiles = (clsp_range){1, 2};
    const clsp_run asks = {.share = &share, .tiling = &tiling};
    assert_ok(j->ctx,
              j->c->way >= LIST
                  ? clsp_patch_eval_points(j->plan, &j->points, none, &asks)
                  : clsp_patch_eval(j->plan, (clsp_range){0, j->c->num_patches}, none, &asks));
    const size_t element = element_of(j);
    const size_t first = tiling.elements.first * element, bytes = tiling.elements.count * element;
    for (int i = 0; i < CALLS; i++) {
        memory m = take_memory(j->ctx, SHARED, bytes, element);
        const clsp_report report = eval(j, m.out, bytes, &share);
        check_report(&report, 2);
        shared_all_ok(&report);
        if (report.schedule != CLSP_SCHEDULE_SVM)
            fail_msg("%s: %s ran: %s", j->c->name, clsp_schedule_name(report.schedule),
                     report.reason[CLSP_SCHEDULE_SVM]);
        shared_either either = either_of(j, by_device, by_host, first);
        if (report.processors[0].tiles == report.num_tiles) either.by_host = either.by_device;
        of_device += shared_check_either(&either, m.out, bytes);
        free_memory(&m);
    }
    return of_device;
}

static void check_job(const svm_job *j)
{
    unsigned char *const by_device = made_by(j, CLSP_SCHEDULE_DEVICE);
    unsigned char *const by_host = made_by(j, CLSP_SCHEDULE_HOST);
    const size_t all = check_tiles(j, false, by_device, by_host);

    check_tiles(j, true, by_device, by_host);
    print_message("%s, %s: %zu vertices by the device alone\n", j->c->name,
                  j->precision == CLSP_F64 ? "f64" : "f32", all);
    free(by_device);
    free(by_host);
}

static void check_case(clsp_context *ctx, const svm_case *c, clsp_type precision)
{
    svm_job j = begin(ctx, c, precision);

    check_job(&j);
    end(&j);
}

/* One plan whose control points, grids and degrees change between jobs, so that kernels, what they
   start from and what is left of earlier jobs do. */
static void check_changes(clsp_context *ctx)
{
    static const svm_case of_plan = {"changes", SURFACE, GRID, 0, POINT | NORMAL, 0, 0, 0, false};
    static const svm_case low = {"other degrees", 2, 2, 0, {64, 90}, 23, GRID, 0,
                                 POINT | NORMAL,  0, 0, 0, false};
    static const svm_case own = {"other grids", SURFACE, PATCH_GRIDS, 0, POINT | NORMAL, 0, 0, 0,
                                 false};
    static const clsp_axis axes[] = {{.num = 64}, {.num = 90}};
    static const uint32_t degrees[] = {2, 2};
    svm_job j = begin(ctx, &of_plan, CLSP_F32);

    check_job(&j);
    load(&j);
    check_job(&j);
    assert_ok(ctx, clsp_patch_set_grids(j.plan, axes, 0, (clsp_input){0}));
    count(&j);
    check_job(&j);
    j.c = &own;
    set_grids(&j);
    count(&j);
    check_job(&j);
    j.c = &low;
    assert_ok(ctx, clsp_patch_set_grids(j.plan, NULL, 0, (clsp_input){0}));
    assert_ok(ctx, clsp_bezier_set_degrees(j.plan, degrees));
    load(&j);
    count(&j);
    check_job(&j);
    end(&j);
}

/* A published method has no persistent kernels: another schedule runs, and the report says why. */
static void check_refused(clsp_context *ctx)
{
    const clsp_bezier_desc desc = {
        .degree = {3, 3}, .axis = {{.num = 64}, {.num = 64}}, .method = CLSP_BEZIER_MULTILEVEL};
    const clsp_share share = {.schedule = CLSP_SCHEDULE_SVM};
    const size_t num = 64 * 64 * 3;
    clsp_report report;
    svm_job j = {.ctx = ctx, .precision = CLSP_F32};

    if (!support_has_methods()) return;
    void *const reals = random_reals(&j, 48, 0, 1);
    memory m = take_memory(ctx, SHARED, num * sizeof(float), sizeof(float));
    assert_ok(ctx, clsp_bezier_plan_create(&j.plan, ctx, &desc));
    assert_ok(ctx, clsp_patch_set_control_points(j.plan, 1, reals_in(&j, reals, 48), NULL));
    assert_ok(ctx, clsp_patch_eval(j.plan, (clsp_range){0, 1},
                                   (clsp_output){.type = CLSP_F32, .host = m.out, .size = num},
                                   &(clsp_run){.share = &share, .report = &report}));
    assert_int_not_equal(report.schedule, CLSP_SCHEDULE_SVM);
    assert_string_equal(report.reason[CLSP_SCHEDULE_SVM], "no persistent kernel for this method");
    free_memory(&m);
    end(&j);
    free(reals);
}

/* Makes all cases, where tests are tiny one in so many of each precision, on a device that stands
 * for a GPU which shares memory with the host. */
/* Every case in a full run, of others one in so many. */
static void check_all(const char *limits, size_t of_tiny, size_t of_others)
{
    const size_t step = support_full() ? 1 : support_tiny() ? of_tiny : of_others;
    clsp_context *ctx = context_with(limits);
    const clsp_device_info info = device_of(ctx);
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    if ((info.svm & both) != both) {
        clsp_context_destroy(&ctx);
        skip_because("no SVM atomics");
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
            if ((p == CLSP_F32 || (has_fp64(ctx) && cases[i].type != CLSP_F16)) &&
                (step == 1 || i % step == (p == CLSP_F64)))
                check_case(ctx, &cases[i], p);
    check_changes(ctx);
    check_refused(ctx);
    clsp_context_destroy(&ctx);
}

static void test_bits(void **state)
{
    (void)state;
    shared_skip_on_oclgrind();
    check_all("class=integrated", 7, 5);
}

/* Kernels that keep tables and vertices in local memory. */
static void test_local_memory(void **state)
{
    (void)state;
    shared_skip_on_oclgrind();
    check_all("class=integrated,local_is_real=1", 16, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_local_memory)};

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
