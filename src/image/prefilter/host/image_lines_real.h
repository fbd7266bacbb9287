/* The definition of one clspi_line_functions, LINE_FUNCTIONS, in the precision `real`. The file
   that includes this one names both and FILTER_BUNDLE, which has clones. */
#include <string.h>

#include "clones.h"
#include "half.h"
#include "image_lines.h"

/* Lines side by side, and the samples of them that are filtered at once, less halos. */
enum { BUNDLE = 16, BLOCK = 128, SPAN = BLOCK + 2 * CLSPI_LINE_HALO_MAX };

/* ---- filters ---- */

/* Runs both recursions over a bundle, in place: c+_k = gain s_k + z c+_{k-1}, then
   c_k = z (c_{k+1} - c+_k), each begun as if the line stayed as it is; the gain is multiplied by
   scale. */
CLSPI_INLINE void recursion(real *a, size_t num, real z, double scale)
{
    const double exact = (1 - (double)z) * (1 - 1 / (double)z) * scale;
    /* the gain's rounding would count in every result */
    const real gain = (real)exact, rest = (real)(exact - (double)gain);
    const real begin = 1 / (1 - z), end = z / (z - 1);
    real s[BUNDLE];

    for (size_t i = 0; i < BUNDLE; i++)
        s[i] = a[i] = (gain * a[i] + rest * a[i]) * begin;
    for (size_t k = 1; k < num; k++)
        for (size_t i = 0; i < BUNDLE; i++) {
            const real x = a[k * BUNDLE + i];
            s[i] = z * s[i] + (gain * x + rest * x);
            a[k * BUNDLE + i] = s[i];
        }
    for (size_t i = 0; i < BUNDLE; i++)
        s[i] *= end;
    for (size_t k = num - 1; k-- > 0;)
        for (size_t i = 0; i < BUNDLE; i++) {
            s[i] = z * (s[i] - a[k * BUNDLE + i]);
            a[k * BUNDLE + i] = s[i];
        }
}

/* Convolves a bundle in place: coefficient k of the result stands at k, its sample at k + half. */
CLSPI_INLINE void convolution(real *a, size_t num, const double *taps, size_t half)
{
    for (size_t k = 0; k + 2 * half < num; k++) {
        real s[BUNDLE];
        const real *const middle = a + (k + half) * BUNDLE;
        for (size_t i = 0; i < BUNDLE; i++)
            s[i] = (real)taps[0] * middle[i];
        for (size_t j = 1; j <= half; j++)
            for (size_t i = 0; i < BUNDLE; i++)
                s[i] += (real)taps[j] * (middle[i + j * BUNDLE] + (middle - j * BUNDLE)[i]);
        for (size_t i = 0; i < BUNDLE; i++)
            a[k * BUNDLE + i] = s[i];
    }
}

/* Filters `num` samples of a bundle, halos counted; *skip: where the first coefficient stands. */
CLSPI_CLONES static void FILTER_BUNDLE(const clspi_line_filter *f, real *a, size_t num,
                                       size_t *skip)
{
    *skip = f->kind == CLSPI_LINE_RECURSION ? f->halo : 0;
    for (int i = 0; i < 2 && f->kind == CLSPI_LINE_RECURSION; i++)
        if (f->poles[i] < 0.0) recursion(a, num, (real)f->poles[i], i == 0 ? f->scale : 1.0);
    if (f->kind == CLSPI_LINE_FIR) convolution(a, num, f->taps, f->halo);
}

/* ---- memory ---- */

static real sample_at(const clspi_line_source *from, size_t k)
{
    const void *const at = from->at;

    switch (from->type) {
    case CLSPI_PIXEL_U8:
        return ((const uint8_t *)at)[k];
    case CLSPI_PIXEL_U16:
        return ((const uint16_t *)at)[k];
    case CLSPI_PIXEL_S16:
        return ((const int16_t *)at)[k];
    case CLSPI_PIXEL_F16:
        return (real)clspi_half_value(((const uint16_t *)at)[k]);
    case CLSPI_PIXEL_F32:
        return (real)((const float *)at)[k];
    default:
        return (real)((const double *)at)[k];
    }
}

/* Returns the sample that stands at a stored index of a direction. */
static int32_t sample_index(const clspi_line_source *from, uint32_t d, int64_t index)
{
    const int32_t stored = clspi_extend(index, from->stored[d], from->extend[d]);

    return clspi_extend((int64_t)stored - from->pad[d], from->size[d], from->mode[d]);
}

static void read(const clspi_line_source *from, int64_t z, int64_t y, int64_t x, size_t num,
                 void *out)
{
    const int32_t at_z = sample_index(from, 0, z), at_y = sample_index(from, 1, y);
    const bool is_row = at_z != CLSPI_NO_INDEX && at_y != CLSPI_NO_INDEX;
    const size_t begin = is_row ? ((size_t)at_z * from->size[1] + (size_t)at_y) * from->size[2] : 0;
    const int64_t first = from->pad[2], end = first + from->size[2];
    real *const to = out;

    for (size_t k = 0; k < num; k++) {
        const int64_t i = x + (int64_t)k;
        const bool is_within = i >= first && i < end;
        const int32_t at = is_within ? (int32_t)(i - first) : sample_index(from, 2, i);
        to[k] = is_row && at != CLSPI_NO_INDEX ? sample_at(from, (begin + (size_t)at) * from->step)
                                               : (real)from->cval;
    }
}

static void store(void *out, size_t at, const real *from, size_t num, bool halves)
{
    if (!halves) {
        memcpy((real *)out + at, from, num * sizeof *from);
        return;
    }
    for (size_t k = 0; k < num; k++)
        ((uint16_t *)out)[at + k] = clspi_half((double)from[k]);
}

/* ---- rows ---- */

/* Filters `num` reals of some rows, lines of a bundle, from x on; out: of the first row. */
static void filter_rows(const clspi_line_filter *f, const clspi_line_source *from,
                        int64_t rows[BUNDLE][2], size_t num_rows, const size_t run[2],
                        real made[BUNDLE][BLOCK])
{
    real a[SPAN * BUNDLE], line[SPAN];
    const size_t halo = f->halo, num = run[1] + 2 * halo;
    size_t skip;

    for (size_t i = 0; i < BUNDLE; i++) {
        const size_t row = i < num_rows ? i : 0;
        read(from, rows[row][0], rows[row][1], (int64_t)run[0] - (int64_t)halo, num, line);
        for (size_t k = 0; k < num; k++)
            a[k * BUNDLE + i] = line[k];
    }
    FILTER_BUNDLE(f, a, num, &skip);
    for (size_t i = 0; i < num_rows; i++)
        for (size_t k = 0; k < run[1]; k++)
            made[i][k] = a[(k + skip) * BUNDLE + i];
}

static void rows(const clspi_line_filter *f, const clspi_line_source *from,
                 const clspi_line_box *box, void *out, bool halves)
{
    const size_t all = (size_t)box->num_z * box->num_y;
    int64_t at[BUNDLE][2];
    real made[BUNDLE][BLOCK];

    for (size_t first = 0; first < all; first += BUNDLE) {
        const size_t num = all - first < BUNDLE ? all - first : BUNDLE;
        for (size_t i = 0; i < num; i++) {
            at[i][0] = box->first_z + (int64_t)((first + i) / box->num_y);
            at[i][1] = box->first_y + (int64_t)((first + i) % box->num_y);
        }
        for (size_t x = 0; x < box->num_x; x += BLOCK) {
            const size_t run[2] = {box->first_x + x,
                                   box->num_x - x < BLOCK ? box->num_x - x : BLOCK};
            filter_rows(f, from, at, num, run, made);
            for (size_t i = 0; i < num; i++)
                store(out, (first + i) * box->num_x + x, made[i], run[1], halves);
        }
    }
}

/* ---- columns ---- */

static void columns(const clspi_line_filter *f, const void *const *lines, size_t num, size_t num_x,
                    void *out, size_t stride, bool halves)
{
    real a[SPAN * BUNDLE];

    for (size_t first = 0; first < num; first += BLOCK) {
        const size_t made = num - first < BLOCK ? num - first : BLOCK;
        for (size_t x = 0; x < num_x; x += BUNDLE) {
            const size_t width = num_x - x < BUNDLE ? num_x - x : BUNDLE;
            size_t skip;
            for (size_t k = 0; k < made + 2 * f->halo; k++) {
                memcpy(a + k * BUNDLE, (const real *)lines[first + k] + x, width * sizeof *a);
                memset(a + k * BUNDLE + width, 0, (BUNDLE - width) * sizeof *a);
            }
            FILTER_BUNDLE(f, a, made + 2 * f->halo, &skip);
            for (size_t k = 0; k < made; k++)
                store(out, (first + k) * stride + x, a + (k + skip) * BUNDLE, width, halves);
        }
    }
}

const clspi_line_functions LINE_FUNCTIONS = {read, rows, columns};
