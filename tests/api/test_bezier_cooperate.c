/* Evaluations that devices and the host's cores share: every rung of the ladder over forms, layouts
 * and kinds of memory, what the reports say, plans that change, joined devices, tuning, and wrong
 * arguments. */
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

#include "bezier_fixture.h"
#include "shared_fixture.h"

/* ---- what is expected ---- */

/* On CPUs it is known before which devices can pop. */
static bool svm_can(const shared *j, memory_kind kind)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;
    const clsp_device_info info = device_of(j->ctx);
    const clsp_bezier_desc *const d = &j->l.d;

    return kind == SHARED && info.device_class == CLSP_CLASS_CPU && (info.svm & both) == both &&
           d->form == CLSP_BEZIER_SURFACE && host_can(&j->l) && !d->rational &&
           j->l.stride == j->l.dim && d->attributes == P;
}

static clsp_rung expected_rung(const shared *j, memory_kind kind, const clsp_cooperate_opts *opts)
{
    const bool host = host_can(&j->l) && !opts->bit_equal;
    const bool workers = host && opts->num_workers != CLSP_NO_WORKERS;
    clsp_rung rung = opts->rung;

    if (j->l.d.form == CLSP_BEZIER_TRIANGLE) return CLSP_RUNG_DEVICE;
    if (rung == CLSP_RUNG_SVM && !(svm_can(j, kind) && !opts->bit_equal)) rung = CLSP_RUNG_CHUNK;
    if ((rung == CLSP_RUNG_CHUNK || rung == CLSP_RUNG_STATIC) && !workers) rung = CLSP_RUNG_DEVICE;
    if (rung == CLSP_RUNG_HOST && !host) rung = CLSP_RUNG_DEVICE;
    return rung;
}

static void assert_all_ok(const clsp_cooperate_report *r)
{
    for (uint32_t p = 0; p < r->num_processors; p++)
        assert_int_equal(r->processors[p].status, CLSP_OK);
}

/* ---- every rung, over forms and layouts ---- */

static const clsp_cooperate_opts ways[] = {
    {.rung = CLSP_RUNG_AUTO},
    {.rung = CLSP_RUNG_SVM},
    {.rung = CLSP_RUNG_CHUNK},
    {.rung = CLSP_RUNG_STATIC},
    {.rung = CLSP_RUNG_DEVICE},
    {.rung = CLSP_RUNG_HOST},
    {.rung = CLSP_RUNG_AUTO, .bit_equal = 1},
    {.rung = CLSP_RUNG_SVM, .bit_equal = 1},
    {.rung = CLSP_RUNG_HOST, .bit_equal = 1},
    {.rung = CLSP_RUNG_STATIC, .static_ratio = 0.375},
    {.rung = CLSP_RUNG_STATIC, .static_ratio = 1},
    {.rung = CLSP_RUNG_STATIC, .static_ratio = -1},
    {.rung = CLSP_RUNG_CHUNK, .num_workers = 1},
    {.rung = CLSP_RUNG_CHUNK, .num_workers = CLSP_NO_WORKERS},
    {.rung = CLSP_RUNG_HOST, .num_workers = CLSP_NO_WORKERS},
};

/* The first six are the rungs themselves. */
enum { RUNGS = CLSP_NUM_RUNGS };

static void check_way(shared *j, memory_kind kind, const clsp_cooperate_opts *opts)
{
    clsp_cooperate_report r;

    check_call(j, kind, opts, 2, true, &r);
    assert_all_ok(&r);
    if (opts->rung == CLSP_RUNG_AUTO) {
        if (opts->bit_equal || !host_can(&j->l)) assert_int_equal(r.rung, CLSP_RUNG_DEVICE);
        return;
    }
    const clsp_rung wanted = expected_rung(j, kind, opts);
    const bool pops = opts->rung == CLSP_RUNG_SVM && r.rung == CLSP_RUNG_SVM; /* GPU classes */
    if (!pops && r.rung != wanted)
        fail_msg("%s: %s asked for, %s ran: %s", j->s.name, clsp_rung_name(opts->rung),
                 clsp_rung_name(r.rung), r.reason[wanted]);
    if (r.rung == CLSP_RUNG_STATIC && opts->static_ratio < 0)
        assert_int_equal(host_of(&r)->tiles, 0);
    if (r.rung == CLSP_RUNG_STATIC && opts->static_ratio >= 1)
        assert_int_equal(r.processors[0].tiles, 0);
}

static void check_shape(clsp_context *ctx, const shape *s, clsp_precision precision, bool all)
{
    shared j = shared_start(ctx, s, precision);

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < (all ? COUNT(ways) : RUNGS); i++)
            if (!tiny() || i % KINDS == (size_t)kind) check_way(&j, (memory_kind)kind, &ways[i]);
    shared_finish(&j);
}

static void check_shapes(clsp_context *ctx, clsp_precision precision, size_t limit)
{
    for (size_t i = 0; i < SHARED_SHAPES; i++) {
        const shape s = reduced(&shared_shapes[i]);
        if (s.precision && s.precision != (precision == CLSP_F64 ? 64 : 32)) continue;
        if (tiny() && (i + limit) % 3 != (precision == CLSP_F64)) continue;
        check_shape(ctx, &s, precision, i < 2 || i % 3 == limit);
    }
}

static void test_rungs(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARED_LIMITS; i++) {
        clsp_context *ctx = context_with(shared_limits[i]);
        assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
        seed((unsigned)i + 1);
        check_shapes(ctx, CLSP_F32, i);
        if (has_fp64(ctx)) check_shapes(ctx, CLSP_F64, i);
        clsp_context_destroy(&ctx);
        if (given_limits() || tiny()) break;
    }
    print_message("worst/bound %.2f\n", shared_worst());
}

/* AUTO goes on trying and choosing; NULL for opts is AUTO. */
static void test_auto(void **state)
{
    enum { CALLS = 12 };
    const shape s = reduced(&shared_shapes[1]);
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, SHARED, j.bytes, j.l.element);

    (void)state;
    for (int i = 0; i < CALLS; i++) {
        clsp_cooperate_report r;
        memset(m.out, POISON, j.bytes);
        assert_int_equal(
            shared_eval(j.plan, &j.l, j.s.first, j.s.count, m.out, NULL, i % 2 ? &r : NULL),
            CLSP_OK);
        if (i % 2) check_report(&r, 2);
        check_all(&j, m.out);
    }
    free_memory(&m);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* Grids of patches' own: by the device alone. */
static void test_patch_resolutions(void **state)
{
    static const uint32_t nums[] = {5, 3, 1, 9, 17, 12};
    const shape s = {"own", {.degree_u = 3, .degree_v = 3, .num_u = 4, .num_v = 4}, 3, 0, 3, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    assert_int_equal(clsp_bezier_set_patch_resolutions(j.plan, 3, nums), CLSP_OK);
    j.num = 9 + 17 * 12;
    j.s.first = 1;
    j.s.count = 2;
    j.bytes = j.num * j.l.stride * j.l.element;
    free(j.reference);
    j.reference = malloc(j.bytes);
    assert_int_equal(eval_host(j.plan, &j.l, 1, 2, j.reference), CLSP_OK);
    for (size_t i = 0; i < RUNGS; i++) {
        memory m = take_memory(ctx, (memory_kind)(i % KINDS), j.bytes, j.l.element);
        clsp_cooperate_report r;
        assert_int_equal(shared_eval(j.plan, &j.l, 1, 2, m.out, &ways[i], &r), CLSP_OK);
        check_report(&r, 2);
        assert_int_equal(r.rung, CLSP_RUNG_DEVICE);
        assert_non_null(strstr(r.reason[CLSP_RUNG_CHUNK], "own"));
        check_bits(&j, m.out);
        free_memory(&m);
    }
    assert_int_equal(clsp_bezier_tune(j.plan, 0, 3, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_set_patch_resolutions(j.plan, 3, NULL), CLSP_OK);
    j.s = s;
    make_reference(&j);
    check_way(&j, SHARED, &ways[CLSP_RUNG_HOST]);
    check_way(&j, PLAIN, &ways[CLSP_RUNG_CHUNK]);
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
    for (int k = CLSP_RUNG_SVM; k < CLSP_NUM_RUNGS; k++)
        check_way(&j, SHARED, &ways[k]);
    assert_int_equal(clsp_context_set_workers(ctx, CLSP_NO_WORKERS), CLSP_OK);
    for (int k = CLSP_RUNG_DEVICE; k < CLSP_NUM_RUNGS; k++)
        check_way(&j, SHARED, &ways[k]);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- plans that change ---- */

static void check_rungs(shared *j, uint32_t num_processors, bool alike, uint64_t tiles[])
{
    static const clsp_cooperate_opts devices_alone = {.rung = CLSP_RUNG_STATIC, .static_ratio = -1};
    clsp_cooperate_report r;

    make_reference(j);
    for (size_t i = 0; i <= RUNGS; i++) {
        check_call(j, (memory_kind)(i % KINDS), i < RUNGS ? &ways[i] : &devices_alone,
                   num_processors, alike, &r);
        for (uint32_t p = 0; p < num_processors; p++)
            tiles[p] += r.processors[p].tiles;
    }
}

/* Each rung sees each change. */
static void check_changes(clsp_context *ctx, uint32_t num_processors, uint64_t tiles[])
{
    const shape s = {
        "changes",      {.degree_u = 3, .degree_v = 3, .num_u = 64, .num_v = tiny() ? 3 : 65},
        tiny() ? 2 : 9, 1,
        tiny() ? 1 : 8, 0};
    shared j = shared_start(ctx, &s, CLSP_F32);

    check_rungs(&j, num_processors, true, tiles);
    reload(&j);
    check_rungs(&j, num_processors, true, tiles);
    change_resolution(&j, tiny() ? 33 : 129, tiny() ? 5 : 35);
    check_rungs(&j, num_processors, true, tiles);
    change_degrees(&j, 5, 2);
    check_rungs(&j, num_processors, true, tiles);
    reload_from_buffer(&j);
    check_rungs(&j, num_processors, true, tiles);
    j.s.num_patches = j.s.count + 5; /* more of them */
    reload(&j);
    check_rungs(&j, num_processors, true, tiles);
    change_degrees(&j, 1, 1);
    change_resolution(&j, 7, tiny() ? 13 : 130);
    check_rungs(&j, num_processors, true, tiles);
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

/* It ends in a fault when two threads call it. */
static void skip_on_oclgrind(void)
{
    clsp_context *ctx = context_with("");
    const bool is_oclgrind = strcmp(device_of(ctx).platform, "Oclgrind") == 0;

    clsp_context_destroy(&ctx);
    if (!is_oclgrind) return;
    print_message("skipped: Oclgrind is not made for several threads\n");
    skip();
}

static void test_same_device_twice(void **state)
{
    (void)state;
    skip_on_oclgrind();
    for (size_t i = 0; i < SHARED_LIMITS; i++) {
        clsp_context *ctx = context_with(shared_limits[i]), *other = context_with(shared_limits[i]);
        uint64_t tiles[3] = {0};
        assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
        check_changes(ctx, 3, tiles);
        assert_true(tiles[0] > 0 && tiles[2] > 0 && (tiny() || tiles[1] > 0));
        clsp_context_destroy(&ctx);
        clsp_context_destroy(&other);
        if (given_limits() || tiny()) break;
    }
}

/* A device that joins between two calls, and what devices alone can make. */
static void test_joins_later(void **state)
{
    static const clsp_cooperate_opts equal = {.rung = CLSP_RUNG_CHUNK, .bit_equal = 1};
    const shape *const made[] = {&shared_shapes[0], &shared_shapes[14], &shared_shapes[15],
                                 &shared_shapes[16]};
    shared jobs[COUNT(made)];
    clsp_cooperate_report r;

    (void)state;
    skip_on_oclgrind();
    clsp_context *ctx = context_with(""), *other = context_with("");
    clsp_context *unlike = context_with("class=discrete,local_is_real=1");
    for (size_t i = 0; i < COUNT(made); i++) {
        const shape s = reduced(made[i]);
        jobs[i] = shared_start(ctx, &s, CLSP_F32);
        check_call(&jobs[i], PLAIN, &equal, 2, true, &r);
        assert_int_equal(r.rung, CLSP_RUNG_DEVICE);
    }
    assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
    for (size_t i = 0; i < COUNT(made); i++) {
        check_call(&jobs[i], UNALIGNED, &equal, 3, true, &r);
        assert_int_equal(r.rung, CLSP_RUNG_CHUNK);
        assert_int_equal(host_of(&r)->tiles, 0);
        assert_all_ok(&r);
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
static void check_together(clsp_context *contexts[], size_t num, clsp_precision precision)
{
    const shape s = reduced(&shared_shapes[1]);
    uint64_t tiles[DEVICES + 1] = {0};
    clsp_cooperate_report r;
    shared j = shared_start(contexts[0], &s, precision);

    check_rungs(&j, (uint32_t)num + 1, false, tiles);
    check_call(&j, PLAIN, &(clsp_cooperate_opts){.rung = CLSP_RUNG_STATIC, .static_ratio = -1},
               (uint32_t)num + 1, false, &r);
    for (size_t d = 0; d < num; d++) {
        const bool can = precision == CLSP_F32 || has_fp64(contexts[d]);
        assert_int_equal(r.processors[d].status, can ? CLSP_OK : CLSP_ERROR_NO_FP64);
        if (!can) assert_int_equal(tiles[d], 0);
        if (can && !tiny()) assert_true(tiles[d] > 0);
    }
    check_call(&j, PLAIN, &(clsp_cooperate_opts){.bit_equal = 1}, (uint32_t)num + 1, false, &r);
    shared_finish(&j);
}

static void test_all_devices(void **state)
{
    clsp_device_info infos[DEVICES];
    size_t num = 0;

    (void)state;
    assert_int_equal(clsp_device_list(infos, DEVICES, &num), CLSP_OK);
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
    const uint32_t num_u = s.d.num_u;
    if (transposed) {
        s.d.num_u = s.d.num_v;
        s.d.num_v = num_u;
    }
    clsp_context *ctx = listening(m, speeds);
    shared j = shared_start(ctx, &s, CLSP_F32);
    clsp_cooperate_report r;
    bool known = false;

    check_call(&j, SHARED, &ways[CLSP_RUNG_AUTO], 2, true, &r);
    for (int k = CLSP_RUNG_DEVICE; k <= CLSP_RUNG_HOST; k++)
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
    clsp_cooperate_report r;

    assert_int_equal(clsp_bezier_tune(j.plan, j.s.first, j.s.count, &r), CLSP_OK);
    assert_int_equal(r.num_processors, 2);
    assert_true(r.num_tiles > 0 && r.probe_ms > 0);
    for (uint32_t p = 0; p < 2; p++) {
        assert_int_equal(r.processors[p].tiles, r.num_tiles);
        assert_int_equal(r.processors[p].status, CLSP_OK);
    }
    check_call(&j, SHARED, &ways[CLSP_RUNG_AUTO], 2, true, &r);
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
    char path[] = "/tmp/clspline-speeds-XXXXXX";
    messages m;

    (void)state;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(path);
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
}

/* ---- wrong arguments ---- */

static void check_wrong_options(shared *j, memory *m)
{
    const clsp_cooperate_opts wrong[] = {{.rung = (clsp_rung)CLSP_NUM_RUNGS},
                                         {.rung = (clsp_rung)-1},
                                         {.static_ratio = 1.5},
                                         {.static_ratio = NAN}};

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 0, 1, (float *)m->out, &wrong[i], NULL),
                         CLSP_ERROR_ARGUMENT);
}

static void check_wrong_calls(shared *j, memory *m)
{
    float *const out = (float *)m->out;

    assert_int_equal(clsp_bezier_cooperate_f32(NULL, 0, 1, out, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f64(NULL, 0, 1, (double *)m->out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f16(NULL, 0, 1, (uint16_t *)m->out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 0, 1, NULL, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f64(j->plan, 0, 1, (double *)m->out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f16(j->plan, 0, 1, (uint16_t *)m->out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 3, 1, out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 1, 3, out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 1, SIZE_MAX, out, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_cooperate_f32(j->plan, 3, 0, NULL, NULL, NULL), CLSP_OK);
    assert_int_equal(clsp_bezier_tune(NULL, 0, 1, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_tune(j->plan, 0, 4, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_tune(j->plan, 0, 0, NULL), CLSP_ERROR_ARGUMENT);
}

static void test_wrong_arguments(void **state)
{
    static const uint32_t nums[] = {5, 3, 1, 9};
    const shape s = {"wrong", {.degree_u = 3, .degree_v = 3, .num_u = 40, .num_v = 5}, 3, 0, 3, 0};
    const shape t = {
        "triangles", {.form = CLSP_BEZIER_TRIANGLE, .degree_u = 2, .num_u = 9}, 3, 0, 3, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32), k = shared_start(ctx, &t, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);

    (void)state;
    check_wrong_calls(&j, &m);
    check_wrong_options(&j, &m);
    check_wrong_options(&k, &m);
    assert_int_equal(clsp_bezier_set_patch_resolutions(j.plan, 2, nums), CLSP_OK);
    assert_int_equal(clsp_bezier_cooperate_f32(j.plan, 0, 1, (float *)m.out, NULL, NULL),
                     CLSP_ERROR_STATE);
    assert_poison(m.out, m.out + m.bytes);
    free_memory(&m);
    shared_finish(&j);
    shared_finish(&k);
    clsp_context_destroy(&ctx);
}

/* Plans without control points, and without a grid. */
static void test_wrong_states(void **state)
{
    clsp_bezier_desc d = surface(CLSP_F32, 1, 1, 3, 40, 5);
    float controls[12] = {0}, out[40 * 5 * 3] = {0};
    clsp_context *ctx = context_with("");
    clsp_bezier_plan *plan;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        if (i == 1)
            assert_int_equal(clsp_bezier_set_control_points_f32(plan, 1, controls), CLSP_OK);
        for (size_t count = 0; count < 2; count++)
            assert_int_equal(clsp_bezier_cooperate_f32(plan, 0, count, out, NULL, NULL),
                             CLSP_ERROR_STATE);
        assert_int_equal(clsp_bezier_tune(plan, 0, 1, NULL), CLSP_ERROR_STATE);
        assert_int_equal(clsp_bezier_host_rows_f32(plan, 0, 0, 0, 0, out), CLSP_ERROR_STATE);
        clsp_bezier_plan_destroy(&plan);
        d.num_u = d.num_v = 0;
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rungs),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_patch_resolutions),
        cmocka_unit_test(test_many_workers),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_joins_later),
        cmocka_unit_test(test_all_devices),
        cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_wrong_states),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
