/* Images whose values stay in their file, for those who need some of them at a time: the file has
   them as they are in memory, one behind the other. */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_STORED_H
#define CLSPLINE_TOOLS_IO_IMAGE_STORED_H

#include <stdio.h>

#include "image_array.h"

/* Leaves the values of an image in a file of which they are all that follows `at`. False where the
   file has no places (a pipe), or not so many bytes: then the image is as it was. */
bool image_stored_keep(image_array *a, FILE *file, uint64_t at);

/* Reads so many bytes of the values from byte `from` on. False where they cannot be read: the file
   has become another one. */
bool image_stored_read(const image_array *a, uint64_t from, void *to, size_t bytes);

/* Reads all values into memory, if they are not there. False without memory, or as above. */
bool image_stored_load(image_array *a);

#endif
