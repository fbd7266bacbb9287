#include "host_cells.h"

#include <math.h>
#include <stdlib.h>

#include "cell_sums.h"
#include "check.h"

/* What a worker has to itself. */
typedef struct host_scratch {
    clspi_class_set classes; /* the plan's, with scratch memory of its own */
    double weights[3][CLSPI_RING_POINTS];
    uint32_t points[CLSPI_RING_POINTS];
    double staged[CLSPI_RING_POINTS * CLSPI_STAGED_WIDTH]; /* reals */
} host_scratch;

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the host's part");
}

/* ---- what workers share ---- */

/* Lists uses by class and frame. */
static clsp_status find_uses(clsp_solid_plan *plan)
{
    const clspi_cell_layout *const layout = &plan->layout;
    const size_t num = (size_t)plan->classes.num * CLSPI_FRAMES;

    if (plan->use_of) return CLSP_OK;
    plan->use_of = calloc(num + 1, sizeof *plan->use_of);
    if (!plan->use_of) return no_memory(plan);
    for (uint32_t u = 0; u < layout->num_uses; u++) {
        const clspi_class_use of = layout->uses[u].of;
        if (of.number != CLSPI_REGULAR)
            plan->use_of[(size_t)of.number * CLSPI_FRAMES + of.frame] = u;
    }
    return CLSP_OK;
}

clsp_status clspi_solid_host_prepare(clsp_solid_plan *plan)
{
    const size_t bytes =
        clspi_num_points(&plan->points) * plan->desc.dim * clsp_type_bytes(plan->desc.precision);

    CLSPI_CHECK(find_uses(plan));
    CLSPI_CHECK(clspi_solid_hold_blocks(plan));
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status =
        clspi_host_state_read(&plan->host, &plan->base, plan->control, bytes);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

static clsp_status read_table(clspi_series *series, cl_mem from, size_t bytes, void **table)
{
    *table = malloc(bytes);
    if (!*table)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no host memory for tables of %zu bytes", bytes);
    return clspi_series_read(series, from, 0, *table, bytes);
}

static void release_tables(clspi_host_tables *tables)
{
    free(tables->slices);
    free(tables->full);
    free(tables->along);
    *tables = (clspi_host_tables){NULL, NULL, NULL};
}

static clsp_status read_tables(clsp_solid_plan *plan, clspi_series *series, const uint8_t by[3])
{
    const uint32_t number = clspi_order_number(by);
    const clspi_sample_tables *const from = &plan->tables[number];
    const clspi_cell_layout *const layout = &plan->layout;
    const clsp_axis *const axis = plan->desc.axis;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const size_t along = 4 * ((size_t)axis[0].num + axis[1].num + axis[2].num);
    clspi_host_tables *const to = &plan->host_tables[number];

    CLSPI_CHECK(clspi_sample_tables_prepare(plan, series, by));
    CLSPI_CHECK(read_table(series, from->along, along * real, &to->along));
    if (layout->slice_rows)
        CLSPI_CHECK(read_table(series, from->slices, layout->slice_rows * 16 * real, &to->slices));
    if (layout->full_rows)
        CLSPI_CHECK(read_table(series, from->full, layout->full_rows * 16 * real, &to->full));
    return CLSP_OK;
}

clsp_status clspi_solid_host_tables(clsp_solid_plan *plan, const uint8_t by[3])
{
    clspi_host_tables *const tables = &plan->host_tables[clspi_order_number(by)];
    clspi_call call;

    if (tables->along) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    const clsp_status status = clspi_call_finish(&call, read_tables(plan, &call.series, by));
    if (status != CLSP_OK) release_tables(tables);
    return status;
}

void clspi_solid_host_release(clsp_solid_plan *plan)
{
    for (uint32_t i = 0; i < CLSPI_ORDERS; i++)
        release_tables(&plan->host_tables[i]);
    free(plan->use_of);
    clspi_host_state_release(&plan->host);
}

/* Returns a worker's scratch memory, which its first call makes; NULL without memory. */
static host_scratch *scratch_of(clsp_solid_plan *plan, uint32_t worker)
{
    void **const own = &plan->host.scratch[worker];
    host_scratch *const scratch = *own ? *own : malloc(sizeof *scratch);

    *own = scratch;
    if (!scratch) return NULL;
    scratch->classes = plan->classes;
    for (uint32_t i = 0; i < CLSPI_COUNT(scratch->classes.scratch); i++)
        scratch->classes.scratch[i] = scratch->weights[i];
    return scratch;
}

/* ---- cells ---- */

/* Tells how a cell that is not regular is made. */
static clspi_cell_sum sum_of(const clsp_solid_plan *plan, const clspi_host_tables *tables,
                             size_t cell)
{
    const clspi_class_use of = plan->points.use[cell];
    const clspi_cell_class *const entry = &plan->classes.entry[of.number];
    const clspi_cell_use *const use =
        &plan->layout.uses[plan->use_of[(size_t)of.number * CLSPI_FRAMES + of.frame]];
    const size_t row = 16 * clsp_type_bytes(plan->desc.precision);
    clspi_cell_sum sum = {.way = use->has_slices ? CLSPI_BY_LAYERS : CLSPI_BY_TABLE,
                          .points = plan->points.index + plan->points.place[cell],
                          .terms = use->terms};

    if (use->has_slices) {
        sum.slice = entry->slice;
        sum.flips = clspi_frame_flips(of.frame, entry->axis);
        sum.direction = use->direction;
        sum.stride = clspi_slice_stride(&plan->desc, use->direction);
        sum.table = (const char *)tables->slices + use->table * row;
    } else {
        sum.stride = clspi_round_up(clspi_grid_size(&plan->desc), 16);
        sum.table = (const char *)tables->full + use->table * row;
    }
    return sum;
}

clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, const uint8_t by[3],
                                   clsp_range cells, char *out)
{
    const clspi_host_tables *const tables = &plan->host_tables[clspi_order_number(by)];
    const clsp_axis *const axis = plan->desc.axis;
    const clspi_cell_points *const points = &plan->points;
    const size_t bytes = plan->cell_reals * clsp_type_bytes(plan->desc.precision);
    const clspi_cell_grid grid = {.num = {axis[0].num, axis[1].num, axis[2].num},
                                  .dim = plan->desc.dim,
                                  .is_value = !(by[0] | by[1] | by[2]),
                                  .control = plan->host.data,
                                  .along = tables->along};
    host_scratch *const scratch = scratch_of(plan, worker);

    if (!scratch) return no_memory(plan);
    for (size_t c = 0; c < cells.count; c++) {
        const uint32_t cell = (uint32_t)(cells.first + c);
        clspi_cell_sum sum = {.way = CLSPI_BY_SPLINES, .points = scratch->points};
        if (points->use[cell].number == CLSPI_REGULAR)
            clspi_cell_points_of(points, &plan->classes, cell, scratch->points);
        else
            sum = sum_of(plan, tables, cell);
        (plan->desc.precision == CLSP_F64 ? clspi_cell_sums_f64 : clspi_cell_sums_f32)(
            &grid, &sum, scratch->staged, out + c * bytes);
    }
    return CLSP_OK;
}

/* ---- lists of points ---- */

static double real_at(const clsp_solid_plan *plan, const void *reals, size_t i)
{
    return plan->desc.precision == CLSP_F64 ? ((const double *)reals)[i]
                                            : (double)((const float *)reals)[i];
}

/* Finds the weights of a point and its control points; returns how many, 0 where a parameter is NaN
   or there is no such cell. */
static uint32_t find_weights(const clsp_solid_plan *plan, host_scratch *scratch,
                             const clspi_host_list *list, size_t point)
{
    const uint32_t cell = list->cells[point];
    double t[3];

    if (cell >= plan->num_cells) return 0;
    for (uint32_t a = 0; a < 3; a++) {
        t[a] = real_at(plan, list->params, 3 * point + a);
        if (isnan(t[a])) return 0;
        t[a] = fmin(fmax(t[a], 0.0), 1.0);
    }
    clspi_cell_weights(&plan->points, &scratch->classes, cell, t, list->by, scratch->weights[2]);
    return clspi_cell_points_of(&plan->points, &plan->classes, cell, scratch->points);
}

/* Sums a channel of so many control points, relative to the first of them. */
static double sum_channel(const clsp_solid_plan *plan, const host_scratch *scratch, uint32_t num,
                          uint32_t channel, bool is_value)
{
    const size_t step = plan->desc.dim;
    const void *const control = plan->host.data;
    const double centre = real_at(plan, control, scratch->points[0] * step + channel);
    double sum = 0.0;

    for (uint32_t k = 0; k < num; k++)
        sum += scratch->weights[2][k] *
               (real_at(plan, control, scratch->points[k] * step + channel) - centre);
    return is_value ? centre + sum : sum;
}

clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_host_list *list, clsp_range points, char *out)
{
    const uint32_t dim = plan->desc.dim;
    const bool is_value = !(list->by[0] | list->by[1] | list->by[2]);
    host_scratch *const scratch = scratch_of(plan, worker);

    if (!scratch) return no_memory(plan);
    for (size_t i = 0; i < points.count; i++) {
        const uint32_t num = find_weights(plan, scratch, list, points.first + i);
        for (uint32_t c = 0; c < dim; c++) {
            const double made =
                num > 0 ? sum_channel(plan, scratch, num, c, is_value) : (double)NAN;
            if (plan->desc.precision == CLSP_F64)
                ((double *)(void *)out)[i * dim + c] = made;
            else
                ((float *)(void *)out)[i * dim + c] = (float)made;
        }
    }
    return CLSP_OK;
}
