/* The command lines of `clspline image`, and of convert on images. */
#ifndef CLSPLINE_TOOLS_IMAGE_REQUEST_H
#define CLSPLINE_TOOLS_IMAGE_REQUEST_H

#include "image_file.h"
#include "request.h"

enum { IMAGE_MAX_SIDE = 1 << 28 };

/* The library's modes from the first on, and SciPy's other name of the second. */
#define IMAGE_MODES "mirror reflect grid-wrap nearest constant grid-constant wrap grid-mirror"
enum { IMAGE_MODE_REFLECT = 1, IMAGE_MODE_CONSTANT = 4, IMAGE_MODE_GRID_CONSTANT = 5 };

/* What alpha does to colours, as --alpha names it. */
enum { IMAGE_WEIGHTED, IMAGE_STRAIGHT };

typedef struct image_request {
    request base;
    image_format format; /* of the output */
    uint32_t quality;    /* of a JPEG; 0: the default */
    uint32_t directions; /* of an .npy array; 0: by its lengths */

    /* where samples go; what is given by x, y, z */
    double rotate;                   /* degrees */
    uint32_t axis;                   /* about which to rotate: 0 to 2 */
    double scale;                    /* 0: not given */
    option_list shift, affine, size; /* the size of the output */
    option_list spacing;             /* of the output's samples; 1 for all directions, or x, y, z */
    bool fit;                        /* the size is that of all that is turned */
    uint32_t repeat;

    /* how */
    uint32_t order;   /* of the splines; 0: the nearest sample */
    option_list mode; /* one for all directions, or x, y, z, as numbers of IMAGE_MODES */
    double cval;
    clsp_image_prefilter prefilter;
    uint32_t taps;
    bool truncated, clip;
    int fetch;           /* 0: from buffers, the others as --fetch names them */
    int alpha;           /* IMAGE_WEIGHTED or IMAGE_STRAIGHT */
    bool has_alpha;      /* asked for: the last channel is it, whatever the files say */
    clsp_type precision; /* default: CLSP_F64 for images of f64, else CLSP_F32 */
    bool has_type;       /* of the output's samples; else the input's */
    image_type type;
} image_request;

/* Checks what depends on the image. EXIT_OK, or another status with a complaint. */
int image_request_suits(const image_request *r, const image_array *a);

/* Does what an image_request asks for. Returns the exit status. */
int image_run(request *r);

#endif
