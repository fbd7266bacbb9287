/* Strips: what a step of the prefilter makes of a part of a plane in host memory. A strip has whole
   lines, or blocks of them with the samples around that their coefficients depend on. */
#ifndef CLSPI_IMAGE_STRIPS_H
#define CLSPI_IMAGE_STRIPS_H

#include "image_filter.h"
#include "image_lines.h"
#include "image_store.h"
#include "work.h"

typedef struct clspi_image_strips {
    clsp_image_plan *inner; /* that filters them: of one channel of reals. NULL: not made */
    cl_mem from, to;
    size_t from_bytes, to_bytes;
    clspi_image_staging staging;
} clspi_image_strips;

void clspi_image_strips_release(clspi_image_strips *strips);

/* Makes a part of a step's result on a plan's device; pieces of the part are rows of coefficients,
   lines are coefficients. */
clsp_status clspi_image_strips_make(clsp_image_plan *plan, clspi_series *series, uint32_t step,
                                    const clspi_line_source *source, const clspi_part *part,
                                    const clspi_target *target);

#endif
