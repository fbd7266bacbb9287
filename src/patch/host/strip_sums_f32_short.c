/* clspi_strip_functions in single precision for short rows, where vectors of half the level's
   length are vectors. */
#define STRIP_SUMS clspi_strip_functions_f32_short
#define REAL_TYPE  CLSPI_ROW_F32
#define REAL_BYTES 4
#define REAL_EPS   0x1p-23f
#define REAL_TINY  0x1p-120f
#define REAL_MAX   FLT_MAX
#define SQRT       sqrtf
typedef float real;

#include "strip_sums.h"

#if CLSPI_WIDTH > 16
#define VECTOR_BYTES (CLSPI_WIDTH / 2)
#include "strip_sums_real.h"
#else
const clspi_strip_functions STRIP_SUMS = {0};
#endif
