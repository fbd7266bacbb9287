/* Plans of a family that the library does not have: banded tables, basis functions over any
   interval, factors of differences. Every value against the definition. */
#include "knots_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "index_buffers.h"
#include "patch_rows.h"
#include "patch_eval.h"
#include "vertex_rows.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    PATCHES = 3,
    CHECKED = 150, /* vertices */
    SECTORS = 3,   /* the limits under which rows of plain points are stored in whole sectors */
    P = CLSP_VERTEX_POINT
};

/* interval: the whole, a part of it, or the whole backwards. */
typedef struct shape {
    uint32_t directions, degrees[3], controls[3], nums[3];
    enum { WHOLE, PART, BACKWARDS } interval;
    uint32_t attributes, rational;
} shape;

static const shape shapes[] = {
    {1, {3, 0, 0}, {20, 1, 1}, {701, 1, 1}, WHOLE, P, 0},
    {1, {1, 0, 0}, {9, 1, 1}, {33, 1, 1}, BACKWARDS, P, 0},
    {1, {5, 0, 0}, {6, 1, 1}, {40, 1, 1}, PART, P, 0},
    {1, {4, 0, 0}, {17, 1, 1}, {64, 1, 1}, WHOLE, P | CLSP_VERTEX_DU | CLSP_VERTEX_DUU, 0},
    {2, {3, 3, 0}, {12, 9, 1}, {67, 51, 1}, WHOLE, P, 0},
    {2, {3, 3, 0}, {12, 9, 1}, {67, 51, 1}, BACKWARDS, P, 0},
    {2, {2, 5, 0}, {30, 8, 1}, {35, 130, 1}, PART, P, 0},
    {2, {3, 2, 0}, {40, 5, 1}, {9, 33, 1}, WHOLE, P, 0}, /* fewer rows than spans */
    {2, {9, 3, 0}, {14, 7, 1}, {41, 29, 1}, WHOLE, P, 0},
    {2, {3, 1, 0}, {17, 5, 1}, {61, 300, 1}, WHOLE, P, 0}, /* spans of a few rows */
    {2, {15, 2, 0}, {21, 5, 1}, {150, 43, 1}, PART, P, 0},
    {2, {3, 3, 0}, {12, 9, 1}, {67, 51, 1}, WHOLE, P | CLSP_VERTEX_WEIGHT, 1},
    {2, {3, 4, 0}, {12, 9, 1}, {37, 31, 1}, WHOLE, P | CLSP_VERTEX_DU | CLSP_VERTEX_DV, 0},
    {2,
     {3, 4, 0},
     {12, 9, 1},
     {37, 31, 1},
     PART,
     P | CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV,
     0},
    {3, {2, 3, 1}, {5, 7, 6}, {17, 19, 13}, WHOLE, P, 0},
    {3, {2, 3, 1}, {5, 7, 6}, {17, 19, 13}, BACKWARDS, P | CLSP_VERTEX_DW, 0},
};

typedef struct job {
    shape shape;
    knots direction[3];
    knots_plan *plan;
    uint32_t coords;
    size_t patch_reals, elements; /* of all patches' vertices */
    double *points;               /* exact in float */
    void *given;
} job;

static void begin(job *j, clsp_context *ctx, const shape *s, clsp_type precision)
{
    static const double low[] = {-1.0, 3.0, 0.0}, high[] = {2.0, 3.5, 7.0};
    uint64_t seed = 4;

    *j = (job){.shape = *s, .coords = 3 + s->rational, .patch_reals = 3 + s->rational};
    for (uint32_t k = 0; k < s->directions; k++)
        j->direction[k] = knots_make(s->degrees[k], s->controls[k], low[k], high[k]);
    clspi_tensor_desc d = knots_desc(j->direction, s->directions, s->nums);
    d.precision = precision;
    d.rational = s->rational;
    d.vertex.attributes = s->attributes;
    for (uint32_t k = 0; k < s->directions; k++) {
        const double length = d.axis[k].end - d.axis[k].begin;
        if (s->interval == PART) d.axis[k].begin += length / 4, d.axis[k].end -= length / 8;
        if (s->interval == BACKWARDS)
            d.axis[k] = (clsp_axis){.num = d.axis[k].num, .begin = high[k], .end = low[k]};
        j->patch_reals *= s->controls[k];
    }
    j->plan = knots_plan_create(ctx, &d, j->direction);
    j->points = malloc(PATCHES * j->patch_reals * sizeof *j->points);
    j->given = malloc(PATCHES * j->patch_reals * sizeof(double));
    assert_true(j->points && j->given);
    for (size_t i = 0; i < PATCHES * j->patch_reals; i++) {
        const double x = support_uniform(&seed);
        j->points[i] = s->rational && i % 4 == 3 ? 1.0 + fabs(x) / 2 : x;
        if (precision == CLSP_F64)
            ((double *)j->given)[i] = j->points[i];
        else
            ((float *)j->given)[i] = (float)j->points[i];
    }
    j->elements = PATCHES * j->plan->tensor.patch_vertices * j->plan->tensor.desc.vertex.stride;
    assert_ok(ctx, clspi_patch_load(&j->plan->tensor, PATCHES, j->given));
}

static void end(job *j)
{
    knots_plan_destroy(&j->plan);
    free(j->points);
    free(j->given);
}

/* ---- the definition ---- */

static long double parameter(const job *j, uint32_t k, uint32_t a)
{
    const clsp_axis *const axis = &j->plan->tensor.desc.axis[k];
    const double t =
        axis->num > 1 ? axis->begin + (axis->end - axis->begin) * a / (axis->num - 1) : axis->begin;

    return t;
}

/* Sums the by-th derivative at a vertex, and the absolute values of its terms. */
static void define(const job *j, const uint32_t sample[3], size_t patch, const uint32_t by[3],
                   long double sum[4], long double size[4])
{
    const uint32_t *const c = j->shape.controls;
    long double b[3][KNOTS_MAX];

    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < c[k]; i++)
            b[k][i] = k < j->shape.directions
                          ? knots_value(&j->direction[k], i, by[k], parameter(j, k, sample[k]))
                          : 1.0L;
    memset(sum, 0, 4 * sizeof *sum);
    memset(size, 0, 4 * sizeof *size);
    for (size_t i = 0; i < (size_t)c[0] * c[1] * c[2]; i++) {
        const long double product = b[0][i / c[2] / c[1]] * b[1][i / c[2] % c[1]] * b[2][i % c[2]];
        for (uint32_t x = 0; x < j->coords && product != 0.0L; x++) {
            const double point = j->points[patch * j->patch_reals + i * j->coords + x];
            sum[x] += product * point;
            size[x] += fabsl(product * point);
        }
    }
}

/* An attribute, and the derivative that it is. */
static const struct {
    uint32_t attribute, by[3];
} derivatives[] = {{CLSP_VERTEX_POINT, {0, 0, 0}}, {CLSP_VERTEX_DU, {1, 0, 0}},
                   {CLSP_VERTEX_DV, {0, 1, 0}},    {CLSP_VERTEX_DW, {0, 0, 1}},
                   {CLSP_VERTEX_DUU, {2, 0, 0}},   {CLSP_VERTEX_DUV, {1, 1, 0}},
                   {CLSP_VERTEX_DVV, {0, 2, 0}}};

static double element(const job *j, const void *out, size_t i)
{
    return j->plan->tensor.desc.precision == CLSP_F64 ? ((const double *)out)[i]
                                                      : (double)((const float *)out)[i];
}

/* Returns error / bound of an attribute of a vertex. Each sum has a rounding a term and a few for
   its tables, differences and factors; what is divided by a weight has a few more. */
static double error_of(const job *j, const void *out, size_t vertex, size_t which)
{
    const clspi_tensor_desc *const d = &j->plan->tensor.desc;
    const double eps = d->precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    const uint32_t *const n = j->shape.nums;
    const size_t per_patch = (size_t)n[0] * n[1] * n[2], v = vertex % per_patch;
    const uint32_t sample[3] = {(uint32_t)(v / n[2] / n[1]), (uint32_t)(v / n[2] % n[1]),
                                (uint32_t)(v % n[2])};
    const uint32_t attribute = derivatives[which].attribute;
    const double roundings = d->terms[0] + d->terms[1] + d->terms[2] + 12.0;
    long double sum[4], size[4];
    double worst = 0.0;
    unsigned number = 0;

    while (1u << number < attribute)
        number++;
    define(j, sample, vertex / per_patch, derivatives[which].by, sum, size);
    for (uint32_t c = 0; c < 3; c++) {
        const size_t at = vertex * d->vertex.stride + d->vertex.offset[number] + c;
        const long double weight = j->shape.rational ? sum[3] : 1.0L;
        const long double exact = sum[c] / weight, extent = size[c] / weight + fabsl(exact);
        const double error = (double)fabsl(element(j, out, at) - exact);
        assert_true(error == error);
        worst = support_worse(worst, error / ((double)extent * eps * roundings + DBL_MIN));
    }
    return worst;
}

static double check(const job *j, const void *out)
{
    const size_t vertices = j->elements / j->plan->tensor.desc.vertex.stride;
    const size_t step = vertices > CHECKED ? vertices / CHECKED | 1 : 1;
    double worst = 0.0;

    for (size_t v = 0; v < vertices; v += step)
        for (size_t k = 0; k < COUNT(derivatives); k++)
            if (j->shape.attributes & derivatives[k].attribute)
                worst = support_worse(worst, error_of(j, out, v, k));
    return worst;
}

/* ---- tests ---- */

static clsp_output host_output(const job *j, void *out)
{
    const clsp_output output = {
        .type = j->plan->tensor.desc.vertex.type, .host = out, .size = j->elements};

    return output;
}

static void *allocate(const job *j)
{
    void *const out = malloc(j->elements * sizeof(double));

    assert_non_null(out);
    support_poison(out, j->elements * sizeof(double));
    return out;
}

/* Makes tiles one by one, by the calling thread or by the device. */
static void make_tiles(const job *j, clsp_context *ctx, clsp_schedule by, char *out)
{
    clsp_patch_plan *const tensor = &j->plan->tensor;
    const clsp_range patches = {0, PATCHES};
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling = {.num_tiles = 1};

    for (size_t tile = 0; tile < tiling.num_tiles; tile++) {
        const clsp_share share = {.schedule = by, .tiles = {tile, 1}};
        clsp_run run = {.share = &share, .tiling = &tiling};
        assert_ok(ctx, clsp_patch_eval(tensor, patches, none, &run));
        const size_t bytes = clsp_type_bytes(tensor->desc.vertex.type);
        clsp_output vertices = host_output(j, out + tiling.elements.first * bytes);
        vertices.size = tiling.elements.count;
        run.tiling = NULL;
        assert_ok(ctx, clsp_patch_eval(tensor, patches, vertices, &run));
    }
}

/* The host's evaluator, and the device's tiles one call at a time. */
static double check_host(const job *j, clsp_context *ctx, const void *whole, bool same)
{
    const clspi_tensor_desc *const d = &j->plan->tensor.desc;
    const size_t row = (size_t)d->axis[1].num * d->axis[2].num * d->vertex.stride *
                       clsp_type_bytes(d->vertex.type);
    char *const out = allocate(j);
    double worst = 0.0;

    if (!(d->vertex.attributes & ~(uint32_t)(P | CLSP_VERTEX_WEIGHT))) {
        make_tiles(j, ctx, CLSP_SCHEDULE_HOST, out);
        worst = check(j, out);
    }
    make_tiles(j, ctx, CLSP_SCHEDULE_DEVICE, out);
    if (same) assert_memory_equal(out, whole, PATCHES * d->axis[0].num * row);
    free(out);
    return worst;
}

static double check_schedules(const job *j, clsp_context *ctx)
{
    void *const out = allocate(j);
    double worst = 0.0;

    for (int s = CLSP_SCHEDULE_SVM; s < CLSP_NUM_SCHEDULES; s++) {
        const clsp_share opts = {.schedule = (clsp_schedule)s};
        const clsp_output vertices = host_output(j, out);
        void *shared = NULL;
        const clsp_run run = {.share = &opts};
        assert_ok(ctx, clsp_patch_eval(&j->plan->tensor, (clsp_range){0, PATCHES}, vertices, &run));
        worst = support_worse(worst, check(j, out));
        if (s != CLSP_SCHEDULE_SVM) continue;
        assert_ok(ctx, clsp_shared_alloc(ctx, j->elements * sizeof(double), &shared));
        const clsp_output in_svm = host_output(j, shared);
        assert_ok(ctx, clsp_patch_eval(&j->plan->tensor, (clsp_range){0, PATCHES}, in_svm, &run));
        worst = support_worse(worst, check(j, shared));
        clsp_shared_free(ctx, shared);
    }
    free(out);
    return worst;
}

/* A call without a share, which a CPU's host may make, then the device's and its tiles. */
static double check_shape(clsp_context *ctx, const shape *s, clsp_type precision)
{
    static const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};
    job j;

    begin(&j, ctx, s, precision);
    void *const out = allocate(&j);
    const clsp_output vertices = host_output(&j, out);
    const clsp_range patches = {0, PATCHES};
    const clsp_run run = {.share = &by_device};
    assert_ok(ctx, clsp_patch_eval(&j.plan->tensor, patches, vertices, NULL));
    double worst = check(&j, out);
    assert_ok(ctx, clsp_patch_eval(&j.plan->tensor, patches, vertices, &run));
    worst = support_worse(worst, check(&j, out));
    worst = support_worse(worst, check_host(&j, ctx, out, true));
    worst = support_worse(worst, check_schedules(&j, ctx));
    free(out);
    end(&j);
    return worst;
}

/* A shape with few samples, for implementations that check every access. */
static shape reduced(const shape *s)
{
    shape r = *s;

    for (uint32_t k = 0; k < r.directions; k++)
        if (r.nums[k] > 9) r.nums[k] = 9 + r.nums[k] % 3;
    return r;
}

/* Whether a shape is run under one of the limits in a precision: all of them in a full run; else
   under one limit in each precision, and when tiny in one precision only. */
static bool is_run(size_t i, size_t limit, bool is_double, bool fp64)
{
    if (limit == SECTORS && (shapes[i].directions == 1 || shapes[i].attributes != P)) return false;
    if (is_double && !fp64) return false;
    if (support_full()) return true;
    if (support_tiny()) return i % 4 == limit && (!fp64 || i % 2 == is_double);
    return (i + 2 * is_double) % 4 == limit;
}

static double check_limit(clsp_context *ctx, size_t limit)
{
    double worst = 0.0;

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const shape s = support_tiny() ? reduced(&shapes[i]) : shapes[i];
            if (!is_run(i, limit, is_double, ctx->device.fp64)) continue;
            const double error = check_shape(ctx, &s, is_double ? CLSP_F64 : CLSP_F32);
            worst = support_worse(worst, error);
        }
    return worst;
}

/* The device's own kernels, and those of GPUs where it is a CPU. */
static void every_shape(void **state)
{
    static const char *const limits[] = {NULL, "class=discrete,local_is_real=1", "class=integrated",
                                         "class=discrete,local_is_real=1,vendor=NVIDIA"};
    double worst = 0.0;

    (void)state;
    for (size_t limit = 0; limit < COUNT(limits); limit++) {
        const clsp_context_opts opts = {.limits = limits[limit]};
        clsp_context *ctx = NULL;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        worst = support_worse(worst, check_limit(ctx, limit));
        clsp_context_destroy(&ctx);
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* Rational vertices in one pass keep a block's values in local memory, which has to be there. */
static void small_local_memory(void **state)
{
    static const struct {
        const char *limits;
        bool fits;
    } cases[] = {{"class=discrete,local_is_real=1,vendor=NVIDIA,local=2048", false},
                 {"class=discrete,local_is_real=1,vendor=NVIDIA,local=49152", true}};
    const clspi_tensor_desc d = {
        .directions = 2,
        .degrees = {15, 15},
        .controls = {16, 16, 1},
        .terms = {16, 16, 1},
        .precision = CLSP_F32,
        .dim = 3,
        .rational = 1,
        .basis = {.is_bernstein = true},
        .axis = {{.num = 100, .end = 1}, {.num = 100, .end = 1}, {.num = 1, .end = 1}},
        .vertex = {.attributes = P | CLSP_VERTEX_NORMAL, .type = CLSP_F32, .stride = 6}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_context_opts opts = {.limits = cases[i].limits};
        clsp_context *ctx = NULL;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_int_equal(clspi_vertex_rows_fit(ctx, &d), cases[i].fits);
        clsp_context_destroy(&ctx);
    }
}

/* ---- kernels ---- */

/* Plans of knots get what kernels need with their description and control points, or later. */
static void check_kernels(clsp_context *ctx, bool at_once)
{
    const uint32_t nums[PATCHES][2] = {{3, 4}, {5, 2}, {1, 7}};
    const clsp_input grids = clsp_in_u32(&nums[0][0], (size_t)PATCHES * 2);
    clspi_series series;
    job j;

    begin(&j, ctx, &shapes[4], CLSP_F32);
    clsp_patch_plan *const plan = &j.plan->tensor;
    void *const out = allocate(&j);
    const clsp_output vertices = host_output(&j, out);
    assert_ok(ctx, clsp_patch_eval(plan, (clsp_range){0, PATCHES}, vertices, NULL));
    assert_int_equal(plan->is_ready, at_once);
    assert_int_equal(plan->sums.tables.table[0][0].values != NULL, at_once);
    assert_int_equal(plan->sums.sum[0].points != NULL, at_once);
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_patch_ready(plan, &series));
    assert_ok(ctx, clspi_series_end(&series, NULL));
    assert_true(plan->is_ready && plan->sums.tables.table[0][0].values && plan->sums.sum[0].points);
    assert_ok(ctx, clspi_patch_load(plan, PATCHES, j.given));
    assert_true(plan->is_ready);
    assert_ok(ctx, clspi_patch_set_grids(plan, NULL, PATCHES, &grids));
    assert_int_equal(plan->grids.nums_buffer != NULL, at_once);
    free(out);
    end(&j);
}

/* Where the host makes what calls ask for, kernels are made when they are needed all the same. */
static void kernels_when_needed(void **state)
{
    static const char *const limits[] = {NULL, "class=integrated"};

    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        const clsp_context_opts opts = {.limits = limits[i]};
        clsp_context *ctx = NULL;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        check_kernels(ctx, !clspi_is_own_cpu(ctx));
        clsp_context_destroy(&ctx);
    }
}

/* ---- faces ---- */

enum { GRIDS = 4 };

/* Makes the faces of the last patches at once, and some facets at a time. */
static void check_faces(clsp_context *ctx, const clspi_tensor_desc *d, bool own, clsp_faces faces)
{
    static const uint32_t nums[] = {4, 3, 1, 5, 2, 2, 6, 4};
    clspi_patch_grids grids = {0};
    clspi_face_job all = {.desc = d, .grids = &grids, .faces = faces, .patches = {1, GRIDS - 1}};
    size_t vertices;

    if (own) assert_ok(ctx, clspi_patch_grids_set(&grids, ctx, d, GRIDS, nums));
    assert_true(clspi_count_patches(&grids, d, all.patches, &vertices, &all.num_facets));
    const size_t each = clspi_indices_per_facet(&all), bytes = all.num_facets * each * 4;
    uint32_t *const whole = malloc(bytes), *const some = malloc(bytes);
    assert_true(whole && some && all.num_facets > 6);
    clspi_faces_on_host(&all, (clsp_range){0, all.num_facets}, whole);
    for (size_t step = 1; step < 8; step += 2) {
        support_poison(some, bytes);
        for (size_t k = 0; k < all.num_facets; k += step)
            clspi_faces_on_host(
                &all, (clsp_range){k, step < all.num_facets - k ? step : all.num_facets - k},
                some + k * each);
        assert_memory_equal(some, whole, bytes);
    }
    free(whole);
    free(some);
    clspi_patch_grids_clear(&grids);
}

/* The host makes faces from any facet on. */
static void faces_from_any(void **state)
{
    clsp_context *ctx = NULL;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (unsigned i = 0; i < 8; i++) {
        const bool mirrored = i & 1, own = i & 2, is_triangle = i & 4;
        const clspi_tensor_desc d = {.directions = 2,
                                     .is_triangle = is_triangle,
                                     .precision = CLSP_F32,
                                     .dim = 3,
                                     .axis = {{.num = 5, .end = 1},
                                              {.num = 4, .begin = mirrored, .end = !mirrored},
                                              {.num = 1}},
                                     .vertex = {.attributes = P, .type = CLSP_F32, .stride = 3}};
        check_faces(ctx, &d, own, CLSP_FACES_TRIANGLES);
        if (!is_triangle) check_faces(ctx, &d, own, CLSP_FACES_QUADS);
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape), cmocka_unit_test(small_local_memory),
        cmocka_unit_test(kernels_when_needed), cmocka_unit_test(faces_from_any)};

    if (support_no_device()) return support_no_device();
    return cmocka_run_group_tests_name("patch_plan", tests, NULL, NULL);
}
