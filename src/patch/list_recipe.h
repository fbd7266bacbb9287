/* What the host reads of a plan when it makes vertices one by one. */
#ifndef CLSPI_LIST_RECIPE_H
#define CLSPI_LIST_RECIPE_H

#include "list_spans.h"
#include "point_vertices.h"
#include "patch_plan.h"
#include "work.h"

struct clspi_list_recipe {
    clspi_tensor_desc desc; /* its axes and what its basis works on belong to the plan */
    size_t patch_reals;
    bool is_quick;             /* sums of list_sums.h make its lists */
    clspi_list_spans spans[2]; /* of splines for these */
    clspi_point_maker maker;   /* of all others */
    double *basis;             /* of splines, as spline_place.h says; NULL: not read */
    size_t basis_reals;        /* of each patch's own, behind four of its domain; 0: they share */
    uint32_t *sample_first[3]; /* the first control point that counts at each sample of a grid,
                                  where some are the caller's own; NULL: the parameter tells */
};

/* Makes the plan's recipe, where that has not been done. Errors: false, no memory. */
bool clspi_list_recipe_prepare(clsp_patch_plan *plan);

/* Makes ready what the host reads for lists, as clspi_work_makers asks: the recipe, and control
   points in host memory. */
clsp_status clspi_list_prepare(const clspi_work *work, clspi_way way);

/* Frees a recipe, which may be NULL. */
void clspi_list_recipe_release(clspi_list_recipe *recipe);

#endif
