/* clspi_cell_sums in double precision. */
#define CELL_SUMS clspi_cell_sums_f64
typedef double real;

#include "cell_sums_real.h"
