#include "cell_points.h"

#include <stdlib.h>
#include <string.h>

/* ---- points ---- */

uint32_t clspi_continued_point(clspi_cell_points *points, uint32_t a, uint32_t b)
{
    const uint32_t at =
        clspi_key_map_put(&points->continued, (clspi_key){(uint64_t)a << 32 | b, 0});

    return at >= CLSPI_NO_KEY - points->num_vertices ? CLSPI_NO_KEY : points->num_vertices + at;
}

/* Continues the grid of a regular cell beyond the boundary, along one axis after the other. */
static bool continue_grid(clspi_cell_points *points, uint32_t *grid)
{
    static const uint8_t stride[3] = {16, 4, 1};
    bool done = true, is_whole = true;

    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        is_whole &= grid[i] != CLSPI_NO_CELL;
    if (is_whole) return true;
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS && done; i++) {
            const uint32_t s = stride[a], at = i / s % 4;
            const uint32_t one = at == 0 ? i + s : i - s, two = at == 0 ? i + 2 * s : i - 2 * s;
            if (grid[i] != CLSPI_NO_CELL || (at != 0 && at != 3)) continue;
            if (grid[one] == CLSPI_NO_CELL) continue; /* a later axis continues it */
            grid[i] = clspi_continued_point(points, grid[one], grid[two]);
            done = grid[i] != CLSPI_NO_KEY;
        }
    return done;
}

/* Appends the points of the cell found last. */
static bool append_points(clspi_cell_points *points, const clspi_class_set *set, uint32_t cell)
{
    const uint32_t num = set->entry[points->use[cell].number].num_points;

    if (points->num_index + num > UINT32_MAX) return false;
    if (points->num_index + num > points->index_room) {
        const size_t room = 2 * points->index_room + CLSPI_RING_POINTS;
        uint32_t *const more = realloc(points->index, room * sizeof *more);
        if (!more) return false;
        points->index = more;
        points->index_room = room;
    }
    points->place[cell] = (uint32_t)points->num_index;
    memcpy(points->index + points->num_index, set->found, num * sizeof *set->found);
    points->num_index += num;
    return true;
}

/* Finds classes and points of the cells of a block, from `begin` on. */
static bool find_block(clspi_cell_points *points, clspi_class_set *set, const clspi_cell_mesh *mesh,
                       clspi_block_maker *maker, uint32_t begin)
{
    uint32_t grid[CLSPI_BLOCK_CELLS][CLSPI_GRID_POINTS], cells[CLSPI_BLOCK_CELLS], num = 0;
    bool done = true;

    for (uint32_t c = begin; c < mesh->num_cells && c - begin < CLSPI_BLOCK_CELLS && done; c++) {
        points->use[c] = (clspi_class_use){CLSPI_REGULAR, 0};
        if (clspi_cell_is_regular(mesh, c)) {
            clspi_regular_grid(mesh, c, grid[num]);
            done = continue_grid(points, grid[num]);
            cells[num++] = c;
        } else {
            done = clspi_class_find(set, mesh, c, &points->use[c]) && append_points(points, set, c);
        }
    }
    if (!done || num == 0) return done;
    const size_t first = points->blocks.num;
    done = clspi_block_maker_add(maker, cells, num, (const uint32_t(*)[CLSPI_GRID_POINTS])grid);
    for (size_t b = first; b < points->blocks.num && done; b++)
        for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
            const uint32_t cell = points->blocks.words[b * CLSPI_BLOCK_WORDS + 3 + j];
            if (cell != CLSPI_NO_CELL) points->place[cell] = (uint32_t)b * CLSPI_BLOCK_CELLS + j;
        }
    return done;
}

bool clspi_cell_points_make(clspi_cell_points *points, clspi_class_set *set,
                            const clspi_cell_mesh *mesh)
{
    const size_t cells = mesh->num_cells;
    clspi_block_maker *maker;
    bool done;

    *points = (clspi_cell_points){.num_cells = mesh->num_cells, .num_vertices = mesh->num_vertices};
    points->use = malloc((cells + 1) * sizeof *points->use);
    points->place = malloc((cells + 1) * sizeof *points->place);
    maker = clspi_block_maker_create(&points->blocks);
    done = points->use && points->place && maker && clspi_key_map_make(&points->continued);
    for (uint32_t c = 0; c < cells && done; c += CLSPI_BLOCK_CELLS)
        done = find_block(points, set, mesh, maker, c);
    clspi_block_maker_destroy(maker);
    done = done && clspi_class_set_build(set);
    if (!done) clspi_cell_points_release(points);
    return done;
}

void clspi_cell_points_release(clspi_cell_points *points)
{
    clspi_key_map_release(&points->continued);
    free(points->use);
    free(points->place);
    free(points->index);
    clspi_cell_blocks_release(&points->blocks);
    *points = (clspi_cell_points){0};
}

void clspi_cell_points_continue(const clspi_cell_points *points, uint32_t channels, double *control)
{
    for (size_t i = 0; i < points->continued.num; i++) {
        const double *const a = control + (size_t)clspi_continued_from(points, i, 0) * channels;
        const double *const b = control + (size_t)clspi_continued_from(points, i, 1) * channels;
        double *const to = control + (points->num_vertices + i) * channels;
        for (uint32_t k = 0; k < channels; k++)
            to[k] = 2.0 * a[k] - b[k];
    }
}

uint32_t clspi_cell_points_of(const clspi_cell_points *points, const clspi_class_set *set,
                              uint32_t cell, uint32_t *numbers)
{
    const uint32_t class = points->use[cell].number, place = points->place[cell];

    if (class == CLSPI_REGULAR) {
        clspi_cell_block_points(&points->blocks, place / CLSPI_BLOCK_CELLS,
                                place % CLSPI_BLOCK_CELLS, numbers);
        return CLSPI_GRID_POINTS;
    }
    const uint32_t num = set->entry[class].num_points;
    memcpy(numbers, points->index + place, num * sizeof *numbers);
    return num;
}

/* ---- weights ---- */

double clspi_frame_parameter(uint32_t frame, const double t[3], const uint8_t by[3],
                             double framed_t[3], uint8_t framed_by[3])
{
    double factor = 1.0;

    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t own = clspi_frame_axis(frame, a);
        const bool flips = clspi_frame_flips(frame, a);
        framed_t[a] = flips ? 1.0 - t[own] : t[own];
        framed_by[a] = by[own];
        if (flips && by[own] & 1) factor = -factor;
    }
    return factor;
}

void clspi_cell_weights(const clspi_cell_points *points, const clspi_class_set *set, uint32_t cell,
                        const double t[3], const uint8_t by[3], double *row)
{
    const clspi_class_use use = points->use[cell];
    double framed_t[3], factor;
    uint8_t framed_by[3];

    if (use.number == CLSPI_REGULAR) {
        clspi_regular_weights(t, by, row);
        return;
    }
    factor = clspi_frame_parameter(use.frame, t, by, framed_t, framed_by);
    clspi_class_weights(set, use.number, framed_t, framed_by, row);
    const uint32_t num = set->entry[use.number].num_points;
    for (uint32_t i = 0; i < num && factor < 0.0; i++)
        row[i] = -row[i];
}
