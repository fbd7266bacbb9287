/* clspi_list_sums_f32. */
#define LIST_SUMS   clspi_list_sums_f32
#define SUM_BLOCK   clspi_list_block_f32
#define MAKE_VALUES clspi_list_values_f32
typedef float real;

#include "list_sums_real.h"
