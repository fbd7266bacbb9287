/* Segments of curves as pieces are made of them: in double precision, relative to an origin of
   their own and scaled, so that no digit is lost to where they are (docs/math.md, 22). */
#ifndef CLSPI_REDUCE_SEGMENTS_H
#define CLSPI_REDUCE_SEGMENTS_H

#include "reduce_curves.h"

enum { CLSPI_REDUCE_COORDS = 5 };

typedef struct clspi_reduce_segment {
    bool is_sound;    /* all numbers are finite, and weights positive */
    double origin[4]; /* of its points */
    double scale[2];  /* that control points are to be multiplied with, one after the other, */
    double weight;    /* and that homogeneous ones then are, and their weights */
    double rounding;  /* what pieces are off beside their error at the nodes */
    double limit;     /* of that error, so that with rounding it is within the tolerance */
    double begin[CLSPI_REDUCE_COORDS], end[CLSPI_REDUCE_COORDS]; /* its ends, as pieces have them,
                                                                    if they have been found */
} clspi_reduce_segment;

/* Makes a segment, counted through all curves, and its control points [degree + 1][coordinates]. */
void clspi_reduce_load(const clspi_reduce_curves *curves, size_t segment, double *points,
                       clspi_reduce_segment *to);

/* Finds the ends of a segment. */
void clspi_reduce_find_ends(const clspi_reduce_curves *curves, size_t segment,
                            clspi_reduce_segment *to);

/* Returns how far a piece may be from its part by its error at the nodes. */
double clspi_reduce_bound(const clspi_reduce_segment *segment, double error);

#endif
