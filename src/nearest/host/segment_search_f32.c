/* clspi_segment_functions in single precision. */
#include <float.h>

#define SEGMENT_FUNCTIONS clspi_segment_functions_f32
#define REAL_EPS          0x1p-23f
#define REAL_MAX          FLT_MAX
#define SCALE_MAX         120
typedef float real;

#include "segment_search_real.h"
