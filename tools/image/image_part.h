/* A part of the output of `clspline image`: rows of it, or slices, along its first direction, of
   every frame. */
#ifndef CLSPLINE_TOOLS_IMAGE_PART_H
#define CLSPLINE_TOOLS_IMAGE_PART_H

#include "image_request.h"
#include "parts.h"

typedef struct image_part {
    size_t first, count; /* rows or slices */
    size_t all;          /* of the whole output; 0: nothing was taken yet */
} image_part;

/* Takes the rows of a request's part of an output. False with a complaint where there are fewer
   than parts. */
bool image_part_take(image_part *part, const image_request *r, const image_array *whole);

/* Restricts a map, and what it makes, to a part. */
void image_part_restrict(const image_part *part, clsp_image_map *map, image_array *made);

/* Keeps the rows of a part of an image that has all. False with a message where memory is not
   enough, or values that are in a file cannot be read. */
bool image_part_crop(const image_part *part, image_array *a, const char *name, io_message *message);

/* Writes the rows that an array has to their places in the file of all. The record gets its
   bytes. */
bool image_part_write(const image_part *part, const image_array *a, const image_request *r,
                      part_record *record, io_message *message);

#endif
