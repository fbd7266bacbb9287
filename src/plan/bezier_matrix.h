/* The matrix method: S = U (R P R^T) V^T for each coordinate, in powers of 2 t - 1 (docs/math.md,
   8), as four products through the matrix products' seam. */
#ifndef CLSPI_BEZIER_MATRIX_H
#define CLSPI_BEZIER_MATRIX_H

#include "bezier_methods.h"

typedef struct clspi_bezier_matrix clspi_bezier_matrix;

/* As clspi_bezier_method_prepare, _load, _eval and _release. Degrees are at most
   CLSPI_POWER_DEGREE_MAX. */
clsp_status clspi_bezier_matrix_prepare(clspi_bezier_matrix **matrix, clspi_series *series,
                                        const clspi_bezier_method_desc *desc);
clsp_status clspi_bezier_matrix_load(clspi_bezier_matrix *matrix, clspi_series *series,
                                     cl_mem points, size_t num_patches);
clsp_status clspi_bezier_matrix_eval(clspi_bezier_matrix *matrix, clspi_series *series,
                                     const clspi_bezier_range *range);
void clspi_bezier_matrix_release(clspi_bezier_matrix **matrix);

#endif
