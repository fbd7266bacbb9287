/* clspi_cell_terms in single precision. */
#define CELL_TERMS clspi_cell_terms_f32
typedef float real;

#include "cell_terms_real.h"
