/* Curves that trim surfaces: their Bezier pieces, where these cross lines of constant parameter,
   and what they are in space. Control points are homogeneous, rows of 3 (wu, wv, w) in a plane. */
#ifndef CLSPI_TRIM_CURVES_H
#define CLSPI_TRIM_CURVES_H

#include "surface_parts.h"

enum {
    CLSPI_PLANE_COORDS = 3,
    CLSPI_TRIM_REALS = CLSPI_LINE_ORDER_MAX * CLSPI_PLANE_COORDS /* at most, of a piece */
};

/* Makes the Bezier points of the span between two knots, number `at` the first: of `coords` reals
   each; controls: of the whole curve. */
void clspi_bezier_of_span(const double *knots, uint32_t degree, uint32_t at, const double *controls,
                          uint32_t coords, double *out);

/* Restricts a curve in a plane to [low, high]. */
void clspi_trim_restrict(const double *controls, uint32_t degree, double low, double high,
                         double *out);

/* Evaluates a curve in a plane. */
void clspi_trim_point(const double *controls, uint32_t degree, double t, double point[2]);

/* Parameters that are found, at most `room`. */
typedef struct clspi_trim_roots {
    double *at;
    size_t num, room;
} clspi_trim_roots;

/* Find where coordinate `axis` is `value`, and where it turns back, and append the parameters
   within (0, 1). */
void clspi_trim_crossings(const double *controls, uint32_t degree, int axis, double value,
                          clspi_trim_roots *roots);
void clspi_trim_turns(const double *controls, uint32_t degree, int axis, clspi_trim_roots *roots);

/* Makes what a curve in the plane of a piece's parameters, (0, 0) to (1, 1), is on the piece: a
   curve of the shape that is given, and its control points, room for CLSPI_LINE_ORDER_MAX of them.
   False: its degree would be above CLSPI_LINE_DEGREE_MAX. */
bool clspi_trim_on_piece(const clspi_surface_piece *piece, const double *controls, uint32_t degree,
                         clspi_surface_shape *shape, double *out);

#endif
