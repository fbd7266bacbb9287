#include "lattice_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_class.h"
#include "solid_plan.h"
#include "span_splines.h"

#define LOW_END  0x40000000u
#define HIGH_END 0x80000000u

uint32_t clspi_lattice_steps(const clsp_solid_desc *desc)
{
    double nearest = 1.0;
    uint32_t steps = 0;

    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < desc->axis[a].num; i++) {
            const double t = clspi_solid_sample(&desc->axis[a], i);
            if (t > 0.0 && t < 1.0) nearest = fmin(nearest, fmin(t, 1.0 - t));
        }
    while (steps <= CLSPI_LATTICE_STEPS && nearest < ldexp(1.0, -(int)steps))
        steps++;
    return steps;
}

/* Adds a row whose first weight is that of point `first` of the cell; those beyond the last one
   next to the cell, whose weights are 0, are moved to the other end. */
static void add_row(clspi_lattice_rows *rows, uint32_t side, int32_t first, const double weight[4],
                    uint32_t ends)
{
    const bool is_last = first + 3 > (int32_t)side + 1;
    double *const to = rows->weight[rows->num];

    to[0] = 0.0;
    memcpy(to + is_last, weight, (is_last ? 3 : 4) * sizeof *to);
    rows->start[rows->num++] = (uint32_t)(first + 1 - is_last) | ends;
}

/* Adds the rows of a step from lattices of a side. */
static void add_step(clspi_lattice_rows *rows, uint32_t side)
{
    static const double old[4] = {0.125, 0.75, 0.125, 0.0}, middle[4] = {0.0, 0.5, 0.5, 0.0};

    for (uint32_t i = 0; i <= 2 * side; i++) {
        const uint32_t ends = i == 0 ? LOW_END : i == 2 * side ? HIGH_END : 0;
        add_row(rows, side, (int32_t)(i / 2) - 1, i % 2 ? middle : old, ends);
    }
}

/* Adds the row of a sample at t. Samples within are in no child beside the cell's faces. */
static void add_sample(clspi_lattice_rows *rows, uint32_t side, double t)
{
    const double x = t * side;
    const bool is_within = t > 0.0 && t < 1.0;
    double at = floor(x), weight[4];

    if (is_within && at > side - 2.0) at -= 1.0;
    clspi_span_splines(x - at, 0, weight);
    add_row(rows, side, (int32_t)at - 1, weight, is_within ? 0 : t == 0.0 ? LOW_END : HIGH_END);
}

bool clspi_lattice_rows_make(clspi_lattice_rows *rows, const clsp_solid_desc *desc)
{
    size_t num = 0;

    *rows = (clspi_lattice_rows){.steps = clspi_lattice_steps(desc)};
    for (uint32_t k = 0; k < rows->steps; k++)
        num += ((size_t)2 << k) + 1;
    for (uint32_t a = 0; a < 3; a++)
        num += desc->axis[a].num;
    rows->start = malloc((num + 1) * sizeof *rows->start);
    rows->weight = malloc((num + 1) * sizeof *rows->weight);
    if (!rows->start || !rows->weight) return false;
    for (uint32_t k = 0; k < rows->steps; k++) {
        rows->step_row[k] = rows->num;
        add_step(rows, 1u << k);
    }
    for (uint32_t a = 0; a < 3; a++) {
        rows->sample_row[a] = rows->num;
        for (uint32_t i = 0; i < desc->axis[a].num; i++)
            add_sample(rows, 1u << rows->steps, clspi_solid_sample(&desc->axis[a], i));
    }
    return true;
}

void clspi_lattice_rows_release(clspi_lattice_rows *rows)
{
    free(rows->start);
    free(rows->weight);
    *rows = (clspi_lattice_rows){0};
}
