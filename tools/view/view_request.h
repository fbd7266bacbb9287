/* The command line of `clspline view`, and of clspline-view, which it starts. */
#ifndef CLSPLINE_TOOLS_VIEW_REQUEST_H
#define CLSPLINE_TOOLS_VIEW_REQUEST_H

#include "camera.h"
#include "color.h"
#include "request.h"

typedef struct view_request {
    request base;
    uint32_t samples; /* of all edges of patches; 0: by the size on the screen */
    option_list resolution;
    int width, height; /* of the picture or the window; 0: a width not given */
    option_list direction;
    camera_view camera;
    double turn, tilt; /* radians that are added to the camera's */
    int coloring;      /* a coloring_kind */
    color_map map;
    const char *array;       /* of data; NULL: the first */
    const char *distance_to; /* a file; NULL: no distances */
    option_list range;
    double crease_angle; /* of solids, as of `clspline solid` */
    bool bar, edges, wireframe, controls, zebra, no_background;
} view_request;

enum { VIEW_WIDTH = 1200, VIEW_HEIGHT = 900 };

/* Does what a view_request asks for: in the command, by starting the program; in the program, by
   itself. Returns the exit status. */
int view_run(request *r);

#endif
