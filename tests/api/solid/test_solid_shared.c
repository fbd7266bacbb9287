/* Solids that devices and the host's cores evaluate together: every schedule against the calls of
   the device alone, on grids of cells and at lists of parameters, of cells of every kind, values
   and derivatives; joined devices, control points that change, devices that drop out, and wrong
   arguments. */
#include "solid_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "schedule_fixture.h"

enum { MANY = 100000 }; /* cells: all there are */

typedef struct solid_shape {
    const char *name;
    solid_case (*make)(void);
    uint32_t dim;
    const clsp_axis *axis;
    uint32_t attributes;         /* 0: points */
    size_t first, count, points; /* cells; parameters of a list, 0: cells' grids */
    clsp_solid_method method;
} solid_shape;

/* A solid with what is asked of it, and what the device alone makes of it. */
typedef struct solid_job {
    solid_shape s;
    model m;
    clsp_type precision;
    clsp_solid_plan *plan;
    clsp_range cells;
    void *list; /* cells of points */
    void *params;
    size_t size, bytes; /* of the output */
    unsigned char *reference;
} solid_job;

static double worst;

/* ---- calls ---- */

static clsp_output out_of(const solid_job *j, void *out)
{
    return host_out(j->precision, out, j->size);
}

static clsp_points points_of(const solid_job *j)
{
    return (clsp_points){.num = j->s.points,
                         .item = host_in(CLSP_U32, j->list, j->s.points),
                         .params = host_in(j->precision, j->params, 3 * j->s.points)};
}

static clsp_status evaluate(const solid_job *j, void *out, const clsp_run *run)
{
    const clsp_points points = points_of(j);

    if (j->s.points) return clsp_solid_eval_points(j->plan, &points, out_of(j, out), run);
    return clsp_solid_eval(j->plan, j->cells, out_of(j, out), run);
}

static clsp_status together(void *work, void *out, const clsp_share *share, clsp_report *report)
{
    const clsp_share whole = {.schedule = CLSP_SCHEDULE_DEFAULT};

    return evaluate(work, out, &(clsp_run){.share = share ? share : &whole, .report = report});
}

/* ---- jobs ---- */

/* Parameters in and beyond cells, and two that are nowhere. */
static void make_list(solid_job *j)
{
    uint64_t seed = 3;

    uint32_t *const list = malloc((j->s.points + 1) * sizeof *list);
    j->list = list;
    j->params = malloc((3 * j->s.points + 1) * sizeof(double));
    assert_non_null(j->list);
    assert_non_null(j->params);
    for (size_t i = 0; i < j->s.points; i++) {
        list[i] = (uint32_t)(support_random(&seed) % j->m.counts.num_cells);
        for (size_t a = 0; a < 3; a++)
            set_element(j->params, j->precision, 3 * i + a, 0.5 + 0.55 * support_uniform(&seed));
    }
    if (j->s.points > 9) {
        list[4] = (uint32_t)j->m.counts.num_cells;
        set_element(j->params, j->precision, 3 * 7 + 1, (double)NAN);
    }
}

static void make_reference(solid_job *j)
{
    support_poison(j->reference, j->bytes);
    const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};
    assert_ok(ctx, j->s.points ? evaluate(j, j->reference, &(clsp_run){.share = &by_device})
                               : solid_eval_by_device(j->plan, j->cells, out_of(j, j->reference)));
}

static solid_job start_job(clsp_context *given, const solid_shape *s, clsp_type precision)
{
    solid_case solid = s->make();
    solid_job j = {.s = *s, .precision = precision};
    clsp_solid_desc desc = {.precision = precision,
                            .dim = s->dim,
                            .vertex = {.attributes = s->attributes},
                            .method = s->method};

    ctx = given;
    memcpy(desc.axis, s->axis, sizeof desc.axis);
    j.m = solid_model_of(&solid, s->dim);
    j.plan = solid_plan_of(&j.m, &desc);
    solid_free(&solid);
    const size_t left = j.m.counts.num_cells - s->first;
    j.cells = (clsp_range){s->first, s->count < left ? s->count : left};
    assert_ok(ctx, clsp_solid_plan_desc(j.plan, &desc));
    j.size = desc.vertex.stride *
             (s->points ? s->points
                        : j.cells.count * desc.axis[0].num * desc.axis[1].num * desc.axis[2].num);
    j.bytes = j.size * clsp_type_bytes(precision);
    make_list(&j);
    j.reference = malloc(j.bytes + 1);
    assert_non_null(j.reference);
    make_reference(&j);
    return j;
}

static void finish_job(solid_job *j)
{
    clsp_solid_plan_destroy(&j->plan);
    solid_model_free(&j->m);
    free(j->list);
    free(j->params);
    free(j->reference);
}

/* Loads the points turned, for which the reference is made again. */
static void load_others(solid_job *j)
{
    const size_t num = j->m.counts.num_vertices * j->m.dim;
    double *const reals = malloc(num * sizeof *reals);

    assert_non_null(reals);
    for (size_t i = 0; i < num; i++) {
        j->m.points[i] = -0.75 * j->m.points[i];
        set_element(reals, j->precision, i, j->m.points[i]);
    }
    assert_ok(ctx, clsp_solid_set_control_points(j->plan, host_in(j->precision, reals, num), NULL));
    free(reals);
    make_reference(j);
}

/* Each processor is within the accuracy of solid.h, derivatives within what test_solid asks. */
static double bound_of(const solid_job *j)
{
    const bool is_value = j->s.attributes == 0;

    if (j->precision == CLSP_F64) return 2 * (is_value ? 1e-12 : 1e-10) * j->m.scale;
    return 2 * (is_value ? 1.5e-7 : 1e-5) * j->m.scale;
}

static void check_values(void *work, const unsigned char *got, bool same_bits)
{
    const solid_job *const j = work;
    const double bound = bound_of(j);

    if (memcmp(got, j->reference, j->bytes) == 0) return;
    if (same_bits) fail_msg("%s: other bits", j->s.name);
    for (size_t k = 0; k < j->size; k++) {
        const double x = element_of(got, j->precision, k),
                     y = element_of(j->reference, j->precision, k);
        const double error = isnan(x) && isnan(y) ? 0.0 : fabs(x - y);
        if (error / bound > worst) worst = error / bound;
        if (!(error <= bound)) fail_msg("%s: %g instead of %g at %zu", j->s.name, x, y, k);
    }
}

static shared_call call_of(solid_job *j)
{
    return (shared_call){.name = j->s.name,
                         .ctx = ctx,
                         .bytes = j->bytes,
                         .element = clsp_type_bytes(j->precision),
                         .host = j->s.points > 0 || j->s.method <= CLSP_SOLID_THREAD ||
                                 j->s.method == CLSP_SOLID_LATTICES,
                         .is_hosts = j->s.points > 0 &&
                                     (j->s.attributes || j->s.method == CLSP_SOLID_LATTICES),
                         .queue = QUEUE_PERHAPS,
                         .work = j,
                         .call = together,
                         .check = check_values};
}

/* ---- cases ---- */

/* Cells around one edge with an end, layered and irregular, and a gap with a crease. */
static solid_case creased_prism(void)
{
    solid_case prism = solid_prism(5, 0, 3);

    solid_crease(&prism, 0.5);
    solid_jitter(&prism, 0.15, 5);
    return prism;
}

static solid_case closed_prism(void)
{
    solid_case prism = solid_prism(7, 1, 4);

    solid_jitter(&prism, 0.1, 7);
    return prism;
}

static solid_case large_box(void)
{
    return support_tiny() ? solid_box(3, 3, 4) : solid_box(5, 6, 11);
}

static solid_case one_cell(void)
{
    return solid_box(1, 1, 1);
}

static const clsp_axis one_sample[3] = {
    {1, 0.25, 0.25, NULL}, {1, 0.5, 0.5, NULL}, {1, 0, 0, NULL}};
static const clsp_axis long_axes[3] = {{3, 0, 1, NULL}, {9, 0, 1, NULL}, {37, 1, 0, NULL}};
static const clsp_axis inside[3] = {
    {8, 0.25, 0.75, NULL}, {8, 0.125, 0.875, NULL}, {8, 0.75, 0.25, NULL}};

enum {
    FIRST = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW,
    SECOND = CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV | CLSP_VERTEX_DUW |
             CLSP_VERTEX_DVW | CLSP_VERTEX_DWW,
    OTHERS = CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS | CLSP_VERTEX_JACOBIAN
};

static const solid_shape shapes[] = {
    {"a box", large_box, 3, axes_of_4, 0, 0, MANY, 0, 0},
    {"a prism", closed_prism, 3, axes_of_9, 0, 0, MANY, 0, 0},
    {"a creased prism", creased_prism, 3, axes_of_4, 0, 0, MANY, 0, 0},
    {"a part, odd", creased_prism, 3, odd_axes, 0, 5, 33, 0, 0},
    {"one channel", closed_prism, 1, axes_of_9, 0, 3, MANY, 0, 0},
    {"five dim", creased_prism, 5, axes_of_4, 0, 0, MANY, 0, 0},
    {"sixteen dim", large_box, 16, inner_axes, 0, 1, MANY, 0, 0},
    {"two dim", closed_prism, 2, inner_axes, 0, 1, MANY, 0, 0},
    {"long rows", creased_prism, 3, long_axes, 0, 0, MANY, 0, 0},
    {"slopes", closed_prism, 3, inside, CLSP_VERTEX_DV, 0, MANY, 0, 0},
    {"slopes of a box", large_box, 3, inside, CLSP_VERTEX_DU, 0, MANY, 0, 0},
    {"second derivatives", creased_prism, 4, inner_axes, CLSP_VERTEX_DUW, 0, MANY, 0, 0},
    {"a sample of each", closed_prism, 3, one_sample, 0, 0, MANY, 0, 0},
    {"a cell", one_cell, 3, axes_of_9, 0, 0, 1, 0, 0},
    {"a cell of many", closed_prism, 3, axes_of_4, 0, 40, 1, 0, 0},
    {"no cells", closed_prism, 3, axes_of_4, 0, 40, 0, 0, 0},
    {"point by point", creased_prism, 3, axes_of_4, 0, 0, MANY, 0, CLSP_SOLID_THREAD},
    {"a list", closed_prism, 3, axes_of_4, 0, 0, 0, 999, 0},
    {"a list of two dim", creased_prism, 2, axes_of_4, 0, 0, 0, 100, 0},
    {"slopes of a list", large_box, 3, axes_of_4, CLSP_VERTEX_DW, 0, 0, 300, 0},
    {"one point", creased_prism, 3, axes_of_4, 0, 0, 0, 1, 0},
    {"all of a prism", closed_prism, 3, inside, FIRST | SECOND | OTHERS, 0, MANY, 0, 0},
    {"gradients", creased_prism, 3, odd_axes, FIRST, 0, MANY, 0, 0},
    {"normals of a box", large_box, 3, axes_of_4, OTHERS, 0, MANY, 0, 0},
    {"all of a list", closed_prism, 3, axes_of_4, FIRST | SECOND | OTHERS, 0, 0, 99, 0},
    {"gradients with five dim", creased_prism, 5, axes_of_4, FIRST, 0, MANY, 0, 0},
    {"by lattices", creased_prism, 3, axes_of_4, 0, 0, MANY, 0, CLSP_SOLID_LATTICES},
    {"a list beside lattices", closed_prism, 3, axes_of_4, 0, 0, 0, 99, CLSP_SOLID_LATTICES},
};

static bool is_built(const solid_shape *s)
{
    return s->method != CLSP_SOLID_THREAD || support_has_methods();
}

static void check_shapes(clsp_context *given, clsp_type precision)
{
    assert_ok(given, clsp_context_set_speeds(given, ""));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if (!in_turn(i) || !is_built(&shapes[i])) continue;
        if (support_tiny() && i % 4 != (precision == CLSP_F64)) continue;
        solid_job j = start_job(given, &shapes[i], precision);
        const shared_call call = call_of(&j);
        for (size_t k = 0; k < SHARED_WAYS; k++)
            shared_check_way(&call, (memory_kind)((i + k) % KINDS), &shared_ways[k]);
        finish_job(&j);
    }
}

static void test_schedules(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 2, check_shapes);
    print_message("worst/bound %.2f\n", worst);
}

/* Tells whether persistent kernels make a shape's cells or points. */
static bool is_queued(const solid_shape *s)
{
    return s->points > 0 ? s->attributes == 0 && s->method == 0 : s->method == 0 && s->count > 0;
}

/* Has device and host take tiles from one queue, some times: vertices have the bits of one of them.
 */
static void check_queue(const solid_job *j, const unsigned char *by_host)
{
    enum { CALLS = 5 };
    static const clsp_share svm = {.schedule = CLSP_SCHEDULE_SVM};
    const shared_either either = {.name = j->s.name,
                                  .ctx = ctx,
                                  .type = j->precision,
                                  .has_roots = (j->s.attributes & CLSP_VERTEX_NORMAL) != 0,
                                  .by_device = j->reference,
                                  .by_host = by_host,
                                  .piece = j->bytes / (j->s.points ? j->s.points : j->cells.count)};

    for (int i = 0; i < CALLS; i++) {
        memory m = take_memory(ctx, SHARED, j->bytes, clsp_type_bytes(j->precision));
        clsp_report r;
        assert_ok(ctx, evaluate(j, m.out, &(clsp_run){.share = &svm, .report = &r}));
        shared_all_ok(&r);
        if (r.schedule != CLSP_SCHEDULE_SVM)
            fail_msg("%s: %s", j->s.name, r.reason[CLSP_SCHEDULE_SVM]);
        shared_check_either(&either, m.out, j->bytes);
        free_memory(&m);
    }
}

static void check_queues(clsp_context *given, clsp_type precision)
{
    static const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    if ((device_of(given).svm & both) != both) return;
    assert_ok(given, clsp_context_set_speeds(given, ""));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if (!is_queued(&shapes[i]) || (support_tiny() && i % 10 != (precision == CLSP_F64)))
            continue;
        solid_job j = start_job(given, &shapes[i], precision);
        unsigned char *const by_host = malloc(j.bytes);
        assert_non_null(by_host);
        memcpy(by_host, j.reference, j.bytes);
        assert_ok(given, evaluate(&j, by_host, &(clsp_run){.share = &host}));
        check_queue(&j, by_host);
        free(by_host);
        finish_job(&j);
    }
}

static void test_queue(void **state)
{
    static const char *const limits[] = {"class=integrated", "class=integrated,local_is_real=1"};

    (void)state;
    shared_skip_on_oclgrind();
    each_turn(limits, COUNT(limits), 2, check_queues);
}

/* Makes all in memory that is not aligned to its elements, by a share or on the calling thread. */
static void check_unaligned(const solid_job *aligned)
{
    const size_t params = 3 * aligned->s.points * sizeof(double);
    solid_job j = *aligned;
    unsigned char *const out = malloc(j.bytes + 1), *const given_at = malloc(params + 1);
    unsigned char *const list = malloc((j.s.points + 1) * sizeof(uint32_t));

    assert_true(out && given_at && list);
    memcpy(given_at + 1, j.params, params);
    memcpy(list + 1, j.list, j.s.points * sizeof(uint32_t));
    j.params = given_at + 1;
    j.list = list + 1;
    for (size_t k = 0; k <= SHARED_WAYS; k++) {
        const clsp_run run = {.share = k < SHARED_WAYS ? &shared_ways[k] : NULL};
        if (k < SHARED_WAYS && shared_ways[k].schedule == CLSP_SCHEDULE_SVM) continue;
        memcpy(out + 1, j.reference, j.bytes); /* what is between elements stays */
        if (j.bytes > 0) memset(out + 1, POISON, clsp_type_bytes(j.precision));
        assert_ok(ctx, evaluate(&j, out + 1, &run));
        check_values(&j, out + 1, false);
    }
    free(out);
    free(given_at);
    free(list);
}

static void test_unaligned(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if ((i % 3 > 0 && shapes[i].points == 0) || !is_built(&shapes[i])) continue;
        solid_job j = start_job(lent_context(shared_limits[i % 2]), &shapes[i], CLSP_F32);
        check_unaligned(&j);
        finish_job(&j);
    }
}

/* ---- several devices, points that change ---- */

/* Two contexts of one device with kernels: the joined one gets control points, and its bits are the
 * same. */
static void test_same_device_twice(void **state)
{
    static const clsp_share devices[] = {
        {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1},
        {.schedule = CLSP_SCHEDULE_DYNAMIC, .num_workers = CLSP_NO_WORKERS},
        {.schedule = CLSP_SCHEDULE_DYNAMIC}};
    uint64_t tiles = 0;
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *given = context_with(shared_limits[1]), *other = context_apart(shared_limits[1]);
    assert_ok(given, clsp_context_set_speeds(given, ""));
    assert_ok(given, clsp_context_join(given, other));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if ((support_tiny() ? i % 6 : !support_full() && i % 3) || !is_built(&shapes[i])) continue;
        solid_job j = start_job(given, &shapes[i], CLSP_F32);
        const shared_call call = call_of(&j);
        for (size_t k = 0; k < 2 * COUNT(devices); k++) {
            if (k == COUNT(devices)) load_others(&j);
            shared_check_call(&call, (memory_kind)(k % 2), &devices[k % 3], 3, true, &r);
            tiles += r.processors[1].tiles;
        }
        finish_job(&j);
    }
    assert_true(tiles > 0);
    clsp_context_destroy(&given);
    clsp_context_destroy(&other);
}

static void check_drop_out(clsp_context *given)
{
    solid_job j = start_job(given, &shapes[1], CLSP_F64);
    const shared_call call = call_of(&j);

    shared_check_drop_out(&call, PLAIN);
    finish_job(&j);
}

/* A joined device without doubles drops out, and the others make its tiles. */
static void test_drops_out(void **state)
{
    (void)state;
    shared_with_drop_out(check_drop_out);
}

/* ---- the calls ---- */

static void test_auto(void **state)
{
    clsp_context *given = context_with(shared_limits[1]);
    solid_job j = start_job(given, &shapes[1], CLSP_F32);
    const shared_call call = call_of(&j);

    (void)state;
    shared_check_auto(&call, PLAIN);
    finish_job(&j);
    clsp_context_destroy(&given);
}

static void check_wrong_grids(const solid_job *j, clsp_output good, cl_mem buffer)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const clsp_share wrong[] = {{.schedule = (clsp_schedule)CLSP_NUM_SCHEDULES},
                                {.static_ratio = 1.5},
                                {.tiles = {0, 1 << 20}},
                                {.tiles = {SIZE_MAX, 2}},
                                {.reserved = {0, 1}}};
    const clsp_share whole = {.schedule = CLSP_SCHEDULE_DEFAULT};
    const clsp_run shared = {.share = &whole};
    clsp_report report;
    const clsp_run no_share = {.report = &report};
    const clsp_range all = j->cells, beyond = {all.first + 1, all.count};

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(clsp_solid_eval(j->plan, all, good, &(clsp_run){.share = &wrong[i]}), bad);
    assert_int_equal(clsp_solid_eval(NULL, all, good, &shared), bad);
    assert_int_equal(clsp_solid_eval(j->plan, beyond, good, &shared), bad);
    assert_int_equal(clsp_solid_eval(j->plan, all, good, &no_share), bad);
    assert_int_equal(clsp_solid_eval(j->plan, all, clsp_out_buffer(buffer, CLSP_F32, 0), &shared),
                     bad);
    assert_int_equal(
        clsp_solid_set_control_points(
            j->plan, clsp_in_f32((const float *)(const void *)j->reference, 1), &shared),
        bad);
    good.size--;
    assert_int_equal(clsp_solid_eval(j->plan, all, good, &shared), CLSP_ERROR_BUFFER_SIZE);
}

static void check_wrong_lists(const solid_job *j, clsp_output good, cl_mem buffer)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const clsp_share whole = {.schedule = CLSP_SCHEDULE_DEFAULT};
    const clsp_run shared = {.share = &whole};
    clsp_points points = points_of(j);

    assert_int_equal(clsp_solid_eval_points(NULL, &points, good, &shared), bad);
    assert_int_equal(clsp_solid_eval_points(j->plan, NULL, good, &shared), bad);
    points.item = clsp_in_buffer(buffer, CLSP_U32, 0);
    assert_int_equal(clsp_solid_eval_points(j->plan, &points, good, &shared), bad);
    points = points_of(j);
    points.reserved[3] = 1;
    assert_int_equal(clsp_solid_eval_points(j->plan, &points, good, &shared), bad);
    points = points_of(j);
    points.planar = 2;
    assert_int_equal(clsp_solid_eval_points(j->plan, &points, good, &shared), bad);
    points = points_of(j);
    points.params.size--;
    assert_int_equal(clsp_solid_eval_points(j->plan, &points, good, &shared),
                     CLSP_ERROR_BUFFER_SIZE);
    points = points_of(j);
    points.num = SIZE_MAX / 2;
    assert_int_equal(clsp_solid_eval_points(j->plan, &points, good, &shared), CLSP_ERROR_NO_MEMORY);
    points.num = 0; /* is nothing to do */
    assert_ok(ctx, clsp_solid_eval_points(j->plan, &points, good, &shared));
}

static void test_wrong_arguments(void **state)
{
    clsp_context *given = context_with("");
    solid_job cells = start_job(given, &shapes[0], CLSP_F32);
    solid_shape list = shapes[17];
    list.make = large_box;
    solid_job points = start_job(given, &list, CLSP_F32);
    const size_t bytes = cells.bytes > points.bytes ? cells.bytes : points.bytes;
    memory m = take_memory(given, PLAIN, bytes, 4);
    const cl_mem buffer = buffer_of(given, bytes, NULL);
    clsp_solid_plan *unloaded;
    const clsp_solid_desc desc = {.axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    const clsp_share whole = {.schedule = CLSP_SCHEDULE_DEFAULT};

    (void)state;
    check_wrong_grids(&cells, out_of(&cells, m.out), buffer);
    check_wrong_lists(&points, out_of(&points, m.out), buffer);
    assert_ok(given, clsp_solid_plan_create(&unloaded, cells.m.mesh, &desc));
    assert_int_equal(
        clsp_solid_eval(unloaded, cells.cells, out_of(&cells, m.out), &(clsp_run){.share = &whole}),
        CLSP_ERROR_STATE);
    clsp_solid_plan_destroy(&unloaded);
    clReleaseMemObject(buffer);
    free_memory(&m);
    finish_job(&cells);
    finish_job(&points);
    clsp_context_destroy(&given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unaligned),       cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_queue),           cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_drops_out),       cmocka_unit_test(test_auto),
        cmocka_unit_test(test_wrong_arguments),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
