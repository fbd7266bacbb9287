/* The command line of `clspline project`. */
#ifndef CLSPLINE_TOOLS_PROJECT_REQUEST_H
#define CLSPLINE_TOOLS_PROJECT_REQUEST_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "mesh.h"
#include "sharing.h"

typedef struct project_request {
    const char **inputs; /* [num_inputs]: curves, the points last; "-": standard input */
    size_t num_inputs;
    const char *output; /* "-": standard output */
    bool is_npy;        /* else CSV */
    clsp_bspline_project_opts opts;
    double tolerance; /* 0: not given */
    bool is_percent;  /* the tolerance is a share of the box's diagonal */
    mesh_precision precision;
    const char *device;
    sharing_request sharing;
    bool invert, quiet, verbose, help;
} project_request;

/* Reads the arguments after argv[0] into *r, which is zero but for room for argc inputs. EXIT_OK,
   or EXIT_USAGE with a complaint. With --help, nothing else is looked at. */
int project_request_read(project_request *r, int argc, char **argv);

/* Prints the text for --help. */
void project_request_help(void);

#endif
