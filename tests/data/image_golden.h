/* Results of scipy.ndimage, for the tests of image interpolation: image_golden.c is written by
   image_golden.py. Uses the C library only. */
#ifndef IMAGE_GOLDEN_H
#define IMAGE_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* What SciPy's functions differ in, for the library is a map or coordinates. */
typedef enum image_golden_kind {
    IMAGE_GOLDEN_AFFINE,     /* affine_transform: matrix, of rows of `directions` and an offset */
    IMAGE_GOLDEN_SHIFT,      /* shift: one number a direction */
    IMAGE_GOLDEN_ZOOM,       /* zoom: as many samples as out_size has, from end to end */
    IMAGE_GOLDEN_COORDINATES /* map_coordinates: [directions][num_values] */
} image_golden_kind;

/* The modes, as SciPy names them. */
typedef enum image_golden_mode {
    IMAGE_GOLDEN_MIRROR,
    IMAGE_GOLDEN_REFLECT,
    IMAGE_GOLDEN_GRID_WRAP,
    IMAGE_GOLDEN_NEAREST,
    IMAGE_GOLDEN_CONSTANT,
    IMAGE_GOLDEN_GRID_CONSTANT,
    IMAGE_GOLDEN_WRAP
} image_golden_mode;

/* One call: the numbers that it takes and its results. */
typedef struct image_golden_case {
    image_golden_kind kind;
    image_golden_mode mode;
    uint32_t order, directions;
    uint32_t size[3], out_size[3]; /* of coordinates: out_size[0] of them */
    uint32_t first_number;         /* in image_golden_numbers */
    uint32_t first_value;          /* in image_golden_values */
} image_golden_case;

extern const image_golden_case image_golden_cases[];
extern const size_t image_golden_num_cases;
extern const double image_golden_numbers[], image_golden_values[];

#define IMAGE_GOLDEN_CVAL 77.25 /* of every case */

/* Sample number k of every image, 0 to 255; image_golden.py has it too. */
static inline unsigned image_golden_sample(size_t k)
{
    return (unsigned)((97 * k + 29 * (k * k % 31) + 40) % 256);
}

#endif
