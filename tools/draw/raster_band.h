/* Rows of samples, and what is drawn into them: triangles, lines and little spheres. */
#ifndef CLSPLINE_TOOLS_DRAW_RASTER_BAND_H
#define CLSPLINE_TOOLS_DRAW_RASTER_BAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vertex on the picture, in samples, with the reciprocal of its depth and its normal in the
   camera's axes. */
typedef struct vertex {
    float x, y, w;
    float normal[3];
    float place; /* of its colour in the map; NaN: it has none */
    float
        beyond; /* how far it is beyond the plane of a cut, in units, times w where there is
                   perspective, so that it is linear on the picture; what is above 0 is cut away */
} vertex;

/* What a sample is of. */
typedef enum sample_kind {
    SAMPLE_SURFACE,
    SAMPLE_CURVE,
    SAMPLE_EDGE,
    SAMPLE_POINT,
    SAMPLE_CAP
} sample_kind;

typedef struct sample {
    float w;         /* reciprocal depth of what is seen; 0: background */
    float normal[3]; /* in the camera's axes, not normalised; shaded once all is drawn */
    float place;
    uint8_t kind;
    bool from_back; /* of a face whose back is seen, or of a line on one */
} sample;

/* The rows of samples being drawn. */
typedef struct band {
    size_t width, first, rows; /* in samples */
    sample *samples;           /* [rows][width] */
} band;

/* How a triangle is drawn: with its corners' normals times signs. */
typedef struct filling {
    const vertex *corners[3];
    float signs[3];
    const float *flat; /* the place of all its samples; NULL: between those of its corners */
    sample_kind kind;
} filling;

/* The place of (x, y) to the left of (> 0) or to the right of the edge from a to b, times its
   length. On the picture, where y runs down, a triangle that is seen from the front has a negative
   area, edge(a, b, c) for its third corner. */
static inline float band_edge(const vertex *a, const vertex *b, float x, float y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* Tells whether rows of the band may have samples of a triangle. */
bool band_meets(const band *b, const vertex *const corners[3]);

/* Draws the samples in a triangle of this area, above or below 0. */
void band_fill(band *b, const filling *f, float area);

/* Draws a line, `width` to either side of it, round like a tube; edges on what is there alone, so
   that they do not reach beyond the surface. */
void band_line(band *b, const vertex *from, const vertex *to, float width, sample_kind kind);

/* Draws a little sphere of this radius in samples. */
void band_sphere(band *b, const vertex *at, float radius);

#endif
