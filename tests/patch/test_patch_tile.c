/* The host's evaluator of tensor-product patches: of Bezier patches against the oracle, with its
   exact properties; of sums with fewer terms than control points, and of every type of vertices. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "bezier_ref.h"
#include "half.h"
#include "strips.h"
#include "vertex_tile.h"
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
    {2, {3, 4, 1}, {7, 9, 1}, 3, 1, 0, 4, 1, 0}, /* no gaps, and the weight first */
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

/* Whether a shape is left out where cases are to be small. */
static bool is_left_out(const shape *s)
{
    const size_t vertices = (size_t)s->nums[0] * s->nums[1] * s->nums[2];

    return support_tiny() && (s->orders[0] > 100 || vertices > 10000);
}

/* A shape in one precision, with its evaluator, control points and a guarded result. */
typedef struct job {
    shape shape;
    clspi_tile_desc desc;
    double intervals[3][2];
    clspi_vertex_tile *tile;
    clspi_vertex_scratch *scratch;
    uint32_t coords;
    size_t real_bytes, points_per_patch, row_reals, out_reals;
    double *exact; /* control points of all patches */
    void *points;  /* the same in the precision */
    char *out;     /* of one patch, within guards */
    char *memory;
} job;

/* Bernstein values of a sample, at t = x / (x + y). user: the job. */
static uint32_t bernstein_values(const void *user, uint32_t direction, uint32_t by, uint32_t num,
                                 uint32_t sample, double *values)
{
    const job *const j = user;
    const double begin = j->intervals[direction][0], end = j->intervals[direction][1];
    const double last = num > 1 ? num - 1 : 1, rest = last - sample;

    clspi_bernstein(values, j->desc.terms[direction] - 1 - by, begin * rest + end * sample,
                    (1.0 - begin) * rest + (1.0 - end) * sample);
    return 0;
}

static void describe(job *j, const shape *s, bool f64)
{
    clspi_tile_desc *const d = &j->desc;

    *d = (clspi_tile_desc){.f64 = f64,
                           .rational = s->rational,
                           .directions = s->directions,
                           .vertex = {.dim = s->dim,
                                      .rational = s->rational,
                                      .type = f64 ? CLSPI_ROW_F64 : CLSPI_ROW_F32,
                                      .stride = s->stride > 0 ? s->stride : s->dim,
                                      .at_point = s->at_point,
                                      .at_weight = s->at_weight},
                           .values = bernstein_values,
                           .user = j};
    for (int k = 0; k < 3; k++) {
        d->controls[k] = d->terms[k] = s->orders[k];
        d->nums[k] = s->nums[k];
        j->intervals[k][0] = s->part ? 0.875 : 0.0;
        j->intervals[k][1] = s->part ? 0.125 : 1.0;
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
        const bool weight = j->desc.vertex.rational && i % j->coords == j->desc.vertex.dim;
        const double x = support_uniform(&seed);
        set_point(j, i, weight ? 1.0 + 0.5 * fabs(x) : x);
    }
}

static clspi_vertex_tile_desc points_alone(const clspi_tile_desc *points)
{
    return (clspi_vertex_tile_desc){
        .points = *points, .shape = {.dim = points->vertex.dim}, .only_points = true};
}

static clspi_vertex_tile *create(const clspi_tile_desc *points)
{
    const clspi_vertex_tile_desc desc = points_alone(points);

    return clspi_vertex_tile_create(&desc);
}

static void begin(job *j, const shape *s, bool f64)
{
    memset(j, 0, sizeof *j);
    j->shape = *s;
    describe(j, s, f64);
    j->coords = s->dim + s->rational;
    j->real_bytes = f64 ? sizeof(double) : sizeof(float);
    j->points_per_patch = (size_t)s->orders[0] * s->orders[1] * s->orders[2] * j->coords;
    j->row_reals = (size_t)s->nums[1] * s->nums[2] * j->desc.vertex.stride;
    j->out_reals = s->nums[0] * j->row_reals;
    j->exact = malloc(PATCHES * j->points_per_patch * sizeof *j->exact);
    j->points = malloc(PATCHES * j->points_per_patch * j->real_bytes);
    j->memory = malloc((j->out_reals + 2 * SUPPORT_GUARD) * j->real_bytes);
    j->tile = create(&j->desc);
    assert_non_null(j->tile);
    j->scratch = clspi_vertex_scratch_create(j->tile);
    assert_true(j->exact && j->points && j->memory && j->scratch);
    j->out = j->memory + SUPPORT_GUARD * j->real_bytes;
    set_points(j);
}

static void end(job *j)
{
    clspi_vertex_scratch_destroy(&j->scratch);
    clspi_vertex_tile_destroy(&j->tile);
    assert_true(!j->scratch && !j->tile);
    free(j->exact);
    free(j->points);
    free(j->memory);
}

static void rows(job *j, size_t patch, uint32_t first, uint32_t num)
{
    const clspi_tile_rows some = {.points = (const char *)j->points +
                                            patch * j->points_per_patch * j->real_bytes,
                                  .patch = patch,
                                  .first_row = first,
                                  .num_rows = num,
                                  .out = j->out + first * j->row_reals * j->real_bytes};

    clspi_vertex_tile_eval(j->tile, j->scratch, &some);
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
        if (j->desc.vertex.rational && i % j->coords == j->desc.vertex.dim) {
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
    const uint32_t *const o = j->desc.terms;
    const double eps = j->desc.f64 ? DBL_EPSILON : FLT_EPSILON;
    const double factor = o[0] > 32 || o[1] > 32 || o[2] > 32 ? 32.0 : 8.0;

    if (!j->desc.vertex.rational) return factor * eps * e->scale;
    const double ratio = e->most_weight / e->least_weight;
    return factor * eps * (e->scale + ratio * e->scale) * (1.0 + ratio) / e->least_weight;
}

static long double param(const job *j, uint32_t direction, size_t a)
{
    const double *const i = j->intervals[direction];
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
    const size_t first = vertex * j->desc.vertex.stride;
    long double value[5];
    double worst = 0.0;

    assert_true(ref_bezier_derivative(patch, t, by, value));
    const long double weight = j->desc.vertex.rational ? value[j->desc.vertex.dim] : 1.0L;
    for (uint32_t c = 0; c < j->desc.vertex.dim; c++) {
        const double x = at(j, first + j->desc.vertex.at_point + c);
        assert_true(x == x);
        worst = support_worse(worst, (double)fabsl(x - value[c] / weight));
    }
    *weight_error = j->desc.vertex.at_weight < 0
                        ? 0.0
                        : (double)fabsl(at(j, first + (size_t)j->desc.vertex.at_weight) - weight);
    return worst;
}

/* Reals of vertices that are not the evaluator's, and the guards. */
static void assert_gaps(const job *j)
{
    const clspi_row_vertex *const d = &j->desc.vertex;
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
    const uint32_t *const o = j->desc.terms;
    const ref_patch patch = {.form = forms[j->desc.directions - 1],
                             .degree = {o[0] - 1, o[1] - 1, o[2] - 1},
                             .dim = j->desc.vertex.dim,
                             .rational = j->desc.vertex.rational != 0,
                             .points = j->exact + number * j->points_per_patch};
    const size_t vertices = j->out_reals / j->desc.vertex.stride;
    const size_t checked = o[0] > 100 ? 8 : CHECKED;
    const size_t step = vertices > checked ? vertices / checked | 1 : 1;
    const extent e = extent_of(j, number);
    const double eps = j->desc.f64 ? DBL_EPSILON : FLT_EPSILON;
    double worst = 0.0, weight;

    for (size_t i = 0; i < vertices; i += step) {
        worst = support_worse(worst, error_at(j, &patch, i, &weight) / bound_of(j, &e));
        if (j->desc.vertex.rational)
            worst = support_worse(worst, weight / (8.0 * eps * e.most_weight));
        if (!j->desc.vertex.rational) assert_true(weight == 0.0);
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
        if (is_left_out(&shapes[i / 2])) continue;
        begin(&j, &shapes[i / 2], f64);
        for (size_t patch = 0; patch < PATCHES; patch++) {
            whole(&j, patch);
            worst[f64][high] = support_worse(worst[f64][high], check_patch(&j, patch));
        }
        end(&j);
    }
    print_message("worst/bound: degrees to 31 %.2f float, %.2f double; to 1000 %.2f and %.2f\n",
                  worst[0][0], worst[1][0], worst[0][1], worst[1][1]);
    for (int i = 0; i < 4; i++)
        assert_true(worst[i % 2][i / 2] <= 1.0);
}

/* ---- small numbers ---- */

/* Makes the first patch in the processor's own state, and leaves the exceptions of its sums. */
static void make_bare(job *j)
{
    const clspi_vertex_tile_desc desc = points_alone(&j->desc);
    const clspi_tile_rows all = {.points = j->points, .num_rows = j->desc.nums[0], .out = j->out};

    clspi_strips *strips = clspi_strips_create(&desc);
    clspi_strips_scratch *scratch = strips ? clspi_strips_scratch_create(strips) : NULL;

    assert_non_null(scratch);
    feclearexcept(FE_ALL_EXCEPT);
    clspi_strips_eval(scratch, &all);
    clspi_strips_scratch_destroy(&scratch);
    clspi_strips_destroy(&strips);
}

/* Tells whether some sum in floats was below the least normal number. */
static bool has_small_sums(const shape *s, bool rational)
{
    job j;

    begin(&j, s, false);
    j.desc.rational = rational;
    make_bare(&j);
    const bool found = fetestexcept(FE_UNDERFLOW) != 0;
    end(&j);
    return found;
}

/* Sums of high degrees have no terms that a processor takes long for, but those whose weights may
   be as large as their basis values are small. */
static void sums_are_normal(void **state)
{
    static const shape high[] = {{2, {32, 32, 1}, {64, 64, 1}, 3, 0, 0, 0, 0, -1},
                                 {2, {101, 101, 1}, {128, 128, 1}, 3, 0, 0, 0, 0, -1},
                                 {1, {301, 1, 1}, {500, 1, 1}, 3, 0, 0, 0, 0, -1}};

    (void)state;
    for (size_t i = 0; i < COUNT(high); i++) {
        assert_false(has_small_sums(&high[i], false));
        assert_true(has_small_sums(&high[i], true));
    }
}

/* ---- exact properties ---- */

static void corners_interpolate(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const shape *const s = &shapes[i / 2];
        job j;
        if (s->rational || s->part || is_left_out(s)) continue;
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
                assert_true(at(&j, vertex * j.desc.vertex.stride + s->at_point + c) ==
                            j.exact[j.points_per_patch + point * j.coords + c]);
        }
        end(&j);
    }
}

/* Results have the same bits however rows are split and whatever the scratch memory held. */
static void splits_are_equal(void **state)
{
    static const uint32_t splits[] = {1, 3, 4, 32};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job j;
        if (is_left_out(&shapes[i / 2])) continue;
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
        clspi_vertex_scratch_forget(j.scratch);
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
        if (s->rational || s->nums[2] > 100 || is_left_out(s)) continue;
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
        clspi_vertex_scratch_forget(j.scratch);
        whole(&j, 0);
        for (size_t x = 0; x < j.out_reals; x++)
            if (x % j.desc.vertex.stride != s->at_point + s->dim - 1)
                assert_memory_equal(j.out + x * j.real_bytes, before + x * j.real_bytes,
                                    j.real_bytes);
        free(before);
        end(&j);
    }
}

/* ---- banded sums ---- */

/* Values that mean nothing: of a sample those of `terms` neighbours among the control points, the
   first of which moves as samples do, in steps of its own. falls: against them. */
typedef struct band_shape {
    uint32_t directions, controls[3], terms[3], nums[3];
    bool falls;
} band_shape;

static const band_shape band_shapes[] = {
    {1, {50, 1, 1}, {4, 1, 1}, {1000, 1, 1}, false},
    {1, {9, 1, 1}, {2, 1, 1}, {7, 1, 1}, true},
    {2, {20, 30, 1}, {4, 3, 1}, {61, 47, 1}, false},
    {2, {20, 30, 1}, {4, 3, 1}, {61, 47, 1}, true},
    {2, {7, 5, 1}, {7, 2, 1}, {33, 9, 1}, false},
    {2, {200, 6, 1}, {5, 6, 1}, {13, 40, 1}, false},
    {3, {6, 7, 8}, {3, 4, 2}, {11, 13, 17}, true},
};

typedef struct band_job {
    band_shape shape;
    clspi_tile_desc desc;
    double *points; /* exact in float */
    void *given;
    size_t num_points;
} band_job;

static uint32_t band_values(const void *user, uint32_t direction, uint32_t by, uint32_t num,
                            uint32_t sample, double *values)
{
    const band_shape *const s = &((const band_job *)user)->shape;
    const uint32_t free_points = s->controls[direction] - s->terms[direction],
                   a = s->falls ? num - 1 - sample : sample;
    uint64_t seed = 1000003 * (uint64_t)sample + direction + by;

    for (uint32_t k = 0; k < s->terms[direction]; k++)
        values[k] = support_uniform(&seed);
    return num > 1 ? (uint32_t)((uint64_t)a * free_points / (num - 1)) : 0;
}

static void begin_band(band_job *j, const band_shape *s, bool f64)
{
    uint64_t seed = 99;

    *j = (band_job){.shape = *s};
    j->desc = (clspi_tile_desc){.f64 = f64,
                                .directions = s->directions,
                                .vertex = {.dim = 3,
                                           .type = f64 ? CLSPI_ROW_F64 : CLSPI_ROW_F32,
                                           .stride = 3,
                                           .at_weight = -1},
                                .values = band_values,
                                .user = j};
    j->num_points = 3;
    for (int k = 0; k < 3; k++) {
        j->desc.controls[k] = s->controls[k];
        j->desc.terms[k] = s->terms[k];
        j->desc.nums[k] = s->nums[k];
        j->num_points *= s->controls[k];
    }
    j->points = malloc(j->num_points * sizeof *j->points);
    j->given = malloc(j->num_points * sizeof(double));
    assert_true(j->points && j->given);
    for (size_t i = 0; i < j->num_points; i++) {
        j->points[i] = support_uniform(&seed);
        if (f64)
            ((double *)j->given)[i] = j->points[i];
        else
            ((float *)j->given)[i] = (float)j->points[i];
    }
}

static void end_band(band_job *j)
{
    free(j->points);
    free(j->given);
}

/* Sums all products of a vertex. *size: the same of absolute values. */
static long double band_sum(const band_job *j, const uint32_t sample[3], uint32_t c,
                            long double *size)
{
    const uint32_t *const controls = j->shape.controls, *const terms = j->shape.terms;
    double values[3][8] = {{1.0}, {1.0}, {1.0}};
    uint32_t first[3] = {0};
    long double sum = 0.0L;

    *size = 0.0L;
    for (uint32_t k = 0; k < j->shape.directions; k++)
        first[k] = band_values(j, k, 0, j->shape.nums[k], sample[k], values[k]);
    for (uint32_t i = 0; i < terms[0] * terms[1] * terms[2]; i++) {
        const uint32_t w = i % terms[2], v = i / terms[2] % terms[1], u = i / terms[2] / terms[1];
        const size_t point =
            ((first[0] + u) * (size_t)controls[1] + first[1] + v) * controls[2] + first[2] + w;
        const long double term =
            (long double)values[0][u] * values[1][v] * values[2][w] * j->points[3 * point + c];
        sum += term;
        *size += fabsl(term);
    }
    return sum;
}

/* Each sum of a direction has a rounding for every term and one for its table. */
static double check_band(const band_job *j, const void *out)
{
    const uint32_t *const nums = j->shape.nums, *const terms = j->shape.terms;
    const double eps = j->desc.f64 ? DBL_EPSILON : FLT_EPSILON;
    const double roundings = terms[0] + terms[1] + terms[2] + 3.0;
    double worst = 0.0;

    for (size_t i = 0; i < (size_t)nums[0] * nums[1] * nums[2]; i++) {
        const uint32_t sample[3] = {(uint32_t)(i / nums[2] / nums[1]),
                                    (uint32_t)(i / nums[2] % nums[1]), (uint32_t)(i % nums[2])};
        for (uint32_t c = 0; c < 3; c++) {
            long double size;
            const long double sum = band_sum(j, sample, c, &size);
            const double got = j->desc.f64 ? ((const double *)out)[3 * i + c]
                                           : (double)((const float *)out)[3 * i + c];
            const double error = (double)fabsl(got - sum);
            worst = support_worse(worst, error / ((double)size * eps * roundings + DBL_MIN));
            assert_true(error == error);
        }
    }
    return worst;
}

static void bands_are_sums(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(band_shapes); i++) {
        const band_shape *const s = &band_shapes[i / 2];
        const size_t size = 3 * sizeof(double) * s->nums[0] * s->nums[1] * s->nums[2];
        band_job j;
        begin_band(&j, s, i % 2);
        char *const out = malloc(size), *const parts = malloc(size);
        clspi_vertex_tile *tile = create(&j.desc);
        assert_true(tile && out && parts);
        clspi_vertex_scratch *scratch = clspi_vertex_scratch_create(tile);
        assert_non_null(scratch);
        clspi_tile_rows rows = {.points = j.given, .num_rows = s->nums[0], .out = out};
        clspi_vertex_tile_eval(tile, scratch, &rows);
        worst = support_worse(worst, check_band(&j, out));
        const size_t row =
            3 * (j.desc.f64 ? sizeof(double) : sizeof(float)) * s->nums[1] * s->nums[2];
        for (uint32_t u = 0; u < s->nums[0]; u += rows.num_rows) {
            rows.first_row = u;
            rows.num_rows = u % 3 + 1 < s->nums[0] - u ? u % 3 + 1 : s->nums[0] - u;
            rows.out = parts + u * row;
            clspi_vertex_tile_eval(tile, scratch, &rows);
        }
        assert_memory_equal(parts, out, s->nums[0] * row);
        clspi_vertex_scratch_destroy(&scratch);
        clspi_vertex_tile_destroy(&tile);
        free(out);
        free(parts);
        end_band(&j);
    }
    print_message("worst/bound of banded sums %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* ---- types of vertices ---- */

/* Vertices of another type are those of the precision, rounded once. */
static void types_are_rounded(void **state)
{
    static const size_t type_bytes[] = {2, 4, 8};

    (void)state;
    for (size_t i = 0; i < COUNT(shapes) * 6; i++) {
        const clspi_row_type type = (clspi_row_type)(i % 3);
        const shape *const s = &shapes[i / 6];
        job j;
        if (s->orders[0] > 100 || s->nums[2] > 100) continue;
        begin(&j, s, i / 3 % 2);
        whole(&j, 0);
        clspi_tile_desc desc = j.desc;
        desc.vertex.type = type;
        clspi_vertex_tile *tile = create(&desc);
        assert_non_null(tile);
        clspi_vertex_scratch *scratch = clspi_vertex_scratch_create(tile);
        char *const out = malloc(j.out_reals * type_bytes[type]);
        assert_true(scratch && out);
        support_poison(out, j.out_reals * type_bytes[type]);
        const clspi_tile_rows rows = {.points = j.points, .num_rows = s->nums[0], .out = out};
        clspi_vertex_tile_eval(tile, scratch, &rows);
        for (size_t k = 0; k < j.out_reals; k++) {
            const char *const got = out + k * type_bytes[type];
            const double x = at(&j, k);
            const uint16_t half = clspi_half(x);
            const float narrow = (float)x;
            if (support_poisoned(j.out + k * j.real_bytes, j.real_bytes))
                assert_true(support_poisoned(got, type_bytes[type]));
            else
                assert_memory_equal(got,
                                    type == CLSPI_ROW_F16   ? (const void *)&half
                                    : type == CLSPI_ROW_F32 ? (const void *)&narrow
                                                            : (const void *)&x,
                                    type_bytes[type]);
        }
        clspi_vertex_scratch_destroy(&scratch);
        clspi_vertex_tile_destroy(&tile);
        free(out);
        end(&j);
    }
}

static void too_large(void **state)
{
    const shape row = {3, {1, 1, 1}, {1, UINT32_MAX, UINT32_MAX}, 4, 1, 0, 0, 0, -1};
    const shape table = {1, {UINT32_MAX, 1, 1}, {UINT32_MAX, 1, 1}, 4, 0, 0, 0, 0, -1};
    job j;

    (void)state;
    describe(&j, &row, true);
    assert_null(create(&j.desc));
    describe(&j, &table, true);
    assert_null(create(&j.desc));
    clspi_vertex_tile_destroy(&(clspi_vertex_tile *){NULL});
    clspi_vertex_tile_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_oracle),   cmocka_unit_test(corners_interpolate),
        cmocka_unit_test(splits_are_equal), cmocka_unit_test(forgets),
        cmocka_unit_test(nan_stays),        cmocka_unit_test(too_large),
        cmocka_unit_test(bands_are_sums),   cmocka_unit_test(types_are_rounded),
        cmocka_unit_test(sums_are_normal),
    };

    return cmocka_run_group_tests_name("patch_tile", tests, NULL, NULL);
}
