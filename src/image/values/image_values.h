/* Launches of the kernels of values: how maps, displacements and coordinates are handed to them. */
#ifndef CLSPI_IMAGE_VALUES_H
#define CLSPI_IMAGE_VALUES_H

#include "image_job.h"

/* Make the rows, or the points, of a part, from and into the buffers of the job's streams, which is
   `user`. */
clsp_status clspi_image_make_rows(void *user, clspi_series *series, const clspi_part *part);
clsp_status clspi_image_make_points(void *user, clspi_series *series, const clspi_part *part);

/* Restricts a job to points of one row, of which the output has no others: pieces of the part are
   rows, lines are points. Returns the row. */
clspi_part clspi_image_row_of(clspi_image_job *job, const clspi_part *part);

/* Describes the coefficients of a job to kernels. */
clspi_image_axes clspi_image_axes_of(const clspi_image_job *job);

#endif
