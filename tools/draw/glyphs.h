/* Letters as small bitmaps, for the words and numbers in pictures. */
#ifndef CLSPLINE_TOOLS_DRAW_GLYPHS_H
#define CLSPLINE_TOOLS_DRAW_GLYPHS_H

#include <stddef.h>

/* Pixels in rows from above, sRGB and coverage. */
typedef struct rgba_image {
    unsigned char *pixels; /* [height][width][4] */
    size_t width, height;
} rgba_image;

enum {
    GLYPH_WIDTH = 5,
    GLYPH_HEIGHT = 9,   /* with what hangs below the line */
    GLYPH_BASELINE = 7, /* rows above the line */
    GLYPH_ADVANCE = 6,  /* from one letter to the next */
    GLYPH_LINE = 11     /* from one line to the next */
};

/* The row of a letter's bitmap, 0 to GLYPH_HEIGHT - 1: bit 0 is its rightmost pixel. What is not
   printable ASCII has the bitmap of '?'. */
unsigned glyph_row(char letter, int row);

/* The width of a text of one line whose pixels are scale x scale squares. */
size_t glyphs_width(const char *text, size_t scale);

/* Draws a text with its upper left corner at (x, y); newlines begin lines below. What is outside of
   the image is left out. */
void glyphs_draw(const rgba_image *image, long x, long y, size_t scale, const char *text,
                 const unsigned char rgb[3]);

/* Fills a rectangle with a colour of this coverage, 0 to 255, over what is there. */
void rgba_fill(const rgba_image *image, long x, long y, size_t width, size_t height,
               const unsigned char rgba[4]);

#endif
