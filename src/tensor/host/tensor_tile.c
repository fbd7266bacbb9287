#include "tensor_tile.h"

#include <stdlib.h>

#include "bernstein.h"

enum {
    LINE = 64,              /* bytes of a line of the cache, and of the longest vector */
    VERTICES_MULTIPLE = 16, /* strips of so many vertices begin at lines in every precision */
    STRIP_BYTES =
        256 << 10,    /* of all T_i of a sum over one strip: they stay in a core's own cache */
    STRIP_MIN = 128,  /* reals, */
    STRIP_MAX = 8192, /* of which rows are long enough to be written fast */
    PANEL_BYTES = 32 << 20, /* of the middle sums of a volume that are kept */
    BLOCK_STRIPS = 8
};

/* Basis values of a direction: of the inner one [terms][step], of the others [nums][terms]. */
typedef struct basis {
    void *values;
    size_t step;
    uint32_t *first; /* [nums]: the first control point of a sample; NULL: always 0 */
} basis;

struct clspi_tile {
    clspi_tile_desc desc;
    const clspi_row_sums *sums;
    uint32_t coords;
    bool plain;     /* vertices are packed points of the precision */
    uint32_t inner; /* the direction that is summed first, the last one */
    basis bases[3];

    size_t row_vertices;   /* samples of v times those of w */
    size_t strip_vertices; /* of the last sum, at most; also of the inner one */
    size_t strip_reals;

    /* A volume's panel is what the last sum adds up, T_i(x) for some or all vertices of a row:
       [controls[0]][panel_stride], and its lines are sums over w, [num_lines][line_stride]. */
    size_t panel_vertices, panel_stride;
    size_t num_lines, line_stride;
};

struct clspi_tile_scratch {
    const clspi_tile *tile;
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

/* Returns the reals from row to row: whole lines of the cache, and an odd number of them, since
   rows that are a power of 2 apart would share a few sets of it. 0: too many. */
static size_t row_stride(const clspi_tile *tile, size_t reals)
{
    const size_t line = LINE / tile->sums->real_bytes;

    if (reals > SIZE_MAX / 16) return 0;
    const size_t lines = (reals + line - 1) / line;
    return (lines | 1) * line;
}

/* Returns the vertices of a strip: what is summed over it, in any direction, fits a core's cache.
 */
static size_t choose_strip(const clspi_tile *tile)
{
    const uint32_t *const terms = tile->desc.terms;
    const size_t uv = terms[0] > terms[1] ? terms[0] : terms[1];
    const size_t most = uv > terms[2] ? uv : terms[2];
    size_t reals = STRIP_BYTES / tile->sums->real_bytes / most;

    if (reals > STRIP_MAX) reals = STRIP_MAX;
    if (reals < STRIP_MIN) reals = STRIP_MIN;
    return reals / tile->coords / VERTICES_MULTIPLE * VERTICES_MULTIPLE;
}

/* Shapes a volume's panel, of whole samples of v, and its lines. */
static bool shape_volume(clspi_tile *tile, size_t sample)
{
    const clspi_tile_desc *const d = &tile->desc;
    size_t one = sample;

    if (!multiply(&one, d->controls[0]) || !multiply(&one, tile->sums->real_bytes)) return false;
    const size_t most = PANEL_BYTES / one;
    tile->panel_vertices = min_size(most > 0 ? most : 1, d->nums[1]) * d->nums[2];
    tile->line_stride = row_stride(tile, sample);
    tile->num_lines = d->controls[0];
    return tile->line_stride > 0 && multiply(&tile->num_lines, d->controls[1]);
}

/* Shapes the panel of a volume; a curve's row is one vertex. */
static bool shape_panel(clspi_tile *tile)
{
    size_t row = tile->coords, sample = tile->coords;

    tile->row_vertices = tile->desc.nums[1];
    if (!multiply(&tile->row_vertices, tile->desc.nums[2]) || !multiply(&row, tile->row_vertices) ||
        !multiply(&sample, tile->desc.nums[2]))
        return false;
    if (tile->desc.directions < 3) return true;
    if (!shape_volume(tile, sample)) return false;
    tile->panel_stride = row_stride(tile, tile->panel_vertices * tile->coords);
    return tile->panel_stride > 0;
}

/* ---- tables ---- */

static void fill_basis(clspi_tile *tile, uint32_t direction, double *values)
{
    const clspi_tile_desc *const d = &tile->desc;
    const basis *const b = &tile->bases[direction];
    const bool inner = direction == tile->inner;
    const size_t terms = d->terms[direction];
    char *to = b->values;

    for (uint32_t a = 0; a < d->nums[direction]; a++) {
        const uint32_t first = d->values(d->user, direction, d->by[direction], a, values);
        if (!d->f64 && !d->rational) clspi_cut_f32(values, d->terms[direction]);
        if (!d->f64) clspi_round_f32(values, d->terms[direction]);
        tile->sums->round(to, inner ? b->step : 1, values, terms);
        if (b->first) b->first[a] = first;
        to += (inner ? 1 : terms) * tile->sums->real_bytes;
    }
}

static bool make_basis(clspi_tile *tile, uint32_t direction)
{
    const clspi_tile_desc *const d = &tile->desc;
    basis *const b = &tile->bases[direction];
    const size_t terms = d->terms[direction], num = d->nums[direction];
    const bool banded = terms < d->controls[direction];
    size_t bytes = tile->sums->real_bytes;

    b->step = direction == tile->inner ? row_stride(tile, num) : num;
    if (b->step == 0 || !multiply(&bytes, b->step) || !multiply(&bytes, terms)) return false;
    double *const values = calloc(terms, sizeof *values);
    b->values = malloc(bytes);
    if (banded) b->first = calloc(num, sizeof *b->first);
    const bool made = values && b->values && (b->first || !banded);
    if (made) fill_basis(tile, direction, values);
    free(values);
    return made;
}

/* ---- life ---- */

static bool prepare(clspi_tile *tile)
{
    const clspi_tile_desc *const d = &tile->desc;
    const clspi_row_type type = d->f64 ? CLSPI_ROW_F64 : CLSPI_ROW_F32;
    bool made = true;

    tile->sums = d->f64 ? &clspi_row_sums_f64 : &clspi_row_sums_f32;
    tile->coords = d->vertex.dim + d->vertex.rational;
    tile->plain =
        !d->vertex.rational && d->vertex.stride == d->vertex.dim && d->vertex.type == type;
    tile->inner = d->directions - 1;
    tile->strip_vertices = choose_strip(tile);
    tile->strip_reals = tile->strip_vertices * tile->coords;
    if (!shape_panel(tile)) return false;
    for (uint32_t k = 0; k < d->directions && made; k++)
        made = make_basis(tile, k);
    return made;
}

clspi_tile *clspi_tile_create(const clspi_tile_desc *desc)
{
    clspi_tile *tile = calloc(1, sizeof *tile);

    if (!tile) return NULL;
    tile->desc = *desc;
    if (!prepare(tile)) clspi_tile_destroy(&tile);
    return tile;
}

void clspi_tile_destroy(clspi_tile **tile)
{
    if (!tile || !*tile) return;
    for (uint32_t k = 0; k < 3; k++) {
        free((*tile)->bases[k].values);
        free((*tile)->bases[k].first);
    }
    free(*tile);
    *tile = NULL;
}

/* Adds the bytes of `num` rows of `reals`, in whole lines. */
static bool add_bytes(const clspi_tile *tile, size_t *sum, size_t num, size_t reals)
{
    size_t bytes = tile->sums->real_bytes;

    if (!multiply(&bytes, num) || !multiply(&bytes, reals) || bytes > SIZE_MAX / 2 - *sum)
        return false;
    *sum = round_up(*sum + bytes, LINE);
    return true;
}

/* Allocates all that a scratch keeps. */
static bool allocate(clspi_tile_scratch *scratch)
{
    const clspi_tile *const tile = scratch->tile;
    const bool has_panel = tile->desc.directions == 3;
    const size_t strip = tile->strip_reals * tile->sums->real_bytes;
    size_t lines = 0, panel, all;

    if (!add_bytes(tile, &lines, tile->num_lines, tile->line_stride)) return false;
    panel = lines;
    if (!add_bytes(tile, &panel, has_panel ? tile->desc.controls[0] : 0, tile->panel_stride))
        return false;
    all = panel + LINE;
    if (!add_bytes(tile, &all, BLOCK_STRIPS, tile->strip_reals)) return false;
    scratch->memory = calloc(1, all); /* what lies between planes is summed with them */
    if (!scratch->memory) return false;
    scratch->lines = (char *)scratch->memory + LINE - (uintptr_t)scratch->memory % LINE;
    scratch->panel_sums = scratch->lines + lines;
    scratch->rows = scratch->lines + panel;
    scratch->spare = scratch->rows + CLSPI_ROWS_AT_ONCE * strip;
    scratch->planes = scratch->spare + CLSPI_ROWS_SPARE * strip;
    return true;
}

clspi_tile_scratch *clspi_tile_scratch_create(const clspi_tile *tile)
{
    clspi_tile_scratch *scratch = calloc(1, sizeof *scratch);

    if (!scratch) return NULL;
    scratch->tile = tile;
    if (!allocate(scratch)) clspi_tile_scratch_destroy(&scratch);
    return scratch;
}

void clspi_tile_scratch_destroy(clspi_tile_scratch **scratch)
{
    if (!scratch || !*scratch) return;
    free((*scratch)->memory);
    free(*scratch);
    *scratch = NULL;
}

void clspi_tile_scratch_forget(clspi_tile_scratch *scratch)
{
    scratch->has_lines = scratch->has_panel = false;
}

/* ---- runs of samples ---- */

/* Returns how many of `count` samples from a on have the same control points in their sums. */
static size_t run_of(const clspi_tile *tile, uint32_t direction, size_t a, size_t count)
{
    const uint32_t *const first = tile->bases[direction].first;
    size_t run = 1;

    if (!first) return count;
    while (run < count && first[a + run] == first[a])
        run++;
    return run;
}

static size_t first_of(const clspi_tile *tile, uint32_t direction, size_t a)
{
    const uint32_t *const first = tile->bases[direction].first;

    return first ? first[a] : 0;
}

/* ---- the inner sum ---- */

/* Sums a line of control points at samples a .. a + count - 1 of one run, packed: each coordinate
   is a row whose factors are the control points. count: at most a strip. */
static void sum_run(const clspi_tile_scratch *scratch, const char *points, size_t a, size_t count,
                    char *out)
{
    const clspi_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes;
    const size_t first = first_of(tile, tile->inner, a);
    const clspi_row_sum sum = {.b = points + first * tile->coords * real_bytes,
                               .row_step = 1,
                               .term_step = tile->coords,
                               .terms = tile->desc.terms[tile->inner],
                               .t = (const char *)tile->bases[tile->inner].values + a * real_bytes,
                               .t_stride = tile->bases[tile->inner].step,
                               .spare = scratch->spare};

    tile->sums->sum(&sum, scratch->planes, tile->strip_vertices, tile->coords, count);
    tile->sums->interleave(out, scratch->planes, tile->strip_vertices, tile->coords, count);
}

/* Sums a line of control points at samples a .. a + count - 1; count: at most a strip. */
static void sum_line(const clspi_tile_scratch *scratch, const char *points, size_t a, size_t count,
                     char *out)
{
    const clspi_tile *const tile = scratch->tile;
    const size_t point_bytes = tile->coords * tile->sums->real_bytes;

    for (size_t begin = 0; begin < count;) {
        const size_t run = run_of(tile, tile->inner, a + begin, count - begin);
        sum_run(scratch, points, a + begin, run, out + begin * point_bytes);
        begin += run;
    }
}

/* Sums `num` lines of control points at all samples, stride reals apart. */
static void sum_lines(const clspi_tile_scratch *scratch, const char *points, size_t num, char *out,
                      size_t stride)
{
    const clspi_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes;
    const size_t samples = tile->desc.nums[tile->inner];
    const size_t line_bytes = tile->desc.controls[tile->inner] * tile->coords * real_bytes;

    for (size_t line = 0; line < num; line++) {
        for (size_t a = 0; a < samples; a += tile->strip_vertices)
            sum_line(scratch, points, a, min_size(tile->strip_vertices, samples - a),
                     out + a * tile->coords * real_bytes);
        points += line_bytes;
        out += stride * real_bytes;
    }
}

/* ---- the other sums ---- */

/* Where T_k of a sum stand and where its rows go. */
typedef struct axis_rows {
    const char *t;
    size_t t_stride; /* reals from one to the next */
    char *out;
    size_t stride; /* reals from row to row */
    size_t width;
} axis_rows;

/* Sums at samples a .. a + count - 1 of a direction that is not the inner one. */
static void sum_axis(const clspi_tile_scratch *scratch, uint32_t direction, size_t a, size_t count,
                     const axis_rows *rows)
{
    const clspi_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes, terms = tile->desc.terms[direction];

    for (size_t begin = 0; begin < count;) {
        const size_t run = run_of(tile, direction, a + begin, count - begin);
        const size_t first = first_of(tile, direction, a + begin);
        const clspi_row_sum sum = {.b = (const char *)tile->bases[direction].values +
                                        (a + begin) * terms * real_bytes,
                                   .row_step = terms,
                                   .term_step = 1,
                                   .terms = (uint32_t)terms,
                                   .t = rows->t + first * rows->t_stride * real_bytes,
                                   .t_stride = rows->t_stride,
                                   .spare = scratch->spare};
        tile->sums->sum(&sum, rows->out + begin * rows->stride * real_bytes, rows->stride, run,
                        rows->width);
        begin += run;
    }
}

/* Makes the panel of a volume from its lines. */
static void sum_middle(const clspi_tile_scratch *scratch, size_t panel)
{
    const clspi_tile *const tile = scratch->tile;
    const clspi_tile_desc *const d = &tile->desc;
    const size_t real_bytes = tile->sums->real_bytes, width = d->nums[2] * tile->coords;
    const size_t num = tile->panel_vertices / d->nums[2], first = panel * num;

    for (size_t i = 0; i < d->controls[0]; i++) {
        for (size_t x = 0; x < width; x += tile->strip_reals) {
            const axis_rows rows = {
                .t = scratch->lines + (i * d->controls[1] * tile->line_stride + x) * real_bytes,
                .t_stride = tile->line_stride,
                .out = scratch->panel_sums + (i * tile->panel_stride + x) * real_bytes,
                .stride = width,
                .width = min_size(tile->strip_reals, width - x)};
            sum_axis(scratch, 1, first, min_size(num, d->nums[1] - first), &rows);
        }
    }
}

/* Makes scratch hold a panel of a patch. */
static void make_panel(clspi_tile_scratch *scratch, const char *points, size_t patch, size_t panel)
{
    const clspi_tile *const tile = scratch->tile;

    if (scratch->patch != patch) clspi_tile_scratch_forget(scratch);
    if (scratch->has_panel && scratch->panel == panel) return;
    if (!scratch->has_lines)
        sum_lines(scratch, points, tile->num_lines, scratch->lines, tile->line_stride);
    sum_middle(scratch, panel);
    scratch->has_lines = scratch->has_panel = true;
    scratch->patch = patch;
    scratch->panel = panel;
}

/* ---- vertices ---- */

static size_t vertex_bytes(const clspi_tile *tile)
{
    static const size_t bytes[] = {
        [CLSPI_ROW_F16] = 2, [CLSPI_ROW_F32] = sizeof(float), [CLSPI_ROW_F64] = sizeof(double)};

    return tile->desc.vertex.stride * bytes[tile->desc.vertex.type];
}

/* Makes rows of a strip of the panel; out: where its first vertex in the first row is. */
static void make_strip(const clspi_tile_scratch *scratch, size_t first_vertex, size_t count,
                       const clspi_tile_rows *rows, char *out)
{
    const clspi_tile *const tile = scratch->tile;
    const size_t real_bytes = tile->sums->real_bytes, width = count * tile->coords;
    const size_t row_bytes = tile->row_vertices * vertex_bytes(tile);
    axis_rows sums = {.t = scratch->panel_sums + first_vertex * tile->coords * real_bytes,
                      .t_stride = tile->panel_stride,
                      .out = out,
                      .stride = row_bytes / real_bytes,
                      .width = width};

    if (tile->plain) {
        sum_axis(scratch, 0, rows->first_row, rows->num_rows, &sums);
        return;
    }
    sums.out = scratch->rows;
    sums.stride = width;
    for (uint32_t u = 0; u < rows->num_rows; u += CLSPI_ROWS_AT_ONCE) {
        const size_t num = min_size(CLSPI_ROWS_AT_ONCE, rows->num_rows - u);
        sum_axis(scratch, 0, (size_t)rows->first_row + u, num, &sums);
        for (size_t r = 0; r < num; r++)
            tile->sums->vertices(&tile->desc.vertex, out + (u + r) * row_bytes,
                                 scratch->rows + r * width * real_bytes, count);
    }
}

static void eval_curve(const clspi_tile_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_tile *const tile = scratch->tile;

    for (size_t a = 0; a < rows->num_rows; a += tile->strip_vertices) {
        const size_t count = min_size(tile->strip_vertices, rows->num_rows - a);
        char *const out = (char *)rows->out + a * vertex_bytes(tile);
        sum_line(scratch, rows->points, rows->first_row + a, count,
                 tile->plain ? out : scratch->rows);
        if (!tile->plain) tile->sums->vertices(&tile->desc.vertex, out, scratch->rows, count);
    }
}

void clspi_tile_eval(const clspi_tile *tile, clspi_tile_scratch *scratch,
                     const clspi_tile_rows *rows)
{
    if (tile->desc.directions == 1) {
        eval_curve(scratch, rows);
        return;
    }
    for (size_t begin = 0; begin < tile->row_vertices; begin += tile->panel_vertices) {
        const size_t in_panel = min_size(tile->panel_vertices, tile->row_vertices - begin);
        make_panel(scratch, rows->points, rows->patch, begin / tile->panel_vertices);
        for (size_t x = 0; x < in_panel; x += tile->strip_vertices)
            make_strip(scratch, x, min_size(tile->strip_vertices, in_panel - x), rows,
                       (char *)rows->out + (begin + x) * vertex_bytes(tile));
    }
}
