/* Queries that a device has left to the host (surface_device.c). */
#ifndef CLSPI_SURFACE_LEFTOVER_H
#define CLSPI_SURFACE_LEFTOVER_H

#include "nearest_query.h"
#include "patch_plan.h"

typedef struct clspi_surface_leftover {
    size_t num, dim;
    size_t real_bytes, result_bytes;
    cl_uint *entries; /* [num][QUERY_WORDS of surface_list.clh], which the caller fills */
    void *points, *hints;
    uint32_t *patches;
    bool has_patches, has_hints, has_normals; /* what queries have, and whether normals are found */
    void *results, *normals; /* clspi_nearest_.. [num]; [num][CLSPI_NORMAL_REALS] */
} clspi_surface_leftover;

/* Makes room for so many. Returns false where memory is short; release it in any case. */
bool clspi_surface_leftover_make(clspi_surface_leftover *l, const clspi_tensor_desc *desc,
                                 size_t num);
void clspi_surface_leftover_release(clspi_surface_leftover *l);

/* Returns the queries of the entries, and where their results go. */
clspi_nearest_queries clspi_surface_leftover_queries(clspi_surface_leftover *l, double max_dist);

#endif
