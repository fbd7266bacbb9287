/* Normals on the edges of surfaces, after a grid: of families whose points program includes
   edge_normals.clh. */
#ifndef CLSPI_EDGE_NORMALS_H
#define CLSPI_EDGE_NORMALS_H

#include "eval_points.h"
#include "axis_sum.h"
#include "tensor_sum.h"

enum { CLSPI_SIDES = 4 };

/* Returns the items of a side of patches' grids, as edge_normals.clh numbers them, that some rows
   have; of whole patches those of all sides as the first one's. */
clsp_range clspi_side_items(const clspi_tensor_desc *desc, const clspi_rows *rows, uint32_t side);

/* Makes the normals on the edges that rows of a grid have again. tables: the grid's. kernel: made
   when it is first needed. */
clsp_status clspi_edge_normals(clspi_kernel *kernel, clspi_series *series,
                               const clspi_point_source *source, const clspi_rows *rows,
                               const clspi_grid_tables *tables);

#endif
