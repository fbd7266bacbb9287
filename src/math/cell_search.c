#include "cell_search.h"

#include <stdlib.h>
#include <string.h>

/* ---- points beyond the boundary ---- */

/* Continues a grid of side^3 points beyond the boundary, along one axis after the other. */
static bool continue_grid(clspi_cell_search *s, uint32_t *grid, uint32_t side)
{
    const uint32_t stride[3] = {side * side, side, 1}, num = side * side * side;
    const uint32_t vertices = s->mesh->num_vertices;
    bool is_whole = true;

    for (uint32_t i = 0; i < num; i++)
        is_whole &= grid[i] != CLSPI_NO_CELL;
    for (uint32_t a = 0; a < 3 && !is_whole; a++)
        for (uint32_t i = 0; i < num; i++) {
            const uint32_t step = stride[a], at = i / step % side;
            const uint32_t one = at == 0 ? i + step : i - step;
            const uint32_t two = at == 0 ? i + 2 * step : i - 2 * step;
            if (grid[i] != CLSPI_NO_CELL || (at != 0 && at != side - 1)) continue;
            if (grid[one] == CLSPI_NO_CELL) continue; /* a later axis continues it */
            const clspi_key key = {(uint64_t)grid[one] << 32 | grid[two], 0};
            const uint32_t number = clspi_key_map_put(&s->continued, key);
            if (number >= CLSPI_NO_KEY - vertices) return false;
            grid[i] = vertices + number;
        }
    return true;
}

/* ---- other cells ---- */

/* Makes room for the points of one more cell, and for one more ring. */
static bool reserve(clspi_cell_search *s)
{
    if (!s->ring) s->ring = calloc(1, sizeof *s->ring);
    if (s->num_index + CLSPI_RING_POINTS > s->index_room) {
        const size_t room = 2 * s->index_room + CLSPI_RING_POINTS;
        uint32_t *const more = realloc(s->index, room * sizeof *more);
        if (!more) return false;
        s->index = more;
        s->index_room = room;
    }
    if (s->num_rings == s->ring_room) {
        const size_t room = 2 * s->ring_room + 64;
        uint32_t *const more = realloc(s->ring_cell, room * sizeof *more);
        if (!more) return false;
        s->ring_cell = more;
        s->ring_room = room;
    }
    return s->ring && s->num_index <= UINT32_MAX - CLSPI_RING_POINTS;
}

/* Finds the ring of a cell that is not regular, and appends its points. */
static bool find_ring(clspi_cell_search *s, uint32_t cell, clspi_class_use *use, uint32_t *place)
{
    if (!reserve(s)) return false;
    s->too_large = !clspi_ring_walk(s->ring, s->mesh, cell, 0);
    if (s->too_large) return false;
    use->number = clspi_key_map_put(&s->rings, clspi_ring_key(s->ring));
    if (use->number == CLSPI_NO_KEY) return false;
    if (s->rings.num > s->num_rings) s->ring_cell[s->num_rings++] = cell;
    *place = (uint32_t)s->num_index;
    memcpy(s->index + s->num_index, s->ring->point, s->ring->num_points * sizeof *s->index);
    s->num_index += s->ring->num_points;
    return true;
}

/* ---- all ---- */

/* Finds the points of 8 siblings that are regular, or does nothing. */
static bool find_siblings(clspi_cell_search *s, clspi_block_maker *maker, uint32_t begin,
                          bool *found)
{
    uint32_t lattice[CLSPI_LATTICE_POINTS];

    *found = s->end - begin >= CLSPI_BLOCK_CELLS && clspi_regular_lattice(s->mesh, begin, lattice);
    return !*found || (continue_grid(s, lattice, CLSPI_LATTICE_SIDE) &&
                       clspi_block_maker_add_lattice(maker, begin, lattice));
}

/* Finds rings and points of 8 cells or fewer one by one. */
static bool find_cells(clspi_cell_search *s, clspi_block_maker *maker, uint32_t begin,
                       clspi_class_use *use, uint32_t *place)
{
    uint32_t grid[CLSPI_BLOCK_CELLS][CLSPI_GRID_POINTS], cells[CLSPI_BLOCK_CELLS], num = 0;

    for (uint32_t c = begin; c < s->end && c - begin < CLSPI_BLOCK_CELLS; c++) {
        if (!clspi_cell_is_regular(s->mesh, c)) {
            if (!find_ring(s, c, &use[c], &place[c])) return false;
            continue;
        }
        clspi_regular_grid(s->mesh, c, grid[num]);
        if (!continue_grid(s, grid[num], 4)) return false;
        cells[num++] = c;
    }
    return num == 0 ||
           clspi_block_maker_add(maker, cells, num, (const uint32_t(*)[CLSPI_GRID_POINTS])grid);
}

/* Writes where the cells of a block are. */
static void place_block(const clspi_cell_blocks *blocks, size_t block, uint32_t *place)
{
    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
        const uint32_t cell = blocks->words[block * CLSPI_BLOCK_WORDS + 3 + j];
        if (cell != CLSPI_NO_CELL) place[cell] = (uint32_t)block * CLSPI_BLOCK_CELLS + j;
    }
}

bool clspi_cell_search_run(clspi_cell_search *s, clspi_class_use *use, uint32_t *place)
{
    clspi_block_maker *const maker = clspi_block_maker_create(&s->blocks);
    bool done = clspi_key_map_make(&s->continued);

    done = clspi_key_map_make(&s->rings) && done && maker;
    for (uint32_t c = s->first; c < s->end; c++)
        use[c] = (clspi_class_use){CLSPI_REGULAR, 0};
    for (uint32_t c = s->first; c < s->end && done; c += CLSPI_BLOCK_CELLS) {
        const size_t block = s->blocks.num;
        bool found = false;
        done = find_siblings(s, maker, c, &found);
        if (done && !found) done = find_cells(s, maker, c, use, place);
        for (size_t b = block; b < s->blocks.num && done; b++)
            place_block(&s->blocks, b, place);
    }
    clspi_block_maker_destroy(maker);
    free(s->ring);
    s->ring = NULL;
    return done;
}

void clspi_cell_search_release(clspi_cell_search *s)
{
    clspi_key_map_release(&s->continued);
    clspi_key_map_release(&s->rings);
    clspi_cell_blocks_release(&s->blocks);
    free(s->ring_cell);
    free(s->index);
    free(s->ring);
    free(s->all_continued);
    free(s->all_patterns);
    free(s->all_rings);
    *s = (clspi_cell_search){0};
}
