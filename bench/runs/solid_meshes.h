/* Part of the suite solid: meshes of a million cells. */
#ifndef BENCH_SOLID_MESHES_H
#define BENCH_SOLID_MESHES_H

#include "bench.h"

/* Measures how meshes of hexahedra, and of tetrahedra, are made of their cells, and refined meshes
   and plans of them. */
clsp_status solid_meshes_run(bench *b);

#endif
