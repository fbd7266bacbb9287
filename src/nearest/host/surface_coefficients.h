/* The squared distance of a query to a part of a piece in Bernstein form: its coefficients, made of
   control points (docs/math.md, 20). */
#ifndef CLSPI_SURFACE_COEFFICIENTS_H
#define CLSPI_SURFACE_COEFFICIENTS_H

#include "level.h"
#include "surface_jet.h"

enum {
    HALVINGS = 6 /* of coefficients, until they are made of control points again */
};

/* A part of a piece, or of one of its edges or corners: there one side of the piece or two take the
   place of an interval. */
typedef struct square_part {
    uint32_t depth[2];
    uint64_t index[2]; /* it is [index, index + 1] / 2^depth of the piece */
    int side[2];       /* 0, 1: u, v is this; -1: it is an interval */
    uint32_t made;     /* depth at which coefficients were made */
    double error;      /* of a coefficient, by that of W */
    double of_weight;  /* of a coefficient of W, by itself */
    double size;       /* the largest squared distance of a control point when they were made */
    double least;      /* the squared distance is not below */
    uint32_t room;     /* where its coefficients are */
} square_part;

/* Coefficients of a part: rows for u. */
typedef struct squares {
    double *a, *w;
    int nu, nv; /* degrees; 0 on a side */
    bool rational;
} squares;

typedef double *numbers;
typedef const double *known_numbers;
#define AT(i)          (i)
#define IS_RATIONAL(s) (s).rational
#define KNOWN_FACTS
#define LEAST_BEND(way) least_bend(s, a, w, way, level, error)
#define LARGEST_TWIST   largest_twist(s, a, w, level, error)
#include "square_facts.clh"

/* Of what coefficients are made, but for the part. */
typedef struct square_source {
    const clspi_surface_shape *shape;
    const double *controls; /* of the piece */
    const double *from;     /* the query relative to its origin */
    double extent, near;    /* of it; squared, what is worth looking for */
    double *part;           /* room for the control points of a part, */
    double *products;       /* [coefficients of a part][LANES] */
} square_source;

/* Makes the coefficients of a part, of A and if pieces are rational of W, unless its control points
   are all beyond a plane at right angles to a direction, of length 1 or 0, so far away that nothing
   nearer is there: false. */
CLSPI_LEVELS(bool, clspi_square_coefficients,
             (const square_source *source, square_part *part, const double *direction,
              const squares *to));
#define clspi_square_coefficients CLSPI_AT_LEVEL(clspi_square_coefficients)

#endif
