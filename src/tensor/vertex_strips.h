/* Vertices of surfaces in one pass from control points, in wide vectors: the way of CPUs. */
#ifndef CLSPI_VERTEX_STRIPS_H
#define CLSPI_VERTEX_STRIPS_H

#include "grid_sums.h"

typedef struct clspi_vertex_strips {
    clspi_kernel kernel;
    cl_mem scratch; /* what items keep */
    size_t scratch_bytes;
} clspi_vertex_strips;

/* Tells whether a description can go that way on this device. */
bool clspi_vertex_strips_fit(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Makes the build options of vertex_strips.cl, where it fits. */
clspi_options clspi_vertex_strips_options(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Makes the kernel; the sums are prepared with in_strips. */
clsp_status clspi_vertex_strips_prepare(clspi_vertex_strips *strips, clsp_context *ctx,
                                        const clspi_tensor_desc *desc);
void clspi_vertex_strips_release(clspi_vertex_strips *strips);

/* What strips are made of: control points of all patches and, where these are relative to centres,
   how many reals are before the centres (centre_points.h). */
typedef struct clspi_strip_source {
    cl_mem points;
    size_t centres;
} clspi_strip_source;

/* Makes the vertices of some rows. */
clsp_status clspi_vertex_strips_eval(clspi_vertex_strips *strips, const clspi_grid_sums *sums,
                                     clspi_series *series, const clspi_tensor_desc *desc,
                                     const clspi_strip_source *source, const clspi_rows *rows);

#endif
