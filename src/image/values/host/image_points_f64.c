/* clspi_image_values in double precision. */
#define IMAGE_VALUES clspi_image_values_f64
#define FLOOR        floor
#define RINT         rint
#define ROUND        round
#define EPSILON      0x1p-52
typedef double real;

#include "image_points_real.h"
