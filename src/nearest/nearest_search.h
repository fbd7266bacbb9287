/* What a plan of curves or surfaces keeps for the search of nearest points: what its control points
   become, on the host and on its device. */
#ifndef CLSPI_NEAREST_SEARCH_H
#define CLSPI_NEAREST_SEARCH_H

#include "curve_search.h"
#include "nearest_query.h"
#include "spans.h"
#include "surface_search.h"
#include "patch_plan.h"

typedef struct clspi_nearest {
    double scale[4]; /* of coordinates, in which distances are a metric's: 1 each as a rule */
    bool is_scaled;  /* some are not 1 */
    clspi_curve_search *curves;     /* of the host; NULL: not made, */
    clspi_surface_search *surfaces; /* nor this, */
    uint64_t load;                  /* and of which control points either is; 0: of none */
    struct clspi_curve_device *curve_device;
    struct clspi_surface_device *surface_device;
    struct clspi_nearest_cubic *cubic; /* of mrep; NULL: not made */
    void (*destroy_cubic)(struct clspi_nearest_cubic **cubic);
    clspi_kernel scale_queries, unscale_results; /* metric.cl */
    cl_mem points, queries;                      /* scaled */
    size_t queries_bytes;
} clspi_nearest;

/* Queries in memory of a device and where their results go; offsets in elements. patches, hints and
   normals may be NULL. */
typedef struct clspi_nearest_job {
    cl_mem points, patches, hints, out, normals;
    size_t points_offset, patches_offset, hints_offset, offset, normals_offset;
    size_t num;
    uint32_t num_nearest; /* results of each */
    double max_dist;      /* 0: no limit */
} clspi_nearest_job;

/* Makes plan->nearest for coordinates scaled so, where that has not been done. */
clsp_status clspi_nearest_ready(clsp_patch_plan *plan, const double scale[4]);
void clspi_nearest_destroy(clspi_nearest **nearest);

/* Checks that a plan's curves or surfaces can be projected onto. */
clsp_status clspi_nearest_check_patches(const clsp_patch_plan *plan, const clsp_run *run);

/* Makes the spans of a plan along a direction; clspi_spans_release must follow in every case. */
clsp_status clspi_nearest_spans(const clsp_patch_plan *plan, uint32_t way, clspi_spans *spans);

/* Gives the control points that are searched, in host memory: *own, for the caller to free, where
   they are not those loaded. */
clsp_status clspi_nearest_points(clsp_patch_plan *plan, const void **points, void **own);

/* Describes what of a plan is searched. */
clspi_search_desc clspi_nearest_describe(const clsp_patch_plan *plan, const clspi_spans spans[2],
                                         const void *points);

/* Has the context's workers do pieces of work: the `run` of clspi_parallel. host: a clspi_plan. */
void clspi_nearest_run_pieces(void *host, size_t num, clspi_piece_fn fn, void *user);

/* Answers queries by a search of surfaces: in pieces, by the context's workers or by the calling
   thread alone. False without memory. */
bool clspi_nearest_answer(clspi_plan *base, const clspi_surface_search *search, uint32_t dim,
                          const clspi_nearest_queries *queries, bool alone);

/* Makes what the host searches of the control points loaded, where that has not been done. The
   caller holds the plan's lock, and has called clspi_nearest_ready. */
clsp_status clspi_nearest_prepare(clsp_patch_plan *plan);

/* Searches on the host, which is prepared: for queries on surfaces with the context's workers, if
   the thread is not to do all alone. */
clsp_status clspi_nearest_find(clsp_patch_plan *plan, const clspi_nearest_queries *queries,
                               bool alone);

/* Returns the bytes of a result, and the elements. */
size_t clspi_nearest_bytes(clsp_type precision);
size_t clspi_nearest_reals(clsp_type precision);

/* Reports that there is no memory for a search. */
clsp_status clspi_nearest_no_memory(const clsp_patch_plan *plan);

#endif
