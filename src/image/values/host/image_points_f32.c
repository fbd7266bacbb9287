/* clspi_image_values in single precision. */
#define IMAGE_VALUES clspi_image_values_f32
#define FLOOR        floorf
#define RINT         rintf
#define ROUND        roundf
#define EPSILON      0x1p-23f
typedef float real;

#include "image_points_real.h"
