#include "strips.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "derivative_points.h"
#include "strip_sums.h"

enum {
    LINE = 64,               /* bytes of a line of the cache, and of the longest vector */
    STRIP_BYTES = 256 << 10, /* of the partial sums of a strip: they stay in a core's own cache */
    STRIP_VECTORS = 12,      /* whose rows are long enough to be written fast */
    DERIVATIVES = 3          /* orders along a direction, with the function itself */
};

/* The basis functions of an order along a direction. */
typedef struct basis {
    void *values;
    uint32_t *first, *count;
    uint32_t most; /* terms of a row or of a vector of columns */
} basis;

struct clspi_strips {
    clspi_vertex_tile_desc desc;
    const clspi_vertex_functions *vertex;
    const clspi_strip_functions *functions;
    clspi_strip_grid grid;
    size_t coords, num_points; /* control points of a patch */
    bool is_centred, has_normals;
    basis bases[2][DERIVATIVES];
    void *param[2], *limit[2];
};

struct clspi_strips_scratch {
    const clspi_strips *strips;
    bool has_sums;
    size_t patch;           /* that the sums are of */
    void *centred, *points; /* control points relative to the centre, and of a derivative */
    void *sums, *largest[2][2];
    double centre[4];
};

/* ---- sizes ---- */

/* Multiplies, and tells whether a size_t holds the product. */
static bool multiply(size_t *product, size_t factor)
{
    if (factor > 0 && *product > SIZE_MAX / 4 / factor) return false;
    *product *= factor;
    return true;
}

/* Allocates a times b reals in whole lines of the cache. */
static void *reals_of(const clspi_strips *strips, size_t a, size_t b)
{
    size_t bytes = strips->functions->real_bytes;

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

/* Finds the control points that the samples of each vector of columns have in their sums. */
static void find_bands(const clspi_strips *strips, basis *b, const uint32_t *first, uint32_t terms)
{
    const size_t lanes = strips->functions->lanes, columns = strips->grid.columns;

    b->most = terms;
    for (size_t x = 0; x < strips->grid.vectors; x++) {
        uint32_t low = first[x * lanes], high = low;
        for (size_t k = x * lanes; k < min_size((x + 1) * lanes, columns); k++) {
            low = first[k] < low ? first[k] : low;
            high = first[k] > high ? first[k] : high;
        }
        b->first[x] = low;
        b->count[x] = high - low + terms;
        if (b->count[x] > b->most) b->most = b->count[x];
    }
}

/* Puts the values of all columns, [columns][terms], where vectors are loaded from; lanes beyond the
   last column repeat it. */
static void fill_vectors(const clspi_strips *strips, basis *b, const uint32_t *first,
                         const double *values, uint32_t terms)
{
    const size_t lanes = strips->functions->lanes, last = strips->grid.columns - 1;

    memset(b->values, 0, strips->grid.vectors * b->most * lanes * strips->functions->real_bytes);
    for (size_t k = 0; k < strips->grid.vectors * lanes; k++) {
        const size_t column = min_size(k, last), x = k / lanes;
        const uint32_t before = b->first ? first[column] - b->first[x] : 0;
        for (uint32_t i = 0; i < terms; i++)
            set_real(strips, b->values, (x * b->most + before + i) * lanes + k % lanes,
                     values[column * terms + i]);
    }
}

/* Makes a basis of the values of all samples, [samples][terms]. */
static bool fill_basis(const clspi_strips *strips, uint32_t direction, basis *b, uint32_t *first,
                       const double *values, uint32_t terms, bool banded)
{
    const clspi_strip_grid *const grid = &strips->grid;

    b->most = terms;
    if (direction == 0) {
        b->values = reals_of(strips, grid->rows, terms);
        for (size_t i = 0; b->values && i < grid->rows * terms; i++)
            set_real(strips, b->values, i, values[i]);
        if (banded) b->first = malloc(grid->rows * sizeof *first);
        if (b->first) memcpy(b->first, first, grid->rows * sizeof *first);
        return b->values && (b->first || !banded);
    }
    if (banded) {
        b->first = malloc(grid->vectors * sizeof *first);
        b->count = malloc(grid->vectors * sizeof *first);
        if (!b->first || !b->count) return false;
        find_bands(strips, b, first, terms);
    }
    size_t reals = grid->vectors;
    if (!multiply(&reals, strips->functions->lanes)) return false;
    b->values = reals_of(strips, reals, b->most);
    if (b->values) fill_vectors(strips, b, first, values, terms);
    return b->values != NULL;
}

static bool make_basis(clspi_strips *strips, uint32_t direction, uint32_t by)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    const uint32_t terms = d->terms[direction] - by, num = d->nums[direction];
    size_t bytes = sizeof(double);
    basis *const b = &strips->bases[direction][by];

    if (b->values) return true;
    if (!multiply(&bytes, num) || !multiply(&bytes, terms)) return false;
    double *const values = malloc(bytes);
    uint32_t *const first = malloc(num * sizeof *first);
    for (uint32_t a = 0; values && first && a < num; a++) {
        double *const of = values + (size_t)a * terms;
        first[a] = d->values(d->user, direction, by, a, of);
        if (!d->f64 && !d->rational) clspi_cut_f32(of, terms);
        if (!d->f64) clspi_round_f32(of, terms);
    }
    const bool made = values && first &&
                      fill_basis(strips, direction, b, first, values, terms,
                                 d->terms[direction] < d->controls[direction]);
    free(values);
    free(first);
    return made;
}

/* ---- parameters ---- */

/* Makes the parameters of all samples of a direction, and those beyond them. */
static void *make_params(const clspi_strips *strips, uint32_t direction, size_t room)
{
    const clspi_vertex_tile_desc *const d = &strips->desc;
    const uint32_t num = d->points.nums[direction];
    const double *const own = d->params[direction], *const axis = d->axis[direction];
    char *const to = reals_of(strips, room, 1);

    for (size_t k = 0; to && k < room; k++) {
        const uint32_t a = (uint32_t)min_size(k, num - 1);
        char *const at = to + k * strips->functions->real_bytes;
        if (own)
            strips->vertex->params(at, own[a], own[a], 1, 0, 1);
        else
            strips->vertex->params(at, axis[0], axis[1], num, a, 1);
    }
    return to;
}

/* Makes the tables of parameters, and of what they tell of the tangents of rational surfaces: of
   Bernstein polynomials, else nothing. */
static bool make_tables(clspi_strips *strips)
{
    const clspi_strip_grid *const grid = &strips->grid;
    const size_t room[2] = {grid->rows, grid->vectors * strips->functions->lanes};
    const bool is_limited = strips->has_normals && strips->is_centred;

    for (uint32_t k = 0; k < 2; k++) {
        if (grid->shape.at[CLSPI_PART_PARAMS] >= 0) {
            strips->param[k] = make_params(strips, k, room[k]);
            if (!strips->param[k]) return false;
        }
        if (!is_limited) continue;
        strips->limit[k] = make_params(strips, k, room[k]);
        if (!strips->limit[k]) return false;
        if (!strips->desc.is_bernstein)
            memset(strips->limit[k], 0, room[k] * strips->functions->real_bytes);
        strips->vertex->limits(strips->limit[k], strips->limit[k], room[k],
                               strips->desc.points.controls[k] - 1);
    }
    return true;
}

/* ---- the layout of a vertex ---- */

/* Adds elements of a part. */
static void add_elements(clspi_strip_grid *grid, clspi_part_number part, uint32_t cell,
                         uint32_t count)
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

static const clspi_part_number part_of_sum[CLSPI_VERTEX_SUMS] = {
    CLSPI_PART_POINT, CLSPI_PART_DU,  CLSPI_PART_DV, CLSPI_PART_DW,
    CLSPI_PART_DUU,   CLSPI_PART_DUV, CLSPI_PART_DVV};

/* Lists the elements of a vertex in their order. */
static void list_elements(clspi_strip_grid *grid)
{
    const clspi_vertex_shape *const s = &grid->shape;

    for (uint32_t k = 0; k < CLSPI_VERTEX_SUMS; k++)
        add_elements(grid, part_of_sum[k], k * CLSPI_STRIP_COORDS, s->dim);
    add_elements(grid, CLSPI_PART_WEIGHT, s->rational ? s->dim : CLSPI_STRIP_ONE, 1);
    add_elements(grid, CLSPI_PART_NORMAL, CLSPI_STRIP_NORMAL, 3);
    add_elements(grid, CLSPI_PART_PARAMS, CLSPI_STRIP_PARAMS, 2);
    add_elements(grid, CLSPI_PART_CURVATURE, CLSPI_STRIP_CURVATURE, 2);
    grid->packed = grid->num_elements == s->stride;
}

/* ---- sums ---- */

/* Tells whether vertices are computed from a sum or have it. */
static bool is_used(const clspi_strips *strips, uint32_t number)
{
    const int32_t *const at = strips->grid.shape.at;
    const bool bends = at[CLSPI_PART_CURVATURE] >= 0 && number != 3;
    const bool first = number < 3 && (strips->has_normals || strips->is_centred);

    return at[part_of_sum[number]] >= 0 || bends || first;
}

/* Lists the sums; what is used and has no sum is 0. */
static void list_sums(clspi_strips *strips)
{
    const clspi_vertex_tile_desc *const d = &strips->desc;
    clspi_strip_grid *const grid = &strips->grid;
    const uint32_t num = d->only_points ? 1 : d->num_sums;
    uint32_t k = 0;

    for (uint32_t number = 0; number < CLSPI_VERTEX_SUMS; number++) {
        const bool there = k < num && (d->only_points ? 0 : d->numbers[k]) == number;
        if (there) grid->sum[k++].number = number;
        if (there || is_used(strips, number)) grid->used[grid->num_used++] = number;
        if (!there && is_used(strips, number)) grid->zero[grid->num_zero++] = number;
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

static const uint32_t *by_of(const clspi_strips *strips, uint32_t k)
{
    static const uint32_t none[3];

    return strips->desc.only_points ? none : strips->desc.by[k];
}

/* Describes the sums. */
static bool make_sums(clspi_strips *strips)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    clspi_strip_grid *const grid = &strips->grid;

    for (uint32_t k = 0; k < grid->num_sums; k++) {
        clspi_strip_sum *const sum = &grid->sum[k];
        size_t reals = strips->coords;
        for (uint32_t n = 0; n < 2; n++) {
            const uint32_t by = by_of(strips, k)[n];
            const basis *const b = &strips->bases[n][by];
            if (!make_basis(strips, n, by)) return false;
            sum->controls[n] = d->controls[n] - by;
            sum->terms[n] = b->most;
            sum->values[n] = b->values;
            sum->first[n] = b->first;
            sum->count = b->count;
        }
        sum->at = grid->vector_reals;
        if (!multiply(&reals, sum->controls[0]) || !multiply(&reals, strips->functions->lanes) ||
            reals > SIZE_MAX / 4 - sum->at)
            return false;
        grid->vector_reals += reals;
    }
    return true;
}

/* ---- life ---- */

/* Describes a vertex. */
static clspi_vertex_shape shape_of(const clspi_vertex_tile_desc *desc)
{
    const clspi_row_vertex *const v = &desc->points.vertex;
    clspi_vertex_shape shape = {.dim = v->dim,
                                .rational = v->rational,
                                .directions = 2,
                                .type = v->type,
                                .stride = v->stride};

    if (!desc->only_points) return desc->shape;
    for (int k = 0; k < CLSPI_PARTS; k++)
        shape.at[k] = -1;
    shape.at[CLSPI_PART_POINT] = (int32_t)v->at_point;
    shape.at[CLSPI_PART_WEIGHT] = v->at_weight;
    return shape;
}

/* Tells whether vertices have derivatives of a rational patch. */
static bool needs_centre(const clspi_vertex_shape *shape)
{
    bool needed = false;

    for (int k = 0; k < CLSPI_PARTS; k++)
        if (k != CLSPI_PART_POINT && k != CLSPI_PART_WEIGHT && k != CLSPI_PART_PARAMS)
            needed = needed || shape->at[k] >= 0;
    return needed && shape->rational;
}

static const clspi_strip_functions *functions_for(const clspi_tile_desc *d)
{
    const clspi_strip_functions *const few = &clspi_strip_functions_f32_short;

    return d->f64                     ? &clspi_strip_functions_f64
           : d->nums[1] <= few->lanes ? few
                                      : &clspi_strip_functions_f32;
}

static bool prepare(clspi_strips *strips)
{
    const clspi_tile_desc *const d = &strips->desc.points;
    clspi_strip_grid *const grid = &strips->grid;

    strips->vertex = d->f64 ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;
    strips->functions = functions_for(d);
    grid->shape = shape_of(&strips->desc);
    grid->rows = d->nums[0];
    grid->columns = d->nums[1];
    grid->vectors = (grid->columns - 1) / strips->functions->lanes + 1;
    strips->coords = grid->shape.dim + grid->shape.rational;
    strips->num_points = d->controls[0];
    strips->is_centred = needs_centre(&grid->shape);
    strips->has_normals =
        grid->shape.at[CLSPI_PART_NORMAL] >= 0 || grid->shape.at[CLSPI_PART_CURVATURE] >= 0;
    list_elements(grid);
    list_sums(strips);
    grid->plain = is_plain(grid) && grid->shape.dim == 3;
    grid->interleaved = is_plain(grid) && grid->num_sums == 1 && !grid->shape.rational;
    if (!multiply(&strips->num_points, d->controls[1]) || !make_sums(strips) ||
        !make_tables(strips))
        return false;
    const size_t bytes = grid->vector_reals * strips->functions->real_bytes + 1;
    grid->strip = min_size(STRIP_BYTES / bytes + 1, STRIP_VECTORS);
    for (int k = 0; k < 2; k++) {
        grid->param[k] = strips->param[k];
        grid->limit[k] = strips->limit[k];
    }
    return true;
}

clspi_strips *clspi_strips_create(const clspi_vertex_tile_desc *desc)
{
    clspi_strips *strips = calloc(1, sizeof *strips);

    if (!strips) return NULL;
    strips->desc = *desc;
    if (!prepare(strips)) clspi_strips_destroy(&strips);
    return strips;
}

void clspi_strips_destroy(clspi_strips **strips)
{
    clspi_strips *const s = strips ? *strips : NULL;

    if (!s) return;
    for (int n = 0; n < 2; n++) {
        for (int by = 0; by < DERIVATIVES; by++) {
            free(s->bases[n][by].values);
            free(s->bases[n][by].first);
            free(s->bases[n][by].count);
        }
        free(s->param[n]);
        free(s->limit[n]);
    }
    free(s);
    *strips = NULL;
}

/* Tells whether the sums of a grid have control points other than the patch's. */
static bool has_derivatives(const clspi_strips *strips)
{
    return strips->grid.num_sums > 1 || strips->grid.sum[0].number > 0;
}

static bool allocate(clspi_strips_scratch *scratch)
{
    const clspi_strips *const strips = scratch->strips;
    const clspi_strip_grid *const grid = &strips->grid;

    scratch->sums = reals_of(strips, grid->vectors, grid->vector_reals);
    if (strips->is_centred) scratch->centred = reals_of(strips, strips->num_points, strips->coords);
    if (has_derivatives(strips))
        scratch->points = reals_of(strips, strips->num_points, strips->coords);
    if (!scratch->sums || (strips->is_centred && !scratch->centred) ||
        (has_derivatives(strips) && !scratch->points))
        return false;
    for (int k = 0; k < 4 && strips->has_normals; k++) {
        scratch->largest[k / 2][k % 2] = reals_of(strips, grid->vectors, strips->functions->lanes);
        if (!scratch->largest[k / 2][k % 2]) return false;
    }
    return true;
}

clspi_strips_scratch *clspi_strips_scratch_create(const clspi_strips *strips)
{
    clspi_strips_scratch *scratch = calloc(1, sizeof *scratch);

    if (!scratch) return NULL;
    scratch->strips = strips;
    if (!allocate(scratch)) clspi_strips_scratch_destroy(&scratch);
    return scratch;
}

void clspi_strips_scratch_destroy(clspi_strips_scratch **scratch)
{
    clspi_strips_scratch *const s = scratch ? *scratch : NULL;

    if (!s) return;
    free(s->centred);
    free(s->points);
    free(s->sums);
    for (int k = 0; k < 4; k++)
        free(s->largest[k / 2][k % 2]);
    free(s);
    *scratch = NULL;
}

void clspi_strips_scratch_forget(clspi_strips_scratch *scratch)
{
    scratch->has_sums = false;
}

/* ---- a patch ---- */

/* Finds the largest partial sums of a tangent, k of 0 and 1; on the first and the last column with
   a margin where the pass over the edges looks again. sum: NULL where that derivative is 0. */
static void find_largest(clspi_strips_scratch *scratch, const clspi_strip_sum *sum, uint32_t k)
{
    const clspi_strips *const strips = scratch->strips;
    const clspi_strip_grid *const grid = &strips->grid;
    const size_t bytes = strips->functions->real_bytes;
    const size_t columns = grid->columns, all = grid->vectors * strips->functions->lanes;

    for (int weight = 0; weight < 2 && !sum; weight++)
        memset(scratch->largest[k][weight], 0, all * bytes);
    if (sum) strips->functions->largest(grid, sum, scratch->sums, scratch->largest[k]);
    for (int weight = 0; weight < 2; weight++) {
        char *const to = scratch->largest[k][weight];
        strips->vertex->scale(to, 1, CLSPI_EDGE_MARGIN);
        strips->vertex->scale(to + (columns - 1) * bytes, 1, CLSPI_EDGE_MARGIN);
        if (!grid->shape.rational) strips->vertex->invert(to, all);
    }
}

/* Makes scratch hold the partial sums of a patch. */
static void make_partial_sums(clspi_strips_scratch *scratch, const clspi_tile_rows *rows)
{
    const clspi_strips *const strips = scratch->strips;
    const clspi_strip_grid *const grid = &strips->grid;
    const clspi_strip_sum *tangent[2] = {NULL, NULL};
    const void *from = rows->points;

    if (scratch->has_sums && scratch->patch == rows->patch) return;
    if (strips->is_centred) {
        memcpy(scratch->centred, from,
               strips->num_points * strips->coords * strips->functions->real_bytes);
        strips->vertex->centre(scratch->centred, strips->num_points, grid->shape.dim,
                               scratch->centre);
        from = scratch->centred;
    }
    for (uint32_t k = 0; k < grid->num_sums; k++) {
        const clspi_strip_sum *const sum = &grid->sum[k];
        const void *points = from;
        if (sum->number > 0) {
            clspi_derivative_points(&strips->desc, strips->vertex, from, by_of(strips, k),
                                    scratch->points);
            points = scratch->points;
        }
        strips->functions->partial(grid, sum, points, scratch->sums);
        if (sum->number == 1 || sum->number == 2) tangent[sum->number - 1] = sum;
    }
    for (uint32_t k = 0; k < 2 && strips->has_normals; k++)
        find_largest(scratch, tangent[k], k);
    scratch->has_sums = true;
    scratch->patch = rows->patch;
}

void clspi_strips_eval(const clspi_strips *strips, clspi_strips_scratch *scratch,
                       const clspi_tile_rows *rows)
{
    const clspi_strip_patch patch = {.sums = scratch->sums,
                                     .largest = {{scratch->largest[0][0], scratch->largest[0][1]},
                                                 {scratch->largest[1][0], scratch->largest[1][1]}},
                                     .centre = strips->is_centred ? scratch->centre : NULL};

    make_partial_sums(scratch, rows);
    strips->functions->rows(&strips->grid, &patch, rows->first_row, rows->num_rows, rows->out);
}
