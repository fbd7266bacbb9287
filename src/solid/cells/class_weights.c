/* Weights of the control points of classes, by going from cells to children. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_class.h"

void clspi_span_weights(double t, uint32_t by, double weight[4])
{
    const double s = 1.0 - t;

    if (by == 0) {
        weight[0] = s * s * s / 6.0;
        weight[1] = ((3.0 * t - 6.0) * t * t + 4.0) / 6.0;
        weight[2] = ((3.0 * s - 6.0) * s * s + 4.0) / 6.0;
        weight[3] = t * t * t / 6.0;
    } else if (by == 1) {
        weight[0] = -0.5 * s * s;
        weight[1] = (1.5 * t - 2.0) * t;
        weight[2] = (2.0 - 1.5 * s) * s;
        weight[3] = 0.5 * t * t;
    } else {
        weight[0] = s;
        weight[1] = 3.0 * t - 2.0;
        weight[2] = 3.0 * s - 2.0;
        weight[3] = t;
    }
}

void clspi_regular_weights(const double t[3], const uint8_t by[3], double row[CLSPI_GRID_POINTS])
{
    double span[3][4];

    for (uint32_t a = 0; a < 3; a++)
        clspi_span_weights(t[a], by[a], span[a]);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        row[i] = span[0][i / 16] * span[1][i / 4 % 4] * span[2][i % 4];
}

/* A parameter on its way from a cell to its children. */
typedef struct descent {
    double t[3];
    uint8_t by[3];
    double factor; /* of the derivative */
    uint32_t depth;
    uint32_t number[CLSPI_LIMIT_DEPTH]; /* classes on the way */
    uint8_t corner[CLSPI_LIMIT_DEPTH];  /* children */
} descent;

/* Goes to the child of a class where the parameter is; returns the child's class. */
static uint32_t go_down(const clspi_class_set *set, descent *way, uint32_t number)
{
    uint32_t j = 0;
    double t[3];
    uint8_t by[3];

    for (uint32_t a = 0; a < 3; a++) {
        const double twice = 2.0 * way->t[a];
        const bool upper = twice >= 1.0;
        j |= (uint32_t)upper << a;
        t[a] = upper ? twice - 1.0 : twice;
        by[a] = way->by[a];
        for (uint32_t i = 0; i < by[a]; i++)
            way->factor *= 2.0;
    }
    const clspi_class_child *const child = &set->entry[number].child[j];
    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t own = clspi_frame_axis(child->frame, a);
        const bool flips = clspi_frame_flips(child->frame, a);
        way->t[a] = flips ? 1.0 - t[own] : t[own];
        way->by[a] = by[own];
        if (flips && by[own] & 1) way->factor = -way->factor;
    }
    way->number[way->depth] = number;
    way->corner[way->depth++] = (uint8_t)j;
    return child->next;
}

/* Makes the weights of a parent's points of those of a child's. */
static void go_up(const clspi_class_child *child, const double *from, double *to,
                  uint32_t num_points)
{
    memset(to, 0, num_points * sizeof *to);
    for (uint32_t r = 0; r < child->rows; r++)
        for (uint32_t i = child->begin[r]; i < child->begin[r + 1]; i++)
            to[child->column[i]] += from[r] * child->weight[i];
}

/* Leaves out steps up that change nothing any more: those by the child by which weights have come
   to rest. */
static void skip_steps(descent *way, const double *before, const double *after, uint32_t num_points)
{
    const uint32_t number = way->number[way->depth];
    const uint8_t corner = way->corner[way->depth];

    if (memcmp(before, after, num_points * sizeof *before) != 0) return;
    while (way->depth > 0 && way->number[way->depth - 1] == number &&
           way->corner[way->depth - 1] == corner)
        way->depth--;
}

/* Takes from the weights of a derivative what rounding has left in their sum, which is 0: on the
   way up all else becomes less, and the factor is as large as that. */
static void balance(double *row, uint32_t num_points)
{
    double sum = 0.0, size = 0.0;

    for (uint32_t i = 0; i < num_points; i++) {
        sum += row[i];
        size += fabs(row[i]);
    }
    for (uint32_t i = 0; i < num_points && size > 0.0; i++)
        row[i] -= sum / size * fabs(row[i]);
}

void clspi_class_weights(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], double *row)
{
    const bool is_value = !(by[0] | by[1] | by[2]);
    const uint32_t depth = is_value ? CLSPI_LIMIT_DEPTH : CLSPI_SLOPE_DEPTH;
    double *from = set->scratch[0], *to = set->scratch[1];
    descent way = {.t = {t[0], t[1], t[2]}, .by = {by[0], by[1], by[2]}, .factor = 1.0};
    uint32_t next = number;

    while (next != CLSPI_REGULAR && way.depth < depth)
        next = go_down(set, &way, next);
    if (next != CLSPI_REGULAR && !is_value) {
        const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);
        way = (descent){.by = {by[0], by[1], by[2]}, .factor = 1.0};
        for (uint32_t a = 0; a < 3; a++)
            way.t[a] = fmin(fmax(t[a], least), 1.0 - least);
        for (next = number; next != CLSPI_REGULAR && way.depth < CLSPI_LIMIT_DEPTH;)
            next = go_down(set, &way, next);
    }
    if (next == CLSPI_REGULAR) {
        clspi_regular_weights(way.t, way.by, from);
    } else {
        memset(from, 0, set->entry[next].num_points * sizeof *from);
        from[(way.t[0] >= 0.5) | (way.t[1] >= 0.5) << 1 | (way.t[2] >= 0.5) << 2] = 1.0;
    }
    while (way.depth > 0) {
        const clspi_cell_class *const parent = &set->entry[way.number[--way.depth]];
        const clspi_class_child *const child = &parent->child[way.corner[way.depth]];
        go_up(child, from, to, parent->num_points);
        if (!is_value) balance(to, parent->num_points);
        if (is_value && child->next == way.number[way.depth])
            skip_steps(&way, from, to, parent->num_points);
        double *const swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < set->entry[number].num_points; i++)
        row[i] = way.factor * from[i];
}
