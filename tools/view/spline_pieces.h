/* B-splines on their way to the screen: surfaces as their Bezier pieces, volumes as those of their
   six sides, curves as lines. Plans stay while control points move. */
#ifndef CLSPLINE_TOOLS_SPLINE_PIECES_H
#define CLSPLINE_TOOLS_SPLINE_PIECES_H

#include <clspline/clspline.h>

#include "bezierview.h"
#include "splines.h"
#include "vertex_target.h"

/* A batch of splines with its plan, which converts those of surfaces and volumes. */
typedef struct piece_batch {
    const spline_batch *from;
    clsp_patch_plan *plan;
    clsp_bspline_desc target;
    size_t pieces[SPLINES_MAX_DIRECTIONS]; /* along each direction */
    size_t first;                          /* batch of the content that its pieces are in */
    uint32_t samples;                      /* of a curve */
    double *reals;                         /* converted control points of all splines */
    float *floats;                         /* these as a device without double makes them */
    size_t num_reals;
} piece_batch;

typedef struct spline_pieces {
    clsp_context *ctx;
    const splines *from;
    mesh_precision precision;
    piece_batch *batches;
    size_t num_curves, num_curve_vertices;
} spline_pieces;

/* Makes the plans, and content's batches of pieces, which are filled. from must outlive the pieces.
   Complains on failure; to be closed whatever happens. */
bool spline_pieces_open(spline_pieces *p, clsp_context *ctx, const splines *from,
                        bezierview *content);

/* Loads the control points, which have changed, and fills content's anew. Complains on failure. */
bool spline_pieces_load(spline_pieces *p, bezierview *content);

/* Lists the curves, whose vertices begin with number `first`, in curves [num_curves]. */
void spline_pieces_curves(const spline_pieces *p, size_t first, view_curve *curves);

/* Evaluates the vertices of curves, which begin with number `first`. Complains on failure. */
bool spline_pieces_eval(spline_pieces *p, const vertex_target *to, size_t first);

void spline_pieces_close(spline_pieces *p);

#endif
