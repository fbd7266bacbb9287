/* The edges of surfaces, on the host, in two precisions, as kernels of edges make them
   (docs/math.md, 7 and 11): points that are sums of an edge's own control points, in the same order
   from whichever patch, and the limits of normals. Vectors hold samples of an edge. */
#ifndef CLSPI_EDGE_SUMS_H
#define CLSPI_EDGE_SUMS_H

#include "vertex_sums.h"

/* One side of a surface's grid, and the edge of the patch that it is. */
typedef struct clspi_edge {
    const void *corner;       /* the control point that it begins with */
    uint32_t degree, depth;   /* along it; control points from it inwards */
    ptrdiff_t step_t, step_n; /* reals from one control point to the next, along and inwards */
    bool right_handed;        /* the normal is S_n x S_t, else S_t x S_n */
    bool watertight;          /* points are made again too, of the edge's control points alone */
    double begin, end;        /* of its samples, on [0, 1] */
    const double *params;     /* these, of all its samples; NULL: they are uniform */
    uint32_t num;             /* of them, all */
    uint32_t first, count;    /* those that are made */
    void *out;                /* the vertex of sample `first` */
    ptrdiff_t to_next;        /* elements from one sample's vertex to the next */
} clspi_edge;

CLSPI_LEVELS(void, clspi_edge_sums_f32, (const clspi_vertex_shape *shape, const clspi_edge *edge));
CLSPI_LEVELS(void, clspi_edge_sums_f64, (const clspi_vertex_shape *shape, const clspi_edge *edge));
#define clspi_edge_sums_f32 CLSPI_AT_LEVEL(clspi_edge_sums_f32)
#define clspi_edge_sums_f64 CLSPI_AT_LEVEL(clspi_edge_sums_f64)

/* Makes the normals of an edge's vertices that are (0, 0, 0), with their limits, and points where
   it is watertight. */
static inline void clspi_edge_sums(bool f64, const clspi_vertex_shape *shape,
                                   const clspi_edge *edge)
{
    (f64 ? clspi_edge_sums_f64 : clspi_edge_sums_f32)(shape, edge);
}

#endif
