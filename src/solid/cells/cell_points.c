#include "cell_points.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cell_search.h"
#include "large_array.h"

/* ---- points ---- */

uint32_t clspi_continued_point(clspi_cell_points *points, uint32_t a, uint32_t b)
{
    const uint32_t at =
        clspi_key_map_put(&points->continued, (clspi_key){(uint64_t)a << 32 | b, 0});

    return at >= CLSPI_NO_KEY - points->num_vertices ? CLSPI_NO_KEY : points->num_vertices + at;
}

/* ---- searches put together ---- */

/* Points of a mesh being made: searches of so many cells each. */
typedef struct making {
    clspi_cell_points *points;
    clspi_class_set *set;
    clspi_cell_search *searches;
    size_t num, first; /* pieces, and the first one of those at hand */
    size_t room[3];    /* of blocks, their points, and the index */
    clspi_key_map patterns;
    atomic_bool failed;
} making;

static void run_search(void *user, size_t piece)
{
    making *const m = user;

    if (atomic_load(&m->failed)) return;
    if (!clspi_cell_search_run(&m->searches[m->first + piece], m->points->use, m->points->place))
        atomic_store(&m->failed, true);
}

/* Returns a point's number among all. */
static uint32_t renumber(const clspi_cell_search *s, uint32_t point)
{
    const uint32_t vertices = s->mesh->num_vertices;

    return point < vertices ? point : s->all_continued[point - vertices];
}

static bool number_continued(making *m, clspi_cell_search *s)
{
    for (uint32_t i = 0; i < s->continued.num; i++) {
        const uint64_t key = s->continued.key[i].a;
        s->all_continued[i] = clspi_continued_point(m->points, renumber(s, (uint32_t)(key >> 32)),
                                                    renumber(s, (uint32_t)key));
        if (s->all_continued[i] == CLSPI_NO_KEY) return false;
    }
    return true;
}

/* Gives a search's patterns their numbers, and keeps those that are new. */
static bool number_patterns(making *m, clspi_cell_search *s)
{
    clspi_cell_blocks *const all = &m->points->blocks;

    for (size_t i = 0; i < s->blocks.num_patterns; i++) {
        const uint8_t *const pattern = s->blocks.patterns + i * CLSPI_PATTERN;
        const uint32_t at = clspi_key_map_put(&m->patterns, clspi_pattern_key(pattern));
        s->all_patterns[i] = at;
        if (at == CLSPI_NO_KEY) return false;
        if (at < all->num_patterns) continue;
        uint8_t *const more = realloc(all->patterns, ((size_t)at + 1) * CLSPI_PATTERN);
        if (!more) return false;
        memcpy(more + (size_t)at * CLSPI_PATTERN, pattern, CLSPI_PATTERN);
        all->patterns = more;
        all->num_patterns++;
    }
    return true;
}

/* Finds the numbers that what a search has met has among all. */
static bool number_all(making *m, clspi_cell_search *s)
{
    s->all_continued = malloc(((size_t)s->continued.num + 1) * sizeof *s->all_continued);
    s->all_patterns = malloc((s->blocks.num_patterns + 1) * sizeof *s->all_patterns);
    s->all_rings = malloc(((size_t)s->rings.num + 1) * sizeof *s->all_rings);
    if (!s->all_continued || !s->all_patterns || !s->all_rings) return false;
    for (uint32_t i = 0; i < s->rings.num; i++) {
        s->all_rings[i] = clspi_class_find_use(m->set, s->mesh, s->ring_cell[i], s->rings.key[i]);
        if (s->all_rings[i] == CLSPI_NO_KEY) return false;
    }
    s->first_block = m->points->blocks.num;
    s->first_point = m->points->blocks.num_points;
    s->first_index = m->points->num_index;
    m->points->blocks.num += s->blocks.num;
    m->points->blocks.num_points += s->blocks.num_points;
    m->points->num_index += s->num_index;
    return number_continued(m, s) && number_patterns(m, s);
}

static void copy_blocks(clspi_cell_blocks *all, const clspi_cell_search *s)
{
    uint32_t *const words = all->words + s->first_block * CLSPI_BLOCK_WORDS;

    if (s->blocks.num == 0) return;
    memcpy(words, s->blocks.words, s->blocks.num * CLSPI_BLOCK_WORDS * sizeof *words);
    for (size_t b = 0; b < s->blocks.num; b++) {
        words[b * CLSPI_BLOCK_WORDS] += (uint32_t)s->first_point;
        words[b * CLSPI_BLOCK_WORDS + 2] = s->all_patterns[words[b * CLSPI_BLOCK_WORDS + 2]];
    }
    for (size_t i = 0; i < s->blocks.num_points; i++)
        all->points[s->first_point + i] = renumber(s, s->blocks.points[i]);
}

/* Copies what a search has found to its place among all, and releases the search. */
static void copy_search(void *user, size_t piece)
{
    const making *const m = user;
    clspi_cell_search *const s = &m->searches[m->first + piece];
    clspi_cell_points *const points = m->points;

    copy_blocks(&points->blocks, s);
    for (uint32_t c = s->first; c < s->end; c++) {
        if (points->use[c].number == CLSPI_REGULAR) {
            points->place[c] += (uint32_t)(s->first_block * CLSPI_BLOCK_CELLS);
            continue;
        }
        const uint32_t ring = s->all_rings[points->use[c].number];
        const uint16_t *const order = m->set->order[ring];
        const uint32_t *const from = s->index + points->place[c];
        points->use[c] = m->set->use[ring];
        points->place[c] += (uint32_t)s->first_index;
        const uint32_t num = m->set->entry[points->use[c].number].num_points;
        for (uint32_t i = 0; i < num; i++)
            points->index[points->place[c] + i] = from[order[i]];
    }
    clspi_cell_search_release(s);
}

/* Makes room for so many numbers, or for twice as many as there were. */
static bool grow(uint32_t **numbers, size_t *room, size_t num)
{
    const size_t next = num > 2 * *room ? num : 2 * *room;

    if (*numbers && num <= *room) return true;
    uint32_t *const more = clspi_large_array_resize(*numbers, next, sizeof *more);
    if (!more) return false;
    *numbers = more;
    *room = next;
    return true;
}

/* Makes room for what has been found so far. */
static bool grow_all(making *m)
{
    clspi_cell_points *const points = m->points;
    clspi_cell_blocks *const b = &points->blocks;

    if (b->num_points > UINT32_MAX || points->num_index > UINT32_MAX) return false;
    return grow(&b->words, &m->room[0], b->num * CLSPI_BLOCK_WORDS) &&
           grow(&b->points, &m->room[1], b->num_points) &&
           grow(&points->index, &m->room[2], points->num_index);
}

/* Gives back what no number needs. */
static void fit(uint32_t **numbers, size_t num)
{
    uint32_t *const less = clspi_large_array_resize(*numbers, num, sizeof *less);

    if (less) *numbers = less;
}

/* Finds the spans of all blocks. */
static bool find_spans(clspi_cell_blocks *blocks)
{
    if (!clspi_cell_spans_make(&blocks->spans, blocks->num)) return false;
    for (size_t b = 0; b < blocks->num; b++) {
        const clspi_cell_span span = clspi_cell_block_span(blocks->words + b * CLSPI_BLOCK_WORDS);
        blocks->spans.first[b] = span.first;
        blocks->spans.last[b] = span.last;
    }
    clspi_cell_spans_ready(&blocks->spans, blocks->num);
    return true;
}

/* Searches some pieces and puts what was found behind that of the pieces before. */
static bool search_some(making *m, size_t num, const clspi_parallel *threads)
{
    bool done;

    clspi_in_parallel(threads, num, run_search, m);
    done = !atomic_load(&m->failed);
    for (size_t i = 0; i < num && done; i++)
        done = number_all(m, &m->searches[m->first + i]);
    done = done && grow_all(m);
    if (done) clspi_in_parallel(threads, num, copy_search, m);
    return done;
}

/* Searches all cells, a piece at a time, the last one of which has up to half as many more, and
   puts together what was found in their order; some pieces at a time, so that little is there
   twice. */
static bool make_points(making *m, const clspi_cell_mesh *mesh, const clspi_parallel *threads)
{
    enum { PIECE_CELLS = 8192, PIECES = 64 };
    clspi_cell_points *const points = m->points;
    bool done;

    m->num = (mesh->num_cells + PIECE_CELLS / 2) / PIECE_CELLS;
    if (m->num == 0) m->num = 1;
    m->searches = calloc(m->num, sizeof *m->searches);
    done = clspi_key_map_make(&m->patterns) && m->searches;
    for (size_t i = 0; i < m->num && done; i++) {
        const uint32_t first = (uint32_t)(i * PIECE_CELLS);
        m->searches[i].mesh = mesh;
        m->searches[i].first = first;
        m->searches[i].end = i + 1 < m->num ? first + PIECE_CELLS : mesh->num_cells;
    }
    for (; m->first < m->num && done; m->first += PIECES)
        done = search_some(m, m->num - m->first < PIECES ? m->num - m->first : PIECES, threads);
    done = done && find_spans(&points->blocks);
    if (done) {
        fit(&points->blocks.words, points->blocks.num * CLSPI_BLOCK_WORDS);
        fit(&points->blocks.points, points->blocks.num_points);
        fit(&points->index, points->num_index);
    }
    for (size_t i = 0; i < m->num && m->searches; i++) {
        if (m->searches[i].too_large && !m->set->too_large) m->set->cell = m->searches[i].cell;
        m->set->too_large |= m->searches[i].too_large;
        clspi_cell_search_release(&m->searches[i]);
    }
    free(m->searches);
    clspi_key_map_release(&m->patterns);
    return done;
}

bool clspi_cell_points_make(clspi_cell_points *points, clspi_class_set *set,
                            const clspi_cell_mesh *mesh, const clspi_parallel *threads)
{
    const size_t cells = mesh->num_cells;
    making m = {.points = points, .set = set};
    bool done;

    *points = (clspi_cell_points){.num_cells = mesh->num_cells, .num_vertices = mesh->num_vertices};
    points->use = malloc((cells + 1) * sizeof *points->use);
    points->place = malloc((cells + 1) * sizeof *points->place);
    done = points->use && points->place && clspi_key_map_make(&points->continued) &&
           make_points(&m, mesh, threads) && clspi_class_set_build(set, threads);
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

void clspi_cell_weights(const clspi_cell_points *points, const clspi_class_set *set, uint32_t cell,
                        const double t[3], const uint8_t by[3], double *row)
{
    if (points->use[cell].number == CLSPI_REGULAR)
        clspi_regular_weights(t, by, row);
    else
        clspi_use_weights(set, &points->use[cell], t, by, row);
}
