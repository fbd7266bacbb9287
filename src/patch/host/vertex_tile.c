#include "vertex_tile.h"

#include <stdlib.h>
#include <string.h>

#include "edge_sums.h"
#include "float_state.h"
#include "strips.h"

enum { GROUP_BYTES = 128 << 10 };

struct clspi_vertex_tile {
    clspi_vertex_tile_desc desc;
    const clspi_vertex_functions *sums;
    clspi_strips *strips;
    size_t coords, vertex_bytes;
};

/* ---- life ---- */

clspi_vertex_tile *clspi_vertex_tile_create(const clspi_vertex_tile_desc *desc)
{
    const clspi_row_vertex *const v = &desc->points.vertex;
    clspi_vertex_tile *tile = calloc(1, sizeof *tile);

    if (!tile) return NULL;
    tile->desc = *desc;
    tile->sums = desc->points.f64 ? &clspi_vertex_functions_f64 : &clspi_vertex_functions_f32;
    tile->coords = v->dim + v->rational;
    tile->vertex_bytes = v->stride * clspi_row_bytes(v->type);
    tile->strips = clspi_strips_create(desc);
    if (!tile->strips) clspi_vertex_tile_destroy(&tile);
    return tile;
}

void clspi_vertex_tile_destroy(clspi_vertex_tile **tile)
{
    if (!tile || !*tile) return;
    clspi_strips_destroy(&(*tile)->strips);
    free(*tile);
    *tile = NULL;
}

clspi_vertex_scratch *clspi_vertex_scratch_create(const clspi_vertex_tile *tile)
{
    return clspi_strips_scratch_create(tile->strips);
}

void clspi_vertex_scratch_destroy(clspi_vertex_scratch **scratch)
{
    clspi_strips_scratch_destroy(scratch);
}

void clspi_vertex_scratch_forget(clspi_vertex_scratch *scratch)
{
    clspi_strips_scratch_forget(scratch);
}

/* Returns the numbers of samples of some rows. */
static const uint32_t *nums_of(const clspi_vertex_tile *tile, const clspi_tile_rows *rows)
{
    return rows->nums ? rows->nums : tile->desc.points.nums;
}

/* Returns the vertices of a row. */
static size_t row_vertices(const clspi_vertex_tile *tile, const clspi_tile_rows *rows)
{
    const uint32_t *const nums = nums_of(tile, rows);
    size_t vertices = 1;

    for (uint32_t d = 1; d < tile->desc.points.directions; d++)
        vertices *= nums[d];
    return vertices;
}

/* Returns the rows of the patch that comes p patches after the first one. */
static clspi_tile_rows rows_after(const clspi_vertex_tile *tile, const clspi_tile_rows *rows,
                                  size_t p)
{
    const uint32_t *const controls = tile->desc.points.controls;
    const size_t reals = (size_t)controls[0] * controls[1] * controls[2] * tile->coords;
    const size_t patch_bytes = rows->num_rows * row_vertices(tile, rows) * tile->vertex_bytes;
    clspi_tile_rows later = *rows;

    later.points = (const char *)rows->points + p * reals * tile->sums->real_bytes;
    later.patch += p;
    later.more = 0;
    later.out = (char *)rows->out + p * patch_bytes;
    return later;
}

/* ---- edges ---- */

/* Tells whether the side at the begin (far 0) or the end of a direction is an edge of the patch,
   and no other side. */
static bool is_edge(const clspi_vertex_tile *tile, const uint32_t *nums, uint32_t across,
                    uint32_t far)
{
    const double at = tile->desc.axis[across][far];

    return (at == 0.0 || at == 1.0) && !(far && nums[across] == 1);
}

/* Makes a side of the grid, where it is an edge, of the rows that there are. Corners belong to the
   sides along v. */
static void make_side(const clspi_vertex_tile *tile, const clspi_tile_rows *rows,
                      const clspi_vertex_shape *shape, uint32_t across, uint32_t far)
{
    const clspi_vertex_tile_desc *const d = &tile->desc;
    const uint32_t *const controls = d->points.controls, *const nums = nums_of(tile, rows);
    const uint32_t at = far ? nums[across] - 1 : 0, along = 1 - across, last = nums[0] - 1;
    const ptrdiff_t stride = (ptrdiff_t)d->shape.stride;
    const ptrdiff_t steps[2] = {(ptrdiff_t)(controls[1] * tile->coords), (ptrdiff_t)tile->coords};
    const bool ends = d->axis[across][far] == 1.0;
    const uint32_t begin = rows->first_row, end = begin + rows->num_rows;
    const uint32_t from = begin + (begin == 0 && is_edge(tile, nums, 0, 0));
    const uint32_t to = end - (end > last && is_edge(tile, nums, 0, 1));
    const size_t first =
        across == 0 ? (size_t)(at - begin) * nums[1] : (size_t)(from - begin) * nums[1] + at;

    if (!is_edge(tile, nums, across, far)) return;
    if (across == 0 ? at < begin || at >= end : from >= to) return;
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
        .first = across == 0 ? 0 : from,
        .count = across == 0 ? nums[1] : to - from,
        .out = (char *)rows->out + first * d->shape.stride * clspi_row_bytes(d->shape.type),
        .to_next = across == 0 ? stride : stride * (ptrdiff_t)nums[1]};
    clspi_edge_sums(d->points.f64, shape, &edge);
}

/* Makes all sides of the grid of one patch, of the vertices of a shape. */
static void make_edges(const clspi_vertex_tile *tile, const clspi_tile_rows *rows,
                       const clspi_vertex_shape *shape)
{
    for (uint32_t across = 0; across < 2; across++)
        for (uint32_t far = 0; far < 2; far++)
            make_side(tile, rows, shape, across, far);
}

/* Lets sums of floats flush small numbers; weights may make up for them. */
static clspi_float_state flush(const clspi_vertex_tile *tile)
{
    return clspi_float_flush(!tile->desc.points.f64 && !tile->desc.points.rational);
}

/* ---- rows ---- */

/* Returns how many patches are made before their edges: while their vertices are in a core's own
   cache. */
static size_t patches_at_once(const clspi_vertex_tile *tile, const clspi_tile_rows *rows)
{
    const size_t bytes = rows->num_rows * row_vertices(tile, rows) * tile->vertex_bytes;

    return !tile->desc.edges ? rows->more + 1 : bytes < GROUP_BYTES ? GROUP_BYTES / (bytes + 1) : 1;
}

void clspi_vertex_tile_eval(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows)
{
    const clspi_float_state before = flush(tile);
    const size_t end = rows->more + 1, most = patches_at_once(tile, rows);
    clspi_vertex_shape shape = tile->desc.shape;

    if (rows->only_edges) shape.at[ATTRIBUTE_NORMAL] = -1;
    for (size_t p = 0, num; p < end; p += num) {
        clspi_tile_rows group = rows_after(tile, rows, p);
        num = end - p < most ? end - p : most;
        group.more = num - 1;
        if (!rows->only_edges) clspi_strips_eval(scratch, &group);
        for (size_t k = 0; k < num && tile->desc.edges; k++) {
            const clspi_tile_rows of = rows_after(tile, &group, k);
            make_edges(tile, &of, &shape);
        }
    }
    clspi_float_state_set(before);
}

/* Evaluates some vertices of a row of which not all are wanted. */
static bool eval_part(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                      const clspi_tile_rows *rows, size_t first, size_t count)
{
    const size_t vertices = row_vertices(tile, rows), bytes = tile->vertex_bytes;
    char *const memory = malloc(vertices * bytes), *const part = memory + first % vertices * bytes;
    clspi_tile_rows row = *rows;

    if (!memory) return false;
    row.first_row = (uint32_t)(first / vertices);
    row.num_rows = 1;
    row.out = memory;
    memcpy(part, rows->out, count * bytes); /* elements that stay as they are */
    clspi_vertex_tile_eval(tile, scratch, &row);
    memcpy(rows->out, part, count * bytes);
    free(memory);
    return true;
}

bool clspi_vertex_tile_some(const clspi_vertex_tile *tile, clspi_vertex_scratch *scratch,
                            const clspi_tile_rows *rows, size_t first, size_t count)
{
    const size_t vertices = row_vertices(tile, rows), end = first + count;
    clspi_tile_rows some = *rows;
    bool made = true;

    some.more = 0;
    for (size_t next; first < end && made; first = next) {
        const size_t left = end - first, whole = first % vertices == 0 ? left / vertices : 0;
        const size_t in_row = vertices - first % vertices;
        const size_t part = left < in_row ? left : in_row;
        next = first + (whole > 0 ? whole * vertices : part);
        some.first_row = (uint32_t)(first / vertices);
        some.num_rows = (uint32_t)whole;
        if (whole > 0)
            clspi_vertex_tile_eval(tile, scratch, &some);
        else
            made = eval_part(tile, scratch, &some, first, part);
        some.out = (char *)some.out + (next - first) * tile->vertex_bytes;
    }
    return made;
}
