/* Projection onto Bezier curves and surfaces: the nearest point of one, or of all of a plan, to
   each of many points, with a bound, as clsp_bspline_project finds it on B-splines. Queries,
   options and results are those of bspline_project.h. */
#ifndef CLSPLINE_BEZIER_PROJECT_H
#define CLSPLINE_BEZIER_PROJECT_H

#include <clspline/bezier.h>
#include <clspline/bspline_project.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Projects points onto the patches loaded: curves of 1 to 4 coordinates and degrees 1 to
   CLSP_BSPLINE_PROJECT_MAX_DEGREE, or surfaces of 2 to 4 coordinates and degrees 1 to
   CLSP_BSPLINE_PROJECT_MAX_SURFACE_DEGREE. nearest: receives [num][num_nearest] results
   (clsp_bspline_nearest_f32 or _f64) in the plan's precision; parameters are in [0, 1]. What
   clsp_bspline_project says of curves and of surfaces holds here, of methods and options too. opts
   may be NULL.

   Errors: CLSP_ERROR_ARGUMENT also for a plan of another form; CLSP_ERROR_DEGREE (0, or above the
   maximum); CLSP_ERROR_WEIGHTS (mrep of rational curves). */
CLSP_API clsp_status clsp_bezier_project(clsp_bezier_plan *plan,
                                         const clsp_bspline_queries *queries,
                                         const clsp_bspline_project_opts *opts, clsp_output nearest,
                                         const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
