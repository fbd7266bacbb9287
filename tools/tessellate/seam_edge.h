/* The edge of a patch: its control points and vertices, and its ends. */
#ifndef CLSPLINE_TOOLS_IO_SEAM_EDGE_H
#define CLSPLINE_TOOLS_IO_SEAM_EDGE_H

#include "bezierview.h"

/* Of a surface; triangles have one less. */
enum { SURFACE_SIDES = 4 };

/* The edge of a patch: of surfaces u = 0, u = 1, v = 0, v = 1, of triangles u = 0, v = 0, u + v
 * = 1.
 */
typedef struct seam_edge {
    const bezierview_type *type;
    const double *points; /* the patch's control points */
    size_t patch;         /* number among those of all batches, one batch after another */
    int side;
    bool reversed;   /* against the direction in which equal edges agree */
    double distance; /* within which another curve is equal */
    bool is_point;   /* collapsed: all of it is within the distance of its first point */
    size_t leader;   /* the first edge that is equal, whose vertices the others take */
    size_t num_followers;
    /* Of a leader while there are patches to be welded to it: */
    double *kept;    /* its vertices, in the direction in which equal edges agree */
    size_t num_left; /* followers to come */
} seam_edge;

/* How many sides a patch has. */
int seam_num_sides(const bezierview_type *type);

/* Of a net or grid of num_u x num_v points, or a triangle's with num_u along an edge: how many lie
   along a side, and where the i-th does. */
size_t seam_side_length(const bezierview_type *type, int side, size_t num_u, size_t num_v);
size_t seam_side_place(const bezierview_type *type, int side, size_t num_u, size_t num_v, size_t i);

/* The number among the corners of all patches of the one at which an edge begins or ends, in the
   direction in which equal edges agree. The corners of a patch are (u, v) = (0, 0), (0, 1), (1, 0)
   and, of surfaces, (1, 1); each patch has four numbers. */
size_t seam_corner_number(const seam_edge *e, bool at_end);

/* How many control points an edge has, and the i-th in its own direction or the other. */
size_t seam_num_controls(const seam_edge *e);
const double *seam_control(const seam_edge *e, bool reversed, size_t i);

/* Divides a control point by its weight. */
void seam_get_place(const bezierview_type *type, const double *point, double place[3]);

/* Whether all control points of an edge are at one place, within its distance of the first one and
   the rounding of weights: it is a single point. */
bool seam_collapsed(const seam_edge *e);

/* The direction, 2 patch + 0 or 1, that an edge is sampled by. */
size_t seam_direction(const seam_edge *e);

#endif
