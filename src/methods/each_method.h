/* What each file of the published methods gives to their table (methods.h). */
#ifndef CLSPI_EACH_METHOD_H
#define CLSPI_EACH_METHOD_H

#include "methods.h"

extern const clspi_sum_method clspi_table_sums, clspi_power_sums;      /* double_sum.c */
extern const clspi_sum_method clspi_matrix_sums, clspi_convert_matrix; /* matrix_sum.c */

/* nearest_cubic.c */
clsp_status clspi_nearest_cubic_check(const clsp_patch_plan *plan, uint32_t num_nearest);
clsp_status clspi_nearest_cubic_build(const clspi_build *build, const clspi_tensor_desc *desc);
clsp_status clspi_nearest_cubic_find(clsp_patch_plan *plan, clspi_series *series,
                                     const clspi_nearest_job *job, double tolerance);
void clspi_nearest_cubic_destroy(struct clspi_nearest_cubic **nearest);

/* point_cells.c */
clsp_status clspi_point_cells_create(struct clsp_solid_plan *plan);
clsp_status clspi_point_cells_make(struct clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                                   clspi_cell_samples at);

#endif
