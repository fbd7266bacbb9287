/* The mesh in memory, its normals and its picture. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"
#include "mesh_shape.h"
#include "normals.h"
#include "raster.h"

static void test_grids(void **state)
{
    (void)state;
    mesh m = {0};
    size_t count;
    double *points = mesh_add_grid(&m, 3, 4);
    assert_non_null(points);
    assert_ptr_equal(points, m.positions);
    assert_non_null(mesh_add_grid(&m, 3, 4));
    assert_int_equal(m.num_vertices, 24);
    assert_int_equal(m.num_faces, 2 * 2 * 3);
    assert_int_equal(m.num_corners, 4 * 12);
    const uint32_t expected[4] = {0, 4, 5, 1}, last[4] = {18, 22, 23, 19};
    assert_memory_equal(mesh_face(&m, 0, &count), expected, sizeof(expected));
    assert_int_equal(count, 4);
    assert_memory_equal(mesh_face(&m, 11, &count), last, sizeof(last));
    points = mesh_add_grid(&m, 1, 5); /* a curve: no quads */
    assert_ptr_equal(points, m.positions + 72);
    assert_int_equal(m.num_vertices, 29);
    assert_int_equal(m.num_faces, 12);
    mesh_clear(&m);
    assert_null(m.positions);
}

/* 3 samples along an edge: columns of 3, 2 and 1 points, and 4 triangles, all counterclockwise. */
static void test_triangle_grid(void **state)
{
    (void)state;
    mesh m = {0};
    size_t count;
    assert_non_null(mesh_add_triangle_grid(&m, 1));
    assert_int_equal(m.num_faces, 0);
    assert_non_null(mesh_add_triangle_grid(&m, 3));
    assert_int_equal(m.num_vertices, 1 + 6);
    assert_int_equal(m.num_faces, 4);
    const uint32_t expected[4][3] = {{1, 4, 2}, {4, 5, 2}, {2, 5, 3}, {4, 6, 5}};
    for (size_t face = 0; face < 4; face++) {
        assert_memory_equal(mesh_face(&m, face, &count), expected[face], sizeof(expected[face]));
        assert_int_equal(count, 3);
    }
    mesh_clear(&m);
}

/* The face that is expected next. */
typedef struct face_check {
    const mesh *m;
    size_t next, longest_run;
} face_check;

static bool check_run(void *user, const face_run *run)
{
    face_check *c = user;
    for (size_t face = 0; face < run->count; face++, c->next++) {
        size_t count;
        const uint32_t *corners = mesh_face(c->m, c->next, &count);
        assert_int_equal(run->corners_each, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(run->base + run->corners[face * count + i], corners[i]);
    }
    if (run->count > c->longest_run) c->longest_run = run->count;
    return true;
}

/* Faces that follow from grids are those that the mesh holds, and those of other meshes come
 * behind. */
static void test_shape(void **state)
{
    (void)state;
    mesh m = {0}, rest = {0};
    assert_non_null(mesh_add_grid(&m, 3, 2500));
    assert_non_null(mesh_add_triangle_grid(&m, 1200));
    assert_non_null(mesh_add_grid(&m, 1, 5));
    assert_non_null(mesh_add_grid(&m, 2, 2));
    assert_non_null(mesh_add_vertices(&rest, 5));
    for (uint32_t i = 0; i < 14; i++) {
        assert_true(mesh_add_corner(&rest, i % 5));
        if (i == 2 || i == 5 || i == 9 || i == 13) assert_true(mesh_end_face(&rest));
    }
    const mesh_shape shape = mesh_shape_of_grids(m.grids, m.num_grids, &rest);
    assert_true(mesh_append(&m, &rest));
    assert_int_equal(m.num_grids, 4);
    assert_non_null(mesh_add_grid(&m, 2, 2)); /* behind other vertices: a grid no more */
    assert_int_equal(m.num_grids, 4);
    const mesh_shape whole = mesh_shape_of(&m);
    face_check by_grids = {.m = &m}, by_mesh = {.m = &m};
    assert_true(mesh_shape_faces(&shape, check_run, &by_grids));
    assert_int_equal(by_grids.next, shape.num_faces);
    assert_int_equal(shape.num_faces, m.num_faces - 1);
    assert_int_equal(shape.num_vertices, m.num_vertices - 4);
    assert_int_equal(shape.num_corners, m.num_corners - 4);
    assert_true(mesh_shape_faces(&whole, check_run, &by_mesh));
    assert_int_equal(by_mesh.next, m.num_faces);
    assert_int_equal(by_mesh.longest_run, FACE_RUN_MAX);
    assert_int_equal(mesh_shape_longest_face(&whole), 4);
    mesh_clear(&rest);
    mesh_clear(&m);
}

/* Texture coordinates are the parameters of grids; what is behind them has zeros. */
static void test_texture(void **state)
{
    (void)state;
    static const float expected[][2] = {{0, 0},       {0, 0.5f}, {0, 1},    {1, 0}, {1, 0.5f},
                                        {1, 1},       {0, 0},    {0, 0.5f}, {0, 1}, {0.5f, 0},
                                        {0.5f, 0.5f}, {1, 0},    {0, 0},    {0, 0}};
    mesh m = {0};
    texture_cursor cursor = {0};
    assert_non_null(mesh_add_grid(&m, 2, 3));
    assert_non_null(mesh_add_triangle_grid(&m, 3));
    assert_non_null(mesh_add_vertices(&m, 2));
    const mesh_shape shape = mesh_shape_of(&m);
    for (size_t i = 0; i < 14; i++) {
        float texture[2];
        texture_next(&cursor, &shape, texture);
        assert_memory_equal(texture, expected[i], sizeof(texture));
    }
    mesh_clear(&m);
}

static void test_too_large(void **state)
{
    (void)state;
    mesh m = {0};
    assert_null(mesh_add_grid(&m, (size_t)1 << 20, (size_t)1 << 20));
    assert_null(mesh_add_grid(&m, SIZE_MAX, 2));
    assert_null(mesh_add_grid(&m, 2, SIZE_MAX));
    assert_null(mesh_add_triangle_grid(&m, 65536));
    assert_null(mesh_add_triangle_grid(&m, SIZE_MAX));
    assert_null(mesh_add_vertices(&m, SIZE_MAX));
    assert_null(mesh_add_vertices(&m, MESH_MAX_VERTICES + 1));
    assert_int_equal(m.num_vertices, 0);
    mesh_clear(&m);
}

/* A triangle with its corners at x = 0, 1, 0 and y = 0, 0, 1. */
static void add_triangle(mesh *m)
{
    static const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t first = (uint32_t)m->num_vertices;
    double *added = mesh_add_vertices(m, 3);
    assert_non_null(added);
    memcpy(added, corners, sizeof(corners));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(mesh_add_corner(m, first + i));
    assert_true(mesh_end_face(m));
}

static void test_append(void **state)
{
    (void)state;
    mesh m = {0}, other = {0};
    size_t count;
    assert_true(mesh_append(&m, &other));
    add_triangle(&m);
    add_triangle(&other);
    add_triangle(&other);
    assert_true(mesh_append(&m, &other));
    assert_int_equal(m.num_vertices, 9);
    assert_int_equal(m.num_faces, 3);
    assert_int_equal(mesh_face(&m, 2, &count)[0], 6);
    assert_int_equal(count, 3);
    mesh_clear(&m);
    mesh_clear(&other);
}

/* Normals come with the vertices of a mesh that has them, and go along when it is appended. */
static void test_kept_normals(void **state)
{
    (void)state;
    mesh m = {.has_normals = true}, other = {0};
    add_triangle(&m);
    assert_true(m.normals[0] == 0 && m.normals[8] == 0);
    m.normals[1] = 1;
    add_triangle(&other);
    assert_null(other.normals);
    assert_true(mesh_append(&m, &other));
    assert_true(m.normals[1] == 1 && m.normals[17] == 0);
    assert_true(mesh_compute_normals(&other));
    assert_true(other.normals[2] == 1);
    assert_true(mesh_append(&m, &other));
    assert_true(m.normals[20] == 1);
    add_triangle(&other); /* room for its normals too */
    assert_true(other.normals[2] == 1 && other.normals[11] == 0);
    mesh_clear(&m);
    mesh_clear(&other);
}

static void test_bounds(void **state)
{
    (void)state;
    mesh m = {0};
    double low[3], high[3];
    mesh_bounds(&m, low, high);
    assert_true(low[0] == 0 && high[2] == 0);
    add_triangle(&m);
    m.positions[2] = -4;
    mesh_bounds(&m, low, high);
    assert_true(low[0] == 0 && low[1] == 0 && low[2] == -4);
    assert_true(high[0] == 1 && high[1] == 1 && high[2] == 0);
    mesh_clear(&m);
}

/* A sphere as one grid, with both poles collapsed and its seam double. scale may be extreme. */
static void add_sphere(mesh *m, size_t num_u, size_t num_v, double scale)
{
    const double pi = 3.14159265358979323846;
    double *p = mesh_add_grid(m, num_u, num_v);
    assert_non_null(p);
    for (size_t a = 0; a < num_u; a++) {
        for (size_t b = 0; b < num_v; b++, p += 3) {
            double u = 2 * pi * (double)a / (double)(num_u - 1);
            double v = pi * (double)b / (double)(num_v - 1);
            double ring = b == 0 || b == num_v - 1 ? 0 : sin(v);
            p[0] = scale * ring * cos(u);
            p[1] = scale * cos(v);
            p[2] = scale * ring * sin(u);
        }
    }
}

/* On a sphere the normal is the position, up to the size of a facet. At seam and poles too. */
static void test_sphere_normals(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-30, 1e30, 1e-200, 1e300};
    for (size_t k = 0; k < sizeof(scales) / sizeof(scales[0]); k++) {
        mesh m = {0};
        add_sphere(&m, 65, 33, scales[k]);
        assert_true(mesh_compute_normals(&m));
        for (size_t i = 0; i < m.num_vertices; i++) {
            const double *n = m.normals + 3 * i, *p = m.positions + 3 * i;
            double along = 0, square = 0;
            for (int axis = 0; axis < 3; axis++) {
                along += n[axis] * (p[axis] / scales[k]);
                square += n[axis] * n[axis];
            }
            assert_true(fabs(square - 1) < 1e-12);
            assert_true(fabs(along) > 0.999);
        }
        mesh_clear(&m);
    }
}

/* The edges of a cube stay sharp though its faces share places. */
static void test_crease(void **state)
{
    (void)state;
    mesh m = {0};
    double *p = mesh_add_grid(&m, 2, 2);
    static const double corners[24] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0,
                                       0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1};
    assert_non_null(p);
    assert_non_null(mesh_add_grid(&m, 2, 2));
    memcpy(m.positions, corners, sizeof(corners));
    assert_true(mesh_compute_normals(&m));
    assert_true(fabs(m.normals[2]) == 1);
    assert_true(fabs(m.normals[12]) == 1);
    mesh_clear(&m);
}

static void test_degenerate_normals(void **state)
{
    (void)state;
    mesh m = {0};
    assert_true(mesh_compute_normals(&m)); /* empty */
    double *p = mesh_add_grid(&m, 40, 40);
    assert_non_null(p);
    for (size_t i = 0; i < 3 * m.num_vertices; i++)
        p[i] = 2.5; /* all in one place */
    assert_true(mesh_compute_normals(&m));
    for (size_t i = 0; i < m.num_vertices; i++)
        assert_true(m.normals[3 * i] == 0 && m.normals[3 * i + 2] == 1);
    mesh_clear(&m);
}

static bool render(const mesh *m, camera_up up, size_t width, size_t height, unsigned char *rgba)
{
    raster_view view = RASTER_VIEW_DEFAULT;
    view.camera.up = up;
    view.width = width;
    view.height = height;
    return raster_render(m, NULL, &view, rgba, NULL);
}

/* Draws a sphere: it covers the middle and not the corners, and is the same from run to run. */
static void draw_sphere(double scale)
{
    enum { WIDTH = 80, HEIGHT = 60 };
    mesh m = {0};
    unsigned char first[WIDTH * HEIGHT * 4], second[WIDTH * HEIGHT * 4];
    add_sphere(&m, 33, 17, scale);
    assert_true(mesh_compute_normals(&m));
    memset(first, 1, sizeof(first));
    memset(second, 2, sizeof(second));
    assert_true(render(&m, CAMERA_UP_AUTO, WIDTH, HEIGHT, first));
    assert_true(render(&m, CAMERA_UP_Y, WIDTH, HEIGHT, second));
    assert_memory_equal(first, second, sizeof(first));
    const unsigned char *middle = first + 4 * (30 * WIDTH + 40);
    assert_true(middle[0] > middle[2] + 40); /* the glaze is warm, the background grey */
    assert_true(abs(first[0] - first[2]) < 20);
    mesh_clear(&m);
}

static void test_picture(void **state)
{
    (void)state;
    draw_sphere(1);
    draw_sphere(1e-300);
    draw_sphere(1e300);
}

static int compare_colors(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int compare_counts(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The share of the mesh's pixels that have one of its three most frequent colours. */
static double share_of_three(const unsigned char *rgba, size_t pixels)
{
    uint32_t *colors = malloc(pixels * sizeof(*colors));
    size_t *counts = calloc(pixels, sizeof(*counts)), num = 0, kinds = 0;
    assert_non_null(colors);
    assert_non_null(counts);
    for (size_t i = 0; i < pixels; i++)
        if (rgba[4 * i] > rgba[4 * i + 2] + 30) /* the glaze, not the grey of the background */
            colors[num++] =
                (uint32_t)rgba[4 * i] << 16 | (uint32_t)rgba[4 * i + 1] << 8 | rgba[4 * i + 2];
    qsort(colors, num, sizeof(*colors), compare_colors);
    for (size_t i = 0; i < num; i++) {
        if (i > 0 && colors[i] != colors[i - 1]) kinds++;
        counts[kinds]++;
    }
    qsort(counts, kinds + 1, sizeof(*counts), compare_counts);
    const double share = (double)(counts[0] + counts[1] + counts[2]) / (double)num;
    free(counts);
    free(colors);
    return share;
}

/* Of a cube three sides are seen, each of one colour, although they share vertices. */
static void test_cube_picture(void **state)
{
    (void)state;
    enum { WIDTH = 200, HEIGHT = 150 };
    static const uint32_t sides[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    static unsigned char rgba[WIDTH * HEIGHT * 4];
    mesh m = {0};
    assert_non_null(mesh_add_vertices(&m, 8));
    for (size_t i = 0; i < 8; i++) {
        m.positions[3 * i] = i % 4 == 1 || i % 4 == 2;
        m.positions[3 * i + 1] = i % 4 >= 2;
        m.positions[3 * i + 2] = i >= 4;
    }
    for (int side = 0; side < 6; side++) {
        for (int i = 0; i < 4; i++)
            assert_true(
                mesh_add_corner(&m, sides[side][side == 3 ? 3 - i : i])); /* one inside out */
        assert_true(mesh_end_face(&m));
    }
    assert_true(mesh_compute_normals(&m));
    assert_true(render(&m, CAMERA_UP_Y, WIDTH, HEIGHT, rgba));
    assert_true(share_of_three(rgba, (size_t)WIDTH * HEIGHT) > 0.9);
    mesh_clear(&m);
}

/* Where the normals of a triangle turn away from the viewer, the side that is seen stays the same:
   colours change without a step. */
static void test_silhouette(void **state)
{
    (void)state;
    enum { WIDTH = 200, HEIGHT = 150 };
    static const double positions[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0};
    static const double normals[12] = {0.2, 0.5,  0.84, 0.2, 0.5,  0.84,
                                       0.5, 0.75, -0.4, 0.5, 0.75, -0.4};
    static unsigned char rgba[WIDTH * HEIGHT * 4];
    raster_view view = RASTER_VIEW_DEFAULT;
    mesh m = {.has_normals = true};
    assert_non_null(mesh_add_grid(&m, 2, 2));
    memcpy(m.positions, positions, sizeof(positions));
    memcpy(m.normals, normals, sizeof(normals));
    view.camera.up = CAMERA_UP_Y;
    view.camera.turn = view.camera.tilt = 0;
    view.width = WIDTH;
    view.height = HEIGHT;
    assert_true(raster_render(&m, NULL, &view, rgba, NULL));
    for (int x = 50; x < 150; x++)
        for (int k = 0; k < 3; k++) {
            const unsigned char *here = rgba + 4 * (HEIGHT / 2 * WIDTH + x) + k;
            assert_true(abs(here[0] - here[4]) < 12);
        }
    mesh_clear(&m);
}

/* A shadow that goes on below the picture is as dark in its last row as above. */
static void test_shadow(void **state)
{
    (void)state;
    enum { WIDTH = 480, HEIGHT = 360 };
    static const double plate[12] = {-1, 1, -1, -1, 1, 1, 1, 1, -1, 1, 1, 1};
    static unsigned char rgba[WIDTH * HEIGHT * 4];
    raster_view view = RASTER_VIEW_DEFAULT;
    mesh m = {0};
    assert_non_null(mesh_add_grid(&m, 2, 2));
    double *foot = mesh_add_grid(&m, 2, 2);
    assert_non_null(foot);
    memcpy(m.positions, plate, sizeof(plate));
    for (int i = 0; i < 12; i++)
        foot[i] = i % 3 == 0 && i > 5 ? 0.01 : 0;
    assert_true(mesh_compute_normals(&m));
    view.camera = (camera_view){.up = CAMERA_UP_Y, .tilt = 0.785, .zoom = 1};
    view.width = WIDTH;
    view.height = HEIGHT;
    view.has_background = true;
    memset(view.background, 200, sizeof(view.background));
    assert_true(raster_render(&m, NULL, &view, rgba, NULL));
    const unsigned char *last = rgba + 4 * ((HEIGHT - 1) * WIDTH + WIDTH / 4);
    const unsigned char *above = last - (ptrdiff_t)4 * 30 * WIDTH;
    assert_int_equal(rgba[0], 200);
    assert_true(100 <= above[0] && above[0] <= 160);
    assert_int_equal(last[0], above[0]);
    mesh_clear(&m);
}

/* Nothing to see, one point, or numbers that are not finite: a picture of the background. */
static void test_empty_pictures(void **state)
{
    (void)state;
    unsigned char rgba[16 * 12 * 4];
    mesh m = {0};
    assert_true(render(&m, CAMERA_UP_X, 16, 12, rgba));
    double *p = mesh_add_grid(&m, 2, 2);
    assert_non_null(p);
    for (int i = 0; i < 12; i++)
        p[i] = i % 2 ? (double)NAN : (double)INFINITY;
    assert_true(mesh_compute_normals(&m));
    assert_true(render(&m, CAMERA_UP_Z, 16, 12, rgba));
    for (int i = 0; i < 12; i++)
        p[i] = 1;
    assert_true(mesh_compute_normals(&m));
    assert_true(render(&m, CAMERA_UP_Y, 16, 12, rgba));
    mesh_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_triangle_grid),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_texture),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_kept_normals),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_sphere_normals),
        cmocka_unit_test(test_crease),
        cmocka_unit_test(test_degenerate_normals),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_cube_picture),
        cmocka_unit_test(test_silhouette),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_empty_pictures),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
