/* clspi_vertex_functions in double precision. */
#define VERTEX_SUMS clspi_vertex_functions_f64
#define REAL_BYTES  8
#define REAL_TYPE   CLSPI_ROW_F64
#define REAL_EPS    0x1p-52
#define REAL_TINY   0x1p-1000
#define REAL_MAX    DBL_MAX
#define FMA         fma
typedef double real;

#include "vertex_sums_real.h"
