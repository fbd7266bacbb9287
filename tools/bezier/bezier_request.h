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

/* Reads the arguments after argv[0] into *r, whose mesh request has begun. EXIT_OK, or EXIT_USAGE
   with a complaint. With --help, nothing else is looked at. */
int bezier_request_read(bezier_request *r, int argc, char **argv);

/* Prints the text for --help. */
void bezier_request_help(void);

#endif
