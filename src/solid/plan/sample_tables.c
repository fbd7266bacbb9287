/* Tables of weights at the samples of a plan's grid. */
#include <stdatomic.h>
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "class_descent.h"
#include "solid_mesh.h"
#include "solid_plan.h"
#include "span_splines.h"

enum { BATCH_ROWS = 1 << 15 }; /* of 16 weights, that are made together: 4 MB */

/* ---- on the host ---- */

/* Tables being made. */
typedef struct maker {
    clsp_solid_plan *plan;
    uint8_t by[3];  /* orders of the sum at hand */
    bool by_sample; /* tables are [samples][terms] */
} maker;

/* Returns where the weight of a term at a sample is in a table. */
static size_t place_of(const maker *m, size_t sample, size_t term, size_t terms, size_t stride)
{
    return m->by_sample ? sample * terms + term : term * stride + sample;
}

/* Some of the tables of one sort, which are made together. */
typedef struct table_batch {
    const maker *m;
    const uint32_t *uses; /* [num] */
    size_t num, first_row;
    double *table; /* from the first row on */
    atomic_bool failed;
} table_batch;

/* Classes with scratch memory of a thread's own. */
typedef struct own_classes {
    clspi_class_set set;
    double rows[CLSPI_SCRATCH_ROWS + 1][CLSPI_RING_POINTS]; /* the last one is what is asked for */
} own_classes;

/* Writes the weights of a layered cell's slices: sums over columns, wherever across them. */
static void fill_slices(const maker *m, own_classes *own, const clspi_cell_use *use, double *table)
{
    const clspi_cell_class *const entry = &m->plan->classes.entry[use->of.number];
    const clsp_axis *const axis = m->plan->desc.axis;
    const uint32_t d = use->direction, p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
    const size_t stride = clspi_slice_stride(&m->plan->desc, d);
    const double *const row = own->rows[CLSPI_SCRATCH_ROWS];
    uint8_t by[3] = {m->by[0], m->by[1], m->by[2]};

    by[d] = 0;
    for (uint32_t i = 0; i < axis[p].num; i++)
        for (uint32_t j = 0; j < axis[q].num; j++) {
            double t[3] = {0.5, 0.5, 0.5};
            t[p] = clspi_solid_sample(&axis[p], i);
            t[q] = clspi_solid_sample(&axis[q], j);
            clspi_use_weights(&own->set, &use->of, t, by, own->rows[CLSPI_SCRATCH_ROWS]);
            for (uint32_t k = 0; k < entry->num_slice; k++)
                table[place_of(m, (size_t)i * axis[q].num + j, k, entry->num_slice, stride)] =
                    clspi_column_sum(entry, row, k);
        }
}

/* Writes the weights of all points of a cell at all samples. */
static void fill_full(const maker *m, own_classes *own, const clspi_cell_use *use, double *table)
{
    const clsp_axis *const axis = m->plan->desc.axis;
    const size_t stride = clspi_round_up(clspi_grid_size(&m->plan->desc), 16);
    double *const row = own->rows[CLSPI_SCRATCH_ROWS];
    size_t sample = 0;

    for (uint32_t i = 0; i < axis[0].num; i++)
        for (uint32_t j = 0; j < axis[1].num; j++)
            for (uint32_t k = 0; k < axis[2].num; k++, sample++) {
                const double t[3] = {clspi_solid_sample(&axis[0], i),
                                     clspi_solid_sample(&axis[1], j),
                                     clspi_solid_sample(&axis[2], k)};
                clspi_use_weights(&own->set, &use->of, t, m->by, row);
                for (uint32_t n = 0; n < use->terms; n++)
                    table[place_of(m, sample, n, use->terms, stride)] = row[n];
            }
}

/* Writes the table of one use of a batch. */
static void fill_table(void *user, size_t piece)
{
    table_batch *const b = user;
    const clspi_cell_use *const use = &b->m->plan->layout.uses[b->uses[piece]];
    double *const to = b->table + (use->table - b->first_row) * 16;
    own_classes *const own = malloc(sizeof *own);

    if (!own) {
        atomic_store(&b->failed, true);
        return;
    }
    own->set = b->m->plan->classes;
    for (uint32_t i = 0; i < CLSPI_SCRATCH_ROWS; i++)
        own->set.scratch[i] = own->rows[i];
    if (use->has_slices)
        fill_slices(b->m, own, use, to);
    else
        fill_full(b->m, own, use, to);
    free(own);
}

/* Writes the B-splines along all three directions, derived by[a] times along a. Returns where they
   end. */
static double *fill_splines(const maker *m, double *table, const uint8_t by[3])
{
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < m->plan->desc.axis[a].num; i++, table += 4)
            clspi_span_splines(clspi_solid_sample(&m->plan->desc.axis[a], i), by[a], table);
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
            table[0] = clspi_solid_sample(&m->plan->desc.axis[a], i);
}

size_t clspi_along_reals(const clsp_solid_plan *plan)
{
    const clsp_axis *const axis = plan->desc.axis;
    const size_t samples = (size_t)axis[0].num + axis[1].num + axis[2].num;

    return 4 * samples * (plan->is_plain ? 1 : 4);
}

/* ---- where they go ---- */

/* A buffer, by commands of a series, or without one host memory. */
typedef struct table_place {
    clspi_series *series;
    cl_mem buffer;
    void *host;
} table_place;

static clsp_status no_memory(const maker *m, size_t num)
{
    return clspi_fail(&m->plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for tables of %zu weights", num);
}

/* Makes room for so many reals: on the host from a line of the cache on, as all rows are then. */
static clsp_status reserve(const maker *m, table_place *at, size_t num)
{
    enum { LINE = 64 };
    const size_t bytes = num * clsp_type_bytes(m->plan->desc.precision);

    if (at->series) return clspi_buffer_create(&at->buffer, at->series->ctx, bytes);
    at->host = aligned_alloc(LINE, clspi_round_up(bytes, LINE));
    return at->host ? CLSP_OK : no_memory(m, num);
}

/* Writes weights from one of a place's reals on; they are no more what they were. */
static clsp_status write(const maker *m, const table_place *at, size_t first, double *table,
                         size_t num)
{
    const size_t real = clsp_type_bytes(m->plan->desc.precision);

    if (num == 0) return CLSP_OK;
    if (m->plan->desc.precision == CLSP_F32) /* in place: each is written behind those read */
        for (size_t i = 0; i < num; i++)
            clspi_put_float(table, i, table[i]);
    if (at->series)
        return clspi_series_write(at->series, at->buffer, first * real, table, num * real);
    memcpy((char *)at->host + first * real, table, num * real);
    return CLSP_OK;
}

/* ---- all ---- */

/* Lists the uses whose tables are slices, or of all points; there is room for all. */
static size_t list_uses(const clspi_cell_layout *layout, bool slices, uint32_t *uses)
{
    size_t num = 0;

    for (uint32_t u = 0; u < layout->num_uses; u++)
        if (layout->uses[u].has_slices == slices && layout->uses[u].of.number != CLSPI_REGULAR)
            uses[num++] = u;
    return num;
}

/* Makes the tables of a batch, and writes them to rows that begin at `first`. */
static clsp_status make_batch(table_batch *b, const table_place *at, size_t first, size_t end_row)
{
    const clspi_parallel threads = clspi_solid_threads(b->m->plan->base.ctx);
    const size_t num = 16 * (end_row - b->first_row);

    b->table = calloc(num + 1, sizeof *b->table);
    if (!b->table) return no_memory(b->m, num);
    atomic_init(&b->failed, false);
    clspi_in_parallel(&threads, b->num, fill_table, b);
    const clsp_status status = atomic_load(&b->failed)
                                   ? no_memory(b->m, num)
                                   : write(b->m, at, first + 16 * b->first_row, b->table, num);
    free(b->table);
    return status;
}

/* Makes all tables of a sort for the sum at hand, some at a time. rows: of all of them. */
static clsp_status make_tables(const maker *m, const table_place *at, size_t first,
                               const uint32_t *uses, size_t num, size_t rows)
{
    const clspi_cell_use *const all = m->plan->layout.uses;

    for (size_t i = 0, end; i < num; i = end) {
        table_batch b = {.m = m, .uses = uses + i, .first_row = all[uses[i]].table};
        size_t end_row = b.first_row;
        for (end = i; end < num && (end == i || end_row - b.first_row < BATCH_ROWS);) {
            end++;
            end_row = end < num ? all[uses[end]].table : rows;
        }
        b.num = end - i;
        CLSPI_CHECK(make_batch(&b, at, first, end_row));
    }
    return CLSP_OK;
}

/* Makes the tables of slices, or of all weights. */
static clsp_status make_weights(maker *m, table_place *at, bool slices)
{
    const clspi_cell_layout *const layout = &m->plan->layout;
    const clspi_solid_shape *const shape = &m->plan->shape;
    const size_t rows = slices ? layout->slice_rows : layout->full_rows;
    const size_t reals = clspi_max(1, shape->num_sums * rows * 16);
    uint32_t *const uses = malloc(((size_t)layout->num_uses + 1) * sizeof *uses);
    clsp_status status;

    if (!uses) return no_memory(m, reals);
    const size_t num = list_uses(layout, slices, uses);
    m->by_sample = at->series && m->plan->by_sample;
    status = reserve(m, at, reals);
    for (uint32_t k = 0; k < shape->num_sums && status == CLSP_OK; k++) {
        memcpy(m->by, clspi_order_by[shape->number[k]], sizeof m->by);
        status = make_tables(m, at, k * rows * 16, uses, num, rows);
    }
    free(uses);
    return status;
}

/* Makes the B-splines along directions. */
static clsp_status make_along(const maker *m, table_place *at)
{
    const size_t num = clspi_along_reals(m->plan);
    double *const table = calloc(num, sizeof *table);
    clsp_status status;

    if (!table) return no_memory(m, num);
    fill_along(m, table);
    status = reserve(m, at, num);
    if (status == CLSP_OK) status = write(m, at, 0, table, num);
    free(table);
    return status;
}

enum { SLICES, FULL, ALONG, PLACES };

static clsp_status make_all(clsp_solid_plan *plan, table_place at[PLACES])
{
    maker m = {.plan = plan};

    CLSPI_CHECK(make_weights(&m, &at[SLICES], true));
    CLSPI_CHECK(make_weights(&m, &at[FULL], false));
    return make_along(&m, &at[ALONG]);
}

clsp_status clspi_sample_tables_make(clsp_solid_plan *plan, clspi_series *series)
{
    table_place at[PLACES] = {{.series = series}, {.series = series}, {.series = series}};
    const clsp_status status = make_all(plan, at);

    plan->tables = (clspi_sample_tables){at[SLICES].buffer, at[FULL].buffer, at[ALONG].buffer};
    return status;
}

clsp_status clspi_sample_tables_on_host(clsp_solid_plan *plan, clspi_host_tables *tables)
{
    table_place at[PLACES] = {{.series = NULL}};
    const clsp_status status = make_all(plan, at);

    tables->slices = at[SLICES].host;
    tables->full = at[FULL].host;
    tables->along = at[ALONG].host;
    return status;
}

void clspi_sample_tables_release(clspi_sample_tables *tables)
{
    clspi_buffer_release(&tables->slices);
    clspi_buffer_release(&tables->full);
    clspi_buffer_release(&tables->along);
}
