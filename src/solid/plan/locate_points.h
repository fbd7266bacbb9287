/* Where points lie in a solid: found by the host's cores on every device, from and into memory of
   any kind. */
#ifndef CLSPI_LOCATE_POINTS_H
#define CLSPI_LOCATE_POINTS_H

#include "solid_plan.h"

/* Forgets what a search made of the control points, which have changed. */
void clspi_locate_forget(clsp_solid_plan *plan);

#endif
