/* Points of solids at parameters of their own, whose weights the device finds. */
#ifndef CLSPI_DEVICE_LISTS_H
#define CLSPI_DEVICE_LISTS_H

#include "solid_plan.h"

/* Where a list is, and where its points go. */
typedef struct clspi_device_list {
    size_t num;
    const clspi_place *params; /* one, or one for each direction */
    bool is_planar;
    const clspi_place *cells; /* NULL: cell 0 for all */
    clspi_target out;
} clspi_device_list;

/* Returns the build options of list_points.cl. */
clspi_options clspi_device_list_options(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Tells why the host makes a plan's lists; NULL: its device does, unless trees turn out too large.
   It makes points without derivatives or normals. */
const char *clspi_device_list_lack(const clsp_solid_plan *plan);

/* Brings what lists need to the device of a plan, where it makes them and trees of classes are not
   too large. */
clsp_status clspi_device_lists_try(clsp_solid_plan *plan);

/* Makes ready what a list is made from. Errors: CLSP_ERROR_NO_DEVICE (the plan lacks something). */
clsp_status clspi_device_lists_ready(clsp_solid_plan *plan, clspi_series *series);

/* Makes a list on the device of a plan that lacks nothing for it. */
clsp_status clspi_device_list_make(clsp_solid_plan *plan, clspi_series *series,
                                   const clspi_device_list *list);

void clspi_device_lists_release(clsp_solid_plan *plan);

#endif
