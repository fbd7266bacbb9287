/* NumPy's files of one array, .npy, as numpy.lib.format documents them: "\x93NUMPY", the version,
   the length of a header, the header, which is a Python dictionary as text, and the numbers.

   Read are versions 1 to 3 with numbers in C order. */
#ifndef CLSPLINE_TOOLS_IO_NPY_H
#define CLSPLINE_TOOLS_IO_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

enum { NPY_MAX_AXES = 8 };

typedef enum npy_type { NPY_F32, NPY_F64, NPY_U8, NPY_U16, NPY_S16 } npy_type;

/* Types that a reader takes. */
typedef enum npy_types { NPY_REALS /* f32 and f64 */, NPY_NUMBERS /* all */ } npy_types;

typedef struct npy_header {
    npy_type type;
    uint32_t num_axes;
    uint64_t shape[NPY_MAX_AXES];
    uint64_t bytes; /* of the header: where the numbers begin */
} npy_header;

/* Reads the header from the beginning of a stream. False with a message "NAME: offset N: why". */
bool npy_read_header(npy_header *header, npy_types types, FILE *file, const char *name,
                     io_message *message);

enum { NPY_HEADER_BYTES = 384 }; /* of what npy_make_header makes */

/* Makes the header of version 1 for an array of a type, as Python writes it. False where it has no
   room. */
bool npy_make_header(unsigned char header[NPY_HEADER_BYTES], const char *type,
                     const uint64_t *shape, uint32_t num_axes);

#endif
