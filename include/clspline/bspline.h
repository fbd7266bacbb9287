/* B-spline curves, surfaces and volumes of any degree over any knots, polynomial or rational, in
   batches.

   A surface of degrees (p, q) with m x n control points P_ij over knots u_0 <= .. <= u_{m+p} and
   v_0 <= .. <= v_{n+q} is
       S(u, v) = sum_{i<m} sum_{j<n} P_ij N_i^p(u) N_j^q(v),   u_p <= u <= u_m, v_q <= v <= v_n,
   with the functions of Cox and de Boor (Piegl and Tiller, The NURBS Book, ch. 2 and 3),
       N_i^0(t) = 1 for u_i <= t < u_{i+1}, else 0,
       N_i^p(t) = (t - u_i) / (u_{i+p} - u_i) N_i^{p-1}(t) +
                  (u_{i+p+1} - t) / (u_{i+p+1} - u_{i+1}) N_{i+1}^{p-1}(t),   0 / 0 = 0.
   A curve has one such sum, a volume three. At a knot where they jump, points and derivatives are
   those of the span that begins there, at the domain's end those of the last one. Parameters of
   lists and axes count as the knot that rounds to them there: in the plan's precision in lists, on
   patch grids of devices and on axes over curves with knots of their own, in double on other grids.
   A rational one has control points in homogeneous coordinates, (w x, w y, w z, w) with w > 0; its
   points are Euclidean, the first dim coordinates divided by the last (ch. 4). All patches of a
   plan - curves, surfaces or volumes - share knots, degrees, dimension, precision and, save where
   it is set for each, the grid.

   Accuracy: with eps = 2^-23 (CLSP_F32) or 2^-52 (CLSP_F64) and scale = max |P_ij| over the patch
   and coordinate, each coordinate of a polynomial surface is within 8 eps scale of the exact value
   for degrees up to 31 and within 32 eps scale above. Where control points are all about one value,
   roundings add up, to 1 + 1.45 sqrt(n) (CLSP_F64: 1 + 2.1 sqrt(n)) eps scale at most for each
   direction, n its degree. Points of rational ones are within the first two bounds of what their
   own terms amount to, however far weights differ; more in docs/math.md, 13. Derivatives and
   normals of rational ones on the plan's grid are made relative to one centre of the net, its
   middle or the origin: a part of it that is D from there counts for their bounds as if it were as
   large as D. Lists and patch grids lose nothing there.
   Parameters of lists count as they are given. Those of grids count to eps^2 of the axis and its
   ends, so that a span keeps its digits wherever it is; on an axis that is a part of the domain of
   curves with knots of their own its ends count in the plan's precision.

   What is done with a plan is in patch.h. */
#ifndef CLSPLINE_BSPLINE_H
#define CLSPLINE_BSPLINE_H

#include <clspline/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_BSPLINE_MAX_DEGREE = 255,       /* in each direction */
    CLSP_BSPLINE_MAX_CONTROLS = 16777216 /* 2^24, in each direction */
};

/* What a plan computes. Zero is the default of every field but num_controls. Those of directions
   that there are not are ignored. */
typedef struct clsp_bspline_desc {
    uint32_t directions;       /* 1: curves, 2: surfaces (0 means this), 3: volumes */
    clsp_type precision;       /* of control points and arithmetic: CLSP_F32 (the default), _F64 */
    uint32_t degree[3];        /* along u, v, w: 0..CLSP_BSPLINE_MAX_DEGREE */
    uint32_t num_controls[3];  /* control points along u, v, w: above the degree, at most
                                  CLSP_BSPLINE_MAX_CONTROLS */
    const double *knots[3];    /* num_controls + degree + 1 each, copied: finite, none less than the
                                  one before or less than 2^-1014 (5.7e-306) above it, none more
                                  often than degree + 1 times, a domain that is not empty. NULL:
                                  uniform over [0, 1], the first and the last degree + 1 times
                                  (clamped) */
    clsp_axis axis[3];         /* of the grid, along u, v, w: num 1..CLSP_PATCH_MAX_SAMPLES, begin
                                  and end within the domain, either way round. All num 0: no grid,
                                  for eval_points and patch grids alone */
    uint32_t dim;              /* coordinates of a point: 1..4; 0 means 3 */
    uint32_t rational;         /* 1: control points have dim + 1 coordinates, the last the weight */
    clsp_vertex_layout vertex; /* of vertices; default: points, packed */
    uint32_t check_weights;    /* as of clsp_bezier_desc */
    uint64_t reserved[CLSP_RESERVED];
} clsp_bspline_desc;

/* Makes a plan: checks the description (copied, its knots too), compiles the kernels and builds the
   tables of basis values. Errors: CLSP_ERROR_ARGUMENT also for defective knots, which the message
   names, an attribute that the plan cannot have and attributes that overlap; CLSP_ERROR_DEGREE
   (above the maximum). On error *plan is NULL. */
CLSP_API clsp_status clsp_bspline_plan_create(clsp_patch_plan **plan, clsp_context *ctx,
                                              const clsp_bspline_desc *desc);

/* Gives every curve knots of its own, in place of the description's; of plans of curves alone.
   knots: CLSP_F64 in host memory, [num_patches][num_controls_u + degree_u + 1], copied, each
   curve's as of clsp_bspline_desc. num_patches 0: the description's again, as at first; else
   evaluations need as many patches loaded (CLSP_ERROR_STATE). Then
   - parameters are those of a curve's own domain, outside of which they count as its end;
   - an axis of the grid over the whole domain of the description's knots, the default, is one over
     each curve's own domain, either way round; another one must lie within the domains of all, and
     counts in the plan's precision;
   - vertices on grids are made one by one, as clsp_patch_eval_points makes them, by the context's
     device alone or, with schedule host, by the host's cores;
   - a curve takes device memory of about (degree + 1)^2 numbers a span, twice and three times as
     many with first and second derivatives;
   - the target of conversions, if there was one, has to be set again.
   Errors: CLSP_ERROR_ARGUMENT also for a plan of surfaces or volumes, memory that is not the
   host's, defective knots and an axis outside of a domain, for which the message has the number of
   the curve; the plan is then as it was. */
CLSP_API clsp_status clsp_bspline_set_knots(clsp_patch_plan *plan, size_t num_patches,
                                            clsp_input knots);

/* ---- other knots ---- */

/* Conversions give the control points by which the same curves, surfaces or volumes, or derivatives
   of them, are described with more knots, a higher degree, over a part of the domain, or in Bezier
   pieces.

   A plan is given a target, the degree and the knots that its splines are to have in
   each direction; a conversion then gives the control points of all patches, or of some, over these
   knots. Knot insertion and refinement, degree elevation, splitting, Bezier extraction and
   derivatives as splines are targets of one form, and may be combined. The control point of target
   function i is the blossom of the spline at the knots behind the i-th (Ramshaw, SRC report 19,
   1987; Seidel, IEEE CG&A 13(1), 1993).

   The curves of a plan may have knots of their own (clsp_bspline_set_knots). A change is then made
   to each curve's, knots that are given are the target's of all curves, and curves may have
   different numbers of control points.

   Accuracy: a control point is a convex combination of at most degree + 1 old ones along each
   direction, so what is far from the origin loses nothing but the rounding of its coordinates. Its
   weights are within 4 eps of double; with eps and scale as above each coordinate is within
   8 eps scale of the exact value for degrees up to 31, and within 32 eps scale above. Of
   derivatives scale is the largest control point times the factors of the differences. Control
   points that a change leaves as they are are copied exactly. This holds for knots that are made
   here, and for given ones whose knots outside of their domain are such as well; others take
   weights of both signs, and errors are relative to the sum of their sizes. More in
   docs/math.md, 16. */
enum { CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE = 2 /* along each direction */ };

typedef enum clsp_bspline_convert_method {
    CLSP_BSPLINE_CONVERT_DEFAULT = 0, /* bands */
    CLSP_BSPLINE_CONVERT_BANDS = 1,   /* sums of the degree + 1 control points that count */
    CLSP_BSPLINE_CONVERT_MATRIX =
        2 /* products with whole matrices, most of which is 0, large ones on GPUs by CLBlast where
             it is installed; to compare with, and refused by a library that is built without
             published methods */
} clsp_bspline_convert_method;

/* What becomes of one direction; all 0: nothing. Knots are made by what stands before `knots`, or
   they are given there.

   Plans that are rational have no derivative: that of a rational spline is not the one of its
   homogeneous control points. (Those are the control points of a plan of dim + 1 coordinates that
   is not rational.)

   Knots that are given have a domain that lies within the plan's, and within it each of the plan's
   knots as often as the spline needs it: of a plan of degree p that has it m times, after d
   derivatives, min(m, p - d + 1) + degree - (p - d) times. */
typedef struct clsp_bspline_change {
    uint32_t
        derivative;   /* its order: 0..CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE and at most the degree */
    uint32_t elevate; /* degrees more, after the derivative */
    double begin, end;    /* the interval that is left, within the domain, begin < end; its ends
                             become clamped. Both 0: the domain, whose ends stay as they are */
    const double *insert; /* [num_insert]: knots more, within the domain that is left, ends
                             included, in any order, equal ones too; none is then there more often
                             than the new degree + 1 times, as a clamped end is already */
    size_t num_insert;
    const double *knots; /* NULL, or all knots of the target, num_controls + degree + 1 as of
                            clsp_bspline_desc: then elevate, begin, end and insert are 0 */
    uint32_t degree;     /* of these knots */
    uint32_t num_controls;
    uint64_t reserved[CLSP_RESERVED];
} clsp_bspline_change;

/* A target has at most CLSP_PATCH_MAX_SAMPLES control points along a direction. (More than
   CLSP_BSPLINE_MAX_CONTROLS are no plan's.) */
typedef struct clsp_bspline_target {
    clsp_bspline_change along[3]; /* u, v, w; those of directions that there are not are ignored */
    uint32_t bezier;              /* 1: Bezier pieces of what `along` says, one for each span of the
                                     target's knots, which in all directions are then made to stand
                                     degree + 1 times. No `knots` are given then */
    clsp_bspline_convert_method method;
    uint64_t reserved[CLSP_RESERVED];
} clsp_bspline_target;

/* Sets what clsp_bspline_convert makes, in place of what was set before: makes the target's knots
   and the weights, on the host in double, in time O(degree^2 (elevate + 1)) a control point. The
   target is copied. NULL: the plan has none any more, as at first. It stays as the grid and control
   points change. Errors:
   CLSP_ERROR_ARGUMENT (NULL, a field out of its range, which the message names, with the curve's
   number where curves have knots of their own; defective knots; a derivative of a rational plan;
   the matrix method with knots of curves' own), CLSP_ERROR_DEGREE (a degree above the maximum),
   CLSP_ERROR_NO_MEMORY, CLSP_ERROR_STATE (a plan whose last change failed), OpenCL's own. After an
   error the target is the one before. */
CLSP_API clsp_status clsp_bspline_set_target(clsp_patch_plan *plan,
                                             const clsp_bspline_target *target);

/* Where a conversion along one direction goes as a matrix, with a row for each control point of the
   target and a column for each of the plan: row i has weights[i][0..degree] in columns first[i] ..
   first[i] + degree, degree being the plan's, and is 0 elsewhere. Conversions along several
   directions follow one another. A derivative's rows are weights of control points, and not of
   their differences. Both are in host memory; with neither the matrix is not asked for. */
typedef struct clsp_bspline_matrix {
    clsp_output first;   /* CLSP_U32 [num_controls] of the target */
    clsp_output weights; /* CLSP_F64 [num_controls][degree + 1] */
    uint64_t reserved[CLSP_RESERVED];
} clsp_bspline_matrix;

/* Gives the description of a plan for the control points that a conversion makes: degrees, numbers
   of control points, knots, and what the plan's own has, with no grid and plain vertices. patch:
   where curves have knots of their own, which of them; else it does not matter. The knots are the
   target's and live as long. Of Bezier pieces knots stand degree + 1 times: piece s of a direction
   lies between knots s (degree + 1) and (s + 1) (degree + 1), and there are num_controls / (degree
   + 1). matrix: [directions], receive the conversion; NULL: not asked for. Errors:
   CLSP_ERROR_ARGUMENT (NULL, no such curve, other memory), CLSP_ERROR_BUFFER_SIZE,
   CLSP_ERROR_NO_MEMORY, CLSP_ERROR_STATE (no target). */
CLSP_API clsp_status clsp_bspline_target_desc(const clsp_patch_plan *plan, size_t patch,
                                              clsp_bspline_desc *desc,
                                              const clsp_bspline_matrix *matrix);

/* Makes the control points of a range of the patches loaded over the target's knots, in the plan's
   precision. controls: receives them, with coordinates as of clsp_patch_set_control_points, in
   shape
       curves     [count][num_controls_u][coordinates], or one behind the other
       surfaces   [count][num_controls_u][num_controls_v][coordinates]
       volumes    [count][num_controls_u][num_controls_v][num_controls_w][coordinates]
   with the target's numbers, and of Bezier pieces piece by piece, as the control points of patches
   of bezier.h are, with the target's orders p, q, r (degrees + 1) and numbers of pieces:
       curves     [count][pieces_u][p][coordinates]
       surfaces   [count][pieces_u][pieces_v][p][q][coordinates]
       volumes    [count][pieces_u][pieces_v][pieces_w][p][q][r][coordinates]
   Where curves have knots of their own, those of curve c begin behind as many as there are of the
   range {0, c}; run.tiling counts them. run: not shared. Errors: CLSP_ERROR_STATE without a
   target. */
CLSP_API clsp_status clsp_bspline_convert(clsp_patch_plan *plan, clsp_range patches,
                                          clsp_output controls, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
