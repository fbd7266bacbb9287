/* Normals on the edges of surfaces, after a grid: of families whose points program includes
   edge_normals.clh. */
#ifndef CLSPI_EDGE_NORMALS_H
#define CLSPI_EDGE_NORMALS_H

#include "eval_points.h"
#include "axis_sum.h"
#include "tensor_sum.h"

/* Makes the normals on the edges that rows of a grid have again. tables: the grid's. kernel: made
   when it is first needed. */
clsp_status clspi_edge_normals(clspi_kernel *kernel, clspi_series *series,
                               const clspi_point_source *source, const clspi_rows *rows,
                               const clspi_grid_tables *tables);

#endif
