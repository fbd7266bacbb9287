/* Surfaces to project points onto, for tests and the benchmark alike: seeded ones of three kinds
   over clamped uniform knots, and queries of three kinds. Numbers are exact in float. Uses the C
   library only. */
#ifndef SURFACE_CASES_H
#define SURFACE_CASES_H

#include <stddef.h>
#include <stdint.h>

typedef enum surface_kind {
    SURFACE_SMOOTH, /* a height field of long waves */
    SURFACE_SPIKY,  /* a height field of random heights, with slopes to 10 */
    SURFACE_CLOUD   /* control points anywhere in the unit cube, in any order */
} surface_kind;

/* A B-spline of one degree in both directions, with so many spans in each. */
typedef struct surface_case {
    surface_kind kind;
    unsigned degree, spans, dim;
    int rational; /* weights of 0.5 to 2 */
} surface_case;

/* Returns the control points in each direction. */
unsigned surface_case_controls(const surface_case *c);

/* Fills clamped uniform knots over [0, 1], controls + degree + 1 of them. */
void surface_case_knots(const surface_case *c, double *knots);

/* Fills the control points, [controls][controls][dim + rational], homogeneous. */
void surface_case_points(const surface_case *c, double *points);

/* Gives the control point, of three coordinates, at a place of the unit square. */
typedef void (*surface_fn)(double u, double v, double *x);

/* Surfaces that are a point, a line, with a pole, folded, with points one upon another, a sliver.
 */
enum { SURFACE_DEGENERATES = 6 };
extern const surface_fn surface_degenerates[SURFACE_DEGENERATES];

/* A number in [0, 1), and one of a normal distribution; state: of the generator (SplitMix64), any
   value to begin with. */
double surface_case_uniform(uint64_t *state);
double surface_case_normal(uint64_t *state);

#endif
