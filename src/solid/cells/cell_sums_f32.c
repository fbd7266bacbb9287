/* clspi_cell_sums in single precision. */
#define CELL_SUMS clspi_cell_sums_f32
typedef float real;

#include "cell_sums_real.h"
