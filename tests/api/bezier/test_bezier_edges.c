/* What holds between patches and on their edges: shared points, normals where tangents vanish,
 * index buffers. */
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
#include "tile_fixture.h"

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

/* Who evaluates: the device, the host, or each of them some patches. */
static enum { DEVICE, HOST, BOTH } maker;

static int by_host(void **state)
{
    (void)state;
    maker = HOST;
    return 0;
}

static int by_both(void **state)
{
    (void)state;
    maker = BOTH;
    return 0;
}

static int by_device(void **state)
{
    (void)state;
    maker = DEVICE;
    return 0;
}

static void share(clsp_patch_plan *plan, size_t num_patches, clsp_output vertices)
{
    const clsp_share opts = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 0.5};
    clsp_report report;

    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, num_patches}, vertices,
                                     &(clsp_run){.share = &opts, .report = &report}),
                     CLSP_OK);
    assert_int_equal(report.schedule, CLSP_SCHEDULE_STATIC);
}

/* Everything that a plan has, through host memory. */
static void load_and_eval(clsp_patch_plan *plan, size_t num_patches, const float *controls,
                          size_t num_controls, float *vertices, size_t num_vertices)
{
    assert_int_equal(
        clsp_patch_set_control_points(plan, num_patches, clsp_in_f32(controls, num_controls), NULL),
        CLSP_OK);
    if (maker == BOTH) {
        share(plan, num_patches, clsp_out_f32(vertices, num_vertices));
        return;
    }
    if (maker == DEVICE) {
        assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, num_patches},
                                         clsp_out_f32(vertices, num_vertices), NULL),
                         CLSP_OK);
        return;
    }
    for (size_t p = 0; p < num_patches; p++)
        assert_int_equal(eval_by_caller(plan, (clsp_range){p, 1},
                                        clsp_out_f32(vertices + num_vertices / num_patches * p,
                                                     num_vertices / num_patches)),
                         CLSP_OK);
}

static void check_joined(const float *a, unsigned side_a, const float *b, unsigned side_b,
                         bool backwards, unsigned dim)
{
    for (size_t i = 0; i < NUM; i++)
        assert_memory_equal(a + along(side_a, backwards ? NUM - 1 - i : i, NUM) * dim,
                            b + along(side_b, i, NUM) * dim, dim * sizeof *a);
}

enum { PATCH = ROW * ROW * MAX_COORDS, POINTS = NUM * NUM * 3 };

/* Two patches that share an edge: which of their sides, and whether backwards, is in the pair's
   number. palindrome: an edge that is the same from both ends. */
static void check_pair(clsp_patch_plan *plan, unsigned pair, unsigned coords, bool palindrome)
{
    const unsigned side_a = pair & 3, side_b = pair >> 2 & 3;
    const size_t num = (size_t)ROW * ROW * coords;
    static float controls[2 * PATCH], points[2 * POINTS];

    seed(pair);
    for (size_t i = 0; i < 2 * num; i++)
        controls[i] = (float)random_real() + (i % coords == 3 ? 1.5f : 0.0f);
    for (size_t i = 0; palindrome && i < ROW / 2; i++)
        memcpy(controls + along(side_a, i, ROW) * coords,
               controls + along(side_a, DEGREE - i, ROW) * coords, coords * sizeof *controls);
    join(controls, side_a, controls + num, side_b, pair >> 4, coords);
    load_and_eval(plan, 2, controls, 2 * num, points, COUNT(points));
    check_joined(points, side_a, points + POINTS, side_b, pair >> 4, 3);
    for (size_t c = 0; c < 3 && coords == 3; c++)
        assert_true(points[c] == controls[c]);
}

static void test_shared_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(limits) * 4; i++) {
        const unsigned kind = i % 4;
        const clsp_bezier_desc d = {.degree = {DEGREE, DEGREE},
                                    .axis = {{.num = NUM}, {.num = NUM}},
                                    .watertight = 1,
                                    .rational = kind & 1,
                                    .vertex.attributes = CLSP_VERTEX_POINT};
        clsp_patch_plan *plan;

        assert_int_equal(clsp_bezier_plan_create(&plan, lent_context(limits[i / 4]), &d), CLSP_OK);
        for (unsigned pair = 0; pair < 32; pair += tiny() ? 9 : 1)
            check_pair(plan, pair, 3 + d.rational, kind >= 2);
        clsp_patch_plan_destroy(&plan);
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
        worst = support_worse(worst, fabs((double)((long double)normal[c] - exact[c])));
    return worst;
}

/* The oracle 1e-7 inside differs from the limit by some 1e-6 of curvature. */
static void test_collapsed_edges(void **state)
{
    enum { N = 9 };
    const double bound = 1e-5;
    const clsp_bezier_desc d = {.degree = {3, 3},
                                .axis = {{.num = N}, {.num = N}},
                                .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    double worst = 0.0;

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *const ctx = lent_context(limits[l]);
        clsp_patch_plan *plan;
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        for (unsigned side = 0; side < 4; side++) {
            float p[48], vertices[N * N * 6];
            seed(side + 7);
            bump(p);
            collapse(p, side);
            load_and_eval(plan, 1, p, COUNT(p), vertices, COUNT(vertices));
            for (size_t i = 0; i < N; i++) {
                const float *const normal = vertices + along(side, i, N) * 6 + 3;
                const long double t = (long double)i / (N - 1), s = side & 1 ? 1.0L - 1e-7L : 1e-7L;
                /* at a corner the limit is along the diagonal */
                const long double tt = i == 0 ? 1e-7L : i == N - 1 ? 1.0L - 1e-7L : t;
                long double exact[3];
                exact_normal(p, side < 2 ? s : tt, side < 2 ? tt : s, exact);
                worst = support_worse(worst, off(normal, exact));
            }
        }
        clsp_patch_plan_destroy(&plan);
    }
    print_message("worst/bound %.2f\n", worst / bound);
    assert_true(worst <= bound);
}

/* Few patches and many may take programs that were built in different ways. */
static void test_normals_of_many(void **state)
{
    enum { N = 33, MANY = 200, SIZE = N * N * 6 };
    const clsp_bezier_desc d = {.degree = {3, 3},
                                .axis = {{.num = N}, {.num = N}},
                                .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    float *const p = malloc(sizeof *p * MANY * 48);
    float *const all = malloc(sizeof *all * MANY * SIZE);
    float *const one = malloc(sizeof *one * SIZE);

    (void)state;
    assert_true(p && all && one);
    seed(11);
    for (unsigned i = 0; i < MANY; i++) {
        bump(p + (size_t)i * 48);
        collapse(p + (size_t)i * 48, i % 4);
    }
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_patch_plan *few, *many;
        assert_int_equal(clsp_bezier_plan_create(&few, lent_context(limits[l]), &d), CLSP_OK);
        assert_int_equal(clsp_bezier_plan_create(&many, lent_context(limits[l]), &d), CLSP_OK);
        load_and_eval(many, MANY, p, (size_t)MANY * 48, all, (size_t)MANY * SIZE);
        for (size_t i = 0; i < 4; i++) {
            load_and_eval(few, 1, p + i * 48, 48, one, SIZE);
            assert_memory_equal(one, all + i * SIZE, sizeof *one * SIZE);
        }
        load_and_eval(few, MANY, p, (size_t)MANY * 48, all, (size_t)MANY * SIZE);
        assert_memory_equal(one, all + (size_t)3 * SIZE, sizeof *one * SIZE);
        clsp_patch_plan_destroy(&few);
        clsp_patch_plan_destroy(&many);
    }
    free(p);
    free(all);
    free(one);
}

/* A grid over a part of the parameters, from either end, has edges of the patch on some sides. */
static void check_part(clsp_patch_plan *plan, const float *p, unsigned side, const clsp_axis *part)
{
    enum { N = 5 };
    const bool along_v = side < 2;
    const clsp_axis whole = {.num = N, .end = 1.0};
    const clsp_axis axes[2] = {along_v ? whole : *part, along_v ? *part : whole};
    const long double across = side & 1 ? 1.0L - 1e-7L : 1e-7L;
    float normals[N * N * 3];

    assert_int_equal(clsp_patch_set_grids(plan, axes, 0, (clsp_input){0}), CLSP_OK);
    load_and_eval(plan, 1, p, 48, normals, COUNT(normals));
    for (size_t i = 0; i < N; i++) {
        long double exact[3], t = axis_parameter(part, i, N);
        if (t == 0.0L) t = 1e-7L; /* at a corner, along the diagonal */
        exact_normal(p, along_v ? across : t, along_v ? t : across, exact);
        assert_true(off(normals + along(side, i, N) * 3, exact) < 1e-4);
    }
}

static void test_edges_of_parts(void **state)
{
    static const clsp_axis parts[] = {{.num = 5, .end = 0.5}, {.num = 5, .begin = 0.5, .end = 0.0}};
    const clsp_bezier_desc d = {
        .degree = {3, 3}, .axis = {parts[0], parts[0]}, .vertex.attributes = CLSP_VERTEX_NORMAL};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    for (unsigned side = 0; side < 4; side++) {
        float p[48];
        seed(side + 20);
        bump(p);
        collapse(p, side);
        for (size_t i = 0; i < COUNT(parts); i++)
            check_part(plan, p, side, &parts[i]);
    }
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* Parallel tangents at a corner; a patch that is a point; one that is a line. */
static void test_lost_normals(void **state)
{
    enum { N = 5 };
    const clsp_bezier_desc d = {.degree = {3, 3},
                                .axis = {{.num = N}, {.num = N}},
                                .vertex.attributes = CLSP_VERTEX_NORMAL};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;
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
    load_and_eval(plan, 1, p, COUNT(p), normals, COUNT(normals));
    exact_normal(p, 1e-7L, 1e-7L, exact);
    assert_true(off(normals, exact) < 1e-4);
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < 48; i++)
            p[i] = line ? (float)(i / 3) : 2.0f;
        load_and_eval(plan, 1, p, COUNT(p), normals, COUNT(normals));
        for (size_t i = 0; i < COUNT(normals); i++)
            assert_true(normals[i] == 0.0f);
    }
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* Tangents of any length have normals of length 1. */
static void test_sizes_of_patches(void **state)
{
    enum { N = 6 };
    static const float sizes[] = {1e-28f, 1e-12f, 1.0f, 1e12f, 1e28f};
    const clsp_bezier_desc d = {.degree = {3, 3},
                                .axis = {{.num = N}, {.num = N}},
                                .vertex.attributes = CLSP_VERTEX_NORMAL};

    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *const ctx = lent_context(limits[l]);
        clsp_patch_plan *plan;
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        for (size_t s = 0; s < COUNT(sizes); s++) {
            float p[48], normals[N * N * 3];
            seed(3);
            bump(p);
            for (size_t i = 0; i < 48; i++)
                p[i] *= sizes[s];
            load_and_eval(plan, 1, p, COUNT(p), normals, COUNT(normals));
            for (size_t i = 0; i < N * N; i++) {
                const float *const n = normals + 3 * i;
                assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0f) < 1e-5f);
                assert_true(n[2] > 0.5f);
            }
        }
        clsp_patch_plan_destroy(&plan);
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

static void read_indices(clsp_context *ctx, clsp_patch_plan *plan, clsp_faces faces,
                         clsp_range patches, const uint32_t *expected, size_t num)
{
    const size_t bytes = (num + 2) * sizeof *expected;
    uint32_t *const got = malloc(bytes);

    assert_non_null(got);
    memset(got, 0xee, bytes);
    cl_mem buffer = buffer_of(ctx, bytes, got);
    assert_int_equal(
        clsp_patch_indices(plan, faces, patches, clsp_out_buffer(buffer, CLSP_U32, 1), NULL),
        CLSP_OK);
    assert_int_equal(
        clsp_patch_indices(plan, faces, patches, clsp_out_buffer(buffer, CLSP_U32, 3), NULL),
        CLSP_ERROR_BUFFER_SIZE);
    read_buffer(ctx, buffer, bytes, got);
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
        for (clsp_faces faces = CLSP_FACES_TRIANGLES; faces <= CLSP_FACES_QUADS; faces++) {
            const clsp_bezier_desc d = {.degree = {1, 1},
                                        .axis = {{.num = grids[g][0]}, {.num = grids[g][1]}}};
            const size_t cells = (size_t)(d.axis[0].num - 1) * (d.axis[1].num - 1);
            const size_t corners = faces == CLSP_FACES_QUADS ? 4 : 3;
            const size_t border = cells ? 2 * ((size_t)d.axis[0].num + d.axis[1].num - 2) : 0;
            const clsp_range patches = {4, 3};
            clsp_patch_plan *plan;
            uint32_t indices[3 * 6 * 24];
            clsp_mesh_size size;

            memset(&size, 0xee, sizeof size);
            assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
            assert_int_equal(clsp_patch_mesh_size(plan, patches, &size), CLSP_OK);
            assert_int_equal(size.vertices, 3 * d.axis[0].num * d.axis[1].num);
            assert_int_equal(size.triangles, 3 * cells * 2);
            assert_int_equal(size.quads, 3 * cells);
            assert_true(size.reserved[0] == 0 && size.reserved[1] == 0);
            const size_t num = corners * (corners == 4 ? size.quads : size.triangles);
            assert_int_equal(
                clsp_patch_indices(plan, faces, patches, clsp_out_u32(indices, num), NULL),
                CLSP_OK);
            check_surface(indices, num / corners, corners, 3 * d.axis[0].num * d.axis[1].num,
                          3 * border);
            read_indices(ctx, plan, faces, patches, indices, num);
            clsp_patch_plan_destroy(&plan);
        }
    }
    clsp_context_destroy(&ctx);
}

static void test_faces_of_triangles(void **state)
{
    enum { N = 4, VERTICES = N * (N + 1) / 2, FACES = (N - 1) * (N - 1) };
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_TRIANGLE, .degree = {1}, .axis = {{.num = N}}};
    const clsp_range patches = {4, 2};
    clsp_context *ctx = context_with("");
    uint32_t indices[2 * FACES * 3];
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, patches,
                                        clsp_out_u32(indices, COUNT(indices)), NULL),
                     CLSP_OK);
    check_surface(indices, 2 * FACES, 3, 2 * VERTICES, 2 * 3 * (N - 1));
    read_indices(ctx, plan, CLSP_FACES_TRIANGLES, patches, indices, COUNT(indices));
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

static void test_wrong_faces(void **state)
{
    const clsp_bezier_desc curve = {.form = CLSP_BEZIER_CURVE, .degree = {2}, .axis = {{.num = 4}}};
    const clsp_bezier_desc none = {.degree = {2, 2}};
    const clsp_bezier_desc large = {.degree = {1, 1}, .axis = {{.num = 65536}, {.num = 65537}}};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;
    const clsp_range first = {0, 1};
    uint32_t index = 9;
    const clsp_output one = clsp_out_u32(&index, 1);
    clsp_mesh_size size = {9, 9, 9, {9, 9}};

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, first, one, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_mesh_size(plan, first, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_mesh_size(NULL, first, &size), CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &none), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, first, &size), CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_indices(plan, CLSP_FACES_QUADS, first, one, NULL),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_indices(plan, (clsp_faces)5, first, one, NULL),
                     CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    if (SIZE_MAX > UINT32_MAX) {
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &large), CLSP_OK);
        assert_int_equal(clsp_patch_indices(plan, CLSP_FACES_QUADS, first, one, NULL),
                         CLSP_ERROR_ARGUMENT);
        assert_int_equal(
            clsp_patch_indices(plan, CLSP_FACES_QUADS, first, clsp_out_u32(NULL, 0), NULL),
            CLSP_ERROR_ARGUMENT);
    } else { /* no size_t counts its vertices */
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &large), CLSP_ERROR_NO_MEMORY);
    }
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(index, 9);
    assert_true(size.vertices == 9 && size.triangles == 9 && size.quads == 9);
    assert_true(size.reserved[0] == 9 && size.reserved[1] == 9);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){5, 3}, &size), CLSP_OK);
    assert_true(size.vertices == 12 && size.triangles == 0 && size.quads == 0);
    clsp_patch_plan_destroy(&plan);
    clsp_context_finish(ctx); /* the large plan's tables */
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_edges),
        cmocka_unit_test(test_collapsed_edges),
        cmocka_unit_test(test_normals_of_many),
        cmocka_unit_test(test_edges_of_parts),
        cmocka_unit_test(test_lost_normals),
        cmocka_unit_test(test_sizes_of_patches),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_faces_of_triangles),
        cmocka_unit_test(test_wrong_faces),
        cmocka_unit_test_setup_teardown(test_shared_edges, by_host, by_device),
        cmocka_unit_test_setup_teardown(test_shared_edges, by_both, by_device),
        cmocka_unit_test_setup_teardown(test_collapsed_edges, by_host, by_device),
        cmocka_unit_test_setup_teardown(test_lost_normals, by_host, by_device),
        cmocka_unit_test_setup_teardown(test_sizes_of_patches, by_host, by_device),
    };

    if (support_no_device()) return 77;
    support_stand_in();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
