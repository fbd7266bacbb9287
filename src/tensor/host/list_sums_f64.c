/* clspi_list_sums_f64. */
#define LIST_SUMS   clspi_list_sums_f64
#define SUM_BLOCK   clspi_list_block_f64
#define MAKE_VALUES clspi_list_values_f64
typedef double real;

#include "list_sums_real.h"
