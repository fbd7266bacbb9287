/* Parts of curves and the polynomials of a lower degree that stand for them, several side by side
   (docs/math.md, 22). The bits of one depend on its curve and its ends alone. */
#ifndef CLSPI_REDUCE_PARTS_H
#define CLSPI_REDUCE_PARTS_H

#include "level.h"
#include "reduce_tables.h"

/* What of a curve's tangents at the ends of a part of degree 2 its piece has. */
enum { CLSPI_REDUCE_FREE, CLSPI_REDUCE_AT_BEGIN, CLSPI_REDUCE_AT_END, CLSPI_REDUCE_AT_BOTH };

/* A part of a curve. */
typedef struct clspi_reduce_part {
    const double *curve; /* [degree + 1][coordinates of curves] */
    double begin, end;   /* in [0, 1] */
    uint32_t kind;       /* of pieces of degree 2 */
} clspi_reduce_part;

typedef struct clspi_reduce_parts {
    const clspi_reduce_tables *tables;
    size_t num;
    const clspi_reduce_part *part; /* [num] */
    double *error;  /* [num]: how far each may be from its piece at one parameter, with the
                       rounding of the piece's control points; infinite where there is no piece of
                       its kind. NULL: not asked for */
    double *points; /* [num][to + 1][coordinates of pieces]: their control points; NULL: not asked
                       for. Where a piece ends is where its curve is there, to the bit, whatever
                       part it is of */
    double *room;   /* [clspi_reduce_room] */
} clspi_reduce_parts;

/* Returns the doubles that making parts takes beside. */
static inline size_t clspi_reduce_room(const clspi_reduce_form *form)
{
    enum { LANES_MAX = 8 };

    return LANES_MAX *
           (1 + 2 * (size_t)(form->degree + form->to + 2) * clspi_reduce_from_coords(form));
}

CLSPI_LEVELS(void, clspi_reduce_parts_make, (const clspi_reduce_parts *parts));
#define clspi_reduce_parts_make CLSPI_AT_LEVEL(clspi_reduce_parts_make)

#endif
