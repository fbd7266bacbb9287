/* Cubics within a tolerance of the segments of a plan's curves, on the device (cubics.cl). */
#ifndef CLSPI_CUBICS_H
#define CLSPI_CUBICS_H

#include "segments.h"

/* All is made again when the plan's control points or the tolerance have changed. What is made in
   steps is kept twice, and `now` says which one counts. */
typedef struct clspi_cubics {
    bool is_made;
    bool cut;         /* there were too many: some are not within the tolerance */
    uint64_t load;    /* of the plan's control points that it was made of */
    double tolerance; /* as it was asked for */
    double error;     /* how far cubics may be from their segments */
    size_t num;
    uint32_t now;
    clspi_segments segments;
    cl_mem cubics[2], parts[2], controls[2], counts, firsts;
    size_t cubics_bytes[2], parts_bytes[2], controls_bytes[2], counts_bytes, firsts_bytes;
    cl_mem weights, worst;
    clspi_kernel fit, sum, halve, note;
} clspi_cubics;

/* Makes the cubics of the curves that there are, unless they are there already: within half of the
   tolerance of their segments, 0 being 1e-4 of the size of the curves. Waits for the device, which
   alone knows how many there will be. */
clsp_status clspi_cubics_prepare(clspi_bspline_plan *plan, clspi_cubics *cubics,
                                 clspi_series *series, double tolerance);
void clspi_cubics_release(clspi_cubics *cubics);

#endif
