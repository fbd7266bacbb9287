/* Which coefficients the values at some coordinates are made of. */
#ifndef CLSPI_COEFFICIENT_PART_H
#define CLSPI_COEFFICIENT_PART_H

#include "image_window.h"

/* The least and the greatest coordinate of some points, z, y, x; empty where least is greater. */
typedef struct clspi_image_reach {
    double least[3], most[3];
} clspi_image_reach;

/* Gives what of a layout's coefficients values of an order need within a reach. */
clspi_image_part clspi_image_need(const clspi_image_layout *layout, uint32_t order,
                                  const clspi_image_reach *reach);

/* Gives the coordinates of all points of a job; given: where displacements or coordinates are. */
clspi_image_reach clspi_image_reach_of(const clspi_image_job *job, size_t points);

/* Tells whether one part holds all of another. */
bool clspi_image_part_holds(const clspi_image_part *part, const clspi_image_part *other);

/* Returns the coefficients of a part. */
double clspi_image_part_size(const clspi_image_part *part);

#endif
