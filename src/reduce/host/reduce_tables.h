/* What all pieces of a lower degree have in common: how control points follow from those of a part
   of a curve, and how far the two may be apart (docs/math.md, 22). */
#ifndef CLSPI_REDUCE_TABLES_H
#define CLSPI_REDUCE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLSPI_REDUCE_FROM_MAX = 255, /* the degree of a curve */
    CLSPI_REDUCE_TO_MAX = 15     /* and of pieces */
};

/* The length of parts at the ends of a segment of which pieces of degree 2 have tangents, by that
   of the others. */
#define CLSPI_REDUCE_SHORT 0.70710678118654752440

typedef struct clspi_reduce_form {
    uint32_t degree, to; /* of curves, and of their pieces, which is less and at least 1 */
    uint32_t dim;        /* coordinates of a point: 1 to 4 */
    bool f64;            /* the precision of coordinates; else single */
    bool rational;       /* curves have weights behind their coordinates, */
    bool to_polynomial;  /* but pieces have none */
    bool tangents;       /* pieces of degrees from 3 on have the curve's derivatives at their ends,
                            those of degree 2 its tangents at the ends of a curve */
} clspi_reduce_form;

typedef struct clspi_reduce_tables {
    clspi_reduce_form form;
    uint32_t inner;  /* control points that interpolation decides, */
    uint32_t first;  /* the number of the first one, */
    uint32_t nodes;  /* and places in (0, 1/2] where differences are looked at, t and 1 - t */
    double factor;   /* the most that a difference is, by the largest at these */
    double rounding; /* of control points of pieces, by the largest */
    double alike[2]; /* where the derivative of order `degree` of curves is all that is left, as of
                        polynomials of one degree more than pieces of degrees up to 3: the error of
                        a part by the curve's difference of that order, and of a short one at an
                        end; 0: else */
    double difference[5];      /* the weights of control points in that */
    double of_parts, of_reals; /* what making parts rounds, relative to segments, and what reading
                                  and storing coordinates does */
    double *inner_from; /* [inner][degree + 1], values of the curve's functions at the places that
                           are interpolated, */
    double *inner_of;   /* [inner][to + 1]: an inner control point as a sum of the others, and of
                           the values that are interpolated in the inner ones' places */
    double *raise;      /* [degree + 1][to + 1], a piece's control points in terms of the curve's
                           degree; polynomial curves */
    double *node_from;  /* [nodes][2][degree + 1]: values at a node, and at 1 - t; of polynomial
                           curves half of their sums and half of their differences */
    double *node_to;    /* [nodes][2][to + 1], values of a piece's functions; rational curves */
} clspi_reduce_tables;

/* Makes tables; false without memory. clspi_reduce_tables_release must follow in every case. */
bool clspi_reduce_tables_make(clspi_reduce_tables *tables, const clspi_reduce_form *form);
void clspi_reduce_tables_release(clspi_reduce_tables *tables);

/* Returns the coordinates of a control point of curves, and of pieces. */
static inline uint32_t clspi_reduce_from_coords(const clspi_reduce_form *form)
{
    return form->dim + form->rational;
}

static inline uint32_t clspi_reduce_to_coords(const clspi_reduce_form *form)
{
    return form->dim + (form->rational && !form->to_polynomial);
}

/* Tells whether only the pieces at the ends of a segment have tangents of its: they are shorter
   then. */
static inline bool clspi_reduce_has_short_ends(const clspi_reduce_form *form)
{
    return form->tangents && form->to == 2;
}

#endif
