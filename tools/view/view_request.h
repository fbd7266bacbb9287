/* The command line of `clspline view`, and of clspline-view, which it starts. */
#ifndef CLSPLINE_TOOLS_VIEW_REQUEST_H
#define CLSPLINE_TOOLS_VIEW_REQUEST_H

#include "picture_request.h"

typedef struct view_request {
    request base;
    picture_options picture; /* of the picture, or the window */
    uint32_t samples;        /* of all edges of patches; 0: by the size on the screen */
    const char *array;       /* of data; NULL: the first */
    double crease_angle;     /* of solids, as of `clspline eval` */
    bool wireframe, controls, zebra;
} view_request;

/* Does what a view_request asks for: in the command, by starting the program; in the program, by
   itself. Returns the exit status. */
int view_run(request *r);

#endif
