/* Sizes of an image's samples and coefficients, which may be a part of a whole's. Index 0 is z, 1
   y, 2 x. */
#ifndef CLSPI_IMAGE_LAYOUT_H
#define CLSPI_IMAGE_LAYOUT_H

#include <stdbool.h>

#include <clspline/image.h>

typedef struct clspi_image_layout {
    uint32_t size[3], begin[3]; /* samples, and how many of the whole's stand before them */
    uint32_t stored[3], low[3]; /* coefficients, likewise */
    uint32_t whole[3], pad[3];  /* coefficients of the whole; of them pad at either end are beyond
                                   its samples */
    uint32_t mode[3];           /* clsp_image_mode; mirror where there is no direction */
    size_t samples;             /* of a channel */
    size_t plane;               /* coefficients of a channel */
    uint32_t channels;
    bool planar;
    bool is_small; /* the whole: its parts have all its coefficients */
} clspi_image_layout;

/* Tells whether coefficients are only some of the whole's along a direction. */
static inline bool clspi_is_cut_along(const clspi_image_layout *l, uint32_t d)
{
    return l->stored[d] < l->whole[d];
}

/* Tells whether they are only some of the whole's. */
static inline bool clspi_is_cut(const clspi_image_layout *l)
{
    return clspi_is_cut_along(l, 0) || clspi_is_cut_along(l, 1) || clspi_is_cut_along(l, 2);
}

/* Tells whether samples are only some of the whole's. */
static inline bool clspi_is_part(const clspi_image_layout *l)
{
    bool is_part = false;

    for (uint32_t d = 0; d < 3; d++)
        is_part = is_part || l->size[d] + 2 * l->pad[d] < l->whole[d];
    return is_part;
}

/* Returns how many channels have their samples beside each other, so that planes of them are not
   one behind another; of volumes they are taken one by one. */
static inline uint32_t clspi_mixed_channels(const clspi_image_layout *l, uint32_t directions)
{
    return l->planar || directions == 3 ? 1 : l->channels;
}

/* Returns which of the whole's coefficients is the first that stands where samples are given, or
   beyond the whole's end beside them, and one behind the last. */
static inline uint32_t clspi_given_begin(const clspi_image_layout *l, uint32_t d)
{
    return l->begin[d] > 0 ? l->begin[d] + l->pad[d] : 0;
}

static inline uint32_t clspi_given_end(const clspi_image_layout *l, uint32_t d)
{
    const uint32_t end = l->begin[d] + l->size[d] + l->pad[d];

    return end + l->pad[d] < l->whole[d] ? end : l->whole[d];
}

#endif
