/* The command line of `clspline eval` on Bezier patches. */
#ifndef CLSPLINE_TOOLS_BEZIER_REQUEST_H
#define CLSPLINE_TOOLS_BEZIER_REQUEST_H

#include "mesh_request.h"

/* Units of a tolerance. */
enum {
    UNIT_LENGTH,  /* of the file */
    UNIT_PERCENT, /* of the box's diagonal */
    UNIT_PIXEL    /* of the picture */
};

typedef struct bezier_request {
    mesh_request mesh;
    option_length tolerance;
    clsp_bezier_method method;
} bezier_request;

/* Does what a bezier_request asks for. Returns the exit status. */
int bezier_run(request *r);

#endif
