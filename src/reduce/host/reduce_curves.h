/* Curves, and how many pieces of a lower degree stand for each of their segments within a tolerance
   (docs/math.md, 22). A segment is the part of a curve over one span of its knots, a Bezier
   curve. */
#ifndef CLSPI_REDUCE_CURVES_H
#define CLSPI_REDUCE_CURVES_H

#include "reduce_tables.h"
#include "spans.h"

enum { CLSPI_REDUCE_PIECES_MAX = 1 << 20 /* of a segment */ };

/* Curves in host memory, which stay there. */
typedef struct clspi_reduce_curves {
    const void *points; /* [curves][controls][dim, and the weight], doubles or floats */
    size_t stride;      /* reals from a curve to the next one */
    const clspi_spans *spans;
    bool is_bezier; /* curves are Bezier curves, of a span each */
    const clspi_reduce_tables *tables;
    double tolerance;
} clspi_reduce_curves;

/* Where pieces of segments are written, and what they are of; all but points may be NULL. */
typedef struct clspi_reduce_pieces {
    void *points;       /* [num][to + 1][coordinates of pieces], of the precision of curves */
    double *ends;       /* [num][2], where a piece begins and ends in its segment's [0, 1] */
    double *bounds;     /* [num]: no piece is farther from its part at one parameter; infinite where
                           control points are not finite or weights not positive */
    uint32_t *segments; /* [num] */
} clspi_reduce_pieces;

/* Tells whether a segment, counted through all curves, is one: curves of fewer spans than others
   have none in the places of those that they lack. */
static inline bool clspi_reduce_is_there(const clspi_reduce_curves *curves, size_t segment)
{
    const clspi_spans *const s = curves->spans;
    const size_t at = segment % s->spans + (s->sets > 1 ? segment / s->spans * s->spans : 0);

    return s->ends[CLSPI_SPAN_ENDS * at] <= 0x1p1023;
}

/* Counts the pieces of segments first .. first + num - 1: as many as there must be, up to the most,
   for all of them to be within the tolerance, or as near as rounding lets them be, of a segment
   that is not there none. Returns the largest bound; negative: no memory. */
double clspi_reduce_count(const clspi_reduce_curves *curves, size_t first, size_t num,
                          uint32_t *counts);

/* Makes `num` pieces, the first of which has the number `skip` among those of segment `first`.
   counts: of all segments. False without memory. */
bool clspi_reduce_write(const clspi_reduce_curves *curves, const uint32_t *counts, size_t first,
                        uint32_t skip, size_t num, const clspi_reduce_pieces *to);

/* Returns where piece i of n begins in its segment: 1 where i is n. */
double clspi_reduce_begin(const clspi_reduce_form *form, uint32_t n, uint32_t i);

#endif
