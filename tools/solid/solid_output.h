/* Files of solids: cells or their samples as VTU, and the boundary. */
#ifndef CLSPLINE_TOOLS_SOLID_OUTPUT_H
#define CLSPLINE_TOOLS_SOLID_OUTPUT_H

#include "progress.h"
#include "solid_boundary.h"

/* Writes an output: of VTU the samples of cells, NULL: the cells themselves; of others
   the boundary. False with a complaint. */
bool solid_output_write(const solid_model *m, solid_samples *samples, solid_boundary *boundary,
                        const char *path, progress_bar *bar);

#endif
