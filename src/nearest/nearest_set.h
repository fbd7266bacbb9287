/* A search over the patches of several plans: the inner part of clsp_nearest (clspline/nearest.h).
 */
#ifndef CLSPI_NEAREST_SET_H
#define CLSPI_NEAREST_SET_H

#include <clspline/nearest.h>

#include "nearest_search.h"

struct clsp_nearest {
    clspi_plan base; /* first: other layers know the search by it */
    clsp_type precision;
    uint32_t dim;
    size_t num_patches;
    double num_reals;       /* of control points */
    clspi_tensor_desc desc; /* of the first plan */
    clspi_surface_search *surfaces;
    struct clspi_surface_device *device;
};

/* Searches on the host: with the context's workers, if the thread is not to do all alone. */
clsp_status clspi_nearest_set_find(clsp_nearest *search, const clspi_nearest_queries *queries,
                                   bool alone);

#endif
