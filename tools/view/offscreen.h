/* An OpenGL context without a window, by EGL, which is loaded when it is asked for: pictures are
   drawn where there is no display. */
#ifndef CLSPLINE_TOOLS_OFFSCREEN_H
#define CLSPLINE_TOOLS_OFFSCREEN_H

#include <stdbool.h>

#include "message.h"

typedef struct offscreen {
    void *library, *display, *context, *surface;
} offscreen;

/* Makes a context of GL 3.3 core current, on the first of these that has one: each device that EGL
   lists, no device (surfaceless), the default display. Loads gl_functions. False with a message. */
bool offscreen_open(offscreen *o, io_message *message);

void offscreen_close(offscreen *o);

#endif
