#include "cell_blocks.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE = 1024,
    /* places for the points of a block, a power of two above twice their number */
};

struct clspi_block_maker {
    clspi_cell_blocks *blocks;
    clspi_key_map patterns;
    uint32_t stamp, stamps[TABLE];
    uint32_t point[TABLE]; /* of places with this stamp */
    uint16_t number[TABLE];
    uint32_t unique[CLSPI_PATTERN]; /* the block's points */
    uint32_t num;
    uint8_t pattern[CLSPI_PATTERN];
};

/* ---- memory ---- */

/* Makes room for `num` more elements; false without memory. */
static bool reserve(void **memory, size_t *room, size_t used, size_t num, size_t bytes)
{
    size_t wanted = *room;
    void *more;

    if (used + num <= *room) return true;
    while (wanted < used + num)
        wanted = 2 * wanted + 64;
    more = realloc(*memory, wanted * bytes);
    if (!more) return false;
    *memory = more;
    *room = wanted;
    return true;
}

/* ---- one block ---- */

/* Gives a point its number in the block. */
static uint32_t number_of(clspi_block_maker *m, uint32_t point)
{
    size_t at = (point * UINT32_C(0x9e3779b1)) >> 22;

    while (m->stamps[at] == m->stamp && m->point[at] != point)
        at = (at + 1) & (TABLE - 1);
    if (m->stamps[at] != m->stamp) {
        m->stamps[at] = m->stamp;
        m->point[at] = point;
        m->number[at] = (uint16_t)m->num;
        m->unique[m->num++] = point;
    }
    return m->number[at];
}

/* Finds the points of some cells and the places of each cell's. False: they are too many. */
static bool collect(clspi_block_maker *m, uint32_t num, const uint32_t (*grid)[CLSPI_GRID_POINTS])
{
    m->num = 0;
    if (++m->stamp == 0) {
        memset(m->stamps, 0, sizeof m->stamps);
        m->stamp = 1;
    }
    memset(m->pattern, 0, sizeof m->pattern);
    for (uint32_t j = 0; j < num; j++) {
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
            m->pattern[j * CLSPI_GRID_POINTS + i] = (uint8_t)number_of(m, grid[j][i]);
        if (m->num > CLSPI_BLOCK_POINTS) return false;
    }
    return true;
}

clspi_key clspi_pattern_key(const uint8_t pattern[CLSPI_PATTERN])
{
    clspi_key key = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};
    uint64_t word;

    for (size_t i = 0; i < CLSPI_PATTERN; i += sizeof word) {
        memcpy(&word, pattern + i, sizeof word);
        key.a = (key.a ^ word) * UINT64_C(0x2545f4914f6cdd1d);
        key.a ^= key.a >> 29;
        key.b = (key.b + word + 1) * UINT64_C(0xd6e8feb86659fd93);
        key.b ^= key.b >> 32;
    }
    return key;
}

/* Gives a pattern a number, and keeps it where it is new. */
static uint32_t put_pattern(clspi_block_maker *m, const uint8_t *pattern)
{
    clspi_cell_blocks *const b = m->blocks;
    const uint32_t at = clspi_key_map_put(&m->patterns, clspi_pattern_key(pattern));

    if (at != b->num_patterns || at == CLSPI_NO_KEY) return at;
    if (!reserve((void **)&b->patterns, &b->pattern_room, at, 1, CLSPI_PATTERN))
        return CLSPI_NO_KEY;
    memcpy(b->patterns + (size_t)at * CLSPI_PATTERN, pattern, CLSPI_PATTERN);
    b->num_patterns++;
    return at;
}

/* Adds a block of so many points, a pattern's number and cells; returns where its points go, or
   NULL. */
static uint32_t *add_block(clspi_block_maker *m, uint32_t num_points, uint32_t number,
                           const uint32_t cells[CLSPI_BLOCK_CELLS])
{
    clspi_cell_blocks *const b = m->blocks;
    uint32_t *words, *points;

    if (number == CLSPI_NO_KEY || b->num_points + num_points > UINT32_MAX ||
        !reserve((void **)&b->words, &b->room, b->num, 1, CLSPI_BLOCK_WORDS * sizeof *b->words) ||
        !reserve((void **)&b->points, &b->point_room, b->num_points, num_points, sizeof *b->points))
        return NULL;
    words = b->words + b->num++ * CLSPI_BLOCK_WORDS;
    words[0] = (uint32_t)b->num_points;
    words[1] = num_points;
    words[2] = number;
    memcpy(words + 3, cells, CLSPI_BLOCK_CELLS * sizeof *cells);
    points = b->points + b->num_points;
    b->num_points += num_points;
    return points;
}

/* Returns where point i of sibling j is in their lattice. */
static uint32_t lattice_place(uint32_t j, uint32_t i)
{
    enum { SIDE = CLSPI_LATTICE_SIDE };
    const uint32_t x = i / 16 % 4 + (j & 1), y = i / 4 % 4 + (j >> 1 & 1), z = i % 4 + (j >> 2);

    return (x * SIDE + y) * SIDE + z;
}

/* Puts the points of sibling j into a lattice, some of whose points are known. Returns false, and
   changes nothing, where they differ from these. */
static bool put_grid(uint32_t lattice[CLSPI_LATTICE_POINTS], bool known[CLSPI_LATTICE_POINTS],
                     uint32_t j, const uint32_t grid[CLSPI_GRID_POINTS])
{
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        const uint32_t k = lattice_place(j, i);
        if (known[k] && lattice[k] != grid[i]) return false;
    }
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        const uint32_t k = lattice_place(j, i);
        lattice[k] = grid[i];
        known[k] = true;
    }
    return true;
}

/* Adds a block of siblings. */
static bool add_lattice(clspi_block_maker *m, const uint32_t cells[CLSPI_BLOCK_CELLS],
                        const uint32_t lattice[CLSPI_LATTICE_POINTS])
{
    uint32_t *const points = add_block(m, CLSPI_LATTICE_POINTS, CLSPI_SIBLINGS, cells);

    if (points) memcpy(points, lattice, CLSPI_LATTICE_POINTS * sizeof *points);
    return points != NULL;
}

bool clspi_block_maker_add_siblings(clspi_block_maker *m, const uint32_t cells[CLSPI_BLOCK_CELLS],
                                    const uint32_t (*grid)[CLSPI_GRID_POINTS], uint32_t first)
{
    bool known[CLSPI_LATTICE_POINTS] = {false};
    uint32_t lattice[CLSPI_LATTICE_POINTS], fit[CLSPI_BLOCK_CELLS];

    for (uint32_t k = 0; k < CLSPI_LATTICE_POINTS; k++)
        lattice[k] = grid[first][0]; /* where no cell has a point there is any */
    for (uint32_t i = 0; i < CLSPI_BLOCK_CELLS; i++) {
        const uint32_t j = first ^ i;
        const bool fits = cells[j] != CLSPI_NO_CELL && put_grid(lattice, known, j, grid[j]);
        fit[j] = fits ? cells[j] : CLSPI_NO_CELL;
    }
    return add_lattice(m, fit, lattice);
}

bool clspi_block_maker_add_lattice(clspi_block_maker *m, uint32_t cell,
                                   const uint32_t lattice[CLSPI_LATTICE_POINTS])
{
    uint32_t cells[CLSPI_BLOCK_CELLS];

    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++)
        cells[j] = cell + j;
    return add_lattice(m, cells, lattice);
}

bool clspi_block_maker_add(clspi_block_maker *m, const uint32_t *cells, uint32_t num,
                           const uint32_t (*grid)[CLSPI_GRID_POINTS])
{
    uint32_t all[CLSPI_BLOCK_CELLS], *points;

    if (!collect(m, num, grid))
        return clspi_block_maker_add(m, cells, num / 2, grid) &&
               clspi_block_maker_add(m, cells + num / 2, num - num / 2, grid + num / 2);
    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++)
        all[j] = j < num ? cells[j] : CLSPI_NO_CELL;
    points = add_block(m, m->num, put_pattern(m, m->pattern), all);
    if (points) memcpy(points, m->unique, m->num * sizeof *points);
    return points != NULL;
}

/* ---- all ---- */

/* Puts the pattern of siblings first. */
static bool put_siblings(clspi_block_maker *m)
{
    for (uint32_t i = 0; i < CLSPI_PATTERN; i++)
        m->pattern[i] = (uint8_t)lattice_place(i / CLSPI_GRID_POINTS, i % CLSPI_GRID_POINTS);
    return put_pattern(m, m->pattern) == CLSPI_SIBLINGS;
}

clspi_block_maker *clspi_block_maker_create(clspi_cell_blocks *blocks)
{
    clspi_block_maker *const m = calloc(1, sizeof *m);

    if (!m) return NULL;
    m->blocks = blocks;
    if (clspi_key_map_make(&m->patterns) && put_siblings(m)) return m;
    clspi_block_maker_destroy(m);
    return NULL;
}

void clspi_block_maker_destroy(clspi_block_maker *m)
{
    if (m) clspi_key_map_release(&m->patterns);
    free(m);
}

void clspi_cell_block_points(const clspi_cell_blocks *blocks, size_t block, uint32_t j,
                             uint32_t points[CLSPI_GRID_POINTS])
{
    const uint8_t *places;
    const uint32_t *const all = clspi_cell_block_grid(blocks, block, j, &places);

    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        points[i] = all[places[i]];
}

void clspi_cell_blocks_release(clspi_cell_blocks *blocks)
{
    free(blocks->words);
    free(blocks->points);
    free(blocks->patterns);
    clspi_cell_spans_release(&blocks->spans);
    *blocks = (clspi_cell_blocks){0};
}

clspi_cell_span clspi_cell_block_span(const uint32_t words[CLSPI_BLOCK_WORDS])
{
    const uint32_t *const cells = words + 3;
    clspi_cell_span span = {CLSPI_NO_CELL, 0};

    for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++) {
        if (cells[j] == CLSPI_NO_CELL) continue;
        if (cells[j] < span.first) span.first = cells[j];
        if (cells[j] > span.last) span.last = cells[j];
    }
    return span;
}

static int compare_blocks(const void *a, const void *b)
{
    const uint32_t first = clspi_cell_block_span(a).first, second = clspi_cell_block_span(b).first;

    return (first > second) - (first < second);
}

void clspi_cell_blocks_sort(clspi_cell_blocks *blocks)
{
    if (blocks->num)
        qsort(blocks->words, blocks->num, CLSPI_BLOCK_WORDS * sizeof *blocks->words,
              compare_blocks);
}
