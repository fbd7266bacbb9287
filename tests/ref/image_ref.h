/* The oracle of images: interpolation by B-splines as it is defined, in long double. Coefficients
   are the solution of a line's interpolation equations in the mode by which it continues, by
   elimination; values are sums over all coefficients with B-splines by their recursion. */
#ifndef IMAGE_REF_H
#define IMAGE_REF_H

#include <stddef.h>

typedef enum ref_mode { /* numbers as of clsp_image_mode */
                        REF_MIRROR = 1,
                        REF_REFLECT,
                        REF_GRID_WRAP,
                        REF_NEAREST,
                        REF_CONSTANT,
                        REF_GRID_CONSTANT,
                        REF_WRAP
} ref_mode;

enum { REF_PAD = 12 };

/* One channel with 1 to 3 directions. */
typedef struct ref_image {
    unsigned directions, order;
    size_t size[3];   /* samples; 1 where there is no direction */
    size_t stored[3]; /* coefficients */
    ref_mode mode[3];
    long double cval;
    long double *coefficients; /* [stored 0][stored 1][stored 2] */
} ref_image;

/* Makes coefficients of samples [size 0][..]; prefilter 0: they are the samples. */
ref_image ref_image_make(unsigned directions, const size_t *size, const ref_mode *mode,
                         unsigned order, int prefilter, long double cval, const double *samples);
void ref_image_free(ref_image *image);

/* The value at coordinates, and the derivatives there; gradient may be NULL. */
long double ref_image_at(const ref_image *image, const long double *x, long double *gradient);

/* The B-spline of a degree at x, central. */
long double ref_bspline(unsigned degree, long double x);

/* The largest |coefficient|. */
long double ref_image_scale(const ref_image *image);

#endif
