/* The command line of `clspline project`. */
#ifndef CLSPLINE_TOOLS_PROJECT_REQUEST_H
#define CLSPLINE_TOOLS_PROJECT_REQUEST_H

#include "request.h"

/* Formats as request_format numbers them. */
enum { PROJECT_CSV = 1, PROJECT_NPY };

typedef struct project_request {
    request base; /* its inputs are curves, the points last */
    clsp_bspline_project_opts opts;
    option_length tolerance; /* unit 1: percent of the box's diagonal */
    const char *columns;     /* of the points; NULL: as the file has them */
    bool invert;
} project_request;

/* Does what a project_request asks for. Returns the exit status. */
int project_run(request *r);

#endif
