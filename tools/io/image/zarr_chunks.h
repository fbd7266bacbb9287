/* Numbers of a Zarr array, from the chunks that have them. */
#ifndef CLSPLINE_TOOLS_IO_ZARR_CHUNKS_H
#define CLSPLINE_TOOLS_IO_ZARR_CHUNKS_H

#include "image_array.h"
#include "zarr_array.h"

/* A box of an array, and where its numbers go. */
typedef struct zarr_chunks {
    const zarr_array *array;
    int folder; /* of the chunks */
    uint64_t begin[ZARR_MAX_AXES], size[ZARR_MAX_AXES];
    image_type type;            /* of what is made of the numbers */
    void *to;                   /* where the first one goes, and how many numbers further */
    size_t step[ZARR_MAX_AXES]; /* the next one along each axis */
    const char *name;           /* of the image, for messages */
    io_message *message;
} zarr_chunks;

/* Takes all of them. False with a message where a chunk is damaged or cannot be read. */
bool zarr_chunks_take(const zarr_chunks *c);

/* Counts the bytes of the chunks that there are, until there are so many. */
uint64_t zarr_chunks_stored(const zarr_array *z, int folder, uint64_t enough);

#endif
