#include "raster_ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLURS = 3 }; /* of a shadow */

/* Linear colour of the background: light above, a little darker toward the corners. */
static void backdrop(float x, float y, float color[3])
{
    static const float light[3] = {0.90f, 0.91f, 0.92f}, dark[3] = {0.62f, 0.64f, 0.67f};
    float distance = (x - 0.5f) * (x - 0.5f) * 1.1f + (y - 0.42f) * (y - 0.42f) * 1.5f;
    float blend = fminf(1, distance * 1.6f);
    for (int k = 0; k < 3; k++)
        color[k] = light[k] + (dark[k] - light[k]) * blend;
}

/* Replaces a line of values by means over 2 radius + 1 neighbours, with zeros outside. `line` is
   room for it. */
static void blur_line(float *values, size_t count, size_t stride, size_t radius, float *line)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        line[i] = values[i * stride];
    for (size_t i = 0; i < radius && i < count; i++)
        sum += line[i];
    for (size_t i = 0; i < count; i++) {
        if (i + radius < count) sum += line[i + radius];
        if (i > radius) sum -= line[i - radius - 1];
        values[i * stride] = sum / (float)(2 * radius + 1);
    }
}

/* A few box blurs come close to a Gaussian (central limit theorem). */
static void blur(float *values, size_t width, size_t height, size_t radius, float *line)
{
    for (int pass = 0; pass < BLURS; pass++) {
        for (size_t y = 0; y < height; y++)
            blur_line(values + y * width, width, 1, radius, line);
        for (size_t x = 0; x < width; x++)
            blur_line(values + x, height, width, radius, line);
    }
}

/* The picture's part of an array with a margin on all sides; NULL when memory runs out. */
static float *cut_out(const float *wide, size_t width, size_t height, size_t margin)
{
    float *shadow = malloc(width * height * sizeof(float));
    for (size_t y = 0; shadow && y < height; y++)
        memcpy(shadow + y * width, wide + (y + margin) * (width + 2 * margin) + margin,
               width * sizeof(float));
    return shadow;
}

float *ground_shadow(const camera *c, const mesh *m, const raster_paint *paint,
                     const raster_view *view)
{
    const size_t width = view->width, height = view->height;
    const size_t radius = width / 80, margin = BLURS * radius;
    const size_t wide = width + 2 * margin, tall = height + 2 * margin, pixels = wide * tall;
    drawing d;
    band b = {.width = wide, .rows = tall, .samples = calloc(pixels, sizeof(sample))};
    float *values = malloc(pixels * sizeof(float)), *shadow = NULL;
    float *line = malloc((wide > tall ? wide : tall) * sizeof(float));
    if (drawing_open_flat(&d, m, paint, c, margin) && b.samples && values && line) {
        drawing_draw(&d, &b);
        for (size_t i = 0; i < pixels; i++)
            values[i] = b.samples[i].w > 0 ? 1.0f : 0.0f;
        blur(values, wide, tall, radius, line);
        shadow = cut_out(values, width, height, margin);
    }
    free(line);
    free(values);
    free(b.samples);
    drawing_close(&d);
    return shadow;
}

void ground_color(const raster_view *view, size_t x, size_t y, float shadow, float color[3])
{
    backdrop((float)x / (float)view->width, (float)y / (float)view->height, color);
    for (int k = 0; k < 3; k++) {
        if (view->has_background) color[k] = color_decode(view->background[k]);
        color[k] *= 1 - 0.5f * shadow;
    }
}
