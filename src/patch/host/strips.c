#include "strips.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "strip_tables.h"

enum {
    LINE = 64,      /* bytes of a line of the cache, and of the longest vector */
    FEW_VECTORS = 3 /* of half the length that are faster than longer ones of which one is not full
                     */
};

/* ---- sizes ---- */

/* Multiplies, and tells whether a size_t holds the product. */
static bool multiply(size_t *product, size_t factor)
{
    if (factor > 0 && *product > SIZE_MAX / 4 / factor) return false;
    *product *= factor;
    return true;
}

void *clspi_strip_reals(const clspi_strips *strips, size_t a, size_t b)
{
    size_t bytes = strips->vertex->real_bytes;

    if (!multiply(&bytes, a) || !multiply(&bytes, b)) return NULL;
    return aligned_alloc(LINE, (bytes / LINE + 1) * LINE);
}

static void set_real(const clspi_strips *strips, void *to, size_t at, double x)
{
    if (strips->desc.points.f64)
        ((double *)to)[at] = x;
    else
        ((float *)to)[at] = (float)x;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- bases ---- */

/* A basis on its way into a table, of the values of all samples, [num][terms]. */
typedef struct samples {
    uint32_t num, terms, *first;
    bool banded;
    double *values;
} samples;

/* Returns how many vectors a number of columns is. */
static size_t vectors_of(const clspi_strip_table *table)
{
    return (table->num - 1) / table->functions->lanes + 1;
}

/* Finds the control points that the samples of each vector of columns have in their sums. */
static void find_bands(const clspi_strip_table *table, clspi_strip_basis *b, const samples *of)
{
    const size_t lanes = table->functions->lanes, vectors = vectors_of(table);

    for (size_t x = 0; x < vectors; x++) {
        uint32_t low = of->first[x * lanes], high = low;
        for (size_t k = x * lanes; k < min_size((x + 1) * lanes, of->num); k++) {
            low = of->first[k] < low ? of->first[k] : low;
            high = of->first[k] > high ? of->first[k] : high;
        }
        b->first[x] = low;
        b->count[x] = high - low + of->terms;
        if (b->count[x] > b->most) b->most = b->count[x];
    }
}

/* Puts the values of all columns where vectors are loaded from; lanes beyond the last column repeat
   it. */
static void fill_vectors(const clspi_strips *strips, const clspi_strip_table *table,
                         const clspi_strip_basis *b, const samples *of)
{
    const size_t lanes = table->functions->lanes, vectors = vectors_of(table);

    memset(b->values, 0, vectors * b->most * lanes * strips->vertex->real_bytes);
    for (size_t k = 0; k < vectors * lanes; k++) {
        const size_t column = min_size(k, of->num - 1), x = k / lanes;
        const uint32_t before = b->first ? of->first[column] - b->first[x] : 0;
        for (uint32_t i = 0; i < of->terms; i++)
            set_real(strips, b->values, (x * b->most + before + i) * lanes + k % lanes,
                     of->values[column * of->terms + i]);
    }
}

static bool fill_columns(const clspi_strips *strips, const clspi_strip_table *table,
                         clspi_strip_basis *b, const samples *of)
{
    size_t reals = vectors_of(table);

    if (of->banded) {
        b->first = malloc(reals * sizeof *b->first);
        b->count = malloc(reals * sizeof *b->count);
        if (!b->first || !b->count) return false;
        find_bands(table, b, of);
    }
    if (!multiply(&reals, table->functions->lanes)) return false;
    b->values = clspi_strip_reals(strips, reals, b->most);
    if (b->values) fill_vectors(strips, table, b, of);
    return b->values != NULL;
}

static bool fill_rows(const clspi_strips *strips, clspi_strip_basis *b, const samples *of)
{
    b->values = clspi_strip_reals(strips, of->num, of->terms);
    for (size_t i = 0; b->values && i < (size_t)of->num * of->terms; i++)
        set_real(strips, b->values, i, of->values[i]);
    if (of->banded) b->first = malloc(of->num * sizeof *b->first);
    if (b->first) memcpy(b->first, of->first, of->num * sizeof *b->first);
    return b->values && (b->first || !of->banded);
}

/* Makes the values of all samples. */
static void make_values(const clspi_strips *strips, uint32_t direction, uint32_t by, samples *of)
{
    const clspi_tile_desc *const d = &strips->desc.points;

    for (uint32_t a = 0; a < of->num; a++) {
        double *const values = of->values + (size_t)a * of->terms;
        of->first[a] = d->values(d->user, direction, by, of->num, a, values);
        if (!d->f64 && !d->rational) clspi_cut_f32(values, of->terms);
        if (!d->f64) clspi_round_f32(values, of->terms);
    }
}

static bool make_basis(const clspi_strips *strips, clspi_strip_way way, clspi_strip_table *table,
                       uint32_t by)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    const uint32_t direction = (uint32_t)clspi_strip_direction(strips, way);
    samples of = {.num = table->num,
                  .terms = d->terms[direction] - by,
                  .banded = d->terms[direction] < d->controls[direction]};
    clspi_strip_basis *const b = &table->bases[by];
    size_t bytes = sizeof(double);

    if (b->values) return true;
    if (!multiply(&bytes, of.num) || !multiply(&bytes, of.terms)) return false;
    b->most = of.terms;
    of.values = malloc(bytes);
    of.first = malloc(of.num * sizeof *of.first);
    bool made = of.values && of.first;
    if (made) {
        make_values(strips, direction, by, &of);
        made =
            way == CLSPI_COLUMNS ? fill_columns(strips, table, b, &of) : fill_rows(strips, b, &of);
    }
    free(of.values);
    free(of.first);
    return made;
}

/* ---- parameters ---- */

/* Makes the parameters of all samples, and those beyond them. */
static void *make_params(const clspi_strips *strips, uint32_t direction,
                         const clspi_strip_table *table, size_t room)
{
    const clspi_vertex_tile_desc *const d = &strips->desc;
    const double *const own = d->params[direction], *const axis = d->axis[direction];
    char *const to = clspi_strip_reals(strips, room, 1);

    for (size_t k = 0; to && k < room; k++) {
        const uint32_t a = (uint32_t)min_size(k, table->num - 1);
        char *const at = to + k * strips->vertex->real_bytes;
        if (own)
            strips->vertex->params(at, own[a], own[a], 1, 0, 1);
        else
            strips->vertex->params(at, axis[0], axis[1], table->num, a, 1);
    }
    return to;
}

/* Makes what parameters tell of the tangents of rational surfaces: of Bernstein polynomials, else
   nothing. */
static bool make_limits(const clspi_strips *strips, uint32_t direction, clspi_strip_table *table,
                        size_t room)
{
    table->limit = make_params(strips, direction, table, room);
    if (!table->limit) return false;
    if (!strips->desc.is_bernstein) memset(table->limit, 0, room * strips->vertex->real_bytes);
    strips->vertex->limits(table->limit, table->limit, room,
                           strips->desc.points.controls[direction] - 1);
    return true;
}

/* ---- tables ---- */

static const clspi_strip_functions *functions_for(const clspi_vertex_tile_desc *d, uint32_t columns)
{
    const clspi_strip_functions *const few = &clspi_strip_functions_f32_short;
    const clspi_strip_functions *const all = &clspi_strip_functions_f32;
    const uint32_t rest = columns % (uint32_t)all->lanes; /* of the last vector */

    if (d->points.f64) return &clspi_strip_functions_f64;
    return !d->method && few->lanes > 0 &&
                   (columns <= few->lanes ||
                    (columns <= FEW_VECTORS * few->lanes && rest > 0 && rest <= few->lanes))
               ? few
               : all;
}

/* Makes the tables of one number of samples. */
static bool make_table(const clspi_strips *strips, clspi_strip_way way, clspi_strip_table *table)
{
    const uint32_t direction = (uint32_t)clspi_strip_direction(strips, way);
    bool made = true;

    table->functions = functions_for(&strips->desc, table->num);
    const size_t room =
        way == CLSPI_COLUMNS ? vectors_of(table) * table->functions->lanes : table->num;
    for (uint32_t k = 0; k < strips->grid.num_sums && made; k++)
        made = make_basis(strips, way, table, clspi_strip_orders(strips, k)[direction]);
    if (made && strips->grid.shape.at[ATTRIBUTE_PARAMS] >= 0) {
        table->param = make_params(strips, direction, table, room);
        made = table->param != NULL;
    }
    if (made && strips->has_normals && strips->is_centred)
        made = make_limits(strips, direction, table, room);
    return made;
}

/* Makes the tables of all numbers of samples that patches have along a direction. */
static bool make_tables(clspi_strips *strips, clspi_strip_way way)
{
    const int direction = clspi_strip_direction(strips, way);
    bool made = true;

    if (direction < 0) return true;
    const uint32_t *const given = strips->desc.nums[direction];
    const size_t num = given ? strips->desc.num_nums[direction] : 1;
    const uint32_t *const nums = given ? given : &strips->desc.points.nums[direction];
    strips->tables[way] = calloc(num, sizeof **strips->tables);
    if (!strips->tables[way]) return false;
    for (size_t k = 0; k < num && made; k++) {
        strips->tables[way][k].num = nums[k];
        strips->num_tables[way] = k + 1;
        made = make_table(strips, way, &strips->tables[way][k]);
    }
    return made;
}

const clspi_strip_table *clspi_strip_table_of(const clspi_strips *strips, clspi_strip_way way,
                                              uint32_t num)
{
    const clspi_strip_table *low = strips->tables[way];

    for (size_t left = strips->num_tables[way]; left > 1;) {
        const size_t half = left / 2;
        low += low[half].num <= num ? half : 0;
        left -= half;
    }
    return low;
}

/* ---- the layout of a vertex ---- */

/* Adds elements of a part. */
static void add_elements(clspi_strip_grid *grid, uint32_t part, uint32_t cell, uint32_t count)
{
    for (uint32_t c = 0; c < count && grid->shape.at[part] >= 0; c++) {
        const int32_t at = grid->shape.at[part] + (int32_t)c;
        uint32_t k = grid->num_elements++;
        for (; k > 0 && grid->at[k - 1] > at; k--) {
            grid->at[k] = grid->at[k - 1];
            grid->cell[k] = grid->cell[k - 1];
        }
        grid->at[k] = at;
        grid->cell[k] = (uint8_t)(cell + c);
    }
}

/* Lists the elements of a vertex in their order. */
static void list_elements(clspi_strip_grid *grid)
{
    const clspi_vertex_shape *const s = &grid->shape;
    const uint32_t directions = s->directions;

    for (uint32_t k = 0; k < SUM_KINDS; k++)
        add_elements(grid, SUM_ATTRIBUTE(k), k * CLSPI_STRIP_COORDS, s->dim);
    add_elements(grid, ATTRIBUTE_WEIGHT, s->rational ? s->dim : CLSPI_STRIP_ONE, 1);
    add_elements(grid, ATTRIBUTE_NORMAL, CLSPI_STRIP_NORMAL, 3);
    add_elements(grid, ATTRIBUTE_PARAMS, CLSPI_STRIP_PARAMS + CLSPI_WAYS - directions, directions);
    add_elements(grid, ATTRIBUTE_CURVATURE, CLSPI_STRIP_CURVATURE, directions);
    grid->packed = grid->num_elements == s->stride;
}

/* ---- sums ---- */

const uint32_t *clspi_strip_orders(const clspi_strips *strips, uint32_t sum)
{
    static const uint32_t none[3];

    return strips->desc.only_points ? none : strips->desc.by[sum];
}

/* Lists the sums; what is used and has no sum is 0. */
static void list_sums(clspi_strips *strips)
{
    const clspi_vertex_tile_desc *const d = &strips->desc;
    clspi_strip_grid *const grid = &strips->grid;
    const uint32_t num = d->only_points ? 1 : d->num_sums;
    const uint32_t used = clspi_shape_sums(&grid->shape) | 1;
    uint32_t k = 0;

    for (uint32_t number = 0; number < SUM_KINDS; number++) {
        const bool there = k < num && (d->only_points ? 0 : d->numbers[k]) == number;
        if (there) grid->sum[k++].number = number;
        const bool is_used = (used >> number & 1) != 0;
        if (there || is_used) grid->used[grid->num_used++] = number;
        if (!there && is_used) grid->zero[grid->num_zero++] = number;
    }
    grid->num_sums = num;
}

/* Tells whether the elements of a vertex are the coordinates of the sums, one after the other. */
static bool is_plain(const clspi_strip_grid *grid)
{
    const uint32_t dim = grid->shape.dim;
    bool plain = grid->num_elements == grid->num_sums * dim;

    for (uint32_t k = 0; k < grid->num_elements && plain; k++)
        plain = grid->cell[k] == k / dim * CLSPI_STRIP_COORDS + k % dim;
    return plain;
}

/* Tells whether the elements of a vertex are a point and its normal, of three sums. */
static bool has_points_and_normals(const clspi_strip_grid *grid)
{
    bool are = grid->num_elements == 6 && grid->num_sums == 3 && grid->sum[2].number == 2;

    for (uint32_t k = 0; k < grid->num_elements && are; k++)
        are = grid->cell[k] == (k < 3 ? k : CLSPI_STRIP_NORMAL + k - 3);
    return are;
}

/* Describes the members that the sums are of. */
static void size_sums(clspi_strips *strips)
{
    const clspi_tile_desc *const d = &strips->desc.points;

    for (uint32_t k = 0; k < strips->grid.num_sums; k++)
        for (uint32_t n = 0; n < 2; n++) {
            const int direction = clspi_strip_direction(strips, CLSPI_ROWS + n);
            strips->grid.sum[k].controls[n] =
                direction < 0 ? 1
                : strips->desc.method && n == 0
                    ? CLSPI_METHOD_ROWS
                    : d->controls[direction] - clspi_strip_orders(strips, k)[direction];
        }
}

/* ---- life ---- */

/* Describes a vertex. */
static clspi_vertex_shape shape_of(const clspi_vertex_tile_desc *desc)
{
    const clspi_row_vertex *const v = &desc->points.vertex;
    clspi_vertex_shape shape = {.dim = v->dim,
                                .rational = v->rational,
                                .directions = desc->points.directions,
                                .type = v->type,
                                .stride = v->stride};

    if (!desc->only_points) return desc->shape;
    for (int k = 0; k < ATTRIBUTES; k++)
        shape.at[k] = -1;
    shape.at[ATTRIBUTE_POINT] = (int32_t)v->at_point;
    shape.at[ATTRIBUTE_WEIGHT] = v->at_weight;
    return shape;
}

/* Tells whether vertices have derivatives of a rational patch. */
static bool needs_centre(const clspi_vertex_shape *shape)
{
    bool needed = false;

    for (int k = 0; k < ATTRIBUTES; k++)
        if (k != ATTRIBUTE_POINT && k != ATTRIBUTE_WEIGHT && k != ATTRIBUTE_PARAMS)
            needed = needed || shape->at[k] >= 0;
    return needed && shape->rational;
}

/* Counts a patch's points; false where these, or the vertices of the common grid, are too many. */
static bool count_points(clspi_strips *strips)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    size_t bytes = strips->grid.shape.stride * strips->element;
    bool counted = true;

    strips->num_points = 1;
    for (uint32_t k = 0; k < d->directions && counted; k++)
        counted = multiply(&strips->num_points, d->controls[k]) &&
                  (strips->desc.nums[k] || multiply(&bytes, d->nums[k]));
    return counted;
}

/* Makes what a method keeps, and the terms of rows: each is one of the rows that are made at once.
 */
static bool prepare_method(clspi_strips *strips)
{
    const clspi_grid_method *const method = strips->desc.method;
    const uint32_t rows = strips->desc.points.nums[0];
    clspi_strip_basis *const b = &strips->rows_made;

    *b = (clspi_strip_basis){.values = clspi_strip_reals(strips, rows, 1),
                             .first = malloc(rows * sizeof *b->first),
                             .most = 1};
    for (uint32_t r = 0; r < rows && b->values && b->first; r++) {
        set_real(strips, b->values, r, 1);
        b->first[r] = r % CLSPI_METHOD_ROWS;
    }
    if (method->create) strips->kept = method->create(&strips->desc);
    return b->values && b->first && (strips->kept || !method->create);
}

static bool prepare(clspi_strips *strips)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    clspi_strip_grid *const grid = &strips->grid;

    strips->vertex = d->f64 ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;
    grid->shape = shape_of(&strips->desc);
    strips->coords = grid->shape.dim + grid->shape.rational;
    strips->element = clspi_row_bytes(grid->shape.type);
    strips->is_centred = needs_centre(&grid->shape);
    strips->has_bends = grid->shape.at[ATTRIBUTE_CURVATURE] >= 0 && d->directions == 1;
    strips->has_normals = d->directions == 2 && (grid->shape.at[ATTRIBUTE_NORMAL] >= 0 ||
                                                 grid->shape.at[ATTRIBUTE_CURVATURE] >= 0);
    list_elements(grid);
    list_sums(strips);
    size_sums(strips);
    grid->plain = is_plain(grid);
    grid->normals = has_points_and_normals(grid);
    grid->interleaved =
        grid->plain && grid->num_sums == 1 && !grid->shape.rational && d->directions > 1;
    bool made = count_points(strips) && (!strips->desc.method || prepare_method(strips));
    for (int way = 0; way < CLSPI_WAYS && made; way++)
        made = make_tables(strips, (clspi_strip_way)way);
    return made;
}

clspi_strips *clspi_strips_create(const clspi_vertex_tile_desc *desc)
{
    clspi_strips *strips = calloc(1, sizeof *strips);

    if (!strips) return NULL;
    strips->desc = *desc;
    if (!prepare(strips)) clspi_strips_destroy(&strips);
    return strips;
}

static void free_table(const clspi_strip_table *table)
{
    for (int by = 0; by < CLSPI_STRIP_ORDERS; by++) {
        free(table->bases[by].values);
        free(table->bases[by].first);
        free(table->bases[by].count);
    }
    free(table->param);
    free(table->limit);
}

void clspi_strips_destroy(clspi_strips **strips)
{
    clspi_strips *const s = strips ? *strips : NULL;

    if (!s) return;
    for (int way = 0; way < CLSPI_WAYS; way++) {
        for (size_t k = 0; k < s->num_tables[way]; k++)
            free_table(&s->tables[way][k]);
        free(s->tables[way]);
    }
    free(s->kept);
    free(s->rows_made.values);
    free(s->rows_made.first);
    free(s);
    *strips = NULL;
}
