#include "cell_search.h"

#include <stdlib.h>
#include <string.h>

#include "cell_tiles.h"

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
    s->cell = cell;
    if (s->too_large) return false;
    use->number = clspi_key_map_put(&s->rings, clspi_ring_key(s->ring->signature));
    if (use->number == CLSPI_NO_KEY) return false;
    if (s->rings.num > s->num_rings) s->ring_cell[s->num_rings++] = cell;
    *place = (uint32_t)s->num_index;
    memcpy(s->index + s->num_index, s->ring->point, s->ring->num_points * sizeof *s->index);
    s->num_index += s->ring->num_points;
    return true;
}

/* ---- blocks ---- */

/* Cells of a search that are being put into blocks: use and place are those of all cells, and a
   regular cell whose place is CLSPI_NO_CELL has no block yet. */
typedef struct sorting {
    clspi_cell_search *search;
    clspi_block_maker *maker;
    clspi_class_use *use;
    uint32_t *place;
} sorting;

static bool is_left(const sorting *t, uint32_t cell)
{
    return t->use[cell].number == CLSPI_REGULAR && t->place[cell] == CLSPI_NO_CELL;
}

/* Writes places in blocks into those of their cells, from a block on. */
static void place_blocks(const sorting *t, size_t first)
{
    const clspi_cell_blocks *const blocks = &t->search->blocks;

    for (size_t b = first; b < blocks->num; b++)
        for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
            const uint32_t cell = blocks->words[b * CLSPI_BLOCK_WORDS + 3 + j];
            if (cell != CLSPI_NO_CELL) t->place[cell] = (uint32_t)b * CLSPI_BLOCK_CELLS + j;
        }
}

static bool find_grid(const sorting *t, uint32_t cell, uint32_t grid[CLSPI_GRID_POINTS])
{
    clspi_regular_grid(t->search->mesh, cell, grid);
    return continue_grid(t->search, grid, 4);
}

/* Puts those of 8 cells that lie as the children of a cell do into a block, number `first` among
   them. */
static bool add_siblings(const sorting *t, const uint32_t cells[CLSPI_BLOCK_CELLS], uint32_t first)
{
    uint32_t grid[CLSPI_BLOCK_CELLS][CLSPI_GRID_POINTS];
    const size_t block = t->search->blocks.num;

    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++)
        if (cells[j] != CLSPI_NO_CELL && !find_grid(t, cells[j], grid[j])) return false;
    if (!clspi_block_maker_add_siblings(t->maker, cells, (const uint32_t(*)[CLSPI_GRID_POINTS])grid,
                                        first))
        return false;
    place_blocks(t, block);
    return true;
}

/* Puts the children of a cell, 8 cells from one on, into a block. */
static bool add_children(const sorting *t, uint32_t begin)
{
    uint32_t cells[CLSPI_BLOCK_CELLS], lattice[CLSPI_LATTICE_POINTS], num = 0, first = 0;
    const size_t block = t->search->blocks.num;

    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
        const bool left = is_left(t, begin + j);
        cells[j] = left ? begin + j : CLSPI_NO_CELL;
        if (left && num++ == 0) first = j;
    }
    if (num == 0) return true;
    if (num < CLSPI_BLOCK_CELLS) return add_siblings(t, cells, first);
    clspi_regular_lattice(t->search->mesh, begin, lattice);
    if (!continue_grid(t->search, lattice, CLSPI_LATTICE_SIDE) ||
        !clspi_block_maker_add_lattice(t->maker, begin, lattice))
        return false;
    place_blocks(t, block);
    return true;
}

/* Takes blocks back, from one on. */
static void take_back(const sorting *t, size_t first, size_t num_points)
{
    clspi_cell_blocks *const blocks = &t->search->blocks;

    for (size_t b = first; b < blocks->num; b++)
        for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
            const uint32_t cell = blocks->words[b * CLSPI_BLOCK_WORDS + 3 + j];
            if (cell != CLSPI_NO_CELL) t->place[cell] = CLSPI_NO_CELL;
        }
    blocks->num = first;
    blocks->num_points = num_points;
}

/* Puts cells that are left into blocks with those beside them; returns false without memory. */
static bool add_tiles(const sorting *t, clspi_cell_tiles *tiles)
{
    for (uint32_t c = tiles->first; c < tiles->end; c++) {
        if (!tiles->left[c - tiles->first]) continue;
        if (!clspi_cell_tiles_find(tiles, c)) return false;
        for (uint32_t i = 0; i < tiles->num; i++) {
            const clspi_cell_tile *const tile = &tiles->tile[i];
            if (!add_siblings(t, tile->cells, tile->first)) return false;
            for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
                const uint32_t cell = tile->cells[j];
                if (cell != CLSPI_NO_CELL) tiles->left[cell - tiles->first] = is_left(t, cell);
            }
        }
    }
    return true;
}

/* Adds blocks of neighbours unless these have many gaps: GPUs then are faster with blocks of any
   cells. */
static bool add_neighbours(const sorting *t)
{
    const clspi_cell_search *const s = t->search;
    const size_t first = s->blocks.num, num_points = s->blocks.num_points;
    clspi_cell_tiles tiles;
    size_t num = 0;
    bool done;

    for (uint32_t c = s->first; c < s->end; c++)
        num += is_left(t, c);
    if (num == 0) return true;
    done = clspi_cell_tiles_make(&tiles, s->mesh, s->first, s->end);
    for (uint32_t c = s->first; c < s->end && done; c++)
        tiles.left[c - s->first] = is_left(t, c);
    done = done && add_tiles(t, &tiles);
    if (done && 2 * CLSPI_BLOCK_CELLS * (s->blocks.num - first) > 3 * num)
        take_back(t, first, num_points);
    clspi_cell_tiles_release(&tiles);
    return done;
}

/* Puts cells that are left into blocks by their numbers. */
static bool add_others(const sorting *t)
{
    uint32_t grid[CLSPI_BLOCK_CELLS][CLSPI_GRID_POINTS], cells[CLSPI_BLOCK_CELLS], num = 0;
    const uint32_t end = t->search->end;

    for (uint32_t c = t->search->first; c < end; c++) {
        if (is_left(t, c)) {
            if (!find_grid(t, c, grid[num])) return false;
            cells[num++] = c;
        }
        if (num < CLSPI_BLOCK_CELLS && (num == 0 || c < end - 1)) continue;
        if (!clspi_block_maker_add(t->maker, cells, num,
                                   (const uint32_t(*)[CLSPI_GRID_POINTS])grid))
            return false;
        num = 0;
    }
    return true;
}

/* ---- all ---- */

/* Finds the rings of cells that are not regular, and blocks of the children of cells. */
static bool find_cells(const sorting *t)
{
    clspi_cell_search *const s = t->search;

    for (uint32_t c = s->first; c < s->end; c++) {
        t->use[c] = (clspi_class_use){CLSPI_REGULAR, 0};
        t->place[c] = CLSPI_NO_CELL;
        if (!clspi_cell_is_regular(s->mesh, c) && !find_ring(s, c, &t->use[c], &t->place[c]))
            return false;
        const uint32_t begin = c - c % CLSPI_BLOCK_CELLS;
        if (c - begin == CLSPI_BLOCK_CELLS - 1 && clspi_are_siblings(s->mesh, begin) &&
            !add_children(t, begin))
            return false;
    }
    return true;
}

bool clspi_cell_search_run(clspi_cell_search *s, clspi_class_use *use, uint32_t *place)
{
    const sorting t = {s, clspi_block_maker_create(&s->blocks), use, place};
    bool done = clspi_key_map_make(&s->continued);

    done = clspi_key_map_make(&s->rings) && done && t.maker;
    done = done && find_cells(&t) && add_neighbours(&t) && add_others(&t);
    if (done) {
        clspi_cell_blocks_sort(&s->blocks);
        place_blocks(&t, 0);
    }
    clspi_block_maker_destroy(t.maker);
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
