/* clspi_image_values in double precision. */
#define IMAGE_VALUES clspi_image_values_f64
#define REAL_BYTES   8
#define REAL_PIXEL   PIXEL_F64
#define RINT         rint
#define FLOOR        floor
#define ROUND        round
#define EPSILON      0x1p-52
typedef double real;

#include "image_points_real.h"
