/* Part of the suite solid: meshes of tetrahedra whose cells are all unlike, as of generators. */
#ifndef BENCH_SOLID_UNLIKE_H
#define BENCH_SOLID_UNLIKE_H

#include "solid_run.h"

/* Measures plans of cells that are made of tetrahedra: how fast they are made and loaded, what they
   keep, and points on grids. */
clsp_status solid_unlike_run(bench *b, clsp_type precision);

/* Makes such cells of a box of so many cubes each way. */
clsp_status solid_unlike_model(bench *b, solid_model *m, uint32_t side);

#endif
