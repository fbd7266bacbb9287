/* Weights of the control points of classes, by going from cells to children. */
#include <math.h>
#include <string.h>

#include "class_descent.h"
#include "class_tangents.h"

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

/* Makes weights at the end of a way those of the cell where it began. Returns where they are. */
static double *climb(const clspi_class_set *set, clspi_descent *way, bool is_value)
{
    double *from = set->scratch[0], *to = set->scratch[1];

    while (way->depth > 0) {
        const clspi_cell_class *const parent = &set->entry[way->number[--way->depth]];
        const clspi_class_child *const child = &parent->child[way->corner[way->depth]];
        clspi_ascend(child, from, to, parent->num_points);
        if (!is_value) clspi_balance(to, parent->num_points);
        if (is_value && child->next == way->number[way->depth])
            skip_steps(way, from, to, parent->num_points);
        double *const swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Goes down to a regular cell, at most to a depth. Returns its class. */
static uint32_t go_down(const clspi_class_set *set, clspi_descent *way, uint32_t number,
                        uint32_t depth)
{
    while (number != CLSPI_REGULAR && way->depth < depth)
        number = clspi_descend(set, way, number);
    return number;
}

/* Writes the weights of the last cell's points: a regular one, or what is left of a cell is a
   point, one of its corners. */
static void weigh_last(const clspi_class_set *set, const clspi_descent *way, uint32_t number,
                       double *row)
{
    if (number == CLSPI_REGULAR) {
        clspi_regular_weights(way->t, way->by, row);
        return;
    }
    memset(row, 0, set->entry[number].num_points * sizeof *row);
    row[(way->t[0] >= 0.5) | (way->t[1] >= 0.5) << 1 | (way->t[2] >= 0.5) << 2] = 1.0;
}

/* Tells whether a parameter is on one of the edges across the slices of a layered cell. */
static bool is_on_edge(const clspi_cell_class *of, const double t[3])
{
    bool is_on = of->axis != CLSPI_NO_AXIS;

    for (uint32_t a = 0; a < 3; a++)
        is_on = is_on && (a == of->axis || t[a] == 0.0 || t[a] == 1.0);
    return is_on;
}

/* Writes the weights of a layered cell at a parameter on such an edge: those of a slice, found at
   a corner, where steps soon repeat themselves, and B-splines along the edge. */
static void weigh_edge(const clspi_class_set *set, uint32_t number, const double t[3], double *row)
{
    static const uint8_t by[3] = {0, 0, 0};
    const clspi_cell_class *const of = &set->entry[number];
    double corner[3] = {t[0], t[1], t[2]}, span[4];
    clspi_descent way;

    corner[of->axis] = 0.0;
    clspi_descent_begin(&way, corner, by);
    const uint32_t last = go_down(set, &way, number, CLSPI_LIMIT_DEPTH);
    weigh_last(set, &way, last, set->scratch[0]);
    const double *const found = climb(set, &way, true);
    clspi_layer_weights(of, t[of->axis], 0, span);
    for (size_t k = 0; k < of->num_slice; k++)
        set->scratch[2][k] = clspi_column_sum(of, found, k);
    for (size_t k = 0; k < of->num_slice; k++)
        clspi_column_set(of, k, set->scratch[2][k], span, row);
}

/* Goes down to a regular cell, at most to a depth; of a value not beyond one on whose edge the
   parameter is. Writes its weights to the first row of scratch memory, and the cell's class to
   number. False: there is no such cell. */
static bool find_weights(const clspi_class_set *set, clspi_descent *way, uint32_t *number,
                         uint32_t depth)
{
    const bool is_value = !(way->by[0] | way->by[1] | way->by[2]);

    for (; *number != CLSPI_REGULAR; *number = clspi_descend(set, way, *number)) {
        if (is_value && is_on_edge(&set->entry[*number], way->t)) return false;
        if (way->depth == depth) return false;
    }
    clspi_regular_weights(way->t, way->by, set->scratch[0]);
    return true;
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

/* Computes weights of a value. row: [num_points]. */
static void weigh_value(const clspi_class_set *set, uint32_t number, const double t[3], double *row)
{
    static const uint8_t by[3] = {0, 0, 0};
    clspi_descent way;
    uint32_t last = number;

    clspi_descent_begin(&way, t, by);
    if (!find_weights(set, &way, &last, CLSPI_LIMIT_DEPTH)) {
        if (way.depth < CLSPI_LIMIT_DEPTH)
            weigh_edge(set, last, way.t, set->scratch[0]);
        else
            weigh_last(set, &way, last, set->scratch[0]);
    }
    const double *const found = climb(set, &way, true);
    memcpy(row, found, set->entry[number].num_points * sizeof *row);
    restore_sum(row, set->entry[number].num_points);
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
    clspi_descent way;
    uint32_t last = number;

    if (!(by[0] | by[1] | by[2])) {
        weigh_value(set, number, t, row);
        return;
    }
    clspi_descent_begin(&way, t, by);
    const bool is_far = find_weights(set, &way, &last, CLSPI_SLOPE_DEPTH);
    if (!is_far) {
        double away[3];
        step_away(t, face, away);
        clspi_descent_begin(&way, away, by);
        last = number;
        if (!find_weights(set, &way, &last, CLSPI_LIMIT_DEPTH))
            weigh_last(set, &way, last, set->scratch[0]);
    }
    const double *const found = climb(set, &way, false);
    for (uint32_t i = 0; i < set->entry[number].num_points; i++)
        row[i] = way.factor * found[i];
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
