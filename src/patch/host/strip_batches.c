#include <stdlib.h>
#include <string.h>

#include "derivative_points.h"
#include "strip_tables.h"

enum {
    BATCH_BYTES = 64 << 10,  /* of the partial sums and of the control points of a batch */
    NEAR_BYTES = 32 << 10,   /* of the partial sums of a strip: they stay in the nearest cache, */
    FEW_VECTORS = 4,         /* or where that holds fewer vectors of columns */
    STRIP_BYTES = 256 << 10, /* in the next one */
    STRIP_VECTORS = 12,      /* whose rows are long enough to be written fast */
    ROWS_BYTES = 36 << 10    /* of the partial sums of a strip and its rows, all in that cache */
};

struct clspi_strips_scratch {
    const clspi_strips *strips;

    /* the numbers of samples that were last asked for */
    clspi_strip_grid grid;
    const clspi_strip_table *table[CLSPI_WAYS];
    size_t members; /* of a batch, at most */

    /* the batch whose sums there are: patches, or planes of one */
    size_t first, count, plane;
    size_t tangents;         /* the member whose largest tangents there are */
    void *centred, *derived; /* control points relative to their centre, and of a derivative */
    void *points[SUM_KINDS]; /* of a volume's sums; NULL: the patch's own */
    bool has_points;
    void *planes, *spare; /* members of planes, and room for sums of these */
    void *sums, *largest[2][2];
    const void *lines[SUM_KINDS]; /* control points of the curves of a batch */
    double centre[CLSPI_STRIP_MEMBERS][4];
    void *aside; /* vertices of a vector of columns */
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_curve(const clspi_strips *strips)
{
    return strips->desc.points.directions == 1;
}

static bool is_volume(const clspi_strips *strips)
{
    return strips->desc.points.directions == 3;
}

/* ---- numbers of samples ---- */

/* Returns how many vectors a number of columns is. */
static size_t vectors_of(const clspi_strip_table *columns)
{
    return (columns->num - 1) / columns->functions->lanes + 1;
}

/* Returns the partial sums of a member and a vector of columns, which curves have none of: by a
   method they have values there. */
static size_t member_reals(const clspi_strips *strips, const clspi_strip_table *columns)
{
    size_t lines = 0;

    for (uint32_t k = 0; k < strips->grid.num_sums; k++)
        lines += !is_curve(strips)     ? strips->grid.sum[k].controls[0]
                 : strips->desc.method ? strips->grid.sum[k].controls[1]
                                       : 0;
    return lines * strips->coords * columns->functions->lanes;
}

/* Returns the control points of a member. */
static size_t member_points(const clspi_strips *strips)
{
    return is_volume(strips) ? strips->num_points / strips->desc.points.controls[0]
                             : strips->num_points;
}

/* Returns how many members are a batch. */
static size_t members_of(const clspi_strips *strips, const clspi_strip_table *columns)
{
    const size_t most = BATCH_BYTES / strips->vertex->real_bytes;
    if (strips->desc.method) return 1;
    const size_t points = max_size(1, member_points(strips) * strips->coords);
    const size_t by_sums = most / vectors_of(columns) / (member_reals(strips, columns) + 1);

    return max_size(1, min_size(min_size(by_sums, most / points), CLSPI_STRIP_MEMBERS));
}

/* Says what the basis functions of a sum are. */
static void set_bases(clspi_strips_scratch *s, uint32_t k)
{
    clspi_strip_sum *const sum = &s->grid.sum[k];
    const uint32_t *const orders = clspi_strip_orders(s->strips, k);

    for (uint32_t n = 0; n < 2; n++) {
        const int direction = clspi_strip_direction(s->strips, CLSPI_ROWS + n);
        if (direction < 0) continue;
        const clspi_strip_basis *const b =
            s->strips->desc.method && n == 0 ? &s->strips->rows_made
                                             : &s->table[CLSPI_ROWS + n]->bases[orders[direction]];
        sum->terms[n] = b->most;
        sum->values[n] = b->values;
        sum->first[n] = b->first;
        sum->count = b->count;
    }
}

/* Says how the sums of a batch lie in memory. */
static void place_sums(clspi_strips_scratch *s, size_t lanes)
{
    clspi_strip_grid *const grid = &s->grid;

    grid->vector_reals = 0;
    for (uint32_t k = 0; k < grid->num_sums; k++) {
        grid->sum[k].at = grid->vector_reals;
        grid->vector_reals += s->members * s->strips->coords * lanes * grid->sum[k].controls[0];
    }
    const size_t bytes = grid->vector_reals / s->members * s->strips->vertex->real_bytes;
    const size_t near = NEAR_BYTES / (bytes + 1);
    grid->strip =
        min_size(near < FEW_VECTORS ? STRIP_BYTES / (bytes + 1) + 1 : near, STRIP_VECTORS);
    const size_t rows = 4 * lanes * grid->shape.stride * s->strips->element; /* and the next two */
    grid->is_near = min_size(grid->strip, grid->vectors) * (bytes + rows) <= ROWS_BYTES;
}

/* Finds the tables of numbers of samples; tells whether they are others than before. */
static bool find_tables(clspi_strips_scratch *s, const uint32_t *nums)
{
    bool differ = false;

    for (int way = 0; way < CLSPI_WAYS; way++) {
        const int direction = clspi_strip_direction(s->strips, (clspi_strip_way)way);
        const clspi_strip_table *const before = s->table[way];
        if (direction < 0 || (before && before->num == nums[direction])) continue;
        s->table[way] = clspi_strip_table_of(s->strips, (clspi_strip_way)way, nums[direction]);
        differ = true;
    }
    return differ;
}

/* Makes the grid one of some numbers of samples. */
static void set_nums(clspi_strips_scratch *s, const uint32_t *nums)
{
    clspi_strip_grid *const grid = &s->grid;

    if (!find_tables(s, nums ? nums : s->strips->desc.points.nums)) return;
    const clspi_strip_table *const columns = s->table[CLSPI_COLUMNS];
    const clspi_strip_table *const rows = s->table[CLSPI_ROWS];
    grid->rows = rows ? rows->num : 1;
    grid->columns = grid->row_vertices = columns->num;
    grid->vectors = vectors_of(columns);
    for (uint32_t k = 0; k < grid->num_sums; k++)
        set_bases(s, k);
    grid->pair = grid->num_sums > 2 && grid->shape.dim == 3 && grid->sum[2].number == 2 &&
                 grid->sum[2].values[0] == grid->sum[0].values[0];
    for (int n = rows ? 0 : 1; n < 2; n++) {
        grid->param[n] = s->table[CLSPI_ROWS + n]->param;
        grid->limit[n] = s->table[CLSPI_ROWS + n]->limit;
    }
    s->members = members_of(s->strips, columns);
    place_sums(s, columns->functions->lanes);
    s->count = 0;
}

/* ---- life ---- */

/* Tells whether some sum is of other control points than the patch's. */
static bool has_derivatives(const clspi_strips *strips)
{
    const clspi_strip_grid *const grid = &strips->grid;

    return grid->num_sums > 1 || (grid->num_sums > 0 && grid->sum[0].number > 0);
}

/* What a scratch has room for. */
typedef struct room {
    size_t members, columns, sums;
} room;

/* Finds the room that all numbers of samples need; false: more than the address space. */
static bool find_room(const clspi_strips *strips, room *most)
{
    *most = (room){1, 1, 1};
    for (size_t k = 0; k < strips->num_tables[CLSPI_COLUMNS]; k++) {
        const clspi_strip_table *const table = &strips->tables[CLSPI_COLUMNS][k];
        const size_t members = members_of(strips, table), vectors = vectors_of(table);
        const size_t reals = member_reals(strips, table);
        if (reals > SIZE_MAX / 4 / vectors / CLSPI_STRIP_MEMBERS) return false;
        most->members = max_size(most->members, members);
        most->columns = max_size(most->columns, vectors * table->functions->lanes);
        most->sums = max_size(most->sums, vectors * reals * members);
    }
    return true;
}

/* Allocates what volumes need beside the rest. */
static bool allocate_volume(clspi_strips_scratch *s, size_t members)
{
    const clspi_strips *const strips = s->strips;
    const size_t member = member_points(strips) * strips->coords;
    bool made = true;

    s->planes = clspi_strip_reals(strips, members, member);
    s->spare = clspi_strip_reals(strips, CLSPI_ROWS_SPARE, member);
    for (uint32_t k = 0; k < strips->grid.num_sums && made; k++) {
        if (strips->grid.sum[k].number == 0 && !strips->is_centred) continue;
        s->points[k] = clspi_strip_reals(strips, strips->num_points, strips->coords);
        made = s->points[k] != NULL;
    }
    return made && s->planes && s->spare;
}

static bool allocate(clspi_strips_scratch *s)
{
    const clspi_strips *const strips = s->strips;
    const size_t points = strips->num_points;
    size_t lanes = 0;
    room most;

    if (!find_room(strips, &most)) return false;
    const size_t members = is_volume(strips) ? 1 : most.members;
    s->sums = clspi_strip_reals(strips, most.sums, 1);
    s->centred =
        clspi_strip_reals(strips, strips->is_centred ? points : 1, members * strips->coords);
    s->derived = clspi_strip_reals(
        strips, has_derivatives(strips) && !is_volume(strips) ? points : 1,
        members * strips->coords * (is_curve(strips) ? strips->grid.num_sums : 1));
    for (size_t k = 0; k < strips->num_tables[CLSPI_COLUMNS]; k++)
        lanes = max_size(lanes, strips->tables[CLSPI_COLUMNS][k].functions->lanes);
    s->aside = malloc(lanes * strips->grid.shape.stride * strips->element);
    bool made = s->sums && s->centred && s->derived && s->aside;
    for (int k = 0; k < 4 && made && (strips->has_normals || strips->has_bends); k++) {
        void **const to = &s->largest[k / 2][k % 2];
        *to = clspi_strip_reals(strips, most.columns + CLSPI_STRIP_MEMBERS, 1);
        made = *to != NULL;
    }
    return made && (!is_volume(strips) || allocate_volume(s, most.members));
}

clspi_strips_scratch *clspi_strips_scratch_create(const clspi_strips *strips)
{
    clspi_strips_scratch *s = calloc(1, sizeof *s);

    if (!s) return NULL;
    s->strips = strips;
    s->grid = strips->grid;
    if (!allocate(s)) clspi_strips_scratch_destroy(&s);
    return s;
}

void clspi_strips_scratch_destroy(clspi_strips_scratch **scratch)
{
    clspi_strips_scratch *const s = scratch ? *scratch : NULL;

    if (!s) return;
    free(s->centred);
    free(s->derived);
    free(s->planes);
    free(s->spare);
    free(s->sums);
    free(s->aside);
    for (int k = 0; k < SUM_KINDS; k++)
        free(s->points[k]);
    for (int k = 0; k < 4; k++)
        free(s->largest[k / 2][k % 2]);
    free(s);
    *scratch = NULL;
}

void clspi_strips_scratch_forget(clspi_strips_scratch *scratch)
{
    scratch->count = 0;
    scratch->has_points = false;
}

/* ---- control points ---- */

static const void *at_real(const clspi_strips *strips, const void *reals, size_t at)
{
    return (const char *)reals + at * strips->vertex->real_bytes;
}

/* Takes the control points of some patches relative to their centres, where vertices need that. */
static const void *centre(clspi_strips_scratch *s, const void *points, size_t patches)
{
    const clspi_strips *const strips = s->strips;
    const size_t reals = strips->num_points * strips->coords;

    if (!strips->is_centred) return points;
    memcpy(s->centred, points, patches * reals * strips->vertex->real_bytes);
    for (size_t p = 0; p < patches; p++)
        strips->vertex->centre((void *)at_real(strips, s->centred, p * reals), strips->num_points,
                               s->grid.shape.dim, s->centre[p]);
    return s->centred;
}

/* Makes the members of a sum of some patches. */
static const void *derive(const clspi_strips_scratch *s, uint32_t k, const void *points,
                          size_t patches, void *to)
{
    const clspi_strips *const strips = s->strips;

    if (s->grid.sum[k].number == 0) return points;
    clspi_derivative_points(&strips->desc, strips->vertex, points, patches,
                            clspi_strip_orders(strips, k), to);
    return to;
}

/* Makes the control points of a volume's sums. */
static void make_points(clspi_strips_scratch *s, const void *points)
{
    const void *const from = centre(s, points, 1);
    const size_t bytes = s->strips->num_points * s->strips->coords * s->strips->vertex->real_bytes;

    for (uint32_t k = 0; k < s->grid.num_sums; k++)
        if (s->points[k] && derive(s, k, from, 1, s->points[k]) == from)
            memcpy(s->points[k], from, bytes);
}

/* Makes the members of some planes of a volume, of those whose samples have the same control points
   at once. */
static const void *make_planes(const clspi_strips_scratch *s, uint32_t k, const void *points,
                               size_t plane, size_t count)
{
    const clspi_strips *const strips = s->strips;
    const clspi_strip_sum *const sum = &s->grid.sum[k];
    const clspi_strip_basis *const b =
        &s->table[CLSPI_PLANES]->bases[clspi_strip_orders(strips, k)[0]];
    const clspi_row_sums *const rows =
        strips->desc.points.f64 ? &clspi_row_sums_f64 : &clspi_row_sums_f32;
    const size_t member = strips->coords * sum->controls[0] * sum->controls[1];

    for (size_t done = 0, run; done < count; done += run) {
        const uint32_t *const first = b->first ? b->first + plane + done : NULL;
        for (run = 1; run < count - done && (!first || first[run] == first[0]);)
            run++;
        const clspi_row_sum of = {.b = at_real(strips, b->values, (plane + done) * b->most),
                                  .row_step = b->most,
                                  .term_step = 1,
                                  .terms = b->most,
                                  .t = at_real(strips, points, first ? first[0] * member : 0),
                                  .t_stride = member,
                                  .spare = s->spare};
        rows->sum(&of, (void *)at_real(strips, s->planes, done * member), member, run, member);
    }
    return s->planes;
}

/* ---- sums ---- */

/* Finds what tangent k of some curves, or of a surface, may be off by: their largest control
   points. NULL: they are 0. */
static void find_largest_points(const clspi_strips_scratch *s, uint32_t k, const void *points,
                                size_t num, size_t curves)
{
    const clspi_strips *const strips = s->strips;
    const uint32_t dim = s->grid.shape.dim;

    for (size_t p = 0; p < curves; p++)
        for (int weight = 0; weight < 2; weight++)
            strips->vertex->largest(
                (void *)at_real(strips, s->largest[k][weight], p),
                points ? at_real(strips, points, p * num * strips->coords + (weight ? dim : 0))
                       : NULL,
                weight ? s->grid.shape.rational : dim, points ? num : 0, strips->coords);
}

/* Finds what a tangent of a surface by a method may be off by, in all columns. */
static void spread_largest(const clspi_strips_scratch *s, const clspi_strip_sum *sum,
                           const void *points)
{
    const clspi_strips *const strips = s->strips;
    const size_t all = s->grid.vectors * s->table[CLSPI_COLUMNS]->functions->lanes;
    const uint32_t k = sum->number - 1, *const controls = strips->desc.points.controls;

    find_largest_points(s, k, points, (controls[0] - (k == 0)) * (size_t)sum->controls[1], 1);
    for (int weight = 0; weight < 2; weight++)
        for (size_t a = 1; a < all; a++)
            memcpy((void *)at_real(strips, s->largest[k][weight], a), s->largest[k][weight],
                   strips->vertex->real_bytes);
}

/* Describes what a method makes of a sum. */
static clspi_method_job job_of(const clspi_strips_scratch *s, uint32_t k, size_t first,
                               size_t count)
{
    const clspi_strips *const strips = s->strips;
    const uint32_t *const by = clspi_strip_orders(strips, k);
    const uint32_t *const n = strips->desc.points.controls;
    const clspi_strip_table *const rows = s->table[CLSPI_ROWS];

    return (clspi_method_job){
        .desc = &strips->desc,
        .kept = strips->kept,
        .by = by,
        .controls = {rows ? n[0] - by[0] : 1, s->grid.sum[k].controls[1]},
        .values = {rows ? rows->bases[by[0]].values : NULL, s->grid.sum[k].values[1]},
        .first = first,
        .count = count,
        .vectors = s->grid.vectors,
        .vector_reals = s->grid.vector_reals,
        .interleaved = s->grid.interleaved};
}

/* Makes a sum of some rows of a surface by a method. */
static void make_by_method(const clspi_strips_scratch *s, uint32_t k, const void *points,
                           size_t rows)
{
    const clspi_strips *const strips = s->strips;
    const clspi_strip_sum *const sum = &s->grid.sum[k];
    const size_t point = strips->coords * s->table[CLSPI_COLUMNS]->functions->lanes;
    clspi_method_job job = job_of(s, k, s->plane, rows);

    job.points = points;
    strips->desc.method->sums(
        &job, (void *)at_real(strips, s->sums, sum->at + s->plane % CLSPI_METHOD_ROWS * point));
    if (strips->has_normals && (sum->number == 1 || sum->number == 2))
        spread_largest(s, sum, points);
}

/* Makes the partial sums of a batch: patches, planes of one or, by a method, rows of one. points:
   of the first patch. */
static void make_sums(clspi_strips_scratch *s, const clspi_strip_grid *grid, const void *points,
                      size_t count)
{
    const clspi_strips *const strips = s->strips;
    const bool volume = is_volume(strips), curve = is_curve(strips);
    const size_t patches = strips->desc.method ? 1 : count;
    const void *const from = volume ? points : centre(s, points, patches);

    if (strips->has_bends) find_largest_points(s, 0, NULL, 0, count);
    for (uint32_t k = 0; k < grid->num_sums; k++) {
        const clspi_strip_sum *const sum = &grid->sum[k];
        const size_t before = curve ? k * s->members * strips->num_points * strips->coords : 0;
        void *const derived = (void *)at_real(strips, s->derived, before);
        const void *const members =
            volume ? make_planes(s, k, s->points[k] ? s->points[k] : points, s->plane, count)
                   : derive(s, k, from, patches, derived);
        if (curve)
            s->lines[k] = members;
        else if (strips->desc.method)
            make_by_method(s, k, members, count);
        else
            s->table[CLSPI_COLUMNS]->functions->partial(grid, sum, members, count, s->sums);
        if (strips->has_bends && sum->number == 1)
            find_largest_points(s, 0, members, sum->controls[1], count);
    }
    s->count = count;
    s->tangents = SIZE_MAX;
}

/* Returns the sum of a tangent, k of 0 and 1; NULL: it is 0. */
static const clspi_strip_sum *tangent_sum(const clspi_strip_grid *grid, uint32_t k)
{
    const clspi_strip_sum *found = NULL;

    for (uint32_t n = 0; n < grid->num_sums; n++)
        if (grid->sum[n].number == k + 1) found = &grid->sum[n];
    return found;
}

/* Finds the largest partial sums of a surface's tangents; on the first and the last column with a
   margin where the pass over the edges looks again. */
static void find_largest(clspi_strips_scratch *s, size_t member)
{
    const clspi_strips *const strips = s->strips;
    const clspi_strip_functions *const functions = s->table[CLSPI_COLUMNS]->functions;
    const size_t columns = s->grid.columns, all = s->grid.vectors * functions->lanes;

    if (s->tangents == member) return;
    for (uint32_t k = 0; k < 2; k++) {
        const clspi_strip_sum *const sum = tangent_sum(&s->grid, k);
        const size_t before =
            sum ? member * sum->controls[0] * strips->coords * functions->lanes : 0;
        for (int weight = 0; weight < 2 && !sum; weight++)
            memset(s->largest[k][weight], 0, all * functions->real_bytes);
        if (sum && !strips->desc.method)
            functions->largest(&s->grid, sum, at_real(strips, s->sums, before), s->largest[k]);
        for (int weight = 0; weight < 2; weight++) {
            void *const to = s->largest[k][weight];
            strips->vertex->scale(to, 1, CLSPI_EDGE_MARGIN);
            strips->vertex->scale((void *)at_real(strips, to, columns - 1), 1, CLSPI_EDGE_MARGIN);
            if (!s->grid.shape.rational) strips->vertex->invert(to, all);
        }
    }
    s->tangents = member;
}

/* ---- rows ---- */

static clspi_strip_patch patch_of(const clspi_strips_scratch *s, size_t member,
                                  const double *centre)
{
    return (clspi_strip_patch){
        .sums = s->sums,
        .lines = s->lines,
        .member = member,
        .largest = {{s->largest[0][0], s->largest[0][1]}, {s->largest[1][0], s->largest[1][1]}},
        .centre = s->strips->is_centred ? centre : NULL};
}

/* Makes rows of a surface, whose sums are made with those of the patches after it. */
static void eval_surface(clspi_strips_scratch *s, const clspi_tile_rows *rows, size_t p, char *out)
{
    const clspi_strips *const strips = s->strips;
    const size_t patch = rows->patch + p;

    if (s->count == 0 || patch < s->first || patch - s->first >= s->count) {
        const size_t reals = p * strips->num_points * strips->coords;
        s->first = patch;
        make_sums(s, &s->grid, at_real(strips, rows->points, reals),
                  min_size(s->members, rows->more + 1 - p));
    }
    const size_t member = patch - s->first;
    if (strips->has_normals) find_largest(s, member);
    const clspi_strip_patch of = patch_of(s, member, s->centre[member]);
    s->table[CLSPI_COLUMNS]->functions->rows(&s->grid, &of, rows->first_row, rows->num_rows, out);
}

/* Makes rows of a surface by a method. */
static void eval_by_method(clspi_strips_scratch *s, const clspi_tile_rows *rows, size_t p,
                           char *out)
{
    const clspi_strips *const strips = s->strips;
    const size_t end = (size_t)rows->first_row + rows->num_rows;
    const size_t row_bytes = s->grid.columns * s->grid.shape.stride * strips->element;
    const void *const points =
        at_real(strips, rows->points, p * strips->num_points * strips->coords);

    for (size_t u = rows->first_row, num; u < end; u += num, out += num * row_bytes) {
        num = min_size(CLSPI_METHOD_ROWS - u % CLSPI_METHOD_ROWS, end - u);
        s->plane = u;
        make_sums(s, &s->grid, points, num);
        if (strips->has_normals) find_largest(s, 0);
        const clspi_strip_patch of = patch_of(s, 0, s->centre[0]);
        s->table[CLSPI_COLUMNS]->functions->rows(&s->grid, &of, u, num, out);
    }
}

/* Makes planes of a volume. */
static void eval_volume(clspi_strips_scratch *s, const clspi_tile_rows *rows, size_t p, char *out)
{
    const clspi_strips *const strips = s->strips;
    const size_t patch = rows->patch + p, end = (size_t)rows->first_row + rows->num_rows;
    const size_t plane_bytes =
        s->grid.rows * s->grid.columns * s->grid.shape.stride * strips->element;
    const void *const points =
        at_real(strips, rows->points, p * strips->num_points * strips->coords);

    if (!s->has_points || patch != s->first) {
        clspi_strips_scratch_forget(s);
        make_points(s, points);
        s->has_points = true;
        s->first = patch;
    }
    for (size_t u = rows->first_row; u < end; u++, out += plane_bytes) {
        if (s->count == 0 || u < s->plane || u - s->plane >= s->count) {
            s->plane = u;
            make_sums(s, &s->grid, points, min_size(s->members, end - u));
        }
        clspi_strip_patch of = patch_of(s, u - s->plane, s->centre[0]);
        const void *const param = s->table[CLSPI_PLANES]->param;
        if (param) of.param = at_real(strips, param, u);
        s->table[CLSPI_COLUMNS]->functions->rows(&s->grid, &of, 0, s->grid.rows, out);
    }
}

/* ---- curves ---- */

/* Makes the grid one of `columns` columns from a whole vector on. */
static void cut_grid(clspi_strip_grid *grid, const clspi_strips_scratch *s, size_t vector,
                     size_t columns)
{
    const size_t lanes = s->table[CLSPI_COLUMNS]->functions->lanes;

    for (uint32_t k = 0; k < grid->num_sums && vector > 0; k++) {
        clspi_strip_sum *const sum = &grid->sum[k];
        sum->values[1] = at_real(s->strips, sum->values[1], vector * sum->terms[1] * lanes);
        if (!sum->first[1]) continue;
        sum->first[1] += vector;
        sum->count += vector;
    }
    if (grid->param[1]) grid->param[1] = at_real(s->strips, grid->param[1], vector * lanes);
    grid->columns = columns;
    grid->vectors = (columns - 1) / lanes + 1;
}

/* Lets a method make the values of a curve's functions anew, from a vector of columns on. */
static void make_values(const clspi_strips_scratch *s, clspi_strip_grid *grid, size_t vector)
{
    const size_t lanes = s->table[CLSPI_COLUMNS]->functions->lanes;
    size_t at = 0;

    for (uint32_t k = 0; k < grid->num_sums; k++) {
        const clspi_method_job job = job_of(s, k, vector, grid->vectors);
        void *const values = (void *)at_real(s->strips, s->sums, at);
        s->strips->desc.method->values(&job, values);
        grid->sum[k].values[1] = values;
        at += grid->vectors * lanes * grid->sum[k].controls[1];
    }
}

/* Makes samples a .. a + count - 1 of some curves, from a whole vector on. */
static void eval_samples(clspi_strips_scratch *s, const void *points, size_t curves, size_t a,
                         size_t count, char *out)
{
    const clspi_strip_functions *const functions = s->table[CLSPI_COLUMNS]->functions;
    const bool method = s->strips->desc.method && s->strips->desc.method->values;
    const bool cut = count < s->grid.columns || method;
    clspi_strip_grid part;

    if (cut) part = s->grid;
    if (count < s->grid.columns) cut_grid(&part, s, a / functions->lanes, count);
    if (method) make_values(s, &part, a / functions->lanes);
    const clspi_strip_grid *const grid = cut ? &part : &s->grid;
    make_sums(s, grid, points, curves);
    const clspi_strip_patch of = patch_of(s, 0, s->centre[0]);
    functions->rows(grid, &of, 0, curves, out);
}

/* Makes some samples of one curve that a vector of columns begins before. */
static void eval_aside(clspi_strips_scratch *s, const void *points, size_t a, size_t count,
                       char *out)
{
    const size_t vertex = s->grid.shape.stride * s->strips->element;
    const size_t before = a % s->table[CLSPI_COLUMNS]->functions->lanes;
    char *const own = (char *)s->aside + before * vertex;

    memcpy(own, out, count * vertex);
    eval_samples(s, points, 1, a - before, before + count, s->aside);
    memcpy(out, own, count * vertex);
}

/* Makes samples of some curves, which are a batch. */
static void eval_curves(clspi_strips_scratch *s, const void *points, size_t curves,
                        const clspi_tile_rows *rows, char *out)
{
    const size_t lanes = s->table[CLSPI_COLUMNS]->functions->lanes, first = rows->first_row;
    const size_t before = min_size((lanes - first % lanes) % lanes, rows->num_rows);
    const size_t vertex = s->grid.shape.stride * s->strips->element;

    if (before > 0) eval_aside(s, points, first, before, out);
    if (before < rows->num_rows)
        eval_samples(s, points, curves, first + before, rows->num_rows - before,
                     out + before * vertex);
}

void clspi_strips_eval(clspi_strips_scratch *s, const clspi_tile_rows *rows)
{
    const clspi_strips *const strips = s->strips;
    const size_t patch_reals = strips->num_points * strips->coords;
    char *out = rows->out;

    set_nums(s, rows->nums);
    const size_t row_bytes = (is_curve(strips) ? 1 : s->grid.columns) *
                             (is_volume(strips) ? s->grid.rows : 1) * s->grid.shape.stride *
                             strips->element;
    for (size_t p = 0, num = 1; p <= rows->more;
         p += num, out += num * rows->num_rows * row_bytes) {
        if (is_curve(strips)) {
            num = min_size(s->members, rows->more + 1 - p);
            eval_curves(s, at_real(strips, rows->points, p * patch_reals), num, rows, out);
        } else if (is_volume(strips)) {
            eval_volume(s, rows, p, out);
        } else if (strips->desc.method) {
            eval_by_method(s, rows, p, out);
        } else {
            eval_surface(s, rows, p, out);
        }
    }
}
