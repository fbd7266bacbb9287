/* What holds between patches and on their edges: shared points, normals where tangents vanish,
 * index buffers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "bezier_ref.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const limits[] = {"", "class=discrete,local_is_real=1,vendor=NVIDIA",
                                     "class=integrated"};

/* ---- shared edges ---- */

enum { DEGREE = 5, NUM = 23, ROW = DEGREE + 1, MAX_COORDS = 4 };

/* Control point i along side `side` of a patch: u = 0, u = 1, v = 0, v = 1; and a grid's vertex. */
static size_t along(unsigned side, size_t i, size_t num)
{
    const size_t far = side & 1 ? num - 1 : 0;
    return side < 2 ? far * num + i : i * num + far;
}

/* Patch b shares side side_b with side side_a of patch a, backwards or not. */
static void join(const float *a, unsigned side_a, float *b, unsigned side_b, bool backwards,
                 unsigned coords)
{
    for (size_t i = 0; i < ROW; i++)
        memcpy(b + along(side_b, i, ROW) * coords,
               a + along(side_a, backwards ? DEGREE - i : i, ROW) * coords, coords * sizeof *a);
}

static void check_joined(const float *a, unsigned side_a, const float *b, unsigned side_b,
                         bool backwards, unsigned dim)
{
    for (size_t i = 0; i < NUM; i++)
        assert_memory_equal(a + along(side_a, backwards ? NUM - 1 - i : i, NUM) * dim,
                            b + along(side_b, i, NUM) * dim, dim * sizeof *a);
}

static void test_shared_edges(void **state)
{
    enum { PATCH = ROW * ROW * MAX_COORDS, POINTS = NUM * NUM * 3 };

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *ctx = context_with(limits[l]);
        for (unsigned kind = 0; kind < 4; kind++) {
            const clsp_bezier_desc d = {.degree_u = DEGREE,
                                        .degree_v = DEGREE,
                                        .num_u = NUM,
                                        .num_v = NUM,
                                        .watertight = 1,
                                        .rational = kind & 1,
                                        .attributes = CLSP_BEZIER_POINT};
            const unsigned coords = 3 + d.rational;
            static float controls[2 * PATCH], points[2 * POINTS];
            clsp_bezier_plan *plan;

            assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
            for (unsigned pair = 0; pair < 32; pair++) {
                const unsigned side_a = pair & 3, side_b = pair >> 2 & 3;
                float *const b = controls + ROW * ROW * coords;
                seed(pair);
                for (size_t i = 0; i < 2 * ROW * ROW * (size_t)coords; i++)
                    controls[i] = (float)random_real() + (i % coords == 3 ? 1.5f : 0.0f);
                if (kind >= 2) /* an edge that is the same from both ends */
                    for (size_t i = 0; i < ROW / 2; i++)
                        memcpy(controls + along(side_a, i, ROW) * coords,
                               controls + along(side_a, DEGREE - i, ROW) * coords,
                               coords * sizeof *controls);
                join(controls, side_a, b, side_b, pair >> 4, coords);
                assert_int_equal(clsp_bezier_set_control_points_f32(plan, 2, controls), CLSP_OK);
                assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, points), CLSP_OK);
                check_joined(points, side_a, points + POINTS, side_b, pair >> 4, 3);
                for (size_t c = 0; c < 3 && !d.rational; c++)
                    assert_true(points[c] == controls[c]);
                if (tiny()) pair += 8;
            }
            clsp_bezier_plan_destroy(&plan);
        }
        clsp_context_destroy(&ctx);
    }
}

/* ---- normals where tangents vanish ---- */

/* Cubic patch whose side collapses to a point, or two of whose tangents at a corner are parallel;
   with the normal at parameters a little inside, from the oracle. */
static void collapse(float *p, unsigned side)
{
    for (size_t i = 1; i < 4; i++)
        memcpy(p + along(side, i, 4) * 3, p + along(side, 0, 4) * 3, 3 * sizeof *p);
}

static void exact_normal(const float *p, long double u, long double v, long double normal[3])
{
    double controls[48];
    const ref_patch patch = {REF_SURFACE, {3, 3, 0}, 3, 0, controls};
    ref_vertex vertex;

    for (size_t i = 0; i < 48; i++)
        controls[i] = (double)p[i];
    assert_true(ref_bezier_vertex(&patch, u, v, 0.0L, &vertex));
    memcpy(normal, vertex.normal, sizeof vertex.normal);
}

static void bump(float *p)
{
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 4; k++) {
            float *const q = p + (i * 4 + k) * 3;
            q[0] = (float)i + 0.2f * (float)random_real();
            q[1] = (float)k + 0.2f * (float)random_real();
            q[2] = 0.5f * (float)random_real();
        }
    }
}

static double off(const float *normal, const long double *exact)
{
    double worst = 0.0;
    for (size_t c = 0; c < 3; c++)
        worst = fmax(worst, fabs((double)((long double)normal[c] - exact[c])));
    return worst;
}

/* The oracle 1e-7 inside differs from the limit by some 1e-6 of curvature. */
static void test_collapsed_edges(void **state)
{
    enum { N = 9 };
    const double bound = 1e-5;
    const clsp_bezier_desc d = {.degree_u = 3,
                                .degree_v = 3,
                                .num_u = N,
                                .num_v = N,
                                .attributes = CLSP_BEZIER_POINT | CLSP_BEZIER_NORMAL};
    double worst = 0.0;

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *ctx = context_with(limits[l]);
        clsp_bezier_plan *plan;
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        for (unsigned side = 0; side < 4; side++) {
            float p[48], vertices[N * N * 6];
            seed(side + 7);
            bump(p);
            collapse(p, side);
            assert_int_equal(clsp_bezier_set_control_points_f32(plan, 1, p), CLSP_OK);
            assert_int_equal(clsp_bezier_eval_f32(plan, 0, 1, vertices), CLSP_OK);
            for (size_t i = 0; i < N; i++) {
                const float *const normal = vertices + along(side, i, N) * 6 + 3;
                const long double t = (long double)i / (N - 1), s = side & 1 ? 1.0L - 1e-7L : 1e-7L;
                /* at a corner the limit is along the diagonal */
                const long double tt = i == 0 ? 1e-7L : i == N - 1 ? 1.0L - 1e-7L : t;
                long double exact[3];
                exact_normal(p, side < 2 ? s : tt, side < 2 ? tt : s, exact);
                worst = fmax(worst, off(normal, exact));
            }
        }
        clsp_bezier_plan_destroy(&plan);
        clsp_context_destroy(&ctx);
    }
    print_message("worst/bound %.2f\n", worst / bound);
    assert_true(worst <= bound);
}

/* Parallel tangents at a corner; a patch that is a point; one that is a line. */
static void test_lost_normals(void **state)
{
    enum { N = 5 };
    const clsp_bezier_desc d = {
        .degree_u = 3, .degree_v = 3, .num_u = N, .num_v = N, .attributes = CLSP_BEZIER_NORMAL};
    clsp_context *ctx = context_with("");
    clsp_bezier_plan *plan;
    float p[48], normals[N * N * 3];
    long double exact[3];

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    seed(1);
    bump(p);
    for (size_t i = 0; i < 48; i++) /* so that what follows is exact */
        p[i] = roundf(p[i] * 1024.0f) / 1024.0f;
    for (size_t c = 0; c < 3; c++) /* S_u = -S_v at (0, 0), as at the corner of half a disc */
        p[4 * 3 + c] = 2.0f * p[c] - p[3 + c];
    assert_int_equal(clsp_bezier_set_control_points_f32(plan, 1, p), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 1, normals), CLSP_OK);
    exact_normal(p, 1e-7L, 1e-7L, exact);
    assert_true(off(normals, exact) < 1e-4);
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < 48; i++)
            p[i] = line ? (float)(i / 3) : 2.0f;
        assert_int_equal(clsp_bezier_set_control_points_f32(plan, 1, p), CLSP_OK);
        assert_int_equal(clsp_bezier_eval_f32(plan, 0, 1, normals), CLSP_OK);
        for (size_t i = 0; i < COUNT(normals); i++)
            assert_true(normals[i] == 0.0f);
    }
    clsp_bezier_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* Tangents of any length have normals of length 1. */
static void test_sizes_of_patches(void **state)
{
    enum { N = 6 };
    static const float sizes[] = {1e-28f, 1e-12f, 1.0f, 1e12f, 1e28f};
    const clsp_bezier_desc d = {
        .degree_u = 3, .degree_v = 3, .num_u = N, .num_v = N, .attributes = CLSP_BEZIER_NORMAL};

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *ctx = context_with(limits[l]);
        clsp_bezier_plan *plan;
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        for (size_t s = 0; s < COUNT(sizes); s++) {
            float p[48], normals[N * N * 3];
            seed(3);
            bump(p);
            for (size_t i = 0; i < 48; i++)
                p[i] *= sizes[s];
            assert_int_equal(clsp_bezier_set_control_points_f32(plan, 1, p), CLSP_OK);
            assert_int_equal(clsp_bezier_eval_f32(plan, 0, 1, normals), CLSP_OK);
            for (size_t i = 0; i < N * N; i++) {
                const float *const n = normals + 3 * i;
                assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0f) < 1e-5f);
                assert_true(n[2] > 0.5f);
            }
        }
        clsp_bezier_plan_destroy(&plan);
        clsp_context_destroy(&ctx);
    }
}

/* ---- index buffers ---- */

/* Each inner edge belongs to two faces that run along it in opposite ways, each outer one to one.
 */
static void check_surface(const uint32_t *indices, size_t num_faces, size_t corners,
                          uint32_t num_vertices, size_t outer)
{
    unsigned char *const seen = calloc((size_t)num_vertices * num_vertices, 1);
    size_t lone = 0;

    assert_non_null(seen);
    for (size_t f = 0; f < num_faces; f++) {
        for (size_t c = 0; c < corners; c++) {
            const uint32_t a = indices[f * corners + c];
            const uint32_t b = indices[f * corners + (c + 1) % corners];
            assert_true(a < num_vertices && b < num_vertices && a != b);
            assert_int_equal(seen[(size_t)a * num_vertices + b]++, 0);
        }
    }
    for (uint32_t a = 0; a < num_vertices; a++)
        for (uint32_t b = 0; b < num_vertices; b++)
            if (seen[(size_t)a * num_vertices + b] && !seen[(size_t)b * num_vertices + a]) lone++;
    assert_int_equal(lone, outer);
    free(seen);
}

static void read_indices(clsp_context *ctx, clsp_bezier_plan *plan, clsp_bezier_faces faces,
                         size_t first, size_t count, const uint32_t *expected, size_t num)
{
    uint32_t *const got = malloc((num + 2) * sizeof *got);
    cl_context context;
    cl_int code;

    assert_non_null(got);
    memset(got, 0xee, (num + 2) * sizeof *got);
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   (num + 2) * sizeof *got, got, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clsp_bezier_indices(plan, faces, first, count, buffer, 1, 0, NULL, NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bezier_indices(plan, faces, first, count, buffer, 3, 0, NULL, NULL),
                     num ? CLSP_ERROR_BUFFER_SIZE : CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_TRUE, 0,
                                         (num + 2) * sizeof *got, got, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_memory_equal(got + 1, expected, num * sizeof *got);
    assert_int_equal(got[0], 0xeeeeeeee);
    assert_int_equal(got[num + 1], 0xeeeeeeee);
    clReleaseMemObject(buffer);
    free(got);
}

static void test_faces(void **state)
{
    static const uint32_t grids[][2] = {{2, 2}, {3, 5}, {7, 2}, {1, 4}, {4, 1}};
    clsp_context *ctx = context_with("");

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        for (clsp_bezier_faces faces = CLSP_BEZIER_TRIANGLES; faces <= CLSP_BEZIER_QUADS; faces++) {
            const clsp_bezier_desc d = {
                .degree_u = 1, .degree_v = 1, .num_u = grids[g][0], .num_v = grids[g][1]};
            const size_t cells = (size_t)(d.num_u - 1) * (d.num_v - 1);
            const size_t corners = faces == CLSP_BEZIER_QUADS ? 4 : 3;
            const size_t border = cells ? 2 * ((size_t)d.num_u + d.num_v - 2) : 0;
            clsp_bezier_plan *plan;
            uint32_t indices[3 * 6 * 24];
            size_t num = 1;

            assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
            assert_int_equal(clsp_bezier_num_indices(plan, faces, 4, 3, &num), CLSP_OK);
            assert_int_equal(num, 3 * cells * (faces == CLSP_BEZIER_QUADS ? 4 : 6));
            assert_int_equal(clsp_bezier_indices_u32(plan, faces, 4, 3, indices), CLSP_OK);
            check_surface(indices, num / corners, corners, 3 * d.num_u * d.num_v, 3 * border);
            read_indices(ctx, plan, faces, 4, 3, indices, num);
            clsp_bezier_plan_destroy(&plan);
        }
    }
    clsp_context_destroy(&ctx);
}

static void test_wrong_faces(void **state)
{
    const clsp_bezier_desc curve = {.form = CLSP_BEZIER_CURVE, .degree_u = 2, .num_u = 4};
    const clsp_bezier_desc none = {.degree_u = 2, .degree_v = 2};
    const clsp_bezier_desc large = {.degree_u = 1, .degree_v = 1, .num_u = 65536, .num_v = 65537};
    clsp_context *ctx = context_with("");
    clsp_bezier_plan *plan;
    uint32_t index = 9;
    size_t num = 9;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_bezier_num_indices(plan, CLSP_BEZIER_TRIANGLES, 0, 1, &num),
                     CLSP_ERROR_ARGUMENT);
    clsp_bezier_plan_destroy(&plan);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &none), CLSP_OK);
    assert_int_equal(clsp_bezier_num_indices(plan, CLSP_BEZIER_QUADS, 0, 1, &num),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_num_indices(plan, (clsp_bezier_faces)5, 0, 1, &num),
                     CLSP_ERROR_ARGUMENT);
    clsp_bezier_plan_destroy(&plan);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &large), CLSP_OK);
    assert_int_equal(clsp_bezier_indices_u32(plan, CLSP_BEZIER_QUADS, 0, 1, &index),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_indices_u32(plan, CLSP_BEZIER_QUADS, 0, 1, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_indices(plan, CLSP_BEZIER_QUADS, 0, 0, NULL, 0, 0, NULL, NULL),
                     CLSP_ERROR_ARGUMENT);
    clsp_bezier_plan_destroy(&plan);
    assert_int_equal(index, 9);
    assert_int_equal(num, 9);
    clFinish(clsp_context_queue(ctx)); /* the large plan's tables */
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_edges), cmocka_unit_test(test_collapsed_edges),
        cmocka_unit_test(test_lost_normals), cmocka_unit_test(test_sizes_of_patches),
        cmocka_unit_test(test_faces),        cmocka_unit_test(test_wrong_faces),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
