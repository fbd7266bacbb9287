/* What the tests of B-splines share: splines over knots of all kinds, and plans of them. */
#ifndef SPLINE_FIXTURE_H
#define SPLINE_FIXTURE_H

#include "bspline_ref.h"
#include "vertex_fixture.h"

enum { MAX_KNOTS = 600 };

/* A description with room for its knots, and the layout of its vertices. */
typedef struct spline {
    clsp_bspline_desc d;
    double knots[3][MAX_KNOTS];
    layout l;          /* of Bezier patches with the same vertices; controls: reals of a patch's */
    unsigned rounding; /* of parameters, as of ref_bspline */
} spline;

typedef enum knot_kind {
    CLAMPED,  /* distances that grow */
    UNIFORM,  /* not clamped */
    REPEATED, /* inner knots up to degree times */
    JUMPING,  /* one inner knot degree + 1 times */
    NUM_KINDS
} knot_kind;

void make_knots(double *u, uint32_t degree, uint32_t controls, knot_kind kind, double begin);

spline make_spline(clsp_type precision, uint32_t directions, const uint32_t degree[3],
                   const uint32_t controls[3], knot_kind kind, uint32_t rational,
                   uint32_t attributes);

/* Points at the knots, which a spline that has been moved keeps. */
void aim(spline *s);

ref_bspline exact_spline_of(const spline *s, const double *controls);

/* The largest control points of a derivative, by the weights of the differences: of each row of
   neighbours along a direction, the sum of its weights' sizes times the largest. */
double gain(const double *u, uint32_t degree, uint32_t controls, uint32_t by);

/* The error over its bound, at most 1, of vertex k, which is at t of the spline of these control
   points. bound: of sums, in eps relative to their scales. */
double spline_error(const spline *s, const double *controls, const long double t[3],
                    const unsigned char *vertices, size_t k, double bound);

/* Control points as a call takes them; narrow: room for them as floats. */
clsp_input controls_in(const spline *s, const double *controls, size_t num, void *narrow);

/* A plan with `num` patches loaded. */
clsp_patch_plan *plan_of(clsp_context *ctx, spline *s, const double *controls, size_t num);

/* Evaluates a list that is not planar by the device, and the first half of it again without a
   share, which on CPUs may be the host's. */
clsp_status eval_list_twice(clsp_patch_plan *plan, const clsp_points *points, clsp_output out);

/* The parameter that lies so far in the domain of direction k, from 0 to 1. */
long double domain_at(const spline *s, uint32_t k, long double ratio);

#endif
