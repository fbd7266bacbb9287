/* The window, by GLFW: it waits for events, and draws only where something has changed. */
#ifndef CLSPLINE_TOOLS_WINDOW_H
#define CLSPLINE_TOOLS_WINDOW_H

#include "view_request.h"

/* Opens a window on what the request asks for and returns when it is closed. Complains on failure,
   and returns false. */
bool window_run(const view_request *r);

#endif
