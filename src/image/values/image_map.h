/* Affine maps of images as kernels get them. */
#ifndef CLSPI_IMAGE_MAP_H
#define CLSPI_IMAGE_MAP_H

#include "image_plan.h"
#include "kernel_arguments.h"

/* A map, checked, with its directions z, y, x. */
typedef struct clspi_image_map {
    uint32_t size[3]; /* of the output */
    uint32_t origin[3];
    double matrix[3][4]; /* of numbers with `middle` added */
    double middle;       /* 1/2 where samples are areas, else 0 */
    uint32_t attributes;
    bool is_fixed; /* kernels get it as fixed-point numbers */
} clspi_image_map;

/* Checks a map, which may be NULL, and puts defaults in place. */
clsp_status clspi_image_map_resolve(const clsp_image_plan *plan, const clsp_image_map *given,
                                    clspi_image_map *map);

/* Gives one direction's coordinate to kernels. */
clspi_map_axis clspi_image_map_axis(const clspi_image_map *map, uint32_t k);

#endif
