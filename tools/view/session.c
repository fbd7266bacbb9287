#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "picking.h"
#include "progress.h"
#include "saved_copy.h"
#include "view_picture.h"
#include "window_words.h"

enum { SAMPLES = 4, MOST_PICTURES = 1000 };

#define TURN     (3.14159265358979323846 / 400) /* radians that a pixel turns by */
#define TOGETHER 1e-5 /* of the diagonal: control points that are one to the user */
#define FINEST   0x1p-10
#define COARSEST 0x1p10

bool session_open(session *s, const view_request *r)
{
    *s = (session){.request = *r, .chosen = SIZE_MAX, .is_dirty = true};
    return stage_open(&s->stage, &s->request);
}

bool session_begin(session *s, const clsp_graphics_context *graphics, int width, int height)
{
    session_resize(s, width, height);
    s->stage.may_export = true;
    return stage_begin(&s->stage, graphics, width > 0 ? width : 1, height > 0 ? height : 1);
}

void session_say(session *s, bool loud, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->note, sizeof(s->note), format, args);
    va_end(args);
    s->has_note = true;
    s->is_dirty = true;
    if (loud && !s->request.base.quiet) complain("note: %s", s->note);
}

/* ---- frames ---- */

void session_resize(session *s, int width, int height)
{
    const bool was_seen = s->width > 0 && s->height > 0;
    s->width = width;
    s->height = height;
    s->is_dirty = true;
    if (width < 1 || height < 1) return;
    if (was_seen && s->stage.view.width > 0) camera_resize(&s->stage.view, width, height);
    s->stage.is_sampled = false;
}

/* Makes a frame of the window's size, unless it is there. Returns it; NULL with a complaint. */
static const gl_frame *make_frame(session *s, bool quick)
{
    const gl_frame *f = quick ? &s->quick.frame : &s->fine;
    io_message message;
    bool done = true;
    if (f->drawn && f->width == s->width && f->height == s->height) return f;
    if (quick) {
        quick_frame_close(&s->quick);
        done = quick_frame_open(&s->quick, s->width, s->height, &message);
    } else {
        gl_frame_close(&s->fine);
        done = gl_frame_open(&s->fine, s->width, s->height, SAMPLES, &message);
    }
    if (!done) complain("%s", message.text);
    return done ? f : NULL;
}

bool session_draw(session *s)
{
    const double start = seconds_now();
    const bool quick = s->moving && s->stage.is_software;
    s->is_dirty = false;
    if (s->width < 1 || s->height < 1) return true;
    const gl_frame *f = make_frame(s, quick);
    if (!f || !stage_update(&s->stage, s->moving)) return false;
    if (!stage_draw(&s->stage, f, s->chosen) || !window_words_draw(s, f)) return false;
    if (quick)
        quick_frame_show(&s->quick, 0);
    else
        gl_frame_show(f);
    gl.Finish();
    s->frame_seconds = seconds_now() - start;
    s->num_frames++;
    const GLenum error = gl.GetError();
    if (error != GL_NO_ERROR) complain("OpenGL failed (error 0x%x)", (unsigned)error);
    return error == GL_NO_ERROR;
}

/* Tells that the view is another. */
static void change_view(session *s, bool moving)
{
    s->moving = s->moving || moving;
    s->is_dirty = true;
    s->has_note = false;
}

void session_rest(session *s)
{
    if (!s->moving) return;
    s->moving = false;
    s->is_dirty = true;
    s->stage.is_sampled = false;
}

/* ---- the camera ---- */

void session_orbit(session *s, double right, double down)
{
    camera_orbit(&s->stage.view, -TURN * right, TURN * down);
    change_view(s, true);
}

void session_pan(session *s, double right, double down)
{
    camera_pan(&s->stage.view, right, down);
    change_view(s, true);
}

void session_zoom(session *s, double factor, double x, double y)
{
    const double scale = s->stage.view.scale * factor;
    const double unit = s->height > 0 ? s->height : 1;
    if (!(scale > 1e-2 * unit && scale < 1e7 * unit)) return;
    camera_zoom(&s->stage.view, factor, x, y);
    change_view(s, true);
}

void session_look(session *s, camera_side side)
{
    camera_look_from(&s->stage.view, side);
    s->stage.is_sampled = false;
    change_view(s, false);
}

void session_reset(session *s)
{
    if (s->width < 1 || s->height < 1) return;
    stage_place(&s->stage, s->width, s->height);
    s->stage.is_sampled = false;
    change_view(s, false);
}

/* ---- control points ---- */

bool session_grab(session *s, double x, double y)
{
    const control_points *c = &s->stage.model->controls;
    const double pixel[2] = {x, y};
    if (!s->stage.shows_controls) return false;
    double *places = malloc((3 * c->num + 1) * sizeof(*places));
    if (!places) return false;
    for (size_t i = 0; i < c->num; i++)
        control_points_get(c, i, places + 3 * i);
    s->chosen = picking_find(&s->stage.view, places, c->num, pixel, PICKING_RADIUS);
    free(places);
    s->is_dirty = true;
    if (s->chosen == SIZE_MAX) return false;
    control_points_get(c, s->chosen, s->grabbed);
    s->holds = control_points_begin(&s->stage.model->controls, s->chosen,
                                    TOGETHER * s->stage.model->diagonal);
    s->start[0] = x;
    s->start[1] = y;
    return s->holds;
}

/* Tells that control points have moved: the next frame shows it, however many moves there were. */
static void take_move(session *s)
{
    s->stage.is_loaded = s->stage.is_evaluated = false;
    s->is_dirty = true;
}

void session_drag(session *s, double x, double y, int axis)
{
    const double pixels[2] = {x - s->start[0], y - s->start[1]};
    double way[3];
    if (!s->holds) return;
    if (axis < 0)
        picking_plane_way(&s->stage.view, s->grabbed, pixels, way);
    else
        picking_axis_way(&s->stage.view, s->grabbed, axis, pixels, way);
    control_points_move(&s->stage.model->controls, way);
    change_view(s, true);
    take_move(s);
}

void session_drop(session *s)
{
    double place[3];
    if (!s->holds) return;
    s->holds = false;
    control_points_get(&s->stage.model->controls, s->chosen, place);
    if (memcmp(place, s->grabbed, sizeof(place)) != 0) return;
    control_points_undo(&s->stage.model->controls); /* it has only been touched */
}

void session_undo(session *s)
{
    if (s->holds) return;
    if (!control_points_undo(&s->stage.model->controls)) {
        session_say(s, false, "nothing to undo");
        return;
    }
    s->stage.is_sampled = false;
    take_move(s);
}

/* ---- what is shown ---- */

void session_next_color(session *s)
{
    static const char *const names[] = {
        "plain",    "patches", "mean curvature",    "Gaussian curvature",
        "distance", "data",    "the file's colours"};
    coloring_kind kind = s->stage.style.colors.kind;
    do
        kind = kind == COLORING_OWN ? COLORING_PLAIN : (coloring_kind)(kind + 1);
    while (!stage_color(&s->stage, kind));
    session_say(s, false, "%s", names[kind]);
}

void session_finer(session *s, bool finer)
{
    const double tolerance = s->stage.tolerance * (finer ? 0.5 : 2);
    if (tolerance < FINEST || tolerance > COARSEST) return;
    s->stage.tolerance = tolerance;
    s->stage.is_sampled = false;
    session_say(s, false, "within %g pixels", tolerance);
}

/* Cuts, or says why not. */
static void cut(session *s, solid_cut to)
{
    static const char *const ways[] = {"x", "y", "z", "the view"};
    if (s->stage.model->kind != VIEW_SOLID) {
        session_say(s, false, "only solids are cut");
        return;
    }
    if (!view_model_cut(s->stage.model, to)) {
        session_say(s, false, "it cannot be cut");
        return;
    }
    s->stage.scene.mesh = NULL;
    s->stage.is_sampled = s->stage.is_evaluated = false;
    s->moving = true; /* more may follow: the next frame is a quick one */
    if (to.is_on)
        session_say(s, false, "cut across %s at %.0f %%, [ and ] move it", ways[to.axis],
                    100 * to.share);
    else
        session_say(s, false, "not cut");
}

void session_next_cut(session *s)
{
    solid_cut to = s->stage.model->cut;
    to.axis = to.is_on ? to.axis + 1 : 0;
    to.is_on = to.axis <= CUT_SLANTED;
    to.share = 0.5;
    memcpy(to.across, s->stage.view.toward, sizeof(to.across));
    cut(s, to);
}

void session_move_cut(session *s, double share)
{
    solid_cut to = s->stage.model->cut;
    if (!to.is_on) return;
    to.share = to.share + share < 0 ? 0 : to.share + share > 1 ? 1 : to.share + share;
    cut(s, to);
}

void session_toggle(session *s, bool *what)
{
    *what = !*what;
    s->is_dirty = true;
}

void session_toggle_controls(session *s)
{
    s->stage.is_evaluated = false; /* control points are loaded with vertices */
    s->chosen = SIZE_MAX;
    session_toggle(s, &s->stage.shows_controls);
}

/* ---- files ---- */

void session_save(session *s)
{
    char path[SAVED_COPY_PATH];
    io_message message;
    if (saved_copy_write(s->stage.model, path, &message))
        session_say(s, true, "saved %s", path);
    else
        session_say(s, true, "%s", message.text);
}

void session_save_picture(session *s)
{
    char path[SAVED_COPY_PATH], word[16];
    bool named = false;
    for (int i = 1; i < MOST_PICTURES && !named; i++) {
        snprintf(word, sizeof(word), "view-%03d", i);
        named = saved_copy_path(s->request.base.inputs[0], word, "png", path) &&
                access(path, F_OK) != 0;
    }
    session_rest(s);
    if (!named || !session_draw(s) || !view_picture_save(&s->fine, false, path))
        session_say(s, false, "the picture cannot be saved");
    else
        session_say(s, true, "saved %s", path);
}

void session_reload(session *s)
{
    const char *first = s->request.base.inputs[0];
    s->holds = false;
    s->chosen = SIZE_MAX;
    if (strcmp(first, "-") == 0)
        session_say(s, false, "standard input cannot be read again");
    else if (stage_replace(&s->stage, &s->request))
        session_say(s, false, "read again");
    else
        session_say(s, true, "%s cannot be read, what was shown stays", first);
}

/* Releases the names of dropped files. */
static void release(char **names, size_t num)
{
    for (size_t i = 0; names && i < num; i++)
        free(names[i]);
    free(names);
}

void session_take_files(session *s, const char *const *paths, size_t num)
{
    view_request kept = s->request;
    char **names = calloc(num + 1, sizeof(*names));
    bool done = names != NULL;
    for (size_t i = 0; done && i < num; i++) {
        names[i] = malloc(strlen(paths[i]) + 1);
        done = names[i] != NULL;
        if (done) strcpy(names[i], paths[i]);
    }
    s->holds = false;
    s->chosen = SIZE_MAX;
    s->request.base.inputs = (const char **)names;
    s->request.base.num_inputs = num;
    done = done && num > 0 && stage_replace(&s->stage, &s->request);
    if (!done) {
        s->request = kept;
        release(names, num);
        session_say(s, true, "%s cannot be read, what was shown stays", num > 0 ? paths[0] : "");
        return;
    }
    release(s->owned, kept.base.num_inputs);
    s->owned = names;
    session_reset(s);
}

void session_close(session *s)
{
    quick_frame_close(&s->quick);
    gl_frame_close(&s->fine);
    stage_close(&s->stage);
    release(s->owned, s->request.base.num_inputs);
    s->owned = NULL;
}
