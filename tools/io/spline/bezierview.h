/* Reader of BezierView files (.bv), the format of SurfLab's viewer of that name.

   The format is text: numbers separated by white space, in segments that each begin with a kind
   number.

       1   polyhedron: num_vertices num_faces, vertices x y z, faces n i1 .. in (vertices from 0)
       3   triangular Bezier patch: degree d, then (d+1)(d+2)/2 points
       4   tensor-product Bezier patch: degree d, then (d+1) rows of (d+1) points
       5   tensor-product Bezier patch: degree_u degree_v, then (degree_u+1) rows of (degree_v+1)
           points
       8   rational patch: as 5, with points x y z w, where x, y and z are already multiplied by the
           weight w
       9   PN triangle: degree, degree of normals, points, normals
       10  PN quad: degree_u degree_v, the same of normals, points, normals

   The points of a triangle come in rows from its lower edge up, each row from left to right: a
   cubic's are 0 1 2 3, 4 5 6, 7 8, 9. Its front is the side from which it looks like this.

   A line "Group ID NAME" (in any case) puts the segments after it into a group. Comments start with
   '#' or "//" and end with the line.

   Coordinates are kept as doubles and are always finite; weights are above 0. */
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

typedef enum bezierview_form {
    BEZIERVIEW_SURFACE = 0, /* tensor product */
    BEZIERVIEW_TRIANGLE
} bezierview_form;

/* What the patches of a batch have in common. */
typedef struct bezierview_type {
    bezierview_form form;
    bool rational;               /* points are x y z w, multiplied by w */
    bool has_normals;            /* patches of normals come with the points */
    uint32_t degree_u, degree_v; /* of triangles alike */
    uint32_t normal_u, normal_v; /* degrees of the normals; 0 without */
} bezierview_type;

/* All patches of one type, in the order of the file. In memory the points of a triangle P_ijk, i
   counting along the rows of the file and j the rows, run with i rising and then j, so that S_u x
   S_v points to its front, as on the other patches. */
typedef struct bezierview_batch {
    bezierview_type type;
    size_t num_patches;
    double *points; /* surfaces [num_patches][degree_u + 1][degree_v + 1][coordinates],
                       triangles [num_patches][(degree_u + 1) (degree_u + 2) / 2][coordinates] */
    size_t num_reals;
    double *normals; /* as the points lie, 3 coordinates; not of unit length */
    size_t num_normal_reals;
    int64_t *groups; /* [num_patches]: group ID, or BEZIERVIEW_NO_GROUP */
    size_t *numbers; /* [num_patches]: of all patches that were read, from 0 */
    size_t point_capacity, normal_capacity, group_capacity, number_capacity;
} bezierview_batch;

/* What a file holds. Batches are in the order of their first patches. */
typedef struct bezierview {
    size_t num_batches, batch_capacity;
    bezierview_batch *batches;
    mesh polyhedra; /* all polyhedra as one mesh */
} bezierview;

/* Reads a file, or standard input by the name "-", whose numbers must be ones in the precision too,
   and adds what it holds to *result. On failure the message is "NAME:LINE: what is wrong" (or
   "NAME: why it cannot be opened"), and result is empty. The caller releases *result by
   bezierview_clear. */
bool bezierview_add(bezierview *result, const char *path, mesh_precision precision,
                    io_message *message);

/* Reads a file as bezierview_add does, into a new *result. */
bool bezierview_load(bezierview *result, const char *path, mesh_precision precision,
                     io_message *message);

/* Reads an open stream, which stays open, into a new *result; name stands for it in messages. */
bool bezierview_read(bezierview *result, FILE *file, const char *name, mesh_precision precision,
                     io_message *message);

/* Number of patches in all batches. */
size_t bezierview_num_patches(const bezierview *content);

/* Coordinates of a point: 3, or 4 with the weight. */
size_t bezierview_coordinates(const bezierview_type *type);

/* Control points of a patch. */
uint64_t bezierview_patch_points(const bezierview_type *type);

/* Releases all memory and leaves an empty struct. */
void bezierview_clear(bezierview *content);

#endif
