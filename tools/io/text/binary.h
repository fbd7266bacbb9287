/* Numbers in binary, as they come next in a file that a scanner reads; or words of its text, of
   formats that have both. */
#ifndef CLSPLINE_TOOLS_IO_BINARY_H
#define CLSPLINE_TOOLS_IO_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "scanner.h"

/* The file, and how far it is read. Zero but for scan: at its beginning, little-endian. */
typedef struct binary {
    scanner *scan;
    bool is_text;    /* numbers are words: bytes do not matter */
    bool is_big;     /* the bytes of a number run from the highest to the lowest */
    uint64_t offset; /* of the next byte, from where this was begun */
} binary;

/* Reads a whole number 0..max of 1 to 8 bytes, with or without a sign; `what` names it in messages.
   False on failure. */
bool binary_count(binary *b, uint32_t bytes, const char *what, uint32_t max, uint32_t *value);

/* Reads a position or a size of 1 to 8 bytes; not of text. */
bool binary_size(binary *b, uint32_t bytes, uint64_t *value);

/* Reads a whole number of 1 to 8 bytes with a sign; not of text. */
bool binary_integer(binary *b, uint32_t bytes, int64_t *value);

/* Reads a number by which things are marked: a whole one with a sign, of text any. */
bool binary_mark(binary *b, uint32_t bytes, const char *what, double *value);

/* Reads a finite float, of 4 bytes, or a double, of 8. */
bool binary_real(binary *b, uint32_t bytes, const char *what, double *value);

/* Leaves out bytes; not of text. */
bool binary_skip(binary *b, uint64_t bytes);

/* Leaves out so many numbers of some bytes each. */
bool binary_skip_numbers(binary *b, uint32_t bytes, uint64_t count);

/* Fails with a message that has the place, of text the last word's line. Returns false. */
bool binary_fail(binary *b, const char *format, ...) IO_PRINTF(2, 3);

#endif
