/* Refinement of points on a device: what a mesh keeps for it. */
#ifndef CLSPI_SOLID_REFINE_H
#define CLSPI_SOLID_REFINE_H

#include "base_plan.h"

enum { CLSPI_REFINE_GROUP = 64 }; /* items of a group */

typedef struct clspi_refinement clspi_refinement;

/* Makes what is needed to make the rest when it is first used. NULL: no memory. */
clspi_refinement *clspi_refinement_create(clsp_context *ctx);

/* Releases it, which may be NULL, when no command reads the mesh any more. */
void clspi_refinement_destroy(clspi_refinement *refinement);

/* Checks the run of a call on a mesh, which is not shared; call: names it. */
clsp_status clspi_refinement_check(clspi_refinement *refinement, const clsp_run *run,
                                   const char *call);

/* Wait for the list of a call that works on the host, and make its event. */
clsp_status clspi_refinement_wait(const clspi_refinement *refinement, const clsp_run *run);
clsp_status clspi_refinement_done(clspi_refinement *refinement, const clsp_run *run);

/* Returns the build options of refine_points.cl. */
clspi_options clspi_refine_options(const clsp_context *ctx, clsp_type precision, uint32_t dim);

#endif
