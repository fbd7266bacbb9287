/* The command lines of `clspline bspline`: a mesh_request of eval, a request of bezier. */
#ifndef CLSPLINE_TOOLS_SPLINE_REQUEST_H
#define CLSPLINE_TOOLS_SPLINE_REQUEST_H

#include "mesh_request.h"

/* Do what a request asks for. Return the exit status. */
int bspline_eval_run(request *r);
int bspline_bezier_run(request *r);

#endif
