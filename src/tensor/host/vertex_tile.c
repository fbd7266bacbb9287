#include "vertex_tile.h"

#include <stdlib.h>
#include <string.h>

#include "float_state.h"

enum {
    LINE = 64,              /* bytes of a line of the cache, and of the longest vector */
    BATCH_BYTES = 96 << 10, /* of all sums that are made before vertices are put together, */
    PLANE_BYTES = 24 << 10, /* of planes, which stay in the first cache */
    BATCH_ROWS = 1 << 9,    /* of these, at most */
    LONG_ROW = 1 << 14,     /* vertices of a row, from which sums are made of one row at a time */
    PLANE_VERTICES = 16,    /* of a row, from which coordinates are kept apart, */
    COLUMNS_MULTIPLE = 16,  /* and whose parts begin at lines in every precision */
    EDGE_MARGIN = 4         /* of what tangents on the border of a grid may be off by */
};

struct clspi_vertex_tile {
    clspi_vertex_tile_desc desc;
    const clspi_vertex_functions *sums;
    clspi_tile *tile[CLSPI_VERTEX_SUMS]; /* of each sum; the first of points where there is none */
    size_t coords, row_vertices, element;
    size_t num_points; /* control points of the patch */
    uint32_t rows;     /* of a batch, */
    size_t columns;    /* and columns, all without planes */
    bool planes;       /* coordinates of sums are kept apart */
    bool is_centred;   /* control points of all sums are relative to a centre of the patch */
};

struct clspi_vertex_scratch {
    const clspi_vertex_tile *tile;
    clspi_tile_scratch *of[CLSPI_VERTEX_SUMS];
    bool has_points;
    size_t patch;                    /* that the control points of derivatives are of */
    void *points[CLSPI_VERTEX_SUMS]; /* of each sum; NULL: the patch's own */
    void *sum[CLSPI_VERTEX_SUMS];    /* [rows][columns][coords], or [rows][coords][columns] */
    void *param[3];                  /* [rows][row_vertices] */
    void *largest[2][2];             /* [row_vertices]; as of clspi_vertex_source */
    void *limit[2];                  /* [rows], and [row_vertices]; as there */
    double centre[4];                /* of the patch; coordinates that there are not are 0 */
};

/* ---- tables ---- */

static uint32_t num_tiles(const clspi_vertex_tile *tile)
{
    return tile->desc.only_points ? 1 : tile->desc.num_sums;
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
    desc.planes = tile->planes;
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

/* Chooses the rows of a batch, whole groups of those that are summed at once, and its columns. */
static void set_batch(clspi_vertex_tile *tile)
{
    const size_t sums = tile->desc.num_sums > 0 ? tile->desc.num_sums : 1;
    const size_t vertices =
        (tile->planes ? PLANE_BYTES : BATCH_BYTES) / (sums * tile->coords * tile->sums->real_bytes);
    const size_t most = vertices / CLSPI_ROWS_AT_ONCE / COLUMNS_MULTIPLE * COLUMNS_MULTIPLE;
    size_t rows = vertices / tile->row_vertices;

    if (rows > BATCH_ROWS) rows = BATCH_ROWS;
    if (rows < CLSPI_ROWS_AT_ONCE) rows = CLSPI_ROWS_AT_ONCE;
    tile->rows = (uint32_t)(rows - rows % CLSPI_ROWS_AT_ONCE);
    tile->columns = tile->row_vertices;
    if (tile->planes) { /* in equal parts */
        const size_t parts = (tile->row_vertices + most - 1) / most;
        const size_t columns = (tile->row_vertices + parts - 1) / parts;
        tile->columns = (columns + COLUMNS_MULTIPLE - 1) / COLUMNS_MULTIPLE * COLUMNS_MULTIPLE;
    } else if (tile->row_vertices >= LONG_ROW) {
        tile->rows = 1;
    }
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
    tile->planes =
        d->directions == 2 && tile->row_vertices >= PLANE_VERTICES && !tile->desc.only_points;
    set_batch(tile);
}

clspi_vertex_tile *clspi_vertex_tile_create(const clspi_vertex_tile_desc *desc)
{
    clspi_vertex_tile *tile = calloc(1, sizeof *tile);
    bool made = tile != NULL;

    if (!tile) return NULL;
    tile->desc = *desc;
    set_sizes(tile);
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
    free(*tile);
    *tile = NULL;
}

/* ---- scratch ---- */

/* Tells whether a sum has control points of its own, and not the patch's. */
static bool has_own_points(const clspi_vertex_tile *tile, uint32_t k)
{
    return tile->is_centred || tile->desc.by[k][0] + tile->desc.by[k][1] + tile->desc.by[k][2] > 0;
}

/* Allocates num reals for each of `columns` samples of a batch's rows, from a line of the cache on.
 */
static void *batch_of(const clspi_vertex_tile *tile, size_t columns, size_t num)
{
    const size_t bytes = tile->sums->real_bytes * tile->rows * num;

    if (columns > SIZE_MAX / 4 / bytes) return NULL;
    return aligned_alloc(LINE, (columns * bytes + LINE - 1) / LINE * LINE);
}

static uint32_t num_batches(const clspi_vertex_tile *tile)
{
    return tile->desc.only_points ? 0 : tile->desc.num_sums;
}

/* Tells whether vertices have what needs to know tangents from rounding. */
static bool has_normals(const clspi_vertex_tile *tile)
{
    const int32_t *const at = tile->desc.shape.at;

    return !tile->desc.only_points && (at[CLSPI_PART_NORMAL] >= 0 || at[CLSPI_PART_CURVATURE] >= 0);
}

/* Tells whether tangents are of rational surfaces, so that parameters tell something of what they
   may be off by: of Bernstein polynomials. */
static bool is_limited(const clspi_vertex_tile *tile)
{
    return has_normals(tile) && tile->is_centred && tile->desc.shape.directions == 2;
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

/* Makes the limits of samples first .. first + count - 1 of a direction. */
static void make_limits(clspi_vertex_scratch *scratch, uint32_t direction, uint32_t first,
                        uint32_t count)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    char *const to = scratch->limit[direction];

    memset(to, 0, count * tile->sums->real_bytes); /* at an end there is no limit */
    for (uint32_t k = 0; k < count && tile->desc.is_bernstein; k++)
        make_param(tile, direction, first + k, to + k * tile->sums->real_bytes);
    tile->sums->limits(to, to, count, tile->desc.points.controls[direction] - 1);
}

static bool allocate_limits(clspi_vertex_scratch *scratch)
{
    const clspi_vertex_tile *const tile = scratch->tile;

    if (!is_limited(tile)) return true;
    scratch->limit[0] = malloc(tile->sums->real_bytes * tile->rows);
    scratch->limit[1] = batch_of(tile, tile->row_vertices, 1);
    if (!scratch->limit[0] || !scratch->limit[1]) return false;
    make_limits(scratch, 1, 0, tile->desc.points.nums[1]);
    return true;
}

static bool allocate(clspi_vertex_scratch *scratch)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const bool has_params = !tile->desc.only_points && tile->desc.shape.at[CLSPI_PART_PARAMS] >= 0;

    for (uint32_t k = 0; k < num_tiles(tile); k++) {
        scratch->of[k] = clspi_tile_scratch_create(tile->tile[k]);
        if (!scratch->of[k]) return false;
    }
    for (uint32_t k = 0; k < num_batches(tile); k++) {
        scratch->sum[k] = batch_of(tile, tile->columns, tile->coords);
        if (has_own_points(tile, k)) /* of the patch at first */
            scratch->points[k] = malloc(tile->num_points * tile->coords * tile->sums->real_bytes);
        if (!scratch->sum[k] || (has_own_points(tile, k) && !scratch->points[k])) return false;
    }
    for (uint32_t d = 0; d < tile->desc.points.directions && has_params; d++) {
        scratch->param[d] = batch_of(tile, tile->row_vertices, 1);
        if (!scratch->param[d]) return false;
    }
    for (uint32_t k = 0; k < 4 && has_normals(tile); k++) {
        scratch->largest[k / 2][k % 2] = batch_of(tile, tile->row_vertices, 1);
        if (!scratch->largest[k / 2][k % 2]) return false;
    }
    return allocate_limits(scratch);
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
    for (int k = 0; k < 4; k++)
        free(s->largest[k / 2][k % 2]);
    free(s->limit[0]);
    free(s->limit[1]);
    free(s);
    *scratch = NULL;
}

void clspi_vertex_scratch_forget(clspi_vertex_scratch *scratch)
{
    scratch->has_points = false;
    for (uint32_t k = 0; k < num_tiles(scratch->tile); k++)
        clspi_tile_scratch_forget(scratch->of[k]);
}

/* ---- control points of derivatives ---- */

/* Takes a difference of order `by` along a direction of points [n0][n1][n2][coords], in place. */
static void take_differences(const clspi_vertex_tile *tile, void *points, size_t n[3],
                             uint32_t direction, uint32_t by)
{
    const clspi_vertex_tile_desc *const d = &tile->desc;
    double falling = 1;

    for (uint32_t order = 1; order <= by; order++) {
        const size_t outer = (direction > 0 ? n[0] : 1) * (direction > 1 ? n[1] : 1);
        const size_t inner = (direction < 2 ? n[2] : 1) * (direction < 1 ? n[1] : 1);
        const size_t sizes[3] = {outer, n[direction], inner * tile->coords};
        tile->sums->difference(points, points, sizes,
                               d->factors ? d->factors(d->points.user, direction, order) : NULL);
        n[direction]--;
        falling *= (double)n[direction];
    }
    if (!d->factors && by > 0)
        tile->sums->scale(points, n[0] * n[1] * n[2] * tile->coords, falling);
}

/* Finds the largest partial sums of a tangent, k of 0 and 1; on the first and the last column with
   a margin where the pass over the edges looks again. */
static void find_largest(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows, uint32_t k)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const uint32_t dim = tile->desc.shape.dim, coords = (uint32_t)tile->coords;
    const size_t bytes = tile->sums->real_bytes, columns = tile->row_vertices;
    const bool is_curve = tile->desc.shape.directions == 1;
    clspi_tile_sums of = {0}; /* where that derivative is 0 */
    uint32_t n = 0;

    while (n < tile->desc.num_sums && tile->desc.numbers[n] != k + 1)
        n++;
    if (n < tile->desc.num_sums && is_curve) { /* they are their own partial sums */
        of = (clspi_tile_sums){scratch->points[n],
                               tile->desc.points.controls[0] - tile->desc.by[n][0], coords, coords,
                               1};
    } else if (n < tile->desc.num_sums) {
        of =
            clspi_tile_partial_sums(tile->tile[n], scratch->of[n], scratch->points[n], rows->patch);
    }
    for (uint32_t weight = 0; weight < 2; weight++) {
        char *const to = scratch->largest[k][weight];
        tile->sums->largest(to, &of, weight ? dim : 0, weight ? coords : dim, columns);
        if (is_curve) continue;
        tile->sums->scale(to, 1, EDGE_MARGIN);
        tile->sums->scale(to + (columns - 1) * bytes, 1, EDGE_MARGIN);
        if (!tile->desc.shape.rational) tile->sums->invert(to, columns);
    }
}

/* Makes scratch hold the control points of a patch's derivatives. */
static void make_points(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const uint32_t *const controls = tile->desc.points.controls;

    if (scratch->has_points && scratch->patch == rows->patch) return;
    for (uint32_t k = 0; k < tile->desc.num_sums; k++)
        clspi_tile_scratch_forget(scratch->of[k]);
    for (uint32_t k = 0; k < tile->desc.num_sums; k++) {
        size_t n[3] = {controls[0], controls[1], controls[2]};
        if (!scratch->points[k]) continue;
        memcpy(scratch->points[k], rows->points,
               tile->num_points * tile->coords * tile->sums->real_bytes);
        if (tile->is_centred)
            tile->sums->centre(scratch->points[k], tile->num_points, tile->desc.shape.dim,
                               scratch->centre);
        for (uint32_t d = 3; d-- > 0;)
            take_differences(tile, scratch->points[k], n, d, tile->desc.by[k][d]);
    }
    for (uint32_t k = 0; k < 2 && has_normals(tile); k++)
        find_largest(scratch, rows, k);
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

/* Fills a source in with what normals may be off by in rows. */
static void add_errors(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows, double *margin,
                       clspi_vertex_source *source)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const uint32_t last = tile->desc.points.nums[0] - 1;

    margin[0] = 1;
    for (uint32_t r = 0; r < rows->num_rows && tile->desc.shape.directions > 1; r++)
        margin[r] = rows->first_row + r == 0 || rows->first_row + r == last ? EDGE_MARGIN : 1;
    source->margin = margin;
    if (scratch->limit[0]) make_limits(scratch, 0, rows->first_row, rows->num_rows);
    for (int k = 0; k < 2; k++)
        source->limit[k] = scratch->limit[k];
    for (int k = 0; k < 4; k++)
        source->largest[k / 2][k % 2] = scratch->largest[k / 2][k % 2];
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

/* Makes the sums of some columns of a batch, [rows][columns][coords] or in planes. */
static void make_sums(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows,
                      const clspi_tile_columns *columns, clspi_vertex_source *source)
{
    const clspi_vertex_tile *const tile = scratch->tile;

    for (uint32_t k = 0; k < tile->desc.num_sums; k++) {
        clspi_tile_rows sum = *rows;
        if (scratch->points[k]) sum.points = scratch->points[k];
        sum.out = scratch->sum[k];
        if (tile->planes)
            clspi_tile_eval_planes(tile->tile[k], scratch->of[k], &sum, columns);
        else
            clspi_tile_eval(tile->tile[k], scratch->of[k], &sum);
        source->sum[tile->desc.numbers[k]] = scratch->sum[k];
    }
}

/* Returns a source from a column on. */
static clspi_vertex_source source_from(const clspi_vertex_tile *tile,
                                       const clspi_vertex_source *source, size_t column)
{
    const size_t begin = column * tile->sums->real_bytes;
    clspi_vertex_source from = *source;

    for (int k = 0; k < 3; k++)
        if (from.param[k]) from.param[k] = (const char *)from.param[k] + begin;
    for (int k = 0; k < 4 && from.margin; k++)
        from.largest[k / 2][k % 2] = (const char *)from.largest[k / 2][k % 2] + begin;
    if (from.limit[1]) from.limit[1] = (const char *)from.limit[1] + begin;
    return from;
}

/* Makes at most tile->rows rows, by parts of their columns. Rows of vertices whose points are
   adjacent, and that nothing is told of by rows, are one. */
static void make_batch(clspi_vertex_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_vertex_tile *const tile = scratch->tile;
    const bool by_rows = tile->planes || (has_normals(tile) && tile->desc.shape.directions > 1);
    const size_t all = by_rows ? tile->row_vertices : tile->row_vertices * rows->num_rows;
    const size_t most = tile->planes ? tile->columns : all;
    double margin[BATCH_ROWS];
    clspi_vertex_source source = {.rows = by_rows ? rows->num_rows : 1,
                                  .row_vertices = all,
                                  .row = tile->columns * tile->coords,
                                  .plane = tile->planes ? tile->columns : 0,
                                  .centre = tile->is_centred ? scratch->centre : NULL};

    add_params(scratch, rows, &source);
    if (has_normals(tile)) add_errors(scratch, rows, margin, &source);
    for (size_t x = 0; x < all; x += most) {
        const clspi_tile_columns columns = {x, all - x < most ? all - x : most, source.plane};
        clspi_vertex_source part = source_from(tile, &source, x);
        part.columns = columns.count;
        make_sums(scratch, rows, &columns, &part);
        tile->sums->make(&tile->desc.shape, &part,
                         (char *)rows->out + x * tile->desc.shape.stride * tile->element);
    }
}

void clspi_vertex_tile_eval(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows)
{
    const size_t row_bytes = tile->row_vertices * tile->desc.shape.stride * tile->element;
    const clspi_float_state before = flush(tile);

    if (tile->desc.only_points) {
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
