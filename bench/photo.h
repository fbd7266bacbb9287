/* Photographs for the suite image, in grey, from PNG files. */
#ifndef BENCH_PHOTO_H
#define BENCH_PHOTO_H

#include <stddef.h>

enum { PHOTO_WHY_MAX = 128 };

/* Reads a file as greys 0 to 255, [height][width]; the caller frees. NULL, and why says why not. */
float *photo_read(const char *path, size_t *width, size_t *height, char why[PHOTO_WHY_MAX]);

#endif
