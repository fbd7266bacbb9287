/* clspi_cell_terms in double precision. */
#define CELL_TERMS clspi_cell_terms_f64
typedef double real;

#include "cell_terms_real.h"
