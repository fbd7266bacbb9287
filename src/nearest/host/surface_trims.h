/* Trimmed surfaces: which parameters are inside of a face's loops, what of a face's leaves is, and
   the curves that bound faces (docs/math.md, 20). */
#ifndef CLSPI_SURFACE_TRIMS_H
#define CLSPI_SURFACE_TRIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "surface_search.h"

/* A part of a loop that rises or falls throughout along u and along v, and is nearly straight. */
typedef struct clspi_trim_arc {
    double begin[2], end[2];
    double low[2], high[2]; /* the box of its control points */
    size_t controls;        /* where they are among the reals */
    uint32_t degree;
} clspi_trim_arc;

/* What is inside of the loops of a face: all that a ray leaves through an odd number of arcs. */
typedef struct clspi_trim_face {
    const double *reals; /* of all faces */
    uint32_t num_arcs, num_rows;
    clspi_trim_arc *arcs;
    uint32_t *row_first, *row_arcs; /* [num_rows + 1]; the arcs of each row, an interval of v */
    double low, rows_per_v;         /* where rows begin */
    double size[2];                 /* of the domain */
} clspi_trim_face;

/* A Bezier curve that bounds a face, or of an edge. */
typedef struct clspi_trim_line {
    const struct clspi_surface_shape *shape;
    size_t controls;       /* where its control points are, */
    double origin[4];      /* relative to this */
    uint32_t patch, edge;  /* UINT32_MAX: none */
    uint32_t piece;        /* of the surface, that it is on; UINT32_MAX: an edge in space */
    uint32_t plane_degree; /* the curve in the piece's plane, (0, 0) to (1, 1), */
    size_t plane;          /* and its control points among the reals */
} clspi_trim_line;

typedef enum clspi_trim_status {
    CLSPI_TRIM_OK,
    CLSPI_TRIM_NO_MEMORY,
    CLSPI_TRIM_DEGREE /* a curve on a surface is of a degree above CLSPI_LINE_DEGREE_MAX */
} clspi_trim_status;

struct clspi_surface_trims {
    size_t num_faces, num_lines;
    clspi_trim_face *faces; /* [num_faces]; without arcs: whole */
    clspi_trim_line *lines;
    double *reals, *line_reals;
    struct clspi_surface_shape *shapes[CLSPI_LINE_ORDER_MAX][2]; /* of lines, by degree; rational */
    size_t num_edges;
    double *tolerance;                 /* [num_edges] */
    uint32_t *edge_uses;               /* [num_edges]: the loops' curves that are on each */
    uint32_t *edge_first, *edge_lines; /* [num_edges + 1]: the lines on surfaces of each edge */
    size_t num_gaps;                   /* that have been closed by a line */
    clspi_trim_status status;
    size_t line_room, num_reals, real_room, num_line_reals, line_real_room;
};

typedef enum clspi_trim_kind { CLSPI_TRIM_OUT, CLSPI_TRIM_IN, CLSPI_TRIM_MIXED } clspi_trim_kind;

/* Makes faces and lines of a search whose surfaces have pieces, before these are scaled. */
struct clspi_surface_trims *clspi_surface_trims_make(const struct clspi_surface_search *search,
                                                     const clspi_trim_desc *desc);
void clspi_surface_trims_destroy(struct clspi_surface_trims **trims);

/* Tells whether parameters are inside of a face's loops. */
bool clspi_trim_inside(const clspi_trim_face *face, double u, double v);

/* Tells whether parameters are on a loop but for rounding. */
bool clspi_trim_on_loop(const clspi_trim_face *face, double u, double v);

/* Tells whether a box of parameters is inside, outside or both. arcs: which ones may touch it;
   those that do go to `touching`, *num of them, and *num was that of the others. */
clspi_trim_kind clspi_trim_box(const clspi_trim_face *face, const double low[2],
                               const double high[2], const uint32_t *arcs, uint32_t *touching,
                               uint32_t *num);

/* Tells whether all of a box is outside. */
bool clspi_trim_outside(const clspi_trim_face *face, const double low[2], const double high[2]);

#endif
