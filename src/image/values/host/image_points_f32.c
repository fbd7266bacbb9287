/* clspi_image_values in single precision. */
#define IMAGE_VALUES clspi_image_values_f32
#define REAL_BYTES   4
#define REAL_PIXEL   PIXEL_F32
#define RINT         rintf
#define FLOOR        floorf
#define ROUND        roundf
#define EPSILON      0x1p-23f
typedef float real;

#include "image_points_real.h"
