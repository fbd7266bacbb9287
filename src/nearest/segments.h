/* The Bezier segments of the curves of a plan, and the tree of boxes around them, on the device
   (segments.cl). */
#ifndef CLSPI_SEGMENTS_H
#define CLSPI_SEGMENTS_H

#include "kernel_arguments.h"
#include "nearest_search.h"

enum { CLSPI_BOX_TIERS = 32 /* at most */ };

/* All is made again when the plan's control points have changed. */
typedef struct clspi_segments {
    bool is_made;
    uint64_t load; /* of the plan's control points that it was made of */
    uint32_t spans;
    bool has_own;                          /* each curve has spans of its own */
    cl_uint tiers, all_tiers;              /* of boxes: of a curve, and of all */
    cl_uint counts[CLSPI_BOX_TIERS];       /* of a curve's boxes, above its tiers of all */
    uint64_t offsets[CLSPI_BOX_TIERS + 1]; /* boxes before those of a tier */
    cl_mem segments, boxes, tier_table;
    size_t segments_bytes, boxes_bytes;
    cl_mem operators, controls, span_table; /* of the knots */
    clspi_kernel make, join;
} clspi_segments;

/* Counts the reals of a segment behind its control points: origin, extent and span. */
static inline size_t clspi_frame_reals(const clspi_tensor_desc *d)
{
    return (size_t)d->dim + 1 + CLSPI_SPAN_ENDS;
}

/* Returns the build options of segments.cl and nearest.cl. */
clspi_options clspi_segment_options(const clsp_context *ctx, const clspi_tensor_desc *desc);

/* Makes a buffer of reals of a precision. */
clsp_status clspi_reals_create(cl_mem *buffer, clspi_series *series, clsp_type precision,
                               const double *reals, size_t num);

/* Makes the segments of the curves that there are, unless they are those of the plan's control
 * points already. */
clsp_status clspi_segments_prepare(clsp_patch_plan *plan, clspi_segments *segments,
                                   clspi_series *series);
void clspi_segments_release(clspi_segments *segments);

#endif
