/* The Bezier segments of B-spline curves, for the search of their nearest points on the host and on
   devices. */
#ifndef CLSPI_CURVE_SPANS_H
#define CLSPI_CURVE_SPANS_H

#include "curve_search.h"
#include "knots.h"

/* Makes what knots decide of segments, in double or for float. Curves over the same knots have one
   set; `num` curves with knots of their own have theirs, u: [num][controls + degree + 1], and of
   `knots` degree and controls count alone. False without memory; clspi_curve_spans_release must
   follow in every case. */
bool clspi_curve_spans_make(clspi_curve_spans *spans, const clspi_knots *knots, const double *u,
                            size_t num, bool is_double);
void clspi_curve_spans_release(clspi_curve_spans *spans);

#endif
