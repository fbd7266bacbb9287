/* The definition of one clspi_line_functions, LINE_FUNCTIONS, in the precision `real`. The file
   that includes this one names both, and REAL_PIXEL, the precision as a type of pixels. */
#include <string.h>

#include "level.h"
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
static void filter_bundle(const clspi_line_filter *f, real *a, size_t num, size_t *skip)
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
    const int64_t here = index - from->pad[d] - from->first[d];
    if (here >= 0 && here < from->num[d]) return (int32_t)here;
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

/* Reads samples of a type, a constant, that are `step` apart. */
CLSPI_INLINE void read_type(const clspi_line_source *from, size_t first, size_t num, size_t step,
                            uint32_t type, real *restrict to)
{
    for (size_t k = 0; k < num; k++)
        to[k] = sample_at(from->at, type, (first + k) * step);
}

/* Reads num samples from `first` on, of one channel mostly. */
static void read_samples(const clspi_line_source *from, size_t first, size_t num, real *restrict to)
{
    const uint32_t type = from->type;
    const bool is_dense = from->step == 1;

    if (type == REAL_PIXEL && is_dense)
        memcpy(to, (const real *)(const void *)from->at + first, num * sizeof *to);
    else if (type == CLSPI_PIXEL_U8 && is_dense)
        read_type(from, first, num, 1, CLSPI_PIXEL_U8, to);
    else if (type == CLSPI_PIXEL_U8)
        read_type(from, first, num, from->step, CLSPI_PIXEL_U8, to);
    else if (type == CLSPI_PIXEL_F32 && is_dense)
        read_type(from, first, num, 1, CLSPI_PIXEL_F32, to);
    else if (type == CLSPI_PIXEL_F32)
        read_type(from, first, num, from->step, CLSPI_PIXEL_F32, to);
    else
        read_type(from, first, num, from->step, type, to);
}

/* Says where the samples of a row are in memory; false: they are the constant all. */
static bool find_row(const clspi_line_source *from, int64_t z, int64_t y, size_t *begin)
{
    const int32_t at_z = sample_index(from, 0, z), at_y = sample_index(from, 1, y);

    *begin = ((size_t)at_z * from->num[1] + (size_t)at_y) * from->num[2];
    return at_z != CLSPI_NO_INDEX && at_y != CLSPI_NO_INDEX;
}

/* Reads what of a row follows each other. */
static void read_within(const clspi_line_source *from, const int64_t row[2], const row_places *p,
                        real *restrict to)
{
    size_t begin;

    if (find_row(from, row[0], row[1], &begin)) {
        read_samples(from, begin + (size_t)p->first, p->within, to);
        return;
    }
    for (size_t k = 0; k < p->within; k++)
        to[k] = (real)from->cval;
}

/* Reads the sample of a row at a place that is not within. */
static real read_outside(const clspi_line_source *from, const int64_t row[2], int32_t at)
{
    size_t begin;

    if (at == CLSPI_NO_INDEX || !find_row(from, row[0], row[1], &begin)) return (real)from->cval;
    return sample_at(from->at, from->type, (begin + (size_t)at) * from->step);
}

/* Reads a row's samples at places. */
static void read_places(const clspi_line_source *from, const int64_t row[2], const row_places *p,
                        real *restrict to)
{
    for (size_t k = 0; k < p->num; k++) {
        if (k == p->before) k += p->within;
        if (k < p->num) to[k] = read_outside(from, row, p->at[k]);
    }
    read_within(from, row, p, to + p->before);
}

static void read(const clspi_line_source *from, int64_t z, int64_t y, int64_t x, size_t num,
                 void *out)
{
    const int64_t row[2] = {z, y};
    real *to = out;
    row_places places;

    for (size_t run; num > 0; num -= run, x += (int64_t)run, to += run) {
        run = num < SPAN ? num : SPAN;
        find_places(&places, from, x, run);
        read_places(from, row, &places, to);
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
    clspi_halves((uint16_t *)out + at, from, num);
}

/* ---- rows ---- */

/* Turns 4 x 4 reals; steps: from each four to the next. */
#ifdef CLSPI_SHUFFLE
CLSPI_INLINE void turn_four(real *restrict to, size_t to_step, const real *restrict from,
                            size_t from_step)
{
    typedef real four CLSPI_VECTOR(4 * sizeof(real));
    four a[4], b[4];

    for (size_t i = 0; i < 4; i++)
        memcpy(&a[i], from + i * from_step, sizeof a[i]);
    for (size_t i = 0; i < 2; i++) {
        b[i] = CLSPI_SHUFFLE(a[i], a[i + 2], 0, 4, 1, 5);
        b[i + 2] = CLSPI_SHUFFLE(a[i], a[i + 2], 2, 6, 3, 7);
    }
    for (size_t k = 0; k < 2; k++) {
        a[2 * k] = CLSPI_SHUFFLE(b[2 * k], b[2 * k + 1], 0, 4, 1, 5);
        a[2 * k + 1] = CLSPI_SHUFFLE(b[2 * k], b[2 * k + 1], 2, 6, 3, 7);
    }
    for (size_t k = 0; k < 4; k++)
        memcpy(to + k * to_step, &a[k], sizeof a[k]);
}
#else
CLSPI_INLINE void turn_four(real *restrict to, size_t to_step, const real *restrict from,
                            size_t from_step)
{
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 4; i++)
            to[k * to_step + i] = from[i * from_step + k];
}
#endif

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

/* Reads a place of a bundle that is not within: mostly what one within has. */
static void read_place(const clspi_line_source *from, int64_t rows[BUNDLE][2], const row_places *p,
                       size_t place, real *a)
{
    const int32_t at = p->at[place];
    real *const to = a + place * BUNDLE;

    if (at >= p->first && (size_t)(at - p->first) < p->within) {
        memcpy(to, a + (p->before + (size_t)(at - p->first)) * BUNDLE, BUNDLE * sizeof *to);
        return;
    }
    for (size_t i = 0; i < BUNDLE; i++)
        to[i] = read_outside(from, rows[i], at);
}

/* Reads the rows of a bundle at places and puts them side by side. */
static void read_bundle(const clspi_line_source *from, int64_t rows[BUNDLE][2], const row_places *p,
                        real *a)
{
    real lines[4 * SPAN];

    for (size_t i = 0; i < BUNDLE && p->within > 0; i++) {
        read_within(from, rows[i], p, lines + i % 4 * SPAN);
        if (i % 4 == 3) turn_in(a + p->before * BUNDLE + i - 3, lines, p->within);
    }
    for (size_t k = 0; k < p->num; k++) {
        if (k == p->before) k += p->within;
        if (k < p->num) read_place(from, rows, p, k, a);
    }
}

/* Filters run[1] reals from run[0] on of some rows, lines of a bundle, of which it needs all;
   `to` has rows `pitch` apart, as many as num_rows rounded up to 4. */
static void filter_rows(const clspi_line_filter *f, const clspi_line_source *from,
                        int64_t rows[BUNDLE][2], size_t num_rows, const size_t run[2], real *to,
                        size_t pitch)
{
    real a[SPAN * BUNDLE];
    const size_t halo = f->halo, num = run[1] + 2 * halo;
    row_places places;
    size_t skip;

    find_places(&places, from, (int64_t)run[0] - (int64_t)halo, num);
    read_bundle(from, rows, &places, a);
    filter_bundle(f, a, num, &skip);
    for (size_t i = 0; i < num_rows; i += 4)
        turn_out(to + i * pitch, pitch, a + skip * BUNDLE + i, run[1]);
}

/* Goes to the next row of a box. */
CLSPI_INLINE void next_row(const clspi_line_box *box, int64_t row[2])
{
    if (++row[1] < box->first_y + box->num_y) return;
    row[1] = box->first_y;
    row[0]++;
}

/* Copies rows as they are. */
static void copy_rows(const clspi_line_source *from, const clspi_line_box *box, void *out,
                      bool halves)
{
    const size_t all = (size_t)box->num_z * box->num_y;
    row_places places;
    real made[SPAN];

    for (size_t x = 0; x < box->num_x; x += SPAN) {
        const size_t num = box->num_x - x < SPAN ? box->num_x - x : SPAN;
        int64_t row[2] = {box->first_z, box->first_y};
        find_places(&places, from, (int64_t)(box->first_x + x), num);
        for (size_t k = 0; k < all; k++, next_row(box, row)) {
            const size_t place = k * box->num_x + x;
            read_places(from, row, &places, halves ? made : (real *)out + place);
            if (halves) store(out, place, made, num, halves);
        }
    }
}

static void rows(const clspi_line_filter *f, const clspi_line_source *from,
                 const clspi_line_box *box, void *out, bool halves)
{
    const size_t all = (size_t)box->num_z * box->num_y;
    int64_t at[BUNDLE][2], row[2] = {box->first_z, box->first_y};
    real made[BUNDLE * BLOCK];

    if (f->kind == CLSPI_LINE_COPY) {
        copy_rows(from, box, out, halves);
        return;
    }
    for (size_t first = 0; first < all; first += BUNDLE) {
        const size_t num = all - first < BUNDLE ? all - first : BUNDLE;
        for (size_t i = 0; i < BUNDLE; i++) {
            memcpy(at[i], i < num ? row : at[0], sizeof at[i]);
            if (i < num) next_row(box, row);
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
            filter_bundle(f, a, made + 2 * f->halo, &skip);
            for (size_t k = 0; k < made; k++)
                store(out, (first + k) * stride + x, a + (k + skip) * BUNDLE, width, halves);
        }
    }
}

const clspi_line_functions LINE_FUNCTIONS = {read, rows, columns};
