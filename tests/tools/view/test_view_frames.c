/* Quick frames, which are lit at vertices and hold light, show what fine ones show; and drags that
   they follow. Needs a device and EGL with OpenGL: 77 without. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "quick_frame.h"
#include "session.h"
#include "view_screen.h"

enum { WIDTH = 320, HEIGHT = 240, BYTES = 4 * WIDTH * HEIGHT };

static const char *data_folder;

static void draw(stage *s, const gl_frame *f)
{
    assert_true(stage_update(s, true));
    assert_true(stage_draw(s, f, SIZE_MAX));
    assert_true(stage_draw_text(s, f, "text", true));
}

/* Draws a fine frame without samples and a quick one, and reads both. */
static void draw_both(stage *s, unsigned char *fine, unsigned char *quick)
{
    gl_frame f, shown;
    quick_frame q;
    io_message message;
    assert_true(gl_frame_open(&f, WIDTH, HEIGHT, 1, &message));
    draw(s, &f);
    gl_frame_read(&f, fine);
    assert_true(gl_frame_open(&shown, WIDTH, HEIGHT, 1, &message));
    assert_true(quick_frame_open(&q, WIDTH, HEIGHT, &message));
    draw(s, &q.frame);
    quick_frame_show(&q, shown.drawn);
    gl_frame_read(&shown, quick);
    assert_int_equal(gl.GetError(), GL_NO_ERROR);
    quick_frame_close(&q);
    gl_frame_close(&shown);
    gl_frame_close(&f);
}

/* The share of pixels of which a channel differs by more than `far`. */
static double share_away(const unsigned char *a, const unsigned char *b, int far)
{
    size_t away = 0;
    for (size_t i = 0; i < BYTES; i += 4) {
        bool differs = false;
        for (size_t k = 0; k < 4; k++)
            differs = differs || abs(a[i + k] - b[i + k]) > far;
        away += differs;
    }
    return (double)away / (WIDTH * HEIGHT);
}

/* A file in a style: at most 1 in 100 pixels are away by more than 12, those of highlights and
   along silhouettes. */
static void check(const char *name, view_request r)
{
    static unsigned char fine[BYTES], quick[BYTES];
    char path[FILENAME_MAX];
    const char *inputs[1] = {path};
    stage s;
    snprintf(path, sizeof(path), "%s/%s", data_folder, name);
    r.picture.view.camera = (camera_view)CAMERA_VIEW_DEFAULT;
    r.crease_angle = -1;
    r.base = (request){.inputs = inputs, .num_inputs = 1, .quiet = true};
    assert_true(stage_open(&s, &r));
    assert_true(stage_begin(&s, &(clsp_graphics_context){.gl_context = NULL}, WIDTH, HEIGHT));
    draw_both(&s, fine, quick);
    const double away = share_away(fine, quick, 12);
    if (away > 0.01) fail_msg("%s: %.2f %% of the pixels differ", name, 100 * away);
    stage_close(&s);
}

static void test_plain(void **state)
{
    (void)state;
    check("teapot.bv", (view_request){.controls = true});
    check("teapot.bv", (view_request){.picture.edges = true, .wireframe = true, .samples = 9});
}

static void test_colors(void **state)
{
    char far_points[FILENAME_MAX];
    (void)state;
    snprintf(far_points, sizeof(far_points), "%s/points.csv", data_folder);
    check("vase.json", (view_request){.picture.colors = COLORING_MEAN, .picture.view.bar = true});
    check("teapot.bv", (view_request){.picture.colors = COLORING_PATCH});
    check("teapot.bv", (view_request){.picture.colors = COLORING_DISTANCE,
                                      .picture.distance_to = far_points,
                                      .picture.view.bar = true});
    check("pn.bv", (view_request){.zebra = true});
    check("block.json", (view_request){.picture.own_colors = true});
}

/* The control point of a solid that is under the pointer is held, moves with it, and the vertices
   follow; a touch is no move. */
static void test_solid_drag(void **state)
{
    char path[FILENAME_MAX];
    const char *inputs[1] = {path};
    view_request r = {.controls = true, .samples = 3, .crease_angle = -1};
    session s;
    double place[3], x, y, w;
    (void)state;
    snprintf(path, sizeof(path), "%s/rod.vtk", data_folder);
    r.picture.view.camera = (camera_view)CAMERA_VIEW_DEFAULT;
    r.base = (request){.inputs = inputs, .num_inputs = 1, .quiet = true};
    assert_true(session_open(&s, &r));
    assert_true(session_begin(&s, &(clsp_graphics_context){.gl_context = NULL}, WIDTH, HEIGHT));
    const control_points *c = &s.stage.model->controls;
    assert_true(stage_update(&s.stage, false));
    control_points_get(c, 0, place);
    camera_project(&s.stage.view, place, &x, &y, &w);
    x = s.stage.view.scale * x + s.stage.view.shift[0];
    y = s.stage.view.scale * y + s.stage.view.shift[1];
    assert_true(session_grab(&s, x, y));
    session_drop(&s);
    assert_int_equal(c->num_moves, 0);
    assert_true(session_grab(&s, x, y));
    control_points_get(c, s.chosen, place);
    const size_t bytes = s.stage.scene.vertices.bytes;
    unsigned char *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, s.stage.scene.vertices.host, bytes);
    session_drag(&s, x + 20, y - 10, -1);
    assert_true(stage_update(&s.stage, true));
    assert_true(memcmp(before, s.stage.scene.vertices.host, bytes) != 0);
    session_drop(&s);
    assert_int_equal(c->num_moves, 1);
    session_undo(&s);
    assert_true(stage_update(&s.stage, false));
    assert_memory_equal(before, s.stage.scene.vertices.host, bytes);
    free(before);
    scene_close(&s.stage.scene);
    session_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_solid_drag),
    };
    offscreen o;
    data_folder = argc > 1 ? argv[1] : ".";
    if (!view_screen_open(&o)) return 77;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    offscreen_close(&o);
    return failed;
}
