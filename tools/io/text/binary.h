/* Numbers in binary, as they come next in a file that a scanner reads. */
#ifndef CLSPLINE_TOOLS_IO_BINARY_H
#define CLSPLINE_TOOLS_IO_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "scanner.h"

/* The file, and how far it is read. Zero but for scan: at its beginning, little-endian. */
typedef struct binary {
    scanner *scan;
    bool is_big;     /* the bytes of a number run from the highest to the lowest */
    uint64_t offset; /* of the next byte, from where this was begun */
} binary;

/* Reads a whole number 0..max of 1 to 8 bytes, with or without a sign; `what` names it in messages.
   False on failure. */
bool binary_count(binary *b, uint32_t bytes, const char *what, uint32_t max, uint32_t *value);

/* Reads a position or a size of 1 to 8 bytes. */
bool binary_size(binary *b, uint32_t bytes, uint64_t *value);

/* Reads a whole number of 1 to 8 bytes with a sign. */
bool binary_integer(binary *b, uint32_t bytes, int64_t *value);

/* Reads a finite float, of 4 bytes, or a double, of 8. */
bool binary_real(binary *b, uint32_t bytes, const char *what, double *value);

/* Leaves out bytes. */
bool binary_skip(binary *b, uint64_t bytes);

/* Fails with a message that has the place. Returns false. */
bool binary_fail(binary *b, const char *format, ...) IO_PRINTF(2, 3);

#endif
