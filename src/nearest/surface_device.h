/* The search for nearest points of surfaces on a device (cl/nearest): a kernel that
   certifies most of what it finds, and the host's search for what it leaves over. */
#ifndef CLSPI_SURFACE_DEVICE_H
#define CLSPI_SURFACE_DEVICE_H

#include "nearest_search.h"

typedef struct clspi_surface_device clspi_surface_device;

/* What a device searches: the surfaces of a plan, or of several. */
typedef struct clspi_searched {
    clspi_surface_device **device;        /* what has been made of it there */
    clspi_plan *base;                     /* of the device */
    const clspi_tensor_desc *desc;        /* degrees and weights where all have the same ones */
    const clspi_surface_search *surfaces; /* what they are on the host, */
    uint64_t load;                        /* and of which control points */
    size_t num_patches;
    bool has_probes;
    clsp_status (*find)(void *of, const clspi_nearest_queries *queries); /* what is left over, by */
    void *of;                                                            /* the host */
} clspi_searched;

/* Tells whether a device searches at all: GPUs with double precision do. */
bool clspi_surface_device_searches(const clsp_context *ctx);

/* Tells whether a device searches patches: of surfaces in space and in the plane. */
bool clspi_surface_device_fits(const clsp_context *ctx, uint32_t directions, uint32_t dim,
                               size_t num_patches);

/* Tells whether what surfaces become fits the memory of a device. */
bool clspi_surface_device_holds(const clsp_context *ctx, const clspi_surface_search *surfaces);

/* Builds the programs of surfaces ahead of use; mixed: of several shapes. */
clsp_status clspi_surface_device_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                       bool mixed);

/* Finds the nearest points of surfaces. The bits of a result depend on its query alone. */
clsp_status clspi_surface_device_find(const clspi_searched *s, clspi_series *series,
                                      const clspi_nearest_job *job);
void clspi_surface_device_destroy(clspi_surface_device **device);

#endif
