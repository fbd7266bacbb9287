#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "color_bar.h"
#include "light.h"
#include "raster_cap.h"
#include "raster_drawing.h"
#include "raster_ground.h"

enum {
    SUB = RASTER_SUB,
    BAND = 60, /* rows drawn at a time, which bounds memory */
    PALETTE = COLOR_MAP_SIZE
};

/* A picture on its way. */
typedef struct picture {
    const raster_paint *paint;
    const raster_view *view;
    camera c;
    drawing d;
    float *shadow;             /* [height][width]; NULL: there is none */
    float palette[PALETTE][3]; /* linear colours of places, of patches in turn, or of bytes */
    float none[3];             /* of NaN */
} picture;

/* ---- colours ---- */

static void decode(const unsigned char rgb[3], float linear[3])
{
    for (int k = 0; k < 3; k++)
        linear[k] = color_decode(rgb[k]);
}

static void fill_palette(picture *p)
{
    unsigned char rgb[PALETTE][3];
    coloring_fill(&p->paint->colors, rgb);
    for (int i = 0; i < PALETTE; i++)
        decode(rgb[i], p->palette[i]);
    decode(color_of_nan, p->none);
}

/* Finds the linear colour of a place. */
static void color_at(const picture *p, float place, float color[3])
{
    const coloring_kind kind = p->paint->colors.kind;
    for (int k = 0; k < 3; k++) {
        const int at = kind == COLORING_PATCH ? (int)fmodf(place + 0.5f, PALETTE)
                       : kind == COLORING_OWN
                           ? (int)place >> (16 - 8 * k) & 0xff
                           : (int)(fminf(fmaxf(place, 0), 1) * (PALETTE - 1) + 0.5f);
        color[k] = isnan(place) ? p->none[k] : p->palette[at][k];
    }
}

/* Tells whether a sample is of what the paint has no values for. */
static bool is_bare(const picture *p, const sample *s)
{
    const raster_paint *paint = p->paint;
    if (paint->colors.kind == COLORING_PLAIN) return true;
    if (!paint->values && paint->colors.kind != COLORING_OWN) return true;
    if (!isnan(s->place) || s->kind == SAMPLE_POINT) return false;
    return paint->has_points || s->kind == SAMPLE_CURVE;
}

/* What a sample's surface is made of. */
static light_surface surface_of(const picture *p, const sample *s)
{
    static const light_surface section = {{0.55f, 0.45f, 0.34f}, LIGHT_COLORED_SHINE};
    static const light_surface below_points = {{0.3f, 0.3f, 0.3f}, LIGHT_COLORED_SHINE};
    light_surface surface = {.shine = LIGHT_COLORED_SHINE};
    if (is_bare(p, s) && p->paint->has_points && s->kind != SAMPLE_CURVE) return below_points;
    if (is_bare(p, s)) return s->kind == SAMPLE_CAP ? section : light_glaze;
    color_at(p, s->place, surface.color);
    return surface;
}

static void shade(const picture *p, const sample *s, float color[3])
{
    const light_surface surface = surface_of(p, s);
    if (s->kind == SAMPLE_EDGE)
        color[0] = color[1] = color[2] = 0.015f;
    else
        light_shade(&surface, s->normal, color);
}

/* ---- pixels ---- */

/* The mean of a pixel's samples, over the background or without one. */
static void resolve(const picture *p, const band *b, size_t column, size_t row,
                    const float background[3], unsigned char rgba[4])
{
    float sum[3] = {0, 0, 0};
    int covered = 0;
    for (size_t y = 0; y < SUB; y++) {
        for (size_t x = 0; x < SUB; x++) {
            const sample *s = &b->samples[(row * SUB + y) * b->width + column * SUB + x];
            float color[3] = {background[0], background[1], background[2]};
            if (s->w > 0) shade(p, s, color);
            if (s->w > 0 || !p->view->no_background) covered++;
            for (int k = 0; k < 3 && (s->w > 0 || !p->view->no_background); k++)
                sum[k] += fminf(1, color[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        rgba[k] = covered > 0 ? color_encode(sum[k] / (float)covered) : 0;
    rgba[3] = (unsigned char)((255 * covered + SUB * SUB / 2) / (SUB * SUB));
}

/* Writes the pixels of a band that has been drawn. */
static void resolve_band(const picture *p, const band *b, unsigned char *rgba)
{
    const raster_view *view = p->view;
    const size_t first = b->first / SUB;
    for (size_t y = 0; y < b->rows / SUB; y++) {
        for (size_t x = 0; x < view->width; x++) {
            const size_t pixel = (first + y) * view->width + x;
            float background[3];
            ground_color(view, x, first + y, p->shadow ? p->shadow[pixel] : 0, background);
            resolve(p, b, x, y, background, rgba + 4 * pixel);
        }
    }
}

/* ---- pictures ---- */

camera raster_camera(const mesh *m, const raster_view *view, size_t samples)
{
    const size_t bar = view->bar ? color_bar_width(view->width, view->height) : 0;
    camera c = camera_place(m, &view->camera, (double)((view->width - bar) * samples),
                            (double)(view->height * samples));
    c.width = (double)(view->width * samples);
    return c;
}

/* Draws the rows of a picture. */
static void draw_rows(picture *p, band *b, unsigned char *rgba, const io_progress *progress)
{
    const size_t height = p->view->height;
    for (size_t first = 0; first < height; first += BAND) {
        size_t rows = height - first < BAND ? height - first : BAND;
        b->first = first * SUB;
        b->rows = rows * SUB;
        for (size_t i = 0; i < b->rows * b->width; i++)
            b->samples[i] = (sample){.w = 0};
        drawing_draw(&p->d, b);
        if (p->paint->cut) raster_cap_draw(&p->d, b);
        resolve_band(p, b, rgba);
        io_report(progress, first + rows, height);
    }
}

bool raster_render(const mesh *m, const raster_paint *paint, const raster_view *view,
                   unsigned char *rgba, const io_progress *progress)
{
    static const raster_paint plain = {.values = NULL};
    picture p = {.paint = paint ? paint : &plain, .view = view};
    band b = {.width = view->width * SUB};
    p.c = raster_camera(m, view, SUB);
    const bool has_ground = p.c.tilt > 0 && !view->no_background; /* it is not seen from below */
    fill_palette(&p);
    b.samples = malloc(b.width * BAND * SUB * sizeof(sample));
    if (has_ground) p.shadow = ground_shadow(&p.c, m, p.paint, view);
    const bool done =
        drawing_open(&p.d, m, p.paint, &p.c) && b.samples && (p.shadow || !has_ground);
    if (done) {
        draw_rows(&p, &b, rgba, progress);
        const rgba_image image = {rgba, view->width, view->height};
        if (view->bar) color_bar_draw(&image, &p.paint->colors, p.paint->title);
    }
    free(p.shadow);
    free(b.samples);
    drawing_close(&p.d);
    return done;
}
