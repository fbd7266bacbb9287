/* Reader of BezierView files (.bv).

   The format is text: numbers separated by white space, in segments that each begin with a kind
   number. 1  polyhedron: num_vertices num_faces, vertices x y z, faces n i1 .. in (vertices from 0)
       3  triangular Bezier patch: degree d, then (d+1)(d+2)/2 points
       4  tensor-product Bezier patch: degree d, then (d+1) rows of (d+1) points
       5  tensor-product Bezier patch: degree_u degree_v, then (degree_u+1) rows of (degree_v+1)
   points 8  rational patch: as 5, with points x y z w 9  PN triangle: degree, degree of normals,
   points, normals 10  PN quad: two degrees, two degrees of normals, points, normals A line "Group
   ID NAME" (in any case) puts the segments after it into a group. Comments start with '#' or "//"
   and end with the line. Kinds 1, 4 and 5 are read; the others are checked and then refused by
   name.

   Coordinates are kept as doubles and are always finite. */
#ifndef CLSPLINE_TOOLS_IO_BEZIERVIEW_H
#define CLSPLINE_TOOLS_IO_BEZIERVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mesh.h"
#include "message.h"

enum {
    BEZIERVIEW_MAX_DEGREE = 65535,
    BEZIERVIEW_NO_GROUP = -1 /* of a patch before the first Group line */
};

/* All patches of one pair of degrees, in the order of the file. */
typedef struct bezierview_batch {
    uint32_t degree_u, degree_v;
    size_t num_patches;
    double *points; /* [num_patches][degree_u + 1][degree_v + 1][3] */
    size_t num_reals;
    int64_t *groups; /* [num_patches]: group ID, or BEZIERVIEW_NO_GROUP */
    size_t point_capacity, group_capacity;
} bezierview_batch;

/* What a file holds. Batches are in the order of their first patches. */
typedef struct bezierview {
    size_t num_batches, batch_capacity;
    bezierview_batch *batches;
    mesh polyhedra; /* all polyhedra as one mesh */
} bezierview;

/* Reads a file. On failure the message is "NAME:LINE: what is wrong" (or "NAME: why it cannot be
 *opened"), and result is empty. The caller releases *result by bezierview_clear. */
bool bezierview_load(bezierview *result, const char *path, io_message *message);

/* The same from an open stream, which stays open; name stands for it in messages. */
bool bezierview_read(bezierview *result, FILE *file, const char *name, io_message *message);

/* Number of patches in all batches. */
size_t bezierview_num_patches(const bezierview *content);

/* Releases all memory and leaves an empty struct. */
void bezierview_clear(bezierview *content);

#endif
