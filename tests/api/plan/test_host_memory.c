/* Large results in host memory, which kernels may write where it is: the same bits as in a buffer,
   wherever the memory begins, and nothing around it touched. It ends before a page that nobody may
   touch; what is read may not be written. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bezier_fixture.h"
#include "tile_fixture.h"

enum { PAGE = 4096, BYTES_MIN = 2 << 20 /* what a case has at least */ };

static const char *const limits[] = {"", "class=integrated", "class=discrete",
                                     "class=cpu,alloc=1000000", "class=discrete,alloc=1000000"};

/* ---- memory ---- */

/* So many bytes, and poison up to a page without access. */
typedef struct region {
    unsigned char *all, *at;
    size_t whole, bytes;
} region;

static region make_region(size_t bytes, size_t behind)
{
    region r = {.bytes = bytes};

    r.whole = (bytes + behind + 2 * PAGE - 1) / PAGE * PAGE;
    r.all = mmap(NULL, r.whole + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(r.all != MAP_FAILED);
    assert_int_equal(mprotect(r.all + r.whole, PAGE, PROT_NONE), 0);
    memset(r.all, POISON, r.whole);
    r.at = r.all + r.whole - behind - bytes;
    return r;
}

static void check_region(const region *r)
{
    for (const unsigned char *byte = r->all; byte < r->all + r->whole; byte++)
        if ((byte < r->at || byte >= r->at + r->bytes) && *byte != POISON)
            fail_msg("byte %td from %zu bytes is written", byte - r->at, r->bytes);
}

static void free_region(const region *r)
{
    assert_int_equal(munmap(r->all, r->whole + PAGE), 0);
}

/* ---- cases ---- */

static const clsp_range tiles = {1, 6}; /* of the case about some of them */

typedef struct host_case {
    const char *name;
    clsp_bezier_form form;
    uint32_t num[3];
    clsp_vertex_layout vertex;
    clsp_bezier_method method;
    uint32_t watertight;
    enum { GRID, ROWS, PARAMETERS, PATCH_GRIDS } what;
} host_case;

#define WITH_NORMAL (CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL)

static const host_case cases[] = {
    {"points", CLSP_BEZIER_SURFACE, {173, 193, 0}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, GRID},
    {"narrow grids", CLSP_BEZIER_SURFACE, {171, 7, 0}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, GRID},
    {"normals",
     CLSP_BEZIER_SURFACE,
     {131, 137, 0},
     {.attributes = WITH_NORMAL},
     CLSP_BEZIER_METHOD_DEFAULT,
     1,
     GRID},
    {"gaps",
     CLSP_BEZIER_SURFACE,
     {119, 123, 0},
     {.attributes = WITH_NORMAL, .stride = 11, .offset = {[0] = 1, [8] = 6}},
     CLSP_BEZIER_METHOD_DEFAULT,
     0,
     GRID},
    {"halves",
     CLSP_BEZIER_SURFACE,
     {181, 191, 0},
     {.attributes = WITH_NORMAL, .type = CLSP_F16},
     CLSP_BEZIER_METHOD_DEFAULT,
     0,
     GRID},
    {"matrix", CLSP_BEZIER_SURFACE, {173, 193, 0}, {0}, CLSP_BEZIER_MATRIX, 0, GRID},
    {"multilevel", CLSP_BEZIER_SURFACE, {173, 193, 0}, {0}, CLSP_BEZIER_MULTILEVEL, 0, GRID},
    {"rows", CLSP_BEZIER_SURFACE, {289, 401, 0}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, ROWS},
    {"volumes", CLSP_BEZIER_VOLUME, {27, 35, 37}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, GRID},
    {"curves", CLSP_BEZIER_CURVE, {30011, 0, 0}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, GRID},
    {"triangles", CLSP_BEZIER_TRIANGLE, {251, 0, 0}, {0}, CLSP_BEZIER_METHOD_DEFAULT, 0, GRID},
    {"patch grids",
     CLSP_BEZIER_SURFACE,
     {3, 3, 0},
     {0},
     CLSP_BEZIER_METHOD_DEFAULT,
     0,
     PATCH_GRIDS},
    {"at parameters",
     CLSP_BEZIER_SURFACE,
     {3, 3, 0},
     {0},
     CLSP_BEZIER_METHOD_DEFAULT,
     0,
     PARAMETERS},
};

enum { DEGREE = 3, CONTROLS = 4 * 4 * 4 * 3 };

/* A case with its plan. */
typedef struct host_run {
    clsp_context *ctx;
    const host_case *c;
    clsp_patch_plan *plan;
    clsp_type type, precision;
    size_t patches, vertices, size; /* size: elements of what the call writes */
    region params, numbers;
} host_run;

static size_t controls_of(const host_case *c)
{
    return c->form == CLSP_BEZIER_CURVE      ? 4 * 3
           : c->form == CLSP_BEZIER_VOLUME   ? CONTROLS
           : c->form == CLSP_BEZIER_TRIANGLE ? 10 * 3
                                             : 16 * 3;
}

static size_t patch_vertices(const host_case *c)
{
    const size_t u = c->num[0], v = c->num[1], w = c->num[2];

    if (c->what == PATCH_GRIDS) return (size_t)200 * 151;
    if (c->what == PARAMETERS) return 45001;
    if (c->form == CLSP_BEZIER_TRIANGLE) return u * (u + 1) / 2;
    return u * (v ? v : 1) * (w ? w : 1);
}

static void store_real(clsp_type precision, void *to, size_t i, double x)
{
    if (precision == CLSP_F64)
        ((double *)to)[i] = x;
    else
        ((float *)to)[i] = (float)x;
}

static void load_patches(host_run *run)
{
    const size_t count = run->patches * controls_of(run->c);
    void *const controls = malloc(count * sizeof(double));

    assert_non_null(controls);
    for (size_t i = 0; i < count; i++)
        store_real(run->precision, controls, i, random_real());
    assert_int_equal(clsp_patch_set_control_points(run->plan, run->patches,
                                                   host_in(run->precision, controls, count), NULL),
                     CLSP_OK);
    free(controls);
}

/* Inputs of the case, in memory that may only be read. */
static void make_inputs(host_run *run)
{
    const bool at = run->c->what == PARAMETERS;
    const size_t n = at ? run->vertices : 2 * run->patches;

    run->numbers = make_region(n * sizeof(uint32_t), 4);
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = (uint32_t)(at ? i % run->patches : i % 2 ? 151 : 200);
        memcpy(run->numbers.at + i * sizeof number, &number, sizeof number);
    }
    run->params = make_region(2 * run->vertices * clsp_type_bytes(run->precision), 8);
    for (size_t i = 0; i < 2 * run->vertices; i++)
        store_real(run->precision, run->params.at, i, 0.5 + 0.5 * random_real());
    assert_int_equal(mprotect(run->numbers.all, run->numbers.whole, PROT_READ), 0);
    assert_int_equal(mprotect(run->params.all, run->params.whole, PROT_READ), 0);
}

static host_run start(clsp_context *ctx, const host_case *c, clsp_type precision)
{
    clsp_bezier_desc d = {.form = c->form,
                          .precision = precision,
                          .degree = {DEGREE, DEGREE, DEGREE},
                          .vertex = c->vertex,
                          .method = c->method,
                          .watertight = c->watertight};
    host_run run = {.ctx = ctx, .c = c, .precision = precision};

    for (int i = 0; i < 3; i++)
        d.axis[i].num = c->num[i];
    assert_int_equal(clsp_bezier_plan_create(&run.plan, ctx, &d), CLSP_OK);
    d = support_bezier_desc(run.plan);
    run.type = d.vertex.type;
    const size_t bytes = patch_vertices(c) * d.vertex.stride * clsp_type_bytes(run.type);
    run.patches = c->what == ROWS || c->what == PARAMETERS ? 1 : BYTES_MIN / bytes + 1;
    assert_true(run.patches <= 1000);
    run.vertices = run.patches * patch_vertices(c);
    run.size = run.vertices * d.vertex.stride;
    load_patches(&run);
    if (c->what == ROWS)
        run.size = bezier_tiling(run.plan, (clsp_range){0, 1}, tiles).elements.count;
    make_inputs(&run);
    if (c->what == PATCH_GRIDS)
        assert_int_equal(clsp_patch_set_grids(run.plan, NULL, run.patches,
                                              host_in(CLSP_U32, run.numbers.at, 2 * run.patches)),
                         CLSP_OK);
    return run;
}

static clsp_status evaluate(const host_run *run, clsp_output out)
{
    const clsp_range all = {0, run->patches};

    if (run->c->what == ROWS)
        return eval_tiles(run->plan, all, tiles, CLSP_SCHEDULE_DEVICE, out, NULL);
    if (run->c->what != PARAMETERS) return clsp_patch_eval(run->plan, all, out, NULL);
    return clsp_patch_eval_points(
        run->plan,
        &(clsp_points){.num = run->vertices,
                       .item = host_in(CLSP_U32, run->numbers.at, run->vertices),
                       .params = host_in(run->precision, run->params.at, 2 * run->vertices)},
        out, NULL);
}

static void finish(host_run *run)
{
    clsp_patch_plan_destroy(&run->plan);
    free_region(&run->params);
    free_region(&run->numbers);
}

static double real_of(clsp_type type, const unsigned char *from, size_t i)
{
    float narrow;
    double wide;

    memcpy(&wide, from + i * sizeof wide * (type == CLSP_F64), sizeof wide);
    memcpy(&narrow, from + i * sizeof narrow, sizeof narrow);
    return type == CLSP_F64 ? wide : (double)narrow;
}

/* Where a CPU's host makes what is written to host memory it is rounded otherwise. */
static void check_near(const host_run *run, const unsigned char *got, const unsigned char *wanted)
{
    const size_t bytes = run->size * clsp_type_bytes(run->type);
    const double most = run->type == CLSP_F64 ? 0x1p-40 : 0x1p-14;
    clsp_device_info info;

    if (memcmp(got, wanted, bytes) == 0) return;
    assert_int_equal(clsp_context_device(run->ctx, &info), CLSP_OK);
    assert_int_equal(info.device_class, CLSP_CLASS_CPU);
    assert_true(run->type != CLSP_F16);
    for (size_t i = 0; i < run->size; i++) {
        const double x = real_of(run->type, wanted, i), y = real_of(run->type, got, i);
        if (!(fabs(x - y) <= most * fmax(1.0, fabs(x))))
            fail_msg("%s: %.17g of a buffer and %.17g of host memory", run->c->name, x, y);
    }
}

static unsigned char *poisoned(size_t bytes)
{
    unsigned char *const memory = malloc(bytes + sizeof(double));

    assert_non_null(memory);
    memset(memory, POISON, bytes);
    return memory;
}

/* What the case writes to host memory that is aligned, near to what it writes to a buffer, and
   poison where it writes nothing. */
static unsigned char *wanted_of(const host_run *run)
{
    const size_t bytes = run->size * clsp_type_bytes(run->type);
    unsigned char *const wanted = poisoned(bytes), *const of_buffer = poisoned(bytes);
    const clsp_output out = {.type = run->type, .buffer = buffer_of(run->ctx, bytes, wanted)};

    assert_int_equal(evaluate(run, out), CLSP_OK);
    read_buffer(run->ctx, out.buffer, bytes, of_buffer);
    clReleaseMemObject(out.buffer);
    assert_int_equal(evaluate(run, host_out(run->type, wanted, run->size)), CLSP_OK);
    check_near(run, wanted, of_buffer);
    free(of_buffer);
    return wanted;
}

/* ---- tests ---- */

static void check_place(const host_run *run, const unsigned char *wanted, size_t behind)
{
    const size_t bytes = run->size * clsp_type_bytes(run->type);
    const region out = make_region(bytes, behind);

    assert_int_equal(evaluate(run, host_out(run->type, out.at, run->size)), CLSP_OK);
    if (memcmp(out.at, wanted, bytes) != 0)
        fail_msg("%s: other vertices, %zu bytes before a page", run->c->name, behind);
    check_region(&out);
    free_region(&out);
}

/* The ends of pages, and odd places; of plain points every place. */
static void check_case(clsp_context *ctx, const host_case *c, clsp_type precision)
{
    host_run run = start(ctx, c, precision);
    unsigned char *const wanted = wanted_of(&run);
    const size_t step = c == cases ? 1 : 12;

    for (size_t behind = 0; behind <= 64; behind += step)
        check_place(&run, wanted, behind);
    check_place(&run, wanted, 7);
    free(wanted);
    finish(&run);
}

static void check_cases(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        if (in_turn(i) && (cases[i].method <= CLSP_BEZIER_SEPARABLE || support_has_methods()))
            check_case(ctx, &cases[i], precision);
}

static void test_cases(void **state)
{
    (void)state;
    if (tiny()) {
        print_message("skipped: large arrays\n");
        skip();
    }
    each_turn(limits, COUNT(limits), 1, check_cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
