/* Vertices that calls write into the buffer that OpenGL draws from: pictures are those of vertices
   that go through host memory, also after control points have moved, and whatever fails the viewer
   goes on or ends with a message. A layer of the OpenCL loader stands in for the driver
   (fake_graphics.h). Needs a device, EGL with OpenGL, and a loader that takes layers: 77 without.
 */
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
#include "fake_graphics.h"
#include "stage.h"
#include "temporary.h"
#include "view_screen.h"

enum { WIDTH = 320, HEIGHT = 240, BYTES = 4 * WIDTH * HEIGHT };

static const char *data_folder;
static fake_graphics *fake;
static offscreen screen;

static void set_words(const char *words)
{
    assert_int_equal(setenv("FAKE_GRAPHICS", words, 1), 0);
}

/* A file before a camera, and the picture of it. */
typedef struct shown {
    stage stage;
    view_request request;
    const char *inputs[1];
    char path[FILENAME_MAX];
    unsigned char *rgba; /* [BYTES] */
} shown;

static void show(shown *s, const char *path, view_request r)
{
    const clsp_graphics_context graphics = {.gl_context = screen.context,
                                            .egl_display = screen.display};
    snprintf(s->path, sizeof(s->path), "%s", path);
    s->inputs[0] = s->path;
    s->request = r;
    s->request.picture.view.camera = (camera_view)CAMERA_VIEW_DEFAULT;
    s->request.crease_angle = -1;
    s->request.base = (request){.inputs = s->inputs, .num_inputs = 1, .quiet = true};
    s->rgba = malloc(BYTES);
    assert_non_null(s->rgba);
    assert_true(stage_open(&s->stage, &s->request));
    assert_true(stage_begin(&s->stage, &graphics, WIDTH, HEIGHT));
}

/* Draws a frame. Returns whether the vertices could be made. */
static bool draw(shown *s)
{
    gl_frame f;
    io_message message;
    if (!stage_update(&s->stage, false)) return false;
    assert_true(gl_frame_open(&f, WIDTH, HEIGHT, 4, &message));
    assert_true(stage_draw(&s->stage, &f, SIZE_MAX));
    gl_frame_read(&f, s->rgba);
    assert_int_equal(gl.GetError(), GL_NO_ERROR);
    gl_frame_close(&f);
    return true;
}

static void hide(shown *s)
{
    scene_close(&s->stage.scene);
    stage_close(&s->stage);
    free(s->rgba);
}

/* Moves a control point, as a drag does. */
static void drag(shown *s)
{
    control_points *c = &s->stage.model->controls;
    if (c->num == 0) return;
    const double far = 0.1 * s->stage.model->diagonal;
    assert_true(control_points_begin(c, c->num / 2, 1e-5 * s->stage.model->diagonal));
    control_points_move(c, (const double[]){far, -far, far});
    s->stage.is_loaded = s->stage.is_evaluated = false;
}

/* At most 2 in 1000 pixels differ by more than 8, since vertices along seams have other last
   digits. */
static void assert_alike(const shown *a, const shown *b)
{
    size_t away = 0, seen = 0;
    for (size_t i = 0; i < BYTES; i += 4) {
        bool differs = false;
        for (size_t k = 0; k < 4; k++)
            differs = differs || abs(a->rgba[i + k] - b->rgba[i + k]) > 8;
        away += differs;
        seen += memcmp(a->rgba + i, a->rgba, 4) != 0;
    }
    assert_true(seen > 1000);
    if (away > 2 * WIDTH * HEIGHT / 1000) fail_msg("%s: %zu pixels differ", a->path, away);
}

static void no_complaints(void)
{
    assert_string_equal(fake->complaint, "");
    assert_int_equal(fake->unsafe, 0);
    assert_int_equal(fake->alive, 0);
}

/* ---- pictures ---- */

static const char *path_of(const char *name)
{
    static char path[FILENAME_MAX];
    snprintf(path, sizeof(path), "%s/%s", data_folder, name);
    return path;
}

/* Draws a file by both ways, before and after a drag and another zoom. */
static void check(const char *path, view_request r, const char *way)
{
    shown shared, staged;
    const unsigned before = fake->acquired;
    set_words("gl opengl");
    show(&shared, path, r);
    assert_true(draw(&shared));
    assert_string_equal(stage_way(&shared.stage), way);
    set_words("");
    show(&staged, path, r);
    for (int i = 0; i < 3; i++) {
        set_words("gl opengl");
        assert_true(draw(&shared));
        set_words("");
        assert_true(draw(&staged));
        assert_string_equal(stage_way(&staged.stage), "staged");
        assert_alike(&shared, &staged);
        for (int k = 0; k < 2; k++) {
            shown *s = k ? &staged : &shared;
            if (i == 0) drag(s);
            if (i == 1) camera_zoom(&s->stage.view, 3, 120, 90);
            s->stage.is_sampled = s->stage.is_sampled && i == 0;
        }
    }
    set_words("gl opengl");
    hide(&shared);
    hide(&staged);
    assert_int_equal(fake->acquired > before, strcmp(way, "gl") == 0);
    assert_int_equal(fake->acquired, fake->released);
    no_complaints();
}

static void test_pictures(void **state)
{
    char points[FILENAME_MAX];
    (void)state;
    check(path_of("teapot.bv"), (view_request){.picture.edges = true, .controls = true}, "gl");
    check(path_of("pn.bv"), (view_request){.wireframe = true, .samples = 9}, "gl");
    check(path_of("vase.json"),
          (view_request){.picture.colors = COLORING_MEAN, .picture.view.bar = true}, "gl");
    check(path_of("knot.g2"), (view_request){.picture.colors = COLORING_PLAIN}, "gl");
    snprintf(points, sizeof(points), "%s", path_of("points.csv"));
    check(path_of("pn.bv"),
          (view_request){.picture.colors = COLORING_DISTANCE, .picture.distance_to = points}, "gl");
}

/* Corners of polyhedra, which no call makes, are beside what calls make. */
static void test_polyhedra(void **state)
{
    static const char text[] = "1\n5 2\n0 0 1\n2 0 1\n2 2 1\n0 2 1\n1 1 2\n4 0 1 2 3\n3 0 1 4\n"
                               "5 1 1\n0 0 0\n0 2 0\n2 0 0\n2 2 0.5\n";
    (void)state;
    check(temporary_file("both.bv", text, strlen(text)),
          (view_request){.picture.colors = COLORING_PATCH, .samples = 5}, "gl");
}

/* The host makes normals of solids. */
static void test_solid(void **state)
{
    (void)state;
    check(path_of("rod.vtk"), (view_request){.samples = 3}, "staged");
}

/* ---- failures ---- */

/* A buffer that cannot be shared, or no more, leads to host memory, and the picture is there. */
static void test_unshared(void **state)
{
    static const char *const words[] = {"gl opengl fail-import", "gl opengl fail-acquire",
                                        "gl opengl fail-release", "gl opengl no-functions",
                                        "gl opengl refuse-context"};
    shown s, staged;
    (void)state;
    set_words("");
    show(&staged, path_of("teapot.bv"), (view_request){.samples = 5});
    assert_true(draw(&staged));
    drag(&staged);
    assert_true(draw(&staged));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        for (int late = 0; late < 2; late++) {
            set_words(late ? "gl opengl" : words[i]);
            show(&s, path_of("teapot.bv"), (view_request){.samples = 5});
            assert_true(draw(&s));
            assert_string_equal(stage_way(&s.stage), late ? "gl" : "staged");
            drag(&s);
            set_words(words[i]);
            assert_true(draw(&s));
            if (late && i > 0 && i < 3) assert_string_equal(stage_way(&s.stage), "staged");
            assert_alike(&s, &staged);
            hide(&s);
        }
    hide(&staged);
    fake->released = fake->acquired; /* of releases that were made to fail */
    no_complaints();
}

/* Where the device is lost the viewer ends, with a message, or goes on through host memory where
   the host makes vertices: when control points are loaded, and when only vertices are made. */
static void test_lost(void **state)
{
    shown s;
    (void)state;
    for (int i = 0; i < 8; i++) {
        const bool shares = i & 1, drags = i & 2;
        set_words(shares ? "gl opengl" : "");
        show(&s, path_of("teapot.bv"), (view_request){.samples = i & 4 ? 33 : 5});
        assert_true(draw(&s));
        if (drags) drag(&s);
        s.stage.is_evaluated = false;
        set_words(shares ? "gl opengl lost" : "lost");
        if (draw(&s)) {
            assert_string_equal(stage_way(&s.stage), "staged");
            assert_true(draw(&s));
        }
        hide(&s);
    }
    set_words("");
    fake->released = fake->acquired;
    no_complaints();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures), cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_solid),    cmocka_unit_test(test_unshared),
        cmocka_unit_test(test_lost),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    if (!view_screen_open(&screen)) return 77;
    fake = fake_graphics_find(); /* which is there once OpenCL has been used */
    if (!fake) {
        offscreen_close(&screen);
        print_message("the OpenCL loader takes no layers\n");
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
    offscreen_close(&screen);
    return failed;
}
