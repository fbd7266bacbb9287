/* Points of a PLY file (Turk, The PLY polygon file format, 1994): the coordinates of its vertices,
   in ASCII or binary of either byte order.

   What stands before the vertices is left out, lists included. Vertices are numbers alone, of any
   type; their coordinates are the properties x, y, z and, of four dimensions, w. */
#ifndef CLSPLINE_TOOLS_IO_PLY_POINTS_H
#define CLSPLINE_TOOLS_IO_PLY_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "npy.h"
#include "scanner.h"

enum {
    PLY_POINTS_MAX_DIM = 4,
    PLY_MAX_PROPERTIES = 256 /* of an element */
};

typedef struct ply_points {
    scanner *scan;
    uint32_t dim;
    bool has_format, is_ascii;
    npy_header number;       /* the type of a number that is read, and the order of its bytes */
    uint64_t num;            /* vertices */
    uint32_t num_properties; /* of a vertex, */
    size_t bytes;            /* which has so many bytes */
    npy_type type[PLY_MAX_PROPERTIES];
    bool has[PLY_POINTS_MAX_DIM];
    uint32_t property[PLY_POINTS_MAX_DIM]; /* [dim]: that which is the coordinate, */
    size_t offset[PLY_POINTS_MAX_DIM];     /* and where in a vertex it begins */
} ply_points;

/* Whether the file that a scanner has begun is one. */
bool ply_points_is(scanner *s);

/* Reads the header, and what stands before the vertices. The scanner must outlive it. False with a
   message. */
bool ply_points_open(ply_points *p, scanner *s, uint32_t dim);

/* Reads the next vertices, of which there must be as many, into points [num][dim]. False with a
   message. */
bool ply_points_read(ply_points *p, double *points, size_t num);

#endif
