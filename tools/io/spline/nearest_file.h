/* Nearest points, written as they are found: CSV, or an .npy array of records.

   The columns are

     query      number of the point that was projected, from 0
     curve, or surface: its number, from 0; -1 for none
     parameter, or u, v: those of the nearest point on it
     x, y, ..   the nearest point; in .npy one field `point` of as many numbers
     nx, ny, nz where they are asked for: the unit normal there; in .npy one field `normal`
     distance   Euclidean, with a sign where normals are asked for, NaN where that is open
     bound      no point of the model is nearer
     edge       of CAD files: the edge that the nearest point is on, from 0; -1 within a face
     tolerance  of CAD files: the edge's, 0 within a face
     status     found, cut, none, invalid, off; in .npy 0 to 4

   CSV has the rows of each query that were found, at least one; .npy has shape (N,) or, for more
   than one result a query, (N, K), with rows of the status none where there are fewer. */
#ifndef CLSPLINE_TOOLS_IO_NEAREST_FILE_H
#define CLSPLINE_TOOLS_IO_NEAREST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_writer.h"
#include "mesh.h"
#include "output.h"
#include "part_file.h"

typedef enum nearest_status {
    NEAREST_FOUND = 0,
    NEAREST_CUT = 1, /* found, but the bound is below the distance */
    NEAREST_NONE = 2,
    NEAREST_INVALID = 3, /* the query is not finite */
    NEAREST_OFF = 4,     /* found, and further away than it may be */
    NEAREST_STATUSES
} nearest_status;

typedef struct nearest_row {
    double distance, bound, param[2], point[4];
    double normal[3], signed_distance; /* of surfaces, where they are asked for */
    int64_t patch, edge;               /* curve or surface; -1: none */
    double tolerance;                  /* of the edge */
    nearest_status status;
} nearest_row;

/* How a file is laid out. */
typedef struct nearest_form {
    bool is_npy;
    mesh_precision precision; /* of the numbers */
    uint32_t directions;      /* 1: of curves, 2: of surfaces */
    uint32_t dim, per_query;
    bool has_normals, has_edges;
    uint64_t num; /* queries; UINT64_MAX: known at the end only, which .npy on standard output
                     cannot have */
    const part_record *part; /* NULL: all rows are written; else those of a part, of .npy: */
    uint64_t first;          /* from this query on */
} nearest_form;

typedef struct nearest_file {
    nearest_form form;
    output out;
    block_writer *blocks; /* NULL: not open */
    char type[256];       /* of a record, as Python writes it */
    bool is_stdout;
    uint64_t num_done; /* queries, those before a part counted */
    part_output part;  /* where it is one */
} nearest_file;

/* Opens a file and writes what stands before the rows. path and message must outlive it. False with
   a message. */
bool nearest_file_open(nearest_file *f, const nearest_form *form, const char *path,
                       io_message *message);

/* Adds the next query's rows, [per_query]. False when writing has failed: it is of no use to go on.
 */
bool nearest_file_add(nearest_file *f, const nearest_row *rows);

/* Ends the file: in its place when `done` and nothing failed, else gone. Returns whether it is in
   place; a message tells why not unless `done` is false. Does nothing for what is not open. */
bool nearest_file_close(nearest_file *f, bool done);

/* The name of a status in CSV. */
const char *nearest_status_name(nearest_status status);

#endif
