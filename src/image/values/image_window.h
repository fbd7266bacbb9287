/* Windows: the part of an image's coefficients that some results need, brought to a device from
   host memory. */
#ifndef CLSPI_IMAGE_WINDOW_H
#define CLSPI_IMAGE_WINDOW_H

#include <stddef.h>

#include "image_store.h"
#include "launch.h"
#include "split.h"

typedef struct clspi_image_job clspi_image_job;
typedef struct clsp_image_plan clsp_image_plan;

/* Along each direction the coefficients of index low to cut - 1, and behind them others from cut
   on, whose index i stands at i - high; num of both together. As image_axes of interpolate.clh. */
typedef struct clspi_image_part {
    uint32_t num[3];
    int32_t cut[3], low[3], high[3];
} clspi_image_part;

typedef struct clspi_image_window {
    clspi_image_part part;
    cl_mem buffer; /* [channels][num_z][num_y][num_x] */
    size_t bytes;
    size_t piece; /* that it is of */
    uint64_t load;
    size_t brought; /* bytes, of one load, to windows that were brought */
    clspi_image_staging staging;
} clspi_image_window;

void clspi_image_window_release(clspi_image_window *window);

/* Gives all coefficients of a layout. */
clspi_image_part clspi_image_whole(const clspi_image_layout *layout);

/* Makes a job ready: its kernel, and where the coefficients do not fit the plan's device, what
   windows need: then job->owner is set. */
clsp_status clspi_image_prepare(clspi_image_job *job);

/* Brings all coefficients to a joined device where they fit, from the second call on, when some
   part of them has come by windows. owner: the plan that has them in host memory. */
clsp_status clspi_image_upload_all(clsp_image_plan *peer, const clsp_image_plan *owner,
                                   clspi_series *series);

/* Makes the points of a part through windows. user: the job; pieces of the part are rows of the
   map, or all points, lines are points. */
clsp_status clspi_image_make_in_windows(const clspi_image_job *job, clspi_series *series,
                                        const clspi_part *part);

#endif
