/* What happens in the window, without a word of windows: a stage, its frames, and all that the user
   can do. Coordinates are pixels of the frame, right and down. */
#ifndef CLSPLINE_TOOLS_SESSION_H
#define CLSPLINE_TOOLS_SESSION_H

#include "quick_frame.h"
#include "stage.h"

enum { SESSION_LINE = 160 };

typedef struct session {
    stage stage;
    view_request request; /* the model's */
    char **owned;         /* [num_inputs]: names of files that were dropped, or NULL */
    quick_frame quick;    /* while something moves, on CPUs */
    gl_frame fine;        /* at rest */
    int width, height;
    bool moving;   /* frames are to be quick */
    bool is_dirty; /* what the window shows is not what there is */
    bool shows_help, shows_speed;
    size_t chosen; /* control point under the pointer or held; SIZE_MAX: none */
    bool holds;    /* it is being dragged, from: */
    double grabbed[3], start[2];
    char note[SESSION_LINE]; /* said in the window */
    bool has_note;
    double frame_seconds; /* that the last frame took */
    size_t num_frames;
} session;

/* Begins with a request, whose files are read and whose window has this size, in the context that
   is current, and that `graphics` has. Complains on failure; to be closed whatever happens. */
bool session_open(session *s, const view_request *r);
bool session_begin(session *s, const clsp_graphics_context *graphics, int width, int height);

/* Goes to another size; 0 where the window is not seen. */
void session_resize(session *s, int width, int height);

/* Draws a frame and copies it to the window, unless nothing of it is seen. Complains on failure:
   the session can only be closed then. */
bool session_draw(session *s);

/* ---- the camera ---- */

void session_orbit(session *s, double right, double down);
void session_pan(session *s, double right, double down);
void session_zoom(session *s, double factor, double x, double y);
void session_look(session *s, camera_side side);
void session_reset(session *s);

/* Tells that nothing moves any more: the next frame is a fine one. */
void session_rest(session *s);

/* ---- control points ---- */

/* Holds the control point at a pixel, if points are shown and there is one. Returns whether. */
bool session_grab(session *s, double x, double y);

/* Moves what is held with the pointer: along an axis, 0 to 2, or with -1 in the picture's plane. */
void session_drag(session *s, double x, double y, int axis);
void session_drop(session *s);
void session_undo(session *s);

/* ---- what is shown ---- */

void session_next_color(session *s);
void session_finer(session *s, bool finer);
void session_next_cut(session *s);
void session_move_cut(session *s, double share);
void session_toggle(session *s, bool *what); /* a member of the session */
void session_toggle_controls(session *s);

/* ---- files ---- */

/* Writes a copy of the model, or a picture of what is seen, and says so. */
void session_save(session *s);
void session_save_picture(session *s);

/* Reads the files again; where that fails the model stays, which is said. */
void session_reload(session *s);

/* Shows other files in the place of the model. */
void session_take_files(session *s, const char *const *paths, size_t num);

/* Says something, in the window and with `loud` on standard error. */
void session_say(session *s, bool loud, const char *format, ...) IO_PRINTF(3, 4);

void session_close(session *s);

#endif
