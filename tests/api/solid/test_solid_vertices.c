/* Vertices of solids with several attributes: each against plans of it alone and against explicit
   subdivision, in all types and layouts, on grids of all kinds of samples and in lists. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "bezier_fixture.h"
#include "memory_fixture.h"
#include "solid_fixture.h"
#include "solid_ref.h"

enum {
    SUMS = 10,
    FIRST = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW,
    SECOND = CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV | CLSP_VERTEX_DUW |
             CLSP_VERTEX_DVW | CLSP_VERTEX_DWW,
    OTHERS = CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS | CLSP_VERTEX_JACOBIAN,
    NORMAL = 8,
    PARAMS = 9,
    JACOBIAN = 14
};

static const unsigned sum_bits[SUMS] = {0, 2, 3, 4, 5, 6, 7, 11, 12, 13};
static const unsigned sum_by[SUMS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                         {1, 1, 0}, {0, 2, 0}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}};

/* Two samples of each direction within a cell, and its ends. The oracle's differences stay within
   one polynomial piece. */
static const double inner_params[4] = {0.0, 0.34375, 0.84375, 1.0};
static const clsp_axis own_axes[3] = {{.num = 4, .params = inner_params},
                                      {.num = 4, .params = inner_params},
                                      {.num = 4, .params = inner_params}};
enum { SAMPLES = 64 };

static bool is_inner(size_t s)
{
    return s / 16 % 3 != 0 && s / 4 % 4 % 3 != 0 && s % 4 % 3 != 0;
}

static uint32_t elements_of(unsigned bit, uint32_t dim)
{
    return bit == JACOBIAN ? 1 : bit == PARAMS ? 3 : dim;
}

/* ---- against plans of one attribute ---- */

/* Vertices of a plan, as they were written. */
typedef struct vertices {
    clsp_solid_desc d;
    size_t num;
    void *memory;
} vertices;

static vertices evaluate(const model *m, const clsp_solid_desc *desc)
{
    clsp_solid_plan *plan = solid_plan_of(m, desc);
    vertices v = {.num = m->counts.num_cells};

    assert_ok(ctx, clsp_solid_plan_desc(plan, &v.d));
    for (unsigned a = 0; a < 3; a++)
        v.num *= v.d.axis[a].num;
    const size_t elements = v.num * v.d.vertex.stride;
    const size_t bytes = elements * clsp_type_bytes(v.d.vertex.type);
    v.memory = malloc(bytes);
    assert_non_null(v.memory);
    support_poison(v.memory, bytes);
    assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, m->counts.num_cells},
                                   host_out(v.d.vertex.type, v.memory, elements), NULL));
    clsp_solid_plan_destroy(&plan);
    return v;
}

static double element(const vertices *v, size_t vertex, unsigned bit, uint32_t k)
{
    return element_of(v->memory, v->d.vertex.type,
                      vertex * v->d.vertex.stride + v->d.vertex.offset[bit] + k);
}

/* Checks that elements which belong to no attribute are as they were. */
static void check_gaps(const vertices *v)
{
    const size_t bytes = clsp_type_bytes(v->d.vertex.type);
    const size_t vertex = v->d.vertex.stride * bytes;
    unsigned char *const fresh = malloc(v->num * vertex);

    support_poison(fresh, v->num * vertex);
    for (uint32_t e = 0; e < v->d.vertex.stride; e++) {
        bool held = false;
        for (unsigned bit = 0; bit < 15; bit++)
            held = held || ((v->d.vertex.attributes >> bit & 1) && e >= v->d.vertex.offset[bit] &&
                            e < v->d.vertex.offset[bit] + elements_of(bit, v->d.dim));
        for (size_t i = 0; i < v->num && !held; i++)
            assert_memory_equal((char *)v->memory + i * vertex + e * bytes,
                                fresh + i * vertex + e * bytes, bytes);
    }
    free(fresh);
}

/* Checks the sums of vertices against those of plans of one of them each: the same bits, rounded to
   the vertices' type. */
static void check_sums(const model *m, const vertices *v)
{
    for (unsigned s = 0; s < SUMS; s++) {
        if (!(v->d.vertex.attributes >> sum_bits[s] & 1)) continue;
        clsp_solid_desc alone = v->d;
        if (v->d.axis[0].params) /* what v.d has is gone */
            memcpy(alone.axis, own_axes, sizeof alone.axis);
        alone.vertex = (clsp_vertex_layout){.attributes = 1u << sum_bits[s]};
        vertices one = evaluate(m, &alone);
        for (size_t i = 0; i < v->num * m->dim; i++) {
            const double got = element(v, i / m->dim, sum_bits[s], (uint32_t)(i % m->dim));
            const double want = element(&one, i / m->dim, sum_bits[s], (uint32_t)(i % m->dim));
            const bool is_half = v->d.vertex.type == CLSP_F16;
            const bool same = is_half ? fabs(got - want) <= 0x1p-11 * fabs(want) + 0x1p-25
                                      : got == (v->d.vertex.type == CLSP_F32 ? (float)want : want);
            if (!same) fail_msg("sum %u at %zu: %.9g, alone %.9g", s, i, got, want);
        }
        free(one.memory);
    }
}

static void check_layout(const model *m, clsp_type precision, const clsp_vertex_layout *layout)
{
    const clsp_solid_desc desc = {.precision = precision,
                                  .dim = m->dim,
                                  .axis = {own_axes[0], own_axes[1], own_axes[2]},
                                  .vertex = *layout};
    vertices v = evaluate(m, &desc);

    check_gaps(&v);
    check_sums(m, &v);
    for (size_t i = 0; (v.d.vertex.attributes & CLSP_VERTEX_PARAMS) && i < v.num; i++) {
        assert_true(element(&v, i, PARAMS, 0) == inner_params[i / 16 % 4]);
        assert_true(element(&v, i, PARAMS, 1) == inner_params[i / 4 % 4]);
        assert_true(element(&v, i, PARAMS, 2) == inner_params[i % 4]);
    }
    free(v.memory);
}

/* Tries all layouts, or every `every`th from `first` on. */
static void check_layouts(const model *m, clsp_type precision, size_t first, size_t every)
{
    const uint32_t others = m->dim == 3 ? OTHERS : CLSP_VERTEX_PARAMS;
    const clsp_vertex_layout layouts[] = {
        {.attributes = FIRST},
        {.attributes = FIRST | SECOND | others},
        {.attributes = CLSP_VERTEX_DVW | others, .type = CLSP_F16},
        {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DV, .type = CLSP_F16, .stride = 41},
        {.attributes = FIRST, .type = CLSP_F32, .stride = 71, .offset = {61, 0, 1, 45, 22}},
        {.attributes = CLSP_VERTEX_DWW, .stride = m->dim + 2},
        {.attributes = CLSP_VERTEX_PARAMS},
    };

    if (support_full()) first = 0;
    for (size_t i = first; i < sizeof layouts / sizeof *layouts; i += support_full() ? 1 : every)
        check_layout(m, precision, &layouts[i]);
}

/* On boxes and prisms, whose cells are made in all ways, in several shapes of devices. */
static void test_layouts(void **state)
{
    static const char *const shapes[] = {"", "class=discrete,local_is_real=1,vendor=NVIDIA"};
    static const uint32_t dims[] = {3, 1, 5, 4, 8};

    if (solid_limits) skip();
    support_needs_opencl(ctx);
    for (size_t s = 0; s < 2; s++) {
        solid_close(state);
        ctx = context_with(shapes[s]);
        for (size_t i = 0; i < (support_full() ? 5 : support_tiny() || s > 0 ? 1 : 2); i++)
            for (uint32_t wide = 0; wide <= support_device().fp64; wide++) {
                if (!support_full() && wide != i % 2) continue;
                solid_case prism = solid_prism(5, 1, 3), box = solid_box(4, 3, 3);
                model a = solid_model_of(i % 2 ? &box : &prism, dims[i]);
                model b = solid_model_of(i % 2 ? &prism : &box, dims[i]);
                check_layouts(&a, wide ? CLSP_F64 : CLSP_F32, s > 0 ? 3 : 1 + 3 * i, 2 + s);
                if (support_full()) check_layouts(&b, wide ? CLSP_F64 : CLSP_F32, 0, 1);
                solid_model_free(&a);
                solid_model_free(&b);
                solid_free(&prism);
                solid_free(&box);
            }
    }
    solid_close(state);
    assert_int_equal(solid_open(state), 0);
}

/* More samples than a group of a GPU has at once in any direction, of vertices of any length, which
   tell how many it has. */
static void check_boxes(clsp_type precision, size_t shape)
{
    static const clsp_vertex_layout layouts[] = {
        {.attributes = FIRST},
        {.attributes = FIRST | SECOND | OTHERS, .stride = CLSP_VERTEX_MAX_STRIDE},
        {.attributes = CLSP_VERTEX_DV | CLSP_VERTEX_NORMAL, .type = CLSP_F16}};
    solid_case prism = solid_prism(5, 1, 3);
    model m = solid_model_of(&prism, 3);

    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const clsp_solid_desc desc = {.precision = precision,
                                      .dim = 3,
                                      .axis = {{.num = 11}, {.num = 19}, {.num = i == 1 ? 3 : 21}},
                                      .vertex = layouts[i]};
        if (!support_full() && i % 2 != shape) continue;
        vertices v = evaluate(&m, &desc);
        check_gaps(&v);
        check_sums(&m, &v);
        free(v.memory);
    }
    solid_model_free(&m);
    solid_free(&prism);
}

static void test_boxes(void **state)
{
    static const char *const shapes[] = {"class=discrete,local_is_real=1,vendor=NVIDIA",
                                         "class=integrated,local_is_real=1,work_group=64"};

    if (support_tiny() || solid_limits) skip();
    support_needs_opencl(ctx);
    for (size_t s = 0; s < 2; s++) {
        solid_close(state);
        ctx = context_with(shapes[s]);
        check_boxes(s == 0 && support_device().fp64 ? CLSP_F64 : CLSP_F32, s);
    }
    solid_close(state);
    assert_int_equal(solid_open(state), 0);
}

/* ---- against explicit subdivision ---- */

/* Tells whether a face of a cell belongs to no other cell. */
static bool is_boundary(const model *m, size_t cell, unsigned face)
{
    unsigned shared = 0;

    for (size_t c = 0; c < m->counts.num_cells; c++) {
        unsigned common = 0;
        for (unsigned i = 0; i < 8; i++)
            for (unsigned j = 0; j < 8; j++)
                common += (i >> face / 2 & 1) == (face & 1) &&
                          m->corner[8 * cell + i] == m->corner[8 * c + j];
        shared += c != cell && common == 4;
    }
    return shared == 0;
}

static void cross(const long double a[3], const long double b[3], long double c[3])
{
    for (int x = 0; x < 3; x++)
        c[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

static void derivative(const ref_solid *ref, size_t cell, const long double t[3], unsigned axis,
                       long double d[3])
{
    const unsigned by[3] = {axis == 0, axis == 1, axis == 2};

    ref_solid_derivative(ref, cell, t, by, 0x1p-9L, d);
}

/* Returns how far the normal of a sample, in the middle of a face, is from the oracle's. */
static double normal_error(const vertices *v, const model *m, const ref_solid *ref, size_t i,
                           unsigned axis)
{
    const size_t cell = i / SAMPLES;
    const long double t[3] = {inner_params[i / 16 % 4], inner_params[i / 4 % 4],
                              inner_params[i % 4]};
    const unsigned face = 2 * axis + (t[axis] == 1.0L);
    const long double sign = face & 1 ? 1.0L : -1.0L;
    long double a[3], b[3], n[3];
    double worst = 0.0;

    derivative(ref, cell, t, (axis + 1) % 3, a);
    derivative(ref, cell, t, (axis + 2) % 3, b);
    cross(a, b, n);
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (uint32_t k = 0; k < 3; k++) {
        const long double want = is_boundary(m, cell, face) ? sign * n[k] / length : 0.0L;
        worst = support_worse(worst, fabs(element(v, i, NORMAL, k) - (double)want));
    }
    return worst;
}

/* Returns how far the attributes of an inner sample are from the oracle's: derivatives of scale,
   and the Jacobian of its cube. */
static double inner_error(const vertices *v, const model *m, const ref_solid *ref, size_t i)
{
    const long double t[3] = {inner_params[i / 16 % 4], inner_params[i / 4 % 4],
                              inner_params[i % 4]};
    long double d[SUMS][3], n[3];
    double worst = 0.0;

    for (unsigned s = 0; s < SUMS; s++) {
        if (s == 0)
            ref_solid_limit(ref, i / SAMPLES, t, 48, d[s]);
        else
            ref_solid_derivative(ref, i / SAMPLES, t, sum_by[s], 0x1p-9L, d[s]);
        for (uint32_t k = 0; k < 3; k++)
            worst = support_worse(worst,
                                  fabs(element(v, i, sum_bits[s], k) - (double)d[s][k]) / m->scale);
    }
    cross(d[2], d[3], n);
    const double jacobian = (double)(d[1][0] * n[0] + d[1][1] * n[1] + d[1][2] * n[2]);
    return support_worse(worst, fabs(element(v, i, JACOBIAN, 0) - jacobian) / pow(m->scale, 3));
}

static void check_oracle(const solid_case *solid, clsp_type precision, size_t every)
{
    const double bound = precision == CLSP_F64 ? 1e-10 : 1e-5; /* docs/math.md, 19 */
    uint64_t seed = 11;
    model m = solid_model_of(solid, 3);
    const ref_solid ref = {.num_cells = m.counts.num_cells, .cell = m.corner, .point = m.points};
    const clsp_solid_desc desc = {.precision = precision,
                                  .axis = {own_axes[0], own_axes[1], own_axes[2]},
                                  .vertex = {.attributes = FIRST | SECOND | OTHERS}};
    vertices v = evaluate(&m, &desc);
    double inner = 0.0, normals = 0.0;

    for (size_t i = 0; i < v.num; i++) {
        unsigned ends = 0, axis = 0;
        for (unsigned a = 0; a < 3; a++)
            if ((a == 0 ? i / 16 % 4 : a == 1 ? i / 4 % 4 : i % 4) % 3 == 0) {
                ends++;
                axis = a;
            }
        if (ends == 1 && support_random(&seed) % every == 0)
            normals = support_worse(normals, normal_error(&v, &m, &ref, i, axis));
        if (!is_inner(i % SAMPLES)) continue;
        for (uint32_t k = 0; k < 3; k++)
            assert_true(element(&v, i, NORMAL, k) == 0.0);
        if (support_random(&seed) % every == 0)
            inner = support_worse(inner, inner_error(&v, &m, &ref, i));
    }
    print_message("worst %.2g of %.2g, normals %.2g of %.2g\n", inner, bound, normals, bound);
    assert_true(inner <= bound && normals <= bound);
    free(v.memory);
    solid_model_free(&m);
}

static void test_oracle(void **state)
{
    solid_case prism = solid_prism(5, 1, 3), box = solid_box(2, 2, 3);
    const size_t every = support_full() ? 3 : support_tiny() ? 60 : 30;

    (void)state;
    solid_jitter(&prism, 0.1, 3);
    solid_jitter(&box, 0.1, 5);
    for (uint32_t wide = 0; wide <= support_device().fp64; wide++) {
        if (!wide || support_full()) check_oracle(&prism, wide ? CLSP_F64 : CLSP_F32, 2 * every);
        if (wide || support_full()) check_oracle(&box, wide ? CLSP_F64 : CLSP_F32, every);
    }
    solid_free(&prism);
    solid_free(&box);
}

/* ---- samples where the caller wants them ---- */

/* Parameters that are a uniform axis's have its bits, and a plan without a grid has lists alone. */
static void test_axes(void **state)
{
    double params[3][4];
    solid_case box = solid_box(2, 1, 1);
    model m = solid_model_of(&box, 3);
    clsp_solid_desc desc = {.axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]},
                            .vertex = {.attributes = FIRST}};
    vertices one = evaluate(&m, &desc);

    (void)state;
    for (uint32_t a = 0; a < 3; a++) {
        for (uint32_t i = 0; i < 4; i++)
            params[a][i] = solid_sample_at(&axes_of_4[a], i);
        desc.axis[a] = (clsp_axis){.num = 4, .params = params[a]};
    }
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    memset(params, 0, sizeof params);
    clsp_solid_desc d;
    assert_ok(ctx, clsp_solid_plan_desc(plan, &d));
    assert_true(d.axis[2].params[3] == 1.0 && d.axis[2].end == 0.0);
    float *const out = malloc(one.num * 12 * sizeof *out);
    assert_ok(ctx,
              clsp_solid_eval(plan, (clsp_range){0, 2}, clsp_out_f32(out, one.num * 12), NULL));
    assert_memory_equal(out, one.memory, one.num * 12 * sizeof *out);
    clsp_solid_plan_destroy(&plan);
    memset(desc.axis, 0, sizeof desc.axis);
    plan = solid_plan_of(&m, &desc);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 0}, clsp_out_f32(out, 0), NULL),
                  CLSP_ERROR_STATE);
    static const float corner[3] = {0, 0, 1};
    const clsp_points points = {.num = 1, .params = clsp_in_f32(corner, 3)};
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 12), NULL));
    for (uint32_t k = 0; k < 12; k++)
        assert_true(fabs(out[k] - element_of(one.memory, CLSP_F32, 3 * 12 + k)) <= 1e-5 * m.scale);
    clsp_solid_plan_destroy(&plan);
    free(out);
    free(one.memory);
    solid_model_free(&m);
    solid_free(&box);
}

/* ---- lists ---- */

/* The samples of all cells as a list have the vertices of the grid, whatever form it has. */
static void check_list(const model *m, clsp_type precision)
{
    const clsp_solid_desc desc = {.precision = precision,
                                  .axis = {own_axes[0], own_axes[1], own_axes[2]},
                                  .vertex = {.attributes = FIRST | SECOND | OTHERS, .stride = 41}};
    vertices grid = evaluate(m, &desc);
    const size_t num = grid.num, elements = 41 * num, real = clsp_type_bytes(precision);
    const double bound = (precision == CLSP_F64 ? 1e-11 : 2e-5) * pow(fmax(m->scale, 1.0), 3);
    clsp_solid_plan *plan = solid_plan_of(m, &desc);
    uint32_t *const cells = malloc(num * sizeof *cells);
    void *const params[2] = {malloc(3 * num * real), malloc(3 * num * real)};
    unsigned char *const out[2] = {malloc(elements * real), malloc(elements * real)};

    for (size_t i = 0; i < num; i++) {
        cells[i] = (uint32_t)(i / SAMPLES);
        for (size_t a = 0; a < 3; a++) {
            const double t = inner_params[a == 0 ? i / 16 % 4 : a == 1 ? i / 4 % 4 : i % 4];
            set_element(params[0], precision, 3 * i + a, t);
            set_element(params[1], precision, a * num + i, t);
        }
    }
    for (int way = 0; way < 2; way++) {
        for (uint32_t planar = 0; planar < 2; planar++) {
            const clsp_points points = {.num = num,
                                        .item = clsp_in_u32(cells, num),
                                        .params = host_in(precision, params[planar], 3 * num),
                                        .planar = planar};
            support_poison(out[planar], elements * real);
            assert_ok(ctx,
                      solid_eval_list(plan, &points, host_out(precision, out[planar], elements),
                                      way ? CLSP_SCHEDULE_DEVICE : CLSP_SCHEDULE_DEFAULT));
        }
        assert_memory_equal(out[0], out[1], elements * real);
        for (size_t i = 0; i < elements; i++) {
            const double x = element_of(out[0], precision, i);
            const double y = element_of(grid.memory, precision, i);
            double size = 1.0; /* second derivatives grow without end near irregular edges */
            for (size_t e = 0; e < 37; e++)
                size = fmax(size, fabs(element_of(grid.memory, precision, i / 41 * 41 + e)));
            if (i % 41 < 37 ? !(fabs(x - y) <= bound * size) : memcmp(&x, &y, sizeof x) != 0)
                fail_msg("element %zu of vertex %zu: %.9g, on the grid %.9g", i % 41, i / 41, x, y);
        }
    }
    for (int k = 0; k < 2; k++) {
        free(params[k]);
        free(out[k]);
    }
    free(cells);
    free(grid.memory);
    clsp_solid_plan_destroy(&plan);
}

static void test_lists(void **state)
{
    solid_case prism = solid_prism(5, 1, 3), box = solid_box(2, 3, 4);
    model a = solid_model_of(&prism, 3), b = solid_model_of(&box, 3);

    (void)state;
    check_list(&a, CLSP_F32);
    check_list(&b, support_device().fp64 ? CLSP_F64 : CLSP_F32);
    solid_model_free(&a);
    solid_model_free(&b);
    solid_free(&prism);
    solid_free(&box);
}

/* ---- two quads at a vertex ---- */

/* The corners of cells around an edge of two: at its ends, where steps turn the boundary's tangents
   without end, no cell has a normal, whoever makes it, and at the other corners all have. */
static void check_two(const model *m, clsp_type precision, clsp_solid_method method)
{
    enum { CORNERS = 8, ELEMENTS = 9 };
    const clsp_solid_desc desc = {
        .precision = precision,
        .method = method,
        .axis = {{.num = 2}, {.num = 2}, {.num = 2}},
        .vertex = {.attributes = CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_NORMAL}};
    const size_t num = m->counts.num_cells * CORNERS;
    const uint32_t top = (uint32_t)(m->counts.num_vertices / 2); /* of two slices */
    vertices v = evaluate(m, &desc);
    uint32_t *const cells = malloc(num * sizeof *cells);
    void *const params = malloc(3 * num * sizeof(double));
    void *const list = malloc(ELEMENTS * num * sizeof(double));
    size_t found = 0;

    for (size_t i = 0; i < num; i++) {
        cells[i] = (uint32_t)(i / CORNERS);
        for (size_t a = 0; a < 3; a++)
            set_element(params, precision, 3 * i + a, (double)(i >> (2 - a) & 1));
    }
    const clsp_points points = {
        .num = num, .item = clsp_in_u32(cells, num), .params = host_in(precision, params, 3 * num)};
    clsp_solid_plan *plan = solid_plan_of(m, &desc);
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, host_out(precision, list, ELEMENTS * num),
                                          NULL));
    for (size_t i = 0; i < num; i++) {
        const size_t bits = (i & 1) << 2 | (i & 2) | (i >> 2 & 1);
        const uint32_t vertex = m->corner[i / CORNERS * CORNERS + bits];
        const bool is_two = vertex == 0 || vertex == top;
        double length2[2] = {0.0, 0.0};
        found += is_two;
        for (size_t e = 0; e < ELEMENTS; e++) {
            const double x[2] = {element_of(v.memory, precision, ELEMENTS * i + e),
                                 element_of(list, precision, ELEMENTS * i + e)};
            for (int k = 0; k < 2; k++) {
                if (is_two && x[k] != 0.0)
                    fail_msg("method %d, corner %zu, number %zu: %g", (int)method, i, e, x[k]);
                length2[k] += e < ELEMENTS - 3 ? 0.0 : x[k] * x[k];
            }
        }
        for (int k = 0; k < 2 && !is_two; k++)
            assert_true(fabs(length2[k] - 1.0) <= 1e-5);
    }
    assert_int_equal(found, 4);
    clsp_solid_plan_destroy(&plan);
    free(list);
    free(params);
    free(cells);
    free(v.memory);
}

static void test_two_quads(void **state)
{
    solid_case prism = solid_prism(2, 1, 1);

    (void)state;
    solid_jitter(&prism, 0.1, 7);
    model m = solid_model_of(&prism, 3);
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0 || support_device().fp64)
            check_two(&m, i % 2 ? CLSP_F64 : CLSP_F32,
                      i < 2 ? CLSP_SOLID_CELLS : CLSP_SOLID_LATTICES);
    solid_model_free(&m);
    solid_free(&prism);
}

/* ---- edges ---- */

/* First derivatives on an irregular edge of layers, of cells that are not on the boundary there, or
   at a sharp edge: those right beside it, where the way to a regular cell is short. */
static void check_edge(uint32_t sectors, int is_closed, int is_sharp)
{
    enum { LAYERS = 3, POINTS = 4, ELEMENTS = 12 };
    const double off = ldexp(1.0, -20);
    const double params[3 * POINTS] = {0.0, 0.0, 0.3, off, off, 0.3, 0.0, 0.0, 1.0, off, off, 1.0};
    solid_case prism = solid_prism(sectors, is_closed, LAYERS);
    const size_t slice = prism.num_points / (LAYERS + 1), per_layer = prism.num_cells / LAYERS;
    const uint32_t cell = (uint32_t)(per_layer + per_layer / sectors * (sectors > 2));
    const uint32_t cells[POINTS] = {cell, cell, cell, cell};
    double out[POINTS * ELEMENTS];

    if (is_sharp) {
        prism.crease = malloc(LAYERS * 2 * sizeof *prism.crease);
        assert_non_null(prism.crease);
        for (uint32_t l = 0; l < 2 * LAYERS; l++)
            prism.crease[l] = (uint32_t)slice * ((l + 1) / 2);
        prism.num_creases = LAYERS;
    }
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.precision = CLSP_F64, .vertex = {.attributes = FIRST}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    const clsp_points points = {.num = POINTS,
                                .item = clsp_in_u32(cells, POINTS),
                                .params = clsp_in_f64(params, 3 * POINTS)};
    assert_ok(ctx,
              clsp_solid_eval_points(plan, &points, clsp_out_f64(out, POINTS * ELEMENTS), NULL));
    for (uint32_t i = 3; i < POINTS * ELEMENTS; i++) {
        if (i / ELEMENTS % 2 || i % ELEMENTS < 3) continue;
        double size = 1.0;
        for (uint32_t e = 3; e < ELEMENTS; e++)
            size = fmax(size, fabs(out[i / ELEMENTS * ELEMENTS + ELEMENTS + e]));
        if (!(fabs(out[i] - out[i + ELEMENTS]) <= 4e-3 * size))
            fail_msg("%u sectors, number %u: %.9g, beside the edge %.9g", sectors, i, out[i],
                     out[i + ELEMENTS]);
    }
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* Also where derivatives become less towards the edge (three cells around it), without end more
   (three at the boundary), and where steps come to no rest (two at a sharp edge). */
static void test_edges(void **state)
{
    (void)state;
    if (!support_device().fp64) skip();
    for (uint32_t sectors = 3; sectors <= 6; sectors++)
        check_edge(sectors, 1, 0);
    check_edge(3, 0, 0);
    check_edge(3, 0, 1);
    check_edge(2, 0, 1);
}

/* ---- wrong arguments ---- */

static void refuse(const clsp_solid_mesh *mesh, const clsp_solid_desc *desc)
{
    clsp_solid_plan *plan;

    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, desc), CLSP_ERROR_ARGUMENT);
    assert_null(plan);
}

static void test_wrong(void **state)
{
    static const double beyond[2] = {0.5, 1.25}, nan_param[1] = {NAN};
    static const clsp_vertex_layout layouts[] = {
        {.attributes = CLSP_VERTEX_WEIGHT},
        {.attributes = CLSP_VERTEX_CURVATURE},
        {.attributes = 1 << 15},
        {.attributes = FIRST, .offset = {0, 0, 2, 6, 9}},
        {.attributes = FIRST, .stride = 11},
        {.attributes = FIRST, .stride = CLSP_VERTEX_MAX_STRIDE + 1},
        {.attributes = FIRST, .type = CLSP_F64},
        {.attributes = FIRST, .type = CLSP_U8},
        {.attributes = FIRST, .reserved = {1}}};
    solid_case box = solid_box(1, 1, 1);
    clsp_solid_mesh *mesh = solid_mesh_of(&box);
    const clsp_solid_desc good = {.axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_desc bad = good;

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        bad.vertex = layouts[i];
        refuse(mesh, &bad);
    }
    for (uint32_t k = 0; k < 2; k++) {
        bad = good;
        bad.dim = k ? 4 : 2;
        bad.vertex.attributes = k ? CLSP_VERTEX_JACOBIAN : CLSP_VERTEX_NORMAL;
        refuse(mesh, &bad);
    }
    bad = good;
    bad.method = CLSP_SOLID_THREAD;
    bad.vertex.attributes = FIRST;
    refuse(mesh, &bad);
    bad = good;
    bad.axis[1].num = 0;
    refuse(mesh, &bad);
    bad.axis[1] = (clsp_axis){.num = 2, .params = beyond};
    refuse(mesh, &bad);
    bad.axis[1] = (clsp_axis){.num = 1, .params = nan_param};
    refuse(mesh, &bad);
    bad.axis[1] = (clsp_axis){.num = 1, .end = 1.0, .params = beyond};
    refuse(mesh, &bad);
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),   cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_oracle),    cmocka_unit_test(test_axes),
        cmocka_unit_test(test_lists),     cmocka_unit_test(test_edges),
        cmocka_unit_test(test_two_quads), cmocka_unit_test(test_wrong),
    };

    support_begin();
    return solid_run_tests(tests);
}
