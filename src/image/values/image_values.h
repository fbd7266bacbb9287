/* Launches of the kernels of values: how maps, displacements and coordinates are handed to them. */
#ifndef CLSPI_IMAGE_VALUES_H
#define CLSPI_IMAGE_VALUES_H

#include "image_job.h"

/* Make the rows of a part, or the points of a list, from and into the buffers of the job's streams.
 */
clsp_status clspi_image_make_rows(const clspi_image_job *job, clspi_series *series,
                                  const clspi_part *part);
clsp_status clspi_image_make_points(const clspi_image_job *job, clspi_series *series,
                                    const clspi_part *part);

/* Makes a part of the points of `user`, which is a job; of a map pieces are rows. */
clsp_status clspi_image_make_part(void *user, clspi_series *series, const clspi_part *part);

/* Returns a job whose streams begin `before` points behind those of another. */
clspi_image_job clspi_image_job_behind(const clspi_image_job *job, size_t piece, size_t before);

/* Describes the coefficients of a job to kernels. */
clspi_image_axes clspi_image_axes_of(const clspi_image_job *job);

#endif
