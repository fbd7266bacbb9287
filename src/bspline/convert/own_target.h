/* Targets of curves that have knots of their own: each curve's knots and rows, one after the other.
 */
#ifndef CLSPI_OWN_TARGET_H
#define CLSPI_OWN_TARGET_H

#include "bspline_plan.h"
#include "conversion.h"
#include "tensor_desc.h"

typedef struct clspi_own_target {
    size_t num;      /* curves; 0: they share their knots */
    uint32_t degree; /* of the target */
    uint32_t by;     /* order of the derivative */
    size_t *first;   /* [num + 1]: control points before each curve */
    double *u;       /* target knots; curve c's begin at first[c] + c (degree + 1) */
    cl_uint terms;   /* of a row */
    cl_mem weights;  /* [first[num]][terms], of control points or, by above 0, of differences */
    cl_mem columns;  /* [first[num]]: the control point of the batch that a row begins with */
    clspi_kernel kernel;
} clspi_own_target;

/* Makes the knots of all curves of a plan. clspi_own_target_release must follow in every case. */
clsp_status clspi_own_target_make(clspi_own_target *own, const clspi_bspline_plan *plan,
                                  const clsp_bspline_target *wanted);
void clspi_own_target_release(clspi_own_target *own);

/* Makes the rows and the kernel. */
clsp_status clspi_own_target_prepare(clspi_own_target *own, clspi_series *series,
                                     const clspi_bspline_plan *plan);

/* Makes control points first .. first + num - 1 of those of all curves, from element `offset` of
   out on. */
clsp_status clspi_own_target_enqueue(const clspi_own_target *own, clspi_series *series,
                                     const clspi_bspline_plan *plan, clsp_range controls,
                                     cl_mem out, size_t offset);

/* Builds the program ahead of use, for curves of these coordinates. */
clsp_status clspi_own_target_build(const clspi_build *build, const clspi_tensor_desc *desc);

/* Returns the target's knots of a curve. */
const double *clspi_own_target_knots(const clspi_own_target *own, size_t curve);

/* Makes the conversion of a curve, whose knots are `knots` then; false: no memory.
   clspi_knots_release must follow for both in every case. */
bool clspi_own_target_conversion(const clspi_own_target *own, const clspi_bspline_plan *plan,
                                 size_t curve, clspi_knots knots[2], clspi_conversion *conversion);

#endif
