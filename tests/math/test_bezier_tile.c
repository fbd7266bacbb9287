/* The host's evaluator of Bezier patches: against the oracle, and its exact properties. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_ref.h"
#include "bezier_tile.h"
#include "../support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PATCHES = 2, CHECKED = 400 /* points of a patch that are compared with the oracle */ };

/* stride 0: packed points; the interval of every direction is [0, 1] or, if `part` is set, a part
   of it that falls. */
typedef struct shape {
    uint32_t directions, orders[3], nums[3], dim;
    bool rational, part;
    uint32_t stride, at_point;
    int32_t at_weight;
} shape;

static const shape shapes[] = {
    /* surfaces: all orders of the kernel's groups of terms, prime and single samples */
    {2, {1, 1, 1}, {3, 5, 1}, 3, 0, 0, 0, 0, -1},
    {2, {2, 2, 1}, {2, 2, 1}, 3, 0, 0, 0, 0, -1},
    {2, {3, 5, 1}, {1, 37, 1}, 2, 0, 0, 0, 0, -1},
    {2, {4, 4, 1}, {37, 101, 1}, 3, 0, 0, 0, 0, -1},
    {2, {4, 4, 1}, {64, 33, 1}, 3, 0, 1, 0, 0, -1},
    {2, {12, 12, 1}, {97, 127, 1}, 3, 0, 0, 0, 0, -1},
    {2, {13, 6, 1}, {31, 1, 1}, 4, 0, 0, 0, 0, -1},
    {2, {7, 13, 1}, {65, 19, 1}, 1, 0, 0, 0, 0, -1},
    {2, {32, 32, 1}, {41, 43, 1}, 3, 0, 0, 0, 0, -1},
    {2, {33, 65, 1}, {23, 29, 1}, 3, 0, 1, 0, 0, -1},
    {2, {1001, 1001, 1}, {5, 131, 1}, 3, 0, 0, 0, 0, -1},
    {2, {4, 4, 1}, {9, 6001, 1}, 3, 0, 0, 0, 0, -1}, /* more than a strip */
    /* vertices with gaps, and quotients */
    {2, {4, 4, 1}, {37, 101, 1}, 3, 0, 0, 4, 0, -1},
    {2, {12, 3, 1}, {13, 17, 1}, 2, 0, 0, 9, 5, 1},
    {2, {4, 4, 1}, {29, 31, 1}, 3, 1, 0, 0, 0, -1},
    {2, {12, 12, 1}, {11, 67, 1}, 3, 1, 0, 8, 2, 6},
    {2, {8, 2, 1}, {11, 13, 1}, 4, 1, 1, 7, 1, 0},
    {2, {5, 5, 1}, {7, 6001, 1}, 1, 1, 0, 3, 2, 0},
    /* curves */
    {1, {1, 1, 1}, {7, 1, 1}, 3, 0, 0, 0, 0, -1},
    {1, {4, 1, 1}, {1, 1, 1}, 3, 0, 0, 0, 0, -1},
    {1, {13, 1, 1}, {9001, 1, 1}, 2, 0, 0, 0, 0, -1},
    {1, {32, 1, 1}, {2, 1, 1}, 1, 0, 0, 0, 0, -1},
    {1, {1001, 1, 1}, {131, 1, 1}, 3, 0, 1, 0, 0, -1},
    {1, {12, 1, 1}, {127, 1, 1}, 4, 1, 0, 6, 1, 5},
    /* volumes */
    {3, {2, 2, 2}, {2, 2, 2}, 3, 0, 0, 0, 0, -1},
    {3, {4, 3, 5}, {7, 11, 13}, 3, 0, 0, 0, 0, -1},
    {3, {1, 12, 2}, {5, 1, 17}, 1, 0, 1, 0, 0, -1},
    {3, {3, 4, 4}, {6, 5, 7}, 3, 1, 0, 5, 1, 4},
    {3, {4, 2, 4}, {3, 5, 3001}, 3, 0, 0, 0, 0, -1},   /* lines of more than a strip */
    {3, {12, 3, 3}, {4, 601, 601}, 3, 0, 0, 0, 0, -1}, /* more than a panel */
};

/* A shape in one precision, with its evaluator, control points and a guarded result. */
typedef struct job {
    shape shape;
    clspi_bezier_tile_desc desc;
    clspi_bezier_tile *tile;
    clspi_bezier_scratch *scratch;
    uint32_t coords;
    size_t real_bytes, points_per_patch, row_reals, out_reals;
    double *exact; /* control points of all patches */
    void *points;  /* the same in the precision */
    char *out;     /* of one patch, within guards */
    char *memory;
} job;

static void describe(job *j, const shape *s, bool f64)
{
    clspi_bezier_tile_desc *const d = &j->desc;

    *d = (clspi_bezier_tile_desc){.f64 = f64,
                                  .directions = s->directions,
                                  .dim = s->dim,
                                  .rational = s->rational,
                                  .stride = s->stride > 0 ? s->stride : s->dim,
                                  .at_point = s->at_point,
                                  .at_weight = s->at_weight};
    for (int k = 0; k < 3; k++) {
        d->orders[k] = s->orders[k];
        d->nums[k] = s->nums[k];
        d->intervals[k][0] = s->part ? 0.875 : 0.0;
        d->intervals[k][1] = s->part ? 0.125 : 1.0;
    }
}

static void set_point(job *j, size_t i, double value)
{
    j->exact[i] = value;
    if (j->desc.f64)
        ((double *)j->points)[i] = value;
    else
        ((float *)j->points)[i] = (float)value;
}

/* Coordinates are in [-1, 1), weights in [1, 2). */
static void set_points(job *j)
{
    uint64_t seed = 7 * j->points_per_patch + j->desc.f64;

    for (size_t i = 0; i < PATCHES * j->points_per_patch; i++) {
        const bool weight = j->desc.rational && i % j->coords == j->desc.dim;
        const double x = support_uniform(&seed);
        set_point(j, i, weight ? 1.0 + 0.5 * fabs(x) : x);
    }
}

static void begin(job *j, const shape *s, bool f64)
{
    memset(j, 0, sizeof *j);
    j->shape = *s;
    describe(j, s, f64);
    j->coords = s->dim + s->rational;
    j->real_bytes = f64 ? sizeof(double) : sizeof(float);
    j->points_per_patch = (size_t)s->orders[0] * s->orders[1] * s->orders[2] * j->coords;
    j->row_reals = (size_t)s->nums[1] * s->nums[2] * j->desc.stride;
    j->out_reals = s->nums[0] * j->row_reals;
    j->exact = malloc(PATCHES * j->points_per_patch * sizeof *j->exact);
    j->points = malloc(PATCHES * j->points_per_patch * j->real_bytes);
    j->memory = malloc((j->out_reals + 2 * SUPPORT_GUARD) * j->real_bytes);
    j->tile = clspi_bezier_tile_create(&j->desc);
    assert_non_null(j->tile);
    j->scratch = clspi_bezier_scratch_create(j->tile);
    assert_true(j->exact && j->points && j->memory && j->scratch);
    j->out = j->memory + SUPPORT_GUARD * j->real_bytes;
    set_points(j);
}

static void end(job *j)
{
    clspi_bezier_scratch_destroy(&j->scratch);
    clspi_bezier_tile_destroy(&j->tile);
    assert_true(!j->scratch && !j->tile);
    free(j->exact);
    free(j->points);
    free(j->memory);
}

static void rows(job *j, size_t patch, uint32_t first, uint32_t num)
{
    clspi_bezier_tile_rows(j->tile, j->scratch,
                           (const char *)j->points + patch * j->points_per_patch * j->real_bytes,
                           patch, first, num, j->out + first * j->row_reals * j->real_bytes);
}

static void poison(job *j)
{
    support_poison(j->memory, (j->out_reals + 2 * SUPPORT_GUARD) * j->real_bytes);
}

static void whole(job *j, size_t patch)
{
    poison(j);
    rows(j, patch, 0, j->desc.nums[0]);
}

static double at(const job *j, size_t i)
{
    return j->desc.f64 ? ((double *)j->out)[i] : (double)((float *)j->out)[i];
}

/* ---- accuracy ---- */

/* For each control point's coordinate, and weights. */
typedef struct extent {
    double scale, least_weight, most_weight;
} extent;

static extent extent_of(const job *j, size_t patch)
{
    const double *const p = j->exact + patch * j->points_per_patch;
    extent e = {0.0, HUGE_VAL, 0.0};

    for (size_t i = 0; i < j->points_per_patch; i++) {
        if (j->desc.rational && i % j->coords == j->desc.dim) {
            e.least_weight = fmin(e.least_weight, p[i]);
            e.most_weight = fmax(e.most_weight, p[i]);
        } else {
            e.scale = fmax(e.scale, fabs(p[i]));
        }
    }
    return e;
}

/* docs/math.md, 3 and 4: sums of weights that are not negative, two (in a volume three) of them and
   their tables; roundings of early and late terms shrink with their weights, which leaves 8 eps to
   degree 31 and 32 eps to 1000. |S| is at most scale / least weight. */
static double bound_of(const job *j, const extent *e)
{
    const uint32_t *const o = j->desc.orders;
    const double eps = j->desc.f64 ? DBL_EPSILON : FLT_EPSILON;
    const double factor = o[0] > 32 || o[1] > 32 || o[2] > 32 ? 32.0 : 8.0;

    if (!j->desc.rational) return factor * eps * e->scale;
    const double ratio = e->most_weight / e->least_weight;
    return factor * eps * (e->scale + ratio * e->scale) * (1.0 + ratio) / e->least_weight;
}

static long double param(const job *j, uint32_t direction, size_t a)
{
    const double *const i = j->desc.intervals[direction];
    const uint32_t num = j->desc.nums[direction];

    return num > 1 ? i[0] + ((long double)i[1] - i[0]) * a / (num - 1) : i[0];
}

static double error_at(const job *j, const ref_patch *patch, size_t vertex, double *weight_error)
{
    static const unsigned by[3] = {0, 0, 0};
    const uint32_t *const nums = j->desc.nums;
    const size_t w = vertex % nums[2], v = vertex / nums[2] % nums[1];
    const long double t[3] = {param(j, 0, vertex / nums[2] / nums[1]), param(j, 1, v),
                              param(j, 2, w)};
    const size_t first = vertex * j->desc.stride;
    long double value[5];
    double worst = 0.0;

    assert_true(ref_bezier_derivative(patch, t, by, value));
    const long double weight = j->desc.rational ? value[j->desc.dim] : 1.0L;
    for (uint32_t c = 0; c < j->desc.dim; c++) {
        const double x = at(j, first + j->desc.at_point + c);
        assert_true(x == x);
        worst = fmax(worst, (double)fabsl(x - value[c] / weight));
    }
    *weight_error = j->desc.at_weight < 0
                        ? 0.0
                        : (double)fabsl(at(j, first + (size_t)j->desc.at_weight) - weight);
    return worst;
}

/* Reals of vertices that are not the evaluator's, and the guards. */
static void assert_gaps(const job *j)
{
    const clspi_bezier_tile_desc *const d = &j->desc;
    const size_t guard = SUPPORT_GUARD * j->real_bytes;

    assert_true(support_poisoned(j->memory, guard));
    assert_true(support_poisoned(j->out + j->out_reals * j->real_bytes, guard));
    for (size_t i = 0; i < j->out_reals && d->stride > d->dim; i++) {
        const uint32_t k = (uint32_t)(i % d->stride);
        const bool ours = (k >= d->at_point && k < d->at_point + d->dim) ||
                          (d->at_weight >= 0 && k == (uint32_t)d->at_weight);
        assert_true(support_poisoned(j->out + i * j->real_bytes, j->real_bytes) == !ours);
    }
}

/* Worst error / bound of a patch. */
static double check_patch(const job *j, size_t number)
{
    static const ref_form forms[] = {REF_CURVE, REF_SURFACE, REF_VOLUME};
    const uint32_t *const o = j->desc.orders;
    const ref_patch patch = {.form = forms[j->desc.directions - 1],
                             .degree = {o[0] - 1, o[1] - 1, o[2] - 1},
                             .dim = j->desc.dim,
                             .rational = j->desc.rational,
                             .points = j->exact + number * j->points_per_patch};
    const size_t vertices = j->out_reals / j->desc.stride;
    const size_t checked = o[0] > 100 ? 8 : CHECKED;
    const size_t step = vertices > checked ? vertices / checked | 1 : 1;
    const extent e = extent_of(j, number);
    const double eps = j->desc.f64 ? DBL_EPSILON : FLT_EPSILON;
    double worst = 0.0, weight;

    for (size_t i = 0; i < vertices; i += step) {
        worst = fmax(worst, error_at(j, &patch, i, &weight) / bound_of(j, &e));
        if (j->desc.rational) worst = fmax(worst, weight / (8.0 * eps * e.most_weight));
        if (!j->desc.rational) assert_true(weight == 0.0);
    }
    assert_gaps(j);
    return worst;
}

static void against_oracle(void **state)
{
    double worst[2][2] = {{0.0}};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const bool f64 = i % 2;
        const uint32_t *const o = shapes[i / 2].orders;
        const bool high = o[0] > 32 || o[1] > 32 || o[2] > 32;
        job j;
        begin(&j, &shapes[i / 2], f64);
        for (size_t patch = 0; patch < PATCHES; patch++) {
            whole(&j, patch);
            worst[f64][high] = fmax(worst[f64][high], check_patch(&j, patch));
        }
        end(&j);
    }
    print_message("worst/bound: degrees to 31 %.2f float, %.2f double; to 1000 %.2f and %.2f\n",
                  worst[0][0], worst[1][0], worst[0][1], worst[1][1]);
    for (int i = 0; i < 4; i++)
        assert_true(worst[i % 2][i / 2] <= 1.0);
}

/* ---- exact properties ---- */

static void corners_interpolate(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const shape *const s = &shapes[i / 2];
        job j;
        if (s->rational || s->part) continue;
        begin(&j, s, i % 2);
        whole(&j, 1);
        for (unsigned corner = 0; corner < 8; corner++) {
            size_t vertex = 0, point = 0;
            bool twice = false; /* a lone sample is at the begin */
            for (int k = 0; k < 3; k++) {
                const bool last = corner >> k & 1;
                twice = twice || (last && s->nums[k] == 1);
                vertex = vertex * s->nums[k] + (last ? s->nums[k] - 1 : 0);
                point = point * s->orders[k] + (last ? s->orders[k] - 1 : 0);
            }
            for (uint32_t c = 0; c < s->dim && !twice; c++)
                assert_true(at(&j, vertex * j.desc.stride + s->at_point + c) ==
                            j.exact[j.points_per_patch + point * j.coords + c]);
        }
        end(&j);
    }
}

/* The same bits however rows are split and whatever the scratch memory held. */
static void splits_are_equal(void **state)
{
    static const uint32_t splits[] = {1, 3, 4, 32};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job j;
        begin(&j, &shapes[i / 2], i % 2);
        const size_t bytes = j.out_reals * j.real_bytes;
        char *const before = malloc(bytes);
        assert_non_null(before);
        whole(&j, 0);
        memcpy(before, j.out, bytes);
        for (size_t k = 0; k < COUNT(splits) && (j.out_reals < 1000000 || k == 1); k++) {
            const uint32_t num = j.desc.nums[0], step = splits[k];
            poison(&j);
            for (uint32_t row = num; row > 0; row -= row % step ? row % step : step) {
                const uint32_t count = row % step ? row % step : step;
                if (k == 0 && row < 3) rows(&j, 1, row - 1, 1);
                rows(&j, 0, row - count, count);
            }
            assert_memory_equal(j.out, before, bytes);
            assert_gaps(&j);
        }
        free(before);
        end(&j);
    }
}

static void forgets(void **state)
{
    (void)state;
    for (uint32_t directions = 1; directions <= 3; directions++) {
        const shape s = {.directions = directions,
                         .orders = {4, directions > 1 ? 4 : 1, directions > 2 ? 4 : 1},
                         .nums = {5, directions > 1 ? 6 : 1, directions > 2 ? 7 : 1},
                         .dim = 3,
                         .at_weight = -1};
        job j;
        begin(&j, &s, false);
        whole(&j, 0);
        for (size_t i = 0; i < j.points_per_patch; i++)
            set_point(&j, i, 0.75);
        clspi_bezier_scratch_forget(j.scratch);
        whole(&j, 0);
        for (uint32_t c = 0; c < s.dim; c++)
            assert_true(at(&j, c) == 0.75);
        assert_true(check_patch(&j, 0) <= 1.0);
        end(&j);
    }
}

/* NaN and infinity stay in their patch and coordinate. */
static void nan_stays(void **state)
{
    static const double bad[] = {NAN, HUGE_VAL};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const shape *const s = &shapes[i / 2];
        job j;
        if (s->rational || s->nums[2] > 100) continue;
        begin(&j, s, i % 2);
        const size_t bytes = j.out_reals * j.real_bytes;
        char *const before = malloc(bytes);
        assert_non_null(before);
        whole(&j, 0);
        memcpy(before, j.out, bytes);
        set_point(&j, j.points_per_patch, bad[i / 2 % 2]);
        whole(&j, 1);
        assert_true(isnan(at(&j, s->at_point)) || isinf(at(&j, s->at_point)));
        whole(&j, 0);
        assert_memory_equal(j.out, before, bytes);
        set_point(&j, s->dim - 1, bad[i / 2 % 2]);
        clspi_bezier_scratch_forget(j.scratch);
        whole(&j, 0);
        for (size_t x = 0; x < j.out_reals; x++)
            if (x % j.desc.stride != s->at_point + s->dim - 1)
                assert_memory_equal(j.out + x * j.real_bytes, before + x * j.real_bytes,
                                    j.real_bytes);
        free(before);
        end(&j);
    }
}

static void too_large(void **state)
{
    enum { MANY = 1 << 22 };
    const shape row = {3, {1, 1, 1}, {1, UINT32_MAX, UINT32_MAX}, 4, 1, 0, 0, 0, -1};
    const shape table = {1, {UINT32_MAX, 1, 1}, {UINT32_MAX, 1, 1}, 4, 0, 0, 0, 0, -1};
    const shape lines = {3, {MANY, MANY, 1}, {1, 1, 65536}, 4, 1, 0, 0, 0, -1};
    job j;

    (void)state;
    describe(&j, &row, true);
    assert_null(clspi_bezier_tile_create(&j.desc));
    describe(&j, &table, true);
    assert_null(clspi_bezier_tile_create(&j.desc));
    describe(&j, &lines, true);
    j.tile = clspi_bezier_tile_create(&j.desc);
    assert_non_null(j.tile);
    assert_null(clspi_bezier_scratch_create(j.tile));
    clspi_bezier_tile_destroy(&j.tile);
    clspi_bezier_tile_destroy(&j.tile);
    clspi_bezier_tile_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_oracle),   cmocka_unit_test(corners_interpolate),
        cmocka_unit_test(splits_are_equal), cmocka_unit_test(forgets),
        cmocka_unit_test(nan_stays),        cmocka_unit_test(too_large),
    };

    return cmocka_run_group_tests_name("bezier_tile", tests, NULL, NULL);
}
