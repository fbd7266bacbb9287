/* clspi_row_sums in single precision. */
#define ROW_SUMS clspi_row_sums_f32
typedef float real;

#include "row_sums_real.h"
