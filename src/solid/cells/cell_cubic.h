/* Tricubic polynomials over cells, by Bezier points, and hulls of points: what a search for the
   place of a point asks of them (docs/math.md, 21). Points have four coordinates, of which the last
   one is 0, so that sums of them are vectors. */
#ifndef CLSPI_CELL_CUBIC_H
#define CLSPI_CELL_CUBIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "level.h"

enum {
    CLSPI_HULL_LANES = 4,
    CLSPI_CUBIC_POINTS = 64,
    CLSPI_CUBIC_REALS = 256,
    CLSPI_WRAP_PLANES = 8
};

/* A tricubic's point and its first derivatives. */
typedef struct clspi_cubic_jet {
    double value[CLSPI_HULL_LANES], slope[3][CLSPI_HULL_LANES];
} clspi_cubic_jet;

/* Makes the Bezier points of a regular cell, [4][4][4][4], of those of its grid, in place. */
CLSPI_LEVELS(void, clspi_cubic_of_grid, (double *points));
#define clspi_cubic_of_grid CLSPI_AT_LEVEL(clspi_cubic_of_grid)

/* Makes Bezier points of a grid that has them along one axis already, in place. */
CLSPI_LEVELS(void, clspi_cubic_of_section, (double *points, uint32_t along));
#define clspi_cubic_of_section CLSPI_AT_LEVEL(clspi_cubic_of_section)

/* Makes the Bezier points of the child of a tricubic at a corner. */
CLSPI_LEVELS(void, clspi_cubic_child, (const double *points, uint32_t corner, double *child));
#define clspi_cubic_child CLSPI_AT_LEVEL(clspi_cubic_child)

/* What is around some points: a box, and a parallelepiped, A (P - centre) being within bounds. */
typedef struct clspi_cell_hull {
    double least[CLSPI_HULL_LANES], most[CLSPI_HULL_LANES];
    double centre[CLSPI_HULL_LANES];
    double column[3][CLSPI_HULL_LANES];                   /* of A, whose rows are lanes 0 to 2 */
    double length[3];                                     /* of A's rows; 0: there is no A */
    double low[CLSPI_HULL_LANES], high[CLSPI_HULL_LANES]; /* of A (P - centre) */
} clspi_cell_hull;

/* Begins a hull of nothing about a point: A is the inverse of its derivatives, if there is one. */
CLSPI_LEVELS(void, clspi_hull_begin, (clspi_cell_hull * hull, const clspi_cubic_jet *centre));
#define clspi_hull_begin CLSPI_AT_LEVEL(clspi_hull_begin)

/* Makes the hull of a tricubic. */
CLSPI_LEVELS(void, clspi_hull_of_cubic, (clspi_cell_hull * hull, const double *points));
#define clspi_hull_of_cubic CLSPI_AT_LEVEL(clspi_hull_of_cubic)

/* Adds points to a hull. */
CLSPI_LEVELS(void, clspi_hull_add, (clspi_cell_hull * hull, const double *points, size_t num));
#define clspi_hull_add CLSPI_AT_LEVEL(clspi_hull_add)

/* Returns a distance that no point of a hull is below, but for rounding. at: NULL, or receives
   A (from - centre). */
CLSPI_LEVELS(double, clspi_hull_distance,
             (const clspi_cell_hull *hull, const double *from, double at[3]));
#define clspi_hull_distance CLSPI_AT_LEVEL(clspi_hull_distance)

/* Returns a distance that no point of the hull of some points is below: how far they are along a
   direction of unit length; negative where some are behind. */
CLSPI_LEVELS(double, clspi_hull_along,
             (const double *points, size_t num, const double *direction, const double *from));
#define clspi_hull_along CLSPI_AT_LEVEL(clspi_hull_along)

/* What is around a cell: a box, and planes, which all of it is behind. */
typedef struct clspi_cell_wrap {
    double least[CLSPI_HULL_LANES], most[CLSPI_HULL_LANES];
    double normal[3][CLSPI_WRAP_PLANES]; /* of unit length, or 0 */
    double high[CLSPI_WRAP_PLANES];      /* the largest normal . point */
    double face[CLSPI_WRAP_PLANES];      /* that of the middle of the face's corners */
} clspi_cell_wrap;

/* Begins a wrap of nothing with the planes of the faces of a cell of some corners, [8][4]. */
CLSPI_LEVELS(void, clspi_wrap_begin, (clspi_cell_wrap * wrap, const double *corners));
#define clspi_wrap_begin CLSPI_AT_LEVEL(clspi_wrap_begin)
CLSPI_LEVELS(void, clspi_wrap_add, (clspi_cell_wrap * wrap, const double *points, size_t num));
#define clspi_wrap_add CLSPI_AT_LEVEL(clspi_wrap_add)

/* Returns a distance that no point of a wrap is below, but for rounding. depth: receives how far
   inside all faces a point is, about, negative outside. */
CLSPI_LEVELS(double, clspi_wrap_distance,
             (const clspi_cell_wrap *wrap, const double *from, double *depth));
#define clspi_wrap_distance CLSPI_AT_LEVEL(clspi_wrap_distance)

static inline double clspi_dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

#endif
