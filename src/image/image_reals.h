/* A plan's coefficients as the host's evaluation reads them. */
#ifndef CLSPI_IMAGE_REALS_H
#define CLSPI_IMAGE_REALS_H

#include "image_points.h"
#include "image_store.h"

/* Tells whether so many planes of a whole are small. */
bool clspi_whole_is_small(const clspi_image_layout *layout, uint32_t directions, size_t num_planes);

/* Tells whether so many images of a plan are small: a copy of them that is the host's own counts
   for nothing. */
bool clspi_image_is_small(const clsp_image_plan *plan, size_t num_images);

/* Makes the reals of coefficients in host memory, where that has not been done. The last load and
   the description decide which margins they have. */
clsp_status clspi_image_host_reals(clsp_image_plan *plan);

/* Makes room for reals that the host's evaluation needs; and makes those that there is room for,
   after the coefficients. */
clsp_status clspi_image_reals_reserve(clsp_image_plan *plan);
void clspi_image_reals_renew(clsp_image_plan *plan);

/* Describes the reals of so many planes from one on, which are there. */
clspi_image_planes clspi_image_host_planes(const clsp_image_plan *plan, size_t first, uint32_t num);

/* Returns the bytes of a copy of an image's planes with margins, in which few points have taps
   beyond the edges; 0: there is none, as they have margins, are large, or have few taps. */
size_t clspi_image_wide_bytes(const clsp_image_plan *plan, const clspi_image_planes *planes);

/* Makes that copy in `room`, and has the planes be it: the same values, bit for bit. */
void clspi_image_widen(const clsp_image_plan *plan, clspi_image_planes *planes, void *room);

#endif
