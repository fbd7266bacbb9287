/* clspi_line_functions in double precision. */
#define LINE_FUNCTIONS clspi_line_functions_f64
#define REAL_PIXEL     PIXEL_F64
#define REAL_BYTES     8
typedef double real;

#include "image_lines_real.h"
