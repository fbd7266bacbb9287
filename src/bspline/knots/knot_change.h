/* Knots of splines that are to be the same over other knots: refined, of a higher degree, cut to an
   interval, in Bezier pieces, or those of a derivative (docs/math.md, 16). */
#ifndef CLSPI_KNOT_CHANGE_H
#define CLSPI_KNOT_CHANGE_H

#include <stddef.h>

#include "knots.h"

typedef struct clspi_knot_change {
    uint32_t by;      /* order of the derivative, at most the degree */
    uint32_t elevate; /* degrees more */
    bool restricted;  /* to begin .. end, whose ends are then clamped */
    double begin, end;
    const double *insert; /* knots more, in any order */
    size_t num_insert;
    bool pieces; /* every knot degree + 1 times */
} clspi_knot_change;

/* Makes the knots `to` of a change of `from`; *defect says what is wrong with the change, `knot`
   being the number of the inserted one. False, and *to empty: a defect, or without one no memory.
   clspi_knots_release must follow in every case. */
bool clspi_knots_change(clspi_knots *to, const clspi_knots *from, const clspi_knot_change *change,
                        clspi_knot_defect *defect);

#endif
