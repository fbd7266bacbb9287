/* Vertices on grids, on the host, as strip_sums.h makes them: the tables of a description, and the
   partial sums of the patches that a worker makes rows of. */
#ifndef CLSPI_STRIPS_H
#define CLSPI_STRIPS_H

#include "vertex_tile.h"

typedef struct clspi_strips clspi_strips;
typedef struct clspi_strips_scratch clspi_strips_scratch;

/* Makes the tables of a description; NULL without memory. */
clspi_strips *clspi_strips_create(const clspi_vertex_tile_desc *desc);
void clspi_strips_destroy(clspi_strips **strips);

clspi_strips_scratch *clspi_strips_scratch_create(const clspi_strips *strips);
void clspi_strips_scratch_destroy(clspi_strips_scratch **scratch);

/* Says that the control points are no longer those that a scratch's sums are of. */
void clspi_strips_scratch_forget(clspi_strips_scratch *scratch);

/* Evaluates rows, as clspi_vertex_tile_eval does, but not the edges. */
void clspi_strips_eval(clspi_strips_scratch *scratch, const clspi_tile_rows *rows);

#endif
