/* Vertices on the edges of surfaces, made again after the grid: watertight points, and normals
   where the tangent plane is a limit (bezier_edges.cl). */
#ifndef CLSPI_BEZIER_EDGES_H
#define CLSPI_BEZIER_EDGES_H

#include "axis_sum.h"

/* Tells whether a description's vertices need it. */
bool clspi_bezier_edges_needed(const clspi_tensor_desc *desc);

/* Makes the kernel. one_pass: vertices are made by vertex_rows, which leaves 0 for normals that are
   lost; else all are made again. */
clsp_status clspi_bezier_edges_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_tensor_desc *desc, bool one_pass);

/* Makes the vertices on edges of some rows; points: control points of all patches. */
clsp_status clspi_bezier_edges_eval(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_tensor_desc *desc, cl_mem points,
                                    const clspi_rows *rows);

/* Builds the program ahead of use. */
clsp_status clspi_bezier_edges_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     bool one_pass);

#endif
