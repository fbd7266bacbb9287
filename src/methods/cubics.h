/* Cubics within a tolerance of the segments of a plan's curves (docs/math.md, 15): made by the host
   in double precision, and searched on the device. */
#ifndef CLSPI_CUBICS_H
#define CLSPI_CUBICS_H

#include "segments.h"

/* All is made again when the plan's control points or the tolerance have changed. */
typedef struct clspi_cubics {
    bool is_made;
    bool cut;         /* there were too many: some are not within the tolerance */
    uint64_t load;    /* of the plan's control points that it was made of */
    double tolerance; /* as it was asked for */
    double error;     /* how far cubics may be from their segments */
    size_t num;
    clspi_segments segments;
    cl_mem cubics, firsts; /* [num]: cubic.clh; [segments + 1], the first of each segment's */
} clspi_cubics;

/* Makes the cubics of the curves that there are, unless they are there already: within half of the
   tolerance of their segments, 0 being 1e-4 of the size of the curves. Waits for the device, whose
   segments they are of. */
clsp_status clspi_cubics_prepare(clsp_patch_plan *plan, clspi_cubics *cubics, clspi_series *series,
                                 double tolerance);
void clspi_cubics_release(clspi_cubics *cubics);

#endif
