/* clspi_list_sums_f64. */
#define LIST_SUMS clspi_list_sums_f64
typedef double real;

#include "list_sums_real.h"
