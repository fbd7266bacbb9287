/* Writer of splines: BezierView files of Bezier patches, .g2, and JSON in the layout of geomdl. */
#ifndef CLSPLINE_TOOLS_IO_SPLINE_WRITER_H
#define CLSPLINE_TOOLS_IO_SPLINE_WRITER_H

#include "block_writer.h"
#include "mesh.h"
#include "output.h"
#include "splines.h"

typedef enum spline_format {
    SPLINES_NONE,
    SPLINES_BV, /* surfaces that are Bezier patches, of 2 or 3 coordinates */
    SPLINES_G2,
    SPLINES_JSON /* of one kind: curves, surfaces or volumes */
} spline_format;

typedef struct spline_writer {
    spline_format format;
    mesh_precision precision; /* of the numbers, which decides on their digits */
    output out;
    block_writer *blocks; /* NULL: not open */
    uint64_t num_done;
    int64_t group; /* of the patch written last; -1: none */
} spline_writer;

/* Says why splines of a type cannot be written in a format; NULL where they can. */
const char *spline_writer_refuse(spline_format format, const spline_type *type);

/* Opens a file and writes what stands before `num` splines of as many directions. path and message
   must outlive it. False with a message. */
bool spline_writer_open(spline_writer *w, const char *path, uint64_t num, uint32_t directions,
                        io_message *message);

/* Adds a spline: its points homogeneous, in the library's order. group: a number that BezierView
   files tell patches by. False when writing has failed: it is of no use to go on. */
bool spline_writer_add(spline_writer *w, const spline_type *type, const double *points,
                       int64_t group);

/* Ends the file: in its place when `done` and nothing failed, else gone. Returns whether it is in
   place; a message tells why not unless `done` is false. Does nothing for what is not open. */
bool spline_writer_close(spline_writer *w, bool done);

#endif
