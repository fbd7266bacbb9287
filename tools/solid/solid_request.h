/* The command line of `clspline solid`. */
#ifndef CLSPLINE_TOOLS_SOLID_REQUEST_H
#define CLSPLINE_TOOLS_SOLID_REQUEST_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "image_file.h"
#include "mesh.h"
#include "sharing.h"

enum { SOLID_MAX_REFINE = 20 };

typedef enum solid_format {
    SOLID_VTU,
    SOLID_PLY,
    SOLID_OBJ,
    SOLID_STL,
    SOLID_IMAGE, /* of a slice */
    SOLID_NONE
} solid_format;

typedef struct solid_request {
    const char *input;    /* "-": standard input */
    const char **outputs; /* [num_outputs]; "-": standard output */
    size_t num_outputs;
    solid_format format;  /* of -o - */
    image_format picture; /* of a slice */

    /* the mesh */
    uint32_t refine;
    double crease_angle; /* degrees; below 0: no creases by angles */
    uint32_t crease_steps;
    bool has_steps;

    /* what is made of it */
    uint32_t samples; /* along each direction of a cell; 0: the cells themselves */
    bool bezier, classes;
    bool slices;        /* there is a slice: */
    uint32_t axis;      /* across it, 0 to 2 */
    double height;      /* along that */
    uint32_t size;      /* pixels along the longer side; 0: by pixel */
    double pixel;       /* side of a pixel; 0: by size */
    const char *array;  /* whose values are shown; NULL: all */
    double low, high;   /* what is black and white, where low < high */
    bool has_precision; /* else the default */
    mesh_precision precision;
    const char *device;
    sharing_request sharing;
    bool quiet, verbose, help;
} solid_request;

/* Reads the arguments after argv[0] into *r, which is zero but for room for argc outputs. EXIT_OK,
   or EXIT_USAGE with a complaint. With --help, nothing else is looked at. */
int solid_request_read(solid_request *r, int argc, char **argv);

/* Gives the format of an output. */
solid_format solid_request_format(const solid_request *r, const char *path);

/* Prints the text for --help. */
void solid_request_help(void);

#endif
