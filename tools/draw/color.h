/* Colours of values: maps, ranges, and what a surface is coloured by. Colours are sRGB bytes unless
   they are called linear. */
#ifndef CLSPLINE_TOOLS_DRAW_COLOR_H
#define CLSPLINE_TOOLS_DRAW_COLOR_H

#include <stdbool.h>
#include <stddef.h>

enum { COLOR_MAP_SIZE = 256 };

typedef enum color_map {
    COLOR_MAP_AUTO = 0,  /* the map that suits what is shown */
    COLOR_MAP_VIRIDIS,   /* dark blue, green, yellow: for values from least to most */
    COLOR_MAP_DIVERGING, /* blue, white, red: for values about 0 */
    COLOR_MAP_GRAY
} color_map;

#define COLOR_MAP_WORDS "auto viridis diverging gray"

/* What a surface is coloured by. */
typedef enum coloring_kind {
    COLORING_PLAIN = 0, /* one colour */
    COLORING_PATCH,     /* the patch: neighbouring numbers have colours that are far apart */
    COLORING_MEAN,      /* the mean curvature, (k1 + k2) / 2 */
    COLORING_GAUSS,     /* the Gaussian curvature, k1 k2 */
    COLORING_DISTANCE,  /* the distance to curves or points */
    COLORING_DATA,      /* any other value, such as a density */
    COLORING_OWN,       /* colours of the model itself: values are 0xRRGGBB, sRGB */
    COLORING_SIGNED     /* a value about 0, such as a distance with a sign */
} coloring_kind;

#define COLORING_WORDS "plain patch mean gauss distance"

/* A rule that gives values their colours: the map's ends are low and high. */
typedef struct coloring {
    coloring_kind kind;
    color_map map; /* auto: diverging for what is about 0, viridis else */
    double low, high;
} coloring;

/* The colour of a value that is NaN, and of a surface that has one colour. */
extern const unsigned char color_of_nan[3], color_of_plain[3];

/* Whether colours tell values that lie between others, unlike one colour, patches' and own ones. */
bool coloring_has_values(coloring_kind kind);

/* The map of a colouring, which is never auto. */
color_map coloring_map(const coloring *c);

/* The place of a value between low (0) and high (1), not clamped, but of a size that can be
   interpolated; of NaN, NaN. Where low is high all values are in the middle. The place of a patch
   is its number, that of a model's own colour the colour. */
double coloring_place(const coloring *c, double value);

/* The colour at a place; of places outside of 0..1 that of the end. */
void coloring_at_place(const coloring *c, double place, unsigned char rgb[3]);

/* The colour of a value: of a number of a patch, a curvature, data. */
void coloring_at(const coloring *c, double value, unsigned char rgb[3]);

/* Fills the colours of places from 0 to 1, as for a 1D texture; of patches those of the first ones,
   which begin anew after COLOR_MAP_SIZE; of own colours the greys, each byte's. */
void coloring_fill(const coloring *c, unsigned char rgb[COLOR_MAP_SIZE][3]);

/* The value to be coloured of the principal curvatures k1 and k2. */
double coloring_curvature(coloring_kind kind, const double principal[2]);

/* Sets the range of values: of curvature and what else is about 0 symmetric so that it holds 98 in
   100 of the values, and at least -least..least; of data from the least to the greatest. Values
   that are not finite do not count; without others it is 0..1, about 0 -1..1. False when memory
   runs out.
 */
bool coloring_fit(coloring *c, const double *values, size_t num, double least);

/* Finds the value that is as large as `share` of the values or larger: 0.98 gives the 98th
   percentile. Reorders them; num > 0, none is NaN. */
double color_percentile(double *values, size_t num, double share);

/* The sRGB transfer function (IEC 61966-2-1), from light to bytes and back. */
unsigned char color_encode(float linear);
float color_decode(unsigned char coded);

#endif
