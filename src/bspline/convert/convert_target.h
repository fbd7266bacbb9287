/* What a plan's splines are converted to: knots, and the sums that make control points over them.
 */
#ifndef CLSPI_CONVERT_TARGET_H
#define CLSPI_CONVERT_TARGET_H

#include <clspline/bspline.h>

#include "bspline_plan.h"
#include "conversion.h"
#include "convert_host.h"
#include "own_target.h"
#include "piece_order.h"
#include "surface_pieces.h"
#include "tensor_sum.h"

typedef struct clspi_convert_target {
    const clspi_bspline_plan *plan;
    clspi_tensor_desc desc; /* of the sums, whose samples are the target's control points */
    clspi_knots knots[3];
    clspi_conversion conversion[3]; /* from the plan's */
    double *scratch;                /* of rows */

    clspi_grid_tables tables; /* of rows */
    clspi_tensor_sum sum;
    bool is_ready; /* kernels and tables of weights are made */
    uint64_t load; /* of control points that the sum has; 0: none */
    bool pieces;
    clspi_own_target own; /* of plans whose curves have their own knots: then in place of all
                             that follows a direction */
    clspi_surface_pieces surface; /* of pieces of surfaces on GPUs, in the place of the sum */
    clspi_piece_order order;      /* of other pieces in several directions */
    clspi_convert_host host;
} clspi_convert_target;

/* A direction of a target: of a plan, or where curves have their own knots, of one of them. */
typedef struct clspi_target_direction {
    const clspi_bspline_plan *plan;
    const clsp_bspline_change *change;
    const clspi_knots *from;
    cl_uint k;
    size_t curve;
} clspi_target_direction;

/* Makes the knots of a direction; *to is empty before, and to be released on error too. */
clsp_status clspi_target_knots(const clspi_target_direction *direction, bool bezier,
                               clspi_knots *to);

/* Checks a target and makes its knots; *target stays on error. Errors: as of
   clsp_bspline_set_target. */
clsp_status clspi_convert_target_create(clspi_convert_target **target,
                                        const clspi_bspline_plan *plan,
                                        const clsp_bspline_target *wanted);

/* Releases it and writes NULL; *target may be NULL. */
void clspi_convert_target_destroy(clspi_convert_target **target);

/* ---- sums ---- */

/* Makes kernels and the tables of weights, where that has not been done. */
clsp_status clspi_convert_prepare(clspi_convert_target *target, clspi_series *series);

/* Makes some rows of control points: row->out gets [num_patches][num_rows][row], in pieces
   [num_patches][pieces] of these rows. Rows of a patch begin and end at multiples of
   clspi_convert_multiple, or where it ends. points: of num_patches patches in all. */
clsp_status clspi_convert_rows(clspi_convert_target *target, clspi_series *series, cl_mem points,
                               size_t num_patches, const clspi_rows *rows);

size_t clspi_convert_multiple(const clspi_convert_target *target);

/* Returns the rows of a patch that are made together: those of a piece, where pieces are put in
   order, else one. */
size_t clspi_convert_line_rows(const clspi_convert_target *target);

/* Returns the reals of a row, which is what belongs to one control point along u. */
size_t clspi_convert_row_reals(const clspi_convert_target *target);

#endif
