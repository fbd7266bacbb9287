/* The command line of `clspline bezier`. */
#ifndef CLSPLINE_TOOLS_BEZIER_REQUEST_H
#define CLSPLINE_TOOLS_BEZIER_REQUEST_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/mesh.h"
#include "io/raster.h"
#include "sharing.h"

typedef enum request_format {
    FORMAT_NONE,
    FORMAT_OBJ,
    FORMAT_PLY,
    FORMAT_VTK,
    FORMAT_STL,
    FORMAT_GLB,
    FORMAT_PNG
} request_format;

/* What a tolerance is measured in. */
typedef enum request_unit {
    UNIT_LENGTH,  /* of the file */
    UNIT_PERCENT, /* of the box's diagonal */
    UNIT_PIXEL    /* of the picture */
} request_unit;

typedef struct bezier_request {
    const char **inputs; /* [num_inputs]; "-": standard input */
    size_t num_inputs;
    const char **outputs; /* [num_outputs]; "-": standard output */
    size_t num_outputs;
    request_format stdout_format; /* of "-" */
    uint32_t samples;             /* 0: not given */
    double tolerance;             /* 0: not given */
    request_unit tolerance_unit;
    clsp_bezier_method method;
    mesh_precision precision;
    const char *device;
    bool normals, texture, quiet, verbose, help;
    raster_view view; /* of a picture */
    sharing_request sharing;
} bezier_request;

/* Reads the arguments after argv[0] into *r, which has the default view and whose inputs and
   outputs have room for argc of them. EXIT_OK, or EXIT_USAGE with a complaint. With --help, nothing
   else is looked at. */
int bezier_request_read(bezier_request *r, int argc, char **argv);

/* The format of an output: what its name's ending stands for, or that of "-". */
request_format bezier_request_format(const bezier_request *r, const char *path);

/* The text for --help. */
extern const char bezier_request_help[];

#endif
