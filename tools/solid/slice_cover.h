/* Pixels of a plane that a block of a cell covers. */
#ifndef CLSPLINE_TOOLS_SLICE_COVER_H
#define CLSPLINE_TOOLS_SLICE_COVER_H

#include <stdint.h>

#include "cubic_net.h"

/* Parallel planes with the same pixels: pixel (i, j) of plane k has its middle at
   low[0] + (j + 1/2) pixel to the right, low[1] + (rows - i - 1/2) pixel up, and
   first + k step across. */
typedef struct slice_frame {
    uint32_t axis, across[2]; /* across the planes, to the right, and up */
    double low[2], pixel, first, step;
    double begin, end; /* of the solid's samples across the planes */
    size_t rows, columns, planes;
} slice_frame;

/* Computes the middle of a pixel, of which there are rows * columns a plane. */
void slice_frame_middle(const slice_frame *f, size_t pixel, double point[3]);

/* Takes a pixel with parameters near which it may be. is_within: it is within the net as straight
   lines have it, to rounding, and not only near it. */
typedef bool (*pixel_taker)(void *user, size_t pixel, const double t[3], bool is_within);

/* Calls `take` for all pixels of a plane whose middles a net's points may be, some of them more
   than once. off: how far the net may be off. rounding: the part of it that is rounding, by which
   nets that meet in a face may be apart there, so that what is nearer counts as within. False when
   `take` says so. */
bool slice_cover(const slice_frame *f, size_t plane, const cubic_net *net, double off,
                 double rounding, pixel_taker take, void *user);

#endif
