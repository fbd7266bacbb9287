/* Images into OME-Zarr: version 2 of Zarr and 0.4 of OME-NGFF, one resolution, chunks that are not
   packed and lie in folders of their own. Axes are t where there are images in a row, c where there
   are channels, which are apart, z, y and x. All numbers are written, in chunks of 64 x 128 x 128
   of volumes and 512 x 512 of images, or as large as the image; those at the ends go on with zeros.
 */
#ifndef CLSPLINE_TOOLS_IO_ZARR_WRITER_H
#define CLSPLINE_TOOLS_IO_ZARR_WRITER_H

#include "image_array.h"

/* Returns how many rows or slices a chunk has, so that parts that begin at multiples of them have
   chunks of their own. */
size_t zarr_writer_layer(const image_array *whole);

/* Counts the bytes of all chunks. */
uint64_t zarr_writer_bytes(const image_array *whole);

/* A folder that is written. */
typedef struct zarr_writer {
    int folder;
    const char *name;         /* for messages */
    const image_array *whole; /* what is written in all; its values are not looked at */
    bool is_shared;           /* others write into it, and what is written has to last (fsync) */
    io_message *message;
} zarr_writer;

/* Writes what the image is, and rows or slices of it from `first` on, which begin at a multiple of
   a chunk's and end at one, or where the image does. */
bool zarr_writer_put(const zarr_writer *w, const image_array *rows, size_t first);

/* Writes an image. False with a message that begins with the path. */
bool zarr_write(const image_array *a, const char *path, io_message *message);

#endif
