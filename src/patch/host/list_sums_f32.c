/* clspi_list_sums_f32. */
#define LIST_SUMS clspi_list_sums_f32
typedef float real;

#include "list_sums_real.h"
