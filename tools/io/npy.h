/* NumPy's files of one array, .npy, as numpy.lib.format documents them: "\x93NUMPY", the version,
   the length of a header, the header, which is a Python dictionary as text, and the numbers.

   Read are versions 1 to 3 with numbers of type '<f4' or '<f8' in C order. */
#ifndef CLSPLINE_TOOLS_IO_NPY_H
#define CLSPLINE_TOOLS_IO_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

enum { NPY_MAX_AXES = 8 };

typedef struct npy_header {
    bool is_f64; /* else f32 */
    uint32_t num_axes;
    uint64_t shape[NPY_MAX_AXES];
    uint64_t bytes; /* of the header: where the numbers begin */
} npy_header;

/* Reads the header from the beginning of a stream. False with a message "NAME: offset N: why". */
bool npy_read_header(npy_header *header, FILE *file, const char *name, io_message *message);

enum { NPY_HEADER_BYTES = 384 }; /* of what npy_make_header makes */

/* Makes the header of version 1 for an array of a type, as Python writes it, in one or, where
   columns is above 1, two dimensions. False where it has no room. */
bool npy_make_header(unsigned char header[NPY_HEADER_BYTES], const char *type, uint64_t rows,
                     uint32_t columns);

#endif
