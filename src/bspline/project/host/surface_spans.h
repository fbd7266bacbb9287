/* The Bezier pieces of B-spline surfaces, for the search of their nearest points. */
#ifndef CLSPI_SURFACE_SPANS_H
#define CLSPI_SURFACE_SPANS_H

#include "knots.h"
#include "surface_search.h"

/* What makes pieces of the control points of surfaces over the same knots. */
typedef struct clspi_surface_spans {
    const clspi_knots *knots; /* [2], of u and v */
    uint32_t dim;
    bool rational, f64;
    const void *points;   /* [patch][controls_u][controls_v][dim, and the weight] */
    double *operators[2]; /* [span][degree + 1][degree + 1], of Bezier extraction */
    double *ends[2];      /* [spans + 1] */
} clspi_surface_spans;

/* Makes what knots alone decide; those and the points must live as long. False without memory.
   clspi_surface_spans_release must follow in every case. */
bool clspi_surface_spans_make(clspi_surface_spans *spans, const clspi_knots *knots);
void clspi_surface_spans_release(clspi_surface_spans *spans);

/* Makes a piece, as clspi_surface_piece_fn says; user: a clspi_surface_spans. */
void clspi_surface_spans_piece(const void *user, size_t patch, const uint32_t span[2],
                               double *origin, double *points);

#endif
