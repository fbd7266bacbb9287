/* Where points of a file lie in a solid, or what its data are there, written as they are found: CSV
   or .npy.

   The columns of places, in .npy the fields of a record, are

     point     number of the point, from 0
     cell      of the mesh that is evaluated, from 0; -1: none
     u, v, w   within the cell
     source    the file's cell that it is a part of
     residual  how far the cell's point there is off
     bound     the solid is no nearer
     status    found, cut, none, invalid; in .npy 0, 1, 2, 3

   Those of data are point, each number of the data, NaN outside, and status; .npy has the numbers
   alone, [N][numbers]. */
#ifndef CLSPLINE_TOOLS_SOLID_PLACES_H
#define CLSPLINE_TOOLS_SOLID_PLACES_H

#include "block_writer.h"
#include "output.h"
#include "point_file.h"
#include "progress.h"
#include "solid_samples.h"

enum { SOLID_PLACE_STATES = 4 };

typedef struct solid_places {
    const solid_model *m;
    solid_samples samples; /* a plan without a grid */
    const char *path;      /* of the points */
    bool probes, is_npy;
    uint32_t first, numbers; /* channels that are data, those that are written */
    point_file file;
    output out;
    block_writer *blocks;
    io_message message;
    uint64_t num, counts[SOLID_PLACE_STATES]; /* points, and by what became of them */
    double residual;                          /* the largest */
    double rounding;                          /* what floats may be off */
    uint64_t near;                            /* points that are outside by no more */
    double plan_seconds, seconds, file_seconds;
    double *points, *params;     /* [most][3] */
    double *values;              /* [most][channels] */
    uint32_t *cells;             /* [most] */
    clsp_solid_place_f64 *found; /* [most] */
    void *narrow;                /* the same in floats, where these are computed with */
} solid_places;

/* Looks for all points and writes what is asked for. False with a complaint. */
bool solid_places_run(solid_places *p, const solid_model *m, mesh_precision precision,
                      progress_bar *bar);
void solid_places_close(solid_places *p);

#endif
