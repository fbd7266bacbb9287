/* Points from a file, some at a time, however many there are.

     .npy        an array of shape (N, dim), or (N,) where dim is 1 (npy.h)
     .ply        the vertices of a PLY file (ply_points.h), known by how it begins
     .xyz        text: at least three numbers a line, of which the first three are the point
     all others  CSV: dim numbers a line (fields.h). A first line without numbers in their place is
   a heading, which decides by x, y, z and w on the columns (point_columns.h), as does a comment
   that names all of them

   In text, '#' and "//" begin comments, empty lines are left out, and "nan" and "inf" are numbers.
   An .npy file is known by how it begins, too. Columns may be chosen, by the names of a heading or
   by numbers; then there may be more of them than coordinates. */
#ifndef CLSPLINE_TOOLS_IO_POINT_FILE_H
#define CLSPLINE_TOOLS_IO_POINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "input.h"
#include "message.h"
#include "npy.h"
#include "ply_points.h"
#include "point_columns.h"
#include "scanner.h"

enum { POINT_FILE_MAX_DIM = POINT_COLUMNS_MAX };

typedef struct point_file {
    input in;
    io_message *message;
    uint32_t dim;
    bool is_npy, is_ply, is_xyz, failed;
    npy_header header; /* of .npy */
    bool by_columns;   /* of .npy: a column stands behind the other */
    scanner scan;      /* of text */
    fields line;       /* of text */
    ply_points ply;
    point_columns columns;
    bool begun;   /* the first line of text, a heading or not, was read */
    uint64_t num; /* of all points; UINT64_MAX: not known before the end */
    uint64_t taken;
} point_file;

/* Opens a file, or standard input by the name "-". columns: names of the heading, or numbers from 1
   on, between commas; NULL: those that the heading names, or else the first ones. path, columns and
   message must outlive it. False with a message and nothing open. */
bool point_file_open(point_file *f, const char *path, uint32_t dim, const char *columns,
                     io_message *message);

/* Reads up to `most` points, [..][dim], and returns how many; 0 at the end, and on failure
   (f->failed) with a message "NAME:LINE: why", of .npy "NAME: offset N: why". */
size_t point_file_read(point_file *f, double *points, size_t most);

/* How much of the file has been read, 0..1; 0 where that is not known. */
double point_file_fraction(const point_file *f);

/* Closes what is open. */
void point_file_close(point_file *f);

#endif
