/* clspi_row_sums in double precision. */
#define ROW_SUMS  clspi_row_sums_f64
#define REAL_TYPE CLSPI_ROW_F64
typedef double real;

#include "row_sums_real.h"
