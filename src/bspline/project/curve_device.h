/* The search for the nearest points of curves, on a device (nearest.cl). */
#ifndef CLSPI_CURVE_DEVICE_H
#define CLSPI_CURVE_DEVICE_H

#include <clspline/nearest.h>

#include "segments.h"

struct clspi_nearest {
    clspi_segments segments;
    clspi_kernel find[2]; /* one result a query, and several */
    cl_mem weights;       /* of products in Bernstein form */
};

/* Queries and where their results go; offsets in elements. patches and hints may be NULL. */
typedef struct clspi_nearest_job {
    cl_mem points, patches, hints, out;
    size_t points_offset, patches_offset, hints_offset, offset;
    size_t num;
    uint32_t num_nearest; /* results of each */
    double max_dist;      /* 0: no limit */
} clspi_nearest_job;

/* Returns the build options of nearest.cl; many: for several results a query. */
clspi_options clspi_nearest_options(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                    bool many);

/* Makes what the search needs, of control points that are there. */
clsp_status clspi_nearest_prepare(clspi_bspline_plan *plan, clspi_series *series,
                                  uint32_t num_nearest);
clsp_status clspi_nearest_find(const clspi_bspline_plan *plan, clspi_series *series,
                               const clspi_nearest_job *job);
void clspi_nearest_destroy(clspi_nearest **nearest);

#endif
