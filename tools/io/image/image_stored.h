/* Images whose values stay in their file, for those who need some of them at a time: one that has
   them as they are in memory, one behind the other. */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_STORED_H
#define CLSPLINE_TOOLS_IO_IMAGE_STORED_H

#include <stdio.h>

#include "image_box.h"

/* Leaves the values of an image in a file of which they are all that follows `at`. False where the
   file has no places (a pipe), or not so many bytes: then the image is as it was. */
bool image_stored_keep(image_array *a, FILE *file, uint64_t at);

/* Takes the values of a box, one behind the other, from memory or from where they are stored. False
   with a message that begins with the name. */
bool image_stored_take(const image_array *a, const image_box *box, void *to, const char *name,
                       io_message *message);

/* Reads all values into memory, if they are not there. False without memory, or as above. */
bool image_stored_load(image_array *a, const char *name, io_message *message);

#endif
