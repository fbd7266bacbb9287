/* Tables of weights at the samples of a plan's grid. */
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "solid_plan.h"

/* Returns sample a of an axis. */
static double sample_at(const clsp_axis *axis, uint32_t a)
{
    if (axis->params) return axis->params[a];
    const double last = axis->num > 1 ? axis->num - 1.0 : 1.0;

    return (axis->begin * (last - a) + axis->end * a) / last;
}

/* ---- on the host ---- */

/* Tables being made. */
typedef struct maker {
    clsp_solid_plan *plan;
    uint8_t by[3]; /* orders of the sum at hand */
    double *row;   /* [CLSPI_RING_POINTS] */
} maker;

/* Writes the weights of a layered cell's slices: sums over columns, wherever across them. */
static void fill_slices(const maker *m, const clspi_cell_use *use, double *table, size_t stride)
{
    const clspi_cell_class *const entry = &m->plan->classes.entry[use->of.number];
    const clsp_axis *const axis = m->plan->desc.axis;
    const uint32_t d = use->direction, p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
    uint8_t by[3] = {m->by[0], m->by[1], m->by[2]};

    by[d] = 0;
    for (uint32_t i = 0; i < axis[p].num; i++)
        for (uint32_t j = 0; j < axis[q].num; j++) {
            double t[3] = {0.5, 0.5, 0.5};
            t[p] = sample_at(&axis[p], i);
            t[q] = sample_at(&axis[q], j);
            clspi_use_weights(&m->plan->classes, &use->of, t, by, m->row);
            for (uint32_t k = 0; k < entry->num_slice; k++) {
                double sum = 0.0;
                for (uint32_t l = 0; l < 4; l++) {
                    const uint16_t point = entry->slice[(size_t)l * entry->num_slice + k];
                    if (point != CLSPI_NO_POINT) sum += m->row[point];
                }
                table[k * stride + (size_t)i * axis[q].num + j] = sum;
            }
        }
}

/* Writes the weights of all points of a cell at all samples. */
static void fill_full(const maker *m, const clspi_cell_use *use, double *table, size_t stride)
{
    const clsp_axis *const axis = m->plan->desc.axis;
    size_t sample = 0;

    for (uint32_t i = 0; i < axis[0].num; i++)
        for (uint32_t j = 0; j < axis[1].num; j++)
            for (uint32_t k = 0; k < axis[2].num; k++, sample++) {
                const double t[3] = {sample_at(&axis[0], i), sample_at(&axis[1], j),
                                     sample_at(&axis[2], k)};
                clspi_use_weights(&m->plan->classes, &use->of, t, m->by, m->row);
                for (uint32_t n = 0; n < use->terms; n++)
                    table[n * stride + sample] = m->row[n];
            }
}

/* Writes all tables of one sort. */
static void fill_tables(const maker *m, double *table, bool slices)
{
    const clspi_cell_layout *const layout = &m->plan->layout;

    for (uint32_t u = 0; u < layout->num_uses; u++) {
        const clspi_cell_use *const use = &layout->uses[u];
        double *const to = table + use->table * 16;
        if (use->has_slices != slices || use->of.number == CLSPI_REGULAR) continue;
        if (!slices)
            fill_full(m, use, to, clspi_round_up(clspi_grid_size(&m->plan->desc), 16));
        else
            fill_slices(m, use, to, clspi_slice_stride(&m->plan->desc, use->direction));
    }
}

/* Writes the B-splines along all three directions, derived by[a] times along a. Returns where they
   end. */
static double *fill_splines(const maker *m, double *table, const uint8_t by[3])
{
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < m->plan->desc.axis[a].num; i++, table += 4)
            clspi_span_weights(sample_at(&m->plan->desc.axis[a], i), by[a], table);
    return table;
}

static void fill_along(const maker *m, double *table)
{
    const clspi_solid_shape *const shape = &m->plan->shape;

    if (m->plan->is_plain) {
        fill_splines(m, table, clspi_order_by[shape->number[0]]);
        return;
    }
    for (uint8_t order = 0; order < 3; order++)
        table = fill_splines(m, table, (const uint8_t[3]){order, order, order});
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < m->plan->desc.axis[a].num; i++, table += 4)
            table[0] = sample_at(&m->plan->desc.axis[a], i);
}

size_t clspi_along_reals(const clsp_solid_plan *plan)
{
    const clsp_axis *const axis = plan->desc.axis;
    const size_t samples = (size_t)axis[0].num + axis[1].num + axis[2].num;

    return 4 * samples * (plan->is_plain ? 1 : 4);
}

/* ---- on the device ---- */

static clsp_status upload(const maker *m, clspi_series *series, cl_mem *buffer, double *table,
                          size_t num)
{
    if (m->plan->desc.precision == CLSP_F32) /* in place: each is written behind those read */
        for (size_t i = 0; i < num; i++)
            clspi_put_float(table, i, table[i]);
    const size_t bytes = num * clsp_type_bytes(m->plan->desc.precision);
    CLSPI_CHECK(clspi_buffer_create(buffer, series->ctx, bytes));
    return clspi_series_write(series, *buffer, 0, table, bytes);
}

/* Makes one of the buffers: slices, all weights, or B-splines along directions. */
static clsp_status make_buffer(maker *m, clspi_series *series, cl_mem *buffer, int which)
{
    const clspi_cell_layout *const layout = &m->plan->layout;
    const clspi_solid_shape *const shape = &m->plan->shape;
    const size_t reals = 16 * (which == 0 ? layout->slice_rows : layout->full_rows);
    const size_t num =
        which == 2 ? clspi_along_reals(m->plan) : clspi_max(1, shape->num_sums * reals);
    double *const table = calloc(num, sizeof *table);
    clsp_status status;

    if (!table)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for tables of %zu weights", num);
    if (which == 2) fill_along(m, table);
    for (uint32_t k = 0; k < shape->num_sums && which < 2; k++) {
        memcpy(m->by, clspi_order_by[shape->number[k]], sizeof m->by);
        fill_tables(m, table + k * reals, which == 0);
    }
    status = upload(m, series, buffer, table, num);
    free(table);
    return status;
}

clsp_status clspi_sample_tables_make(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_sample_tables *const tables = &plan->tables;
    maker m = {.plan = plan};
    clsp_status status = CLSP_OK;

    m.row = malloc(CLSPI_RING_POINTS * sizeof *m.row);
    if (!m.row)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for weights");
    CLSPI_TRY(make_buffer(&m, series, &tables->slices, 0));
    CLSPI_TRY(make_buffer(&m, series, &tables->full, 1));
    CLSPI_TRY(make_buffer(&m, series, &tables->along, 2));
fail:
    free(m.row);
    return status;
}

void clspi_sample_tables_release(clspi_sample_tables *tables)
{
    clspi_buffer_release(&tables->slices);
    clspi_buffer_release(&tables->full);
    clspi_buffer_release(&tables->along);
}
