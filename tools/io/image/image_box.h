/* Boxes of an image: some of its samples along each direction, with all channels. */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_BOX_H
#define CLSPLINE_TOOLS_IO_IMAGE_BOX_H

#include "image_array.h"

typedef struct image_box {
    size_t frame;
    size_t begin[IMAGE_MAX_DIRECTIONS], size[IMAGE_MAX_DIRECTIONS];
} image_box;

/* Steps through the lines of a box of an array, each of which lies without a gap: along the last
   direction, or along as many of the last ones as the box has whole. */
typedef struct image_lines {
    const image_box *box;
    uint32_t gap; /* the last direction along which lines have a gap between them; lines are of
                     those behind it, and of some of this one */
    size_t num, bytes;
} image_lines;

/* Makes the box of all samples of a frame. */
image_box image_box_whole(const image_array *a, size_t frame);

/* The box must outlive the lines. */
image_lines image_box_lines(const image_array *a, const image_box *box);

/* Returns where a line begins in the array, in bytes. */
size_t image_line_at(const image_array *a, const image_lines *lines, size_t line);

#endif
