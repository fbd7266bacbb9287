/* What the tests of projection share: curves, points to be projected, the call with memory of the
   host's, and the check of its results by the oracle. */
#ifndef PROJECT_FIXTURE_H
#define PROJECT_FIXTURE_H

#include <stdbool.h>

#include <clspline/clspline.h>

#include "bezier_fixture.h"
#include "project_ref.h"

enum { MAX_SPECIAL = 8 };

/* Curves of one plan. Their numbers are doubles that the precision can represent. */
typedef struct curves {
    const char *name;
    clsp_bspline_desc d; /* of curves; points at the knots */
    unsigned dim, coords;
    size_t num;
    double *knots;
    double *controls;               /* [num][num_controls][coords] */
    double special[MAX_SPECIAL][4]; /* points that are hard to project onto them */
    unsigned num_special;
    double scale;           /* the largest |coordinate| of a point */
    double low[4], high[4]; /* a box around them */
    ref_project **oracle;   /* [num], made when first needed */
} curves;

/* Makes curves over clamped uniform knots, with control points for the caller to fill. */
curves curves_make(clsp_type precision, uint32_t degree, uint32_t controls, unsigned dim,
                   bool rational, size_t num);

/* Coordinate c of control point i of all curves; of rational ones Euclidean. */
void set_coordinate(curves *c, size_t i, unsigned k, double x);

/* Rounds to the precision, makes rational points homogeneous and finds sizes: after all has been
   filled. */
void curves_finish(curves *c);
void curves_free(curves *c);

/* Whether it is the turn of curves of a degree and a dimension, which have kernels of their own
   (is_left_out, program_in_turn). */
bool curves_in_turn(uint32_t degree, uint32_t dim);

/* Tells whether a device ends an item's loops after 65535 rounds in all and goes on, as Mesa's
   llvmpipe does. Rational parts of degree p take about 30 p^2 of them each, and queries take some
   parts, the more the more weights differ. */
bool loops_are_cut(clsp_context *ctx);

/* What there is in the precision of a number. */
double rounded_to(clsp_type precision, double x);

/* Random points in [0, 1)^dim, weights in [1/2, 2). */
curves random_curves(clsp_type precision, uint32_t degree, uint32_t controls, unsigned dim,
                     bool rational, size_t num);

ref_project *oracle_of(curves *c, size_t curve);

/* ---- points ---- */

/* Points of all kinds, [num][dim], representable: anywhere about the curves, on them, at knots,
   beside them, far away, and the special ones. */
double *make_queries(curves *c, size_t num);

/* Points of the curves, which rounding to the precision moves off them; one in eight at a knot. */
double *make_curve_points(curves *c, size_t num);

/* ---- the call ---- */

/* A plan with curves loaded, and what the next call is to take. */
typedef struct projecting {
    clsp_context *ctx;
    curves *c;
    clsp_patch_plan *plan;
    size_t num;
    const double *queries;
    const uint32_t *patches; /* or NULL */
    const double *hints;     /* or NULL */
    clsp_nearest_opts opts;
    const clsp_share *share; /* how processors share it; NULL: by the device alone */
} projecting;

projecting project_start(clsp_context *ctx, curves *c, size_t num, const double *queries);
void project_finish(projecting *p);

/* The results of the points first .. first + count - 1, as bytes of the precision's struct, between
   guards that are looked at. Freed by the caller. */
unsigned char *project_bytes(const projecting *p, size_t first, size_t count);

/* The results of points first .. first + count - 1 as doubles, [count][num_nearest]. */
clsp_nearest_f64 *project_range(const projecting *p, size_t first, size_t count);

/* Bytes of a result, and a result as doubles. */
size_t nearest_bytes(clsp_type precision);
clsp_nearest_f64 nearest_at(clsp_type precision, const unsigned char *results, size_t k);

/* ---- checks ---- */

/* How far a distance may be off: 1e-6 of the size of the numbers at hand, in double 1e-12. */
double allowed(const curves *c, double distance);

/* Fails unless a result is well formed and agrees with itself: its point is that of the curve at
   its parameter and as far from the query as is said. */
void check_itself(curves *c, const double *query, const clsp_nearest_f64 *r);

/* The oracle's nearest point of a curve, or of all (UINT32_MAX). */
ref_nearest exact_nearest(curves *c, const double *query, uint32_t patch);

/* Fails unless it is the nearest one of a curve, or of all (UINT32_MAX), and its bound is one. */
void check_nearest(curves *c, const double *query, uint32_t patch, const clsp_nearest_f64 *r);

/* Fails unless a result is that there is none, for the status, with that bound. */
void check_none(const clsp_nearest_f64 *r, clsp_nearest_status status, double bound);

/* Projects all points and checks each. */
void check_all_nearest(projecting *p);

/* Of all results checked since the last call: the worst distance over what is allowed, and how
   many searches were cut. */
double project_worst(void);
size_t project_cut(void);
void project_say_worst(void);

#endif
