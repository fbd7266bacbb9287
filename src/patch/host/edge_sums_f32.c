/* clspi_edge_sums in single precision. */
#define EDGE_SUMS  clspi_edge_sums_f32
#define REAL_TYPE  CLSPI_ROW_F32
#define REAL_BYTES 4
#define REAL_EPS   0x1p-23f
#define REAL_TINY  0x1p-120f
#define REAL_MAX   FLT_MAX
typedef float real;

#include "edge_sums_real.h"
