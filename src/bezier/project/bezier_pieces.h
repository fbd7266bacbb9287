/* What projection onto Bezier surfaces searches: each is one piece. */
#ifndef CLSPI_BEZIER_PIECES_H
#define CLSPI_BEZIER_PIECES_H

#include "bezier_plan.h"

/* Makes the search of a plan of surfaces, as a clspi_tensor_family does. */
clspi_surface_search *clspi_bezier_surfaces(const clspi_tensor_plan *plan, const void *points,
                                            const clspi_parallel *threads);

#endif
