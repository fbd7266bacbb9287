/* The nearest points of surfaces, from and into memory of any kind: by a GPU that searches, by the
   host's cores, or shared. */
#ifndef CLSPI_SURFACE_PROJECT_H
#define CLSPI_SURFACE_PROJECT_H

#include "patch_plan.h"

/* Points to be projected, and where their nearest points go, as the families' calls have them. */
typedef struct clspi_surface_project {
    size_t num;
    clsp_input points, patches, hints; /* the last two: none where they are not there */
    double max_dist;
    clsp_output nearest;
    bool has_normals; /* of surfaces of three dimensions: */
    clsp_output normals;
} clspi_surface_project;

/* Finds the nearest points. The plan's family has checked the plan's surfaces. */
clsp_status clspi_patch_project(clsp_patch_plan *plan, const clspi_surface_project *call,
                                const clsp_run *run);

#endif
