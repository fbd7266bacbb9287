/* What evaluated vertices look like: the layout of a vertex, the axes of a grid, its faces. */
#ifndef CLSPLINE_VERTEX_H
#define CLSPLINE_VERTEX_H

#include <clspline/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of a vertex; dim elements each where not said otherwise. Derivatives are those with
   respect to the parameters u, v, w; of rational patches by the quotient rule (Farin, Curves and
   Surfaces for CAGD, 13.5). Attribute k is bit 1 << k: CLSP_VERTEX_NORMAL is attribute 8. Which
   attributes a plan can have follows from its directions and its family: curves have one direction,
   surfaces and triangles two, volumes and solids three. */
enum {
    CLSP_VERTEX_POINT = 1 << 0,
    CLSP_VERTEX_WEIGHT = 1 << 1, /* 1 element: the denominator of a rational patch, else 1; not of
                                    solids */
    CLSP_VERTEX_DU = 1 << 2,
    CLSP_VERTEX_DV = 1 << 3, /* not of curves */
    CLSP_VERTEX_DW = 1 << 4, /* of volumes and solids */
    CLSP_VERTEX_DUU = 1 << 5,
    CLSP_VERTEX_DUV = 1 << 6,        /* not of curves */
    CLSP_VERTEX_DVV = 1 << 7,        /* not of curves */
    CLSP_VERTEX_NORMAL = 1 << 8,     /* surfaces and volumes with dim 3: S_u x S_v, of unit
                                        length, of a volume's layer of constant w; solids with dim
                                        3: outward on the boundary, see solid.h */
    CLSP_VERTEX_PARAMS = 1 << 9,     /* as many elements as there are directions */
    CLSP_VERTEX_CURVATURE = 1 << 10, /* of curves 1 element, else 2, see below; not of solids */
    CLSP_VERTEX_DUW = 1 << 11,       /* of volumes and solids, as the next two */
    CLSP_VERTEX_DVW = 1 << 12,
    CLSP_VERTEX_DWW = 1 << 13,
    CLSP_VERTEX_JACOBIAN = 1 << 14 /* 1 element: the determinant of (S_u, S_v, S_w); of solids
                                      with dim 3 */
};

/* CLSP_VERTEX_CURVATURE, in 1 / length (do Carmo, Differential Geometry of Curves and Surfaces, 1-5
   and 3-3): of curves with dim 2 the signed curvature, positive where the curve turns to its left;
   of curves with dim 3 the curvature, not negative; of surfaces with dim 3 the principal curvatures
   for the normal S_u x S_v, the larger one first, negative where the surface bends away from it; of
   volumes those of the layer of constant w, a surface.
   Half of their sum is the mean curvature, their product the Gaussian curvature. It is 0 where the
   tangent of a curve, or the tangent plane of a surface, is lost to rounding, as where a curve
   stands still or an edge has collapsed to a point. Errors: docs/math.md, 17. */

enum {
    CLSP_VERTEX_MAX_ATTRIBUTES = 16,
    CLSP_VERTEX_MAX_STRIDE = 256 /* elements of a vertex */
};

/* Where the attributes of a vertex stand. All 0: points alone, packed, in the plan's precision.
   Elements that belong to no attribute are left as they are. */
typedef struct clsp_vertex_layout {
    uint32_t attributes; /* CLSP_VERTEX_POINT | ...; 0: points alone */
    clsp_type type;      /* of an element: CLSP_F16, CLSP_F32, or CLSP_F64 where that is the plan's
                            precision; default: the plan's precision */
    uint32_t stride;     /* elements from one vertex to the next, at most CLSP_VERTEX_MAX_STRIDE; 0:
                            the attributes one after another */
    uint32_t offset[CLSP_VERTEX_MAX_ATTRIBUTES]; /* offset[k]: the element of the vertex where
                            attribute k begins; all 0: one after another, in the order of bits */
    uint64_t reserved[CLSP_RESERVED];
} clsp_vertex_layout;

/* Samples of one direction of a grid: uniform, the ends included, sample a at begin + (end - begin)
   a / (num - 1); a lone sample is at begin. begin and end both 0: the whole of the direction. num 0
   in all directions: no grid.

   Or samples are where params says, in any order and also twice, as for quadrature and measured
   positions; begin and end are then 0. Vertices are within the bounds of uniform grids', as fast,
   and made by the same processors. Only these are made one by one, as those of eval_points are,
   and by the context's device alone: all of a B-spline's along whose spans parameters neither only
   rise nor only fall, and all with normals where a sample that is neither the first nor the last is
   at an end of the direction. Params with begin first, end last and between them, in double,
   (begin (num - 1 - a) + end a) / (num - 1) are the uniform axis, whose samples are not rounded to
   double, and give its bits.

   Params are not for triangles, watertight points, patch grids and CLSP_BEZIER_BRUTE. A parameter
   that is NaN or outside of the direction is CLSP_ERROR_ARGUMENT. */
typedef struct clsp_axis {
    uint32_t num;
    double begin, end;
    const double *params; /* NULL, or [num] within the direction, copied; those of a description
                             that a plan gives are the plan's */
} clsp_axis;

/* What index buffers hold. Faces run counterclockwise seen from the side to which S_u x S_v points.
 */
typedef enum clsp_faces {
    CLSP_FACES_DEFAULT = 0,   /* triangles */
    CLSP_FACES_TRIANGLES = 3, /* 3 indices a face; a quad is cut from (a, b) to (a + 1, b + 1) */
    CLSP_FACES_QUADS = 4      /* 4 indices a face */
} clsp_faces;

/* What a range of patches is made of: for the sizes of vertex and index buffers. */
typedef struct clsp_mesh_size {
    size_t vertices;  /* elements of them: times the layout's stride */
    size_t triangles; /* faces: 3 indices each; 0 of curves and volumes */
    size_t quads;     /* faces: 4 indices each; 0 where there are none, as of triangular patches */
    uint64_t reserved[CLSP_RESERVED];
} clsp_mesh_size;

#ifdef __cplusplus
}
#endif

#endif
