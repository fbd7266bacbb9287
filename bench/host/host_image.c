#include "host_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 16,    /* rows that are turned into columns together */
    COLUMNS = 64, /* columns that are filtered side by side */
    START = 14    /* samples by which the recursion starts */
};

static const float pole = -0.26794919243112270f; /* sqrt(3) - 2 */

/* ---- coefficients ---- */

static size_t mirrored(ptrdiff_t k, size_t n)
{
    const ptrdiff_t last = (ptrdiff_t)n - 1;

    if (n == 1) return 0;
    k = k < 0 ? -k : k;
    k %= 2 * last;
    return (size_t)(k > last ? 2 * last - k : k);
}

/* Filters `lanes` lines side by side, whose samples lie `stride` apart, there and back. */
static void filter_lines(float *c, size_t n, size_t stride, size_t lanes)
{
    float start[COLUMNS], z = 1;

    for (size_t x = 0; x < lanes; x++)
        start[x] = 0;
    for (ptrdiff_t k = 0; k < START; k++, z *= pole)
        for (size_t x = 0; x < lanes; x++)
            start[x] += z * c[mirrored(k, n) * stride + x];
    for (size_t x = 0; x < lanes; x++)
        c[x] = 6 * start[x];
    for (size_t i = 1; i < n; i++)
        for (size_t x = 0; x < lanes; x++)
            c[i * stride + x] = 6 * c[i * stride + x] + pole * c[(i - 1) * stride + x];
    for (size_t x = 0; x < lanes && n > 1; x++)
        c[(n - 1) * stride + x] =
            pole / (pole * pole - 1) * (c[(n - 1) * stride + x] + pole * c[(n - 2) * stride + x]);
    for (size_t i = n - 1; i-- > 0;)
        for (size_t x = 0; x < lanes; x++)
            c[i * stride + x] = pole * (c[(i + 1) * stride + x] - c[i * stride + x]);
}

/* Filters some rows of `from` by way of `turned`, in which they are columns. */
static void filter_rows(const float *from, float *to, size_t n, size_t rows, float *turned)
{
    for (size_t x = 0; x < n; x++)
        for (size_t i = 0; i < ROWS; i++)
            turned[x * ROWS + i] = from[(i < rows ? i : 0) * n + x];
    filter_lines(turned, n, ROWS, ROWS);
    for (size_t i = 0; i < rows; i++)
        for (size_t x = 0; x < n; x++)
            to[i * n + x] = turned[x * ROWS + i];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void filter_image(const host_image *h)
{
    const size_t n = h->n;
    float *const c = h->coefficients;

#ifdef _OPENMP
#pragma omp parallel
#endif
    {
        float *const turned = malloc(n * ROWS * sizeof *turned);
#ifdef _OPENMP
#pragma omp for
#endif
        for (size_t y = 0; y < n; y += ROWS)
            if (turned) filter_rows(h->samples + y * n, c + y * n, n, least(n - y, ROWS), turned);
        free(turned);
    }
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t x = 0; x < n; x += COLUMNS)
        filter_lines(c + x, n, n, least(n - x, COLUMNS));
}

/* Filters slices while they are in a cache, then the columns through them. */
static void filter_volume(const host_image *h)
{
    const size_t n = h->n, slice = n * n;
    float *const c = h->coefficients;

#ifdef _OPENMP
#pragma omp parallel
#endif
    {
        float *const turned = malloc(n * ROWS * sizeof *turned);
#ifdef _OPENMP
#pragma omp for
#endif
        for (size_t z = 0; z < n; z++) {
            for (size_t y = 0; turned && y < n; y += ROWS)
                filter_rows(h->samples + z * slice + y * n, c + z * slice + y * n, n,
                            least(n - y, ROWS), turned);
            for (size_t x = 0; x < n; x += COLUMNS)
                filter_lines(c + z * slice + x, n, n, least(n - x, COLUMNS));
        }
        free(turned);
    }
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t x = 0; x < slice; x += COLUMNS)
        filter_lines(c + x, n, slice, least(slice - x, COLUMNS));
}

void host_image_filter(const host_image *h)
{
    if (h->is_volume)
        filter_volume(h);
    else
        filter_image(h);
}

/* ---- values ---- */

static void weights_of(float t, float w[4])
{
    const float s = 1 - t;

    w[0] = s * s * s / 6;
    w[1] = 2.0f / 3 - t * t * (2 - t) / 2;
    w[2] = 2.0f / 3 - s * s * (2 - s) / 2;
    w[3] = t * t * t / 6;
}

static float cubic_at(const host_image *h, float x, float y)
{
    const float left = floorf(x), top = floorf(y);
    const ptrdiff_t i = (ptrdiff_t)left - 1, j = (ptrdiff_t)top - 1, n = (ptrdiff_t)h->n;
    float u[4], v[4], sum = 0;

    weights_of(x - left, u);
    weights_of(y - top, v);
    if (i >= 0 && j >= 0 && i + 3 < n && j + 3 < n) {
        const float *const c = h->coefficients + j * n + i;
        for (int b = 0; b < 4; b++)
            sum += v[b] * (u[0] * c[b * n] + u[1] * c[b * n + 1] + u[2] * c[b * n + 2] +
                           u[3] * c[b * n + 3]);
        return sum;
    }
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++)
            sum +=
                v[b] * u[a] * h->coefficients[mirrored(j + b, h->n) * h->n + mirrored(i + a, h->n)];
    return sum;
}

static float linear_at(const host_image *h, float x, float y)
{
    const float left = floorf(x), top = floorf(y), u = x - left, v = y - top;
    const size_t n = h->n;
    const size_t i = mirrored((ptrdiff_t)left, n), k = mirrored((ptrdiff_t)left + 1, n);
    const float *const a = h->samples + mirrored((ptrdiff_t)top, n) * n;
    const float *const b = h->samples + mirrored((ptrdiff_t)top + 1, n) * n;

    return (1 - v) * ((1 - u) * a[i] + u * a[k]) + v * ((1 - u) * b[i] + u * b[k]);
}

void host_image_linear(const host_image *h)
{
    const double(*const m)[3] = h->matrix;

#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t y = 0; y < h->n; y++)
        for (size_t x = 0; x < h->n; x++)
            h->values[y * h->n + x] =
                linear_at(h, (float)(m[1][0] * (double)y + m[1][1] * (double)x + m[1][2]),
                          (float)(m[0][0] * (double)y + m[0][1] * (double)x + m[0][2]));
}

void host_image_cubic(const host_image *h)
{
    const double(*const m)[3] = h->matrix;

#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t y = 0; y < h->n; y++)
        for (size_t x = 0; x < h->n; x++)
            h->values[y * h->n + x] =
                cubic_at(h, (float)(m[1][0] * (double)y + m[1][1] * (double)x + m[1][2]),
                         (float)(m[0][0] * (double)y + m[0][1] * (double)x + m[0][2]));
}
