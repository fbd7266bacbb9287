/* clspi_vertex_functions in single precision. */
#define VERTEX_SUMS clspi_vertex_functions_f32
#define REAL_BYTES  4
#define REAL_TYPE   CLSPI_ROW_F32
#define REAL_EPS    0x1p-23f
#define REAL_TINY   0x1p-120f
#define REAL_MAX    FLT_MAX
#define FMA         fmaf
typedef float real;

#include "vertex_sums_real.h"
