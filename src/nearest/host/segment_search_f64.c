/* clspi_segment_functions in double precision. */
#include <float.h>

#define SEGMENT_FUNCTIONS clspi_segment_functions_f64
#define REAL_EPS          0x1p-52
#define REAL_MAX          DBL_MAX
#define SCALE_MAX         1000
typedef double real;

#include "segment_search_real.h"
