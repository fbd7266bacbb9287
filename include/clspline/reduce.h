/* Degree reduction: the curves or surfaces of a plan (patch.h) as Bezier pieces of a lower degree
   that are within a distance of them. CAD files take cubics, fonts quadratics and plotters lines.

   A curve is cut where its knots are, and each of these segments into the least number of equal
   parts, in the parameter, for which every part is within the tolerance of the piece of the lower
   degree that stands for it. Pieces meet as the curve does, bit for bit, and
   - of degree 1 they have its points where they begin and end;
   - of degree 2 its tangents at the ends of each segment too; where a segment is three pieces or
     more, the first and the last are shorter than the others, and pieces of a cubic join with equal
     derivatives, of curves of higher degrees nearly so;
   - of higher degrees its derivatives, so that pieces join with equal ones.
   Pieces of rational curves are rational, with weights, or polynomial where that is asked for.

   Surfaces become pieces direction by direction, first along u and then along v, each within half
   of the tolerance where the degree falls along both. Along a direction all curves of a surface are
   cut in the same places of a span, so that pieces are a grid without gaps, and neighbours have the
   same control points on their edges, bit for bit. A direction of no higher degree than pieces are
   to have is cut at its knots and keeps its degree. Pieces of rational surfaces are rational; they
   are more the more weights differ, by the fourth root of that for cubics.

   Each piece has a bound: at no parameter is it farther from the curve, so neither from the other.
   It is proven, with all roundings, from values between which the difference cannot rise by more
   than 1.09 times (docs/math.md, 22). Degrees are up to CLSP_REDUCE_MAX_CURVE_DEGREE, of any
   dimension and precision, and weights positive. */
#ifndef CLSPLINE_REDUCE_H
#define CLSPLINE_REDUCE_H

#include <clspline/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_REDUCE_MAX_DEGREE = 15,        /* of pieces */
    CLSP_REDUCE_MAX_CURVE_DEGREE = 255, /* of the curves that they stand for */
    CLSP_REDUCE_MAX_PIECES = 1048576    /* 2^20, of a segment */
};

/* What curves and surfaces become. */
typedef struct clsp_reduction {
    uint32_t degree;        /* of pieces: 1..CLSP_REDUCE_MAX_DEGREE and below the curves', or one
                               of the surfaces' */
    uint32_t polynomial;    /* 1: pieces of rational curves are polynomial */
    uint32_t free_tangents; /* 1: pieces of degrees 2 and above have points of curves where they
                               begin and end, and not tangents or derivatives: kinks within the
                               tolerance, and up to a third fewer */
    double tolerance;       /* what pieces may be off: above 0 and finite */
    uint64_t reserved[CLSP_RESERVED];
} clsp_reduction;

/* What comes of that. */
typedef struct clsp_reduction_size {
    size_t num_pieces; /* of all curves or surfaces */
    double bound;      /* no piece has a larger one. It is above the tolerance where that is below
                          what rounding allows, some 1e-14 of a curve's size and the rounding of its
                          coordinates, or where a segment would need more than
                          CLSP_REDUCE_MAX_PIECES pieces; infinite where control points are not
                          finite, or weights not positive: such a segment has one piece */
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_reduction_size;

/* Counts the pieces of all curves or surfaces that are loaded, for clsp_patch_reduce, in place of
   what was counted before. It waits for their control points; loading others needs another count.
   The host's cores make it. reduction: NULL: there is none any more, as at first; size may be NULL.
   Errors: CLSP_ERROR_ARGUMENT also for a plan of volumes, triangles or rational surfaces of four
   dimensions, polynomial pieces of rational surfaces, a degree of pieces that is 0 or not lower,
   and a tolerance that is not above 0 and finite; CLSP_ERROR_DEGREE (above a maximum),
   CLSP_ERROR_STATE (no control points). After an error what was counted before still counts. */
CLSP_API clsp_status clsp_patch_set_reduction(clsp_patch_plan *plan,
                                              const clsp_reduction *reduction,
                                              clsp_reduction_size *size);

/* Where pieces go; those that are all 0 are not asked for. */
typedef struct clsp_pieces {
    clsp_output controls; /* in the plan's precision, [num][degree + 1][coordinates], of surfaces
                             [num][degree_u + 1][degree_v + 1][coordinates], with as many
                             coordinates as the plan's control points, but of polynomial pieces
                             dim. A degree is the reduction's, or the surfaces' where that is
                             lower */
    clsp_output params;   /* CLSP_F64 [num][directions][2]: where each begins and ends in the
                             parameters of its curve or surface */
    clsp_output bounds;   /* CLSP_F64 [num] */
    clsp_output patches;  /* CLSP_U32 [num]: the number of its curve or surface */
    uint64_t reserved[CLSP_RESERVED];
} clsp_pieces;

/* Writes the pieces of a range of the curves or surfaces that were counted, one's behind the
   other's, along a curve in order of its parameter and of a surface v fastest. Those of patch c
   begin behind as many as there are of the range {0, c}; run.tiling counts elements of controls.
   The host's cores make them, in memory of any kind. run: not shared. Errors: CLSP_ERROR_ARGUMENT
   also without controls, CLSP_ERROR_STATE (nothing was counted, or control points were loaded
   since). */
CLSP_API clsp_status clsp_patch_reduce(clsp_patch_plan *plan, clsp_range patches,
                                       const clsp_pieces *pieces, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
