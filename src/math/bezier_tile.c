#include "bezier_tile.h"

#include <stdlib.h>

#include "bernstein.h"
#include "row_sums.h"

enum {
    LINE = 64,               /* bytes of a line of the cache, and of the longest vector */
    VERTICES_MULTIPLE = 16,  /* strips of so many vertices begin at lines in every precision */
    STRIP_BYTES = 256 << 10, /* of all T_i over one strip: they stay in a core's own cache */
    STRIP_MIN = 128,         /* reals, */
    STRIP_MAX = 8192,        /* of which rows are long enough to be written fast */
    PANEL_BYTES = 32 << 20,  /* of the middle sums of a volume that are kept */
    BLOCK_STRIPS = 8
};

struct clspi_bezier_tile {
    clspi_bezier_tile_desc desc;
    const clspi_row_sums *sums;
    clspi_row_vertex vertex;
    uint32_t coords;
    bool plain;        /* vertices are packed points */
    uint32_t inner;    /* the direction that is summed first, the last one */
    void *tables[3];   /* of the inner direction [orders][steps], of the others [nums][orders] */
    size_t table_step; /* of the inner table: from one value of k to the next */

    size_t row_vertices;   /* num_v * num_w */
    size_t strip_vertices; /* of the last sum, at most; also of the inner one */
    size_t strip_reals;

    /* A panel is what the last sum adds up, T_i(x) for some or all vertices of a row:
       [orders[0]][panel_stride]. A surface has one panel. */
    size_t panel_vertices, panel_stride;
    size_t num_lines, line_stride; /* of a volume: sums over w, [num_lines][line_stride] */
};

struct clspi_bezier_scratch {
    const clspi_bezier_tile *tile;
    bool has_lines, has_panel;
    size_t patch; /* that the sums are of, */
    size_t panel; /* and the number of the panel */
    char *lines, *panel_sums;
    /* four rows of a strip, the spare rows, the coordinates of a strip one after the other */
    char *rows, *spare, *planes;
    void *memory;
};

/* ---- sizes ---- */

static bool multiply(size_t *product, size_t factor)
{
    if (factor > 0 && *product > SIZE_MAX / factor) return false;
    *product *= factor;
    return true;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t number, size_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

/* Reals from row to row: whole lines of the cache, and an odd number of them, since rows that are a
   power of 2 apart would share a few sets of it. 0: too many. */
static size_t row_stride(const clspi_bezier_tile *tile, size_t reals)
{
    const size_t line = LINE / tile->sums->real_bytes;

    if (reals > SIZE_MAX / 16) return 0;
    const size_t lines = (reals + line - 1) / line;
    return (lines | 1) * line;
}

/* Vertices of a strip: what is summed over it, in any direction, fits a core's cache. */
static size_t choose_strip(const clspi_bezier_tile *tile)
{
    const uint32_t *const orders = tile->desc.orders;
    const size_t uv = orders[0] > orders[1] ? orders[0] : orders[1];
    const size_t most = uv > orders[2] ? uv : orders[2];
    size_t reals = STRIP_BYTES / (most * tile->sums->real_bytes);

    if (reals > STRIP_MAX) reals = STRIP_MAX;
    if (reals < STRIP_MIN) reals = STRIP_MIN;
    return reals / tile->coords / VERTICES_MULTIPLE * VERTICES_MULTIPLE;
}

/* A volume's panel is of whole samples of v; a surface's is the row. */
static bool shape_panel(clspi_bezier_tile *tile)
{
    const uint32_t *const nums = tile->desc.nums;
    size_t row = tile->coords, sample = tile->coords;

    if (!multiply(&row, tile->row_vertices) || !multiply(&sample, nums[2])) return false;
    tile->panel_vertices = tile->row_vertices;
    if (tile->desc.directions == 3) {
        size_t one = sample;
        if (!multiply(&one, tile->desc.orders[0]) || !multiply(&one, tile->sums->real_bytes))
            return false;
        const size_t most = PANEL_BYTES / one;
        tile->panel_vertices = min_size(most > 0 ? most : 1, nums[1]) * nums[2];
        tile->line_stride = row_stride(tile, sample);
        tile->num_lines = tile->desc.orders[0];
        if (tile->line_stride == 0 || !multiply(&tile->num_lines, tile->desc.orders[1]))
            return false;
    }
    tile->panel_stride = row_stride(tile, tile->panel_vertices * tile->coords);
    return tile->panel_stride > 0;
}

/* ---- tables ---- */

/* The values of sample a, at t = x / (x + y) (docs/math.md, 3). */
static void sample(const clspi_bezier_tile *tile, uint32_t direction, uint32_t a, double *values)
{
    const clspi_bezier_tile_desc *const d = &tile->desc;
    const double begin = d->intervals[direction][0], end = d->intervals[direction][1];
    const double last = d->nums[direction] > 1 ? d->nums[direction] - 1 : 1, rest = last - a;

    clspi_bernstein(values, d->orders[direction] - 1, begin * rest + end * a,
                    (1.0 - begin) * rest + (1.0 - end) * a);
}

static bool make_table(clspi_bezier_tile *tile, uint32_t direction)
{
    const bool inner = direction == tile->inner;
    const size_t order = tile->desc.orders[direction], num = tile->desc.nums[direction];
    const size_t across = inner ? row_stride(tile, num) : num;
    size_t bytes = tile->sums->real_bytes;

    if (across == 0 || !multiply(&bytes, across) || !multiply(&bytes, order)) return false;
    double *const values = calloc(order, sizeof *values);
    char *to = tile->tables[direction] = malloc(bytes);
    const bool ok = values && to;
    if (inner) tile->table_step = across;
    for (uint32_t a = 0; a < num && ok; a++) {
        sample(tile, direction, a, values);
        tile->sums->round(to, inner ? across : 1, values, order);
        to += (inner ? 1 : order) * tile->sums->real_bytes;
    }
    free(values);
    return ok;
}

static bool make_tables(clspi_bezier_tile *tile)
{
    bool ok = true;

    for (uint32_t k = 0; k < tile->desc.directions && ok; k++)
        ok = make_table(tile, k);
    return ok;
}

/* ---- life ---- */

clspi_bezier_tile *clspi_bezier_tile_create(const clspi_bezier_tile_desc *desc)
{
    clspi_bezier_tile *tile = calloc(1, sizeof *tile);

    if (!tile) return NULL;
    tile->desc = *desc;
    tile->sums = desc->f64 ? &clspi_row_sums_f64 : &clspi_row_sums_f32;
    tile->coords = desc->dim + desc->rational;
    tile->plain = !desc->rational && desc->stride == desc->dim;
    tile->vertex = (clspi_row_vertex){desc->dim, desc->rational, desc->stride, desc->at_point,
                                      desc->at_weight};
    tile->inner = desc->directions - 1;
    tile->strip_vertices = choose_strip(tile);
    tile->strip_reals = tile->strip_vertices * tile->coords;
    tile->row_vertices = desc->nums[1];
    if (!multiply(&tile->row_vertices, desc->nums[2]) || !shape_panel(tile) || !make_tables(tile))
        clspi_bezier_tile_destroy(&tile);
    return tile;
}

void clspi_bezier_tile_destroy(clspi_bezier_tile **tile)
{
    if (!tile || !*tile) return;
    for (uint32_t k = 0; k < 3; k++)
        free((*tile)->tables[k]);
    free(*tile);
    *tile = NULL;
}

/* Bytes of `num` rows of `reals`, in whole lines. */
static bool add_bytes(const clspi_bezier_tile *tile, size_t *sum, size_t num, size_t reals)
{
    size_t bytes = tile->sums->real_bytes;

    if (!multiply(&bytes, num) || !multiply(&bytes, reals) || bytes > SIZE_MAX / 2 - *sum)
        return false;
    *sum = round_up(*sum + bytes, LINE);
    return true;
}

clspi_bezier_scratch *clspi_bezier_scratch_create(const clspi_bezier_tile *tile)
{
    const bool has_panel = tile->desc.directions > 1;
    const size_t strip = tile->strip_reals * tile->sums->real_bytes;
    clspi_bezier_scratch *scratch = calloc(1, sizeof *scratch);
    size_t lines = 0, panel, all;

    if (!scratch || !add_bytes(tile, &lines, tile->num_lines, tile->line_stride)) goto fail;
    panel = lines;
    if (!add_bytes(tile, &panel, has_panel ? tile->desc.orders[0] : 0, tile->panel_stride))
        goto fail;
    all = panel + LINE;
    if (!add_bytes(tile, &all, BLOCK_STRIPS, tile->strip_reals)) goto fail;
    scratch->memory = malloc(all);
    if (!scratch->memory) goto fail;
    scratch->tile = tile;
    scratch->lines = (char *)scratch->memory + LINE - (uintptr_t)scratch->memory % LINE;
    scratch->panel_sums = scratch->lines + lines;
    scratch->rows = scratch->lines + panel;
    scratch->spare = scratch->rows + CLSPI_ROWS_AT_ONCE * strip;
    scratch->planes = scratch->spare + CLSPI_ROWS_SPARE * strip;
    return scratch;

fail:
    clspi_bezier_scratch_destroy(&scratch);
    return NULL;
}

void clspi_bezier_scratch_destroy(clspi_bezier_scratch **scratch)
{
    if (!scratch || !*scratch) return;
    free((*scratch)->memory);
    free(*scratch);
    *scratch = NULL;
}

void clspi_bezier_scratch_forget(clspi_bezier_scratch *scratch)
{
    scratch->has_lines = scratch->has_panel = false;
}

/* ---- sums ---- */

/* The inner sum of one line of control points at samples first .. first + count - 1, packed: each
   coordinate is a row whose weights are the control points. count: at most a strip. */
static void sum_line(const clspi_bezier_scratch *scratch, const char *points, uint32_t first,
                     size_t count, char *out)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const clspi_row_sum sum = {.b = points,
                               .row_step = 1,
                               .term_step = tile->coords,
                               .terms = tile->desc.orders[tile->inner],
                               .t = (const char *)tile->tables[tile->inner] +
                                    first * tile->sums->real_bytes,
                               .t_stride = tile->table_step,
                               .spare = scratch->spare};

    if (tile->coords == 1) {
        tile->sums->sum(&sum, out, count, 1, count);
    } else {
        tile->sums->sum(&sum, scratch->planes, tile->strip_vertices, tile->coords, count);
        tile->sums->interleave(out, scratch->planes, tile->strip_vertices, tile->coords, count);
    }
}

/* `num` lines of control points, the inner sum at all its samples, stride reals apart. */
static void sum_lines(const clspi_bezier_scratch *scratch, const char *points, size_t num,
                      char *out, size_t stride)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes;
    const size_t samples = tile->desc.nums[tile->inner];
    const size_t line_bytes = tile->desc.orders[tile->inner] * tile->coords * real_bytes;

    for (size_t line = 0; line < num; line++) {
        for (size_t a = 0; a < samples; a += tile->strip_vertices)
            sum_line(scratch, points, (uint32_t)a, min_size(tile->strip_vertices, samples - a),
                     out + a * tile->coords * real_bytes);
        points += line_bytes;
        out += stride * real_bytes;
    }
}

/* The sum of `order` T_k, of which the first begins at t, at samples `first` to first + num - 1 of
   a direction that is not the inner one. */
static clspi_row_sum sum_over(const clspi_bezier_scratch *scratch, uint32_t direction,
                              uint32_t first, const char *t, size_t t_stride)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const size_t order = tile->desc.orders[direction];
    const clspi_row_sum sum = {.b = (const char *)tile->tables[direction] +
                                    first * order * tile->sums->real_bytes,
                               .row_step = order,
                               .term_step = 1,
                               .terms = (uint32_t)order,
                               .t = t,
                               .t_stride = t_stride,
                               .spare = scratch->spare};

    return sum;
}

/* The panel of a volume, from its lines. */
static void sum_middle(const clspi_bezier_scratch *scratch, size_t panel)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const uint32_t *const orders = tile->desc.orders;
    const size_t real_bytes = tile->sums->real_bytes;
    const size_t width = tile->desc.nums[2] * tile->coords;
    const size_t num = tile->panel_vertices / tile->desc.nums[2], first = panel * num;

    for (size_t i = 0; i < orders[0]; i++) {
        for (size_t x = 0; x < width; x += tile->strip_reals) {
            const clspi_row_sum sum =
                sum_over(scratch, 1, (uint32_t)first,
                         scratch->lines + (i * orders[1] * tile->line_stride + x) * real_bytes,
                         tile->line_stride);
            tile->sums->sum(&sum, scratch->panel_sums + (i * tile->panel_stride + x) * real_bytes,
                            width, min_size(num, tile->desc.nums[1] - first),
                            min_size(tile->strip_reals, width - x));
        }
    }
}

/* Makes scratch hold a panel of a patch. */
static void make_panel(clspi_bezier_scratch *scratch, const char *points, size_t patch,
                       size_t panel)
{
    const clspi_bezier_tile *const tile = scratch->tile;

    if (scratch->patch != patch) clspi_bezier_scratch_forget(scratch);
    if (scratch->has_panel && scratch->panel == panel) return;
    if (tile->desc.directions == 2) {
        sum_lines(scratch, points, tile->desc.orders[0], scratch->panel_sums, tile->panel_stride);
    } else {
        if (!scratch->has_lines)
            sum_lines(scratch, points, tile->num_lines, scratch->lines, tile->line_stride);
        sum_middle(scratch, panel);
    }
    scratch->has_lines = scratch->has_panel = true;
    scratch->patch = patch;
    scratch->panel = panel;
}

/* Rows of a strip of the panel; out: where its first vertex in the first row is. */
static void sum_strip(const clspi_bezier_scratch *scratch, size_t first_vertex, size_t count,
                      uint32_t first_row, uint32_t num_rows, char *out)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes, width = count * tile->coords;
    const size_t row = tile->row_vertices * tile->desc.stride;
    const char *const t = scratch->panel_sums + first_vertex * tile->coords * real_bytes;

    if (tile->plain) {
        const clspi_row_sum sum = sum_over(scratch, 0, first_row, t, tile->panel_stride);
        tile->sums->sum(&sum, out, row, num_rows, width);
        return;
    }
    for (uint32_t u = 0; u < num_rows; u += CLSPI_ROWS_AT_ONCE) {
        const size_t rows = min_size(CLSPI_ROWS_AT_ONCE, num_rows - u);
        const clspi_row_sum sum = sum_over(scratch, 0, first_row + u, t, tile->panel_stride);
        tile->sums->sum(&sum, scratch->rows, width, rows, width);
        for (size_t r = 0; r < rows; r++)
            tile->sums->vertices(&tile->vertex, out + (u + r) * row * real_bytes,
                                 scratch->rows + r * width * real_bytes, count);
    }
}

static void sum_curve(const clspi_bezier_scratch *scratch, const char *points, uint32_t first,
                      size_t num, char *out)
{
    const clspi_bezier_tile *const tile = scratch->tile;
    const size_t vertex = tile->desc.stride * tile->sums->real_bytes;

    for (size_t a = 0; a < num; a += tile->strip_vertices) {
        const size_t count = min_size(tile->strip_vertices, num - a);
        sum_line(scratch, points, first + (uint32_t)a, count,
                 tile->plain ? out + a * vertex : scratch->rows);
        if (!tile->plain)
            tile->sums->vertices(&tile->vertex, out + a * vertex, scratch->rows, count);
    }
}

void clspi_bezier_tile_rows(const clspi_bezier_tile *tile, clspi_bezier_scratch *scratch,
                            const void *points, size_t patch, uint32_t first_row, uint32_t num_rows,
                            void *out)
{
    const size_t vertex = tile->desc.stride * tile->sums->real_bytes;

    if (tile->desc.directions == 1) {
        sum_curve(scratch, points, first_row, num_rows, out);
        return;
    }
    for (size_t begin = 0; begin < tile->row_vertices; begin += tile->panel_vertices) {
        const size_t in_panel = min_size(tile->panel_vertices, tile->row_vertices - begin);
        make_panel(scratch, points, patch, begin / tile->panel_vertices);
        for (size_t x = 0; x < in_panel; x += tile->strip_vertices)
            sum_strip(scratch, x, min_size(tile->strip_vertices, in_panel - x), first_row, num_rows,
                      (char *)out + (begin + x) * vertex);
    }
}
