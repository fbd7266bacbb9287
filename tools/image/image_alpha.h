/* Colours weighted by their alpha while they are interpolated, so that what is transparent has no
   share in the colours of what is not. */
#ifndef CLSPLINE_TOOLS_IMAGE_ALPHA_H
#define CLSPLINE_TOOLS_IMAGE_ALPHA_H

#include "image_request.h"

/* What is done to the colours of an image. Zero: nothing. */
typedef struct image_alpha {
    bool weights;  /* multiply them, and divide in the end */
    bool divides;  /* divide alone: they come weighted, and the output has them straight */
    bool is_begun; /* they are weighted */
    double full;   /* the alpha of what is opaque */
    double cval;   /* which samples are made 0 for, and which is added in the end */
    bool clips;    /* keep colours within the range of those that can be seen */
    double low[IMAGE_MAX_CHANNELS], high[IMAGE_MAX_CHANNELS]; /* of the samples; the last: alpha */
} image_alpha;

/* Finds out what an image may need on its way into the output. Its values are not looked at. */
image_alpha image_alpha_choose(const image_request *r, const image_array *a);

/* Leaves colours as they are where all values, which are in memory, are opaque. */
void image_alpha_look(image_alpha *alpha, const image_request *r, const image_array *a);

/* Weights the colours before the first step, where that is to be done: makes reals of a type. What
   lies outside of the image is then 0, unless cval is NaN. False without memory. */
bool image_alpha_begin(image_alpha *alpha, image_array *a, image_type real);

/* Makes values of a type of what came of the steps. False without memory. */
bool image_alpha_end(const image_alpha *alpha, image_array *a, image_type type);

#endif
