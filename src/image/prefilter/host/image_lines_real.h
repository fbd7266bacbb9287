/* The definition of one clspi_line_functions, LINE_FUNCTIONS, in the precision `real`. The file
   that includes this one names both and FILTER_BUNDLE, which has clones. */
#include <string.h>

#include "clones.h"
#include "half.h"
#include "image_lines.h"

/* Lines side by side, and the samples of them that are filtered at once, less halos. */
enum { BUNDLE = 32, BLOCK = 128, SPAN = BLOCK + 2 * CLSPI_LINE_HALO_MAX };

/* ---- filters ---- */

/* Runs both recursions over a bundle, in place: c+_k = s_k + z c+_{k-1}, then
   c_k = z (c_{k+1} - c+_k), each begun as if the line stayed as it is, and multiplies by the gain,
   which is multiplied by scale: in the end, where it rounds each result once. */
CLSPI_INLINE void recursion(real *a, size_t num, real z, double scale)
{
    const double exact = (1 - (double)z) * (1 - 1 / (double)z) * scale;
    /* the gain's rounding would count in every result */
    const real gain = (real)exact, rest = (real)(exact - (double)gain);
    const real begin = 1 / (1 - z), end = z / (z - 1);
    real s[BUNDLE];

    for (size_t i = 0; i < BUNDLE; i++)
        s[i] = a[i] = a[i] * begin;
    for (size_t k = 1; k < num; k++)
        for (size_t i = 0; i < BUNDLE; i++) {
            s[i] = z * s[i] + a[k * BUNDLE + i];
            a[k * BUNDLE + i] = s[i];
        }
    for (size_t i = 0; i < BUNDLE; i++) {
        s[i] *= end;
        a[(num - 1) * BUNDLE + i] = gain * s[i] + rest * s[i];
    }
    for (size_t k = num - 1; k-- > 0;)
        for (size_t i = 0; i < BUNDLE; i++) {
            s[i] = z * (s[i] - a[k * BUNDLE + i]);
            a[k * BUNDLE + i] = gain * s[i] + rest * s[i];
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

CLSPI_INLINE real sample_at(const void *at, uint32_t type, size_t k)
{
    switch (type) {
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

/* Returns which of the samples in memory stands at a stored index of a direction. */
static int32_t sample_index(const clspi_line_source *from, uint32_t d, int64_t index)
{
    const int32_t stored = clspi_extend(index, from->stored[d], from->extend[d]);
    const int32_t at = clspi_extend((int64_t)stored - from->pad[d], from->size[d], from->mode[d]);
    const int32_t place = at - (int32_t)from->first[d], last = (int32_t)from->num[d] - 1;

    if (at == CLSPI_NO_INDEX) return at;
    return place < 0 ? 0 : place > last ? last : place;
}

/* Places of rows: which samples stand there. */
typedef struct row_places {
    size_t num, before, within; /* places; of them those before the samples, and those of samples
                                   that follow each other */
    int32_t first;              /* of these */
    int32_t at[SPAN];           /* at all others; CLSPI_NO_INDEX: none */
} row_places;

/* Finds the samples of num places, at most SPAN, from x on. */
static void find_places(row_places *p, const clspi_line_source *from, int64_t x, size_t num)
{
    const int64_t begin = (int64_t)from->pad[2] + from->first[2] - x, end = begin + from->num[2];
    const int64_t all = (int64_t)num;
    const int64_t low = begin < 0 ? 0 : begin < all ? begin : all;
    const int64_t high = end < low ? low : end < all ? end : all;

    p->num = num;
    p->before = (size_t)low;
    p->within = (size_t)(high - low);
    p->first = (int32_t)(low - begin);
    for (size_t k = 0; k < num; k++) {
        if (k == p->before) k += p->within;
        if (k < num) p->at[k] = sample_index(from, 2, x + (int64_t)k);
    }
}

/* Reads samples of a type, a constant, that begin at `begin` and are `step` apart. */
CLSPI_INLINE void read_type(const clspi_line_source *from, const row_places *p, size_t begin,
                            size_t step, uint32_t type, real *restrict to)
{
    const real none = (real)from->cval;

    for (size_t k = 0; k < p->num; k++) {
        if (k == p->before) k += p->within;
        if (k < p->num)
            to[k] = p->at[k] == CLSPI_NO_INDEX
                        ? none
                        : sample_at(from->at, type, (begin + (size_t)p->at[k]) * step);
    }
    begin += (size_t)p->first;
    for (size_t k = 0; k < p->within; k++)
        to[p->before + k] = sample_at(from->at, type, (begin + k) * step);
}

/* Reads a row's samples, of one channel mostly, at places. */
static void read_places(const clspi_line_source *from, int64_t z, int64_t y, const row_places *p,
                        real *restrict to)
{
    const int32_t at_z = sample_index(from, 0, z), at_y = sample_index(from, 1, y);
    const bool is_row = at_z != CLSPI_NO_INDEX && at_y != CLSPI_NO_INDEX;
    const size_t begin = ((size_t)at_z * from->num[1] + (size_t)at_y) * from->num[2];

    for (size_t k = 0; !is_row && k < p->num; k++)
        to[k] = (real)from->cval;
    if (!is_row) return;
    switch (from->type) {
    case CLSPI_PIXEL_U8:
        if (from->step == 1)
            read_type(from, p, begin, 1, CLSPI_PIXEL_U8, to);
        else
            read_type(from, p, begin, from->step, CLSPI_PIXEL_U8, to);
        break;
    case CLSPI_PIXEL_F32:
        if (from->step == 1)
            read_type(from, p, begin, 1, CLSPI_PIXEL_F32, to);
        else
            read_type(from, p, begin, from->step, CLSPI_PIXEL_F32, to);
        break;
    default:
        read_type(from, p, begin, from->step, from->type, to);
        break;
    }
}

static void read(const clspi_line_source *from, int64_t z, int64_t y, int64_t x, size_t num,
                 void *out)
{
    real *to = out;
    row_places places;

    for (size_t run; num > 0; num -= run, x += (int64_t)run, to += run) {
        run = num < SPAN ? num : SPAN;
        find_places(&places, from, x, run);
        read_places(from, z, y, &places, to);
    }
}

static void store(void *out, size_t at, const real *from, size_t num, bool halves)
{
    if (!halves) {
        if (num == BUNDLE) /* a few moves, where others begin a long copy */
            memcpy((real *)out + at, from, BUNDLE * sizeof *from);
        else
            memcpy((real *)out + at, from, num * sizeof *from);
        return;
    }
    for (size_t k = 0; k < num; k++)
        ((uint16_t *)out)[at + k] = clspi_half((double)from[k]);
}

/* ---- rows ---- */

/* Turns 4 x 4 reals; steps: from each four to the next. */
CLSPI_INLINE void turn_four(real *restrict to, size_t to_step, const real *restrict from,
                            size_t from_step)
{
    real turned[4][4];

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            turned[k][i] = from[i * from_step + k];
    for (size_t k = 0; k < 4; k++)
        memcpy(to + k * to_step, turned[k], sizeof turned[k]);
}

/* Puts four rows of num reals, SPAN apart, side by side. */
static void turn_in(real *restrict a, const real *restrict lines, size_t num)
{
    size_t k = 0;

    for (; k + 4 <= num; k += 4)
        turn_four(a + k * BUNDLE, BUNDLE, lines + k, SPAN);
    for (; k < num; k++)
        for (size_t i = 0; i < 4; i++)
            a[k * BUNDLE + i] = lines[i * SPAN + k];
}

/* Takes four rows of num reals, `pitch` apart, out of those side by side. */
static void turn_out(real *restrict to, size_t pitch, const real *restrict a, size_t num)
{
    size_t k = 0;

    for (; k + 4 <= num; k += 4)
        turn_four(to + k, pitch, a + k * BUNDLE, BUNDLE);
    for (; k < num; k++)
        for (size_t i = 0; i < 4; i++)
            to[i * pitch + k] = a[k * BUNDLE + i];
}

/* Filters run[1] reals from run[0] on of some rows, lines of a bundle; `to` has rows `pitch` apart,
   as many as num_rows rounded up to 4. */
static void filter_rows(const clspi_line_filter *f, const clspi_line_source *from,
                        int64_t rows[BUNDLE][2], size_t num_rows, const size_t run[2], real *to,
                        size_t pitch)
{
    real a[SPAN * BUNDLE], lines[4 * SPAN];
    const size_t halo = f->halo, num = run[1] + 2 * halo;
    row_places places;
    size_t skip;

    find_places(&places, from, (int64_t)run[0] - (int64_t)halo, num);
    for (size_t i = 0; i < BUNDLE; i++) {
        const size_t row = i < num_rows ? i : 0;
        read_places(from, rows[row][0], rows[row][1], &places, lines + i % 4 * SPAN);
        if (i % 4 == 3) turn_in(a + i - 3, lines, num);
    }
    FILTER_BUNDLE(f, a, num, &skip);
    for (size_t i = 0; i < num_rows; i += 4)
        turn_out(to + i * pitch, pitch, a + skip * BUNDLE + i, run[1]);
}

static void rows(const clspi_line_filter *f, const clspi_line_source *from,
                 const clspi_line_box *box, void *out, bool halves)
{
    const size_t all = (size_t)box->num_z * box->num_y;
    int64_t at[BUNDLE][2];
    real made[BUNDLE * BLOCK];

    for (size_t first = 0; first < all; first += BUNDLE) {
        const size_t num = all - first < BUNDLE ? all - first : BUNDLE;
        for (size_t i = 0; i < num; i++) {
            at[i][0] = box->first_z + (int64_t)((first + i) / box->num_y);
            at[i][1] = box->first_y + (int64_t)((first + i) % box->num_y);
        }
        for (size_t x = 0; x < box->num_x; x += BLOCK) {
            const size_t run[2] = {box->first_x + x,
                                   box->num_x - x < BLOCK ? box->num_x - x : BLOCK};
            const size_t place = first * box->num_x + x;
            if (!halves && num % 4 == 0) {
                filter_rows(f, from, at, num, run, (real *)out + place, box->num_x);
                continue;
            }
            filter_rows(f, from, at, num, run, made, BLOCK);
            for (size_t i = 0; i < num; i++)
                store(out, place + i * box->num_x, made + i * BLOCK, run[1], halves);
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
                const real *const from = (const real *)lines[first + k] + x;
                if (width == BUNDLE) {
                    memcpy(a + k * BUNDLE, from, BUNDLE * sizeof *a);
                    continue;
                }
                memcpy(a + k * BUNDLE, from, width * sizeof *a);
                memset(a + k * BUNDLE + width, 0, (BUNDLE - width) * sizeof *a);
            }
            FILTER_BUNDLE(f, a, made + 2 * f->halo, &skip);
            for (size_t k = 0; k < made; k++)
                store(out, (first + k) * stride + x, a + (k + skip) * BUNDLE, width, halves);
        }
    }
}

const clspi_line_functions LINE_FUNCTIONS = {read, rows, columns};
