/* Vertices that are evaluated one by one, by the kernels of bezier_at.cl: at scattered parameters,
   on grids of patches' own, on triangles. */
#ifndef CLSPI_BEZIER_AT_H
#define CLSPI_BEZIER_AT_H

#include "bezier_plan.h"

typedef enum clspi_bezier_at_kind {
    CLSPI_AT_SCATTERED,
    CLSPI_AT_OWN,
    CLSPI_AT_FACES,
    CLSPI_AT_KINDS
} clspi_bezier_at_kind;

/* Kernels depend on what plans cannot change; buffers grow. */
struct clspi_bezier_at {
    clspi_kernel kernels[CLSPI_AT_KINDS]; /* those used so far */
    cl_mem patches, params;               /* staging of clsp_bezier_eval_at_f32, _f64 */
    size_t patches_bytes, params_bytes;
    cl_mem nums;       /* [num_own][2]: own_num */
    cl_mem prefix;     /* [num_own]: own_first, modulo 2^32 */
    cl_mem cells;      /* [num_own]: own_cells, modulo 2^32 */
    size_t *own_cells; /* [num_own + 1]: cells before each patch (bezier_faces.c) */
};

/* Makes plan->at, if need be. */
clsp_status clspi_bezier_at_prepare(clsp_bezier_plan *plan);

/* The kernel of a kind, compiled when it is first asked for. */
clsp_status clspi_bezier_at_kernel(clsp_bezier_plan *plan, clspi_bezier_at_kind kind,
                                   const clspi_kernel **kernel);

/* Releases all that vertices one by one have made, own grids included. */
void clspi_bezier_at_release(clsp_bezier_plan *plan);

/* Vertices of one launch, at least 1: few enough for the device's time limit, and for kernels to
   count in 32 bits. */
size_t clspi_bezier_at_most(const clsp_bezier_plan *plan);

/* Begin, end, 1 - begin and 1 - end of an interval in the plan's precision: an argument for
   kernels, valid as long as *value. */
typedef union clspi_bezier_interval {
    cl_float4 narrow;
    cl_double4 wide;
} clspi_bezier_interval;
clspi_arg clspi_bezier_interval_arg(clspi_bezier_interval *value, clsp_precision precision,
                                    const double interval[2]);

/* Bytes of one vertex of the plan's. */
size_t clspi_bezier_vertex_bytes(const clsp_bezier_plan *plan);

/* Runs the programs that plans of typical descriptions use. */
clsp_status clspi_bezier_at_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user);

#endif
