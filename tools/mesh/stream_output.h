/* A file that is written while its vertices are made, without a mesh of them in memory. */
#ifndef CLSPLINE_TOOLS_STREAM_OUTPUT_H
#define CLSPLINE_TOOLS_STREAM_OUTPUT_H

#include "mesh_request.h"
#include "mesh_source.h"

/* Whether the output that is asked for can be written so: there is only one, and its format takes
   each vertex at once. */
bool stream_suits(const mesh_request *r);

/* Makes the vertices and writes them and what stands behind them to the output, all or those of the
   grids that the source makes. ctx: what makes them, NULL where there are no patches. Complains on
   failure, and leaves no file then. */
bool stream_output(const mesh_request *r, const mesh_source *source, const clsp_context *ctx,
                   const io_progress *progress, mesh_times *times);

#endif
