#include "class_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trees being made. */
typedef struct maker {
    clspi_class_trees *trees;
    const clspi_class_set *set;
    double least;
    uint32_t depth;
} maker;

/* ---- memory ---- */

/* Appends so many words that are 0. Returns where they begin; 0 without memory. */
static uint32_t append_words(maker *m, size_t num)
{
    clspi_class_trees *const t = m->trees;
    const size_t at = t->num_words, need = at + num;

    if (need >= CLSPI_TREE_TABLE) {
        t->too_large = true;
        return 0;
    }
    if (need > t->word_room) {
        const size_t room = 2 * need + 1024;
        uint32_t *const more = realloc(t->words, room * sizeof *more);
        if (!more) return 0;
        t->words = more;
        t->word_room = room;
    }
    memset(t->words + at, 0, num * sizeof *t->words);
    t->num_words = need;
    return (uint32_t)at;
}

/* Appends so many reals that are 0, from a multiple of four on. *at: where they begin, in fours. */
static bool append_reals(maker *m, size_t num, uint32_t *at)
{
    clspi_class_trees *const t = m->trees;
    const size_t first = t->num_reals, need = first + (num + 3) / 4 * 4;

    if (need > t->most_reals) {
        t->too_large = true;
        return false;
    }
    if (need > t->real_room) {
        const size_t room = 2 * need < t->most_reals ? 2 * need : t->most_reals;
        double *const more = realloc(t->reals, room * sizeof *more);
        if (!more) return false;
        t->reals = more;
        t->real_room = room;
    }
    memset(t->reals + first, 0, (need - first) * sizeof *t->reals);
    t->num_reals = need;
    *at = (uint32_t)(first / 4);
    return true;
}

static double *reals_at(const maker *m, uint32_t at)
{
    return m->trees->reals + 4 * (size_t)at;
}

/* ---- rows ---- */

/* Makes a child's points as sums of a class's, of the parent's: rows of `step` reals. */
static void multiply(const clspi_class_child *child, const double *from, double *to, size_t step)
{
    memset(to, 0, child->rows * step * sizeof *to);
    for (uint32_t r = 0; r < child->rows; r++)
        for (uint32_t i = child->begin[r]; i < child->begin[r + 1]; i++) {
            const double weight = child->weight[i], *const row = from + child->column[i] * step;
            for (size_t k = 0; k < step; k++)
                to[r * step + k] += weight * row[k];
        }
}

/* Tells whether all rows are the first one by now, so many steps down. */
static bool is_point(const maker *m, const double *rows, uint32_t num, size_t step, uint32_t depth)
{
    if (depth >= m->depth) return true;
    for (uint32_t r = 1; r < num; r++) {
        double off = 0.0;
        for (size_t k = 0; k < step; k++)
            off += fabs(rows[r * step + k] - rows[k]);
        if (off > m->least) return false;
    }
    return true;
}

/* Returns the place in the grid of a cell, seen in a frame, of a place in it as the cell has it. */
static uint32_t grid_place(uint32_t frame, const uint32_t place[3])
{
    uint32_t at = 0;

    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t i = place[clspi_frame_axis(frame, a)];
        at = 4 * at + (clspi_frame_flips(frame, a) ? 3 - i : i);
    }
    return at;
}

/* Returns the corner of a frame that is this one of the cell. */
static uint32_t corner_in(uint32_t frame, uint32_t corner)
{
    uint32_t i = 0;

    while (clspi_frame_corner(frame, i) != corner)
        i++;
    return i;
}

/* ---- slices ---- */

/* A descendant of a class with slices: its class, the frame in which the first class has it, and
   its points as sums of columns, [points][num_slice]: whatever is along the axis. */
typedef struct slice_way {
    const clspi_cell_class *of; /* the first class */
    uint32_t number, frame, depth;
    const double *rows;
} slice_way;

/* Returns an axis of a slice. */
static uint32_t slice_axis(const clspi_cell_class *of, uint32_t i)
{
    const uint32_t first = of->axis == 0 ? 1 : 0;

    return i == 0 ? first : 3 - first - of->axis;
}

/* Writes the table of a child: of its grid, or all of its first point. */
static bool write_slice(maker *m, const slice_way *way, const double *rows, bool is_grid,
                        uint32_t *word)
{
    const size_t n = way->of->num_slice;
    uint32_t at, place[3];

    if (!append_reals(m, 16 * n, &at)) return false;
    place[way->of->axis] = 1;
    for (uint32_t i = 0; i < 16; i++) {
        place[slice_axis(way->of, 0)] = i / 4;
        place[slice_axis(way->of, 1)] = i % 4;
        const size_t row = is_grid ? grid_place(way->frame, place) : 0;
        for (size_t k = 0; k < n; k++)
            reals_at(m, at)[16 * k + i] = rows[row * n + k];
    }
    *word = CLSPI_TREE_TABLE | at;
    return true;
}

static uint32_t make_node(maker *m, const slice_way *way);

/* Makes what a node has for a child, by its place in the slice. */
static bool make_branch(maker *m, const slice_way *way, uint32_t bits, uint32_t *word)
{
    const uint32_t corner =
        (bits & 1) << slice_axis(way->of, 0) | bits >> 1 << slice_axis(way->of, 1);
    const clspi_class_child *const child =
        &m->set->entry[way->number].child[corner_in(way->frame, corner)];
    const size_t n = way->of->num_slice;
    double *const rows = malloc((child->rows * n + 1) * sizeof *rows);
    const bool is_grid = child->next == CLSPI_REGULAR;
    bool done = rows;

    if (done) multiply(child, way->rows, rows, n);
    if (done && (is_grid || is_point(m, rows, child->rows, n, way->depth))) {
        done = write_slice(m, way, rows, is_grid, word);
    } else if (done) {
        const slice_way next = {way->of, child->next, clspi_frame_of(way->frame, child->frame),
                                way->depth + 1, rows};
        *word = make_node(m, &next);
        done = *word != 0;
    }
    free(rows);
    return done;
}

/* Makes a node; returns where it is, or 0. */
static uint32_t make_node(maker *m, const slice_way *way)
{
    const uint32_t at = append_words(m, 4);

    for (uint32_t i = 0; i < 4 && at; i++) {
        uint32_t word;
        if (!make_branch(m, way, i, &word)) return 0;
        m->trees->words[at + i] = word;
    }
    return at;
}

/* Makes the record of a class with slices. */
static bool make_slices(maker *m, uint32_t number)
{
    const clspi_cell_class *const of = &m->set->entry[number];
    const size_t n = of->num_slice;
    const uint32_t low = of->slice[0] == CLSPI_NO_POINT, high = of->slice[3 * n] == CLSPI_NO_POINT;
    const uint32_t at = append_words(m, 2 + 4 * n);
    double *const rows = calloc(of->num_points * n + 1, sizeof *rows);
    uint32_t node = 0;

    for (size_t i = 0; i < 4 * n && at && rows; i++) {
        const size_t beside = i < n ? i + n : i - n;
        const uint16_t point = of->slice[i] == CLSPI_NO_POINT ? of->slice[beside] : of->slice[i];
        m->trees->words[at + 2 + i] = point;
        rows[point * n + i % n] = 1.0;
    }
    if (at && rows) node = make_node(m, &(slice_way){of, number, 0, 0, rows});
    free(rows);
    if (!node) return false;
    m->trees->words[number] = at;
    m->trees->words[at] =
        CLSPI_TREE_SLICES | of->axis << 1 | low << 3 | high << 4 | (uint32_t)n << 5;
    m->trees->words[at + 1] = node;
    return true;
}

/* ---- other classes ---- */

static bool make_record(maker *m, uint32_t number);

static bool is_leaf(const maker *m, const clspi_class_child *child)
{
    return child->next == CLSPI_REGULAR || m->set->entry[child->next].axis != CLSPI_NO_AXIS;
}

/* Adds a child's row to those of a table, times a factor: to the i-th term of each point. */
static void add_row(const clspi_class_child *child, uint32_t r, double factor, double *table,
                    size_t terms, size_t i)
{
    for (uint32_t k = child->begin[r]; k < child->begin[r + 1]; k++)
        table[child->column[k] * terms + i] += factor * child->weight[k];
}

/* Writes the points of a child with slices, layer by layer, continued beyond the boundary. */
static void write_layers(const clspi_class_child *child, const clspi_cell_class *next,
                         double *table)
{
    const size_t n = next->num_slice;

    for (size_t l = 0; l < 4; l++)
        for (size_t k = 0; k < n; k++) {
            const uint16_t point = next->slice[l * n + k];
            const size_t one = l < 2 ? n + k : 2 * n + k, two = l < 2 ? 2 * n + k : n + k;
            if (point != CLSPI_NO_POINT) {
                add_row(child, point, 1.0, table, 4 * n, 4 * k + l);
                continue;
            }
            add_row(child, next->slice[one], 2.0, table, 4 * n, 4 * k + l);
            add_row(child, next->slice[two], -1.0, table, 4 * n, 4 * k + l);
        }
}

/* Makes the two words of a class's child that is a leaf, and its table. */
static bool make_leaf(maker *m, uint32_t record, uint32_t number, uint32_t j)
{
    const clspi_cell_class *const of = &m->set->entry[number];
    const clspi_class_child *const child = &of->child[j];
    const bool is_regular = child->next == CLSPI_REGULAR;
    const clspi_cell_class *const next = is_regular ? NULL : &m->set->entry[child->next];
    const size_t terms = is_regular ? CLSPI_GRID_POINTS : 4 * (size_t)next->num_slice;
    uint32_t at;

    if (!is_regular && !make_record(m, child->next)) return false;
    if (!append_reals(m, of->num_points * terms, &at)) return false;
    if (is_regular)
        for (uint32_t r = 0; r < CLSPI_GRID_POINTS; r++)
            add_row(child, r, 1.0, reals_at(m, at), terms, r);
    else
        write_layers(child, next, reals_at(m, at));
    uint32_t *const words = m->trees->words + record + 2 + 2 * j;
    words[0] = at;
    words[1] = is_regular ? CLSPI_TREE_LEAF
                          : child->next << CLSPI_TREE_CODE_BITS | clspi_tree_frame(child->frame);
    return true;
}

/* Makes the record of a class, without states, unless there is one. */
static bool make_record(maker *m, uint32_t number)
{
    enum { WORDS = 2 + 2 * CLSPI_CORNERS };
    const clspi_cell_class *const of = &m->set->entry[number];

    if (m->trees->words[number]) return true;
    if (of->axis != CLSPI_NO_AXIS) return make_slices(m, number);
    const uint32_t at = append_words(m, WORDS);
    if (!at) return false;
    m->trees->words[number] = at;
    m->trees->words[at] = of->num_points << 5;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        if (is_leaf(m, &of->child[j]) && !make_leaf(m, at, number, j)) return false;
    return true;
}

/* ---- states ---- */

/* A descendant of a class that is no leaf. sums: its points as sums of the first class's, or
   CLSPI_TREE_WHOLE. */
typedef struct tree_way {
    const clspi_cell_class *of; /* the first class */
    uint32_t number, frame, depth, sums;
} tree_way;

static size_t row_step(const tree_way *way)
{
    return (way->of->num_points + (size_t)3) / 4 * 4;
}

/* Makes the points of a child of a way. */
static bool make_sums(maker *m, const tree_way *way, const clspi_class_child *child, uint32_t *sums)
{
    const size_t step = row_step(way);

    if (!append_reals(m, child->rows * step, sums)) return false;
    if (way->sums != CLSPI_TREE_WHOLE) {
        multiply(child, reals_at(m, way->sums), reals_at(m, *sums), step);
        return true;
    }
    for (uint32_t r = 0; r < child->rows; r++)
        for (uint32_t i = child->begin[r]; i < child->begin[r + 1]; i++)
            reals_at(m, *sums)[r * step + child->column[i]] = child->weight[i];
    return true;
}

/* Puts the weights of a child that is a point in the place of its sums. */
static bool write_point(maker *m, const tree_way *way, uint32_t sums, uint32_t *word)
{
    const size_t n = way->of->num_points;
    double *const row = malloc(n * sizeof *row);
    uint32_t at;

    if (!row) return false;
    memcpy(row, reals_at(m, sums), n * sizeof *row);
    m->trees->num_reals = 4 * (size_t)sums;
    const bool done = append_reals(m, n * CLSPI_GRID_POINTS, &at);
    for (size_t k = 0; k < n * CLSPI_GRID_POINTS && done; k++)
        reals_at(m, at)[k] = row[k / CLSPI_GRID_POINTS];
    free(row);
    *word = CLSPI_TREE_TABLE | at;
    return done;
}

/* Makes a state; returns where it is, or 0. */
static uint32_t make_state(maker *m, const tree_way *way)
{
    const clspi_cell_class *const here = &m->set->entry[way->number];
    const uint32_t at = append_words(m, 2 + CLSPI_CORNERS);

    if (!at || !make_record(m, way->number)) return 0;
    m->trees->words[at] = way->number << CLSPI_TREE_CODE_BITS | clspi_tree_frame(way->frame);
    m->trees->words[at + 1] = way->sums;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const clspi_class_child *const child = &here->child[j];
        uint32_t word = CLSPI_TREE_LEAF, sums;
        if (!is_leaf(m, child)) {
            if (!make_sums(m, way, child, &sums)) return 0;
            if (is_point(m, reals_at(m, sums), child->rows, row_step(way), way->depth)) {
                if (!write_point(m, way, sums, &word)) return 0;
            } else {
                const tree_way next = {way->of, child->next,
                                       clspi_frame_of(way->frame, child->frame), way->depth + 1,
                                       sums};
                word = make_state(m, &next);
                if (!word) return 0;
            }
        }
        m->trees->words[at + 2 + j] = word;
    }
    return at;
}

/* Makes the record of a class of cells, with its states. */
static bool make_class(maker *m, uint32_t number)
{
    const clspi_cell_class *const of = &m->set->entry[number];

    if (!make_record(m, number)) return false;
    if (of->axis != CLSPI_NO_AXIS) return true;
    const uint32_t state = make_state(m, &(tree_way){of, number, 0, 0, CLSPI_TREE_WHOLE});
    m->trees->words[m->trees->words[number] + 1] = state;
    return state != 0;
}

bool clspi_class_trees_make(clspi_class_trees *trees, const clspi_class_set *set, const bool *used,
                            double least, uint32_t depth, size_t most_reals)
{
    maker m = {trees, set, least, depth};

    *trees =
        (clspi_class_trees){.most_reals = most_reals, .too_large = set->num > CLSPI_TREE_CLASSES};
    if (trees->too_large) return false;
    append_words(&m, (size_t)set->num + 1);
    bool done = trees->words;
    for (uint32_t n = 0; n < set->num && done; n++)
        done = !used[n] || make_class(&m, n);
    return done;
}

void clspi_class_trees_release(clspi_class_trees *trees)
{
    free(trees->words);
    free(trees->reals);
    *trees = (clspi_class_trees){0};
}

bool clspi_tree_columns(const clspi_class_trees *trees, uint32_t number, const double t[3],
                        clspi_point_columns *columns, double at[3])
{
    const uint32_t *const record = trees->words + trees->words[number];
    const uint32_t axis = record[0] >> 1 & 3, p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2;
    uint32_t node = record[1], depth = 0;

    if (trees->words[number] == 0 || !(record[0] & CLSPI_TREE_SLICES)) return false;
    at[0] = t[p];
    at[1] = t[q];
    at[2] = t[axis];
    for (; !(node & CLSPI_TREE_TABLE); depth++) {
        uint32_t child = 0;
        for (uint32_t i = 0; i < 2; i++) {
            const double twice = 2.0 * at[i];
            child |= (uint32_t)(twice >= 1.0) << i;
            at[i] = twice >= 1.0 ? twice - 1.0 : twice;
        }
        node = trees->words[node + child];
    }
    const double slope = (double)(1u << depth);
    *columns = (clspi_point_columns){.layers = record + 2,
                                     .num = record[0] >> 5,
                                     .table = trees->reals + 4 * (size_t)(node & ~CLSPI_TREE_TABLE),
                                     .axis = {(uint8_t)p, (uint8_t)q, (uint8_t)axis},
                                     .is_beyond = {record[0] >> 3 & 1, record[0] >> 4 & 1},
                                     .slope = {slope, slope, 1.0}};
    return depth <= CLSPI_TREE_DEPTH;
}
