/* Files of solids: cells or their samples as VTU, and the boundary. */
#ifndef CLSPLINE_TOOLS_SOLID_OUTPUT_H
#define CLSPLINE_TOOLS_SOLID_OUTPUT_H

#include "progress.h"
#include "solid_samples.h"

/* Writes an output. samples: NULL: the cells themselves. False with a complaint. */
bool solid_output_write(const solid_model *m, solid_samples *samples, const char *path,
                        progress_bar *bar);

#endif
