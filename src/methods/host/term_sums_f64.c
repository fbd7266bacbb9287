/* clspi_term_sums in double precision. */
#define TERM_SUMS  clspi_term_sums_f64
#define REAL_BYTES 8
typedef double real;

#include "term_sums_real.h"
