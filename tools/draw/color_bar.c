#include "color_bar.h"

#include <stdio.h>
#include <string.h>

enum {
    LETTERS = 17, /* of the widest line */
    LINES = 40,   /* of a picture's height, by which letters get their size */
    TICKS = 4,    /* parts of the bar with a value at each end */
    THICK = 2,    /* letters across the bar */
    TEXT_BYTES = 32
};

/* The bar's places in pixels. */
typedef struct layout {
    size_t scale, letter, line; /* the side of a letter's pixel; what letters and lines take */
    long left, top;             /* of the map */
    size_t width, height;
} layout;

static size_t find_scale(size_t height)
{
    const size_t scale = height / (LINES * GLYPH_LINE);
    return scale > 0 ? scale : 1;
}

size_t color_bar_width(size_t width, size_t height)
{
    const size_t wanted = LETTERS * GLYPH_ADVANCE * find_scale(height);
    return wanted < width / 2 ? wanted : width / 2;
}

static layout lay_out(const rgba_image *image)
{
    const size_t scale = find_scale(image->height);
    layout l = {.scale = scale, .letter = scale * GLYPH_ADVANCE, .line = scale * GLYPH_LINE};
    l.left = (long)(image->width - color_bar_width(image->width, image->height) + l.letter);
    l.top = (long)(image->height / 4);
    l.width = THICK * l.letter;
    l.height = image->height / 2 > scale ? image->height / 2 : scale;
    return l;
}

/* Draws a title that ends in `...` where it is cut off. */
static void draw_title(const rgba_image *image, const layout *l, const char *title,
                       const unsigned char ink[3])
{
    enum { MOST = LETTERS - 2 };
    char text[MOST + 1];
    snprintf(text, sizeof(text), "%s", title);
    if (strlen(title) > MOST) memcpy(text + MOST - 3, "...", 3);
    glyphs_draw(image, l->left, l->top - 2 * (long)l->line, l->scale, text, ink);
}

/* Draws the value at a part of the bar, counted from above, and the tick that leads to it. */
static void draw_tick(const rgba_image *image, const layout *l, const coloring *c, size_t part)
{
    static const unsigned char ink[4] = {0, 0, 0, 255};
    const double share = (double)part / TICKS, up = 1 - share;
    const long y = l->top + (long)(share * (double)(l->height - l->scale) + 0.5);
    const long x = l->left + (long)l->width;
    char text[TEXT_BYTES];
    snprintf(text, sizeof(text), "%.3g", up * c->high + share * c->low);
    rgba_fill(image, x, y, l->letter / 2, l->scale, ink);
    glyphs_draw(image, x + (long)l->letter, y - (long)(l->scale * (GLYPH_BASELINE / 2)), l->scale,
                text, ink);
}

void color_bar_draw(const rgba_image *image, const coloring *c, const char *title)
{
    static const unsigned char paper[4] = {255, 255, 255, 190}, ink[4] = {0, 0, 0, 255};
    const layout l = lay_out(image);
    if (!coloring_has_values(c->kind)) return;
    rgba_fill(image, l.left - (long)l.letter / 2, l.top - 3 * (long)l.line, image->width,
              l.height + 4 * l.line, paper);
    draw_title(image, &l, title, ink);
    for (size_t y = 0; y < l.height; y++) {
        unsigned char rgba[4] = {0, 0, 0, 255};
        coloring_at_place(c, 1 - ((double)y + 0.5) / (double)l.height, rgba);
        rgba_fill(image, l.left, l.top + (long)y, l.width, 1, rgba);
    }
    for (size_t part = 0; part <= TICKS; part++)
        draw_tick(image, &l, c, part);
}
