/* Lists of points of solids: in cells of every kind, down to irregular edges and vertices, against
   explicit subdivision and against weights; their memory; and solids whose trees a device does not
   take. */
#include "solid_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "solid_ref.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Points of a list, at parameters that are floats. */
typedef struct list {
    size_t num;
    uint32_t *cells;
    double *params; /* [num][3] */
} list;

/* Returns a parameter: anywhere, at an end or in the middle, or near to an end: not so near that
   those that frames turn, which the host does in double, would be rounded too much. */
static float any_param(uint64_t *seed)
{
    const double t = 0.5 + 0.5 * support_uniform(seed);
    const int depth = (int)(support_random(seed) % 30);

    switch (support_random(seed) % 8) {
    case 0:
        return 0.0f;
    case 1:
        return 1.0f;
    case 2:
        return 0.5f;
    case 3:
        return (float)ldexp(t, -depth);
    case 4:
        return (float)(1.0 - ldexp(t, -depth / 2));
    case 5:
        return (float)ldexp(1.0, -depth);
    default:
        return (float)t;
    }
}

static list list_make(size_t num, size_t num_cells, uint64_t seed)
{
    list l = {num, malloc(num * sizeof *l.cells), malloc(3 * num * sizeof *l.params)};

    assert_non_null(l.cells);
    assert_non_null(l.params);
    for (size_t i = 0; i < num; i++)
        l.cells[i] = (uint32_t)(support_random(&seed) % num_cells);
    for (size_t i = 0; i < 3 * num; i++)
        l.params[i] = (double)any_param(&seed);
    return l;
}

static void list_free(list *l)
{
    free(l->cells);
    free(l->params);
}

/* Writes reals in a precision; planar: [3][num]. */
static void *reals_of(const list *l, clsp_type precision, bool planar)
{
    char *const reals = malloc(3 * l->num * sizeof(double));

    assert_non_null(reals);
    for (size_t i = 0; i < 3 * l->num; i++) {
        const size_t at = planar ? i % 3 * l->num + i / 3 : i;
        const float narrow = (float)l->params[i];
        if (precision == CLSP_F64)
            memcpy(reals + at * sizeof(double), &l->params[i], sizeof(double));
        else
            memcpy(reals + at * sizeof narrow, &narrow, sizeof narrow);
    }
    return reals;
}

/* Evaluates a list into doubles, by the device or the host or by a call without a share. */
static double *evaluate(clsp_solid_plan *plan, const list *l, clsp_type precision, uint32_t dim,
                        clsp_schedule by)
{
    void *const params = reals_of(l, precision, false);
    double *const all = malloc(l->num * dim * sizeof *all);
    float *const narrow = malloc(l->num * dim * sizeof *narrow);
    const bool wide = precision == CLSP_F64;
    const clsp_points points = {.num = l->num,
                                .item = clsp_in_u32(l->cells, l->num),
                                .params = {.type = precision, .host = params, .size = 3 * l->num}};

    assert_ok(ctx, solid_eval_list(plan, &points,
                                   wide ? clsp_out_f64(all, l->num * dim)
                                        : clsp_out_f32(narrow, l->num * dim),
                                   by));
    for (size_t i = 0; i < l->num * dim && !wide; i++)
        all[i] = (double)narrow[i];
    free(narrow);
    free(params);
    return all;
}

/* ---- values ---- */

static const clsp_schedule ways[] = {CLSP_SCHEDULE_DEFAULT, CLSP_SCHEDULE_DEVICE};

/* Returns how far a value is from so many steps of subdivision; of three coordinates. */
static double off_by_steps(const model *m, size_t cell, const double t[3], unsigned levels,
                           const double *value)
{
    const ref_solid ref = {.num_cells = m->counts.num_cells,
                           .cell = m->corner,
                           .point = m->points,
                           .num_creases = m->num_creases,
                           .crease = m->crease};
    const long double at[3] = {t[0], t[1], t[2]};
    long double limit[3];
    double worst = 0.0;

    ref_solid_limit(&ref, cell, at, levels, limit);
    for (size_t k = 0; k < 3; k++)
        worst = support_worse(worst, fabs(value[k] - (double)limit[k]));
    return worst;
}

/* Checks lists of a solid in both precisions, by the device and without a share: all points by
   weights, some by steps. */
static void check_solid(const char *name, const solid_case *solid, size_t num, size_t steps)
{
    model m = solid_model_of(solid, 3);

    for (int way = 0; way < (support_device().fp64 ? 4 : 2); way++) {
        const clsp_type p = way < 2 ? CLSP_F32 : CLSP_F64;
        const double bound = p == CLSP_F64 ? 1e-12 : 1.5e-7;
        const clsp_solid_desc desc = {.precision = p};
        clsp_solid_plan *plan = solid_plan_of(&m, &desc);
        list l = list_make(num, m.counts.num_cells, 11);
        double *const all = evaluate(plan, &l, p, 3, ways[way % 2]), worst = 0.0, by_steps = 0.0;
        for (size_t i = 0; i < num; i++) {
            const double *const t = l.params + 3 * i;
            const clsp_solid_param param = {.cell = l.cells[i], .t = {t[0], t[1], t[2]}};
            worst = support_worse(worst, off_by_weights(plan, &param, m.points, all + 3 * i));
            if (i < steps)
                by_steps =
                    support_worse(by_steps, off_by_steps(&m, l.cells[i], t, 60, all + 3 * i));
        }
        print_message("%s, f%d%s: by weights %.2g, by steps %.2g / %.2g of scale\n", name,
                      p == CLSP_F64 ? 64 : 32, way % 2 ? ", device" : "", worst / m.scale,
                      by_steps / m.scale, bound);
        assert_true(worst <= bound * m.scale && by_steps <= bound * m.scale);
        free(all);
        list_free(&l);
        clsp_solid_plan_destroy(&plan);
    }
    solid_model_free(&m);
}

/* Prisms have irregular edges of every valence; the ends of them, and small boxes, cells with one
   irregular vertex or with several. */
static void test_values(void **state)
{
    static const uint32_t valences[] = {1, 2, 3, 5, 6, 8, 12};
    static const uint32_t boxes[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {3, 3, 3}};
    const size_t num = support_full() ? 20000 : support_tiny() ? 40 : 400;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof valences / sizeof *valences; i++) {
        const uint32_t sectors = valences[i / 2];
        const bool is_closed = i % 2 && sectors > 2;
        char name[64];
        solid_case prism = solid_prism(sectors, is_closed, 1 + sectors % 3);
        if (i % 4 > 1) solid_crease(&prism, 0.6);
        solid_jitter(&prism, 0.15, i);
        snprintf(name, sizeof name, "prism of %u%s", sectors, is_closed ? ", closed" : "");
        check_solid(name, &prism, num, 2);
        solid_free(&prism);
    }
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        solid_case box = solid_box(boxes[i][0], boxes[i][1], boxes[i][2]);
        if (i % 2) solid_crease(&box, 0.6);
        solid_jitter(&box, 0.2, i);
        check_solid("box", &box, num, 2);
        solid_free(&box);
    }
}

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < MACHINE_PARTS; i++) {
        solid_case part = read_machine_part(machine_parts[i]);
        check_solid(machine_parts[i], &part,
                    support_full()   ? 20000
                    : support_tiny() ? 40
                                     : 1000,
                    2);
        solid_free(&part);
    }
}

/* Nearer to irregular edges and vertices than any table goes. */
static void test_deep(void **state)
{
    enum { NUM = 24, LEVELS = 160 };

    (void)state;
    for (int way = 0; way < (support_device().fp64 ? 4 : 2); way++) {
        const clsp_type p = way < 2 ? CLSP_F32 : CLSP_F64;
        const clsp_solid_desc desc = {.precision = p};
        solid_case prism = solid_prism(5, 1, 2);
        solid_jitter(&prism, 0.15, 9);
        model m = solid_model_of(&prism, 3);
        clsp_solid_plan *plan = solid_plan_of(&m, &desc);
        list l = list_make(NUM, m.counts.num_cells, 21);
        double worst = 0.0;
        for (size_t i = 0; i < 3 * (size_t)NUM; i++)
            l.params[i] = (double)(float)ldexp(0.5 + 0.5 * l.params[i], -(int)(i * 7 % 120));
        double *const all = evaluate(plan, &l, p, 3, ways[way % 2]);
        for (size_t i = 0; i < NUM; i++)
            worst = support_worse(
                worst, off_by_steps(&m, l.cells[i], l.params + 3 * i, LEVELS, all + 3 * i));
        print_message("deep: %.2g of scale\n", worst / m.scale);
        assert_true(worst <= (p == CLSP_F64 ? 1e-12 : 1.5e-7) * m.scale);
        free(all);
        list_free(&l);
        clsp_solid_plan_destroy(&plan);
        solid_model_free(&m);
        solid_free(&prism);
    }
}

/* Channels are the same whatever else a control point has. */
static void check_channels(clsp_schedule by)
{
    solid_case prism = solid_prism(5, 0, 2);
    model three = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3};
    clsp_solid_plan *plan = solid_plan_of(&three, &desc);
    list l = list_make(500, three.counts.num_cells, 3);
    double *const some = evaluate(plan, &l, CLSP_F32, 3, by);

    for (uint32_t dim = 1; dim <= CLSP_SOLID_MAX_DIM; dim = 2 * dim + (dim == 2)) {
        const clsp_solid_desc other = {.dim = dim};
        model m = solid_model_of(&prism, dim);
        clsp_solid_plan *more = solid_plan_of(&m, &other);
        double *const all = evaluate(more, &l, CLSP_F32, dim, by);
        for (size_t i = 0; i < l.num; i++)
            for (uint32_t c = 0; c < 3 && c < dim; c++)
                assert_true(fabs(all[i * dim + c] - some[3 * i + c]) <= 1e-7 * three.scale);
        free(all);
        clsp_solid_plan_destroy(&more);
        solid_model_free(&m);
    }
    free(some);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&three);
    solid_free(&prism);
}

static void test_channels(void **state)
{
    (void)state;
    check_channels(CLSP_SCHEDULE_DEFAULT);
    check_channels(CLSP_SCHEDULE_DEVICE);
}

/* Returns the number that a finite half is. */
static double number_of_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, digits = half & 1023;
    const double size = exponent ? ldexp(1024 + digits, exponent - 25) : ldexp(digits, -24);

    return half >> 15 ? -size : size;
}

/* Points and parameters in vertices of a layout: between gaps, which stay, and as halves. */
static void check_layouts(clsp_schedule by)
{
    enum { NUM = 200, STRIDE = 9, PARAMS = 9 /* the attribute's bit */ };
    solid_case prism = solid_prism(5, 1, 2);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc plain = {.dim = 3};
    clsp_solid_desc desc = {.vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_PARAMS,
                                       .stride = STRIDE,
                                       .offset = {[0] = 5, [PARAMS] = 1}}};
    clsp_solid_plan *plan = solid_plan_of(&m, &plain), *more = solid_plan_of(&m, &desc);
    list l = list_make(NUM, m.counts.num_cells, 8);
    l.cells[NUM / 2] = UINT32_MAX;
    double *const points = evaluate(plan, &l, CLSP_F32, 3, by);
    float vertices[NUM * STRIDE];
    void *const params = reals_of(&l, CLSP_F32, false);
    const clsp_points some = {.num = NUM,
                              .item = clsp_in_u32(l.cells, NUM),
                              .params = clsp_in_f32(params, 3 * (size_t)NUM)};

    for (size_t i = 0; i < COUNT(vertices); i++)
        vertices[i] = -7.0f;
    assert_ok(ctx, solid_eval_list(more, &some, clsp_out_f32(vertices, COUNT(vertices)), by));
    for (size_t i = 0; i < NUM; i++)
        for (size_t k = 0; k < STRIDE; k++) {
            const double got = (double)vertices[i * STRIDE + k];
            const double wanted = k >= 5 && k < 8   ? points[3 * i + k - 5]
                                  : k >= 1 && k < 4 ? l.params[3 * i + k - 1]
                                                    : -7.0;
            const bool is_nan = i == NUM / 2 && wanted != -7.0;
            assert_true(is_nan ? isnan(got) : got == wanted);
        }
    clsp_solid_plan_destroy(&more);
    desc.vertex = (clsp_vertex_layout){.attributes = CLSP_VERTEX_POINT, .type = CLSP_F16};
    more = solid_plan_of(&m, &desc);
    uint16_t halves[3 * NUM];
    assert_ok(ctx, solid_eval_list(
                       more, &some,
                       (clsp_output){.type = CLSP_F16, .host = halves, .size = COUNT(halves)}, by));
    for (size_t i = 0; i < COUNT(halves); i++)
        assert_true(i / 3 == NUM / 2 ||
                    fabs(number_of_half(halves[i]) - points[i]) <= 0x1p-10 * m.scale);
    free(points);
    free(params);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_plan_destroy(&more);
    solid_model_free(&m);
    solid_free(&prism);
}

static void test_layouts(void **state)
{
    (void)state;
    check_layouts(CLSP_SCHEDULE_DEFAULT);
    check_layouts(CLSP_SCHEDULE_DEVICE);
}

/* ---- memory ---- */

/* Evaluates with memory of a kind, planar or not, and compares with what the device has made. */
static void check_memory(clsp_solid_plan *plan, const list *l, store_kind kind, bool planar,
                         const double *wanted)
{
    void *const params = reals_of(l, CLSP_F32, planar);
    store in[2] = {store_make(ctx, kind, CLSP_U32, 3, l->num, l->cells),
                   store_make(ctx, kind, CLSP_F32, 1, 3 * l->num, params)};
    store out = store_make(ctx, kind, CLSP_F32, 2, 3 * l->num, NULL);
    const clsp_points points = {
        .num = l->num, .item = store_in(&in[0]), .params = store_in(&in[1]), .planar = planar};

    assert_ok(ctx, clsp_solid_eval_points(plan, &points, store_out(&out), NULL));
    const float *const got = (const float *)(const void *)store_read(&out);
    for (size_t i = 0; i < 3 * l->num; i++)
        assert_true((double)got[i] == wanted[i]);
    store_free(&in[0]);
    store_free(&in[1]);
    store_free(&out);
    free(params);
}

static void test_memory(void **state)
{
    solid_case prism = solid_prism(5, 1, 2);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    list l = list_make(1000, m.counts.num_cells, 4);
    double *const wanted = evaluate(plan, &l, CLSP_F32, 3, CLSP_SCHEDULE_DEVICE);

    (void)state;
    for (store_kind kind = HOST; kind < STORE_KINDS; kind++)
        for (int planar = 0; planar < 2 && has_kind(ctx, kind); planar++)
            check_memory(plan, &l, kind, planar, wanted);
    free(wanted);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* Parameters alone, which take no sums: those of the points again. */
static void test_params_alone(void **state)
{
    enum { NUM = 300 };
    solid_case prism = solid_prism(3, 1, 3);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3, .vertex = {.attributes = CLSP_VERTEX_PARAMS}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    list l = list_make(NUM, m.counts.num_cells, 6);
    float *const params = reals_of(&l, CLSP_F32, false);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        double *const made =
            evaluate(plan, &l, CLSP_F32, 3, k ? CLSP_SCHEDULE_DEVICE : CLSP_SCHEDULE_DEFAULT);
        for (size_t i = 0; i < 3 * (size_t)NUM; i++)
            assert_true(made[i] == (double)fminf(fmaxf(params[i], 0.0f), 1.0f) || isnan(made[i]));
        free(made);
    }
    free(params);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* From and to a CPU's own memory a call without a share is the host's, bit by bit. */
static void test_host(void **state)
{
    solid_case prism = solid_prism(5, 1, 2);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    list l = list_make(1000, m.counts.num_cells, 4);
    double *const made = evaluate(plan, &l, CLSP_F32, 3, CLSP_SCHEDULE_DEFAULT);
    double *const by_host = evaluate(plan, &l, CLSP_F32, 3, CLSP_SCHEDULE_HOST);
    const bool is_host =
        support_device().device_class == CLSP_CLASS_CPU && !given_limits() && !solid_limits;

    (void)state;
    for (size_t i = 0; i < 3 * l.num; i++)
        assert_true(fabs(made[i] - by_host[i]) <= (is_host ? 0.0 : 3e-7 * m.scale));
    free(made);
    free(by_host);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* Tells whether the host finds the weights of all lists, for which it waits: on Mesa's llvmpipe. */
static bool waits_for_host(void)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return strstr(info.name, "llvmpipe") != NULL;
}

/* A list that is on the device is only enqueued: the call returns before what it waits for has
   happened, and takes parameters that are written then. */
static void test_enqueued(void **state)
{
    enum { NUM = 300 };
    if (waits_for_host()) skip();
    solid_case prism = solid_prism(3, 1, 3);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    list l = list_make(NUM, m.counts.num_cells, 6);
    double *const wanted = evaluate(plan, &l, CLSP_F32, 3, CLSP_SCHEDULE_DEVICE);
    void *const params = reals_of(&l, CLSP_F32, false);
    store in[2] = {store_make(ctx, BUFFER, CLSP_U32, 0, NUM, l.cells),
                   store_make(ctx, BUFFER, CLSP_F32, 0, 3 * (size_t)NUM, params)};
    store out = store_make(ctx, BUFFER, CLSP_F32, 0, 3 * (size_t)NUM, NULL);
    const clsp_points points = {.num = NUM, .item = store_in(&in[0]), .params = store_in(&in[1])};
    cl_context context;
    cl_int status;
    cl_event done;

    (void)state;
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    const cl_event go = clCreateUserEvent(context, &status);
    assert_int_equal(status, CL_SUCCESS);
    const clsp_run run = {.num_wait = 1, .wait = &go, .done = &done};
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, store_out(&out), &run));
    assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    const float *const got = (const float *)(const void *)store_read(&out);
    for (size_t i = 0; i < 3 * (size_t)NUM; i++)
        assert_true((double)got[i] == wanted[i]);
    clReleaseEvent(go);
    clReleaseEvent(done);
    store_free(&in[0]);
    store_free(&in[1]);
    store_free(&out);
    free(params);
    free(wanted);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* ---- trees that are too large ---- */

/* A device with buffers too small for trees gets weights from the host. */
static void test_small_buffers(void **state)
{
    static const clsp_context_opts opts = {.limits =
                                               "class=discrete,local_is_real=1,alloc=8388608"};
    clsp_context *const large = ctx;
    if (solid_limits) skip();
    support_needs_opencl(ctx);
    solid_case prism = solid_prism(12, 0, 1);

    (void)state;
    assert_int_equal(clsp_context_create(&ctx, NULL, &opts), CLSP_OK);
    solid_jitter(&prism, 0.15, 1);
    check_solid("small buffers", &prism, 500, 2);
    clsp_context_destroy(&ctx);
    ctx = large;
    solid_free(&prism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_parts),
        cmocka_unit_test(test_deep),         cmocka_unit_test(test_channels),
        cmocka_unit_test(test_layouts),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_params_alone), cmocka_unit_test(test_host),
        cmocka_unit_test(test_enqueued),     cmocka_unit_test(test_small_buffers),
    };

    support_begin();
    return solid_run_tests(tests);
}
