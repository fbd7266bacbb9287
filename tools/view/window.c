#define _GNU_SOURCE /* RTLD_DEFAULT */

#include "window.h"

#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "command.h"
#include "progress.h"
#include "session.h"
#include "watcher.h"

#define REST_SECONDS 0.25 /* without motion, until a fine frame */
#define WHEEL        1.15 /* zoom of a notch */
#define DRAG_ZOOM    0.01 /* of a pixel, as a power of e */
#define CUT_STEP     0.05

enum { NO_BUTTON = -1 };

typedef struct window {
    session session;
    GLFWwindow *handle;
    watcher *files;
    int button;        /* that is held, and was pressed first */
    double at[2];      /* of the pointer, in pixels of the frame */
    double moved_last; /* seconds */
    char title[512];
} window;

static atomic_bool files_changed;
static char glfw_reason[1024]; /* what GLFW said last */

static void keep_reason(int code, const char *text)
{
    snprintf(glfw_reason, sizeof(glfw_reason), "%s (%d)", text, code);
}

static void notice_files(void)
{
    atomic_store(&files_changed, true);
    glfwPostEmptyEvent();
}

static window *window_of(GLFWwindow *handle)
{
    return glfwGetWindowUserPointer(handle);
}

/* ---- the pointer ---- */

/* Finds the axis that is held for a drag; -1: none. */
static int held_axis(const window *w)
{
    static const int keys[3] = {GLFW_KEY_X, GLFW_KEY_Y, GLFW_KEY_Z};
    for (int k = 0; k < 3; k++)
        if (glfwGetKey(w->handle, keys[k]) == GLFW_PRESS) return k;
    return -1;
}

/* Turns the pointer's place into pixels of the frame, which has more where the screen is dense. */
static void to_pixels(const window *w, double x, double y, double pixel[2])
{
    int width = 0, height = 0;
    glfwGetWindowSize(w->handle, &width, &height);
    pixel[0] = width > 0 ? x * w->session.width / width : x;
    pixel[1] = height > 0 ? y * w->session.height / height : y;
}

static void on_cursor(GLFWwindow *handle, double x, double y)
{
    window *w = window_of(handle);
    session *s = &w->session;
    double pixel[2];
    to_pixels(w, x, y, pixel);
    const double right = pixel[0] - w->at[0], down = pixel[1] - w->at[1];
    memcpy(w->at, pixel, sizeof(pixel));
    if (w->button == NO_BUTTON || (right == 0 && down == 0)) return;
    w->moved_last = glfwGetTime();
    if (s->holds)
        session_drag(s, pixel[0], pixel[1], held_axis(w));
    else if (w->button == GLFW_MOUSE_BUTTON_LEFT)
        session_orbit(s, right, down);
    else if (w->button == GLFW_MOUSE_BUTTON_MIDDLE)
        session_pan(s, right, down);
    else
        session_zoom(s, exp(-DRAG_ZOOM * down), s->width / 2.0, s->height / 2.0);
}

static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    window *w = window_of(handle);
    double x, y;
    (void)mods;
    if (action == GLFW_RELEASE && button == w->button) {
        w->button = NO_BUTTON;
        session_drop(&w->session);
    }
    if (action != GLFW_PRESS || w->button != NO_BUTTON || button > GLFW_MOUSE_BUTTON_MIDDLE) return;
    glfwGetCursorPos(handle, &x, &y);
    to_pixels(w, x, y, w->at);
    w->button = button;
    if (button == GLFW_MOUSE_BUTTON_LEFT) session_grab(&w->session, w->at[0], w->at[1]);
}

static void on_scroll(GLFWwindow *handle, double right, double up)
{
    window *w = window_of(handle);
    (void)right;
    w->moved_last = glfwGetTime();
    session_zoom(&w->session, pow(WHEEL, up), w->at[0], w->at[1]);
}

/* ---- keys ---- */

static void press_control(session *s, int key)
{
    if (key == GLFW_KEY_Z) session_undo(s);
    if (key == GLFW_KEY_S) session_save(s);
    if (key == GLFW_KEY_1 || key == GLFW_KEY_KP_1) session_look(s, CAMERA_BACK);
    if (key == GLFW_KEY_3 || key == GLFW_KEY_KP_3) session_look(s, CAMERA_LEFT);
    if (key == GLFW_KEY_7 || key == GLFW_KEY_KP_7) session_look(s, CAMERA_BOTTOM);
}

/* Keys that look from somewhere. Returns whether it is one. */
static bool press_view(session *s, int key)
{
    switch (key) {
    case GLFW_KEY_1:
    case GLFW_KEY_KP_1:
        session_look(s, CAMERA_FRONT);
        return true;
    case GLFW_KEY_3:
    case GLFW_KEY_KP_3:
        session_look(s, CAMERA_RIGHT);
        return true;
    case GLFW_KEY_7:
    case GLFW_KEY_KP_7:
        session_look(s, CAMERA_TOP);
        return true;
    case GLFW_KEY_5:
    case GLFW_KEY_KP_5:
        session_toggle(s, &s->stage.view.orthographic);
        return true;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
        session_reset(s);
        return true;
    default:
        return false;
    }
}

/* Keys of what is shown. */
static void press_style(session *s, int key)
{
    scene_style *style = &s->stage.style;
    if (key == GLFW_KEY_W) session_toggle(s, &style->wires);
    if (key == GLFW_KEY_E) session_toggle(s, &style->edges);
    if (key == GLFW_KEY_V) session_toggle(s, &style->zebra);
    if (key == GLFW_KEY_B) session_toggle(s, &s->stage.shows_bar);
    if (key == GLFW_KEY_H) session_toggle(s, &s->shows_help);
    if (key == GLFW_KEY_P) session_toggle_controls(s);
    if (key == GLFW_KEY_S) session_next_color(s);
    if (key == GLFW_KEY_K) session_next_cut(s);
    if (key == GLFW_KEY_Z && !s->holds) session_toggle(s, &s->shows_speed);
}

/* Keys that go on while they are held. */
static void press_again(session *s, int key)
{
    if (key == GLFW_KEY_LEFT_BRACKET) session_move_cut(s, -CUT_STEP);
    if (key == GLFW_KEY_RIGHT_BRACKET) session_move_cut(s, CUT_STEP);
    if (key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD) session_finer(s, true);
    if (key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT) session_finer(s, false);
}

/* Returns the key of the letter that is printed on a key, so that Q is where the user's keyboard
   has it. */
static int key_of_letter(int key, int code)
{
    const char *name = glfwGetKeyName(key, code);
    if (!name || name[0] == 0 || name[1] != 0) return key;
    if (name[0] >= 'a' && name[0] <= 'z') return GLFW_KEY_A + (name[0] - 'a');
    return name[0] == '+'   ? GLFW_KEY_EQUAL
           : name[0] == '-' ? GLFW_KEY_MINUS
           : name[0] == '[' ? GLFW_KEY_LEFT_BRACKET
           : name[0] == ']' ? GLFW_KEY_RIGHT_BRACKET
                            : key;
}

static void on_key(GLFWwindow *handle, int key, int code, int action, int mods)
{
    window *w = window_of(handle);
    session *s = &w->session;
    if (action == GLFW_RELEASE) return;
    w->moved_last = glfwGetTime();
    key = key_of_letter(key, code);
    if (!(mods & GLFW_MOD_CONTROL)) press_again(s, key);
    if (action == GLFW_REPEAT) return;
    if (mods & GLFW_MOD_CONTROL) {
        press_control(s, key);
        return;
    }
    if (key == GLFW_KEY_Q || key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(handle, GLFW_TRUE);
    if (key == GLFW_KEY_F12) session_save_picture(s);
    if (key == GLFW_KEY_UP) session_reload(s);
    if (!press_view(s, key)) press_style(s, key);
}

/* ---- the window itself ---- */

static void on_size(GLFWwindow *handle, int width, int height)
{
    session_resize(&window_of(handle)->session, width, height);
}

static void on_refresh(GLFWwindow *handle)
{
    window_of(handle)->session.is_dirty = true;
}

static void set_title(window *w)
{
    const char *path = w->session.request.base.inputs[0], *slash = strrchr(path, '/');
    const char *way = stage_way(&w->session.stage);
    char title[sizeof(w->title)];
    snprintf(title, sizeof(title), "%.480s - clspline (%s)", slash ? slash + 1 : path, way);
    if (strcmp(title, w->title) == 0) return;
    memcpy(w->title, title, sizeof(title));
    glfwSetWindowTitle(w->handle, title);
}

static void watch_files(window *w)
{
    const request *r = &w->session.request.base;
    watcher_close(w->files);
    w->files = watcher_open(r->inputs, r->num_inputs, notice_files);
}

static void on_drop(GLFWwindow *handle, int num, const char **paths)
{
    window *w = window_of(handle);
    watcher_close(w->files); /* whose paths go */
    w->files = NULL;
    session_take_files(&w->session, paths, num > 0 ? (size_t)num : 0);
    watch_files(w);
}

static void listen(GLFWwindow *handle)
{
    glfwSetCursorPosCallback(handle, on_cursor);
    glfwSetMouseButtonCallback(handle, on_button);
    glfwSetScrollCallback(handle, on_scroll);
    glfwSetKeyCallback(handle, on_key);
    glfwSetFramebufferSizeCallback(handle, on_size);
    glfwSetWindowRefreshCallback(handle, on_refresh);
    glfwSetDropCallback(handle, on_drop);
}

/* Makes a window with a context of GL 3.3 core by GLFW's own way, else by EGL. It is not seen. */
static GLFWwindow *make_window(int width, int height)
{
    static const int ways[] = {GLFW_NATIVE_CONTEXT_API, GLFW_EGL_CONTEXT_API};
    GLFWwindow *made = NULL;
    for (size_t i = 0; i < 2 && !made; i++) {
        glfwDefaultWindowHints();
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_DEPTH_BITS, 0);
        glfwWindowHint(GLFW_STENCIL_BITS, 0);
        glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
        glfwWindowHint(GLFW_CONTEXT_CREATION_API, ways[i]);
        made = glfwCreateWindow(width, height, "clspline", NULL, NULL);
    }
    return made;
}

/* Calls functions of GLFW that not every build of it has: one for a window's handle, and one for a
   display. NULL where there is none. */
static void *native_handle(const char *name, GLFWwindow *handle)
{
    void *const address = dlsym(RTLD_DEFAULT, name);
    void *(*get)(GLFWwindow *);
    memcpy(&get, &address, sizeof(get));
    return get ? get(handle) : NULL;
}

static void *native_display(const char *name)
{
    void *const address = dlsym(RTLD_DEFAULT, name);
    void *(*get)(void);
    memcpy(&get, &address, sizeof(get));
    return get ? get() : NULL;
}

/* Finds the handles of the window's OpenGL context, which OpenCL wants. */
static clsp_graphics_context find_handles(GLFWwindow *handle)
{
    clsp_graphics_context g = {.gl_context = native_handle("glfwGetGLXContext", handle)};
    if (g.gl_context)
        g.glx_display = native_display("glfwGetX11Display");
    else if ((g.gl_context = native_handle("glfwGetEGLContext", handle)) != NULL)
        g.egl_display = native_display("glfwGetEGLDisplay");
    return g;
}

/* Opens the window and all that it needs. Complains on failure. */
static bool open_window(window *w, const view_request *r)
{
    int width, height;
    io_message message;
    glfwSetErrorCallback(keep_reason);
    if (!glfwInit()) {
        complain("view needs a display: %s. --output OUT.png draws a picture without one",
                 glfw_reason);
        return false;
    }
    w->handle = make_window((int)r->picture.view.width, (int)r->picture.view.height);
    if (!w->handle) {
        complain("no window with OpenGL 3.3 can be had: %s", glfw_reason);
        return false;
    }
    glfwSetWindowUserPointer(w->handle, w);
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(0);
    if (!gl_functions_load((gl_address(*)(const char *))glfwGetProcAddress, &message)) {
        complain("%s", message.text);
        return false;
    }
    const clsp_graphics_context graphics = find_handles(w->handle);
    glfwGetFramebufferSize(w->handle, &width, &height);
    return session_begin(&w->session, &graphics, width, height);
}

/* Waits until there is something to do. */
static void wait_for_events(window *w)
{
    session *s = &w->session;
    const double left = w->moved_last + REST_SECONDS - glfwGetTime();
    if (s->is_dirty)
        glfwPollEvents();
    else if (s->moving && !s->holds && left > 0)
        glfwWaitEventsTimeout(left);
    else if (!s->moving || s->holds)
        glfwWaitEvents();
    if (s->moving && !s->holds && glfwGetTime() >= w->moved_last + REST_SECONDS) session_rest(s);
    if (atomic_exchange(&files_changed, false) && w->files && watcher_sees_change(w->files))
        session_reload(s);
}

static bool run(window *w)
{
    while (!glfwWindowShouldClose(w->handle)) {
        if (w->session.is_dirty) {
            if (!session_draw(&w->session)) return false;
            glfwSwapBuffers(w->handle);
            set_title(w);
        }
        wait_for_events(w);
    }
    return true;
}

bool window_run(const view_request *r)
{
    window w = {.button = NO_BUTTON};
    bool done = session_open(&w.session, r) && open_window(&w, r);
    if (done) {
        listen(w.handle);
        watch_files(&w);
        glfwShowWindow(w.handle);
        done = run(&w);
        if (done && r->base.verbose)
            complain("note: %zu frames, the last one in %.1f ms, vertices %s", w.session.num_frames,
                     1e3 * w.session.frame_seconds, stage_way(&w.session.stage));
    }
    watcher_close(w.files);
    session_close(&w.session);
    glfwTerminate();
    return done;
}
