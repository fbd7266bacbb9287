/* The command line of `clspline bezier`. */
#ifndef CLSPLINE_TOOLS_BEZIER_REQUEST_H
#define CLSPLINE_TOOLS_BEZIER_REQUEST_H

#include "mesh_request.h"

/* What a tolerance is measured in. */
typedef enum request_unit {
    UNIT_LENGTH,  /* of the file */
    UNIT_PERCENT, /* of the box's diagonal */
    UNIT_PIXEL    /* of the picture */
} request_unit;

typedef struct bezier_request {
    mesh_request mesh;
    double tolerance; /* 0: not given */
    request_unit tolerance_unit;
    clsp_bezier_method method;
} bezier_request;

/* Does what a bezier_request asks for. Returns the exit status. */
int bezier_run(request *r);

#endif
