/* Nearest points of curves and surfaces: the nearest point of one, or of all of a plan (patch.h),
   to each of many points. Inversion, the parameter of a point on a curve or a surface, is the same
   call.

   The nearest point is the global one, ends of curves, edges of surfaces and kinks included, and
   comes with a bound: no point of them is nearer than that. Curves and surfaces are Bezier patches
   and B-splines, polynomial or rational with positive weights. Curves have 1 to 4 coordinates and
   degree 1 to CLSP_NEAREST_MAX_DEGREE, surfaces 2 to 4 coordinates and degrees 1 to
   CLSP_NEAREST_MAX_SURFACE_DEGREE in each direction.

   Surfaces are searched in double precision, by GPUs that have it or by the host's cores: see
   clsp_nearest_project. Their distances are within 1e-12 of size + distance of the least one, of
   CLSP_F32 rounded to float, and so are parameters. A piece of a surface, over one span of each
   direction, that has a number which is not finite, or a weight that is not positive, is left out.
   More in docs/math.md, 20.

   Accuracy of the exact method of curves: with size the largest |coordinate| of a curve, its
   distance is within 1e-6 (CLSP_F32) or 1e-12 (CLSP_F64) of size + distance of the least one for
   degrees up to 16, in CLSP_F32 within 2^-23 degree above. So it is in CLSP_F32 with weights from
   1e-3 to 1e3; where larger ratios leave a minimum open the status is CLSP_NEAREST_CUT, and the
   bound says how much nearer a point may be. More in docs/math.md, 14. */
#ifndef CLSPLINE_NEAREST_H
#define CLSPLINE_NEAREST_H

#include <clspline/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLSP_NEAREST_MAX_DEGREE = 64,         /* of curves */
    CLSP_NEAREST_MAX_SURFACE_DEGREE = 16, /* of surfaces, in each direction */
    CLSP_NEAREST_MAX_RESULTS = 16         /* results of a query */
};

typedef enum clsp_nearest_method {
    CLSP_NEAREST_METHOD_DEFAULT = 0, /* exact */
    CLSP_NEAREST_EXACT = 1, /* branch and bound on the squared distance in Bernstein form; to
                               rounding */
    CLSP_NEAREST_MREP = 2   /* through cubic pieces within a tolerance (Wu and Zou, corrected:
                               docs/math.md, 15); the distance is within it, and so is its bound.
                               B-spline curves only, not rational, no knots of a curve's own, one
                               result a query; a library that is built without published methods
                               refuses it (CLSP_ERROR_ARGUMENT) */
} clsp_nearest_method;

/* What became of a query. */
typedef enum clsp_nearest_status {
    CLSP_NEAREST_FOUND = 0,  /* the bound is the distance but for rounding, or the tolerance */
    CLSP_NEAREST_CUT = 1,    /* found, and the search ended before all was certain: see the bound */
    CLSP_NEAREST_NONE = 2,   /* nothing within max_dist, no further local minimum, or no curve */
    CLSP_NEAREST_INVALID = 3 /* the query is not finite, or its number of a curve too high */
} clsp_nearest_status;

/* A nearest point, of plans in CLSP_F32 and CLSP_F64. Without one the distance is infinite, patch
   is UINT32_MAX, the bound max_dist, which mrep may miss by its tolerance, or infinite (of an
   invalid query NaN), all else NaN.

   The parameter of a curve is the sum of param[0] and param[1], taken in more digits than theirs:
   weights can make much of a curve belong to few parameters, which param[0] alone, the sum rounded,
   does not tell apart. The point and the distance are those at the sum. Those of a surface are
   param[0] (u) and param[1] (v), rounded; the point and the distance are those before that. Where
   much of a surface is one point, as at a pole, or several points are equally near, one of them is
   given. */
typedef struct clsp_nearest_f32 {
    float distance;  /* Euclidean */
    float bound;     /* no point of what is searched is nearer; at most distance */
    float param[3];  /* of the nearest point; curves: param[0] + param[1]; surfaces: u, v; the third
                        is 0 */
    float point[4];  /* its dim coordinates; the others are 0 */
    uint32_t patch;  /* number of its curve or surface */
    uint32_t status; /* a clsp_nearest_status */
} clsp_nearest_f32;

typedef struct clsp_nearest_f64 {
    double distance;
    double bound;
    double param[3];
    double point[4];
    uint32_t patch;
    uint32_t status;
} clsp_nearest_f64;

enum { /* elements of a result: floats, doubles */
       CLSP_NEAREST_F32_SIZE = 11,
       CLSP_NEAREST_F64_SIZE = 10
};

/* Make the memory of num results in host memory. In buffers and SVM they are arrays of the same
   structs, and offsets count floats or doubles. */
static inline clsp_output clsp_out_nearest_f32(clsp_nearest_f32 *host, size_t num)
{
    clsp_output out = {CLSP_F32, NULL, host, NULL, num * CLSP_NEAREST_F32_SIZE, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_nearest_f64(clsp_nearest_f64 *host, size_t num)
{
    clsp_output out = {CLSP_F64, NULL, host, NULL, num * CLSP_NEAREST_F64_SIZE, 0, {0}, {0, 0, 0}};
    return out;
}

/* The points to be projected. An input without memory and size is none. */
typedef struct clsp_nearest_queries {
    size_t num;
    clsp_input points;  /* [num][dim], in the plan's precision */
    clsp_input patches; /* CLSP_U32 [num]: onto which patch each; none: onto the nearest of all */
    clsp_input hints;   /* [num], of surfaces [num][2], in the plan's precision: a parameter thought
                           near the answer, such as the last one of a moving point; NaN: none. It
                           speeds the search up and does not change what is found. Refused where it
                           is not known of which patch: without patches and with more than one */
    uint64_t reserved[CLSP_RESERVED];
} clsp_nearest_queries;

/* NULL or all 0: the nearest point, exact. The exact method and one result a query are all that
   Bezier patches have. */
typedef struct clsp_nearest_opts {
    clsp_nearest_method method;
    uint32_t num_nearest; /* results of a query, 1 (0 means this) to CLSP_NEAREST_MAX_RESULTS, of
                             surfaces 1. Above 1: the nearest local minima of the distance along
                             curves, ends that are nearer than their neighbourhood included, by
                             increasing distance */
    double max_dist;      /* above 0: what is farther is not looked for; 0: no limit */
    double tolerance; /* of CLSP_NEAREST_MREP: how far a distance may be above the least one, and
                         a bound below its distance; cubics are within half of it. 0: 1e-4 of
                         the largest edge of the box around all curves. Below what the precision
                         can reach, some (degree + 8) eps of a span's size, it counts as that.
                         Of curves below 1e-31 (CLSP_F32) devices without denormal numbers take what
                         cubics are off by for 0 */
    union {
        uint64_t no_normals;        /* 0 */
        const clsp_output *normals; /* of surfaces of three coordinates: receives the unit normal
                               and the signed distance of each query, [num][4] in the plan's
                               precision; NULL: not asked for */
    };
    union {
        uint64_t no_metric;   /* 0 */
        const double *metric; /* [dim], the weights of coordinates in squared distances, finite and
                         above 0: the distance of x and y is the root of the sum of metric[k] (x_k -
                         y_k)^2, and all distances are such ones; NULL: 1 each */
    };
    union {
        uint64_t no_feet;        /* 0 */
        const clsp_output *feet; /* of clsp_nearest_find: receives [num] clsp_nearest_foot; NULL:
                                    not asked for */
    };
    uint64_t reserved[CLSP_RESERVED - 3];
} clsp_nearest_opts;

/* Projects points onto the curves or surfaces loaded. nearest: receives [num][num_nearest] results
   (the structs above) in the plan's precision. The first call after curves are loaded makes what
   the search needs; of mrep also the first one with another tolerance, and it waits for the device,
   whose segments cubics are made of. Where these would be more than 2^22, or more than its largest
   buffer holds, a warning says so, results are CLSP_NEAREST_CUT, and bounds are as far off as the
   cubics are. opts may be NULL.

   Shared, processors take tiles of the points, by the exact method; mrep is the context's device's
   alone. The host's cores search within the same bounds as devices; their results may have other
   bits, and of points that are equally near another one may be found.

   Onto surfaces of two or three coordinates a GPU with double precision projects, from and into
   memory of any kind; what it leaves over, queries that need more than so much work, the host's
   cores search for. Onto others, and where the device is none such, the host's cores project, also
   where the memory is a device's. Calls return when all is done. Where the context's device
   searches, so do in a shared call joined ones that are such GPUs, while others drop out, and the
   host's cores, which are alone where it does not, whatever the schedule is. Tiles by the schedule
   host are made by the calling thread. The bits of a result depend on its query and on who
   searches; all keep the same bounds, and of points that are equally near any may be found.

   From 4096 queries on they are searched for in the order of their places. A query halves pieces
   65536 times, each piece a quarter of what is left of these, and then gives up pieces: a result
   where they may have mattered is CLSP_NEAREST_CUT, with a bound that holds. So it may be where
   many points are equally near along a curve of no constant u or v.

   Normals are those of S_u x S_v at the nearest point, at poles their limit along the line that
   ends there; NaN where there is none, as at cusps. The signed distance is the distance, negative
   where the query is on the other side than the normal. The side is known where the way from the
   nearest point to the query is along the normal: within surfaces, also where patches that have one
   tangent plane meet. It is open where the nearest point is at an edge of a surface or at a crease
   and the way there is another one, and where the search was cut: the signed distance is NaN.
   Where patches meet in a crease, the side is that of the patch whose normal points along the way.
   Queries as near to the surface as distances are off get either sign.

   With a metric all is searched as if coordinates were multiplied by the roots of its weights,
   whose roundings are within the bounds above; sizes are measured so too. Normals are those of the
   surface as it is. A call with another metric than the one before makes anew what is searched;
   calls that overlap, for tiles on their threads, have the same one.

   Errors: CLSP_ERROR_ARGUMENT also for a plan of volumes, of triangles or of surfaces of one
   coordinate, and for normals of curves and of surfaces of other than three coordinates;
   CLSP_ERROR_DEGREE (0, or above the maximum), CLSP_ERROR_WEIGHTS (mrep of rational curves). */
CLSP_API clsp_status clsp_nearest_project(clsp_patch_plan *plan,
                                          const clsp_nearest_queries *queries,
                                          const clsp_nearest_opts *opts, clsp_output nearest,
                                          const clsp_run *run);

/* A search over the patches of several plans, curves and surfaces of any degrees and knots,
   polynomial and rational ones: one tree, in which a query has one nearest point of all. */
typedef struct clsp_nearest clsp_nearest;

/* B-spline curves, one behind another, in host memory: copied. Control points are homogeneous: (w
   u, w v, w) in the plane of a face's parameters, (w x, w y, w z, w) in space. */
typedef struct clsp_curve_list {
    size_t num;
    const uint32_t *degree;       /* [num]: 1 to CLSP_NEAREST_MAX_DEGREE */
    const uint32_t *num_controls; /* [num]: above the degree */
    const double *knots;    /* num_controls + degree + 1 of each, none less than the one before
                               nor more often than degree + 1 times, the first and the last
                               degree + 1 times */
    const double *controls; /* num_controls of each, with weights above 0 */
    uint64_t reserved[CLSP_RESERVED];
} clsp_curve_list;

/* Loops that trim surfaces of three coordinates. A face is a surface and its loops; face f is patch
   f of the search. Inside are the parameters from which a ray meets loops an odd number of times,
   whichever way they run: holes are loops, and so are faces inside of holes. A loop is closed:
   where a curve ends and the next one begins within `snap` of the domain the next one's end is
   moved there, and wider gaps are closed by a line. What of loops is off the domain bounds nothing
   there; the surface ends with its domain. */
typedef struct clsp_trims {
    const uint32_t *loop; /* [patches + 1]: the first loop of each face, and their number; none: the
                             face is whole. Patches of curves have none */
    const uint32_t *curve; /* [loops + 1]: the first curve of each loop, and their number */
    clsp_curve_list curves,
        edges;               /* of loops, head to tail; in space, in the control points' unit */
    const uint32_t *edge;    /* [curves.num]: its edge; UINT32_MAX: none, as at a pole */
    const double *tolerance; /* [edges.num]; NULL: 0 */
    double snap;             /* 0: 1e-7 */
    const uint8_t *turned;   /* [patches]: 1: outward is against S_u x S_v; NULL: 0 each */
    uint64_t reserved[CLSP_RESERVED];
} clsp_trims;

/* What a nearest point is on, beside its patch. */
typedef struct clsp_nearest_foot {
    double tolerance; /* of its edge; 0: of none */
    uint32_t edge; /* UINT32_MAX: none, the point is within a face, on a curve or on a loop without
                      an edge */
    uint32_t face; /* its patch; UINT32_MAX: an edge of no face */
} clsp_nearest_foot;

enum { CLSP_NEAREST_FOOT_SIZE = 2 /* elements, doubles, of a clsp_nearest_foot */ };

/* Makes the memory of num feet in host memory. */
static inline clsp_output clsp_out_nearest_feet(clsp_nearest_foot *host, size_t num)
{
    clsp_output out = {CLSP_F64, NULL, host, NULL, num * CLSP_NEAREST_FOOT_SIZE, 0, {0}, {0, 0, 0}};
    return out;
}

/* Makes a search over the patches of num plans, at least 1: of one context, one precision and as
   many coordinates, and as clsp_nearest_project takes them. The control points that are loaded
   count, and are copied: plans may change and end before the search. Patches are numbered through
   all plans in their order. The call waits for all that it reads. *search is NULL after an error.

   With trims (NULL: none) what is searched is exactly this: S(u, v) of all parameters inside of a
   face's loops, loops included, and all edges. Nothing is measured between an edge and what its
   loops' curves are on the surfaces: tolerances are told with results (opts.feet) and change no
   distance and no bound. How many gaps have been closed by lines is told to the log.

   Errors: CLSP_ERROR_ARGUMENT (also for plans that do not match, and for trims that are not as
   above), CLSP_ERROR_DEGREE (also where a loop's curve of degree n on a surface of degrees p and q
   would have n (p + q) above 160, along one parameter n p or n q), CLSP_ERROR_STATE (a plan without
   control points). */
CLSP_API clsp_status clsp_nearest_create(clsp_nearest **search, clsp_patch_plan *const *plans,
                                         size_t num, const clsp_trims *trims, const clsp_run *run);
CLSP_API void clsp_nearest_destroy(clsp_nearest **search);

/* Projects points onto the patches of a search, as clsp_nearest_project does onto the surfaces of a
   plan: in double precision and within the same bounds, curves too, one result a query. What
   differs: the host's cores search trimmed patches, those of control points of more than 36 a
   piece, and what feet or a side at an edge are asked of; joined devices do not search, and devices
   do not begin at hints of several plans. Normals are outward (trims->turned), and the side of
   a query is known also where its nearest point is on an edge or at a vertex: as that of points
   between it and the surface whose own nearest points tell it. So it is of a closed shell,
   whichever patches make it, but for some queries whose nearest point is on an edge that is off its
   loops: by trims of some 1e-5 of the size one in a thousand. Where what is searched ends, at free
   edges, and where `patches` leave it open, the signed distance is NaN too. Where two shells touch
   in a face either one's side is given. Hints are [num][2], of a curve the first counts. A result
   on a curve has its parameter in param[0], rounded, and 0 behind; its normal and signed distance
   are NaN. There is no metric. A result on an edge has the parameters of the first face whose loops
   it is in, at the point nearest to it on its loop; on an edge of no face its patch is UINT32_MAX
   and its parameters are NaN.

   Errors: those of clsp_nearest_project; CLSP_ERROR_ARGUMENT also for mrep and for a metric. */
CLSP_API clsp_status clsp_nearest_find(clsp_nearest *search, const clsp_nearest_queries *queries,
                                       const clsp_nearest_opts *opts, clsp_output nearest,
                                       const clsp_run *run);

/* Tells which parameters are inside of a face's loops, and within its domain: of params->num
   parameters [num][2] of the patches params->item, in the precision of the search. inside: receives
   CLSP_U8 [num]: 0, 1, or 2 on a loop, or on an edge of the domain that is inside, within rounding;
   of a number that is none 0. Host memory alone.

   Errors: CLSP_ERROR_ARGUMENT (also for a patch that is not there or a curve),
   CLSP_ERROR_BUFFER_SIZE. */
CLSP_API clsp_status clsp_nearest_contains(clsp_nearest *search, const clsp_points *params,
                                           clsp_output inside, const clsp_run *run);

#ifdef __cplusplus
}
#endif

#endif
