/* What the tests of conversions share: targets, and what they amount to by the oracle. */
#ifndef CONVERT_FIXTURE_H
#define CONVERT_FIXTURE_H

#include <stdbool.h>

#include "spline_fixture.h"

enum { MAX_INSERTED = 4, MAX_TARGET = 2 * MAX_KNOTS };

typedef enum wish_kind {
    SAME,
    INSERTED,
    RAISED,
    CUT,
    DERIVED,
    BEZIER,
    ALL_AT_ONCE,
    RAISED_PIECES, /* of a part of the domain */
    GIVEN,         /* uniform knots outside of the domain */
    NUM_WISHES
} wish_kind;

/* A target with room for what it points at. */
typedef struct wish {
    clsp_bspline_target target;
    double insert[3][MAX_INSERTED];
    double knots[3][MAX_KNOTS + 2];
} wish;

void make_wish(wish *w, const spline *s, wish_kind kind, clsp_bspline_convert_method method);

/* Rows of one direction by the oracle. */
typedef struct direction {
    uint32_t rows, terms, orders, pieces;
    unsigned *first;
    long double *weights; /* [rows][terms] */
    double scale;         /* of errors: how much larger than control points sums may be */
} direction;

direction direction_of(const spline *s, const wish *w, const clsp_bspline_desc *d, uint32_t k);
void free_direction(direction *x);

/* The exact coordinate c of control point number `at` of a target. */
long double exact_control(const spline *s, const direction x[3], const double *controls,
                          const uint32_t at[3], uint32_t c);

/* Real number i of memory in the spline's precision. */
double real_at(const spline *s, const unsigned char *reals, size_t i);

/* Judges the control points of one patch, not all of large ones. */
void judge(const spline *s, const wish *w, const clsp_bspline_desc *d, const double *controls,
           const unsigned char *made);

/* The worst error over its bound since the last call. */
double convert_worst(void);

/* Returns the reals of a patch's control points over the target's knots. */
size_t target_reals(const spline *s, const clsp_bspline_desc *d);

/* Sets the target; d: receives what it amounts to. */
void set_target(clsp_context *ctx, clsp_patch_plan *plan, const wish *w, clsp_bspline_desc *d);

/* Counts the control points that a conversion makes of some patches, each of so many coordinates.
 */
clsp_status count_converted(clsp_patch_plan *plan, clsp_range patches, size_t coords, size_t *num);

#endif
