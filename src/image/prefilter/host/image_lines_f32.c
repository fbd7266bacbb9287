/* clspi_line_functions in single precision. */
#define LINE_FUNCTIONS clspi_line_functions_f32
#define REAL_PIXEL     PIXEL_F32
#define REAL_BYTES     4
typedef float real;

#include "image_lines_real.h"
