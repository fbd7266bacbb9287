/* Vertices on the edges of surfaces, made again after the grid: watertight points, and normals
   where the tangent plane is a limit (bezier_edges.cl). */
#ifndef CLSPI_BEZIER_EDGES_H
#define CLSPI_BEZIER_EDGES_H

#include "axis_sum.h"

/* Tells whether a description's vertices need it. */
bool clspi_bezier_edges_needed(const clspi_tensor_desc *desc);

/* How the program is built. */
typedef struct clspi_edges_build {
    bool one_pass; /* vertices are made by vertex_rows or vertex_strips, which leave 0 for normals
                      that are lost; else all are made again */
    bool quick;    /* in half the time, for a kernel that takes five times as long */
} clspi_edges_build;

/* Tells whether so many patches have so few vertices on edges that the first call is over sooner
   with a quick build: on CPUs, where only lost normals are made. */
bool clspi_bezier_edges_quick(const clsp_context *ctx, const clspi_tensor_desc *desc,
                              size_t num_patches);

/* Makes the kernel in the place of another one, which stays where this fails. */
clsp_status clspi_bezier_edges_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_tensor_desc *desc, clspi_edges_build how);

/* Makes the vertices on edges of some rows; points: control points of all patches. */
clsp_status clspi_bezier_edges_eval(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_tensor_desc *desc, cl_mem points,
                                    const clspi_rows *rows);

/* Builds the program ahead of use. */
clsp_status clspi_bezier_edges_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     clspi_edges_build how);

#endif
