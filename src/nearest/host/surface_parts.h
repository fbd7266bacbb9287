/* The pieces of surfaces, their leaves and the tree of boxes: the inner part of surface_search.h.
   Coordinates are multiplied by a power of two, so that squares of them are numbers. */
#ifndef CLSPI_SURFACE_PARTS_H
#define CLSPI_SURFACE_PARTS_H

#include "level.h"
#include "surface_numbers.clh"
#include "surface_search.h"
#include "surface_trims.h"

enum {
    CLSPI_SURFACE_LANES = 4,     /* coordinates of a point; those above dim are 0 */
    CLSPI_SURFACE_LEAF_DEPTH = 4 /* a piece is halved so often for its leaves, in each direction */
};

/* The degrees and coordinates of pieces; of curves the degree along v is 0. */
typedef struct clspi_surface_shape {
    uint32_t degree[2], dim;
    bool rational;
    uint32_t lanes; /* reals of a control point: coordinates, zeros, the weight at number dim */
    size_t reals;   /* of a piece */
    double binomial[2][CLSPI_LINE_ORDER_MAX]; /* factors of products, and of what they sum to */
    double over[2][2 * CLSPI_LINE_ORDER_MAX - 1];
} clspi_surface_shape;

typedef struct clspi_surface_box {
    double low[CLSPI_SURFACE_LANES], high[CLSPI_SURFACE_LANES];
} clspi_surface_box;

typedef struct clspi_surface_node {
    double box[CLSPI_SURFACE_LANES][2][BOXES]; /* least and greatest coordinates */
    uint32_t kid[BOXES];
} clspi_surface_node;

typedef struct clspi_surface_piece {
    const clspi_surface_shape *shape;
    double *controls;            /* [degree_u + 1][degree_v + 1][lanes] */
    uint32_t patch;              /* UINT32_MAX: an edge in space */
    const clspi_trim_face *trim; /* NULL: all of it is searched */
    double ends[2][2];           /* of its spans */
    double origin[CLSPI_SURFACE_LANES];
    double extent;  /* the largest distance of a control point from it */
    double weights; /* how often the largest weight is as large as the least one */
    clspi_surface_box box;
    uint32_t root; /* of its leaves; KIND_NONE: it cannot be searched */
} clspi_surface_piece;

/* A part of a piece and what is known of all of its points. With J the derivatives at its middle
   and L L^T = J^T J, y = L^T (u, v) are lengths. */
typedef struct clspi_surface_leaf {
    uint32_t piece;
    bool is_mixed;                        /* some of it is outside of its face's loops */
    uint32_t depth[2], index[2];          /* it is [index, index + 1] / 2^depth of the piece */
    double low[2], high[2];               /* which is this box of parameters */
    double middle[CLSPI_SURFACE_LANES];   /* its middle's point, relative to the piece's origin */
    double guess[2][CLSPI_SURFACE_LANES]; /* J's inverse on the tangent plane */
    double l11, l21, l22;                 /* L; l22 0: nothing is known of the leaf */
    double normal[CLSPI_SURFACE_LANES];   /* a unit vector at right angles to J; 0 in the plane */
    double shrink;     /* (1 - tau)^2, tau >= |(J' - J) L^-T| of all derivatives J' */
    double bend[2];    /* bounds of the second derivatives along the normal, by y */
    double bend_along; /* of the second derivatives at right angles to it */
    double spread;     /* its largest distance by y */
    double slack;      /* relative error of derivatives as they are computed, by y */
    double axes[2][CLSPI_SURFACE_LANES]; /* of three dimensions: two axes at right angles to the
                                            normal, and the extents along all three */
    double least[3], greatest[3];
} clspi_surface_leaf;

/* Some leaves and nodes, as they are made. */
typedef struct clspi_surface_parts {
    clspi_surface_leaf *leaves;
    clspi_surface_node *nodes;
    size_t num_leaves, num_nodes, leaf_room, node_room;
} clspi_surface_parts;

typedef struct clspi_surface_patch {
    clspi_surface_box box;
    double extent; /* the largest of its pieces */
    bool is_turned;
    uint32_t root;
} clspi_surface_patch;

/* The patches of a description, and the pieces of these. */
typedef struct clspi_surface_source {
    clspi_surface_shape shape;
    size_t first_patch, num_patches, first_piece;
    uint32_t spans[2];
    bool has_own;    /* spans of each patch along u, else those of all */
    double *ends[2]; /* [..][spans + 1] */
} clspi_surface_source;

struct clspi_surface_search {
    uint32_t dim;
    size_t num_sources, num_patches;
    size_t num_pieces, num_lines;      /* pieces, of which the last ones are the lines of trims */
    struct clspi_surface_trims *trims; /* NULL: none */
    clspi_surface_source *sources;
    double scale;     /* of all coordinates below */
    double *controls; /* of all pieces */
    clspi_surface_piece *pieces;
    clspi_surface_patch *patches;
    clspi_surface_parts parts;
    uint32_t root; /* of all patches */
    clspi_surface_box box;
};

/* What a tree is made of: a box and what is in it. */
typedef struct clspi_surface_item {
    clspi_surface_box box;
    uint32_t code;
} clspi_surface_item;

/* Halves a piece until the derivatives of each part vary little, and appends these leaves with the
   tree of boxes around them. number: the piece's. False without memory. */
CLSPI_LEVELS(bool, clspi_surface_leaves,
             (clspi_surface_parts * parts, uint32_t number, clspi_surface_piece *piece));
#define clspi_surface_leaves CLSPI_AT_LEVEL(clspi_surface_leaves)

/* Appends a tree over items, which are put in another order, and gives what stands for all of
   them in *root. False without memory. */
bool clspi_surface_tree(clspi_surface_parts *parts, clspi_surface_item *items, size_t num,
                        uint32_t *root);

static inline clspi_surface_box clspi_no_box(void)
{
    clspi_surface_box box;

    for (int k = 0; k < CLSPI_SURFACE_LANES; k++) {
        box.low[k] = 1e300;
        box.high[k] = -1e300;
    }
    return box;
}

static inline void clspi_box_join(clspi_surface_box *box, const clspi_surface_box *other)
{
    for (int k = 0; k < CLSPI_SURFACE_LANES; k++) {
        if (other->low[k] < box->low[k]) box->low[k] = other->low[k];
        if (other->high[k] > box->high[k]) box->high[k] = other->high[k];
    }
}

/* Restricts control points, of four lanes each and `stride` reals apart, to a part of a line: index
   of 2^depth. */
void clspi_restrict_line(double *x, uint32_t n, size_t stride, uint64_t index, uint32_t depth);

/* Makes a shape. */
clspi_surface_shape clspi_surface_shape_of(const uint32_t degree[2], uint32_t dim, bool rational);

/* Returns where the spans of a patch, number `patch` of its source, begin and end. */
static inline const double *ends_of(const clspi_surface_source *from, int way, size_t patch)
{
    return from->ends[way] + (way == 0 && from->has_own ? patch * (from->spans[0] + 1) : 0);
}

static inline bool clspi_is_curve(const clspi_surface_shape *shape)
{
    return shape->degree[1] == 0;
}

/* Returns the source of a patch. */
const clspi_surface_source *clspi_surface_source_of(const clspi_surface_search *search,
                                                    size_t patch);

/* Finds the box of homogeneous control points, relative to their origin. */
clspi_surface_box clspi_surface_box_of(const clspi_surface_shape *shape, const double *controls);

#endif
