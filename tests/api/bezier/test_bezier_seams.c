/* The edges of surfaces: points that are the same bits for all patches that share them, and normals
 * where tangents do not span a plane. */
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
#include "bezier_ref.h"
#include "vertex_fixture.h"

enum { BOUND_31 = 8 };

/* ---- watertight ---- */

/* The eight ways to lay a patch: v and u may change places, and each may run backwards. */
static void turned(size_t way, size_t i, size_t k, size_t degree, size_t *to_i, size_t *to_k)
{
    *to_i = way & 1 ? k : i;
    *to_k = way & 1 ? i : k;
    if (way & 2) *to_i = degree - *to_i;
    if (way & 4) *to_k = degree - *to_k;
}

/* Patch 0, random, and eight others that share its edge u = 0 with their edge of the same name or
   another, and are random elsewhere. All of them are laid so that sample (a, b) of the grid goes
   where control point (i, k) goes. */
enum { WAYS = 8, DEGREE = 5, NUM = 14 };

static void share_edges(const layout *l, double *controls, bool palindrome)
{
    const size_t order = DEGREE + 1;

    for (size_t k = 0; palindrome && k < order / 2; k++)
        memcpy(controls + (order - 1 - k) * l->coords, controls + k * l->coords,
               l->coords * sizeof(double));
    for (size_t way = 0; way < WAYS; way++) {
        double *const patch = controls + (way + 1) * l->controls;
        for (size_t k = 0; k < order; k++) {
            size_t to_i, to_k;
            turned(way, 0, k, DEGREE, &to_i, &to_k);
            memcpy(patch + (to_i * order + to_k) * l->coords, controls + k * l->coords,
                   l->coords * sizeof(double));
        }
    }
}

static void check_shared(const layout *l, const unsigned char *vertices)
{
    const size_t point = l->dim * l->element, bytes = l->stride * l->element;

    for (size_t way = 0; way < WAYS; way++) {
        for (size_t b = 0; b < NUM; b++) {
            size_t to_a, to_b;
            turned(way, 0, b, NUM - 1, &to_a, &to_b);
            const size_t other = ((way + 1) * NUM + to_a) * NUM + to_b;
            assert_memory_equal(vertices + other * bytes + l->at[0] * l->element,
                                vertices + b * bytes + l->at[0] * l->element, point);
        }
    }
}

/* All vertices are still as exact as others. */
static double grid_error(const layout *l, const double *controls, const unsigned char *vertices,
                         size_t patches)
{
    double worst = 0.0;

    for (size_t k = 0; k < patches * NUM * NUM; k++) {
        const long double t[3] = {(long double)(k / NUM % NUM) / (NUM - 1),
                                  (long double)(k % NUM) / (NUM - 1)};
        worst = support_worse(worst, vertex_error(l, controls + k / (NUM * NUM) * l->controls, t,
                                                  vertices, k, BOUND_31));
    }
    return worst;
}

static void watertight(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t kind = 0; kind < 12; kind++) {
        const bool own = kind % 4 == 3, palindrome = kind >= 8;
        const uint32_t others = kind % 4 >= 2 ? N : kind >= 4 ? W : 0;
        const clsp_bezier_desc d = {
            .precision = precision,
            .degree = {DEGREE, DEGREE},
            .axis = {{.num = NUM}, {.num = NUM}},
            .watertight = 1,
            .rational = kind % 2,
            .vertex = {.attributes = P | others, .stride = kind >= 4 ? 9 : 0}};
        const layout l = layout_of(&d);
        const size_t num = (WAYS + 1) * NUM * NUM;
        uint32_t nums[2 * (WAYS + 1)];
        if (tiny() && kind != 3 && kind != 6) continue;
        if (!in_turn(kind)) continue;
        for (size_t i = 0; i < COUNT(nums); i++)
            nums[i] = NUM;
        double *const controls = random_controls(&l, WAYS + 1);
        share_edges(&l, controls, palindrome);
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, WAYS + 1);
        unsigned char *const vertices = guarded(&l, num);
        if (own)
            assert_int_equal(
                clsp_patch_set_grids(plan, NULL, WAYS + 1, clsp_in_u32(nums, COUNT(nums))),
                CLSP_OK);
        assert_int_equal(eval_host(plan, &l, 0, WAYS + 1, vertices), CLSP_OK);
        check_shared(&l, vertices);
        assert_true(grid_error(&l, controls, vertices, WAYS + 1) <= 1.0);
        free_guarded(&l, num, vertices);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

static void test_watertight(void **state)
{
    (void)state;
    with_limits(watertight);
}

/* Edges of different degrees and resolutions across, narrow grids, and parts of one patch. */
static void test_watertight_shapes(void **state)
{
    static const uint32_t shapes[][4] = {{3, 2, 5, 4}, {0, 3, 4, 3}, {2, 0, 1, 5},
                                         {2, 3, 6, 1}, {1, 4, 2, 2}, {2, 2, 700, 3}};
    static const char *const pairs[][2] = {{"", "alloc=32768"},
                                           {"class=discrete", "class=discrete,alloc=32768"}};

    (void)state;
    for (size_t i = 0; i < COUNT(pairs) * COUNT(shapes); i++) {
        const uint32_t *const s = shapes[i / COUNT(pairs)];
        const clsp_bezier_desc d = {.degree = {s[0], s[1]},
                                    .axis = {{.num = s[2]}, {.num = s[3]}},
                                    .watertight = 1,
                                    .vertex.attributes = P | N};
        const layout l = layout_of(&d);
        const size_t num = (size_t)2 * s[2] * s[3];
        unsigned char *vertices[2];
        if (tiny() && s[2] > 10) continue;
        if (is_thin() && (i / COUNT(pairs) + i) % 2 != 0) continue; /* in one kernel shape */
        double *const controls = random_controls(&l, 2);
        for (size_t k = 0; k < 2; k++) {
            clsp_context *const ctx = lent_context(pairs[i % COUNT(pairs)][k]);
            clsp_patch_plan *plan = plan_with(ctx, &l, controls, 2);
            vertices[k] = guarded(&l, num);
            assert_int_equal(eval_host(plan, &l, 0, 2, vertices[k]), CLSP_OK);
            clsp_patch_plan_destroy(&plan);
        }
        assert_memory_equal(vertices[0], vertices[1], num * l.stride * l.element);
        for (size_t k = 0; k < num; k++) {
            const long double t[3] = {s[2] > 1 ? (long double)(k / s[3] % s[2]) / (s[2] - 1) : 0.0L,
                                      s[3] > 1 ? (long double)(k % s[3]) / (s[3] - 1) : 0.0L};
            const size_t patch = k / ((size_t)s[2] * s[3]);
            assert_true(vertex_error(&l, controls + patch * l.controls, t, vertices[0], k,
                                     BOUND_31) <= 1.0);
        }
        free_guarded(&l, num, vertices[0]);
        free_guarded(&l, num, vertices[1]);
        free(controls);
    }
}

/* The parameter of a patch laid in such a way where the first one's is (0, t). */
static void turned_param(clsp_type precision, size_t way, double t, double at[2])
{
    at[0] = way & 1 ? t : 0.0;
    at[1] = way & 1 ? 0.0 : t;
    for (unsigned c = 0; c < 2; c++)
        if (way & 2u << c) at[c] = precision == CLSP_F64 ? 1.0 - at[c] : 1.0f - (float)at[c];
}

/* Parameters along the edge: some that 1 less them is rounded of, and random ones. */
static double list_param(clsp_type precision, size_t k)
{
    static const double special[] = {0.0, 1.0, 0.5, 0x1p-60, 0x1.7p-25, 0x1.fffffep-2, 0.3, 0.7};
    const double t = k < COUNT(special) ? special[k] : 0.5 + 0.5 * random_real();

    return precision == CLSP_F64 ? t : (double)(float)t;
}

/* Evaluates a list in host memory, by the device alone or as it comes, or in buffers. */
static void eval_list(clsp_context *ctx, clsp_patch_plan *plan, const layout *l,
                      const clsp_points *list, int how, unsigned char *vertices)
{
    const size_t bytes = list->num * l->stride * l->element;
    const size_t real = l->d.precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE};
    clsp_points in = *list;

    if (how < 2) {
        assert_int_equal(clsp_patch_eval_points(plan, list,
                                                host_out(l->type, vertices, list->num * l->stride),
                                                how ? &(clsp_run){.share = &share} : NULL),
                         CLSP_OK);
        return;
    }
    const cl_mem buffers[] = {buffer_of(ctx, bytes, vertices),
                              buffer_of(ctx, 2 * list->num * real, list->params.host),
                              buffer_of(ctx, list->num * sizeof(uint32_t), list->item.host)};
    in.params = clsp_in_buffer(buffers[1], l->d.precision, 0);
    in.item = clsp_in_buffer(buffers[2], CLSP_U32, 0);
    assert_int_equal(
        clsp_patch_eval_points(plan, &in, clsp_out_buffer(buffers[0], l->type, 0), NULL), CLSP_OK);
    read_buffer(ctx, buffers[0], bytes, vertices);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

/* Lists along the edge in all patches: the same points, which are as exact as others. */
static void watertight_lists(clsp_context *ctx, clsp_type precision)
{
    enum { LIST = 70, ALL = (WAYS + 1) * LIST };
    static double wide[ALL][2];
    static float narrow[ALL][2];
    static uint32_t items[ALL];

    for (uint32_t kind = 0; kind < 12; kind++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {DEGREE, DEGREE},
                                    .watertight = 1,
                                    .rational = kind % 2,
                                    .vertex = {.attributes = kind % 4 >= 2   ? P | N
                                                             : kind % 4 == 1 ? P | W
                                                                             : P,
                                               .stride = kind >= 4 ? 9 : 0}};
        const layout l = layout_of(&d);
        const size_t point = l.dim * l.element, bytes = l.stride * l.element;
        if ((tiny() && kind != 3) || !in_turn(kind)) continue;
        double *const controls = random_controls(&l, WAYS + 1);
        share_edges(&l, controls, kind >= 8);
        for (size_t k = 0; k < LIST; k++) {
            const double t = list_param(precision, k);
            for (size_t patch = 0; patch <= WAYS; patch++) {
                const size_t at = patch * LIST + k;
                turned_param(precision, patch > 0 ? patch - 1 : 0, t, wide[at]);
                narrow[at][0] = (float)wide[at][0], narrow[at][1] = (float)wide[at][1];
                items[at] = (uint32_t)patch;
            }
        }
        const clsp_points list = {.num = ALL,
                                  .item = clsp_in_u32(items, ALL),
                                  .params = precision == CLSP_F64 ? clsp_in_f64(*wide, 2 * ALL)
                                                                  : clsp_in_f32(*narrow, 2 * ALL)};
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, WAYS + 1);
        for (int how = 0; how < 3; how++) {
            unsigned char *const vertices = guarded(&l, ALL);
            eval_list(ctx, plan, &l, &list, how, vertices);
            for (size_t k = 0; k < ALL; k++) {
                const long double t[3] = {wide[k][0], wide[k][1]};
                const size_t patch = items[k], at = l.at[0] * l.element;
                assert_memory_equal(vertices + k * bytes + at, vertices + k % LIST * bytes + at,
                                    point);
                assert_true(vertex_error(&l, controls + patch * l.controls, t, vertices, k,
                                         BOUND_31) <= 1.0);
            }
            free_guarded(&l, ALL, vertices);
        }
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

static void test_watertight_lists(void **state)
{
    (void)state;
    with_limits(watertight_lists);
}

/* ---- a closed mesh ---- */

static const float *merged; /* the points that indices are compared by */

static int by_point(const void *a, const void *b)
{
    const float *const x = merged + 3 * (size_t) * (const uint32_t *)a;
    const float *const y = merged + 3 * (size_t) * (const uint32_t *)b;

    for (int c = 0; c < 3; c++)
        if (x[c] != y[c]) return x[c] < y[c] ? -1 : 1;
    return 0;
}

/* Names each vertex by the first in order that has the same place. */
static uint32_t *merge(const float *points, size_t num)
{
    uint32_t *const order = malloc(num * sizeof *order), *const name = malloc(num * sizeof *name);

    assert_true(order && name);
    for (uint32_t k = 0; k < num; k++)
        order[k] = k;
    merged = points;
    qsort(order, num, sizeof *order, by_point);
    for (size_t k = 0; k < num; k++)
        name[order[k]] =
            k > 0 && by_point(&order[k - 1], &order[k]) == 0 ? name[order[k - 1]] : order[k];
    free(order);
    return name;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A cube's six faces as patches of which neighbours share control points in every orientation: the
   mesh of all of them has each edge twice, once in each direction, when equal places are merged. */
static void closed_mesh(clsp_context *ctx, bool own)
{
    enum { ORDER = 4, SAMPLES = 9, FACES = 6 };
    const clsp_bezier_desc d = {.degree = {ORDER - 1, ORDER - 1},
                                .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
                                .watertight = 1};
    const layout l = layout_of(&d);
    const size_t num = FACES * SAMPLES * SAMPLES;
    double *const controls = random_controls(&l, FACES);
    const clsp_range all = {0, FACES};
    clsp_mesh_size size;

    for (size_t f = 0; f < FACES; f++) {
        for (size_t k = 0; k < ORDER * ORDER; k++) {
            double *const p = controls + f * l.controls + 3 * k;
            const size_t axis = f / 2, i = k / ORDER, j = k % ORDER;
            const size_t at[3] = {f % 2 * (ORDER - 1), f % 2 ? i : j, f % 2 ? j : i};
            size_t lattice[3];
            for (size_t c = 0; c < 3; c++)
                lattice[(axis + c) % 3] = at[c];
            for (unsigned c = 0; c < 3; c++) /* the same for the same place of the lattice */
                p[c] = (double)(float)((double)lattice[c] +
                                       0.3 * sin((double)(lattice[0] + 4 * lattice[1] +
                                                          16 * lattice[2] + 64 * c)));
        }
    }
    clsp_patch_plan *plan = plan_with(ctx, &l, controls, FACES);
    if (own) {
        uint32_t nums[2 * FACES];
        for (size_t i = 0; i < COUNT(nums); i++)
            nums[i] = SAMPLES;
        assert_int_equal(clsp_patch_set_grids(plan, NULL, FACES, clsp_in_u32(nums, COUNT(nums))),
                         CLSP_OK);
    }
    unsigned char *const vertices = guarded(&l, num);
    assert_int_equal(eval_host(plan, &l, 0, FACES, vertices), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, all, &size), CLSP_OK);
    const size_t num_indices = 3 * size.triangles;
    uint32_t *const indices = malloc(num_indices * sizeof *indices);
    uint64_t *const edges = malloc(num_indices * sizeof *edges);
    float *const points = malloc(num * 3 * sizeof *points);
    assert_true(indices && edges && points);
    assert_int_equal(clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, all,
                                        clsp_out_u32(indices, num_indices), NULL),
                     CLSP_OK);
    memcpy(points, vertices, num * 3 * sizeof *points);
    uint32_t *const name = merge(points, num);
    for (size_t i = 0; i < num_indices; i++) {
        const size_t next = i % 3 == 2 ? i - 2 : i + 1;
        edges[i] = (uint64_t)name[indices[i]] << 32 | name[indices[next]];
    }
    qsort(edges, num_indices, sizeof *edges, by_number);
    for (size_t i = 0; i < num_indices; i++) {
        const uint64_t back = edges[i] << 32 | edges[i] >> 32;
        assert_true(i == 0 || edges[i] != edges[i - 1]);
        assert_non_null(bsearch(&back, edges, num_indices, sizeof *edges, by_number));
    }
    free(name);
    free(points);
    free(edges);
    free(indices);
    free_guarded(&l, num, vertices);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void closed_meshes(clsp_context *ctx, clsp_type precision)
{
    if (precision != CLSP_F32) return;
    closed_mesh(ctx, false);
    closed_mesh(ctx, true);
}

static void test_closed_mesh(void **state)
{
    (void)state;
    with_limits(closed_meshes);
}

/* ---- normals ---- */

enum { SIDE = 7 };

static size_t side_vertices(clsp_bezier_form form)
{
    return form == CLSP_BEZIER_TRIANGLE ? SIDE * (SIDE + 1) / 2 : SIDE * SIDE;
}

/* All three ways to the vertices of one patch: the common grid, a patch grid, parameters. */
static void evaluate(clsp_patch_plan *plan, const layout *l, int way, unsigned char *vertices)
{
    const size_t num = side_vertices(l->d.form), given = l->d.form == CLSP_BEZIER_TRIANGLE ? 1 : 2;
    const uint32_t nums[] = {SIDE, SIDE}, zeros[SIDE * SIDE] = {0};
    double wide[2 * SIDE * SIDE];
    float narrow[2 * SIDE * SIDE];
    size_t k = 0;

    assert_int_equal(clsp_patch_set_grids(plan, NULL, way == 1, clsp_in_u32(nums, given)), CLSP_OK);
    if (way < 2) {
        assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
        return;
    }
    for (int a = 0; a < SIDE; a++) {
        for (int b = 0; b < (l->d.form == CLSP_BEZIER_TRIANGLE ? SIDE - a : SIDE); b++, k += 2) {
            wide[k] = a / (double)(SIDE - 1);
            wide[k + 1] = b / (double)(SIDE - 1);
        }
    }
    for (k = 0; k < 2 * num; k++)
        narrow[k] = (float)wide[k];
    assert_int_equal(
        clsp_patch_eval_points(plan,
                               &(clsp_points){.num = num,
                                              .item = clsp_in_u32(zeros, num),
                                              .params = l->d.precision == CLSP_F64
                                                            ? clsp_in_f64(wide, 2 * num)
                                                            : clsp_in_f32(narrow, 2 * num)},
                               host_out(l->type, vertices, num * l->stride), NULL),
        CLSP_OK);
}

/* The normal a little further inside, in long double: what the limit on an edge must be, to about
   the step's size. */
static void inside(const ref_patch *patch, long double u, long double v, ref_vertex *r)
{
    const long double step = 1e-7L;
    const bool triangle = patch->form == REF_TRIANGLE;

    if (triangle) {
        u += step * (1 - 3 * u);
        v += step * (1 - 3 * v);
    } else {
        u += u == 0 ? step : u == 1 ? -step : 0;
        v += v == 0 ? step : v == 1 ? -step : 0;
    }
    assert_true(ref_bezier_vertex(patch, u, v, 0, r));
}

/* Every normal of a patch is that of the oracle a little further inside. tolerance: what the step
   and roundings may turn it by. */
static void check_normals(clsp_context *ctx, const layout *l, const double *controls,
                          double tolerance)
{
    const ref_patch patch = {
        (ref_form)l->d.form, {l->d.degree[0], l->d.degree[1], 0}, 3, (int)l->d.rational, controls};
    const size_t num = side_vertices(l->d.form);
    clsp_patch_plan *plan = plan_with(ctx, l, controls, 1);

    for (int way = 0; way < 3; way++) {
        unsigned char *const vertices = guarded(l, num);
        size_t k = 0;
        evaluate(plan, l, way, vertices);
        for (int a = 0; a < SIDE; a++) {
            for (int b = 0; b < (l->d.form == CLSP_BEZIER_TRIANGLE ? SIDE - a : SIDE); b++, k++) {
                const long double u = (long double)a / (SIDE - 1), v = (long double)b / (SIDE - 1);
                double error = 0.0;
                ref_vertex r;
                inside(&patch, u, v, &r);
                for (unsigned c = 0; c < 3; c++) {
                    const double got = attribute(l, vertices, k, N, c);
                    error = isnan(got) ? HUGE_VAL : fmax(error, fabs(got - (double)r.normal[c]));
                }
                if (!(error <= tolerance))
                    fail_msg("way %d, sample %d %d: (%g %g %g), not (%Lg %Lg %Lg)", way, a, b,
                             attribute(l, vertices, k, N, 0), attribute(l, vertices, k, N, 1),
                             attribute(l, vertices, k, N, 2), r.normal[0], r.normal[1],
                             r.normal[2]);
            }
        }
        free_guarded(l, num, vertices);
    }
    clsp_patch_plan_destroy(&plan);
}

static layout normals_of(clsp_type precision, clsp_bezier_form form, uint32_t degree,
                         uint32_t rational)
{
    const clsp_bezier_desc d = {.precision = precision,
                                .form = form,
                                .degree = {degree, degree},
                                .axis = {{.num = SIDE}, {.num = SIDE}},
                                .rational = rational,
                                .vertex.attributes = P | N};
    return layout_of(&d);
}

/* Makes one edge of a patch one point: of u = 0, u = 1, v = 0, v = 1. */
static void collapse(const layout *l, double *controls, int edge)
{
    const size_t order = l->d.degree[0] + 1;

    for (size_t k = 0; k < order; k++) {
        const size_t to = edge == 0   ? k
                          : edge == 1 ? (order - 1) * order + k
                          : edge == 2 ? k * order
                                      : k * order + order - 1;
        const size_t from = edge == 1 ? (order - 1) * order : edge == 3 ? order - 1 : 0;
        const double w = l->d.rational ? controls[to * l->coords + 3] : 1.0;
        for (size_t c = 0; c < 3; c++) /* the weights stay different where they are powers of 2 */
            controls[to * l->coords + c] =
                controls[from * l->coords + c] *
                (l->d.rational ? w / controls[from * l->coords + 3] : 1.0);
    }
}

/* A net that is no fold: a plane with bumps. */
static void bumpy(const layout *l, double *controls)
{
    const size_t order = l->d.degree[0] + 1;

    for (size_t i = 0; i < order; i++) {
        for (size_t k = 0; k < order; k++) {
            double *const p = controls + (i * order + k) * l->coords;
            const double w = l->d.rational ? 1.0 + (double)((i + 2 * k) % 2) : 1.0;
            p[0] = (double)(float)((double)i + 0.25 * random_real()) * w;
            p[1] = (double)(float)((double)k + 0.25 * random_real()) * w;
            p[2] = (double)(float)random_real() * w;
            if (l->d.rational) p[3] = w;
        }
    }
}

/* Tolerance: the normal's own bound, 8 eps times the condition of the patches, some 100, and the
   oracle's step of 1e-7 times their curvature, some 10. */
static double tolerance_of(clsp_type precision)
{
    return precision == CLSP_F64 ? 1e-5 : 2e-4;
}

static void collapsed_edges(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t degree = 2; degree <= 4; degree++) {
        for (uint32_t rational = 0; rational < 2; rational++) {
            if (!in_turn(degree + 3 * rational)) continue;
            const layout l = normals_of(precision, CLSP_BEZIER_SURFACE, degree, rational);
            double *const controls = random_controls(&l, 1);
            for (int edge = 0; edge < 4; edge++) {
                bumpy(&l, controls);
                collapse(&l, controls, edge);
                check_normals(ctx, &l, controls, tolerance_of(precision));
            }
            free(controls);
        }
        if (tiny()) break;
    }
}

static void test_collapsed_edges(void **state)
{
    (void)state;
    with_limits(collapsed_edges);
}

/* The first two rows alike: S_u is 0 on the edge u = 0. And a corner whose tangents are parallel:
   there the limit depends on the way; it is taken along the diagonal, as the oracle's is here. */
static void lost_tangents(clsp_context *ctx, clsp_type precision)
{
    const layout l = normals_of(precision, CLSP_BEZIER_SURFACE, 3, 0);
    double *const controls = random_controls(&l, 1);

    bumpy(&l, controls);
    memcpy(controls + 12, controls, 12 * sizeof *controls);
    check_normals(ctx, &l, controls, tolerance_of(precision));
    bumpy(&l, controls);
    for (size_t c = 0; c < 3; c++) {
        controls[c] = 0.0;
        controls[3 + c] = 0.5 * controls[12 + c];
    }
    check_normals(ctx, &l, controls, tolerance_of(precision));
    free(controls);
}

static void test_lost_tangents(void **state)
{
    (void)state;
    with_limits(lost_tangents);
}

/* A triangle whose edge u = 0 is one point. */
static void collapsed_triangles(clsp_context *ctx, clsp_type precision)
{
    const layout l = normals_of(precision, CLSP_BEZIER_TRIANGLE, 3, 0);
    double *const controls = random_controls(&l, 1);
    size_t k = 0;

    for (size_t i = 0; i <= 3; i++) {
        for (size_t j = 0; i + j <= 3; j++, k++) {
            const double p[] = {(double)i, i > 0 ? (double)j : 0.0,
                                i > 0 ? 0.5 * (double)(j * i) : 0};
            memcpy(controls + 3 * k, p, sizeof p);
        }
    }
    check_normals(ctx, &l, controls, tolerance_of(precision));
    free(controls);
}

static void test_collapsed_triangles(void **state)
{
    (void)state;
    with_limits(collapsed_triangles);
}

/* Without a tangent plane there is no normal; it is never NaN, however long or short tangents are.
 */
static void no_plane(clsp_context *ctx, clsp_type precision)
{
    static const double scales[] = {1.0, 1e-30, 1e30, 1e-38, 0.0};
    const layout l = normals_of(precision, CLSP_BEZIER_SURFACE, 2, 0);
    const size_t num = side_vertices(CLSP_BEZIER_SURFACE);
    double *const controls = random_controls(&l, 1);

    for (size_t i = 0; i < 2 * COUNT(scales); i++) {
        unsigned char *const vertices = guarded(&l, num);
        for (size_t k = 0; k < l.controls; k++) /* a line, or something general */
            controls[k] =
                (double)(float)(scales[i / 2] * (i % 2 ? random_real() : (double)(k / 3) * 0.125));
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
        for (int way = 0; way < 3; way++) {
            evaluate(plan, &l, way, vertices);
            for (size_t k = 0; k < num; k++) {
                double length2 = 0.0;
                for (unsigned c = 0; c < 3; c++)
                    length2 += pow(attribute(&l, vertices, k, N, c), 2);
                if (i % 2 == 0 && fabs(length2) > 0.0 && way > 0)
                    fail_msg("way %d, vertex %zu of a line has a normal", way, k);
                assert_true(length2 == 0.0 || fabs(length2 - 1.0) <= 1e-5);
            }
        }
        clsp_patch_plan_destroy(&plan);
        free_guarded(&l, num, vertices);
    }
    free(controls);
}

static void test_no_plane(void **state)
{
    (void)state;
    with_limits(no_plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watertight),          cmocka_unit_test(test_watertight_shapes),
        cmocka_unit_test(test_watertight_lists),    cmocka_unit_test(test_closed_mesh),
        cmocka_unit_test(test_collapsed_edges),     cmocka_unit_test(test_lost_tangents),
        cmocka_unit_test(test_collapsed_triangles), cmocka_unit_test(test_no_plane),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
