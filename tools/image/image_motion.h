/* Where the samples of an image go, as the command line asks for it. */
#ifndef CLSPLINE_TOOLS_IMAGE_MOTION_H
#define CLSPLINE_TOOLS_IMAGE_MOTION_H

#include "image_request.h"

/* Makes the map of one step and says what the output is in `out`: all but its type, which
   stays, and its values. False with a complaint where it would be too large. */
bool image_motion_map(const image_request *r, const image_array *in, image_array *out,
                      clsp_image_map *map);

/* Tells whether a map takes every sample to itself. */
bool image_motion_is_none(const image_array *in, const image_array *out, const clsp_image_map *map);

/* Tells whether a map leaves the input's area along a direction, which is that of its samples and
   half a sample before and behind them. */
bool image_motion_leaves(const image_array *in, const clsp_image_map *map, uint32_t direction);

#endif
