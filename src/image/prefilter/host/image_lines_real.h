/* The definition of one clspi_line_functions, LINE_FUNCTIONS, in the precision `real`. The file
   that includes this one names both, REAL_BYTES, and REAL_PIXEL, the precision as a type of pixels.
 */
#include <math.h>
#include <string.h>

#include "half.h"
#include "image_lines.h"
#include "level.h"
#include "vectors_real.h"

#include "line_filters_real.h"
#include "line_samples_real.h"

enum {
    RING = SPAN + GROUP,       /* rows that wait to be filtered as columns */
    RING_PITCH = BLOCK + STEP, /* which is no multiple of a page */
    STATE = WIDE > 2 * GROUP ? WIDE : 2 * GROUP
};

/* What a thread works with. */
typedef struct line_memory {
    real ring[RING * RING_PITCH];
    real lines[GROUP * PITCH];
    real state[SPAN * STATE];
    real kept[3][HALO * BLOCK]; /* rows that are overwritten: those before a block, by turns, and
                                   the first ones of all */
    real nowhere[RING_PITCH];
    const real *rows[SPAN];
    row_places places;
    int64_t places_x; /* where these begin */
    size_t places_num;
} line_memory;

static line_memory *memory_of(const clspi_line_work *p)
{
    return (line_memory *)(void *)(((uintptr_t)p->memory + 63) / 64 * 64);
}

static void read(const clspi_line_source *from, const int64_t first[3], const size_t num[3],
                 void *out)
{
    row_places places;

    for (size_t x = 0, run; x < num[2]; x += run) {
        run = num[2] - x < SPAN ? num[2] - x : SPAN;
        find_places(&places, from, first[2] + (int64_t)x, run);
        for (size_t row = 0; row < num[0] * num[1]; row++) {
            const int64_t at[2] = {first[0] + (int64_t)(row / num[1]),
                                   first[1] + (int64_t)(row % num[1])};
            read_places(from, at, &places, (real *)out + row * num[2] + x);
        }
    }
}

static void find_range(const clspi_line_source *from, void *range)
{
    const uint32_t *const size = from->size;
    double low = HUGE_VAL, high = -HUGE_VAL;
    real run[SPAN];

    for (size_t row = 0; row < (size_t)size[0] * size[1]; row++)
        for (size_t x = 0; x < size[2]; x += SPAN) {
            const size_t num = size[2] - x < SPAN ? size[2] - x : SPAN;
            const int64_t at[3] = {(int64_t)(row / size[1]) + from->pad[0],
                                   (int64_t)(row % size[1]) + from->pad[1],
                                   (int64_t)x + from->pad[2]};
            read(from, at, (size_t[]){1, 1, num}, run);
            for (size_t k = 0; k < num; k++) {
                low = fmin(low, (double)run[k]);
                high = fmax(high, (double)run[k]);
            }
        }
    ((real *)range)[0] = (real)low;
    ((real *)range)[1] = (real)high;
}

static void store(void *out, size_t at, const real *from, size_t num, bool halves)
{
    if (!halves) {
        memcpy((real *)out + at, from, num * sizeof *from);
        return;
    }
    clspi_halves((uint16_t *)out + at, from, num);
}

CLSPI_INLINE size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t steps_up(size_t num)
{
    return (num + STEP - 1) / STEP * STEP;
}

/* ---- rows ---- */

/* Reads samples of a row from x on. */
static void stage(const clspi_line_work *p, line_memory *m, const int64_t row[2], int64_t x,
                  size_t num, real *to)
{
    if (m->places_num != num || m->places_x != x) find_places(&m->places, p->from, x, num);
    m->places_x = x;
    m->places_num = num;
    read_places(p->from, row, &m->places, to);
}

/* Returns where such samples stand as reals, or NULL. */
static const real *reals_at(const clspi_line_source *from, const int64_t row[2], int64_t x,
                            size_t num)
{
    const int64_t at = x - from->pad[2] - from->first[2];
    size_t begin;

    if (from->type != REAL_PIXEL || from->step != 1 || at < 0 ||
        at + (int64_t)num > (int64_t)from->num[2] || !find_row(from, row[0], row[1], &begin))
        return NULL;
    return (const real *)(const void *)from->at + begin + at;
}

/* Convolves a group of lines as columns. */
static void convolve_lines(const clspi_line_work *p, line_memory *m, const real *const *lines,
                           size_t width, real *const to[GROUP])
{
    const size_t half = p->along_x.halo, lead = steps_up(half);
    real *const made = m->state + SPAN * GROUP;
    const real *rows[SPAN];
    const column_job c = {.f = &p->along_x, .rows = rows, .num = width, .count = width};
    vec a[LANES];

    for (size_t k = 0; k < lead + steps_up(width + half); k += LANES)
        for (size_t v = 0; v < SIDES; v++) {
            load_square(a, lines + v * LANES, k);
            for (size_t i = 0; i < LANES; i++)
                *(vec *)(void *)(m->state + (k + i) * GROUP + v * LANES) = a[i];
        }
    for (size_t k = 0; k < width + 2 * half; k++)
        rows[k] = m->state + (lead - half + k) * GROUP;
    for (size_t x = 0; x < GROUP; x += LANES)
        convolve_some(&c, 1, x, made + x, GROUP);
    for (size_t k = 0; k < width; k += LANES)
        for (size_t v = 0; v < SIDES; v++) {
            for (size_t i = 0; i < LANES; i++)
                rows[i] = made + (k + i) * GROUP + v * LANES;
            load_square(a, rows, 0);
            for (size_t i = 0; i < LANES; i++)
                *(any_vec *)(to[v * LANES + i] + k) = a[i];
        }
}

/* A line's block: `width` coefficients of a row from x on. */
typedef struct line_block {
    int64_t row[2];
    uint32_t x;
} line_block;

/* Filters up to GROUP blocks of equally many coefficients, each to a row that has room for whole
   steps. */
static void filter_group(const clspi_line_work *p, line_memory *m, const line_block *blocks,
                         size_t num, size_t width, real *to[GROUP])
{
    const size_t halo = p->along_x.halo, lead = steps_up(halo);
    const size_t span = lead + steps_up(width + halo), kept[2] = {lead, width};
    const real *lines[GROUP] = {NULL};
    const gain g = gain_of(p->scale);

    for (size_t i = 0; i < num; i++) {
        const int64_t x = (int64_t)blocks[i].x - (int64_t)lead;
        if (p->along_x.kind == CLSPI_LINE_COPY) {
            stage(p, m, blocks[i].row, blocks[i].x, width, to[i]);
            for (size_t k = 0; k < width && p->scale != 1.0L; k++)
                to[i][k] = g.most * to[i][k] + g.rest * to[i][k];
            continue;
        }
        lines[i] = reals_at(p->from, blocks[i].row, x, span);
        if (lines[i]) continue;
        lines[i] = m->lines + i * PITCH;
        stage(p, m, blocks[i].row, x, span, m->lines + i * PITCH);
    }
    for (size_t i = num; i < GROUP; i++) {
        lines[i] = lines[0];
        to[i] = m->nowhere;
    }
    if (p->along_x.kind == CLSPI_LINE_FIR)
        convolve_lines(p, m, lines, width, to);
    else if (p->along_x.kind == CLSPI_LINE_RECURSION)
        recur_lines(&p->along_x, &g, lines, span, m->state, kept, to);
}

/* Returns where a block of row number `row` of a box goes. */
static size_t place_of(const clspi_line_work *p, const clspi_line_box *box, size_t row)
{
    return row / box->num_y * p->slice + row % box->num_y * p->row;
}

/* Stores what of a block is within a box. */
static void store_block(const clspi_line_work *p, const clspi_line_box *box, size_t row, uint32_t x,
                        size_t width, const real *made)
{
    const size_t first = box->first_x > x ? box->first_x - x : 0;
    const size_t end = smaller(width, box->first_x + (size_t)box->num_x - x);

    store(p->out, place_of(p, box, row) + x + first - box->first_x, made + first, end - first,
          p->halves);
}

/* Filters `num` blocks of each row of a box, from x on, of `width` coefficients each: those of one
   place together, or of a few rows those of a row. */
static void filter_blocks(const clspi_line_work *p, line_memory *m, const clspi_line_box *box,
                          uint32_t x, size_t num, size_t width)
{
    const size_t rows = (size_t)box->num_z * box->num_y, all = rows * num;
    const size_t end = box->first_x + (size_t)box->num_x;
    const bool by_place = rows >= GROUP;
    const bool can_be = !p->halves && (width % STEP == 0 || p->along_x.kind == CLSPI_LINE_COPY);
    line_block blocks[GROUP];
    size_t row[GROUP];
    bool is_direct[GROUP];
    real *to[GROUP];

    for (size_t first = 0; first < all; first += GROUP) {
        const size_t some = smaller(all - first, GROUP);
        for (size_t i = 0; i < some; i++) {
            const size_t k = first + i, place = by_place ? k / rows : k % num;
            row[i] = by_place ? k % rows : k / num;
            blocks[i] = (line_block){{box->first_z + (int64_t)(row[i] / box->num_y),
                                      box->first_y + (int64_t)(row[i] % box->num_y)},
                                     x + (uint32_t)(place * BLOCK)};
            to[i] = m->ring + i * RING_PITCH;
            is_direct[i] = can_be && blocks[i].x >= box->first_x && blocks[i].x + width <= end;
            if (is_direct[i])
                to[i] = (real *)p->out + place_of(p, box, row[i]) + blocks[i].x - box->first_x;
        }
        filter_group(p, m, blocks, some, width, to);
        for (size_t i = 0; i < some; i++)
            if (!is_direct[i]) store_block(p, box, row[i], blocks[i].x, width, to[i]);
    }
}

/* Filters the rows of a box alone. */
static void filter_rows(const clspi_line_work *p, line_memory *m, const clspi_line_box *box)
{
    const uint32_t whole = p->from->stored[2], end = box->first_x + box->num_x;
    const uint32_t begin = box->first_x / BLOCK * BLOCK;
    const size_t full = (size_t)(end < whole ? (end + BLOCK - 1) / BLOCK : whole / BLOCK);
    const size_t most = smaller(full, whole / BLOCK);

    if (most > begin / BLOCK) filter_blocks(p, m, box, begin, most - begin / BLOCK, BLOCK);
    if (end > most * BLOCK)
        filter_blocks(p, m, box, (uint32_t)(most * BLOCK), 1, whole - most * BLOCK);
}

/* ---- columns ---- */

/* Filters columns and stores them; rows are read up to a whole vector beyond width. */
static void filter_columns(const column_job *c, size_t width, void *out, size_t pitch, bool halves)
{
    const bool is_fir = c->f->kind == CLSPI_LINE_FIR, is_aside = halves || (is_fir && c->in_place);
    const size_t skip = is_fir ? 0 : c->f->halo + c->first;

    for (size_t x = 0, num; x < width; x += num) {
        const bool is_wide = width - x >= WIDE;
        num = is_wide ? WIDE : LANES;
        const bool is_direct = !is_aside && width - x >= num;
        real *const to = is_direct ? (real *)out + x : c->state + skip * num;
        const size_t step = is_direct ? pitch : num;
        if (is_wide)
            filter_some(c, CHUNK, x, to, step);
        else
            filter_some(c, 1, x, to, step);
        for (size_t k = 0; k < c->count && !is_direct; k++)
            store(out, k * pitch + x, to + k * num, smaller(num, width - x), halves);
    }
}

/* Columns of a slice: `width` of them from x on, of which `known` rows, filtered along x, have been
   put into the ring. */
typedef struct strip {
    const clspi_line_work *p;
    line_memory *m;
    int64_t z;
    uint32_t x;
    size_t width;
    int64_t known; /* the first row that has not */
} strip;

static real *ring_row(const strip *s, int64_t y)
{
    return s->m->ring + (size_t)((y + RING) % RING) * RING_PITCH;
}

/* Puts rows into the ring, at the places of rows `at`. */
static void put_rows(const strip *s, const int64_t *at, const int64_t *y, size_t num)
{
    line_block blocks[GROUP];
    real *to[GROUP];

    for (size_t i = 0; i < num; i++) {
        blocks[i] = (line_block){{s->z, y[i]}, s->x};
        to[i] = ring_row(s, at[i]);
    }
    filter_group(s->p, s->m, blocks, num, s->width, to);
}

/* Puts the image's rows up to `end` into the ring, and some more. */
static void know_rows(strip *s, int64_t end)
{
    const int64_t whole = s->p->from->stored[1];
    int64_t y[GROUP];

    while (s->known < end) {
        size_t num = 0;
        for (; num < GROUP && s->known < whole; num++)
            y[num] = s->known++;
        put_rows(s, y, y, num);
    }
}

/* Finds the rows of a block with its halos, from y on; those beyond the image's ends are mostly
   others of them. */
static void find_rows(strip *s, int64_t y, size_t num)
{
    const clspi_line_source *const from = s->p->from;
    const int64_t whole = from->stored[1], low = y < 0 ? 0 : y;
    const int64_t end = y + (int64_t)num, high = end < whole ? end : whole;
    int64_t at[GROUP], of[GROUP];
    size_t missing = 0;

    if (s->known < low) s->known = low;
    know_rows(s, high);
    for (size_t k = 0; k < num; k++, y++) {
        const int64_t same = index_of((int)y, (int)from->stored[1], from->extend[1]);
        const bool is_known = same >= low && same < high;
        s->m->rows[k] = ring_row(s, is_known ? same : y);
        if (is_known) continue;
        at[missing] = y;
        of[missing++] = same;
        if (missing < GROUP) continue;
        put_rows(s, at, of, missing);
        missing = 0;
    }
    if (missing > 0) put_rows(s, at, of, missing);
}

/* Filters what of a strip is within a box, block by block. */
static void filter_strip(strip *s, const clspi_line_box *box, size_t slice)
{
    const clspi_line_work *const p = s->p;
    const uint32_t whole = p->from->stored[1], halo = p->across.halo, first = box->first_y;
    const uint32_t end_y = first + box->num_y, end_x = box->first_x + box->num_x;
    const uint32_t left = box->first_x > s->x ? box->first_x - s->x : 0;
    const size_t right = smaller(s->width, end_x - s->x);

    for (uint32_t y = first / BLOCK * BLOCK; y < end_y; y += BLOCK) {
        const uint32_t skip = first > y ? first - y : 0;
        const size_t num = smaller(BLOCK, whole - y), last = smaller(num, end_y - y);
        column_job c = {.f = &p->across,
                        .rows = s->m->rows,
                        .num = num,
                        .first = skip,
                        .count = last - skip,
                        .state = s->m->state};
        const size_t at =
            slice * p->slice + (y + skip - first) * p->row + (s->x + left - box->first_x);
        find_rows(s, (int64_t)y - halo, num + 2 * (size_t)halo);
        for (size_t k = 0; k < num + 2 * (size_t)halo; k++)
            s->m->rows[k] += left;
        filter_columns(&c, right - left,
                       p->halves ? (void *)((uint16_t *)p->out + at)
                                 : (void *)((real *)p->out + at),
                       p->row, p->halves);
    }
}

/* Filters rows, and then the columns of the filtered rows. */
static void bands(const clspi_line_work *p, const clspi_line_box *box)
{
    line_memory *const m = memory_of(p);
    const uint32_t whole = p->from->stored[2], end = box->first_x + box->num_x;

    m->places_num = 0;
    if (p->across.kind == CLSPI_LINE_COPY) {
        filter_rows(p, m, box);
        return;
    }
    for (uint32_t z = 0; z < box->num_z; z++)
        for (uint32_t x = box->first_x / BLOCK * BLOCK; x < end; x += BLOCK) {
            strip s = {p, m, box->first_z + (int64_t)z, x, smaller(BLOCK, whole - x), 0};
            filter_strip(&s, box, z);
        }
}

/* ---- slices ---- */

/* Copies some columns of the rows to where they can be read beyond their end. */
static void copy_rows(line_memory *m, size_t num, size_t width)
{
    for (size_t k = 0; k < num; k++) {
        real *const to = m->ring + k * RING_PITCH;
        memcpy(to, m->rows[k], width * sizeof *to);
        memset(to + width, 0, LANES * sizeof *to);
        m->rows[k] = to;
    }
}

/* Finds the rows of a block from slice z on with its halos, for `width` columns from `at` on. Of
   those before `lost` what has been overwritten was kept. */
static void find_slices(const clspi_line_work *p, line_memory *m, int64_t z, size_t num, size_t at,
                        int64_t lost)
{
    const clspi_line_source *const from = p->from;
    const size_t slice = (size_t)from->num[1] * from->num[2];

    for (size_t k = 0; k < num; k++) {
        const int64_t same = index_of((int)z + (int)k, (int)from->stored[0], from->extend[0]);
        const bool is_first = same < HALO && lost - same > HALO;
        const real *const kept = is_first
                                     ? m->kept[2] + same * BLOCK
                                     : m->kept[lost / BLOCK % 2] + (same - lost + HALO) * BLOCK;
        const int64_t here = (int64_t)sample_index(from, 0, same);
        m->rows[k] =
            same < lost ? kept : (const real *)(const void *)from->at + (size_t)here * slice + at;
    }
}

/* Keeps the last rows of a block that is about to be overwritten, from slice z on, and the first
   ones of all. */
static void keep_rows(const column_job *c, line_memory *m, uint32_t z, size_t width)
{
    real *const before = m->kept[(z / BLOCK + 1) % 2];

    for (size_t k = 0; k < HALO; k++) {
        const real *const *const rows = c->rows + c->f->halo;
        memcpy(before + k * BLOCK, rows[BLOCK - HALO + k], width * sizeof(real));
        if (z == 0) memcpy(m->kept[2] + k * BLOCK, rows[k], width * sizeof(real));
    }
}

/* Filters up to BLOCK columns across slices. */
static void filter_slices(const clspi_line_work *p, const clspi_slice_range *r, size_t at,
                          size_t width, void *out)
{
    line_memory *const m = memory_of(p);
    const uint32_t whole = p->from->stored[0], halo = p->across.halo, end = r->first + r->num;

    for (uint32_t z = r->first / r->block * r->block; z < end; z += r->block) {
        const uint32_t skip = r->first > z ? r->first - z : 0;
        const size_t num = smaller(r->block, whole - z), last = smaller(num, end - z);
        const column_job c = {.f = &p->across,
                              .rows = m->rows,
                              .num = num,
                              .first = skip,
                              .count = last - skip,
                              .g = gain_of(p->scale),
                              .is_scaled = p->scale != 1.0L,
                              .in_place = r->in_place,
                              .state = m->state};
        const size_t to = (z + skip - r->first) * p->slice;
        find_slices(p, m, (int64_t)z - halo, num + 2 * (size_t)halo, at,
                    r->in_place && z > r->first ? z : 0);
        if (r->in_place && end > z + BLOCK) keep_rows(&c, m, z, width);
        if (width % LANES > 0) copy_rows(m, num + 2 * (size_t)halo, width);
        filter_columns(&c, width,
                       p->halves ? (void *)((uint16_t *)out + to) : (void *)((real *)out + to),
                       p->slice, p->halves);
    }
}

static void slices(const clspi_line_work *p, const clspi_slice_range *r)
{
    for (size_t x = 0; x < r->width; x += BLOCK)
        filter_slices(p, r, r->at + x, smaller(BLOCK, r->width - x),
                      p->halves ? (void *)((uint16_t *)p->out + x) : (void *)((real *)p->out + x));
}

const clspi_line_functions LINE_FUNCTIONS = {read, find_range, bands, slices,
                                             sizeof(line_memory) + 63};
