/* Evaluations that devices and the host's cores share: every schedule over forms,
 * layouts and kinds of memory, what the reports say, plans that change, joined devices, tuning, and
 * wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared_fixture.h"
#include "support.h"
#include "tile_fixture.h"

static const clsp_share measured = {.measure = 1};

/* ---- every schedule, over forms and layouts ---- */

enum { SCHEDULES = CLSP_NUM_SCHEDULES };

static void check_way(shared *j, memory_kind kind, const clsp_share *opts)
{
    const shared_call c = call_of(j, kind);

    shared_check_way(&c, kind, opts);
}

static void check_shape(clsp_context *ctx, const shape *s, clsp_type precision, bool all)
{
    shared j = shared_start(ctx, s, precision);

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < (all ? SHARED_WAYS : SCHEDULES); i++)
            if (!tiny() || i % KINDS == (size_t)kind)
                check_way(&j, (memory_kind)kind, &shared_ways[i]);
    shared_finish(&j);
}

/* Every way of calling in one precision of each case, and in both of the first two. */
static void check_shapes(clsp_context *ctx, clsp_type precision)
{
    const size_t wide = precision == CLSP_F64;

    assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
    for (size_t i = 0; i < SHARED_SHAPES; i++) {
        const shape s = reduced(&shared_shapes[i]);
        if (!shape_in_turn(i, precision) || (tiny() && i % 3 != wide)) continue;
        check_shape(ctx, &s, precision, !is_thin() || i < 2 || i % 2 == wide);
    }
}

static void test_schedules(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, check_shapes);
    print_message("worst/bound %.2f\n", shared_worst());
}

static void test_auto(void **state)
{
    const shape s = reduced(&shared_shapes[1]);
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    const shared_call c = call_of(&j, SHARED);

    (void)state;
    shared_check_auto(&c, SHARED);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* Patch grids: by all processors, and without them again. */
static void test_patch_grids(void **state)
{
    static const uint32_t nums[] = {5, 3, 1, 9, 17, 12};
    const shape s = {"grids", {.degree = {3, 3}, .axis = {{.num = 4}, {.num = 4}}}, 3, 0, 3, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    assert_int_equal(clsp_patch_set_grids(j.plan, NULL, 3, clsp_in_u32(nums, 6)), CLSP_OK);
    j.num = 9 + 17 * 12;
    j.s.first = 1;
    j.s.count = 2;
    j.bytes = j.num * j.l.stride * j.l.element;
    free(j.reference);
    j.reference = malloc(j.bytes);
    assert_int_equal(eval_host(j.plan, &j.l, 1, 2, j.reference), CLSP_OK);
    for (int k = CLSP_SCHEDULE_DYNAMIC; k < CLSP_NUM_SCHEDULES; k++)
        check_way(&j, SHARED, &shared_ways[k]);
    assert_int_equal(clsp_patch_set_grids(j.plan, NULL, 0, clsp_in_u32(NULL, 0)), CLSP_OK);
    j.s = s;
    make_reference(&j);
    check_way(&j, SHARED, &shared_ways[CLSP_SCHEDULE_HOST]);
    check_way(&j, PLAIN, &shared_ways[CLSP_SCHEDULE_DYNAMIC]);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* As many workers as there can be: more threads than cores, or than the system has. */
static void test_many_workers(void **state)
{
    const shape s = reduced(&shared_shapes[2]);
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    assert_int_equal(clsp_context_set_workers(ctx, tiny() ? 3 : CLSP_MAX_WORKERS), CLSP_OK);
    for (int k = CLSP_SCHEDULE_SVM; k < CLSP_NUM_SCHEDULES; k++)
        check_way(&j, SHARED, &shared_ways[k]);
    assert_int_equal(clsp_context_set_workers(ctx, CLSP_NO_WORKERS), CLSP_OK);
    for (int k = CLSP_SCHEDULE_DEVICE; k < CLSP_NUM_SCHEDULES; k++)
        check_way(&j, SHARED, &shared_ways[k]);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- plans that change ---- */

static void check_schedules(shared *j, uint32_t num_processors, bool alike, uint64_t tiles[])
{
    static const clsp_share devices_alone = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    clsp_report r;

    make_reference(j);
    for (size_t i = 0; i <= SCHEDULES; i++) {
        check_call(j, (memory_kind)(i % KINDS), i < SCHEDULES ? &shared_ways[i] : &devices_alone,
                   num_processors, alike, &r);
        for (uint32_t p = 0; p < num_processors; p++)
            tiles[p] += r.processors[p].tiles;
    }
}

/* Each schedule sees each change. */
static void check_changes(clsp_context *ctx, uint32_t num_processors, uint64_t tiles[])
{
    const shape s = {
        "changes",      {.degree = {3, 3}, .axis = {{.num = 64}, {.num = tiny() ? 3 : 65}}},
        tiny() ? 2 : 9, 1,
        tiny() ? 1 : 8, 0};
    shared j = shared_start(ctx, &s, CLSP_F32);

    check_schedules(&j, num_processors, true, tiles);
    reload(&j);
    check_schedules(&j, num_processors, true, tiles);
    change_grid(&j, tiny() ? 33 : 129, tiny() ? 5 : 35);
    check_schedules(&j, num_processors, true, tiles);
    change_degrees(&j, 5, 2);
    check_schedules(&j, num_processors, true, tiles);
    reload_from_buffer(&j);
    check_schedules(&j, num_processors, true, tiles);
    j.s.num_patches = j.s.count + 5; /* more of them */
    reload(&j);
    check_schedules(&j, num_processors, true, tiles);
    change_degrees(&j, 1, 1);
    change_grid(&j, 7, tiny() ? 13 : 130);
    check_schedules(&j, num_processors, true, tiles);
    shared_finish(&j);
}

static void test_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARED_LIMITS; i++) {
        clsp_context *ctx = context_with(shared_limits[i]);
        uint64_t tiles[2] = {0};
        check_changes(ctx, 2, tiles);
        assert_true(tiles[0] > 0 && tiles[1] > 0);
        clsp_context_destroy(&ctx);
        if (given_limits() || tiny()) break;
    }
}

/* ---- joined devices ---- */

static void test_same_device_twice(void **state)
{
    (void)state;
    shared_skip_on_oclgrind();
    for (size_t i = 0; i < SHARED_LIMITS; i++) {
        clsp_context *ctx = context_with(shared_limits[i]),
                     *other = context_apart(shared_limits[i]);
        uint64_t tiles[3] = {0};
        assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
        check_changes(ctx, 3, tiles);
        assert_true(tiles[0] > 0 && tiles[2] > 0 && (tiny() || tiles[1] > 0));
        clsp_context_destroy(&ctx);
        clsp_context_destroy(&other);
        if (given_limits() || tiny()) break;
    }
}

static clsp_device_class class_of(clsp_context *ctx)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return info.device_class;
}

/* A device that joins between two calls, one whose kernels are not the same, and what devices alone
   can make. */
static void test_joins_later(void **state)
{
    static const clsp_share equal = {.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1};
    const shape *const made[] = {&shared_shapes[0], &shared_shapes[14], &shared_shapes[15],
                                 &shared_shapes[16]};
    shared jobs[COUNT(made)];
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *ctx = context_with(""), *other = context_apart("");
    clsp_context *unlike = context_apart(
        class_of(ctx) == CLSP_CLASS_CPU ? "class=discrete,local_is_real=1" : "class=cpu");
    for (size_t i = 0; i < COUNT(made); i++) {
        const shape s = reduced(made[i]);
        jobs[i] = shared_start(ctx, &s, CLSP_F32);
        check_call(&jobs[i], PLAIN, &equal, 2, true, &r);
        assert_int_equal(r.schedule, CLSP_SCHEDULE_DEVICE);
    }
    assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
    for (size_t i = 0; i < COUNT(made); i++) {
        check_call(&jobs[i], UNALIGNED, &equal, 3, true, &r);
        assert_int_equal(r.schedule, CLSP_SCHEDULE_DYNAMIC);
        assert_int_equal(host_of(&r)->tiles, 0);
        shared_all_ok(&r);
    }
    assert_int_equal(clsp_context_join(ctx, unlike), CLSP_OK);
    for (size_t i = 0; i < COUNT(made); i++) {
        check_call(&jobs[i], PLAIN, &equal, 4, true, &r);
        if (!given_limits()) assert_int_equal(r.processors[2].tiles, 0);
        shared_finish(&jobs[i]);
    }
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
    clsp_context_destroy(&unlike);
}

enum { DEVICES = 4 };

static clsp_context *context_on(size_t index)
{
    const clsp_context_opts opts = {.device = (const char[]){(char)('0' + index), '\0'}};
    clsp_context *ctx;

    assert_int_equal(clsp_context_create(&ctx, NULL, &opts), CLSP_OK);
    return ctx;
}

/* The first context with all others joined. A device without doubles drops out of a job in double,
   and the others finish it. */
static void check_together(clsp_context *contexts[], size_t num, clsp_type precision)
{
    const shape s = reduced(&shared_shapes[1]);
    uint64_t tiles[DEVICES + 1] = {0};
    clsp_report r;
    shared j = shared_start(contexts[0], &s, precision);

    check_schedules(&j, (uint32_t)num + 1, false, tiles);
    check_call(&j, PLAIN, &(clsp_share){.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1},
               (uint32_t)num + 1, false, &r);
    for (size_t d = 0; d < num; d++) {
        const bool can = precision == CLSP_F32 || has_fp64(contexts[d]);
        assert_int_equal(r.processors[d].status, can ? CLSP_OK : CLSP_ERROR_NO_FP64);
        if (!can) assert_int_equal(tiles[d], 0);
        if (can && !tiny()) assert_true(tiles[d] > 0);
    }
    check_call(&j, PLAIN, &(clsp_share){.bit_equal = 1}, (uint32_t)num + 1, false, &r);
    shared_finish(&j);
}

static void test_all_devices(void **state)
{
    clsp_device_info infos[DEVICES];
    size_t num = 0;

    (void)state;
    assert_int_equal(clsp_device_list(infos, DEVICES, &num), CLSP_OK);
    num--; /* the host, which is the last one */
    if (num > DEVICES) num = DEVICES;
    if (num < 2) {
        print_message("skipped: one device\n");
        skip();
    }
    for (size_t first = 0; first < num; first++) {
        clsp_context *contexts[DEVICES];
        for (size_t d = 0; d < num; d++)
            contexts[d] = context_on((first + d) % num);
        for (size_t d = 1; d < num; d++)
            assert_int_equal(clsp_context_join(contexts[0], contexts[d]), CLSP_OK);
        check_together(contexts, num, CLSP_F32);
        if (has_fp64(contexts[0])) check_together(contexts, num, CLSP_F64);
        for (size_t d = 0; d < num; d++)
            clsp_context_destroy(&contexts[d]);
    }
}

/* ---- tuning ---- */

typedef struct messages {
    unsigned warnings;
} messages;

static void count_warnings(void *user, clsp_log_level level, const char *text)
{
    messages *const m = user;

    (void)text;
    if (level == CLSP_LOG_WARNING) m->warnings++;
}

static clsp_context *listening(messages *m, const char *speeds)
{
    const clsp_context_opts opts = {.log = count_warnings, .log_user = m};
    clsp_context *ctx;

    assert_int_equal(clsp_context_create(&ctx, NULL, &opts), CLSP_OK);
    assert_int_equal(clsp_context_set_speeds(ctx, speeds), CLSP_OK);
    m->warnings = 0;
    return ctx;
}

/* An AUTO call on a new context; returns whether it knew speeds, and counts warnings. */
static bool knows_speeds(const char *speeds, messages *m, bool transposed)
{
    shape s = reduced(&shared_shapes[1]);
    const uint32_t num_u = s.d.axis[0].num;
    if (transposed) {
        s.d.axis[0].num = s.d.axis[1].num;
        s.d.axis[1].num = num_u;
    }
    clsp_context *ctx = listening(m, speeds);
    shared j = shared_start(ctx, &s, CLSP_F32);
    clsp_report r;
    bool known = false;

    check_call(&j, SHARED, &shared_ways[CLSP_SCHEDULE_DEFAULT], 2, true, &r);
    for (int k = CLSP_SCHEDULE_DEVICE; k <= CLSP_SCHEDULE_HOST; k++)
        known = known || strstr(r.reason[k], "expected");
    shared_finish(&j);
    clsp_context_destroy(&ctx);
    return known;
}

static void tune_into(const char *path)
{
    const shape s = reduced(&shared_shapes[1]);
    messages m;
    clsp_context *ctx = listening(&m, path);
    shared j = shared_start(ctx, &s, CLSP_F32);
    memory out = take_memory(ctx, SHARED, j.bytes, j.l.element);
    clsp_report r;

    assert_int_equal(shared_eval(j.plan, &j.l, j.s.first, j.s.count, out.out, &measured, &r),
                     CLSP_OK);
    check_all(&j, out.out);
    free_memory(&out);
    assert_int_equal(r.num_processors, 2);
    assert_true(r.num_tiles > 0 && r.probe_ms > 0);
    for (uint32_t p = 0; p < 2; p++) {
        assert_int_equal(r.processors[p].tiles, r.num_tiles);
        assert_int_equal(r.processors[p].status, CLSP_OK);
    }
    check_call(&j, SHARED, &shared_ways[CLSP_SCHEDULE_DEFAULT], 2, true, &r);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

static void overwrite(const char *path, size_t at, const char *text)
{
    FILE *const file = fopen(path, "r+");

    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_tuning(void **state)
{
    char folder[] = "/tmp/clspline-speeds-XXXXXX", path[64];
    messages m;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/speeds", folder);
    assert_false(knows_speeds("", &m, false));
    assert_int_equal(m.warnings, 0);
    assert_false(knows_speeds(path, &m, false)); /* named, and missing */
    assert_int_equal(m.warnings, 1);
    tune_into(path);
    assert_true(knows_speeds(path, &m, false));
    assert_int_equal(m.warnings, 0);
    assert_true(knows_speeds(path, &m, true)); /* other tiles */
    overwrite(path, 0, "not a checksum");
    knows_speeds(path, &m, false);
    assert_int_equal(m.warnings, 1);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 3000; i++)
        fputc(i % 251, file);
    fclose(file);
    assert_false(knows_speeds(path, &m, false));
    assert_true(m.warnings > 0);
    tune_into(path); /* and the file is whole again */
    assert_true(knows_speeds(path, &m, false));
    assert_int_equal(m.warnings, 0);
    unlink(path);
    rmdir(folder);
}

/* ---- wrong arguments ---- */

static void check_wrong_options(shared *j, memory *m)
{
    const clsp_share wrong[] = {{.schedule = (clsp_schedule)CLSP_NUM_SCHEDULES},
                                {.schedule = (clsp_schedule)-1},
                                {.static_ratio = 1.5},
                                {.static_ratio = NAN},
                                {.measure = 2},
                                {.measure = 1, .schedule = CLSP_SCHEDULE_HOST},
                                {.measure = 1, .tiles = {0, 1}},
                                {.tiles = {0, SIZE_MAX}},
                                {.tiles = {SIZE_MAX, 1}},
                                {.reserved = {1}},
                                {.reserved = {0, 0, 0, UINT64_MAX}}};

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(shared_eval(j->plan, &j->l, 0, 1, m->out, &wrong[i], NULL),
                         CLSP_ERROR_ARGUMENT);
}

static void check_wrong_calls(shared *j, memory *m)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const size_t size = j->bytes / sizeof(float);
    const clsp_output out = host_out(CLSP_F32, m->out, size);

#define COOPERATE(expected, plan, first, count, out)                                               \
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){first, count}, out,                        \
                                     &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),       \
                     expected)
    COOPERATE(bad, NULL, 0, 1, out);
    COOPERATE(bad, j->plan, 0, 1, host_out(CLSP_F32, NULL, size));
    COOPERATE(bad, j->plan, 0, 1, host_out(CLSP_F64, m->out, size));
    COOPERATE(bad, j->plan, 0, 1, host_out(CLSP_F16, m->out, size));
    COOPERATE(bad, j->plan, 0, 1, host_out(CLSP_U32, m->out, size));
    COOPERATE(CLSP_ERROR_BUFFER_SIZE, j->plan, 0, 3, host_out(CLSP_F32, m->out, size - 1));
    COOPERATE(bad, j->plan, 3, 1, out);
    COOPERATE(bad, j->plan, 1, 3, out);
    COOPERATE(bad, j->plan, 1, SIZE_MAX, out);
    COOPERATE(CLSP_OK, j->plan, 3, 0, host_out(CLSP_F32, NULL, 0));
#undef COOPERATE
    assert_int_equal(shared_eval(NULL, &j->l, 0, 1, m->out, &measured, NULL), bad);
    assert_int_equal(shared_eval(j->plan, &j->l, 0, 4, m->out, &measured, NULL), bad);
    assert_int_equal(shared_eval(j->plan, &j->l, 0, 0, m->out, &measured, NULL), bad);
}

static void test_wrong_arguments(void **state)
{
    static const uint32_t nums[] = {5, 3, 1, 9};
    const shape s = {"wrong", {.degree = {3, 3}, .axis = {{.num = 40}, {.num = 5}}}, 3, 0, 3, 0};
    const shape t = {
        "triangles", {.form = CLSP_BEZIER_TRIANGLE, .degree = {2}, .axis = {{.num = 9}}},
        3,           0,
        3,           0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32), k = shared_start(ctx, &t, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);

    (void)state;
    check_wrong_calls(&j, &m);
    check_wrong_options(&j, &m);
    check_wrong_options(&k, &m);
    assert_int_equal(clsp_patch_set_grids(j.plan, NULL, 2, clsp_in_u32(nums, 4)), CLSP_OK);
    assert_int_equal(shared_eval(j.plan, &j.l, 0, 1, m.out, NULL, NULL), CLSP_ERROR_STATE);
    assert_poison(m.out, m.bytes);
    free_memory(&m);
    shared_finish(&j);
    shared_finish(&k);
    clsp_context_destroy(&ctx);
}

/* Plans without control points, and without a grid. */
static void test_wrong_states(void **state)
{
    clsp_bezier_desc d = surface(CLSP_F32, 1, 1, 3, 40, 5);
    float controls[12] = {0}, points[40 * 5 * 3] = {0};
    const clsp_output out = clsp_out_f32(points, COUNT(points));
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        if (i == 1)
            assert_int_equal(
                clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, 12), NULL), CLSP_OK);
        for (size_t count = 0; count < 2; count++)
            assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, count}, out,
                                             &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                             CLSP_ERROR_STATE);
        assert_int_equal(
            clsp_patch_eval(plan, (clsp_range){0, 1}, out, &(clsp_run){.share = &measured}),
            CLSP_ERROR_STATE);
        assert_int_equal(eval_by_caller(plan, (clsp_range){0, 0}, out), CLSP_ERROR_STATE);
        clsp_patch_plan_destroy(&plan);
        d.axis[0].num = d.axis[1].num = 0;
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),    cmocka_unit_test(test_auto),
        cmocka_unit_test(test_patch_grids),  cmocka_unit_test(test_many_workers),
        cmocka_unit_test(test_changes),      cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_joins_later),  cmocka_unit_test(test_all_devices),
        cmocka_unit_test(test_tuning),       cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_wrong_states),
    };

    if (support_no_device()) return 77;
    support_stand_in();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
