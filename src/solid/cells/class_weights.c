/* Weights of the control points of classes, by going from cells to children. */
#include <math.h>
#include <string.h>

#include "class_descent.h"
#include "class_tangents.h"

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

/* Leaves out steps up that change nothing any more: those by the child by which weights have come
   to rest. */
static void skip_steps(clspi_descent *way, const double *before, const double *after,
                       uint32_t num_points)
{
    const uint32_t number = way->number[way->depth];
    const uint8_t corner = way->corner[way->depth];

    if (memcmp(before, after, num_points * sizeof *before) != 0) return;
    while (way->depth > 0 && way->number[way->depth - 1] == number &&
           way->corner[way->depth - 1] == corner)
        way->depth--;
}

/* Goes down to a regular cell, or until what is left of the cell is a point, and writes the weights
   of its points. Returns its class. */
static uint32_t weigh_last(const clspi_class_set *set, clspi_descent *way, uint32_t number,
                           uint32_t depth, double *row)
{
    while (number != CLSPI_REGULAR && way->depth < depth)
        number = clspi_descend(set, way, number);
    if (number == CLSPI_REGULAR) {
        clspi_regular_weights(way->t, way->by, row);
    } else {
        memset(row, 0, set->entry[number].num_points * sizeof *row);
        row[(way->t[0] >= 0.5) | (way->t[1] >= 0.5) << 1 | (way->t[2] >= 0.5) << 2] = 1.0;
    }
    return number;
}

/* Makes the sum of weights 1 again, where 256 steps of many points, as beside 60 cells at an edge,
   have rounded it. Fewer leave 3e-14 at most. */
static void restore_sum(double *row, uint32_t num_points)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < num_points; i++)
        sum += row[i];
    for (uint32_t i = 0; i < num_points && fabs(sum - 1.0) > 1e-13; i++)
        row[i] /= sum;
}

/* Moves a parameter 2^-20 away from all faces but the one that it is on. */
static void step_away(const double t[3], uint32_t face, double away[3])
{
    const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);

    for (uint32_t a = 0; a < 3; a++)
        away[a] = a == face / 2 ? t[a] : fmin(fmax(t[a], least), 1.0 - least);
}

void clspi_class_weights(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], uint32_t face, double *row)
{
    const bool is_value = !(by[0] | by[1] | by[2]);
    double *from = set->scratch[0], *to = set->scratch[1];
    bool is_far = true;
    clspi_descent way;

    clspi_descent_begin(&way, t, by);
    if (weigh_last(set, &way, number, is_value ? CLSPI_LIMIT_DEPTH : CLSPI_SLOPE_DEPTH, from) !=
            CLSPI_REGULAR &&
        !is_value) {
        double away[3];
        step_away(t, face, away);
        clspi_descent_begin(&way, away, by);
        weigh_last(set, &way, number, CLSPI_LIMIT_DEPTH, from);
        is_far = false;
    }
    while (way.depth > 0) {
        const clspi_cell_class *const parent = &set->entry[way.number[--way.depth]];
        const clspi_class_child *const child = &parent->child[way.corner[way.depth]];
        clspi_ascend(child, from, to, parent->num_points);
        if (!is_value) clspi_balance(to, parent->num_points);
        if (is_value && child->next == way.number[way.depth])
            skip_steps(&way, from, to, parent->num_points);
        double *const swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < set->entry[number].num_points; i++)
        row[i] = way.factor * from[i];
    if (is_value) restore_sum(row, set->entry[number].num_points);
    if (!is_far) clspi_class_tangent(set, number, t, by, face, row);
}

/* Returns the first of a cell's boundary faces that has a parameter on it, as its class has it. */
static uint32_t face_on(const clspi_class_set *set, const clspi_class_use *use, const double t[3])
{
    const uint32_t faces = set->entry[use->number].signature[3 + CLSPI_CORNERS];
    uint32_t first = CLSPI_OFF_BOUNDARY, of_class = CLSPI_OFF_BOUNDARY;

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        const uint32_t face = clspi_frame_face(use->frame, k);
        if (!(faces >> k & 1) || face > first || t[face / 2] != (double)(face & 1)) continue;
        first = face;
        of_class = k;
    }
    return of_class;
}

void clspi_use_weights(const clspi_class_set *set, const clspi_class_use *use, const double t[3],
                       const uint8_t by[3], double *row)
{
    const uint32_t num = set->entry[use->number].num_points;
    bool is_against = false;
    double framed_t[3];
    uint8_t framed_by[3];

    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t own = clspi_frame_axis(use->frame, a);
        const bool flips = clspi_frame_flips(use->frame, a);
        framed_t[a] = flips ? 1.0 - t[own] : t[own];
        framed_by[a] = by[own];
        is_against ^= flips && by[own] & 1;
    }
    clspi_class_weights(set, use->number, framed_t, framed_by, face_on(set, use, t), row);
    for (uint32_t i = 0; i < num && is_against; i++)
        row[i] = -row[i];
}
