#include "schedule_fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* ---- memory ---- */

memory take_memory(clsp_context *ctx, memory_kind kind, size_t bytes, size_t element)
{
    const size_t whole = bytes + 2 * GUARD + element;
    memory m = {.ctx = ctx, .kind = kind, .bytes = bytes};
    void *base = NULL;

    if (kind == SHARED)
        assert_int_equal(clsp_shared_alloc(ctx, whole, &base), CLSP_OK);
    else
        base = malloc(whole);
    assert_non_null(base);
    memset(base, POISON, whole);
    m.base = base;
    m.out = m.base + GUARD + (kind == UNALIGNED ? element : 0);
    return m;
}

void free_memory(memory *m)
{
    assert_poison(m->base, (size_t)(m->out - m->base));
    assert_poison(m->out + m->bytes, GUARD);
    if (m->kind == SHARED)
        clsp_shared_free(m->ctx, m->base);
    else
        free(m->base);
}

/* ---- reports ---- */

clsp_device_info device_of(clsp_context *ctx)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return info;
}

const clsp_processor_report *host_of(const clsp_report *r)
{
    return &r->processors[r->num_processors - 1];
}

static void check_reserved(const uint64_t *reserved, size_t num)
{
    for (size_t i = 0; i < num; i++)
        assert_int_equal(reserved[i], 0);
}

void check_report(const clsp_report *r, uint32_t num_processors)
{
    uint64_t tiles = 0;

    assert_true(r->schedule >= CLSP_SCHEDULE_SVM && r->schedule <= CLSP_SCHEDULE_HOST);
    assert_int_equal(r->num_processors, num_processors);
    for (int k = CLSP_SCHEDULE_SVM; k <= CLSP_SCHEDULE_HOST; k++) {
        assert_int_equal(r->reason[k][0] == '\0', k == (int)r->schedule);
        assert_non_null(memchr(r->reason[k], '\0', sizeof r->reason[k]));
    }
    for (uint32_t p = 0; p < r->num_processors; p++) {
        const clsp_processor_report *const one = &r->processors[p];
        tiles += one->tiles;
        assert_true(one->name[0] && one->busy_ms >= 0 && one->move_ms >= 0);
        assert_true(one->tiles == 0 || (one->chunks > 0 && one->workers > 0));
        check_reserved(one->reserved, CLSP_RESERVED);
    }
    check_reserved(r->reserved, CLSP_RESERVED - 1);
    assert_true(r->build_ms >= 0);
    assert_int_equal(tiles, r->num_tiles);
    assert_string_equal(host_of(r)->name, "host");
    assert_true(r->prepare_ms >= 0 && r->probe_ms >= 0);
    assert_true(r->wall_ms >= r->prepare_ms && r->wall_ms >= r->probe_ms);
    if (r->schedule == CLSP_SCHEDULE_DEVICE && r->processors[0].status == CLSP_OK &&
        r->probe_ms <= 0)
        assert_int_equal(r->processors[0].tiles, r->num_tiles);
    if (r->schedule == CLSP_SCHEDULE_HOST) assert_int_equal(host_of(r)->tiles, r->num_tiles);
}

void shared_all_ok(const clsp_report *r)
{
    for (uint32_t p = 0; p < r->num_processors; p++)
        assert_int_equal(r->processors[p].status, CLSP_OK);
}

/* ---- calls ---- */

void shared_check_call(const shared_call *c, memory_kind kind, const clsp_share *opts,
                       uint32_t num_processors, bool alike, clsp_report *report)
{
    memory m = take_memory(c->ctx, kind, c->bytes, c->element);

    memset(report, POISON, sizeof *report);
    assert_ok(c->ctx, c->call(c->work, m.out, opts, report));
    check_report(report, num_processors);
    const bool by_host = report->schedule == CLSP_SCHEDULE_SVM || host_of(report)->tiles > 0;
    const bool by_first =
        opts->schedule == CLSP_SCHEDULE_DEVICE && report->schedule == CLSP_SCHEDULE_DEVICE;
    c->check(c->work, m.out, opts->bit_equal || by_first || (alike && !by_host));
    free_memory(&m);
}

/* AUTO where that may be any. */
static clsp_schedule expected_schedule(const shared_call *c, const clsp_share *opts)
{
    const bool host = c->host && !opts->bit_equal;
    const bool workers = host && opts->num_workers != CLSP_NO_WORKERS;
    clsp_schedule schedule = opts->schedule;

    if (c->is_hosts) return CLSP_SCHEDULE_HOST;
    if (c->host && device_of(c->ctx).device_class == CLSP_CLASS_CPU) return CLSP_SCHEDULE_HOST;
    if (c->is_lone && schedule == CLSP_SCHEDULE_HOST && !opts->bit_equal) return schedule;
    if (!host) return CLSP_SCHEDULE_DEVICE;
    if (schedule == CLSP_SCHEDULE_SVM && c->queue != QUEUE_ALWAYS) schedule = CLSP_SCHEDULE_DYNAMIC;
    if ((schedule == CLSP_SCHEDULE_DYNAMIC || schedule == CLSP_SCHEDULE_STATIC) && !workers)
        schedule = CLSP_SCHEDULE_DEVICE;
    return schedule;
}

void shared_check_way(const shared_call *c, memory_kind kind, const clsp_share *opts)
{
    const clsp_schedule wanted = expected_schedule(c, opts);
    clsp_report r;

    shared_check_call(c, kind, opts, 2, true, &r);
    shared_all_ok(&r);
    const bool by_svm = c->queue != QUEUE_NEVER && opts->schedule == CLSP_SCHEDULE_SVM &&
                        r.schedule == CLSP_SCHEDULE_SVM;
    if (wanted != CLSP_SCHEDULE_DEFAULT && !by_svm && r.schedule != wanted)
        fail_msg("%s: %s asked for, %s ran: %s", c->name, clsp_schedule_name(opts->schedule),
                 clsp_schedule_name(r.schedule), r.reason[wanted]);
    if (r.schedule == CLSP_SCHEDULE_STATIC && opts->static_ratio < 0)
        assert_int_equal(host_of(&r)->tiles, 0);
    if (r.schedule == CLSP_SCHEDULE_STATIC && opts->static_ratio >= 1)
        assert_int_equal(r.processors[0].tiles, 0);
}

void shared_check_auto(const shared_call *c, memory_kind kind)
{
    enum { CALLS = 12 };

    for (int i = 0; i < CALLS; i++) {
        memory m = take_memory(c->ctx, kind, c->bytes, c->element);
        clsp_report r;
        assert_ok(c->ctx, c->call(c->work, m.out, NULL, i % 2 ? &r : NULL));
        if (i % 2) check_report(&r, 2);
        c->check(c->work, m.out, false);
        free_memory(&m);
    }
}

/* Tells whether two elements are the same but for the rounding of roots and quotients: 16 eps. */
static bool are_near(clsp_type type, const unsigned char *a, const unsigned char *b)
{
    if (type == CLSP_F64) {
        double x[2];
        memcpy(&x[0], a, sizeof *x);
        memcpy(&x[1], b, sizeof *x);
        return fabs(x[0] - x[1]) <= 0x1p-48 * fmax(1, fabs(x[0]));
    }
    if (type == CLSP_F32) {
        float x[2];
        memcpy(&x[0], a, sizeof *x);
        memcpy(&x[1], b, sizeof *x);
        return fabsf(x[0] - x[1]) <= 0x1p-19f * fmaxf(1, fabsf(x[0]));
    }
    int16_t bits[2]; /* of neighbours they differ by 1 */
    memcpy(&bits[0], a, sizeof *bits);
    memcpy(&bits[1], b, sizeof *bits);
    return abs(bits[0] - bits[1]) <= 1;
}

/* Tells whether a piece has the bits of another one. Intel's compiler for CPUs takes roots and
   quotients by other instructions in vectors of another width, and for the items beyond the last
   whole vector of a launch: there normals and curvatures may differ by their rounding. */
static bool is_piece(const shared_either *e, const unsigned char *a, const unsigned char *b)
{
    const size_t element = clsp_type_bytes(e->type);
    bool near = e->has_roots && strcmp(device_of(e->ctx).platform, "Intel(R) OpenCL") == 0;

    if (memcmp(a, b, e->piece) == 0) return true;
    for (size_t at = 0; at < e->piece && near; at += element)
        near = memcmp(a + at, b + at, element) == 0 || are_near(e->type, a + at, b + at);
    return near;
}

size_t shared_check_either(const shared_either *e, const unsigned char *out, size_t bytes)
{
    size_t of_device = 0;

    for (size_t at = 0; at < bytes; at += e->piece) {
        const bool host = is_piece(e, out + at, e->by_host + at);
        const bool device = is_piece(e, out + at, e->by_device + at);
        of_device += device && !host;
        if (!device && !host)
            fail_msg("%s: piece %zu of %zu is neither's", e->name, at / e->piece, bytes / e->piece);
    }
    return of_device;
}

const clsp_share shared_ways[SHARED_WAYS] = {
    {.schedule = CLSP_SCHEDULE_DEFAULT},
    {.schedule = CLSP_SCHEDULE_SVM},
    {.schedule = CLSP_SCHEDULE_DYNAMIC},
    {.schedule = CLSP_SCHEDULE_STATIC},
    {.schedule = CLSP_SCHEDULE_DEVICE},
    {.schedule = CLSP_SCHEDULE_HOST},
    {.schedule = CLSP_SCHEDULE_DEFAULT, .bit_equal = 1},
    {.schedule = CLSP_SCHEDULE_SVM, .bit_equal = 1},
    {.schedule = CLSP_SCHEDULE_HOST, .bit_equal = 1},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 0.375},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 1},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1},
    {.schedule = CLSP_SCHEDULE_DYNAMIC, .num_workers = 1},
    {.schedule = CLSP_SCHEDULE_DYNAMIC, .num_workers = CLSP_NO_WORKERS},
    {.schedule = CLSP_SCHEDULE_HOST, .num_workers = CLSP_NO_WORKERS},
};

const char *const shared_limits[SHARED_LIMITS] = {
    "", "class=discrete,local_is_real=1,vendor=NVIDIA", "class=integrated"};

/* ---- several devices ---- */

void shared_skip_on_oclgrind(void)
{
    if (strcmp(support_device().platform, "Oclgrind") == 0)
        skip_because("Oclgrind is not made for several threads");
}

void shared_with_drop_out(void (*check)(clsp_context *ctx))
{
    shared_skip_on_oclgrind();
    clsp_context *ctx = context_with(""), *other = context_apart("fp64=0");
    if (has_fp64(ctx)) {
        assert_ok(ctx, clsp_context_join(ctx, other));
        check(ctx);
    }
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

void shared_check_drop_out(const shared_call *c, memory_kind kind)
{
    static const clsp_share dynamic = {.schedule = CLSP_SCHEDULE_DYNAMIC};
    static const clsp_share devices = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    clsp_report r;

    shared_check_call(c, kind, &dynamic, 3, true, &r);
    assert_int_equal(r.processors[1].tiles, 0);
    shared_check_call(c, kind, &devices, 3, true, &r);
    assert_int_equal(r.processors[1].tiles, 0);
    assert_int_equal(r.processors[1].status, CLSP_ERROR_NO_FP64);
}
