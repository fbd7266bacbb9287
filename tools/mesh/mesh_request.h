/* The part of a command line that all commands have which make meshes and pictures. */
#ifndef CLSPLINE_TOOLS_MESH_REQUEST_H
#define CLSPLINE_TOOLS_MESH_REQUEST_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "mesh.h"
#include "raster.h"
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

typedef struct mesh_request {
    const char *command; /* for complaints */
    const char **inputs; /* [num_inputs]; "-": standard input */
    size_t num_inputs;
    const char **outputs; /* [num_outputs]; "-": standard output */
    size_t num_outputs;
    request_format stdout_format;   /* of "-" */
    uint32_t samples, most_samples; /* 0: not given; what may be given */
    mesh_precision precision;
    const char *device;
    bool normals, texture, quiet, verbose, help;
    raster_view view; /* of a picture */
    sharing_request sharing;
} mesh_request;

/* The options, which stand first in a command's list of its options. */
enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_SAMPLES,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_NORMALS,
    OPTION_TEXTURE,
    OPTION_UP,
    OPTION_AZIMUTH,
    OPTION_ELEVATION,
    OPTION_ZOOM,
    OPTION_SIZE,
    OPTION_BACKGROUND,
    OPTION_COOPERATE,
    OPTION_WORKERS,
    OPTION_JOIN,
    OPTION_REPORT,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    NUM_MESH_OPTIONS
};

/* clang-format off */
#define MESH_OPTIONS                                                                               \
    {"output", 'o', true}, {"format", 'f', true}, {"samples", 'n', true},                          \
    {"precision", 'p', true}, {"device", 'd', true}, {"normals", 0, false},                        \
    {"texture", 0, false}, {"up", 0, true}, {"azimuth", 0, true}, {"elevation", 0, true},          \
    {"zoom", 0, true}, {"size", 0, true}, {"background", 0, true}, {"cooperate", 0, true},         \
    {"workers", 0, true}, {"join", 0, true}, {"report", 0, false}, {"quiet", 'q', false},          \
    {"verbose", 'v', false}, {"help", 'h', false}
/* clang-format on */

/* Begins with the default view and room for argc inputs and outputs. False with a complaint when
   memory runs out. */
bool mesh_request_begin(mesh_request *r, const char *command, int argc);

/* Takes what args_next has found: an operand, an error or one of the options above. EXIT_OK, or
   EXIT_USAGE with a complaint. */
int mesh_request_take(mesh_request *r, const args *a, int found);

/* Checks what was taken, when all was. EXIT_OK, or EXIT_USAGE with a complaint. */
int mesh_request_check(const mesh_request *r);

/* Releases all memory. */
void mesh_request_end(mesh_request *r);

/* The format of an output: what its name's ending stands for, or that of "-". */
request_format mesh_request_format(const mesh_request *r, const char *path);

/* Whether normals are needed, for the vertices or by a format that always has them. */
bool mesh_request_needs_normals(const mesh_request *r);

/* Whether a format needs normals even where they are not asked for. */
bool mesh_request_shows_normals(request_format form);

/* The parts of the text for --help that tell of -o and -f, and of all from -p on. */
extern const char mesh_request_help_outputs[];
extern const char mesh_request_help_rest[];

#endif
