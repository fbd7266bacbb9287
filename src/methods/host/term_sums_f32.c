/* clspi_term_sums in single precision. */
#define TERM_SUMS  clspi_term_sums_f32
#define REAL_BYTES 4
typedef float real;

#include "term_sums_real.h"
