/* What programs that draw as clspline-view does begin with. */
#ifndef TESTS_VIEW_SCREEN_H
#define TESTS_VIEW_SCREEN_H

#include "offscreen.h"

/* Opens a picture to draw into. False, with the reason printed, where there is no OpenCL device or
   no EGL with OpenGL. */
bool view_screen_open(offscreen *screen);

#endif
