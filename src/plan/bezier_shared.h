/* The svm rung of Bezier plans: one kernel whose work-groups pop tiles from a counter that they
   share with the host and other devices (bezier_shared.cl). For surfaces by the separable method
   whose vertices are packed points of the precision. */
#ifndef CLSPI_BEZIER_SHARED_H
#define CLSPI_BEZIER_SHARED_H

#include "bezier_plan.h"

/* How patches are cut: a tile is patches_per_tile whole patches, the last one fewer, or, where
   tiles_per_patch is above 1, tile_rows rows of one, the last one of a patch fewer. */
typedef struct clspi_bezier_tiling {
    cl_uint patches_per_tile; /* 1 where tiles_per_patch is above 1 */
    cl_uint tile_rows;        /* a multiple of CLSPI_BEZIER_ROWS_PER_ITEM, or num_u at least */
    cl_uint tiles_per_patch;
} clspi_bezier_tiling;

/* Why `count` patches of the plan cannot be made in this way; NULL: they can. Static storage. */
const char *clspi_bezier_shared_refusal(const clsp_bezier_plan *plan, size_t count);

/* Enqueues first sums of patches first .. first + count - 1, then the kernel. counter: a cl_int in
   fine-grain SVM; out: where patch number first begins, in fine-grain SVM. num_tiles: below 2^31,
   those of all `count` patches or the first ones of them. Only where nothing refuses. */
clsp_status clspi_bezier_shared_enqueue(clsp_bezier_plan *plan, clspi_series *series, void *counter,
                                        const clspi_bezier_tiling *tiling, size_t num_tiles,
                                        size_t first, size_t count, void *out);

void clspi_bezier_shared_release(clsp_bezier_plan *plan);

/* Builds its program ahead of use; nothing on devices that cannot have it. */
clsp_status clspi_bezier_shared_build(clsp_context *ctx, clsp_precision precision,
                                      clsp_kernel_fn fn, void *user);

#endif
