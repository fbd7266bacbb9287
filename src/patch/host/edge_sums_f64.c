/* clspi_edge_sums in double precision. */
#define EDGE_SUMS  clspi_edge_sums_f64
#define REAL_TYPE  CLSPI_ROW_F64
#define REAL_BYTES 8
#define REAL_EPS   0x1p-52
#define REAL_TINY  0x1p-1000
#define REAL_MAX   DBL_MAX
typedef double real;

#include "edge_sums_real.h"
