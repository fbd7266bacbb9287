/* clspi_row_sums in double precision. */
#define ROW_SUMS clspi_row_sums_f64
typedef double real;

#include "row_sums_real.h"
