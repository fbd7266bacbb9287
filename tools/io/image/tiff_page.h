/* A page of a TIFF: what its tags say, and its samples as those of an image. libtiff reads and
   unpacks; image_tiff.c calls it. */
#ifndef CLSPLINE_TOOLS_IO_TIFF_PAGE_H
#define CLSPLINE_TOOLS_IO_TIFF_PAGE_H

#include <stdbool.h>
#include <tiffio.h>

#include "image_array.h"

typedef struct tiff_page {
    uint32_t width, height; /* as they are stored */
    uint32_t channels;      /* as they are stored; a palette has one */
    uint16_t format, bits, photometric;
    uint16_t orientation; /* 1..8, as TIFF numbers them */
    bool apart;           /* channels are stored one behind the other */
    uint16_t *palette[3]; /* [1 << bits] red, green, blue; libtiff's, while the page is read */
    int palette_shift;    /* of its entries, to 8 bits */
    image_array image;    /* what the page is turned into; without values */
} tiff_page;

/* Reads a page's tags. False with a reason for what is no image that is read. */
bool tiff_page_read(TIFF *tiff, tiff_page *page, const char **why);

/* Returns the bytes of a row of so many samples as libtiff unpacks it. */
size_t tiff_page_row_bytes(const tiff_page *page, size_t width);

/* Takes a block of samples as libtiff unpacks it, `width` x `height` of them from column x, row y,
   with so many bytes a row, of one channel alone where they are apart, into an image's values. What
   lies beyond the page is left out. */
typedef struct tiff_block {
    const unsigned char *values;
    size_t x, y, width, height, row_bytes;
    uint32_t channel;
} tiff_block;

void tiff_page_put(const tiff_page *page, const tiff_block *b, image_array *to);

#endif
