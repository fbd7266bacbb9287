/* A plan of B-splines, and how it is described to the layers below. */
#ifndef CLSPI_BSPLINE_PLAN_H
#define CLSPI_BSPLINE_PLAN_H

#include <clspline/bspline.h>

#include "knots.h"
#include "own_knots.h"
#include "patch_plan.h"

struct clspi_convert_target;

typedef struct clspi_bspline_plan {
    clsp_patch_plan tensor; /* first: the patch plan's calls know the plan by it */
    clsp_bspline_desc desc; /* its knots are those of `knots` */
    clspi_knots knots[3];
    double *factors[3][2]; /* of first and second differences along a direction */
    bool has_kinks[3];     /* first derivatives jump within the domain */
    clspi_own_knots own;   /* of curves; then those above count for degrees and numbers alone */
    struct clspi_convert_target *target; /* of conversions; NULL: none */
} clspi_bspline_plan;

extern const clspi_patch_family clspi_bspline_family;

static inline clspi_bspline_plan *clspi_bspline_plan_of(clspi_plan *plan)
{
    return (clspi_bspline_plan *)plan; /* whose first member's first it is */
}

/* Checks a description, all but its axes and vertices, and puts defaults in place. */
clsp_status clspi_bspline_check(clsp_context *ctx, clsp_bspline_desc *desc);

/* Checks the rest of a description of a plan that clspi_bspline_check has passed, and makes the
   patch plan's of it, without the basis. */
clsp_status clspi_bspline_resolve(const clspi_bspline_plan *plan, clsp_bspline_desc *desc,
                                  clspi_tensor_desc *tensor);

/* Builds the programs that plans choose by themselves beyond those of other families. */
clsp_status clspi_bspline_build(const clspi_build *build);

/* Makes a plan's knots and factors. Errors: CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_bspline_make_knots(clspi_bspline_plan *plan);
void clspi_bspline_release_knots(clspi_bspline_plan *plan);

/* The basis functions over a plan's knots; the plan must live as long. */
clspi_basis clspi_bspline_basis(const clspi_bspline_plan *plan);

/* Makes what bspline_points.cl needs of them, as a clspi_patch_family does. */
clsp_status clspi_bspline_make_basis(clsp_patch_plan *plan, clspi_series *series);

/* Makes the same in double for the host, as a clspi_patch_family does. */
double *clspi_bspline_host_basis(const clsp_patch_plan *plan);

/* Makes the spans of curves with knots of their own, as a clspi_patch_family does. */
bool clspi_bspline_own_spans(const clsp_patch_plan *plan, struct clspi_spans *spans);

/* Returns the reals of it that each curve with knots of its own has. */
size_t clspi_bspline_own_reals(const clspi_bspline_plan *plan, const clspi_tensor_desc *desc);

/* Makes the knots of a curve that has its own; false: no memory. clspi_knots_release must follow in
   every case. */
static inline bool clspi_own_knots_of(const clspi_bspline_plan *plan, size_t curve,
                                      clspi_knots *knots)
{
    const uint32_t degree = plan->desc.degree[0], controls = plan->desc.num_controls[0];

    return clspi_knots_make(knots, plan->own.u + curve * ((size_t)controls + degree + 1), degree,
                            controls);
}

#endif
