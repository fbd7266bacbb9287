/* Ways of summing Bezier patches other than by factorization, for curves and surfaces. */
#ifndef CLSPI_BEZIER_SUMS_H
#define CLSPI_BEZIER_SUMS_H

#include "methods.h"

extern const clspi_sum_method clspi_table_sums;  /* double sums, with tables */
extern const clspi_sum_method clspi_power_sums;  /* double sums, without */
extern const clspi_sum_method clspi_matrix_sums; /* matrix products */

#endif
