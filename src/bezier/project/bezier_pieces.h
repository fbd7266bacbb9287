/* Projection onto Bezier curves and surfaces. */
#ifndef CLSPI_BEZIER_PIECES_H
#define CLSPI_BEZIER_PIECES_H

#include "bezier_plan.h"

/* Makes the search of a plan of surfaces, each of them one piece, as a clspi_patch_family does. */
clspi_surface_search *clspi_bezier_surfaces(const clsp_patch_plan *plan, const void *points,
                                            const clspi_parallel *threads);

/* Finds nearest points, as a clspi_patch_family does. */
clsp_status clspi_bezier_project(clsp_patch_plan *plan, const clsp_nearest_queries *queries,
                                 const clsp_nearest_opts *opts, const clsp_output *nearest,
                                 const clsp_run *run);

#endif
