/* The command lines of jobs on B-splines: a mesh_request of eval, a pieces_request of convert. */
#ifndef CLSPLINE_TOOLS_SPLINE_REQUEST_H
#define CLSPLINE_TOOLS_SPLINE_REQUEST_H

#include "mesh_request.h"

/* What convert is asked for. */
typedef struct pieces_request {
    request base;
    int only; /* directions of the splines that are cut: 1 curves, 2 surfaces, 3 volumes; 0 all */
    uint32_t degree;         /* that curves are to have at most; 0: they keep theirs */
    option_length tolerance; /* within which they then are; unit 1: % of the diagonal */
    bool polynomial, free_tangents;
} pieces_request;

/* Do what a request asks for. Return the exit status. */
int bspline_eval_run(request *r);
int bspline_convert_run(request *r);

#endif
