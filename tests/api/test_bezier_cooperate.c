/* Evaluations that devices and the host's cores share: every rung of the ladder over forms, layouts
 * and kinds of memory, what the reports say, plans that change, joined devices, rows, tuning, and
 * wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bezier_fixture.h"
#include "vertex_fixture.h"

/* BOUND_31 is that of points of degrees to 31 (bezier.h). Host and device each keep it, so that one
   is within twice as much of the other. ERROR_RATIONAL: the bound of a point whose coordinates are
   at most 1 and whose weights are in [0.5, 2] is (|x| + |w| |S|) / w <= (1 + 2 * 2) / 0.5 times
   that of its net. */
enum { BOUND_31 = 8, BETWEEN = 2 * BOUND_31, ERROR_RATIONAL = 10 };
enum { POISON = 0xfe, GUARD = 64, SAMPLED = 8 };

static double worst;

/* ---- jobs ---- */

/* What is evaluated: patches first .. first + count - 1 of num_patches. */
typedef struct shape {
    const char *name;
    clsp_bezier_desc d;
    size_t num_patches, first, count;
    int precision; /* 32 or 64: there alone; 0: in both */
} shape;

typedef struct shared {
    shape s;
    layout l;
    clsp_context *ctx;
    double *controls;
    clsp_bezier_plan *plan;
    size_t num;               /* vertices of the range */
    size_t bytes;             /* of them */
    unsigned char *reference; /* by clsp_bezier_eval_*, on poison */
} shared;

static uint32_t at_least_1(uint32_t n)
{
    return n ? n : 1;
}

static size_t patch_vertices(const clsp_bezier_desc *d)
{
    const size_t u = d->num_u;

    if (d->form == CLSP_BEZIER_TRIANGLE) return u * (u + 1) / 2;
    if (d->form == CLSP_BEZIER_CURVE) return u;
    return u * d->num_v * (d->form == CLSP_BEZIER_VOLUME ? d->num_w : 1);
}

static size_t row_bytes(const shared *j)
{
    return patch_vertices(&j->l.d) / j->l.d.num_u * j->l.stride * j->l.element;
}

static void make_reference(shared *j)
{
    free(j->reference);
    j->num = j->s.count * patch_vertices(&j->l.d);
    j->bytes = j->num * j->l.stride * j->l.element;
    j->reference = malloc(j->bytes + 1);
    assert_non_null(j->reference);
    memset(j->reference, POISON, j->bytes);
    assert_int_equal(eval_host(j->plan, &j->l, j->s.first, j->s.count, j->reference), CLSP_OK);
}

static shared start(clsp_context *ctx, const shape *s, clsp_precision precision)
{
    clsp_bezier_desc d = s->d;

    d.precision = precision;
    shared j = {.s = *s, .l = layout_of(&d), .ctx = ctx};
    j.controls = random_controls(&j.l, s->num_patches);
    j.plan = plan_with(ctx, &j.l, j.controls, s->num_patches);
    make_reference(&j);
    return j;
}

static void finish(shared *j)
{
    clsp_bezier_plan_destroy(&j->plan);
    assert_null(j->plan);
    free(j->controls);
    free(j->reference);
}

static clsp_status cooperate(clsp_bezier_plan *plan, const layout *l, size_t first, size_t count,
                             void *out, const clsp_cooperate_opts *opts,
                             clsp_cooperate_report *report)
{
    return l->element == 2   ? clsp_bezier_cooperate_f16(plan, first, count, out, opts, report)
           : l->element == 4 ? clsp_bezier_cooperate_f32(plan, first, count, out, opts, report)
                             : clsp_bezier_cooperate_f64(plan, first, count, out, opts, report);
}

/* ---- memory ---- */

typedef enum memory_kind { SHARED, PLAIN, UNALIGNED, KINDS } memory_kind;

typedef struct memory {
    clsp_context *ctx;
    memory_kind kind;
    unsigned char *base, *out;
    size_t bytes;
} memory;

static memory take_memory(clsp_context *ctx, memory_kind kind, size_t bytes, size_t element)
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

static void assert_poison(const unsigned char *from, const unsigned char *to)
{
    while (from < to)
        assert_int_equal(*from++, POISON);
}

static void free_memory(memory *m)
{
    assert_poison(m->base, m->out);
    assert_poison(m->out + m->bytes, m->out + m->bytes + GUARD);
    if (m->kind == SHARED)
        clsp_shared_free(m->ctx, m->base);
    else
        free(m->base);
}

/* ---- what is expected ---- */

static clsp_device_info device_of(clsp_context *ctx)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return info;
}

static bool host_can(const layout *l)
{
    const clsp_bezier_desc *const d = &l->d;

    return d->form != CLSP_BEZIER_TRIANGLE && d->method <= CLSP_BEZIER_SEPARABLE &&
           (d->attributes & P) && !(d->attributes & ~(unsigned)(P | W)) && !d->watertight &&
           l->element == (d->precision == CLSP_F64 ? 8 : 4);
}

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

static const clsp_processor_report *host_of(const clsp_cooperate_report *r)
{
    return &r->processors[r->num_processors - 1];
}

/* What holds of every report of a call that succeeded. */
static void check_report(const clsp_cooperate_report *r, uint32_t num_processors)
{
    uint64_t tiles = 0;

    assert_in_range(r->rung, CLSP_RUNG_SVM, CLSP_RUNG_HOST);
    assert_int_equal(r->num_processors, num_processors);
    for (int k = CLSP_RUNG_SVM; k <= CLSP_RUNG_HOST; k++) {
        assert_int_equal(r->reason[k][0] == '\0', k == (int)r->rung);
        assert_non_null(memchr(r->reason[k], '\0', sizeof r->reason[k]));
    }
    for (uint32_t p = 0; p < r->num_processors; p++) {
        const clsp_processor_report *const one = &r->processors[p];
        tiles += one->tiles;
        assert_true(one->name[0] && one->busy_ms >= 0 && one->move_ms >= 0);
        assert_true(one->tiles == 0 || (one->chunks > 0 && one->workers > 0));
    }
    assert_int_equal(tiles, r->num_tiles);
    assert_string_equal(host_of(r)->name, "host");
    assert_true(r->prepare_ms >= 0 && r->probe_ms >= 0);
    assert_true(r->wall_ms >= r->prepare_ms && r->wall_ms >= r->probe_ms);
    if (r->rung == CLSP_RUNG_DEVICE && r->processors[0].status == CLSP_OK && r->probe_ms <= 0)
        assert_int_equal(r->processors[0].tiles, r->num_tiles);
    if (r->rung == CLSP_RUNG_HOST) assert_int_equal(host_of(r)->tiles, r->num_tiles);
}

static void assert_all_ok(const clsp_cooperate_report *r)
{
    for (uint32_t p = 0; p < r->num_processors; p++)
        assert_int_equal(r->processors[p].status, CLSP_OK);
}

/* ---- results ---- */

static long double param(const double interval[2], size_t a, uint32_t num)
{
    const bool whole = interval[0] == 0.0 && interval[1] == 0.0;
    const long double end = whole ? 1.0L : interval[1], last = num > 1 ? num - 1 : 1;

    return (interval[0] * (last - a) + end * a) / last;
}

/* Where vertex k of a patch lies; not of triangles. */
static void params_of(const clsp_bezier_desc *d, size_t k, long double t[3])
{
    const uint32_t num_v = d->form == CLSP_BEZIER_CURVE ? 1 : d->num_v;
    const uint32_t num_w = d->form == CLSP_BEZIER_VOLUME ? d->num_w : 1;

    t[0] = param(d->interval_u, k / num_w / num_v, d->num_u);
    t[1] = param(d->interval_v, k / num_w % num_v, at_least_1(num_v));
    t[2] = param(d->interval_w, k % num_w, at_least_1(num_w));
}

/* Some vertices, against the oracle. */
static void check_oracle(const shared *j, const unsigned char *out)
{
    const size_t per_patch = patch_vertices(&j->l.d);
    const size_t step = j->num > SAMPLED ? j->num / SAMPLED : 1;

    if (j->l.d.form == CLSP_BEZIER_TRIANGLE || j->l.d.method > CLSP_BEZIER_MULTILEVEL) return;
    for (size_t k = random_real() > 0 ? step / 2 : 0; k < j->num; k += step) {
        const size_t patch = j->s.first + k / per_patch;
        long double t[3];
        params_of(&j->l.d, k % per_patch, t);
        const double error =
            vertex_error(&j->l, j->controls + patch * j->l.controls, t, out, k, BOUND_31);
        if (error > worst) worst = error;
        if (!(error <= 1.0)) fail_msg("%s: vertex %zu: %.2f of the bound", j->s.name, k, error);
    }
}

/* All elements, against the device's; bits of what is not to be written too. */
static void check_all(const shared *j, const unsigned char *out)
{
    const double eps = j->l.d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    const double bound = BETWEEN * eps * (j->l.d.rational ? ERROR_RATIONAL : 1);

    for (size_t k = 0; k < j->num; k++) {
        const size_t at = k * j->l.stride * j->l.element;
        if (memcmp(out + at, j->reference + at, j->l.stride * j->l.element) == 0) continue;
        for (unsigned e = 0; e < j->l.stride; e++) {
            const size_t here = at + e * j->l.element;
            const double got = vertex_element(&j->l, out, k, e);
            const double wanted = vertex_element(&j->l, j->reference, k, e);
            if (memcmp(out + here, j->reference + here, j->l.element) == 0) continue;
            if (!(fabs(got - wanted) <= bound * (j->l.d.form == CLSP_BEZIER_VOLUME ? 1.5 : 1)))
                fail_msg("%s: vertex %zu, element %u: %g, not %g", j->s.name, k, e, got, wanted);
        }
    }
}

static void check_bits(const shared *j, const unsigned char *out)
{
    if (memcmp(out, j->reference, j->bytes) != 0) fail_msg("%s: other bits", j->s.name);
}

/* One call; alike: all devices are the context's own, so that bits do not depend on which of them
   made a tile. */
static void check_call(shared *j, memory_kind kind, const clsp_cooperate_opts *opts,
                       uint32_t num_processors, bool alike, clsp_cooperate_report *report)
{
    memory m = take_memory(j->ctx, kind, j->bytes, j->l.element);

    memset(report, POISON, sizeof *report);
    assert_int_equal(cooperate(j->plan, &j->l, j->s.first, j->s.count, m.out, opts, report),
                     CLSP_OK);
    check_report(report, num_processors);
    const bool by_host = report->rung == CLSP_RUNG_SVM || host_of(report)->tiles > 0;
    if (opts->bit_equal || (opts->rung == CLSP_RUNG_DEVICE && report->rung == CLSP_RUNG_DEVICE) ||
        (alike && !by_host))
        check_bits(j, m.out);
    else
        check_all(j, m.out);
    check_oracle(j, m.out);
    free_memory(&m);
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
    shared j = start(ctx, s, precision);

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < (all ? COUNT(ways) : RUNGS); i++)
            if (!tiny() || i % KINDS == (size_t)kind) check_way(&j, (memory_kind)kind, &ways[i]);
    finish(&j);
}

static const shape shapes[] = {
    {"a large patch", {.degree_u = 3, .degree_v = 3, .num_u = 203, .num_v = 301}, 1, 0, 1, 0},
    {"patches of several tiles",
     {.degree_u = 5, .degree_v = 7, .num_u = 150, .num_v = 97},
     4,
     1,
     3,
     0},
    {"tiles of patches", {.degree_u = 3, .degree_v = 3, .num_u = 17, .num_v = 13}, 211, 5, 203, 0},
    {"degree 2 by 6", {.degree_u = 2, .degree_v = 6, .num_u = 40, .num_v = 33}, 23, 3, 20, 0},
    {"degree 31", {.degree_u = 31, .degree_v = 31, .num_u = 70, .num_v = 81, .dim = 4}, 2, 0, 2, 0},
    {"a part, backwards",
     {.degree_u = 3,
      .degree_v = 4,
      .num_u = 65,
      .num_v = 127,
      .dim = 1,
      .interval_u = {0.75, 0.25},
      .interval_v = {0.5, 1.0}},
     3,
     0,
     3,
     0},
    {"curves", {.form = CLSP_BEZIER_CURVE, .degree_u = 3, .num_u = 257, .dim = 2}, 61, 7, 50, 0},
    {"a long curve", {.form = CLSP_BEZIER_CURVE, .degree_u = 9, .num_u = 20011}, 2, 1, 1, 0},
    {"a volume",
     {.form = CLSP_BEZIER_VOLUME,
      .degree_u = 2,
      .degree_v = 3,
      .degree_w = 4,
      .num_u = 67,
      .num_v = 19,
      .num_w = 23},
     2,
     0,
     2,
     0},
    {"small volumes",
     {.form = CLSP_BEZIER_VOLUME,
      .degree_u = 1,
      .degree_v = 2,
      .degree_w = 3,
      .num_u = 9,
      .num_v = 5,
      .num_w = 7,
      .rational = 1},
     37,
     2,
     34,
     0},
    {"rational with weights",
     {.degree_u = 3, .degree_v = 2, .num_u = 99, .num_v = 61, .rational = 1, .attributes = P | W},
     3,
     0,
     3,
     0},
    {"weights of polynomials",
     {.degree_u = 3, .degree_v = 2, .num_u = 33, .num_v = 61, .attributes = P | W},
     5,
     1,
     4,
     0},
    {"gaps",
     {.degree_u = 3,
      .degree_v = 3,
      .num_u = 131,
      .num_v = 49,
      .attributes = P | W,
      .rational = 1,
      .vertex_stride = 9,
      .vertex_at = {4, 1}},
     3,
     1,
     2,
     0},
    {"gaps of points",
     {.degree_u = 3, .degree_v = 3, .num_u = 21, .num_v = 19, .vertex_stride = 4},
     40,
     3,
     33,
     0},
    {"normals",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .attributes = P | N},
     3,
     1,
     2,
     0},
    {"tangents with gaps",
     {.degree_u = 3,
      .degree_v = 2,
      .num_u = 15,
      .num_v = 22,
      .attributes = P | DU,
      .vertex_stride = 7},
     30,
     4,
     25,
     0},
    {"in half",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .storage = CLSP_STORE_F16},
     3,
     1,
     2,
     0},
    {"doubles in float",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .storage = CLSP_STORE_F32},
     3,
     1,
     2,
     64},
    {"watertight",
     {.degree_u = 4, .degree_v = 3, .num_u = 97, .num_v = 65, .watertight = 1},
     3,
     1,
     2,
     0},
    {"multilevel",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .method = CLSP_BEZIER_MULTILEVEL},
     3,
     1,
     2,
     0},
    {"matrix",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .method = CLSP_BEZIER_MATRIX},
     3,
     1,
     2,
     0},
    {"brute",
     {.degree_u = 3, .degree_v = 3, .num_u = 97, .num_v = 65, .method = CLSP_BEZIER_BRUTE},
     3,
     1,
     2,
     0},
    {"triangles", {.form = CLSP_BEZIER_TRIANGLE, .degree_u = 3, .num_u = 40}, 5, 1, 4, 0},
    {"nothing", {.degree_u = 3, .degree_v = 3, .num_u = 17, .num_v = 13}, 3, 2, 0, 0},
    {"no patches", {.degree_u = 3, .degree_v = 3, .num_u = 17, .num_v = 13}, 0, 0, 0, 0},
    {"one point", {.degree_u = 3, .degree_v = 3, .num_u = 1, .num_v = 1}, 9, 1, 7, 0},
    {"one point of a constant", {.degree_u = 0, .degree_v = 0, .num_u = 1, .num_v = 1}, 1, 0, 1, 0},
    {"one row", {.degree_u = 2, .degree_v = 3, .num_u = 1, .num_v = 5003}, 2, 0, 2, 0},
    {"one column", {.degree_u = 2, .degree_v = 3, .num_u = 5003, .num_v = 1}, 2, 0, 2, 0},
};

/* For implementations that check every access: less of each. */
static shape reduced(const shape *s)
{
    shape r = *s;

    if (!tiny()) return r;
    if (r.d.num_u > 40) r.d.num_u = 40;
    if (r.d.num_v > 7) r.d.num_v = 7;
    if (r.d.num_w > 3) r.d.num_w = 3;
    if (r.d.degree_u > 5) r.d.degree_u = 5;
    if (r.d.degree_v > 5) r.d.degree_v = 5;
    if (r.num_patches > 5) {
        r.num_patches = 5;
        r.first = 1;
        r.count = 3;
    }
    return r;
}

static const char *const limits[] = {"", "class=discrete,local_is_real=1,vendor=NVIDIA",
                                     "class=integrated"};

static void check_shapes(clsp_context *ctx, clsp_precision precision, size_t limit)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const shape s = reduced(&shapes[i]);
        if (s.precision && s.precision != (precision == CLSP_F64 ? 64 : 32)) continue;
        if (tiny() && (i + limit) % 3 != (precision == CLSP_F64)) continue;
        check_shape(ctx, &s, precision, i < 2 || i % 3 == limit);
    }
}

static void test_rungs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        clsp_context *ctx = context_with(limits[i]);
        assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
        seed((unsigned)i + 1);
        check_shapes(ctx, CLSP_F32, i);
        if (has_fp64(ctx)) check_shapes(ctx, CLSP_F64, i);
        clsp_context_destroy(&ctx);
        if (given_limits()) break;
    }
    print_message("worst/bound %.2f\n", worst);
}

/* AUTO goes on trying and choosing; NULL for opts is AUTO. */
static void test_auto(void **state)
{
    enum { CALLS = 12 };
    const shape s = reduced(&shapes[1]);
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, SHARED, j.bytes, j.l.element);

    (void)state;
    for (int i = 0; i < CALLS; i++) {
        clsp_cooperate_report r;
        memset(m.out, POISON, j.bytes);
        assert_int_equal(
            cooperate(j.plan, &j.l, j.s.first, j.s.count, m.out, NULL, i % 2 ? &r : NULL), CLSP_OK);
        if (i % 2) check_report(&r, 2);
        check_all(&j, m.out);
    }
    free_memory(&m);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Grids of patches' own: by the device alone. */
static void test_patch_resolutions(void **state)
{
    static const uint32_t nums[] = {5, 3, 1, 9, 17, 12};
    const shape s = {"own", {.degree_u = 3, .degree_v = 3, .num_u = 4, .num_v = 4}, 3, 0, 3, 0};
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);

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
        assert_int_equal(cooperate(j.plan, &j.l, 1, 2, m.out, &ways[i], &r), CLSP_OK);
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
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* As many workers as there can be: more threads than cores, or than the system has. */
static void test_many_workers(void **state)
{
    const shape s = reduced(&shapes[2]);
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);

    (void)state;
    assert_int_equal(clsp_context_set_workers(ctx, tiny() ? 3 : CLSP_MAX_WORKERS), CLSP_OK);
    for (int k = CLSP_RUNG_SVM; k < CLSP_NUM_RUNGS; k++)
        check_way(&j, SHARED, &ways[k]);
    assert_int_equal(clsp_context_set_workers(ctx, CLSP_NO_WORKERS), CLSP_OK);
    for (int k = CLSP_RUNG_DEVICE; k < CLSP_NUM_RUNGS; k++)
        check_way(&j, SHARED, &ways[k]);
    finish(&j);
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

static void reload(shared *j)
{
    free(j->controls);
    j->controls = random_controls(&j->l, j->s.num_patches);
    assert_int_equal(load_controls(j->plan, &j->l, j->controls, j->s.num_patches), CLSP_OK);
}

static cl_mem buffer_of(clsp_context *ctx, size_t bytes, void *contents)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_context context;
    cl_int code;

    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    const cl_mem buffer = clCreateBuffer(context, flags, bytes, contents, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

/* Control points of a buffer: the host reads them back. */
static void reload_from_buffer(shared *j)
{
    const size_t num = j->s.num_patches * j->l.controls;
    float *const narrow = malloc(num * sizeof *narrow);

    free(j->controls);
    j->controls = random_controls(&j->l, j->s.num_patches);
    assert_non_null(narrow);
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)j->controls[i];
    cl_mem buffer = buffer_of(j->ctx, num * sizeof *narrow, narrow);
    assert_int_equal(
        clsp_bezier_set_control_points(j->plan, j->s.num_patches, buffer, 0, 0, NULL, NULL),
        CLSP_OK);
    clReleaseMemObject(buffer);
    free(narrow);
}

static void change_resolution(shared *j, uint32_t num_u, uint32_t num_v)
{
    j->l.d.num_u = num_u;
    j->l.d.num_v = num_v;
    assert_int_equal(clsp_bezier_set_resolution(j->plan, num_u, num_v, 1), CLSP_OK);
}

static void change_degrees(shared *j, uint32_t degree_u, uint32_t degree_v)
{
    clsp_bezier_desc d = j->l.d;
    unsigned char byte;

    d.degree_u = degree_u;
    d.degree_v = degree_v;
    j->l = layout_of(&d);
    assert_int_equal(clsp_bezier_set_degrees(j->plan, degree_u, degree_v, 0), CLSP_OK);
    assert_int_equal(cooperate(j->plan, &j->l, 0, 0, &byte, NULL, NULL), CLSP_ERROR_STATE);
    reload(j);
}

/* Each rung sees each change. */
static void check_changes(clsp_context *ctx, uint32_t num_processors, uint64_t tiles[])
{
    const shape s = {
        "changes",      {.degree_u = 3, .degree_v = 3, .num_u = 64, .num_v = tiny() ? 3 : 65},
        tiny() ? 2 : 9, 1,
        tiny() ? 1 : 8, 0};
    shared j = start(ctx, &s, CLSP_F32);

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
    finish(&j);
}

static void test_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        clsp_context *ctx = context_with(limits[i]);
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
    for (size_t i = 0; i < COUNT(limits); i++) {
        clsp_context *ctx = context_with(limits[i]), *other = context_with(limits[i]);
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
    const shape *const made[] = {&shapes[0], &shapes[14], &shapes[15], &shapes[16]};
    shared jobs[COUNT(made)];
    clsp_cooperate_report r;

    (void)state;
    skip_on_oclgrind();
    clsp_context *ctx = context_with(""), *other = context_with("");
    for (size_t i = 0; i < COUNT(made); i++) {
        const shape s = reduced(made[i]);
        jobs[i] = start(ctx, &s, CLSP_F32);
        check_call(&jobs[i], PLAIN, &equal, 2, true, &r);
        assert_int_equal(r.rung, CLSP_RUNG_DEVICE);
    }
    assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
    for (size_t i = 0; i < COUNT(made); i++) {
        check_call(&jobs[i], UNALIGNED, &equal, 3, true, &r);
        assert_int_equal(r.rung, CLSP_RUNG_CHUNK);
        assert_int_equal(host_of(&r)->tiles, 0);
        assert_all_ok(&r);
        finish(&jobs[i]);
    }
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
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
    const shape s = reduced(&shapes[1]);
    uint64_t tiles[DEVICES + 1] = {0};
    clsp_cooperate_report r;
    shared j = start(contexts[0], &s, precision);

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
    finish(&j);
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

/* ---- rows ---- */

/* num_rows: a multiple of the tile's, or what is left. */
static uint32_t next_rows(const shared *j, uint32_t first, uint32_t tiles)
{
    const uint32_t left = j->l.d.num_u - first, rows = tiles * CLSP_BEZIER_TILE_ROWS;

    return rows < left ? rows : left;
}

static void check_device_rows(shared *j, size_t offset)
{
    const size_t bytes = offset * j->l.element + j->bytes + GUARD;
    unsigned char *const contents = malloc(bytes);
    uint32_t tiles = 1;

    assert_non_null(contents);
    memset(contents, POISON, bytes);
    cl_mem buffer = buffer_of(j->ctx, bytes, contents);
    for (size_t p = 0; p < j->s.count; p++) {
        for (uint32_t row = 0, rows; row < j->l.d.num_u; row += rows, tiles = tiles % 3 + 1) {
            const size_t at = (p * j->l.d.num_u + row) * row_bytes(j) / j->l.element;
            rows = next_rows(j, row, tiles);
            assert_int_equal(clsp_bezier_eval_rows(j->plan, j->s.first + p, row, rows, buffer,
                                                   offset + at, 0, NULL, NULL),
                             CLSP_OK);
        }
    }
    assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(j->ctx), buffer, CL_TRUE, 0, bytes,
                                         contents, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_poison(contents, contents + offset * j->l.element);
    check_bits(j, contents + offset * j->l.element);
    assert_poison(contents + bytes - GUARD, contents + bytes);
    clReleaseMemObject(buffer);
    free(contents);
}

static clsp_status host_rows(const shared *j, uint32_t worker, size_t patch, uint32_t row,
                             uint32_t rows, void *out)
{
    return j->l.element == 4 ? clsp_bezier_host_rows_f32(j->plan, worker, patch, row, rows, out)
                             : clsp_bezier_host_rows_f64(j->plan, worker, patch, row, rows, out);
}

/* One of two threads that make the tiles of all patches, with a worker number of its own. */
typedef struct row_thread {
    const shared *j;
    unsigned char *out;
    uint32_t index, worker, failures;
} row_thread;

static void *make_rows(void *argument)
{
    row_thread *const t = argument;
    const shared *const j = t->j;
    uint32_t turn = 0;

    for (size_t p = 0; p < j->s.count; p++) {
        for (uint32_t row = 0, rows; row < j->l.d.num_u; row += rows, turn++) {
            rows = next_rows(j, row, 1);
            if (turn % 2 != t->index) continue;
            if (host_rows(j, t->worker, j->s.first + p, row, rows,
                          t->out + (p * j->l.d.num_u + row) * row_bytes(j)) != CLSP_OK)
                t->failures++;
        }
    }
    return NULL;
}

static void check_host_rows(shared *j)
{
    memory whole = take_memory(j->ctx, PLAIN, j->bytes, j->l.element);
    memory parts = take_memory(j->ctx, UNALIGNED, j->bytes, j->l.element);
    row_thread t[2] = {{j, parts.out, 0, 0, 0}, {j, parts.out, 1, CLSP_MAX_WORKERS - 1, 0}};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, make_rows, &t[0]), 0);
    make_rows(&t[1]);
    pthread_join(thread, NULL);
    assert_int_equal(t[0].failures + t[1].failures, 0);
    for (size_t p = 0; p < j->s.count; p++)
        assert_int_equal(host_rows(j, 5, j->s.first + p, 0, j->l.d.num_u,
                                   whole.out + p * j->l.d.num_u * row_bytes(j)),
                         CLSP_OK);
    assert_memory_equal(whole.out, parts.out, j->bytes);
    check_all(j, whole.out);
    check_oracle(j, whole.out);
    free_memory(&whole);
    free_memory(&parts);
}

static void check_rows(clsp_context *ctx, clsp_precision precision)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const shape s = reduced(&shapes[i]);
        if (s.d.form == CLSP_BEZIER_TRIANGLE) continue;
        if (s.precision && s.precision != (precision == CLSP_F64 ? 64 : 32)) continue;
        if (tiny() && i % 4 != 1) continue;
        shared j = start(ctx, &s, precision);
        check_device_rows(&j, i % 2 ? 3 : 0);
        if (host_can(&j.l)) check_host_rows(&j);
        finish(&j);
    }
}

static void test_rows(void **state)
{
    (void)state;
    worst = 0;
    for (size_t i = 0; i < COUNT(limits); i++) {
        clsp_context *ctx = context_with(limits[i]);
        seed((unsigned)i + 7);
        check_rows(ctx, CLSP_F32);
        if (has_fp64(ctx)) check_rows(ctx, CLSP_F64);
        clsp_context_destroy(&ctx);
        if (given_limits() || tiny()) break;
    }
    print_message("worst/bound %.2f\n", worst);
}

/* The host's rows follow changes of the plan too. */
static void test_rows_of_changes(void **state)
{
    const shape s = {"rows", {.degree_u = 3, .degree_v = 3, .num_u = 70, .num_v = 35}, 3, 1, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);

    (void)state;
    check_host_rows(&j);
    reload(&j);
    make_reference(&j);
    check_host_rows(&j);
    change_resolution(&j, 40, 61);
    make_reference(&j);
    check_host_rows(&j);
    reload_from_buffer(&j);
    make_reference(&j);
    check_host_rows(&j);
    change_degrees(&j, 6, 1);
    make_reference(&j);
    check_host_rows(&j);
    finish(&j);
    clsp_context_destroy(&ctx);
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
static bool knows_speeds(const char *speeds, messages *m)
{
    const shape s = reduced(&shapes[1]);
    clsp_context *ctx = listening(m, speeds);
    shared j = start(ctx, &s, CLSP_F32);
    clsp_cooperate_report r;
    bool known = false;

    check_call(&j, SHARED, &ways[CLSP_RUNG_AUTO], 2, true, &r);
    for (int k = CLSP_RUNG_DEVICE; k <= CLSP_RUNG_HOST; k++)
        known = known || strstr(r.reason[k], "expected");
    finish(&j);
    clsp_context_destroy(&ctx);
    return known;
}

static void tune_into(const char *path)
{
    const shape s = reduced(&shapes[1]);
    messages m;
    clsp_context *ctx = listening(&m, path);
    shared j = start(ctx, &s, CLSP_F32);
    clsp_cooperate_report r;

    assert_int_equal(clsp_bezier_tune(j.plan, j.s.first, j.s.count, &r), CLSP_OK);
    assert_int_equal(r.num_processors, 2);
    assert_true(r.num_tiles > 0 && r.probe_ms > 0);
    for (uint32_t p = 0; p < 2; p++) {
        assert_int_equal(r.processors[p].tiles, r.num_tiles);
        assert_int_equal(r.processors[p].status, CLSP_OK);
    }
    check_call(&j, SHARED, &ways[CLSP_RUNG_AUTO], 2, true, &r);
    finish(&j);
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
    assert_false(knows_speeds("", &m));
    assert_int_equal(m.warnings, 0);
    assert_false(knows_speeds(path, &m)); /* named, and missing */
    assert_int_equal(m.warnings, 1);
    tune_into(path);
    assert_true(knows_speeds(path, &m));
    assert_int_equal(m.warnings, 0);
    overwrite(path, 0, "not a checksum");
    knows_speeds(path, &m);
    assert_int_equal(m.warnings, 1);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 3000; i++)
        fputc(i % 251, file);
    fclose(file);
    assert_false(knows_speeds(path, &m));
    assert_true(m.warnings > 0);
    tune_into(path); /* and the file is whole again */
    assert_true(knows_speeds(path, &m));
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
    shared j = start(ctx, &s, CLSP_F32), k = start(ctx, &t, CLSP_F32);
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
    finish(&j);
    finish(&k);
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

/* Rows of a grid of 70 rows. */
static const struct {
    size_t patch;
    uint32_t first, num;
    clsp_status status;
} row_calls[] = {
    {0, 1, 32, CLSP_ERROR_ARGUMENT},
    {0, 32, 31, CLSP_ERROR_ARGUMENT},
    {0, 0, 70, CLSP_OK},
    {0, 0, 71, CLSP_ERROR_ARGUMENT},
    {0, 64, 6, CLSP_OK},
    {0, 64, 7, CLSP_ERROR_ARGUMENT},
    {0, 64, 32, CLSP_ERROR_ARGUMENT},
    {0, 64, 5, CLSP_ERROR_ARGUMENT},
    {0, 96, 0, CLSP_ERROR_ARGUMENT},
    {0, 70, 0, CLSP_ERROR_ARGUMENT},
    {0, 32, UINT32_MAX, CLSP_ERROR_ARGUMENT},
    {0, 32, UINT32_MAX - 31, CLSP_ERROR_ARGUMENT},
    {2, 0, 32, CLSP_ERROR_ARGUMENT},
    {SIZE_MAX, 0, 32, CLSP_ERROR_ARGUMENT},
    {1, 32, 0, CLSP_OK},
    {2, 0, 0, CLSP_ERROR_ARGUMENT},
};

static void test_row_calls(void **state)
{
    const shape s = {"rows", {.degree_u = 3, .degree_v = 3, .num_u = 70, .num_v = 5}, 2, 0, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);

    (void)state;
    for (size_t i = 0; i < COUNT(row_calls); i++) {
        memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);
        cl_mem buffer = buffer_of(ctx, j.bytes, m.out);
        assert_int_equal(clsp_bezier_eval_rows(j.plan, row_calls[i].patch, row_calls[i].first,
                                               row_calls[i].num, buffer, 0, 0, NULL, NULL),
                         row_calls[i].status);
        assert_int_equal(clsp_bezier_host_rows_f32(j.plan, 0, row_calls[i].patch,
                                                   row_calls[i].first, row_calls[i].num,
                                                   (float *)m.out),
                         row_calls[i].status);
        if (row_calls[i].status != CLSP_OK || row_calls[i].num == 0)
            assert_poison(m.out, m.out + m.bytes);
        assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_TRUE, 0, j.bytes,
                                             m.out, 0, NULL, NULL),
                         CL_SUCCESS);
        if (row_calls[i].status != CLSP_OK || row_calls[i].num == 0)
            assert_poison(m.out, m.out + m.bytes);
        clReleaseMemObject(buffer);
        free_memory(&m);
    }
    finish(&j);
    clsp_context_destroy(&ctx);
}

static void check_no_host_rows(clsp_context *ctx, clsp_bezier_desc d)
{
    const shape s = {"no rows", d, 1, 0, 1, 0};
    shared j = start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, 4);
    clsp_cooperate_report r;

    assert_false(host_can(&j.l));
    assert_int_equal(clsp_bezier_host_rows_f32(j.plan, 0, 0, 0, 32, (float *)m.out),
                     CLSP_ERROR_ARGUMENT);
    assert_poison(m.out, m.out + m.bytes);
    free_memory(&m);
    check_call(&j, PLAIN, &ways[CLSP_RUNG_HOST], 2, true, &r);
    assert_int_equal(r.rung, CLSP_RUNG_DEVICE);
    finish(&j);
}

static void test_wrong_rows(void **state)
{
    const shape s = {"rows", {.degree_u = 3, .degree_v = 3, .num_u = 70, .num_v = 5}, 2, 0, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);
    cl_mem buffer = buffer_of(ctx, j.bytes, m.out);
    float *const out = (float *)m.out;

    (void)state;
    assert_int_equal(clsp_bezier_eval_rows(NULL, 0, 0, 32, buffer, 0, 0, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_eval_rows(j.plan, 0, 0, 32, NULL, 0, 0, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_eval_rows(j.plan, 0, 0, 32, buffer, 0, 1, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(
        clsp_bezier_eval_rows(j.plan, 0, 0, 64, buffer, (2 * 70 - 64) * 15 + 1, 0, NULL, NULL),
        CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clsp_bezier_host_rows_f32(NULL, 0, 0, 0, 32, out), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_host_rows_f32(j.plan, 0, 0, 0, 32, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_host_rows_f32(j.plan, CLSP_MAX_WORKERS, 0, 0, 32, out),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_host_rows_f32(j.plan, UINT32_MAX, 0, 0, 32, out),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_host_rows_f64(j.plan, 0, 0, 0, 32, (double *)m.out),
                     CLSP_ERROR_ARGUMENT);
    assert_poison(m.out, m.out + m.bytes);
    clReleaseMemObject(buffer);
    free_memory(&m);
    finish(&j);
    clsp_context_destroy(&ctx);
}

static void test_rows_that_are_none(void **state)
{
    static const clsp_bezier_desc none[] = {
        {.degree_u = 2, .num_u = 40, .form = CLSP_BEZIER_TRIANGLE},
        {.degree_u = 2, .degree_v = 2, .num_u = 40, .num_v = 3, .attributes = P | N},
        {.degree_u = 2, .degree_v = 2, .num_u = 40, .num_v = 3, .attributes = DU},
        {.degree_u = 2, .degree_v = 2, .num_u = 40, .num_v = 3, .watertight = 1},
        {.degree_u = 2, .degree_v = 2, .num_u = 40, .num_v = 3, .method = CLSP_BEZIER_BRUTE},
        {.degree_u = 2, .degree_v = 2, .num_u = 40, .num_v = 3, .storage = CLSP_STORE_F16}};
    static const uint32_t nums[] = {64, 3};
    clsp_context *ctx = context_with("");
    float out[64 * 3 * 3] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(none); i++)
        check_no_host_rows(ctx, none[i]);
    const shape s = {"own", {.degree_u = 2, .degree_v = 2, .num_u = 64, .num_v = 3}, 1, 0, 1, 0};
    shared j = start(ctx, &s, CLSP_F32), t = j;
    cl_mem buffer = buffer_of(ctx, sizeof out, out);
    assert_int_equal(clsp_bezier_set_patch_resolutions(j.plan, 1, nums), CLSP_OK);
    assert_int_equal(clsp_bezier_host_rows_f32(j.plan, 0, 0, 0, 32, out), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_eval_rows(j.plan, 0, 0, 32, buffer, 0, 0, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    const shape triangle = {"triangle", none[0], 1, 0, 1, 0};
    t = start(ctx, &triangle, CLSP_F32);
    assert_int_equal(clsp_bezier_eval_rows(t.plan, 0, 0, 32, buffer, 0, 0, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    clReleaseMemObject(buffer);
    finish(&t);
    finish(&j);
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
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_of_changes),
        cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_wrong_states),
        cmocka_unit_test(test_row_calls),
        cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_rows_that_are_none),
    };
    size_t count = 0;

    if (clsp_device_list(NULL, 0, &count) != CLSP_OK || count == 0) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
