/* Colours, ranges, cameras and letters of pictures. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "camera.h"
#include "color.h"
#include "color_bar.h"
#include "glyphs.h"
#include "light.h"
#include "mesh.h"
#include "patch_edges.h"

/* ---- colours ---- */

static void assert_color(const unsigned char rgb[3], int red, int green, int blue)
{
    assert_int_equal(rgb[0], red);
    assert_int_equal(rgb[1], green);
    assert_int_equal(rgb[2], blue);
}

/* The published ends and middle of viridis. */
static void test_viridis(void **state)
{
    const coloring c = {.kind = COLORING_DATA, .low = -1, .high = 3};
    unsigned char rgb[3], map[COLOR_MAP_SIZE][3];
    (void)state;
    coloring_at(&c, -1, rgb);
    assert_color(rgb, 0x44, 0x01, 0x54);
    coloring_at(&c, -50, rgb);
    assert_color(rgb, 0x44, 0x01, 0x54);
    coloring_at(&c, 3, rgb);
    assert_color(rgb, 0xfd, 0xe7, 0x25);
    coloring_at(&c, INFINITY, rgb);
    assert_color(rgb, 0xfd, 0xe7, 0x25);
    coloring_at(&c, 1, rgb);
    coloring_fill(&c, map);
    assert_memory_equal(rgb, map[128], 3);
    assert_color(rgb, 0x21, 0x91, 0x8c);
}

/* Lightness (of CIE, by luminance) falls evenly from a middle that is nearly white to both ends. */
static void test_diverging(void **state)
{
    const coloring c = {.kind = COLORING_MEAN, .low = -2, .high = 2};
    unsigned char rgb[3], map[COLOR_MAP_SIZE][3];
    double before = 0;
    (void)state;
    assert_int_equal(coloring_map(&c), COLOR_MAP_DIVERGING);
    coloring_fill(&c, map);
    for (int i = 0; i < COLOR_MAP_SIZE; i++) {
        const double light = 0.2126 * (double)color_decode(map[i][0]) +
                             0.7152 * (double)color_decode(map[i][1]) +
                             0.0722 * (double)color_decode(map[i][2]);
        if (i > 0) assert_true(i <= COLOR_MAP_SIZE / 2 ? light >= before : light <= before);
        before = light;
    }
    coloring_at(&c, -2, rgb);
    assert_true(rgb[2] > rgb[0] + 60 && rgb[2] > rgb[1]);
    coloring_at(&c, 2, rgb);
    assert_true(rgb[0] > rgb[2] + 60 && rgb[0] > rgb[1]);
    coloring_at(&c, 0, rgb);
    for (int k = 0; k < 3; k++)
        assert_true(rgb[k] > 235);
}

static void test_gray(void **state)
{
    const coloring c = {.kind = COLORING_DATA, .map = COLOR_MAP_GRAY, .low = 0, .high = 255};
    unsigned char rgb[3];
    (void)state;
    coloring_at(&c, 77, rgb);
    assert_color(rgb, 77, 77, 77);
}

static void test_nan_has_a_color_of_its_own(void **state)
{
    unsigned char rgb[3], map[COLOR_MAP_SIZE][3];
    (void)state;
    for (int kind = COLORING_PLAIN; kind <= COLORING_DATA; kind++) {
        const coloring c = {.kind = (coloring_kind)kind, .low = 0, .high = 1};
        coloring_at(&c, NAN, rgb);
        assert_memory_equal(rgb, color_of_nan, 3);
    }
    for (int kind = COLOR_MAP_VIRIDIS; kind <= COLOR_MAP_GRAY; kind++) {
        coloring_fill(&(coloring){.kind = COLORING_DATA, .map = (color_map)kind, .high = 1}, map);
        for (int i = 0; i < COLOR_MAP_SIZE; i++)
            assert_memory_not_equal(map[i], color_of_nan, 3);
    }
}

/* Any two of 12 patches in a row differ by 20 in some channel at least. */
static void test_patches_are_told_apart(void **state)
{
    const coloring c = {.kind = COLORING_PATCH};
    unsigned char rgb[60][3];
    (void)state;
    for (int i = 0; i < 60; i++)
        coloring_at(&c, i, rgb[i]);
    for (int i = 0; i < 60; i++)
        for (int j = i + 1; j < 60 && j < i + 12; j++) {
            int most = 0;
            for (int k = 0; k < 3; k++)
                if (abs(rgb[i][k] - rgb[j][k]) > most) most = abs(rgb[i][k] - rgb[j][k]);
            assert_true(most >= 20);
        }
}

/* A model's own colours are what they are, and the greys tell the light of bytes. */
static void test_own_colors(void **state)
{
    const coloring c = {.kind = COLORING_OWN, .low = 3, .high = 4};
    const unsigned char expected[3] = {0x12, 0xab, 0xfe};
    unsigned char rgb[3], greys[COLOR_MAP_SIZE][3];
    (void)state;
    coloring_at(&c, 0x12abfe, rgb);
    assert_memory_equal(rgb, expected, 3);
    coloring_fill(&c, greys);
    for (int i = 0; i < COLOR_MAP_SIZE; i++)
        for (int k = 0; k < 3; k++)
            assert_int_equal(greys[i][k], i);
}

static void test_places_do_not_overflow(void **state)
{
    coloring c = {.kind = COLORING_DATA, .low = -DBL_MAX, .high = DBL_MAX};
    (void)state;
    assert_true(coloring_place(&c, 0) == 0.5);
    assert_true(coloring_place(&c, DBL_MAX) == 1);
    c.low = c.high = 7;
    assert_true(coloring_place(&c, 7) == 0.5 && coloring_place(&c, 9) == 0.5);
    c.low = 0;
    c.high = DBL_MIN;
    assert_true(isfinite((float)coloring_place(&c, DBL_MAX)));
}

static void test_bytes_survive_light(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++)
        assert_int_equal(color_encode(color_decode((unsigned char)i)), i);
    assert_int_equal(color_encode(-1), 0);
    assert_int_equal(color_encode(9), 255);
}

/* ---- ranges ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_percentiles(void **state)
{
    double values[300], sorted[300];
    uint64_t seed = 5;
    (void)state;
    for (size_t num = 1; num <= 300; num += num < 12 ? 1 : 37)
        for (int k = 0; k <= 50; k++) {
            for (size_t i = 0; i < num; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                values[i] = sorted[i] = (double)(seed >> 33) / (k % 2 ? 0x1p31 : 0x1p29 * 50);
                if (k % 2 == 0) values[i] = sorted[i] = floor(values[i] * 9); /* many alike */
            }
            qsort(sorted, num, sizeof(double), compare);
            const double share = k / 50.0;
            const size_t at = (size_t)fmax(ceil(share * (double)num) - 1, 0);
            assert_true(color_percentile(values, num, share) == sorted[at]);
        }
}

/* 98 of 100 values are within the range of curvature; what is not finite does not count. */
static void test_range_of_curvature(void **state)
{
    double values[104];
    coloring c = {.kind = COLORING_GAUSS};
    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = i % 2 ? i + 1 : -(i + 1);
    values[100] = values[101] = NAN;
    values[102] = INFINITY;
    values[103] = -INFINITY;
    assert_true(coloring_fit(&c, values, 104, 0));
    assert_true(c.high == 98 && c.low == -98);
    assert_true(coloring_fit(&c, values, 104, 500));
    assert_true(c.high == 500 && c.low == -500);
    assert_true(coloring_fit(&c, values + 100, 4, 0));
    assert_true(c.high == 1 && c.low == -1);
}

static void test_range_of_data(void **state)
{
    const double values[] = {NAN, 4, -2, INFINITY};
    coloring c = {.kind = COLORING_DATA};
    (void)state;
    assert_true(coloring_fit(&c, values, 4, 10));
    assert_true(c.low == -2 && c.high == 4);
    assert_true(coloring_fit(&c, values, 1, 0));
    assert_true(c.low == 0 && c.high == 1);
}

static void test_curvatures(void **state)
{
    const double k[2] = {3, -1};
    (void)state;
    assert_true(coloring_curvature(COLORING_MEAN, k) == 1);
    assert_true(coloring_curvature(COLORING_GAUSS, k) == -3);
}

/* ---- light ---- */

/* Both sides of a surface, and normals of any length, are alike. */
static void test_light(void **state)
{
    const float there[3] = {0.2f, -0.4f, 0.5f}, back[3] = {0.4f, -0.8f, -1};
    float a[3], b[3];
    (void)state;
    light_shade(&light_glaze, there, a);
    light_shade(&light_glaze, back, b);
    for (int k = 0; k < 3; k++)
        assert_true(fabsf(a[k] - b[k]) < 1e-6f);
}

/* ---- cameras ---- */

/* A mesh of the corners of a box. */
static mesh make_box(const double low[3], const double high[3])
{
    mesh m = {.precision = MESH_F64};
    double *p = mesh_add_vertices(&m, 8);
    assert_non_null(p);
    for (int i = 0; i < 24; i++)
        p[i] = (i / 3 >> i % 3 & 1) ? high[i % 3] : low[i % 3];
    return m;
}

static camera place(const camera_view *view)
{
    mesh m = make_box((const double[]){-1, -1, -1}, (const double[]){3, 1, 1});
    const camera c = camera_place(&m, view, 400, 300);
    mesh_clear(&m);
    return c;
}

static void assert_vector(const double v[3], double x, double y, double z)
{
    assert_true(fabs(v[0] - x) < 1e-14 && fabs(v[1] - y) < 1e-14 && fabs(v[2] - z) < 1e-14);
}

static void test_sides(void **state)
{
    static const double toward[6][3] = {{0, 0, 1}, {0, 0, -1}, {-1, 0, 0},
                                        {1, 0, 0}, {0, 1, 0},  {0, -1, 0}};
    static const double up[6][3] = {{0, 1, 0}, {0, 1, 0},  {0, 1, 0},
                                    {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    const camera_view view = CAMERA_VIEW_DEFAULT;
    (void)state;
    for (int side = CAMERA_FRONT; side <= CAMERA_BOTTOM; side++) {
        camera c = place(&view);
        camera_look_from(&c, (camera_side)side);
        assert_vector(c.toward, toward[side][0], toward[side][1], toward[side][2]);
        assert_vector(c.up, up[side][0], up[side][1], up[side][2]);
    }
}

/* Each axis that points up does so in the picture, and right, up and toward stay right-handed. */
static void test_up(void **state)
{
    (void)state;
    for (int up = CAMERA_UP_X; up <= CAMERA_UP_MINUS_Z; up++) {
        const camera_view view = {.up = (camera_up)up, .turn = 1, .tilt = 0.3, .zoom = 1};
        const camera c = place(&view);
        const int axis = (up - CAMERA_UP_X) % 3;
        const double sign = up >= CAMERA_UP_MINUS_X ? -1 : 1;
        assert_true(fabs(sign * c.up[axis] - cos(0.3)) < 1e-15);
        assert_true(fabs(c.right[axis]) < 1e-15);
        assert_true(c.ground == (sign > 0 || axis > 0 ? -sign : 3));
        for (int k = 0; k < 3; k++)
            assert_true(fabs(c.right[(k + 1) % 3] * c.up[(k + 2) % 3] -
                             c.right[(k + 2) % 3] * c.up[(k + 1) % 3] - c.toward[k]) < 1e-15);
    }
}

/* A direction that points up is in the picture's middle upright; one along an axis is that axis;
   near an axis the camera is nearly the axis's; and all stands on the ground. */
static void test_slanted_up(void **state)
{
    const double ups[][3] = {
        {1, 2, 3}, {-3e200, 1e200, 2e200}, {1e-9, 1, 0}, {0, -2, 0}, {0, 0, 7}};
    (void)state;
    for (size_t i = 0; i < sizeof(ups) / sizeof(ups[0]); i++) {
        camera_view view = {.has_up = true, .turn = 1, .tilt = 0.3, .zoom = 1};
        memcpy(view.up_along, ups[i], sizeof(view.up_along));
        const camera c = place(&view);
        double length = hypot(hypot(ups[i][0], ups[i][1]), ups[i][2]), up = 0, right = 0;
        for (int k = 0; k < 3; k++) {
            up += c.up[k] * (ups[i][k] / length);
            right += c.right[k] * (ups[i][k] / length);
            assert_true(fabs(c.right[(k + 1) % 3] * c.up[(k + 2) % 3] -
                             c.right[(k + 2) % 3] * c.up[(k + 1) % 3] - c.toward[k]) < 1e-15);
        }
        assert_true(fabs(up - cos(0.3)) < 1e-15 && fabs(right) < 1e-15);
        double flat[3] = {c.center[0], c.center[1], c.center[2]}, moved[3];
        camera_flatten(&c, flat);
        for (int k = 0; k < 3; k++)
            moved[k] = c.center[k] - flat[k]; /* straight up */
        assert_true(fabs(hypot(hypot(moved[0], moved[1]), moved[2]) -
                         (moved[0] * c.vertical[0] + moved[1] * c.vertical[1] +
                          moved[2] * c.vertical[2])) < 1e-13);
        camera_flatten(&c, moved);
        view.up = i == 2 ? CAMERA_UP_Y : i == 3 ? CAMERA_UP_MINUS_Y : CAMERA_UP_Z;
        view.has_up = false;
        const camera axis = place(&view);
        for (int k = 0; i >= 2 && k < 3; k++)
            assert_true(fabs(axis.up[k] - c.up[k]) < 2e-9 &&
                        fabs(axis.toward[k] - c.toward[k]) < 2e-9);
        if (i >= 3)
            assert_true(c.up_axis == axis.up_axis && c.ground == axis.ground &&
                        c.scale == axis.scale && c.shift[0] == axis.shift[0]);
    }
}

static void test_direction(void **state)
{
    camera_view view = {.zoom = 1, .has_direction = true, .direction = {-3, -12, -4}};
    camera c = place(&view);
    (void)state;
    assert_vector(c.toward, 3 / 13.0, 12 / 13.0, 4 / 13.0);
    assert_true(c.up[1] > 0 && fabs(c.right[1]) < 1e-15);
    memcpy(view.direction, (const double[]){0, -2, 0}, sizeof(view.direction));
    c = place(&view);
    assert_vector(c.toward, 0, 1, 0);
    memcpy(view.direction, (const double[]){0, 0, 0}, sizeof(view.direction));
    c = place(&view);
    assert_vector(c.toward, 0, 0, 1);
}

static void find_on_picture(const camera *c, const double p[3], double at[2])
{
    double w;
    camera_project(c, p, &at[0], &at[1], &w);
    for (int k = 0; k < 2; k++)
        at[k] = c->scale * at[k] + c->shift[k];
}

/* A point in front of the middle of a box of half diagonal 3^(1/2): seen from the front it is at
   (x, -y) / (5 - z), without perspective at (x, -y) / 5. */
static void test_projection_by_hand(void **state)
{
    mesh m = make_box((const double[]){9, 19, 29}, (const double[]){11, 21, 31});
    camera_view view = {.zoom = 1};
    const double unit = sqrt(3), p[3] = {10 + unit / 2, 20 - unit / 4, 30 + unit};
    double x, y, w;
    (void)state;
    camera c = camera_place(&m, &view, 400, 300);
    camera_project(&c, p, &x, &y, &w);
    assert_true(fabs(x - 0.125) < 1e-14 && fabs(y - 0.0625) < 1e-14 && fabs(w - 0.25) < 1e-14);
    view.orthographic = true;
    c = camera_place(&m, &view, 400, 300);
    camera_project(&c, p, &x, &y, &w);
    assert_true(fabs(x - 0.1) < 1e-14 && fabs(y - 0.05) < 1e-14 && fabs(w - 0.24) < 1e-14);
    /* without perspective the box fills 0.84 of the height, and a pixel is 2 / 252 everywhere */
    assert_true(fabs(camera_pixel_length(&c, 0) - 2 / 252.0) < 1e-14);
    mesh_clear(&m);
}

static void assert_same_place(const camera *c, const double p[3], const double origin[3])
{
    float view[16], projection[16], eye[4], clip[4];
    double at[2];
    camera_view_matrix(c, origin, view);
    camera_projection_matrix(c, projection);
    for (int row = 0; row < 4; row++) {
        eye[row] = view[12 + row];
        for (int k = 0; k < 3; k++)
            eye[row] += view[4 * k + row] * (float)(p[k] - (origin ? origin[k] : 0));
    }
    for (int row = 0; row < 4; row++) {
        clip[row] = 0;
        for (int k = 0; k < 4; k++)
            clip[row] += projection[4 * k + row] * eye[k];
    }
    find_on_picture(c, p, at);
    /* some 20 roundings of floats of a picture's size */
    assert_true(fabs((double)(1 + clip[0] / clip[3]) / 2 * c->width - at[0]) < 1e-3);
    assert_true(fabs((double)(1 - clip[1] / clip[3]) / 2 * c->height - at[1]) < 1e-3);
    assert_true(fabsf(clip[2]) < clip[3]);
}

/* The matrices put points where the rasteriser does, with and without perspective, panned and
   zoomed. */
static void test_matrices(void **state)
{
    static const double points[4][3] = {{-1, -1, -1}, {3, 1, 1}, {0.3, -0.2, 0.9}, {2.5, 1, -1}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        camera_view view = CAMERA_VIEW_DEFAULT;
        view.orthographic = i % 2 == 1;
        camera c = place(&view);
        if (i >= 2) {
            camera_orbit(&c, 0.4, -1);
            camera_zoom(&c, 1.7, 100, 50);
            camera_pan(&c, -30, 12);
        }
        for (int k = 0; k < 4; k++) {
            assert_same_place(&c, points[k], NULL);
            assert_same_place(&c, points[k], c.center);
        }
    }
}

/* Orbiting leaves the center where it is on the picture, at the same distance, and never tips over.
 */
static void test_orbit(void **state)
{
    const camera_view view = CAMERA_VIEW_DEFAULT;
    camera c = place(&view);
    double before[2], after[2], w, x, y;
    (void)state;
    find_on_picture(&c, c.center, before);
    for (int i = 0; i < 50; i++) {
        camera_orbit(&c, 0.3, 0.11);
        find_on_picture(&c, c.center, after);
        camera_project(&c, c.center, &x, &y, &w);
        assert_true(before[0] == after[0] && before[1] == after[1]);
        assert_true(fabs(w - 1 / CAMERA_DISTANCE) < 1e-15);
        assert_true(c.up[1] > -1e-15 && fabs(c.right[1]) < 1e-15);
    }
    assert_vector(c.toward, 0, 1, 0);
}

static void test_zoom_and_pan(void **state)
{
    const camera_view view = CAMERA_VIEW_DEFAULT;
    const double p[3] = {1, 0.5, -0.5};
    camera c = place(&view);
    double before[2], after[2];
    (void)state;
    find_on_picture(&c, p, before);
    camera_zoom(&c, 3, before[0], before[1]);
    find_on_picture(&c, p, after);
    assert_true(fabs(before[0] - after[0]) < 1e-10 && fabs(before[1] - after[1]) < 1e-10);
    camera_pan(&c, 7, -4);
    find_on_picture(&c, p, after);
    assert_true(fabs(before[0] + 7 - after[0]) < 1e-10 && fabs(before[1] - 4 - after[1]) < 1e-10);
    c = place(&view);
    camera_resize(&c, 800, 600);
    find_on_picture(&c, p, after);
    assert_true(fabs(2 * before[0] - after[0]) < 1e-10 && fabs(2 * before[1] - after[1]) < 1e-10);
    camera_resize(&c, 700, 300);
    find_on_picture(&c, p, after);
    assert_true(fabs(before[0] + 150 - after[0]) < 1e-10 && fabs(before[1] - after[1]) < 1e-10);
}

/* ---- letters ---- */

static const unsigned char ink[3] = {10, 20, 30};

static size_t count_inked(const rgba_image *image)
{
    size_t num = 0;
    for (size_t i = 0; i < image->width * image->height; i++)
        if (image->pixels[4 * i + 3] == 255) num++;
    return num;
}

/* All letters have a bitmap of their own but the blank, and within their box. */
static void test_letters_differ(void **state)
{
    (void)state;
    for (char a = ' '; a < 127; a++) {
        unsigned all = 0;
        for (int row = 0; row < GLYPH_HEIGHT; row++)
            all |= glyph_row(a, row);
        assert_true(all < 1u << GLYPH_WIDTH && (all > 0) == (a != ' '));
        for (char b = ' '; b < a; b++) {
            bool same = true;
            for (int row = 0; same && row < GLYPH_HEIGHT; row++)
                same = glyph_row(a, row) == glyph_row(b, row);
            assert_false(same);
        }
    }
    assert_int_equal(glyph_row('\t', 0), glyph_row('?', 0));
    assert_int_equal(glyph_row((char)200, 0), glyph_row('?', 0));
}

static void test_text(void **state)
{
    unsigned char pixels[40 * 48 * 4] = {0};
    const rgba_image image = {pixels, 40, 48};
    (void)state;
    assert_int_equal(glyphs_width("ab", 2), 22);
    assert_int_equal(glyphs_width("", 2), 0);
    glyphs_draw(&image, 4, 6, 2, "|\n|", ink);
    assert_int_equal(count_inked(&image), 2 * 8 * 4); /* two lines of 8 pixels of 2 x 2 */
    for (size_t i = 0; i < 40 * 48; i++)
        if (pixels[4 * i + 3]) assert_memory_equal(pixels + 4 * i, ink, 3);
    assert_int_equal(pixels[4 * (6 * 40 + 4 + 4) + 3], 255);
    assert_int_equal(pixels[4 * ((6 + 22) * 40 + 4 + 4) + 3], 255);
}

/* What is outside of an image is left out. */
static void test_text_outside(void **state)
{
    unsigned char *pixels = calloc(8 * 8, 4); /* found by sanitisers */
    const rgba_image image = {pixels, 8, 8};
    (void)state;
    assert_non_null(pixels);
    for (long x = -70; x < 20; x += 3)
        for (long y = -40; y < 20; y += 3)
            glyphs_draw(&image, x, y, 3, "W#\n@", ink);
    assert_true(count_inked(&image) > 0);
    free(pixels);
}

/* The bar has its map's ends, and stays within its part of the picture. */
static void test_bar(void **state)
{
    enum { WIDE = 300, TALL = 200 };
    unsigned char *pixels = calloc(WIDE * TALL, 4);
    const rgba_image image = {pixels, WIDE, TALL};
    const coloring c = {.kind = COLORING_DATA, .low = 0, .high = 1};
    const size_t left = WIDE - color_bar_width(WIDE, TALL);
    const size_t x = left + GLYPH_ADVANCE + 2;
    unsigned char rgb[3];
    (void)state;
    assert_non_null(pixels);
    color_bar_draw(&image, &c, "a title that is too long");
    for (size_t i = 0; i < WIDE * TALL; i++)
        if (i % WIDE < left) assert_int_equal(pixels[4 * i + 3], 0);
    coloring_at_place(&c, 0.995, rgb); /* in the middle of the first of 100 rows */
    assert_memory_equal(pixels + 4 * (TALL / 4 * WIDE + x), rgb, 3);
    coloring_at_place(&c, 0.005, rgb);
    assert_memory_equal(pixels + 4 * ((TALL * 3 / 4 - 1) * WIDE + x), rgb, 3);
    memset(pixels, 0, (size_t)4 * WIDE * TALL);
    for (coloring_kind kind = COLORING_PLAIN; kind <= COLORING_OWN; kind++)
        if (!coloring_has_values(kind)) color_bar_draw(&image, &(coloring){.kind = kind}, "t");
    for (size_t i = 0; i < (size_t)4 * WIDE * TALL; i++)
        assert_int_equal(pixels[i], 0);
    for (size_t side = 1; side < 40; side++)
        color_bar_draw(&(rgba_image){pixels, side, 40 - side}, &c, "t");
    free(pixels);
}

/* ---- edges ---- */

/* Pieces of triangles have lines where a side has no neighbour, other faces all around. */
static void test_piece_edges(void **state)
{
    static const uint32_t corners[] = {0, 1, 2, 2, 1, 3, 4, 5, 6};
    mesh m = {.precision = MESH_F64};
    size_t num;
    (void)state;
    assert_non_null(mesh_add_vertices(&m, 7));
    for (size_t i = 0; i < 9; i++)
        assert_true(mesh_add_corner(&m, corners[i]) && (i % 3 < 2 || mesh_end_face(&m)));
    uint32_t *edges = patch_edges(&m, &num);
    assert_non_null(edges);
    assert_int_equal(num, 9);
    free(edges);
    m.is_pieced = true;
    edges = patch_edges(&m, &num);
    assert_non_null(edges);
    assert_int_equal(num, 7);
    for (size_t i = 0; i < num; i++)
        assert_int_not_equal(edges[2 * i] * edges[2 * i + 1], 2); /* 1 and 2 */
    free(edges);
    mesh_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_viridis),
        cmocka_unit_test(test_diverging),
        cmocka_unit_test(test_gray),
        cmocka_unit_test(test_nan_has_a_color_of_its_own),
        cmocka_unit_test(test_patches_are_told_apart),
        cmocka_unit_test(test_own_colors),
        cmocka_unit_test(test_places_do_not_overflow),
        cmocka_unit_test(test_bytes_survive_light),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_range_of_curvature),
        cmocka_unit_test(test_range_of_data),
        cmocka_unit_test(test_curvatures),
        cmocka_unit_test(test_light),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_up),
        cmocka_unit_test(test_slanted_up),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_projection_by_hand),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_orbit),
        cmocka_unit_test(test_zoom_and_pan),
        cmocka_unit_test(test_letters_differ),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_outside),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_piece_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
