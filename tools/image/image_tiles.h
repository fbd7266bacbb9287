/* Values of a part of an image, tile by tile, so that neither all samples nor all coefficients are
   in memory at once. The bits are those of the whole. */
#ifndef CLSPLINE_TOOLS_IMAGE_TILES_H
#define CLSPLINE_TOOLS_IMAGE_TILES_H

#include <clspline/clspline.h>

#include "image_array.h"
#include "message.h"

typedef struct image_tiles {
    clsp_context *ctx;
    const clsp_image_plan *plan; /* of the whole */
    const image_array *from;     /* the whole; its values may be in a file */
    image_array *to;             /* of the map's size */
    const char *name;            /* of the file, for messages */
    const io_progress *progress; /* of these values */
    size_t most_bytes;   /* of a tile's samples, coefficients and values, where they can be as few;
                            0: 1 GiB less what `to` takes, but at least half of that */
    const clsp_run *run; /* of all calls; NULL: none of them is shared */
    void (*tell)(void *user, const char *what, const clsp_report *report); /* of shared ones */
    void *user;
} image_tiles;

/* Makes all frames of a map. False with a message, or where it has none with *status. */
bool image_tiles_make(const image_tiles *t, const clsp_image_map *map, clsp_status *status,
                      io_message *message);

#endif
