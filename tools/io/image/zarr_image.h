/* Images that are stored as OME-Zarr: a folder whose .zattrs tells, as OME-NGFF has it, which of
   its arrays is the image at full size, and what the axes of it are. A folder that is a Zarr array
   itself is read too, with axes as those of .npy files. */
#ifndef CLSPLINE_TOOLS_IO_ZARR_IMAGE_H
#define CLSPLINE_TOOLS_IO_ZARR_IMAGE_H

#include "image_box.h"
#include "zarr_array.h"

/* How an array is an image. */
typedef struct zarr_image {
    zarr_array array;
    int frames, channels;                 /* the axes of these; -1: there is none */
    int directions[IMAGE_MAX_DIRECTIONS]; /* the axes of those of the image */
} zarr_image;

/* Tells whether a path is that of a folder. */
bool zarr_image_suits(const char *path);

/* Opens an image, whose values stay where they are stored. directions: of arrays that do not tell
   what their axes are, as of .npy, and 3 keeps a depth of one slice; 0: by the lengths. */
bool zarr_image_open(image_array *a, const char *path, uint32_t directions, io_message *message);

/* Reads the values of a box from the chunks that have some of them, one after the other. */
bool zarr_image_take(const image_array *a, const image_box *box, void *to, const char *name,
                     io_message *message);

/* Tells whether the chunks that there are may be an image of its size: of a large one not all are
   missing. */
bool zarr_image_has_values(const image_array *a, const char *name, io_message *message);

#endif
