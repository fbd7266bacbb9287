/* Refinement of points on a device: what a mesh keeps for it. */
#ifndef CLSPI_SOLID_REFINE_H
#define CLSPI_SOLID_REFINE_H

#include "plan.h"

enum { CLSPI_REFINE_GROUP = 64 }; /* items of a group */

typedef struct clspi_refinement clspi_refinement;

/* Makes what is needed to make the rest when it is first used. NULL: no memory. */
clspi_refinement *clspi_refinement_create(clsp_context *ctx);
void clspi_refinement_destroy(clspi_refinement *refinement); /* which may be NULL */

/* Returns the build options of refine_points.cl. */
clspi_options clspi_refine_options(const clsp_context *ctx, clsp_type precision, uint32_t channels);

#endif
