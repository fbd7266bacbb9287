/* clspi_row_sums in double precision. */
#define ROW_SUMS  clspi_row_sums_f64
#define REAL_TYPE CLSPI_ROW_F64
#define FOUR_ROWS clspi_four_rows_f64
typedef double real;

#include "row_sums_real.h"
