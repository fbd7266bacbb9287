/* Pictures of painted meshes: colours of values, lines, points, cuts, transparency. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "color_bar.h"
#include "light.h"
#include "normals.h"
#include "raster.h"

enum { WIDE = 120, TALL = 90 };

static unsigned char rgba[WIDE * TALL * 4];

static raster_view front_view(void)
{
    return (raster_view){.camera = {.up = CAMERA_UP_Y, .zoom = 1, .orthographic = true},
                         .width = WIDE,
                         .height = TALL,
                         .no_background = true};
}

static void draw(const mesh *m, const raster_paint *paint, const raster_view *view)
{
    memset(rgba, 7, sizeof(rgba));
    assert_true(raster_render(m, paint, view, rgba, NULL));
}

static const unsigned char *pixel(size_t x, size_t y)
{
    return rgba + 4 * (y * WIDE + x);
}

/* A square of num x num vertices, -1 to 1 in x and y, seen from z; its normal is z. */
static mesh make_square(size_t num)
{
    mesh m = {.has_normals = true};
    double *p = mesh_add_grid(&m, num, num);
    assert_non_null(p);
    for (size_t i = 0; i < num * num; i++) {
        p[3 * i] = 2.0 * (double)(i / num) / (double)(num - 1) - 1;
        p[3 * i + 1] = 2.0 * (double)(i % num) / (double)(num - 1) - 1;
        p[3 * i + 2] = 0;
        m.normals[3 * i + 2] = 1;
    }
    return m;
}

/* The sides of the box from -1 to 1, outward, each with vertices of its own. */
static mesh make_box(void)
{
    static const int corners[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    mesh m = {.precision = MESH_F64};
    for (int side = 0; side < 6; side++) {
        double *p = mesh_add_vertices(&m, 4);
        assert_non_null(p);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++)
                p[3 * i + k] = corners[side][i] >> k & 1 ? 1 : -1;
            assert_true(mesh_add_corner(&m, (uint32_t)(4 * side + i)));
        }
        assert_true(mesh_end_face(&m));
    }
    assert_true(mesh_compute_normals(&m));
    return m;
}

/* What a lit surface of a colour looks like that faces the viewer. */
static void lit(const unsigned char color[3], unsigned char seen[3])
{
    light_surface surface = {.shine = LIGHT_COLORED_SHINE};
    const float normal[3] = {0, 0, 1};
    float linear[3];
    for (int k = 0; k < 3; k++)
        surface.color[k] = color_decode(color[k]);
    light_shade(&surface, normal, linear);
    for (int k = 0; k < 3; k++)
        seen[k] = color_encode(linear[k]);
}

static void assert_seen(size_t x, size_t y, const unsigned char color[3], int most)
{
    unsigned char seen[3];
    lit(color, seen);
    for (int k = 0; k < 3; k++)
        assert_true(abs(pixel(x, y)[k] - seen[k]) <= most);
    assert_int_equal(pixel(x, y)[3], 255);
}

/* Values of vertices are coloured between them: the middle of the square has the middle value. */
static void test_values(void **state)
{
    mesh m = make_square(2);
    const double values[4] = {0, 0, 1, 1};
    const raster_view view = front_view();
    raster_paint paint = {.colors = {.kind = COLORING_DATA, .low = 0, .high = 1}, .values = values};
    unsigned char color[3];
    (void)state;
    draw(&m, &paint, &view);
    for (int k = 1; k < 4; k++) { /* the square is 0.84 x 90 = 75.6 pixels wide */
        const double x = 60 + 75.6 * (k / 4.0 - 0.5);
        coloring_at(&paint.colors, (floor(x) + 0.5 - 60) / 75.6 + 0.5, color);
        assert_seen((size_t)x, 45, color, 2);
    }
    mesh_clear(&m);
}

static void test_nan(void **state)
{
    mesh m = make_square(2);
    const double values[4] = {0, 0, NAN, 1};
    const raster_view view = front_view();
    const raster_paint paint = {.colors = {.kind = COLORING_MEAN, .low = 0, .high = 1},
                                .values = values};
    (void)state;
    draw(&m, &paint, &view);
    assert_seen(90, 60, color_of_nan, 1);
    mesh_clear(&m);
}

static void test_values_of_faces(void **state)
{
    mesh m = make_square(3);
    const double values[4] = {0, 1, 2, 3}; /* u from left to right, v upward */
    const raster_view view = front_view();
    raster_paint paint = {.colors = {.kind = COLORING_PATCH}, .values = values, .of_faces = true};
    unsigned char color[3];
    (void)state;
    draw(&m, &paint, &view);
    for (int face = 0; face < 4; face++) {
        coloring_at(&paint.colors, face, color);
        assert_seen(face / 2 ? 80 : 40, face % 2 ? 25 : 65, color, 1);
    }
    mesh_clear(&m);
}

/* A mesh's own colours are seen as they are, all over a face. */
static void test_own_colors(void **state)
{
    static const unsigned char shown[][3] = {{255, 0, 0}, {1, 255, 255}, {0x7f, 0x80, 1}};
    const raster_paint paint = {.colors = {.kind = COLORING_OWN}};
    const raster_view view = front_view();
    mesh m = make_square(2);
    (void)state;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        unsigned char colors[4][3];
        for (size_t k = 0; k < 4; k++)
            memcpy(colors[k], shown[i], 3);
        m.colors = colors[0];
        draw(&m, &paint, &view);
        for (size_t y = 10; y < 80; y++)
            for (size_t x = 25; x < 95; x++)
                assert_seen(x, y, shown[i], 0);
    }
    m.colors = NULL;
    mesh_clear(&m);
}

/* Without a background what is not covered is clear, and what is half covered half so. */
static void test_no_background(void **state)
{
    mesh m = make_square(2);
    const raster_view view = front_view();
    (void)state;
    draw(&m, NULL, &view);
    assert_int_equal(pixel(2, 2)[3], 0);
    assert_int_equal(pixel(60, 45)[3], 255);
    size_t partly = 0;
    for (size_t i = 0; i < WIDE * TALL; i++)
        partly += rgba[4 * i + 3] > 0 && rgba[4 * i + 3] < 255;
    assert_true(partly > 100 && partly < 400); /* the edge of a square of 76 pixels */
    mesh_clear(&m);
}

/* Lines are dark and where they are asked for. */
static void test_edges(void **state)
{
    mesh m = make_square(3);
    const uint32_t edges[2] = {1, 7}; /* from left to right through the middle */
    const raster_view view = front_view();
    const raster_paint paint = {.edges = edges, .num_edges = 1};
    (void)state;
    draw(&m, &paint, &view);
    for (size_t x = 25; x < 95; x++) {
        assert_true(pixel(x, 44)[0] + pixel(x, 45)[0] < 260);
        assert_true(pixel(x, 40)[0] > 150 && pixel(x, 50)[0] > 150);
    }
    mesh_clear(&m);
}

/* A point is drawn where the camera projects it to, in the colour of its value; before it, nothing
   is coloured. */
static void test_points(void **state)
{
    mesh m = make_square(2);
    double *p = mesh_add_vertices(&m, 1);
    const double value = 3;
    raster_view view = front_view();
    const raster_paint paint = {.colors = {.kind = COLORING_DATA, .low = 3, .high = 4},
                                .values = &value,
                                .first_point = 4,
                                .has_points = true};
    unsigned char color[3];
    double x, y, w;
    (void)state;
    assert_non_null(p);
    memcpy(p, (const double[3]){0.5, 0.25, 0.1}, 3 * sizeof(double));
    view.camera.orthographic = false;
    const camera c = raster_camera(&m, &view, 1);
    camera_project(&c, p, &x, &y, &w);
    x = c.scale * x + c.shift[0];
    y = c.scale * y + c.shift[1];
    draw(&m, &paint, &view);
    coloring_at(&paint.colors, 3, color);
    assert_seen((size_t)x, (size_t)y, color, 40); /* round, and dark from what is around */
    assert_true(pixel((size_t)x, (size_t)y)[2] > pixel((size_t)x, (size_t)y)[1] + 30);
    const unsigned char *beside = pixel((size_t)x - 9, (size_t)y);
    assert_true(beside[0] < beside[2] + 10 && beside[2] < beside[0] + 10); /* grey */
    mesh_clear(&m);
}

/* The bar takes the right of the picture, and the mesh is drawn beside it. */
static void test_bar(void **state)
{
    mesh m = make_square(2);
    const double values[4] = {0, 0, 1, 1};
    raster_view view = front_view();
    const raster_paint paint = {
        .colors = {.kind = COLORING_DATA, .low = 0, .high = 1}, .values = values, .title = "x"};
    const size_t left = WIDE - color_bar_width(WIDE, TALL);
    (void)state;
    view.bar = true;
    draw(&m, &paint, &view);
    assert_int_equal(pixel(left / 2, TALL / 2)[3], 255);
    for (size_t y = 0; y < TALL; y++)
        assert_int_equal(pixel(left, y)[3], 0);
    assert_int_equal(pixel(left + GLYPH_ADVANCE + 1, TALL / 2)[3], 255);
    mesh_clear(&m);
}

/* A box that is cut at z = 0.5, seen from z: without a section the plane has one colour, with one
   its values, on the whole square, and nowhere else. */
static void test_cut(void **state)
{
    const double values[4] = {0, 1, NAN, 0.5}; /* the upper row first */
    const raster_section section = {.across = {0, 1},
                                    .low = {-1, -1},
                                    .pixel = 1,
                                    .rows = 2,
                                    .columns = 2,
                                    .values = values,
                                    .is_stepped = true};
    raster_cut cut = {.axis = 2, .height = 0.5};
    raster_paint paint = {.colors = {.kind = COLORING_DATA, .low = 0, .high = 1}, .cut = &cut};
    const double none[24] = {0};
    mesh m = make_box();
    const raster_view view = front_view();
    unsigned char color[3];
    (void)state;
    draw(&m, NULL, &view);
    const int whole = pixel(60, 45)[2];
    draw(&m, &paint, &view);
    assert_true(pixel(60, 45)[2] > whole + 40); /* paler than the glaze */
    cut.section = &section;
    paint.values = none;
    draw(&m, &paint, &view);
    coloring_at(&paint.colors, 0, color);
    assert_seen(30, 15, color, 1);
    coloring_at(&paint.colors, 1, color);
    assert_seen(90, 15, color, 1);
    coloring_at(&paint.colors, 0.5, color);
    assert_seen(90, 75, color, 1);
    assert_int_equal(pixel(15, 45)[3], 0);
    cut.height = 2; /* nothing is above it */
    draw(&m, &paint, &view);
    coloring_at(&paint.colors, 0, color);
    assert_seen(90, 75, color, 1);
    cut.height = -2; /* all is */
    draw(&m, &paint, &view);
    assert_int_equal(pixel(60, 45)[3], 0);
    mesh_clear(&m);
}

/* What a cut leaves is seen from each side, with perspective: half a box, whose face is flat and
   closed. Its silhouette is that of a box that ends there. */
static void test_cut_from_all_sides(void **state)
{
    (void)state;
    for (uint32_t axis = 0; axis < 3; axis++)
        for (int turn = 0; turn < 8; turn++) {
            const raster_cut cut = {.axis = axis, .height = 0};
            const raster_paint paint = {.cut = &cut};
            mesh m = make_box();
            raster_view view = front_view();
            static unsigned char half[WIDE * TALL];
            view.camera = (camera_view){.up = CAMERA_UP_Y, .zoom = 0.8, .tilt = 0.5};
            view.camera.turn = 0.3 + 0.8 * turn;
            draw(&m, &paint, &view);
            for (size_t i = 0; i < WIDE * TALL; i++)
                half[i] = rgba[4 * i + 3];
            /* the same camera, and a box that is pressed: its frame stays by vertices of no face */
            const camera c = raster_camera(&m, &view, 1);
            const double side = c.toward[axis] > 0 ? 1 : -1;
            double *frame = mesh_add_vertices(&m, 24);
            assert_non_null(frame);
            memcpy(frame, m.positions, 24 * 3 * sizeof(double));
            for (size_t i = 0; i < 24; i++)
                if (m.positions[3 * i + axis] == side) m.positions[3 * i + axis] = 0;
            draw(&m, NULL, &view);
            size_t unlike = 0;
            for (size_t i = 0; i < WIDE * TALL; i++)
                unlike += half[i] != rgba[4 * i + 3];
            assert_true(unlike <= 4); /* samples at an edge, by rounding */
            mesh_clear(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_values_of_faces),
        cmocka_unit_test(test_own_colors),
        cmocka_unit_test(test_no_background),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_from_all_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
