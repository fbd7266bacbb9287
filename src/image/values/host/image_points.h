/* Values and gradients of splines on grids of coefficients, as images and volumes are, on the host:
   what image_values.cl computes, in two precisions (docs/math.md, 18). Directions are z, y, x, x
   the fastest; of those that there are not the size is 1. A real is what the precision says. */
#ifndef CLSPI_IMAGE_POINTS_H
#define CLSPI_IMAGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect.h"
#include "level.h"
#include "extension.clh"
#include "image_numbers.clh"
#include "spline_orders.clh"

enum {
    CLSPI_IMAGE_STEPS = 64, /* points of a row that are made side by side */
    CLSPI_IMAGE_SPARE = 8   /* reals behind the last plane, which are read and count for nothing */
};

/* The coefficients of the channels of an image, and what is asked of them. */
typedef struct clspi_image_planes {
    const void *planes; /* [channels][stored_0 + 2 margin_0][stored_1 + 2 margin_1]
                           [stored_2 + 2 margin_2] reals, and CLSPI_IMAGE_SPARE more */
    uint32_t size[3], pad[3], mode[3];
    uint32_t margin[3]; /* coefficients around the image by which it continues; 0 where it is cut */
    uint32_t stored[3]; /* coefficients of the image that there are, from `low` on */
    int32_t low[3];
    uint32_t order, directions, channels, attributes;
    double cval;
    const void *range; /* [channels][2] reals, to which values are clipped; NULL: they are not */
    uint32_t type;     /* of values */
    bool rounds_up;    /* halves of integer values, away from 0; else they go to even */
} clspi_image_planes;

/* An affine map of z, y, x and 1: as reals, for numbers with `middle` added, and with 32 and 32
   more bits behind the point, to which half of 2^-28 has been added: coordinates are cut off to
   multiples of that. */
typedef struct clspi_image_grid {
    bool is_fixed;
    double matrix[3][4], middle;
    uint64_t fixed[3][4];
    uint32_t low[3][4];
    /* multiples of those of x: whole numbers, and 32 and 32 more bits behind the point */
    uint32_t step[3][3][CLSPI_IMAGE_STEPS];
} clspi_image_grid;

/* Points of a row, and where they are: at those of a map, along displacements, or at coordinates,
   which are reals. */
typedef struct clspi_image_row {
    const clspi_image_grid *grid; /* NULL: at coordinates */
    uint32_t z, y, x;             /* of the first point of a map */
    size_t num;
    const void *field[3]; /* displacements or coordinates; of a map all may be NULL */
    size_t step;          /* reals from one point's coordinate to the next one's */
    void *out;            /* [num][channels][components] of the type */
} clspi_image_row;

typedef void clspi_image_values(const clspi_image_planes *planes, const clspi_image_row *row);

CLSPI_LEVELS(extern clspi_image_values, clspi_image_values_f32, );
CLSPI_LEVELS(extern clspi_image_values, clspi_image_values_f64, );
#define clspi_image_values_f32 CLSPI_AT_LEVEL(clspi_image_values_f32)
#define clspi_image_values_f64 CLSPI_AT_LEVEL(clspi_image_values_f64)

#endif
