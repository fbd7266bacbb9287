#include "vertex_tile.h"

#include <stdlib.h>
#include <string.h>

#include "derivative_points.h"
#include "float_state.h"
#include "strips.h"

enum {
    LINE = 64,              /* bytes of a line of the cache, and of the longest vector */
    BATCH_BYTES = 96 << 10, /* of all sums that are made before vertices are put together */
    BATCH_ROWS = 1 << 9,    /* of a batch, at most */
    LONG_ROW = 1 << 14      /* vertices of a row, from which sums are made of one row at a time */
};

struct clspi_vertex_tile {
    clspi_vertex_tile_desc desc;
    const clspi_vertex_functions *sums;
    clspi_strips *strips;                /* of surfaces, which have no more but the sizes */
    clspi_tile *tile[CLSPI_VERTEX_SUMS]; /* of each sum; the first of points where there is none */
    size_t coords, row_vertices, element;
    size_t num_points; /* control points of the patch */
    uint32_t rows;     /* of a batch */
    bool is_centred;   /* control points of all sums are relative to a centre of the patch */
};

struct clspi_vertex_scratch {
    const clspi_vertex_tile *tile;
    clspi_strips_scratch *strips;
    clspi_tile_scratch *of[CLSPI_VERTEX_SUMS];
    bool has_points;
    size_t patch;                    /* that the control points of derivatives are of */
    void *points[CLSPI_VERTEX_SUMS]; /* of each sum; NULL: the patch's own */
    void *sum[CLSPI_VERTEX_SUMS];    /* [rows][row_vertices][coords] */
    void *param[3];                  /* [rows][row_vertices] */
    double largest[2];               /* of a curve's tangents, as of clspi_vertex_source */
    double centre[4];                /* of the patch; coordinates that there are not are 0 */
};

/* ---- tables ---- */

static uint32_t num_tiles(const clspi_vertex_tile *tile)
{
    return tile->strips ? 0 : tile->desc.only_points ? 1 : tile->desc.num_sums;
}

/* Describes one sum: packed points of all coordinates. */
static clspi_tile_desc sum_desc(const clspi_vertex_tile *tile, uint32_t k)
{
    clspi_tile_desc desc = tile->desc.points;

    for (int d = 0; d < 3; d++) {
        desc.by[d] = tile->desc.by[k][d];
        desc.controls[d] -= desc.by[d];
        desc.terms[d] -= desc.by[d];
    }
    desc.vertex = (clspi_row_vertex){.dim = (uint32_t)tile->coords,
                                     .type = desc.f64 ? CLSPI_ROW_F64 : CLSPI_ROW_F32,
                                     .stride = tile->coords,
                                     .at_weight = -1};
    return desc;
}

/* Tells whether vertices have derivatives of a rational patch. */
static bool needs_centre(const clspi_vertex_tile_desc *desc)
{
    bool needed = false;

    for (int k = 0; k < CLSPI_PARTS; k++)
        if (k != CLSPI_PART_POINT && k != CLSPI_PART_WEIGHT && k != CLSPI_PART_PARAMS)
            needed = needed || desc->shape.at[k] >= 0;
    return needed && desc->shape.rational && !desc->only_points;
}

/* Chooses the rows of a batch, whole groups of those that are summed at once. */
static void set_batch(clspi_vertex_tile *tile)
{
    const size_t sums = tile->desc.num_sums > 0 ? tile->desc.num_sums : 1;
    const size_t vertices = BATCH_BYTES / (sums * tile->coords * tile->sums->real_bytes);
    size_t rows = vertices / tile->row_vertices;

    if (rows > BATCH_ROWS) rows = BATCH_ROWS;
    if (rows < CLSPI_ROWS_AT_ONCE) rows = CLSPI_ROWS_AT_ONCE;
    tile->rows = (uint32_t)(rows - rows % CLSPI_ROWS_AT_ONCE);
    if (tile->row_vertices >= LONG_ROW) tile->rows = 1;
}

static void set_sizes(clspi_vertex_tile *tile)
{
    const clspi_tile_desc *const d = &tile->desc.points;
    const clspi_row_type type = tile->desc.shape.type;

    tile->sums = d->f64 ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;
    tile->coords = tile->desc.shape.dim + tile->desc.shape.rational;
    tile->row_vertices = (size_t)d->nums[1] * d->nums[2];
    tile->element = type == CLSPI_ROW_F16   ? sizeof(uint16_t)
                    : type == CLSPI_ROW_F32 ? sizeof(float)
                                            : sizeof(double);
    tile->num_points = (size_t)d->controls[0] * d->controls[1] * d->controls[2];
    tile->is_centred = needs_centre(&tile->desc);
    set_batch(tile);
}

clspi_vertex_tile *clspi_vertex_tile_create(const clspi_vertex_tile_desc *desc)
{
    clspi_vertex_tile *tile = calloc(1, sizeof *tile);
    bool made = true;

    if (!tile) return NULL;
    tile->desc = *desc;
    set_sizes(tile);
    if (desc->points.directions == 2) {
        tile->strips = clspi_strips_create(desc);
        made = tile->strips != NULL;
    }
    for (uint32_t k = 0; k < num_tiles(tile) && made; k++) {
        const clspi_tile_desc one = desc->only_points ? desc->points : sum_desc(tile, k);
        tile->tile[k] = clspi_tile_create(&one);
        made = tile->tile[k] != NULL;
    }
    if (!made) clspi_vertex_tile_destroy(&tile);
    return tile;
}

void clspi_vertex_tile_destroy(clspi_vertex_tile **tile)
{
    if (!tile || !*tile) return;
    for (uint32_t k = 0; k < CLSPI_VERTEX_SUMS; k++)
        clspi_tile_destroy(&(*tile)->tile[k]);
    clspi_strips_destroy(&(*tile)->strips);
    free(*tile);
    *tile = NULL;
}

/* ---- scratch ---- */

/* Tells whether a sum has control points of its own, and not the patch's. */
static bool has_own_points(const clspi_vertex_tile *tile, uint32_t k)
{
    return tile->is_centred || tile->desc.by[k][0] + tile->desc.by[k][1] + tile->desc.by[k][2] > 0;
}

/* Allocates num reals for each sample of a batch's rows, from a line of the cache on. */
static void *batch_of(const clspi_vertex_tile *tile, size_t num)
{
    const size_t bytes = tile->sums->real_bytes * tile->rows * num;

    if (tile->row_vertices > SIZE_MAX / 4 / bytes) return NULL;
    return aligned_alloc(LINE, (tile->row_vertices * bytes + LINE - 1) / LINE * LINE);
}

/* Tells whether vertices are made of batches of sums. */
static bool has_batches(const clspi_vertex_tile *tile)
{
    return !tile->desc.only_points && !tile->strips;
}

/* Tells whether vertices have what needs to know a curve's tangents from rounding. */
static bool has_bends(const clspi_vertex_tile *tile)
{
    return has_batches(tile) && tile->desc.shape.at[CLSPI_PART_CURVATURE] >= 0;
}

/* Makes the parameter of one sample. */
static void make_param(const clspi_vertex_tile *tile, uint32_t direction, uint32_t a, void *to)
{
    const clspi_vertex_tile_desc *const d = &tile->desc;
    const double *const own = d->params[direction];

    if (own)
        tile->sums->params(to, own[a], own[a], 1, 0, 1);
    else
        tile->sums->params(to, d->axis[direction][0], d->axis[direction][1],
                           d->points.nums[direction], a, 1);
}

static bool allocate_batches(clspi_vertex_scratch *scratch)
{
    const clspi_vertex_tile *const tile = scratch->tile;

    for (uint32_t k = 0; k < tile->desc.num_sums; k++) {
        scratch->sum[k] = batch_of(tile, tile->coords);
        if (has_own_points(tile, k)) /* of the patch at first */
            scratch->points[k] = malloc(tile->num_points * tile->coords * tile->sums->real_bytes);
        if (!scratch->sum[k] || (has_own_points(tile, k) && !scratch->points[k])) return false;
    }
    for (uint32_t d = 0;
         d < tile->desc.points.directions && tile->desc.shape.at[CLSPI_PART_PARAMS] >= 0; d++) {
        scratch->param[d] = batch_of(tile, 1);
        if (!scratch->param[d]) return false;
    }
    return true;
}

static bool allocate(clspi_vertex_scratch *scratch)
{
    const clspi_vertex_tile *const tile = scratch->tile;

    if (tile->strips) {
        scratch->strips = clspi_strips_scratch_create(tile->strips);
        return scratch->strips != NULL;
    }
    for (uint32_t k = 0; k < num_tiles(tile); k++) {
        scratch->of[k] = clspi_tile_scratch_create(tile->tile[k]);
        if (!scratch->of[k]) return false;
    }
    return !has_batches(tile) || allocate_batches(scratch);
}

clspi_vertex_scratch *clspi_vertex_scratch_create(const clspi_vertex_tile *tile)
{
    clspi_vertex_scratch *scratch = calloc(1, sizeof *scratch);

    if (!scratch) return NULL;
    scratch->tile = tile;
    if (!allocate(scratch)) clspi_vertex_scratch_destroy(&scratch);
    return scratch;
}

void clspi_vertex_scratch_destroy(clspi_vertex_scratch **scratch)
{
    clspi_vertex_scratch *const s = scratch ? *scratch : NULL;

    if (!s) return;
    for (uint32_t k = 0; k < CLSPI_VERTEX_SUMS; k++) {
        clspi_tile_scratch_destroy(&s->of[k]);
        free(s->points[k]);
        free(s->sum[k]);
    }
    for (int d = 0; d < 3; d++)
        free(s->param[d]);
    clspi_strips_scratch_destroy(&s->strips);
    free(s);
    *scratch = NULL;
}

void clspi_vertex_scratch_forget(clspi_vertex_scratch *scratch)
{
    scratch->has_points = false;
    if (scratch->strips) clspi_strips_scratch_forget(scratch->strips);
    for (uint32_t k = 0; k < num_tiles(scratch->tile); k++)
        clspi_tile_scratch_forget(scratch->of[k]);
}

/* ---- control points of derivatives ---- */

/* Finds the largest coordinates and the largest weight of a curve's first derivative, whose control
   points are its partial sums. */
static void find_largest(clspi_vertex_scratch *scratch)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const uint32_t dim = tile->desc.shape.dim, rational = tile->desc.shape.rational;
    const char *points = NULL; /* where that derivative is 0 */
    size_t num = 0;

    for (uint32_t n = 0; n < tile->desc.num_sums; n++)
        if (tile->desc.numbers[n] == 1) {
            points = scratch->points[n];
            num = tile->desc.points.controls[0] - tile->desc.by[n][0];
        }
    tile->sums->largest(&scratch->largest[0], points, dim, num, tile->coords);
    if (num > 0) points += dim * tile->sums->real_bytes;
    tile->sums->largest(&scratch->largest[1], points, rational, num, tile->coords);
}

/* Makes scratch hold the control points of a patch's derivatives. */
static void make_points(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const size_t bytes = tile->num_points * tile->coords * tile->sums->real_bytes;

    if (scratch->has_points && scratch->patch == rows->patch) return;
    for (uint32_t k = 0; k < tile->desc.num_sums; k++) {
        void *const points = scratch->points[k];
        clspi_tile_scratch_forget(scratch->of[k]);
        if (!points) continue;
        memcpy(points, rows->points, bytes);
        if (tile->is_centred)
            tile->sums->centre(points, tile->num_points, tile->desc.shape.dim, scratch->centre);
        clspi_derivative_points(&tile->desc, tile->sums, points, tile->desc.by[k], points);
    }
    if (has_bends(tile)) find_largest(scratch);
    scratch->has_points = true;
    scratch->patch = rows->patch;
}

/* ---- edges ---- */

/* Makes the side at the begin (far 0) or the end of a direction of the grid, where it is an edge.
 */
static void make_side(const clspi_vertex_tile *tile, const clspi_tile_rows *rows,
                      const clspi_vertex_shape *shape, uint32_t across, uint32_t far)
{
    const clspi_vertex_tile_desc *const d = &tile->desc;
    const uint32_t *const controls = d->points.controls, *const nums = d->points.nums;
    const double parameter = d->axis[across][far];
    const uint32_t at = far ? nums[across] - 1 : 0, along = 1 - across;
    const ptrdiff_t stride = (ptrdiff_t)d->shape.stride;
    const ptrdiff_t steps[2] = {(ptrdiff_t)(controls[1] * tile->coords), (ptrdiff_t)tile->coords};
    const bool ends = parameter == 1.0;
    const size_t first = across == 0 ? (size_t)(at - rows->first_row) * nums[1] : at;

    if ((parameter != 0.0 && !ends) || (far && nums[across] == 1)) return;
    if (across == 0 && (at < rows->first_row || at - rows->first_row >= rows->num_rows)) return;
    const clspi_edge edge = {
        .corner = (const char *)rows->points +
                  (ends ? (size_t)(controls[across] - 1) * (size_t)steps[across] : 0) *
                      tile->sums->real_bytes,
        .degree = controls[along] - 1,
        .depth = controls[across],
        .step_t = steps[along],
        .step_n = ends ? -steps[across] : steps[across],
        .right_handed = (across == 0) == !ends,
        .watertight = d->watertight,
        .begin = d->axis[along][0],
        .end = d->axis[along][1],
        .params = d->params[along],
        .num = nums[along],
        .first = across == 0 ? 0 : rows->first_row,
        .count = across == 0 ? nums[1] : rows->num_rows,
        .out = (char *)rows->out + first * d->shape.stride * tile->element,
        .to_next = across == 0 ? stride : stride * (ptrdiff_t)nums[1]};
    tile->sums->edge(shape, &edge);
}

/* Makes all sides, of the vertices of a shape. */
static void make_edges(const clspi_vertex_tile *tile, const clspi_tile_rows *rows,
                       const clspi_vertex_shape *shape)
{
    if (!tile->desc.edges) return;
    for (uint32_t across = 2; across-- > 0;) /* corners belong to the sides along v: last */
        for (uint32_t far = 0; far < 2; far++)
            make_side(tile, rows, shape, across, far);
}

/* Lets sums of floats flush small numbers; weights may make up for them. */
static clspi_float_state flush(const clspi_vertex_tile *tile)
{
    return clspi_float_flush(!tile->desc.points.f64 && !tile->desc.points.rational);
}

void clspi_vertex_tile_edges(const clspi_vertex_tile *tile, const clspi_tile_rows *rows)
{
    const clspi_float_state before = flush(tile);
    clspi_vertex_shape points = tile->desc.shape;

    points.at[CLSPI_PART_NORMAL] = -1;
    make_edges(tile, rows, &points);
    clspi_float_state_set(before);
}

/* ---- rows ---- */

/* Fills `all` bytes with copies of the first ones. */
static void repeat(char *to, size_t bytes, size_t all)
{
    for (size_t done = bytes; done < all;) {
        const size_t more = done < all - done ? done : all - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

/* Makes the parameters of one direction of a batch: each value stands `inner` times, and where all
   samples have had their turn, they begin again. */
static void make_params(clspi_vertex_scratch *scratch, uint32_t direction, uint32_t first,
                        size_t inner, size_t count)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const size_t bytes = tile->sums->real_bytes;
    const uint32_t num = tile->desc.points.nums[direction];
    const size_t period = inner * num, made = period < count ? period : count;
    char *const to = scratch->param[direction];

    for (size_t i = 0; i < made; i += inner) {
        make_param(tile, direction, first + (uint32_t)(i / inner), to + i * bytes);
        repeat(to + i * bytes, bytes, inner * bytes);
    }
    repeat(to, made * bytes, count * bytes);
}

/* Makes the parameters of a batch. */
static void add_params(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows,
                       clspi_vertex_source *source)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const uint32_t *const nums = tile->desc.points.nums;
    const size_t inner[3] = {tile->row_vertices, nums[2], 1};

    for (uint32_t d = 0; d < 3 && scratch->param[d]; d++) {
        make_params(scratch, d, d == 0 ? rows->first_row : 0, inner[d],
                    rows->num_rows * tile->row_vertices);
        source->param[d] = scratch->param[d];
    }
}

/* Makes at most tile->rows rows, which are as one, since their vertices are adjacent. */
static void make_batch(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const size_t all = tile->row_vertices * rows->num_rows;
    clspi_vertex_source source = {.count = all,
                                  .centre = tile->is_centred ? scratch->centre : NULL};

    add_params(scratch, rows, &source);
    for (int k = 0; k < 2 && has_bends(tile); k++)
        source.largest[0][k] = &scratch->largest[k];
    for (uint32_t k = 0; k < tile->desc.num_sums; k++) {
        clspi_tile_rows sum = *rows;
        if (scratch->points[k]) sum.points = scratch->points[k];
        sum.out = scratch->sum[k];
        clspi_tile_eval(tile->tile[k], scratch->of[k], &sum);
        source.sum[tile->desc.numbers[k]] = scratch->sum[k];
    }
    tile->sums->make(&tile->desc.shape, &source, rows->out);
}

void clspi_vertex_tile_eval(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows)
{
    const size_t row_bytes = tile->row_vertices * tile->desc.shape.stride * tile->element;
    const clspi_float_state before = flush(tile);

    if (tile->strips) {
        clspi_strips_eval(tile->strips, scratch->strips, rows);
    } else if (tile->desc.only_points) {
        clspi_tile_eval(tile->tile[0], scratch->of[0], rows);
    } else {
        make_points(scratch, rows);
        for (uint32_t r = 0; r < rows->num_rows; r += tile->rows) {
            clspi_tile_rows some = *rows;
            some.first_row += r;
            some.num_rows = rows->num_rows - r < tile->rows ? rows->num_rows - r : tile->rows;
            some.out = (char *)rows->out + r * row_bytes;
            make_batch(scratch, &some);
        }
    }
    make_edges(tile, rows, &tile->desc.shape);
    clspi_float_state_set(before);
}
