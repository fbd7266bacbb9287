/* The command line of `clspline project`. */
#ifndef CLSPLINE_TOOLS_PROJECT_REQUEST_H
#define CLSPLINE_TOOLS_PROJECT_REQUEST_H

#include "length_unit.h"
#include "picture_request.h"

/* Formats as request_format numbers them. */
enum { PROJECT_CSV = 1, PROJECT_NPY, PROJECT_PNG, PROJECT_PLY };

typedef struct project_request {
    request base;            /* its inputs are the model, the points last */
    picture_options picture; /* of the points, coloured by their distances */
    clsp_nearest_opts opts;
    option_length tolerance; /* unit 1: percent of the box's diagonal */
    const char *columns;     /* of the points; NULL: as the file has them */
    length_unit unit;        /* of the points */
    bool invert, is_signed, histogram, by_face;
} project_request;

PICTURE_REQUEST_CHECK(project_request);

/* Whether points are to be near: asked for by --invert, or by --tolerance, which of --method mrep
   is that of its cubics. */
bool project_request_judges(const project_request *r);

/* Does what a project_request asks for. Returns the exit status. */
int project_run(request *r);

#endif
