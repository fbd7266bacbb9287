/* Arrays of Zarr, version 2: a folder with a file .zarray, which tells what the array is, and a
   file for each of its chunks, which are boxes of it of one size. The first axis is slowest.

   Read are chunks as they are, and those packed by zlib or gzip where this build has zlib. A chunk
   that is not there has one value all over, the array's fill value. */
#ifndef CLSPLINE_TOOLS_IO_ZARR_ARRAY_H
#define CLSPLINE_TOOLS_IO_ZARR_ARRAY_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "npy.h"

enum { ZARR_MAX_AXES = NPY_MAX_AXES, ZARR_NAME_BYTES = 21 * ZARR_MAX_AXES + 1 };

typedef struct zarr_array {
    npy_header form; /* type and byte order of numbers; nothing else is set */
    uint32_t num_axes;
    uint64_t shape[ZARR_MAX_AXES], chunk[ZARR_MAX_AXES];
    double fill;
    char separator; /* between the numbers in a chunk's name: '.' or '/' */
    bool is_packed;
} zarr_array;

/* Reads .zarray in a folder. name: the folder's, with which messages begin. False with a message
   for what is no array that can be read. */
bool zarr_array_read(zarr_array *z, int folder, const char *name, io_message *message);

/* Returns the bytes of a chunk as it is in memory. */
uint64_t zarr_chunk_bytes(const zarr_array *z);

/* Returns how many chunks there are along an axis. */
uint64_t zarr_num_chunks(const zarr_array *z, uint32_t axis);

/* Writes the name of a chunk in the array's folder. */
void zarr_chunk_name(const zarr_array *z, const uint64_t *index, char name[ZARR_NAME_BYTES]);

/* Reads a file of JSON in a folder. *is_there: whether there is one. NULL with a message where it
   cannot be read or is no JSON; the caller gives what comes to cJSON_Delete. */
cJSON *zarr_json_read(int folder, const char *file, const char *name, bool *is_there,
                      io_message *message);

enum { ZARR_SHOWN = 40 };

/* Writes a text of a file as a message may show it: short and printable. Returns `to`. */
const char *zarr_shown(const char *text, char to[ZARR_SHOWN]);

#endif
