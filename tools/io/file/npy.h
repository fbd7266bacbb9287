/* NumPy's files of one array, .npy, as numpy.lib.format documents them: "\x93NUMPY", the version,
   the length of a header, the header, which is a Python dictionary as text, and the numbers.

   Read are versions 1 to 3. */
#ifndef CLSPLINE_TOOLS_IO_NPY_H
#define CLSPLINE_TOOLS_IO_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

enum { NPY_MAX_AXES = 8 };

typedef enum npy_type {
    NPY_F32,
    NPY_F64,
    NPY_U8,
    NPY_U16,
    NPY_S16,
    NPY_F16,
    NPY_S8,
    NPY_U32,
    NPY_S32,
    NPY_U64,
    NPY_S64
} npy_type;

typedef struct npy_header {
    npy_type type;
    bool is_big;     /* the bytes of a number run from the highest to the lowest */
    bool is_fortran; /* the first axis is fastest, else the last one */
    uint32_t num_axes;
    uint64_t shape[NPY_MAX_AXES];
    uint64_t bytes; /* of the header: where the numbers begin */
} npy_header;

/* The bytes of a number, and whether numbers are whole. */
size_t npy_type_bytes(npy_type type);
bool npy_type_is_whole(npy_type type);

/* Returns the number that stands in a file's bytes, rounded where it is an integer above 2^53. */
double npy_get(const npy_header *header, const unsigned char *bytes);

/* Reads the header from the beginning of a stream. False with a message "NAME: offset N: why". */
bool npy_read_header(npy_header *header, FILE *file, const char *name, io_message *message);

enum { NPY_HEADER_BYTES = 384 }; /* of what npy_make_header makes */

/* Makes the header of version 1 for an array of a type, as Python writes it. False where it has no
   room. */
bool npy_make_header(unsigned char header[NPY_HEADER_BYTES], const char *type,
                     const uint64_t *shape, uint32_t num_axes);

#endif
