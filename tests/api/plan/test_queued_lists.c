/* Lists of vertices from and into buffers, which CPU devices make by the host's code as commands of
   the queue: the same bits as in host memory, in the queue's order, whatever ends behind them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "vertex_fixture.h"

/* ---- plans ---- */

/* What lists there are: of patches, and of splines where there are control points. */
typedef struct list_kind {
    uint32_t directions, degree, controls; /* a triangle has 4 directions */
    uint32_t attributes, rational;
    uint32_t planar, items; /* 1: parameters a direction after the other; numbers of patches */
    uint32_t gap;           /* elements behind each vertex */
    clsp_type type;         /* of vertices; default: that of the plan */
} list_kind;

static const list_kind kinds[] = {
    {.directions = 2, .degree = 3, .attributes = P | DU | DV | N, .items = 1, .gap = 2},
    {.directions = 1, .degree = 4, .attributes = P | T, .gap = 1},
    {.directions = 2, .degree = 2, .attributes = P | W | T, .rational = 1, .planar = 1, .items = 1},
    {.directions = 2, .degree = 3, .controls = 9, .attributes = P | DU | DV, .type = CLSP_F16},
    {.directions = 1, .degree = 3, .controls = 12, .attributes = P | DU, .items = 1},
    /* not of quick sums */
    {.directions = 2, .degree = 3, .attributes = P | DUU | K, .items = 1, .gap = 3},
    {.directions = 2, .degree = 3, .attributes = P | W | N | DU, .rational = 1, .items = 1},
    {.directions = 3, .degree = 2, .attributes = P | DU | DV | DW | T, .planar = 1, .items = 1},
    {.directions = 4, .degree = 4, .attributes = P | DUV | N | T, .rational = 1, .type = CLSP_F16},
    {.directions = 1, .degree = 3, .controls = 9, .attributes = P | DUU | K, .rational = 1},
    {.directions = 2, .degree = 2, .controls = 6, .attributes = P | N | DVV, .items = 1, .gap = 1},
    {.directions = 3, .degree = 2, .controls = 4, .attributes = P | DW, .rational = 1, .items = 1},
    {.directions = 2, .degree = 17, .attributes = P | DU, .items = 1},
};

enum { PATCHES = 5, DIM = 3, POINTS = 333, MOST_STRIDE = 16, MOST_REALS = 1024 };

typedef struct maker {
    clsp_context *ctx;
    const list_kind *kind;
    clsp_type precision, type;
    uint32_t stride;
    size_t controls; /* reals of a patch */
    clsp_patch_plan *plan;
} maker;

/* Parameters of a point. */
static uint32_t params_of(const list_kind *k)
{
    return k->directions == 4 ? 2 : k->directions;
}

static uint32_t elements_of(const list_kind *k)
{
    static const uint32_t vectors[] = {P, DU, DV, DW, DUU, DUV, DVV, N};
    uint32_t num = k->attributes & W ? 1 : 0;

    for (size_t i = 0; i < COUNT(vectors); i++)
        num += k->attributes & vectors[i] ? DIM : 0;
    return num + (k->attributes & K ? k->directions : 0) + (k->attributes & T ? params_of(k) : 0);
}

/* Reals of a precision: [num], of numbers in [0, 1), or weights among control points. */
static void *reals(clsp_type precision, size_t num, uint32_t coords_with_weight)
{
    void *const made = calloc(num + 1, clsp_type_bytes(precision));

    assert_non_null(made);
    for (size_t i = 0; i < num; i++) {
        const bool is_weight = coords_with_weight && (i + 1) % coords_with_weight == 0;
        const double x = is_weight ? 1.5 + 0.5 * random_real() : 0.5 + 0.5 * random_real();
        if (precision == CLSP_F64)
            ((double *)made)[i] = x;
        else
            ((float *)made)[i] = (float)x;
    }
    return made;
}

static clsp_input real_in(clsp_type precision, const void *at, size_t num)
{
    return (clsp_input){.type = precision, .host = at, .size = num};
}

static clsp_status set_points(maker *m, size_t patches, clsp_input points)
{
    return clsp_patch_set_control_points(m->plan, patches, points, NULL);
}

static void *new_points(const maker *m, size_t patches)
{
    return reals(m->precision, patches * m->controls, m->kind->rational ? DIM + 1 : 0);
}

static void load(maker *m, size_t patches)
{
    void *const points = new_points(m, patches);

    assert_int_equal(set_points(m, patches, real_in(m->precision, points, patches * m->controls)),
                     CLSP_OK);
    free(points);
}

static maker start(clsp_context *ctx, size_t kind, clsp_type precision)
{
    const list_kind *const k = &kinds[kind];
    maker m = {.ctx = ctx,
               .kind = k,
               .precision = precision,
               .type = k->type ? k->type : precision,
               .stride = elements_of(k) + k->gap};
    const clsp_vertex_layout vertex = {
        .attributes = k->attributes, .type = k->type, .stride = m.stride};
    const uint32_t along = k->controls ? k->controls : k->degree + 1;

    m.controls = (k->directions == 4
                      ? (along * (along + 1)) / 2
                      : along * (k->directions > 1 ? along : 1) * (k->directions > 2 ? along : 1)) *
                 (DIM + k->rational);
    assert_true(m.stride <= MOST_STRIDE && m.controls <= MOST_REALS);
    if (k->controls)
        assert_int_equal(clsp_bspline_plan_create(
                             &m.plan, ctx,
                             &(clsp_bspline_desc){.directions = k->directions,
                                                  .precision = precision,
                                                  .degree = {k->degree, k->degree, k->degree},
                                                  .num_controls = {along, along, along},
                                                  .rational = k->rational,
                                                  .vertex = vertex}),
                         CLSP_OK);
    else
        assert_int_equal(
            clsp_bezier_plan_create(&m.plan, ctx,
                                    &(clsp_bezier_desc){.form = (clsp_bezier_form)k->directions,
                                                        .precision = precision,
                                                        .degree = {k->degree, k->degree, k->degree},
                                                        .rational = k->rational,
                                                        .vertex = vertex}),
            CLSP_OK);
    load(&m, PATCHES);
    return m;
}

static void end(maker *m)
{
    clsp_patch_plan_destroy(&m->plan);
}

static clsp_status eval(maker *m, const clsp_points *points, clsp_output out, const clsp_run *run)
{
    return clsp_patch_eval_points(m->plan, points, out, run);
}

/* Whether the host makes a kind of list in the queue. */
static bool is_native(const maker *m)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(m->ctx, &info), CLSP_OK);
    return info.device_class == CLSP_CLASS_CPU && info.native;
}

/* ---- lists ---- */

/* Points, and their vertices in host memory and from and into buffers. */
typedef struct list {
    size_t num, params_num, out_num;
    void *params;
    uint32_t *item;
    unsigned char *wanted; /* of the host, with POISON in gaps; where it does not make the same bits
                              as commands, of buffers */
    size_t bytes;
    store in, items, out;
} list;

static clsp_points points_of(const maker *m, const list *l)
{
    return (clsp_points){.num = l->num,
                         .item = m->kind->items ? store_in(&l->items)
                                                : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                         .params = store_in(&l->in),
                         .planar = m->kind->planar};
}

static clsp_status eval_list(maker *m, const list *l, const clsp_run *run)
{
    const clsp_points points = points_of(m, l);

    return eval(m, &points, store_out(&l->out), run);
}

static clsp_status eval_host_list(maker *m, const list *l, void *out, size_t out_num,
                                  const clsp_run *run)
{
    const clsp_points points = {.num = l->num,
                                .item = m->kind->items ? clsp_in_u32(l->item, l->num)
                                                       : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                                .params = real_in(m->precision, l->params, l->params_num),
                                .planar = m->kind->planar};

    return eval(m, &points, host_out(m->type, out, out_num), run);
}

static void open_stores(list *l, const maker *m, store_kind kind)
{
    l->in = store_make(m->ctx, kind, m->precision, 3, l->params_num, l->params);
    l->items = store_make(m->ctx, kind, CLSP_U32, 2, l->num, l->item);
    l->out = store_make(m->ctx, kind, m->type, 5, l->out_num, NULL);
}

static void close_stores(list *l)
{
    store_free(&l->in);
    store_free(&l->items);
    store_free(&l->out);
}

static list new_list(maker *m, size_t num, store_kind kind)
{
    list l = {.num = num, .params_num = num * params_of(m->kind), .out_num = num * m->stride};

    l.params = reals(m->precision, l.params_num, 0);
    memset(l.params, 0, clsp_type_bytes(m->precision)); /* a side */
    l.item = calloc(num + 1, sizeof *l.item);
    l.bytes = l.out_num * clsp_type_bytes(m->type);
    l.wanted = malloc(l.bytes + 1);
    assert_true(l.item && l.wanted);
    for (size_t k = 0; k < num; k++)
        l.item[k] = (uint32_t)(k * 7 % PATCHES);
    open_stores(&l, m, kind);
    return l;
}

static void make_wanted(maker *m, list *l)
{
    memset(l->wanted, POISON, l->bytes);
    if (is_native(m)) {
        assert_int_equal(eval_host_list(m, l, l->wanted, l->out_num, NULL), CLSP_OK);
        return;
    }
    store out = store_make(m->ctx, BUFFER, m->type, 0, l->out_num, NULL);
    const clsp_points points = points_of(m, l);
    assert_int_equal(eval(m, &points, store_out(&out), NULL), CLSP_OK);
    memcpy(l->wanted, store_read(&out), l->bytes);
    store_free(&out);
}

static void free_list(list *l)
{
    close_stores(l);
    free(l->params);
    free(l->item);
    free(l->wanted);
}

/* ---- what runs ---- */

typedef void (*kind_fn)(clsp_context *ctx, size_t kind, clsp_type precision);

static void each_kind(kind_fn check)
{
    clsp_context *const ctx = lent_context("");

    for (size_t k = 0; k < COUNT(kinds); k++) {
        if (tiny() && k % 2) continue;
        seed((unsigned)k + 1);
        check(ctx, k, CLSP_F32);
        if (has_fp64(ctx) && !tiny()) check(ctx, k, CLSP_F64);
    }
}

/* ---- bits ---- */

static void kinds_of_memory(clsp_context *ctx, size_t kind, clsp_type precision)
{
    maker m = start(ctx, kind, precision);

    for (int s = BUFFER; s < STORE_KINDS; s++) {
        if (!has_kind(ctx, (store_kind)s)) continue;
        list l = new_list(&m, tiny() ? 9 : POINTS, (store_kind)s);
        make_wanted(&m, &l);
        assert_int_equal(eval_list(&m, &l, NULL), CLSP_OK);
        assert_memory_equal(store_read(&l.out), l.wanted, l.bytes);
        free_list(&l);
    }
    end(&m);
}

static void test_kinds_of_memory(void **state)
{
    (void)state;
    each_kind(kinds_of_memory);
}

/* Tiles by the caller, and all by the host's workers: the same bits. */
static void tiles(clsp_context *ctx, size_t kind, clsp_type precision)
{
    maker m = start(ctx, kind, precision);
    list l = new_list(&m, tiny() ? 9 : 5 * POINTS, BUFFER);
    unsigned char *const out = malloc(l.bytes + 1);
    clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};
    clsp_tiling all = {.num_tiles = 0}, one;
    const clsp_run run = {.share = &share}, ask_all = {.share = &share, .tiling = &all};
    const clsp_run ask = {.share = &share, .tiling = &one};
    size_t made = 0;

    assert_non_null(out);
    memset(l.wanted, POISON, l.bytes);
    memset(out, POISON, l.bytes);
    assert_int_equal(eval_host_list(&m, &l, l.wanted, l.out_num, &run), CLSP_OK);
    if (is_native(&m)) {
        assert_int_equal(eval_host_list(&m, &l, out, l.out_num, NULL), CLSP_OK);
        assert_memory_equal(out, l.wanted, l.bytes);
        memset(out, POISON, l.bytes);
    }
    assert_int_equal(eval_host_list(&m, &l, NULL, 0, &ask_all), CLSP_OK);
    for (size_t t = 0; t < all.num_tiles; t++, made += one.elements.count) {
        share.tiles = (clsp_range){t, 1};
        assert_int_equal(eval_host_list(&m, &l, NULL, 0, &ask), CLSP_OK);
        assert_int_equal(
            eval_host_list(&m, &l, out + made * clsp_type_bytes(m.type), one.elements.count, &run),
            CLSP_OK);
    }
    assert_int_equal(made, l.out_num);
    assert_memory_equal(out, l.wanted, l.bytes);
    free(out);
    free_list(&l);
    end(&m);
}

static void test_tiles(void **state)
{
    (void)state;
    each_kind(tiles);
}

/* A list of 20000 points, which threads share, and parts of it. */
static void parts(clsp_context *ctx, size_t kind, clsp_type precision)
{
    enum { MANY = 20000, FIRST = 777 };
    maker m = start(ctx, kind, precision);
    list l = new_list(&m, tiny() ? 2 * FIRST : MANY, BUFFER);
    const size_t num = l.num;
    const size_t before = FIRST * m.stride * clsp_type_bytes(m.type);

    make_wanted(&m, &l);
    clsp_points points = points_of(&m, &l);
    clsp_output out = store_out(&l.out);
    if (!m.kind->planar) { /* two parts */
        points.num = FIRST;
        assert_int_equal(eval(&m, &points, out, NULL), CLSP_OK);
        points.num = num - FIRST;
        points.params.offset += FIRST * params_of(m.kind);
        points.item.offset += m.kind->items ? FIRST : 0;
        out.offset += FIRST * m.stride;
        assert_int_equal(eval(&m, &points, out, NULL), CLSP_OK);
    } else {
        assert_int_equal(eval_list(&m, &l, NULL), CLSP_OK);
    }
    assert_true(before < l.bytes);
    assert_memory_equal(store_read(&l.out), l.wanted, l.bytes);
    free_list(&l);
    end(&m);
}

static void test_parts(void **state)
{
    (void)state;
    if (tiny()) skip();
    each_kind(parts);
}

/* Whether all elements of a vertex but those of its gap are NaN. */
static void assert_lost(const maker *m, const unsigned char *vertex)
{
    const size_t element = clsp_type_bytes(m->type);
    const uint32_t num = m->stride - m->kind->gap;

    for (uint32_t e = 0; e < num; e++) {
        uint16_t half;
        float narrow;
        double wide;
        memcpy(&half, vertex + e * element, sizeof half);
        if (m->type == CLSP_F16) assert_true((half & 0x7fff) > 0x7c00);
        if (m->type == CLSP_F32) memcpy(&narrow, vertex + e * element, sizeof narrow);
        if (m->type == CLSP_F32) assert_true(isnan(narrow));
        if (m->type == CLSP_F64) memcpy(&wide, vertex + e * element, sizeof wide);
        if (m->type == CLSP_F64) assert_true(isnan(wide));
    }
    for (size_t b = num * element; b < m->stride * element; b++)
        assert_int_equal(vertex[b], POISON);
}

/* Without patches all vertices are lost. */
static void without_patches(maker *m, list *l)
{
    const size_t vertex = m->stride * clsp_type_bytes(m->type);

    assert_int_equal(set_points(m, 0, real_in(m->precision, NULL, 0)), CLSP_OK);
    assert_int_equal(eval_list(m, l, NULL), CLSP_OK);
    const unsigned char *const got = store_read(&l->out);
    for (size_t k = 0; k < l->num; k++)
        assert_lost(m, got + k * vertex);
}

/* Numbers of patches that are not there, and parameters that are NaN, lose their own vertices. */
static void bad_points(clsp_context *ctx, size_t kind, clsp_type precision)
{
    static const size_t bad_items[] = {0, 63, 64, 130}, bad_params[] = {1, 65, 200};
    maker m = start(ctx, kind, precision);
    const size_t num = tiny() ? 4 : POINTS, real = clsp_type_bytes(precision);
    const size_t vertex = m.stride * clsp_type_bytes(m.type);
    list l = new_list(&m, num, BUFFER);

    make_wanted(&m, &l);
    close_stores(&l);
    for (size_t i = 0; i < COUNT(bad_items) && m.kind->items; i++)
        if (bad_items[i] < num) l.item[bad_items[i]] = i % 2 ? UINT32_MAX : PATCHES;
    for (size_t i = 0; i < COUNT(bad_params); i++) {
        const size_t k = bad_params[i], last = params_of(m.kind) - 1;
        const size_t at = m.kind->planar ? last * num + k : k * params_of(m.kind) + last;
        if (k < num) memset((char *)l.params + at * real, 0xff, real);
    }
    open_stores(&l, &m, BUFFER);
    assert_int_equal(eval_list(&m, &l, NULL), CLSP_OK);
    const unsigned char *const got = store_read(&l.out);
    for (size_t k = 0; k < num; k++) {
        bool is_bad = false;
        for (size_t i = 0; i < COUNT(bad_items) && m.kind->items; i++)
            is_bad = is_bad || bad_items[i] == k;
        for (size_t i = 0; i < COUNT(bad_params); i++)
            is_bad = is_bad || bad_params[i] == k;
        if (is_bad)
            assert_lost(&m, got + k * vertex);
        else
            assert_memory_equal(got + k * vertex, l.wanted + k * vertex, vertex);
    }
    if (kind == 0 && precision == CLSP_F32) without_patches(&m, &l);
    free_list(&l);
    end(&m);
}

static void test_bad_points(void **state)
{
    (void)state;
    each_kind(bad_points);
}

static cl_mem part_of(cl_mem whole, size_t origin, size_t bytes)
{
    const cl_buffer_region region = {origin, bytes};
    cl_int code;
    const cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);

    assert_int_equal(code, CL_SUCCESS);
    return part;
}

static cl_mem on_host(clsp_context *ctx, void *memory, size_t bytes)
{
    cl_int code;
    const cl_mem made = clCreateBuffer(cl_context_of(ctx), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       bytes, memory, &code);

    assert_int_equal(code, CL_SUCCESS);
    return made;
}

/* Whether an element is about the one wanted: that of another evaluator. */
static bool is_close(clsp_type type, const unsigned char *got, const unsigned char *wanted)
{
    float narrow[2];
    double wide[2];
    int16_t half[2];

    memcpy(half, got, sizeof *half);
    memcpy(half + 1, wanted, sizeof *half);
    if (type == CLSP_F16)
        return abs(half[0] - half[1]) <= 4 || ((half[0] | half[1]) & 0x7fff) < 0x1400; /* 2^-10 */
    if (type == CLSP_F32) {
        memcpy(narrow, got, sizeof *narrow);
        memcpy(narrow + 1, wanted, sizeof *narrow);
        return fabsf(narrow[0] - narrow[1]) <= 1e-4f * (1 + fabsf(narrow[1]));
    }
    memcpy(wide, got, sizeof *wide);
    memcpy(wide + 1, wanted, sizeof *wide);
    return fabs(wide[0] - wide[1]) <= 1e-12 * (1 + fabs(wide[1]));
}

static void assert_like(const maker *m, const list *l, const unsigned char *got, bool same_bits)
{
    const size_t element = clsp_type_bytes(m->type), filled = m->stride - m->kind->gap;

    for (size_t e = 0; e < l->out_num; e++) {
        const unsigned char *const at = got + e * element, *const wanted = l->wanted + e * element;
        if (memcmp(at, wanted, element) == 0) continue;
        if (same_bits || e % m->stride >= filled || !is_close(m->type, at, wanted))
            fail_msg("element %zu of vertex %zu differs", e % m->stride, e / m->stride);
    }
}

/* Evaluates a list of these buffers: of vertices, parameters and numbers. */
static void check_buffers(maker *m, const list *l, const cl_mem buffers[3], bool same_bits)
{
    const clsp_points points = {.num = l->num,
                                .item = m->kind->items ? clsp_in_buffer(buffers[2], CLSP_U32, 0)
                                                       : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                                .params = clsp_in_buffer(buffers[1], m->precision, 0),
                                .planar = m->kind->planar};
    const cl_command_queue queue = clsp_context_queue(m->ctx);
    unsigned char *const got = malloc(l->bytes);

    assert_non_null(got);
    memset(got, POISON, l->bytes);
    clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, 0, l->bytes, got, 0, NULL, NULL);
    assert_int_equal(eval(m, &points, clsp_out_buffer(buffers[0], m->type, 0), NULL), CLSP_OK);
    clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, l->bytes, got, 0, NULL, NULL);
    assert_like(m, l, got, same_bits);
    free(got);
}

/* Into a part of a buffer, from parts, and into and from buffers on memory of the host's. */
static void parts_of_buffers(clsp_context *ctx, size_t kind, clsp_type precision)
{
    maker m = start(ctx, kind, precision);
    list l = new_list(&m, tiny() ? 9 : POINTS, BUFFER);
    const size_t params = l.params_num * clsp_type_bytes(precision), items = l.num * sizeof *l.item;
    clsp_device_info info;

    make_wanted(&m, &l);
    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    const size_t align = info.base_align_bytes ? info.base_align_bytes : 128;
    char *const room = calloc(1, l.bytes + params + items + 4 * align);
    assert_non_null(room);
    memcpy(room + align, l.params, params);
    const cl_mem whole[] = {buffer_of(ctx, align + l.bytes, NULL),
                            buffer_of(ctx, align + params, room),
                            buffer_of(ctx, align + items, room)};
    assert_int_equal(clEnqueueWriteBuffer(clsp_context_queue(ctx), whole[2], CL_TRUE, align, items,
                                          l.item, 0, NULL, NULL),
                     CL_SUCCESS);
    const cl_mem part[] = {part_of(whole[0], align, l.bytes), part_of(whole[1], align, params),
                           part_of(whole[2], align, items)};
    check_buffers(&m, &l, part, true);
    char *const to = calloc(1, l.bytes + 64);
    assert_non_null(to);
    const cl_mem host[] = {on_host(ctx, to + 8, l.bytes), on_host(ctx, l.params, params),
                           on_host(ctx, l.item, items)};
    check_buffers(&m, &l, host, true);
    for (int i = 0; i < 3; i++) {
        clReleaseMemObject(part[i]);
        clReleaseMemObject(whole[i]);
        clReleaseMemObject(host[i]);
    }
    clsp_context_finish(ctx);
    free(to);
    free(room);
    free_list(&l);
    end(&m);
}

static void test_parts_of_buffers(void **state)
{
    (void)state;
    each_kind(parts_of_buffers);
}

/* Parameters, numbers and vertices in one buffer. */
static void one_buffer(clsp_context *ctx, size_t kind, clsp_type precision)
{
    maker m = start(ctx, kind, precision);
    list l = new_list(&m, tiny() ? 9 : POINTS, BUFFER);
    const size_t params = l.params_num * 8, items = l.num * 8;
    cl_command_queue const queue = clsp_context_queue(ctx);
    unsigned char *const got = malloc(l.bytes);

    assert_non_null(got);
    make_wanted(&m, &l);
    const cl_mem all = buffer_of(ctx, params + items + l.bytes, NULL);
    const clsp_points points = {.num = l.num,
                                .item = m.kind->items ? clsp_in_buffer(all, CLSP_U32, params / 4)
                                                      : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                                .params = clsp_in_buffer(all, precision, 0),
                                .planar = m.kind->planar};
    memset(got, POISON, l.bytes);
    clEnqueueWriteBuffer(queue, all, CL_TRUE, 0, l.params_num * clsp_type_bytes(precision),
                         l.params, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, all, CL_TRUE, params, l.num * 4, l.item, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, all, CL_TRUE, params + items, l.bytes, got, 0, NULL, NULL);
    assert_int_equal(eval(&m, &points,
                          clsp_out_buffer(all, m.type, (params + items) / clsp_type_bytes(m.type)),
                          NULL),
                     CLSP_OK);
    clEnqueueReadBuffer(queue, all, CL_TRUE, params + items, l.bytes, got, 0, NULL, NULL);
    assert_memory_equal(got, l.wanted, l.bytes);
    clReleaseMemObject(all);
    free(got);
    free_list(&l);
    end(&m);
}

static void test_one_buffer(void **state)
{
    (void)state;
    each_kind(one_buffer);
}

static void map(clsp_context *ctx, unsigned char *all, size_t bytes)
{
    assert_int_equal(clEnqueueSVMMap(clsp_context_queue(ctx), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                     all, bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* Makes a list whose parameters, items and vertices are in one allocation of SVM. */
static void one_svm(clsp_context *ctx, size_t kind, clsp_type precision)
{
    maker m = start(ctx, kind, precision);
    list l = new_list(&m, tiny() ? 9 : POINTS, BUFFER);
    const size_t params = l.params_num * 8, items = l.num * 8, before = params + items;
    const size_t bytes = before + l.bytes, element = clsp_type_bytes(m.type);
    unsigned char *const all = clSVMAlloc(cl_context_of(ctx), CL_MEM_READ_WRITE, bytes, 0);

    assert_non_null(all);
    make_wanted(&m, &l);
    map(ctx, all, bytes);
    memset(all, POISON, bytes);
    memcpy(all, l.params, l.params_num * clsp_type_bytes(precision));
    memcpy(all + params, l.item, l.num * sizeof *l.item);
    clEnqueueSVMUnmap(clsp_context_queue(ctx), all, 0, NULL, NULL);
    const clsp_points points = {.num = l.num,
                                .item = m.kind->items
                                            ? (clsp_input){.type = CLSP_U32,
                                                           .svm = all,
                                                           .size = before / sizeof *l.item,
                                                           .offset = params / sizeof *l.item}
                                            : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                                .params = {.type = precision, .svm = all, .size = l.params_num},
                                .planar = m.kind->planar};
    assert_int_equal(
        eval(&m, &points,
             (clsp_output){
                 .type = m.type, .svm = all, .size = bytes / element, .offset = before / element},
             NULL),
        CLSP_OK);
    map(ctx, all, bytes);
    assert_memory_equal(all + before, l.wanted, l.bytes);
    clEnqueueSVMUnmap(clsp_context_queue(ctx), all, 0, NULL, NULL);
    clsp_context_finish(ctx);
    clSVMFree(cl_context_of(ctx), all);
    free_list(&l);
    end(&m);
}

static void test_one_svm(void **state)
{
    (void)state;
    if (!has_kind(lent_context(""), SVM_COARSE)) skip();
    each_kind(one_svm);
}

/* Without native commands they are made at once, in buffers that are mapped. */
static void test_mapped(void **state)
{
    clsp_context *ctx = context_with("native=0");
    maker m = start(lent_context(""), 0, CLSP_F32), other = start(ctx, 0, CLSP_F32);
    void *points;

    (void)state;
    assert_false(is_native(&other));
    seed(5);
    points = new_points(&m, PATCHES);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            set_points(i ? &other : &m, PATCHES, real_in(CLSP_F32, points, PATCHES * m.controls)),
            CLSP_OK);
    list l = new_list(&m, tiny() ? 9 : POINTS, BUFFER);
    make_wanted(&m, &l);
    close_stores(&l);
    open_stores(&l, &other, BUFFER);
    assert_int_equal(eval_list(&other, &l, NULL), CLSP_OK);
    assert_like(&m, &l, store_read(&l.out), false);
    free_list(&l);
    free(points);
    end(&m);
    end(&other);
    clsp_context_destroy(&ctx);
}

/* ---- order, and what ends behind ---- */

static cl_event new_gate(const clsp_context *ctx)
{
    cl_int code;
    const cl_event gate = clCreateUserEvent(cl_context_of(ctx), &code);

    assert_int_equal(code, CL_SUCCESS);
    return gate;
}

/* A call behind a gate that opens later, then other control points from a buffer, which wait for it
   where the host makes it, and a call with those. */
static void order(clsp_context *ctx, size_t kind, clsp_type precision)
{
    enum { MORE = 3 * PATCHES };
    maker m = start(ctx, kind, precision);
    list a = new_list(&m, POINTS, BUFFER), b = new_list(&m, POINTS, BUFFER);
    void *const points = new_points(&m, MORE);
    const size_t bytes = MORE * m.controls * clsp_type_bytes(precision);
    const cl_mem buffer = buffer_of(ctx, bytes, points);
    const cl_event event = new_gate(ctx);
    support_gate gate;
    cl_event done = NULL;
    cl_int status = -1;

    make_wanted(&m, &a);
    assert_int_equal(eval_list(&m, &a, &(clsp_run){.num_wait = 1, .wait = &event, .done = &done}),
                     CLSP_OK);
    assert_int_equal(
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    assert_true(status > CL_COMPLETE);
    support_open_soon(&gate, event);
    assert_int_equal(set_points(&m, MORE, clsp_in_buffer(buffer, precision, 0)), CLSP_OK);
    assert_int_equal(eval_list(&m, &b, NULL), CLSP_OK);
    support_opened(&gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    clsp_context_finish(ctx);
    assert_memory_equal(store_read(&a.out), a.wanted, a.bytes);
    make_wanted(&m, &b);
    assert_memory_equal(store_read(&b.out), b.wanted, b.bytes);
    clReleaseMemObject(buffer);
    free(points);
    free_list(&a);
    free_list(&b);
    end(&m);
}

/* In a queue of some properties, in the device's own OpenCL context. */
static clsp_context *context_of_queue(cl_command_queue_properties properties)
{
    clsp_context *const ctx = lent_context(""), *made = NULL;
    clsp_device_info info;
    cl_int code;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    cl_command_queue queue = clCreateCommandQueue(cl_context_of(ctx), info.id, properties, &code);
    if (code != CL_SUCCESS) return NULL;
    assert_int_equal(clsp_context_create(&made, queue, NULL), CLSP_OK);
    clReleaseCommandQueue(queue);
    return made;
}

static void test_order(void **state)
{
    (void)state;
    if (tiny()) skip();
    each_kind(order);
    clsp_context *ctx = context_of_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!ctx) return;
    for (size_t k = 0; k < COUNT(kinds); k++)
        order(ctx, k, CLSP_F32);
    clsp_context_destroy(&ctx);
}

/* The plan, its context and the buffers that are read end behind a call that waits. */
static void check_ends(cl_command_queue_properties properties, size_t kind)
{
    clsp_context *ctx = context_of_queue(properties);
    if (!ctx) return;
    cl_command_queue const queue = clsp_context_queue(ctx);
    maker m = start(ctx, kind, CLSP_F32);
    list l = new_list(&m, 4 * POINTS, BUFFER);
    unsigned char *const got = malloc(l.bytes);
    const cl_event event = new_gate(ctx);
    support_gate gate;
    cl_event done = NULL;

    assert_non_null(got);
    make_wanted(&m, &l);
    clRetainCommandQueue(queue);
    assert_int_equal(eval_list(&m, &l, &(clsp_run){.num_wait = 1, .wait = &event, .done = &done}),
                     CLSP_OK);
    support_open_soon(&gate, event);
    end(&m);
    clsp_context_destroy(&ctx);
    const clsp_output out = store_out(&l.out);
    clRetainMemObject(out.buffer);
    free_list(&(list){.in = l.in, .items = l.items, .out = l.out});
    support_opened(&gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    assert_int_equal(clEnqueueReadBuffer(queue, out.buffer, CL_TRUE,
                                         out.offset * clsp_type_bytes(m.type), l.bytes, got, 0,
                                         NULL, NULL),
                     CL_SUCCESS);
    assert_memory_equal(got, l.wanted, l.bytes);
    clReleaseMemObject(out.buffer);
    clReleaseCommandQueue(queue);
    free(got);
    free(l.params);
    free(l.item);
    free(l.wanted);
}

static void test_ends(void **state)
{
    (void)state;
    if (tiny()) skip();
    for (size_t k = 0; k < COUNT(kinds); k++) {
        seed((unsigned)k + 50);
        check_ends(0, k);
        check_ends(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, k);
    }
}

/* A call whose wait list fails makes nothing, and the next one is right. */
static void check_failed(clsp_context *ctx, size_t kind)
{
    maker m = start(ctx, kind, CLSP_F32);
    list l = new_list(&m, POINTS, BUFFER);
    const cl_event gate = new_gate(ctx);
    cl_event done = NULL;

    make_wanted(&m, &l);
    assert_int_equal(eval_list(&m, &l, &(clsp_run){.num_wait = 1, .wait = &gate, .done = &done}),
                     CLSP_OK);
    assert_int_equal(clSetUserEventStatus(gate, -1), CL_SUCCESS);
    assert_int_not_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_poison(store_read(&l.out), l.bytes);
    assert_int_equal(eval_list(&m, &l, NULL), CLSP_OK);
    assert_memory_equal(store_read(&l.out), l.wanted, l.bytes);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    free_list(&l);
    end(&m);
}

static void test_failed(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    if (!support_events_may_fail(ctx)) skip_because("PoCL 5.0 ends the process");
    seed(77);
    for (size_t k = 0; k < COUNT(kinds); k += 3) {
        maker m = start(ctx, k, CLSP_F32);
        const bool native = is_native(&m);
        end(&m);
        if (!native) skip();
        check_failed(ctx, k);
    }
}

/* ---- threads ---- */

typedef struct one_thread {
    pthread_t thread;
    maker m;
    list l;
    clsp_status status;
} one_thread;

static void *evaluate(void *argument)
{
    one_thread *const t = argument;

    for (int i = 0; i < 4 && t->status == CLSP_OK; i++) {
        t->status = eval_list(&t->m, &t->l, NULL);
        if (t->status == CLSP_OK && i == 1)
            t->status = eval_host_list(&t->m, &t->l, t->l.wanted, t->l.out_num, NULL);
    }
    end(&t->m); /* with commands on their way */
    return NULL;
}

/* Plans of one context, each on a thread, whose calls share the context's threads. */
static void test_threads(void **state)
{
    enum { THREADS = 4, MANY = 5000 };
    clsp_context *const ctx = lent_context("");
    one_thread threads[THREADS];

    (void)state;
    if (tiny()) skip();
    seed(99);
    for (size_t i = 0; i < THREADS; i++) {
        one_thread *const t = &threads[i];
        t->status = CLSP_OK;
        t->m = start(ctx, i % 5, CLSP_F32);
        t->l = new_list(&t->m, MANY, BUFFER);
        memset(t->l.wanted, POISON, t->l.bytes);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i].thread, NULL, evaluate, &threads[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i].thread, NULL);
    for (size_t i = 0; i < THREADS; i++) {
        one_thread *const t = &threads[i];
        assert_int_equal(t->status, CLSP_OK);
        if (is_native(&t->m)) assert_memory_equal(store_read(&t->l.out), t->l.wanted, t->l.bytes);
        free_list(&t->l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_memory),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_bad_points),
        cmocka_unit_test(test_parts_of_buffers),
        cmocka_unit_test(test_one_buffer),
        cmocka_unit_test(test_one_svm),
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_threads),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
