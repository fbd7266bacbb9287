/* What a call interpolates, and into what. */
#ifndef CLSPI_IMAGE_JOB_H
#define CLSPI_IMAGE_JOB_H

#include "image_map.h"
#include "transfer.h"

enum { CLSPI_IMAGE_RUN = 256 /* points: tiles and parts of a row begin at multiples of it */ };

typedef enum clspi_image_places {
    CLSPI_IMAGE_ON_MAP,
    CLSPI_IMAGE_DISPLACED,
    CLSPI_IMAGE_AT_POINTS
} clspi_image_places;

/* A piece is an image, of planar plans a channel of one. Streams: the values, then displacements or
   coordinates: z, y, x, or one stream of all of them where they are interleaved. */
struct clspi_image_job {
    clsp_image_plan *plan;
    clspi_image_places places;
    clspi_image_map map;
    uint32_t stride; /* reals from one point's coordinate to the next one's: 1, or the directions
                        where coordinates are interleaved */
    clspi_kernel *kernel;
    bool in_blocks;        /* the kernel is that of image_blocks.cl */
    bool is_textured;      /* or that of image_textures.cl */
    clspi_tap_block block; /* of it */
    size_t first_piece, num_pieces;
    uint32_t channels; /* of a piece */
    uint32_t attributes;
    size_t point; /* elements of one point's values */
    /* of a launch on a map: the output's first row begins with point begin_x, and of each row those
       from first_x to end_x - 1 are made; end_x 0: all */
    uint32_t begin_x, first_x, end_x;
    const clsp_image_plan *owner;     /* that has the coefficients in host memory */
    const clspi_image_window *window; /* NULL: the plan's buffer has all coefficients */
    const char *given[3]; /* z, y, x of displacements or coordinates in host memory, where windows
                             are looked for */
    clspi_job_streams streams;
};

/* Returns how many streams displacements or coordinates are. */
static inline uint32_t clspi_image_given_streams(const clspi_image_job *job)
{
    return job->stride > 1 ? 1 : job->plan->desc.directions;
}

#endif
