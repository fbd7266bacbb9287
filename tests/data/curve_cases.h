/* Curves to project points onto, for tests and the benchmark alike: the 18 shapes of Wu and Zou,
   Matrix representation and GPU-optimized parallel B-spline computing, whose control points are not
   published, with seeded ones of our own. All curves are polynomial over clamped uniform knots, and
   all numbers are multiples of 2^-24 in [0, 1], exact in float. Uses the C library only. */
#ifndef CURVE_CASES_H
#define CURVE_CASES_H

#include <stdint.h>

enum { CURVE_CASES = 18, CURVE_CASE_REALS = 150 /* of control points, at most */ };

typedef struct curve_case {
    const char *name;
    unsigned dim, degree, controls;
} curve_case;

extern const curve_case curve_cases[CURVE_CASES];

typedef enum curve_kind {
    CURVE_WILD, /* control points anywhere in [0, 1]^dim, in any order */
    CURVE_TAME, /* x from 0 to 1 in equal steps, the others a walk */
    CURVE_KINDS
} curve_kind;

/* Fills the control points of a case, [controls][dim]. */
void curve_case_controls(const curve_case *c, curve_kind kind, double *controls);

/* A number in [0, 1); state: of the generator (SplitMix64), any value to begin with. */
double curve_case_uniform(uint64_t *state);

#endif
