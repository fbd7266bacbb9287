/* These are in a file of their own: gcc 12 makes wrong code of clspi_descend where it is inlined
   into a loop at -O3. */
#include "class_descent.h"

#include <math.h>
#include <string.h>

#include "span_splines.h"

void clspi_descent_begin(clspi_descent *way, const double t[3], const uint8_t by[3])
{
    memcpy(way->t, t, sizeof way->t);
    memcpy(way->by, by, sizeof way->by);
    way->factor = 1.0;
    way->depth = 0;
}

uint32_t clspi_descend(const clspi_class_set *set, clspi_descent *way, uint32_t number)
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

void clspi_ascend(const clspi_class_child *child, const double *from, double *to,
                  uint32_t num_points)
{
    memset(to, 0, num_points * sizeof *to);
    for (uint32_t r = 0; r < child->rows; r++) {
        if (from[r] == 0.0) continue; /* as points within have it, of a boundary's rows */
        for (uint32_t i = child->begin[r]; i < child->begin[r + 1]; i++)
            to[child->column[i]] += from[r] * child->weight[i];
    }
}

void clspi_balance(double *row, uint32_t num_points)
{
    double sum = 0.0, size = 0.0;

    for (uint32_t i = 0; i < num_points; i++) {
        sum += row[i];
        size += fabs(row[i]);
    }
    for (uint32_t i = 0; i < num_points && size > 0.0; i++)
        row[i] -= sum / size * fabs(row[i]);
}

void clspi_layer_weights(const clspi_cell_class *of, double t, uint32_t by, double weight[4])
{
    clspi_span_splines(t, by, weight);
    if (of->slice[0] == CLSPI_NO_POINT) {
        weight[1] += 2.0 * weight[0];
        weight[2] -= weight[0];
    }
    if (of->slice[3 * (size_t)of->num_slice] == CLSPI_NO_POINT) {
        weight[2] += 2.0 * weight[3];
        weight[1] -= weight[3];
    }
}

double clspi_column_sum(const clspi_cell_class *of, const double *row, size_t point)
{
    double sum = 0.0;

    for (size_t l = 0; l < 4; l++) {
        const uint16_t at = of->slice[l * of->num_slice + point];
        if (at != CLSPI_NO_POINT) sum += row[at];
    }
    return sum;
}

void clspi_column_set(const clspi_cell_class *of, size_t point, double value,
                      const double weight[4], double *row)
{
    for (size_t l = 0; l < 4; l++) {
        const uint16_t at = of->slice[l * of->num_slice + point];
        if (at != CLSPI_NO_POINT) row[at] = value * weight[l];
    }
}

void clspi_regular_weights(const double t[3], const uint8_t by[3], double row[CLSPI_GRID_POINTS])
{
    double span[3][4];

    for (uint32_t a = 0; a < 3; a++)
        clspi_span_splines(t[a], by[a], span[a]);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        row[i] = span[0][i / 16] * span[1][i / 4 % 4] * span[2][i % 4];
}
