/* The ways of summing Bezier patches other than by factorization: there to be compared with
   (docs/kernels.md). For curves and surfaces. */
#ifndef CLSPI_BEZIER_SUMS_H
#define CLSPI_BEZIER_SUMS_H

#include "tensor_sum.h"

extern const clspi_sum_method
    clspi_table_sums; /* CLSP_BEZIER_MULTILEVEL: double sums, with tables */
extern const clspi_sum_method clspi_power_sums;  /* CLSP_BEZIER_BRUTE: double sums, without */
extern const clspi_sum_method clspi_matrix_sums; /* CLSP_BEZIER_MATRIX */

#endif
