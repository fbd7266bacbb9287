#include "image_ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- B-splines ---- */

/* Degree p at x from those of degree p - 1 half a knot to either side (Schoenberg). */
long double ref_bspline(unsigned degree, long double x)
{
    const long double half = 0.5L * (degree + 1);

    if (degree == 0) return x >= -0.5L && x < 0.5L ? 1.0L : 0.0L;
    if (fabsl(x) >= half) return 0.0L;
    return ((half + x) * ref_bspline(degree - 1, x + 0.5L) +
            (half - x) * ref_bspline(degree - 1, x - 0.5L)) /
           degree;
}

/* The derivative of the central B-spline, the difference of two of a degree less. */
static long double slope(unsigned degree, long double x)
{
    if (degree == 0) return 0.0L;
    return ref_bspline(degree - 1, x + 0.5L) - ref_bspline(degree - 1, x - 0.5L);
}

/* ---- continuation ---- */

/* The coefficient that stands for index i of n; -1: the constant. */
static long index_of(long i, long n, ref_mode mode)
{
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case REF_NEAREST:
        return i < 0 ? 0 : n - 1;
    case REF_GRID_CONSTANT:
        return -1;
    case REF_GRID_WRAP:
        while (i < 0)
            i += n;
        return i % n;
    case REF_REFLECT:
        return i < 0 ? index_of(-1 - i, n, mode) : index_of(2 * n - 1 - i, n, mode);
    default: /* mirror */
        if (n == 1) return 0;
        return i < 0 ? index_of(-i, n, mode) : index_of(2 * n - 2 - i, n, mode);
    }
}

static ref_mode filter_mode(ref_mode mode)
{
    if (mode == REF_REFLECT || mode == REF_NEAREST) return REF_REFLECT;
    return mode == REF_GRID_WRAP ? mode : REF_MIRROR;
}

/* ---- coefficients ---- */

static void *allocate(size_t count, size_t size)
{
    void *const memory = calloc(count, size);

    if (!memory) {
        fprintf(stderr, "image_ref: no memory\n");
        abort();
    }
    return memory;
}

/* Makes the inverse [n][n] of the equations sum_k c_k B(i - k) = s_i, 0 <= i < n, by elimination
   with pivots. */
static long double *invert(long n, unsigned order, ref_mode mode)
{
    const long width = 2 * n;
    long double *const a = allocate((size_t)(n * width), sizeof *a);
    long double *const inverse = allocate((size_t)(n * n), sizeof *inverse);

    for (long i = 0; i < n; i++) {
        a[i * width + n + i] = 1.0L;
        for (long k = i - 3; k <= i + 3; k++)
            a[i * width + index_of(k, n, mode)] += ref_bspline(order, (long double)(i - k));
    }
    for (long p = 0; p < n; p++) {
        long best = p;
        for (long i = p; i < n; i++)
            if (fabsl(a[i * width + p]) > fabsl(a[best * width + p])) best = i;
        for (long k = 0; k < width; k++) {
            const long double x = a[p * width + k];
            a[p * width + k] = a[best * width + k];
            a[best * width + k] = x;
        }
        for (long i = 0; i < n; i++) {
            const long double factor = a[i * width + p] / a[p * width + p];
            for (long k = p; k < width && i != p && factor != 0.0L; k++)
                a[i * width + k] -= factor * a[p * width + k];
        }
    }
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            inverse[i * n + k] = a[i * width + n + k] / a[i * width + i];
    free(a);
    return inverse;
}

static void filter_direction(ref_image *image, unsigned d)
{
    const size_t *const m = image->stored;
    const size_t stride = d == 0 ? m[1] * m[2] : d == 1 ? m[2] : 1, n = m[d];
    long double *const line = allocate(n, sizeof *line);
    long double *const inverse = invert((long)n, image->order, filter_mode(image->mode[d]));

    for (size_t at = 0; at < m[0] * m[1] * m[2]; at++) {
        if (at / stride % n != 0) continue;
        for (size_t k = 0; k < n; k++)
            line[k] = image->coefficients[at + k * stride];
        for (size_t k = 0; k < n; k++) {
            long double c = 0.0L;
            for (size_t j = 0; j < n; j++)
                c += inverse[k * n + j] * line[j];
            image->coefficients[at + k * stride] = c;
        }
    }
    free(inverse);
    free(line);
}

/* The sample of a padded image at index i of its coefficients. */
static long double padded(const ref_image *image, const double *samples, const size_t i[3])
{
    size_t at = 0;

    for (unsigned d = 0; d < 3; d++) {
        const size_t pad = (image->stored[d] - image->size[d]) / 2;
        const long k = index_of((long)i[d] - (long)pad, (long)image->size[d], image->mode[d]);
        if (k < 0) return image->cval;
        at = at * image->size[d] + (size_t)k;
    }
    return samples[at];
}

ref_image ref_image_make(unsigned directions, const size_t *size, const ref_mode *mode,
                         unsigned order, int prefilter, long double cval, const double *samples)
{
    ref_image image = {.directions = directions, .order = order, .cval = cval};
    size_t num = 1, i[3];

    for (unsigned d = 0; d < 3; d++) {
        const int is_there = d < directions;
        image.size[d] = is_there ? size[d] : 1;
        image.mode[d] = is_there ? mode[d] : REF_MIRROR;
        const int is_padded = image.mode[d] == REF_NEAREST || image.mode[d] == REF_GRID_CONSTANT;
        image.stored[d] =
            image.size[d] + (is_padded && prefilter && order > 1 ? 2 * (size_t)REF_PAD : 0);
        num *= image.stored[d];
    }
    image.coefficients = allocate(num, sizeof *image.coefficients);
    for (size_t k = 0; k < num; k++) {
        i[2] = k % image.stored[2];
        i[1] = k / image.stored[2] % image.stored[1];
        i[0] = k / image.stored[2] / image.stored[1];
        image.coefficients[k] = padded(&image, samples, i);
    }
    for (unsigned d = 0; d < directions && prefilter && order > 1; d++)
        filter_direction(&image, d);
    return image;
}

void ref_image_free(ref_image *image)
{
    free(image->coefficients);
    image->coefficients = NULL;
}

long double ref_image_scale(const ref_image *image)
{
    long double most = 0.0L;

    for (size_t k = 0; k < image->stored[0] * image->stored[1] * image->stored[2]; k++)
        most = fmaxl(most, fabsl(image->coefficients[k]));
    return most;
}

/* ---- values ---- */

enum { TAPS = 8 };

/* What a direction's coefficients count for at a coordinate: TAPS of them from `first` on. */
typedef struct direction_taps {
    long first;
    long double weight[TAPS], slope[TAPS];
} direction_taps;

/* Folds a coordinate outside into a mirrored image, as SciPy does: so halves are rounded behind the
   fold. */
static long double folded(long double x, size_t n, ref_mode mode)
{
    const long double edge = mode == REF_MIRROR ? 0.0L : 1.0L;
    const long double last = (long double)n - 1.0L, period = 2.0L * (last + edge);

    if (n == 1) return 0.0L;
    if (x < 0.0L) {
        x = fmodl(x, period);
        return x < -(last + edge) ? x + period : -x - edge;
    }
    x = fmodl(x, period);
    return x >= (long double)n ? period - edge - x : x;
}

/* Maps a coordinate as the mode has it; 0: the constant stands there. */
static int map_coordinate(long double *x, size_t n, unsigned order, ref_mode mode)
{
    const long double last = (long double)n - 1.0L;

    if (order == 0 && (mode == REF_MIRROR || mode == REF_REFLECT) && (*x < 0.0L || *x > last))
        *x = folded(*x, n, mode);
    if (mode == REF_CONSTANT) return *x >= 0.0L && *x <= last;
    if (mode == REF_WRAP && (*x < 0.0L || *x > last)) {
        const int is_below = *x < 0.0L;
        *x = n > 1 ? fmodl(*x, last) : 0.0L;
        if (*x < 0.0L || (is_below && *x == 0.0L)) *x += last;
    }
    return 1;
}

static direction_taps taps_of(const ref_image *image, long double x)
{
    direction_taps t = {.first = (long)floorl(x) - 3};

    for (int k = 0; k < TAPS; k++) {
        const long double distance = x - (long double)(t.first + k);
        t.weight[k] = ref_bspline(image->order, distance);
        t.slope[k] = slope(image->order, distance);
    }
    if (image->order == 0) /* halves go up */
        for (int k = 0; k < TAPS; k++)
            t.weight[k] = t.first + k == (long)floorl(x + 0.5L) ? 1.0L : 0.0L;
    return t;
}

static long double coefficient(const ref_image *image, const direction_taps taps[3], const int k[3])
{
    size_t at = 0;

    for (unsigned d = 0; d < 3; d++) {
        const long i = index_of(taps[d].first + k[d], (long)image->stored[d], image->mode[d]);
        if (i < 0) return image->cval;
        at = at * image->stored[d] + (size_t)i;
    }
    return image->coefficients[at];
}

/* Sums with weights, of direction `by` with slopes. */
static long double sum(const ref_image *image, const direction_taps taps[3], unsigned by)
{
    long double total = 0.0L;
    int k[3];

    for (k[0] = 0; k[0] < TAPS; k[0]++)
        for (k[1] = 0; k[1] < TAPS; k[1]++)
            for (k[2] = 0; k[2] < TAPS; k[2]++) {
                long double factor = 1.0L;
                for (unsigned d = 0; d < 3; d++)
                    factor *= by == d ? taps[d].slope[k[d]] : taps[d].weight[k[d]];
                if (factor != 0.0L) total += factor * coefficient(image, taps, k);
            }
    return total;
}

long double ref_image_at(const ref_image *image, const long double *x, long double *gradient)
{
    direction_taps taps[3] = {{0}};
    int is_there = 1;

    for (unsigned d = 0; d < 3; d++) {
        long double at = d < image->directions ? x[d] : 0.0L;
        if (d < image->directions)
            is_there =
                map_coordinate(&at, image->size[d], image->order, image->mode[d]) && is_there;
        at += (long double)((image->stored[d] - image->size[d]) / 2);
        taps[d] = taps_of(image, at);
        if (d >= image->directions)
            for (int k = 0; k < TAPS; k++)
                taps[d].weight[k] = taps[d].first + k == 0 ? 1.0L : 0.0L;
    }
    for (unsigned d = 0; gradient && d < image->directions; d++)
        gradient[d] = is_there ? sum(image, taps, d) : 0.0L;
    return is_there ? sum(image, taps, 3) : image->cval;
}
