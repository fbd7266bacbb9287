/* Vertices from sums: the pass that follows the nets of a plan whose vertices are not plain points.
 */
#ifndef CLSPI_BEZIER_FINISH_H
#define CLSPI_BEZIER_FINISH_H

#include "bezier_plan.h"

/* Build options of bezier_finish.cl. */
void clspi_bezier_finish_options(char *text, size_t size, const clsp_bezier_plan *plan);

/* Makes the kernel for plan->desc and plan->nets. */
clsp_status clspi_bezier_finish_prepare(clsp_bezier_plan *plan);
void clspi_bezier_finish_release(clsp_bezier_plan *plan);

/* Evaluates the nets on rows of patches, a part at a time that stays in a cache, and makes vertices
   of it in range->out. */
clsp_status clspi_bezier_finish_eval(clsp_bezier_plan *plan, clspi_series *series,
                                     const clspi_bezier_range *range);

#endif
