/* clspi_point_sums and clspi_weighted_sum of control points in double precision. */
#define POINT_SUMS   clspi_point_sums_f64
#define WEIGHTED_SUM clspi_weighted_sum_f64
typedef double real;

#include "point_sums_real.h"
