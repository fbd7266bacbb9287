/* Part of the suite solid: where points lie. */
#ifndef BENCH_SOLID_LOCATED_H
#define BENCH_SOLID_LOCATED_H

#include "solid_run.h"

/* Measures the places of points that are made of parameters, and of points anywhere in the box
   around a model: a box of regular cells, a machine part and cells that are all unlike. Lost ones
   of the former are those that are not found. */
clsp_status solid_located_all(bench *b);

#endif
