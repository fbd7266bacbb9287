/* The Bezier segments of curves, the tree of boxes around them, and the search in them for nearest
   points, in two precisions: the inner part of curve_search.h. Plain C that compilers turn into
   vectors. A real is what the precision says. */
#ifndef CLSPI_SEGMENT_SEARCH_H
#define CLSPI_SEGMENT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "level.h"
#include "nearest_query.h"
#include "spans.h"

enum {
    CLSPI_SEARCH_DEGREE_MAX = 64,
    CLSPI_SEARCH_ORDER_MAX = CLSPI_SEARCH_DEGREE_MAX + 1,
    CLSPI_SEARCH_NEAREST_MAX = 16, /* results of a query */
    CLSPI_SEGMENT_LANES = 4,       /* reals of a point; those above dim are 0 */
    CLSPI_BOX_LANES = 8,           /* boxes of a node */
    CLSPI_NODE_TIERS = 48          /* at most: of 2^64 boxes there are 22, twice */
};

/* A segment is
     [degree + 1][LANES]  control points, relative to an origin of its own; rational: homogeneous
     [degree + 1]         their weights, where it is rational
     [LANES]              the origin
     [1]                  the largest distance of a control point from it; infinite where something
                          is not finite or a weight not positive
     [SPAN_ENDS]          where its span begins and ends, and what these lack of the knots
   A node holds up to CLSPI_BOX_LANES boxes, which are those of as many neighbouring segments, or
   around as many neighbouring nodes: [2][dim][CLSPI_BOX_LANES], their least and greatest
   coordinates. Empty boxes have the least above the greatest. */
typedef struct clspi_segments_of_curves {
    uint32_t degree, dim;
    bool rational;
    size_t num_curves;
    uint32_t spans;    /* segments of a curve */
    uint32_t controls; /* control points of a curve */
    bool has_own;      /* spans of each curve follow, else those of all */
    void *operators;   /* [spans][degree + 1][degree + 1], of Bezier extraction */
    void *span_ends;   /* [spans][SPAN_ENDS] */
    uint32_t *first;   /* [spans], the first control point that counts */
    void *weights;     /* of products (product_weights.h) */
    void *segments;    /* [num_curves][spans] */
    void *nodes;       /* those of a tier are adjacent */
    uint32_t own, all; /* tiers of each curve's own nodes, and all: above them are those of nodes
                          around curves */
    size_t num_boxes[CLSPI_NODE_TIERS];  /* of a tier: of each curve, above of all */
    size_t num_nodes[CLSPI_NODE_TIERS];  /* that they are in */
    size_t before[CLSPI_NODE_TIERS + 1]; /* nodes before those of a tier */
} clspi_segments_of_curves;

typedef struct clspi_segment_functions {
    size_t real_bytes;

    /* Gives the reals of a segment. */
    size_t (*segment_reals)(const clspi_segments_of_curves *curves);

    /* out[i] = in[i], rounded. */
    void (*narrow)(void *out, const double *in, size_t num);

    /* Makes segments and nodes, for which there is room, of control points. */
    void (*make)(const clspi_segments_of_curves *curves, const void *points);

    void (*find)(const clspi_segments_of_curves *curves, const clspi_nearest_queries *queries);
} clspi_segment_functions;

CLSPI_LEVELS(extern const clspi_segment_functions, clspi_segment_functions_f32, );
CLSPI_LEVELS(extern const clspi_segment_functions, clspi_segment_functions_f64, );
#define clspi_segment_functions_f32 CLSPI_AT_LEVEL(clspi_segment_functions_f32)
#define clspi_segment_functions_f64 CLSPI_AT_LEVEL(clspi_segment_functions_f64)

#endif
