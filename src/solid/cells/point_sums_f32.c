/* clspi_point_sums and clspi_weighted_sum of control points in single precision. */
#define POINT_SUMS   clspi_point_sums_f32
#define WEIGHTED_SUM clspi_weighted_sum_f32
typedef float real;

#include "point_sums_real.h"
