/* Pictures and drags where memory runs out: the n-th allocation of the tools fails, and all end
   with a message, without a crash, and in builds with sanitizers without a leak. The calls are
   redirected by the linker (-Wl,--wrap), in the tools' objects and not in the library or in
   drivers. Needs a device and EGL with OpenGL: 77 without. */
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
#include "session.h"
#include "view_screen.h"

enum { WIDTH = 160, HEIGHT = 120 };

static const char *data_folder;
static offscreen screen;

/* ---- allocations ---- */

static size_t num_calls, failing; /* since a run has begun; the one that fails, 0: none */

static bool fails(void)
{
    return ++num_calls == failing;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t num, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t num, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t num, size_t bytes)
{
    return fails() ? NULL : __real_calloc(num, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

/* ---- runs ---- */

/* Draws a frame, and words over it. */
static bool draw(session *s)
{
    gl_frame f;
    io_message message;
    if (!stage_update(&s->stage, false)) return false;
    assert_true(gl_frame_open(&f, WIDTH, HEIGHT, 1, &message));
    const bool done =
        stage_draw(&s->stage, &f, SIZE_MAX) && stage_draw_text(&s->stage, &f, "text", true);
    gl_frame_close(&f);
    return done;
}

/* Drags the first control point to the right. */
static void drag(session *s)
{
    double place[3], x, y, w;
    control_points_get(&s->stage.model->controls, 0, place);
    camera_project(&s->stage.view, place, &x, &y, &w);
    x = s->stage.view.scale * x + s->stage.view.shift[0];
    y = s->stage.view.scale * y + s->stage.view.shift[1];
    session_grab(s, x, y);
    session_drag(s, x + 9, y, -1);
    session_drop(s);
}

/* Shows a file, drags, draws again, saves a copy and reads the file again. Returns whether all of
   it could be done. */
static bool run(const view_request *r)
{
    const clsp_graphics_context graphics = {.gl_context = screen.context,
                                            .egl_display = screen.display};
    session s;
    bool done = session_open(&s, r) && session_begin(&s, &graphics, WIDTH, HEIGHT) && draw(&s);
    if (done) drag(&s);
    done = done && draw(&s);
    if (done) session_reload(&s);
    done = done && draw(&s);
    session_close(&s);
    return done;
}

/* Lets one allocation after the other fail: the first ones, and some of the others, more of them in
   a test that is full. */
static void check(const char *name, view_request r)
{
    const char *size = getenv("CLSPLINE_TEST_SIZE");
    const bool is_full = size && strcmp(size, "full") == 0;
    char path[FILENAME_MAX];
    const char *inputs[1] = {path};
    size_t runs = 0, failed = 0;
    snprintf(path, sizeof(path), "%s/%s", data_folder, name);
    r.picture.view.camera = (camera_view)CAMERA_VIEW_DEFAULT;
    r.crease_angle = -1;
    r.base = (request){.inputs = inputs, .num_inputs = 1, .quiet = true};
    num_calls = failing = 0;
    assert_true(run(&r));
    const size_t all = num_calls;
    for (size_t n = 1; n <= all; n += 1 + n / (is_full ? 50 : 3), runs++) {
        num_calls = 0;
        failing = n;
        failed += !run(&r);
    }
    failing = 0;
    print_message("%s: %zu allocations, %zu of %zu runs ended early\n", name, all, failed, runs);
    assert_true(failed > runs / 2);
    assert_true(run(&r));
}

static void test_patches(void **state)
{
    (void)state;
    check("teapot.bv", (view_request){.samples = 3, .controls = true});
}

static void test_splines(void **state)
{
    (void)state;
    check("vase.json", (view_request){.samples = 3,
                                      .controls = true,
                                      .picture.colors = COLORING_MEAN,
                                      .picture.view.bar = true});
}

static void test_solid(void **state)
{
    char points[FILENAME_MAX];
    (void)state;
    snprintf(points, sizeof(points), "%s/points.csv", data_folder);
    check("rod.vtk", (view_request){.samples = 2,
                                    .controls = true,
                                    .picture.colors = COLORING_DISTANCE,
                                    .picture.distance_to = points});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_splines),
        cmocka_unit_test(test_solid),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    if (!view_screen_open(&screen)) return 77;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    offscreen_close(&screen);
    return failed;
}
