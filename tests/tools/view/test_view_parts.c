/* The parts of the viewer that need no device: picking, dragging, undoing, numbers of samples,
   meshes, copies of files. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezierview_writer.h"
#include "control_moves.h"
#include "picking.h"
#include "sample_numbers.h"
#include "saved_copy.h"
#include "temporary.h"
#include "view_mesh.h"

static const char *data_folder;

/* ---- picking ---- */

static camera make_camera(bool orthographic)
{
    double corners[] = {0, 0, 0, 4, 3, 2};
    const mesh box = {.num_vertices = 2, .positions = corners};
    const camera_view view = {
        .up = CAMERA_UP_Z, .turn = 0.5, .tilt = 0.4, .zoom = 1.5, .orthographic = orthographic};
    return camera_place(&box, &view, 800, 600);
}

static void project(const camera *c, const double point[3], double pixel[2])
{
    double x, y, w;
    camera_project(c, point, &x, &y, &w);
    pixel[0] = c->scale * x + c->shift[0];
    pixel[1] = c->scale * y + c->shift[1];
}

/* The nearest point on the picture is found, within the radius; of two at one pixel that in
   front. */
static void test_find(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        const camera c = make_camera(way);
        double points[4][3] = {{0, 0, 0}, {4, 3, 2}, {1, 2, 1}, {0, 0, 0}}, at[2], toward[2];
        for (int k = 0; k < 3; k++) /* straight before the third one */
            points[3][k] = points[2][k] + 0.01 * c.toward[k];
        for (size_t i = 0; i < 4; i++) {
            project(&c, points[i], at);
            const double near[2] = {at[0] + 3, at[1] - 4};
            assert_int_equal(picking_find(&c, points[0], 4, near, 8), i == 2 ? 3 : i);
            assert_int_equal(picking_find(&c, points[0], 4, near, 4), SIZE_MAX);
        }
        project(&c, points[0], at);
        project(&c, points[1], toward);
        assert_true(hypot(at[0] - toward[0], at[1] - toward[1]) > 100);
        assert_int_equal(picking_find(&c, points[0], 0, at, 8), SIZE_MAX);
    }
}

/* A point moved in the plane is where the pointer is; along an axis only that coordinate changes,
   and no other place on it is nearer to the pointer. */
static void test_ways(void **state)
{
    const double point[3] = {1, 2, 0.5}, pixels[2] = {37, -21};
    (void)state;
    for (int ortho = 0; ortho < 2; ortho++) {
        const camera c = make_camera(ortho);
        double way[3], from[2], to[2], moved[3];
        project(&c, point, from);
        picking_plane_way(&c, point, pixels, way);
        for (int k = 0; k < 3; k++)
            moved[k] = point[k] + way[k];
        project(&c, moved, to);
        assert_true(fabs(to[0] - from[0] - pixels[0]) < 1e-9);
        assert_true(fabs(to[1] - from[1] - pixels[1]) < 1e-9);
        for (int axis = 0; axis < 3; axis++) {
            picking_axis_way(&c, point, axis, (const double[]){3, -2}, way);
            double best = HUGE_VAL, at_best = 0;
            for (int i = -400; i <= 400; i++) {
                memcpy(moved, point, sizeof(moved));
                moved[axis] += i * 1e-4;
                project(&c, moved, to);
                const double off = hypot(to[0] - from[0] - 3, to[1] - from[1] + 2);
                if (off < best) at_best = i * 1e-4;
                best = fmin(best, off);
            }
            assert_true(fabs(way[axis] - at_best) < 3e-4);
            assert_true(way[(axis + 1) % 3] == 0 && way[(axis + 2) % 3] == 0);
        }
    }
}

/* Along an axis that points at the viewer nothing moves. */
static void test_axis_at_viewer(void **state)
{
    camera c = make_camera(true);
    double way[3];
    (void)state;
    camera_look_from(&c, CAMERA_TOP);
    picking_axis_way(&c, c.center, 2, (const double[]){50, 50}, way);
    assert_true(way[0] == 0 && way[1] == 0 && way[2] == 0);
    picking_axis_way(&c, c.center, 0, (const double[]){50, 50}, way);
    assert_true(fabs(way[0]) > 0);
}

/* ---- control points ---- */

/* Points at one place move together, rational ones keep their weights, and undoing gives back the
   same bits. */
static void test_moves(void **state)
{
    double plain[] = {0, 0, 0, 1, 1, 1, 0.1, 0.2, 0.3}, rational[] = {2, 2, 2, 2, 3, 0, 0, 3};
    double flat[] = {5, 6, 1, 1};
    const size_t bytes[] = {sizeof(plain), sizeof(rational), sizeof(flat)};
    double *const all[] = {plain, rational, flat}, before[3][9], place[3];
    const control_block blocks[] = {
        {plain, 3, 3, 3, false}, {rational, 2, 4, 3, true}, {flat, 2, 2, 2, false}};
    control_points c = {.num = 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(control_points_add(&c, &blocks[i]));
        memcpy(before[i], all[i], bytes[i]);
    }
    assert_int_equal(c.num, 7);
    control_points_get(&c, 3, place); /* 2 / 2 */
    assert_true(place[0] == 1 && place[1] == 1 && place[2] == 1);
    control_points_get(&c, 6, place);
    assert_true(place[0] == 1 && place[1] == 1 && place[2] == 0);

    assert_true(control_points_begin(&c, 1, 1e-6));
    assert_int_equal(c.moves[0].count, 2); /* (1, 1, 1) and the same one of weight 2 */
    control_points_move(&c, (const double[]){9, 9, 9});
    control_points_move(&c, (const double[]){0.5, -1, 2}); /* from the beginning */
    assert_true(plain[3] == 1.5 && plain[4] == 0 && plain[5] == 3);
    assert_true(rational[0] == 3 && rational[1] == 0 && rational[2] == 6 && rational[3] == 2);
    assert_true(control_points_begin(&c, 6, 1e-6));
    control_points_move(&c, (const double[]){1, 2, 3}); /* in a plane */
    assert_true(flat[2] == 2 && flat[3] == 3 && flat[0] == 5);
    assert_true(control_points_undo(&c) && control_points_undo(&c));
    assert_false(control_points_undo(&c));
    for (int i = 0; i < 3; i++)
        assert_memory_equal(before[i], all[i], bytes[i]);
    control_points_clear(&c);
}

/* ---- numbers of samples ---- */

static void test_nest(void **state)
{
    (void)state;
    for (uint32_t wanted = 2; wanted <= 3000; wanted++) {
        const uint32_t n = sample_numbers_nest(wanted, 0);
        assert_true(((n - 1) & (n - 2)) == 0 && n >= 2 && n <= SAMPLE_NUMBERS_MOST);
        assert_true(n >= wanted || n == SAMPLE_NUMBERS_MOST);
        assert_true(n == 2 || (n - 1) / 2 + 1 < wanted);
        assert_int_equal(sample_numbers_nest(wanted, n), n);
    }
    assert_int_equal(sample_numbers_nest(16, 33), 33); /* 15 of 32 cells: it stays */
    assert_int_equal(sample_numbers_nest(13, 33), 17); /* 12 of 32 */
    assert_int_equal(sample_numbers_nest(34, 33), 65);
    assert_int_equal(sample_numbers_nest(UINT32_MAX, 0), SAMPLE_NUMBERS_MOST);
}

static uint64_t count_cells(const void *user, const uint32_t *num)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < *(const size_t *)user; i++)
        sum += 2 * ((uint64_t)num[2 * i] - 1) * (num[2 * i + 1] - 1);
    return sum;
}

static void test_limit(void **state)
{
    uint32_t num[] = {1025, 1025, 3, 2, 17, 17}, same[6];
    const size_t patches = 3;
    (void)state;
    memcpy(same, num, sizeof(num));
    sample_numbers_limit(same, 6, 3000000, count_cells, &patches);
    assert_memory_equal(same, num, sizeof(num)); /* it fits */
    sample_numbers_limit(num, 6, 40000, count_cells, &patches);
    assert_int_equal(num[0], 129); /* 2 x 128^2 and a little */
    assert_int_equal(num[4], 17);
    assert_true(count_cells(&patches, num) <= 40000);
    sample_numbers_limit(num, 6, 1, count_cells, &patches);
    for (int i = 0; i < 6; i++)
        assert_int_equal(num[i], 2);
}

/* ---- meshes ---- */

/* A tetrahedron is closed; without a triangle, with one turned around, or with a corner that is off
   by one bit in one triangle it is not. */
static void test_open_edges(void **state)
{
    static const uint32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const float places[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    float vertices[5 * VIEW_STRIDE] = {0};
    view_mesh m = {.num_vertices = 0};
    (void)state;
    assert_true(view_mesh_make(&m, 5, 12, 0));
    memcpy(m.indices, corners, sizeof(corners));
    for (int i = 0; i < 5; i++)
        memcpy(vertices + VIEW_STRIDE * i, places[i < 4 ? i : 3], sizeof(places[0]));
    assert_int_equal(view_mesh_open_edges(&m, vertices), 0);
    m.indices[5] = 4; /* the same place as 3 */
    assert_int_equal(view_mesh_open_edges(&m, vertices), 0);
    vertices[4 * VIEW_STRIDE + 2] = nextafterf(1, 2);
    assert_int_equal(view_mesh_open_edges(&m, vertices), 4);
    m.indices[5] = 3;
    m.indices[1] = 1;
    m.indices[2] = 2;
    assert_int_equal(view_mesh_open_edges(&m, vertices), 6); /* three edges, twice each */
    m.num_indices = 9;
    assert_int_equal(view_mesh_open_edges(&m, vertices), 3 + 6 - 2);
    view_mesh_clear(&m);
}

/* ---- copies ---- */

static void test_paths(void **state)
{
    static const char *const cases[][2] = {
        {"a.bv", "a-x.png"},  {"/b.c/d", "/b.c/d-x.png"},   {"b.c/d.e.g2", "b.c/d.e-x.png"},
        {"-", "model-x.png"}, {".hidden", ".hidden-x.png"}, {"f/.hidden", "f/.hidden-x.png"}};
    char path[SAVED_COPY_PATH], longest[SAVED_COPY_PATH];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(saved_copy_path(cases[i][0], "x", "png", path));
        assert_string_equal(path, cases[i][1]);
    }
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    assert_false(saved_copy_path(longest, "x", "png", path));
}

static void assert_same_batch(const bezierview_batch *a, const bezierview_batch *b)
{
    assert_memory_equal(&a->type, &b->type, sizeof(a->type));
    assert_int_equal(a->num_patches, b->num_patches);
    assert_int_equal(a->num_reals, b->num_reals);
    assert_memory_equal(a->points, b->points, a->num_reals * sizeof(double));
    assert_int_equal(a->num_normal_reals, b->num_normal_reals);
    if (a->num_normal_reals > 0)
        assert_memory_equal(a->normals, b->normals, a->num_normal_reals * sizeof(double));
    assert_memory_equal(a->groups, b->groups, a->num_patches * sizeof(*a->groups));
}

/* What the writer of BezierView files writes is read again as it was, to the bit. */
static void assert_round_trip(const char *path)
{
    bezierview first, second;
    char copy[FILENAME_MAX];
    io_message message;
    assert_true(bezierview_load(&first, path, MESH_F64, &message));
    snprintf(copy, sizeof(copy), "%s", temporary_path("copy.bv"));
    assert_true(bezierview_write(&first, copy, &message));
    assert_true(bezierview_load(&second, copy, MESH_F64, &message));
    assert_int_equal(first.num_batches, second.num_batches);
    for (size_t i = 0; i < first.num_batches; i++)
        assert_same_batch(&first.batches[i], &second.batches[i]);
    const mesh *a = &first.polyhedra, *b = &second.polyhedra;
    assert_int_equal(a->num_vertices, b->num_vertices);
    assert_int_equal(a->num_corners, b->num_corners);
    if (a->num_vertices > 0) {
        assert_memory_equal(a->positions, b->positions, 3 * a->num_vertices * sizeof(double));
        assert_memory_equal(a->corners, b->corners, a->num_corners * sizeof(*a->corners));
    }
    bezierview_clear(&first);
    bezierview_clear(&second);
}

static void test_bezierview_writer(void **state)
{
    static const char *const names[] = {"teapot", "octahedron", "pn", "sphere"};
    static const char mixed[] = "1 4 2\n0 0 0 1 0 0 1 1 0 0.1 1 0\n3 0 1 2\n3 0 2 3\n"
                                "Group 7 a\n5 1 0\n1 2 3 4 5 6\nGroup 9 b\n5 1 0\n1 2 3 4 5 7\n"
                                "3 1\n0 0 0 1 0 0 0 1 1e-300\n";
    char path[FILENAME_MAX];
    io_message message;
    bezierview empty = {.num_batches = 0};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s.bv", data_folder, names[i]);
        assert_round_trip(path);
    }
    snprintf(path, sizeof(path), "%s", temporary_file("mixed.bv", mixed, strlen(mixed)));
    assert_round_trip(path);
    assert_false(bezierview_write(&empty, "/nowhere/a.bv", &message));
    assert_non_null(strstr(message.text, "/nowhere/a.bv"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_axis_at_viewer),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_nest),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_open_edges),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_bezierview_writer),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
}
