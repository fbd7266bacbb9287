/* An OpenGL context without a window, by EGL, which is loaded when it is asked for: pictures are
   drawn where there is no display. */
#ifndef CLSPLINE_TOOLS_OFFSCREEN_H
#define CLSPLINE_TOOLS_OFFSCREEN_H

#include "gl_functions.h"

typedef struct offscreen {
    void *library, *display, *context, *surface;
    bool (*accepts)(void *user); /* NULL: all are */
    void *user;
} offscreen;

/* Makes a context of GL 3.3 core current, on the first of these that has one: each device that EGL
   lists, no device (surfaceless), the default display. Loads gl_functions. False with a message. */
bool offscreen_open(offscreen *o, io_message *message);

/* Makes the context that offscreen_open would, on the first of its places that is accepted. That is
   asked while the context is current and gl_functions are loaded; NULL accepts all. */
bool offscreen_open_where(offscreen *o, bool (*accepts)(void *user), void *user,
                          io_message *message);

/* The address of a function, of extensions too. It need not be NULL where the context does not have
   the function. */
gl_address offscreen_address(const char *name);

void offscreen_close(offscreen *o);

#endif
