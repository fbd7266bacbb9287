/* Conversions by the host's threads: sums of rows of weights, along the last direction first. */
#ifndef CLSPI_CONVERT_HOST_H
#define CLSPI_CONVERT_HOST_H

#include <clspline/bspline.h>

#include "work.h"

/* Neighbouring rows that count the same control points, or differences of two of these. */
typedef struct clspi_row_group {
    size_t row;   /* the first */
    size_t num;   /* at most CLSPI_ROWS_AT_ONCE */
    size_t first; /* control point that counts */
} clspi_row_group;

/* The rows of a conversion along a direction, of all curves where these have knots of their own. */
typedef struct clspi_weight_rows {
    uint32_t terms; /* of a row */
    size_t num_groups;
    clspi_row_group *group;
    size_t *group_of; /* [rows] */
    void *weights;    /* [groups][terms][CLSPI_ROWS_AT_ONCE], in the plan's precision */
} clspi_weight_rows;

/* What the host makes control points with; made when it is first needed, differences anew when
   control points have changed. */
typedef struct clspi_convert_host {
    clspi_weight_rows along[3];
    void *differences; /* of control points along the directions of derivatives; NULL: none */
    uint64_t load;     /* of the control points that they are of; 0: none */
} clspi_convert_host;

void clspi_convert_host_release(clspi_convert_host *host);

/* Make the host ready for a conversion, and have it make lines, as clspi_work_makers asks. */
clsp_status clspi_convert_prepare_host(const clspi_work *work, clspi_way way);
clsp_status clspi_convert_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out);

#endif
