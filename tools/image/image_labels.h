/* Whole numbers of 32 and 64 bits that are taken as they are, by order 0: labels. No device has a
   type that holds them all, so they go there in pieces of 16 bits, each a channel of its own, and
   come back with all their bits. What lies outside of an image is 0 in every piece. So all samples
   are combined with the bits of the value that they should have there, before and behind. */
#ifndef CLSPLINE_TOOLS_IMAGE_LABELS_H
#define CLSPLINE_TOOLS_IMAGE_LABELS_H

#include "image_request.h"

/* Tells whether an image's values are labels to a request. */
bool image_labels_are(const image_request *r, const image_array *a);

/* Tells whether combining them changes their bits, so that they have to be in memory. */
bool image_labels_change(const image_request *r, const image_array *a);

/* Makes pieces of them, and labels of a type of pieces. */
void image_labels_begin(const image_request *r, image_array *a);
void image_labels_end(const image_request *r, image_array *a, image_type type);

#endif
