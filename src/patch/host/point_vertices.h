/* Vertices at parameters, one by one, of whatever patches and attributes there are: what
   vertex_tile.h does not make of rows (docs/math.md, 10, 12 and 13). */
#ifndef CLSPI_POINT_VERTICES_H
#define CLSPI_POINT_VERTICES_H

#include "patch_jets.h"
#include "vertex_sums.h"

enum {
    CLSPI_POINT_CHUNK = 32,                       /* vertices that are made at once, at most */
    CLSPI_FIRST_ELEMENTS = CLSPI_POINT_CHUNK * 40 /* of these, at most */
};

/* What vertices are made by. */
typedef struct clspi_point_maker {
    clspi_point_shape shape;
    clspi_vertex_shape vertex;
    uint32_t sums, tracked; /* bits of those that vertices need, and of those with sizes */
    bool is_near;           /* sums are relative to the points */
    bool is_watertight;     /* points on edges are those of the edges alone */
    double eps;             /* of the precision that control points are given in, */
    double near;            /* and parameters to here are on the edge that they begin at */
} clspi_point_maker;

/* Where a vertex is. */
typedef struct clspi_point {
    const void *patch;   /* control points */
    const double *basis; /* of splines: of each direction, one after the other, what
                            spline_place.h says */
    double t[3], s[3];   /* distances from the begin and the end of each direction, at any scale; of
                            triangles v : w for v */
    double x[3], rest[3]; /* of splines: the parameter as it is rounded, and what that took */
    uint32_t first[3];    /* of splines: 1 more than the number of the first control point that
                             counts; 0: the parameter tells */
    double param[3];      /* as it is stored */
    bool is_lost;         /* the vertex is NaN */
} clspi_point;

/* Says what vertices of a shape need. */
clspi_point_maker clspi_point_maker_of(const clspi_point_shape *shape,
                                       const clspi_vertex_shape *vertex, bool watertight);

/* Makes at most CLSPI_POINT_CHUNK vertices, a stride apart in out. Other elements stay as they
   are. */
void clspi_point_vertices(const clspi_point_maker *maker, const clspi_point *points, size_t num,
                          char *out);

/* Makes the first `num` vertices of a source that has CLSPI_FIRST_ELEMENTS elements at most: aside
   where these are not all, since compilers may fuse other products at the end of a loop, and
   vertices have the same bits however they are cut. */
void clspi_first_vertices(const clspi_vertex_functions *functions, const clspi_vertex_shape *vertex,
                          const clspi_vertex_source *source, size_t num, char *out);

/* Makes of vertices that are there the normals on edges again that are (0, 0, 0), and the points on
   edges where they are watertight. */
void clspi_point_sides(const clspi_point_maker *maker, const clspi_point *points, size_t num,
                       char *out);

/* Writes NaN to all attributes of a vertex. */
void clspi_point_lose(const clspi_vertex_shape *vertex, char *out);

/* Returns how many elements a vertex has of a part. */
uint32_t clspi_part_elements(const clspi_vertex_shape *vertex, unsigned part);

#endif
