/* B-splines over other knots: the control points by which the same curves, surfaces or volumes, or
   derivatives of them, are described with more knots, a higher degree, over a part of the domain,
   or in Bezier pieces.

   A plan (bspline.h) is given a target, the degree and the knots that its splines are to have in
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
   weights are within 4 eps of double; with eps and scale as of bspline.h each coordinate is within
   8 eps scale of the exact value for degrees up to 31, and within 32 eps scale above. Of
   derivatives scale is the largest control point times the factors of the differences. Control
   points that a change leaves as they are are copied exactly. This holds for knots that are made
   here, and for given ones whose knots outside of their domain are such as well; others take
   weights of both signs, and errors are relative to the sum of their sizes. More in
   docs/math.md, 16. */
#ifndef CLSPLINE_BSPLINE_CONVERT_H
#define CLSPLINE_BSPLINE_CONVERT_H

#include <clspline/bspline.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE = 2 /* along each direction */ };

typedef enum clsp_bspline_convert_method {
    CLSP_BSPLINE_CONVERT_DEFAULT = 0, /* bands */
    CLSP_BSPLINE_CONVERT_BANDS = 1,   /* sums of the degree + 1 control points that count */
    CLSP_BSPLINE_CONVERT_MATRIX =
        2 /* products with whole matrices, most of which is 0; to compare with */
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

/* A target has at most CLSP_BSPLINE_MAX_SAMPLES control points along a direction. (More than
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
   and the weights, on the host in double, in time O(degree^2 (elevate + 1)) a
   control point. The target is copied. NULL:
   the plan has none any more, as at first. It stays as the grid and control points change. Errors:
   CLSP_ERROR_ARGUMENT (NULL, a field out of its range, which the message names, with the curve's
   number where curves have knots of their own; defective knots; a derivative of a rational plan;
   the matrix method with knots of curves' own), CLSP_ERROR_DEGREE (a degree above the maximum),
   CLSP_ERROR_NO_MEMORY, CLSP_ERROR_STATE (a plan whose last change failed), OpenCL's own. After an
   error the target is the one before. */
CLSP_API clsp_status clsp_bspline_set_target(clsp_bspline_plan *plan,
                                             const clsp_bspline_target *target);

/* Gives the description of a plan for the control points that a conversion makes: degrees, numbers
   of control points, knots, and what the plan's own has, with no grid and plain vertices. patch:
   where curves have knots of their own, which of them; else it does not matter. The knots are the
   target's and live as long. Of Bezier pieces knots stand degree + 1 times: piece s of a direction
   lies between knots s (degree + 1) and (s + 1) (degree + 1), and there are num_controls / (degree
   + 1). Errors: CLSP_ERROR_ARGUMENT (NULL, no such curve), CLSP_ERROR_STATE (no target). */
CLSP_API clsp_status clsp_bspline_target_desc(const clsp_bspline_plan *plan, size_t patch,
                                              clsp_bspline_desc *desc);

/* Makes the control points of a range of the patches loaded over the target's knots, in the plan's
   precision. controls: receives them, with coordinates as of clsp_bspline_set_control_points, in
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
CLSP_API clsp_status clsp_bspline_convert(clsp_bspline_plan *plan, clsp_range patches,
                                          clsp_output controls, const clsp_run *run);

/* Gives the conversion along one direction as a matrix, with a row for each control point of the
   target and a column for each of the plan: row i has weights[i][0..degree] in columns first[i] ..
   first[i] + degree, degree being the plan's, and is 0 elsewhere. Conversions along several
   directions follow one another. A derivative's rows are weights of control points, and not of
   their differences. first: CLSP_U32 [num_controls], weights: CLSP_F64 [num_controls][degree + 1]
   of the direction, both in host memory. Errors: CLSP_ERROR_ARGUMENT (NULL, a direction or a
   curve that there is not, other memory), CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_STATE (no target). */
CLSP_API clsp_status clsp_bspline_target_matrix(const clsp_bspline_plan *plan, size_t patch,
                                                uint32_t direction, clsp_output first,
                                                clsp_output weights);

#ifdef __cplusplus
}
#endif

#endif
