#include "control_moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool control_points_add(control_points *c, const control_block *block)
{
    control_block *blocks = realloc(c->blocks, (c->num_blocks + 1) * sizeof(*blocks));
    if (!blocks) return false;
    c->blocks = blocks;
    blocks[c->num_blocks++] = *block;
    c->num += block->num;
    return true;
}

/* Finds a point in its block. */
static double *find(const control_points *c, size_t number, const control_block **block)
{
    const control_block *b = c->blocks;
    while (number >= b->num)
        number -= b++->num;
    *block = b;
    return b->points + number * b->stride;
}

static void get_place(const control_block *b, const double *point, double place[3])
{
    const double weight = b->rational ? point[b->dim] : 1;
    for (size_t k = 0; k < 3; k++)
        place[k] = k < b->dim ? point[k] / weight : 0;
}

void control_points_get(const control_points *c, size_t number, double place[3])
{
    const control_block *block;
    const double *point = find(c, number, &block);
    get_place(block, point, place);
}

/* ---- moves ---- */

static void release(control_move *m)
{
    free(m->numbers);
    free(m->before);
    *m = (control_move){.count = 0};
}

/* Calls of the points within a distance of a place; takes their numbers where there is room. */
static size_t list_near(const control_points *c, const double place[3], double distance,
                        size_t *numbers)
{
    size_t number = 0, count = 0;
    for (const control_block *b = c->blocks; b < c->blocks + c->num_blocks; b++)
        for (size_t i = 0; i < b->num; i++, number++) {
            double own[3];
            get_place(b, b->points + i * b->stride, own);
            if (!(hypot(hypot(own[0] - place[0], own[1] - place[1]), own[2] - place[2]) <=
                  distance))
                continue;
            if (numbers) numbers[count] = number;
            count++;
        }
    return count;
}

/* Makes room for one more move. */
static bool reserve(control_points *c)
{
    if (c->num_moves < c->move_capacity) return true;
    const size_t capacity = 2 * c->move_capacity + 16;
    control_move *moves = realloc(c->moves, capacity * sizeof(*moves));
    if (!moves) return false;
    c->moves = moves;
    c->move_capacity = capacity;
    return true;
}

bool control_points_begin(control_points *c, size_t number, double distance)
{
    double place[3];
    control_points_get(c, number, place);
    const size_t count = list_near(c, place, distance, NULL);
    control_move m = {.numbers = malloc((count + 1) * sizeof(*m.numbers)),
                      .before = malloc(4 * (count + 1) * sizeof(*m.before)),
                      .count = count};
    if (!m.numbers || !m.before || !reserve(c)) {
        release(&m);
        return false;
    }
    list_near(c, place, distance, m.numbers);
    for (size_t i = 0; i < count; i++) {
        const control_block *block;
        const double *point = find(c, m.numbers[i], &block);
        memcpy(m.before + 4 * i, point, (block->dim + block->rational) * sizeof(double));
    }
    c->moves[c->num_moves++] = m;
    return true;
}

void control_points_move(control_points *c, const double way[3])
{
    const control_move *m = &c->moves[c->num_moves - 1];
    for (size_t i = 0; i < m->count; i++) {
        const control_block *block;
        double *point = find(c, m->numbers[i], &block);
        const double *before = m->before + 4 * i;
        const double weight = block->rational ? before[block->dim] : 1;
        for (size_t k = 0; k < block->dim; k++)
            point[k] = before[k] + weight * way[k];
    }
}

bool control_points_undo(control_points *c)
{
    static const double nowhere[3] = {0, 0, 0};
    if (c->num_moves == 0) return false;
    control_points_move(c, nowhere);
    release(&c->moves[--c->num_moves]);
    return true;
}

void control_points_clear(control_points *c)
{
    while (c->num_moves > 0)
        release(&c->moves[--c->num_moves]);
    free(c->moves);
    free(c->blocks);
    *c = (control_points){.num = 0};
}
