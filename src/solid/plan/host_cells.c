#include "host_cells.h"

#include <stdlib.h>

#include "cell_sums.h"
#include "check.h"
#include "methods.h"
#include "solid_upload.h"
#include "star_vertices.h"

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the host's part");
}

/* ---- what workers share ---- */

clsp_status clspi_solid_host_prepare(clsp_solid_plan *plan)
{
    CLSPI_CHECK(clspi_solid_hold_points(plan));
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = clspi_control_hold(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

/* Reads a table into memory that begins with a line of the cache, as all its rows do then. */
static clsp_status read_table(clspi_series *series, cl_mem from, size_t bytes, void **table)
{
    enum { LINE = 64 };

    *table = aligned_alloc(LINE, clspi_round_up(bytes, LINE));
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
    for (uint32_t a = 0; a < 3; a++)
        free(tables->weights[a]);
    *tables = (clspi_host_tables){.slices = NULL};
}

static clsp_status read_tables(clsp_solid_plan *plan, clspi_series *series)
{
    const clspi_sample_tables *const from = &plan->tables;
    const clspi_cell_layout *const layout = &plan->layout;
    const size_t row = 16 * clsp_type_bytes(plan->desc.precision) * plan->shape.num_sums;
    const size_t along = clspi_along_reals(plan) * clsp_type_bytes(plan->desc.precision);
    clspi_host_tables *const to = &plan->host_tables;

    if (layout->slice_rows)
        CLSPI_CHECK(read_table(series, from->slices, layout->slice_rows * row, &to->slices));
    if (layout->full_rows)
        CLSPI_CHECK(read_table(series, from->full, layout->full_rows * row, &to->full));
    return read_table(series, from->along, along, &to->along);
}

/* Returns the samples along directions before one. */
static size_t samples_before(const clsp_solid_plan *plan, uint32_t direction)
{
    size_t before = 0;

    for (uint32_t a = 0; a < direction; a++)
        before += plan->desc.axis[a].num;
    return before;
}

/* Tells whether vertices are their sums in order, and nothing else. */
static bool is_dense(const clsp_solid_plan *plan, const clspi_cell_grid *grid)
{
    const clspi_solid_shape *const shape = &plan->shape;
    bool is = grid->width == grid->dim && shape->stride == grid->slots &&
              plan->desc.vertex.type == plan->desc.precision;

    for (uint32_t k = 0; k < shape->num_sums; k++)
        is = is && clspi_solid_sum_at(shape, k) == (int32_t)(k * grid->dim);
    return is;
}

/* Describes the grid, and makes the weights of slots from those of samples. */
static clsp_status make_grid(clsp_solid_plan *plan)
{
    const clsp_axis *const axis = plan->desc.axis;
    const bool is_double = plan->desc.precision == CLSP_F64;
    const size_t quad = 4 * clsp_type_bytes(plan->desc.precision);
    const size_t order = plan->is_plain ? 0 : samples_before(plan, 3); /* in fours */
    const size_t line = 64; /* bytes of the cache, with one of which weights begin */
    clspi_host_tables *const tables = &plan->host_tables;
    clspi_cell_grid *const grid = &tables->grid;

    *grid = (clspi_cell_grid){.num = {axis[0].num, axis[1].num, axis[2].num},
                              .dim = plan->desc.dim,
                              .num_sums = plan->shape.num_sums,
                              .number = plan->shape.number};
    if (grid->num_sums == 0) return CLSP_OK;
    clspi_cell_grid_shape(grid, is_double);
    grid->is_dense = is_dense(plan, grid);
    for (uint32_t o = 0; o <= CLSPI_MOST_ORDER; o++)
        grid->along[o] = (char *)tables->along + (o * order + samples_before(plan, 2)) * quad;
    for (uint32_t a = 0; a < 3; a++) {
        const char *const along = (char *)tables->along + samples_before(plan, a) * quad;
        tables->weights[a] = malloc((size_t)grid->num[a] * grid->period * quad + 2 * line);
        if (!tables->weights[a]) return no_memory(plan);
        char *const weights =
            (char *)tables->weights[a] + line - (uintptr_t)tables->weights[a] % line;
        clspi_cell_grid_weights(grid, is_double, a, along, 4 * order, weights);
        grid->weights[a] = weights;
    }
    return CLSP_OK;
}

clsp_status clspi_solid_host_tables(clsp_solid_plan *plan)
{
    clspi_host_tables *const tables = &plan->host_tables;
    clspi_call call;

    if (tables->along) return CLSP_OK;
    clsp_status status;
    if (plan->tables.along) {
        CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
        status = clspi_call_finish(&call, read_tables(plan, &call.series));
    } else {
        status = clspi_sample_tables_on_host(plan, tables);
    }
    if (status == CLSP_OK) status = make_grid(plan);
    if (status != CLSP_OK) release_tables(tables);
    return status;
}

void clspi_solid_host_release(clsp_solid_plan *plan)
{
    release_tables(&plan->host_tables);
    clspi_class_trees_release(&plan->host_trees);
    clspi_host_state_release(&plan->host);
}

clspi_solid_scratch *clspi_solid_scratch_of(clsp_solid_plan *plan, uint32_t worker)
{
    void **const own = &plan->host.scratch[worker];
    clspi_solid_scratch *const scratch = *own ? *own : malloc(sizeof *scratch);

    if (!scratch) return NULL;
    for (uint32_t i = 0; i < CLSPI_RING_POINTS && !*own; i++)
        scratch->numbers[i] = i;
    *own = scratch;
    scratch->classes = plan->classes;
    for (uint32_t i = 0; i < CLSPI_COUNT(scratch->classes.scratch); i++)
        scratch->classes.scratch[i] = scratch->rows[i];
    return scratch;
}

/* ---- cells ---- */

/* A cell on its way, whose vertices are stored as they are made. */
typedef struct host_cell {
    const clsp_solid_plan *plan;
    clspi_solid_scratch *scratch;
    uint32_t cell;
    char *out;
} host_cell;

/* Tells how a cell is made. */
static clspi_cell_sum sum_of(const host_cell *h)
{
    const clsp_solid_plan *const plan = h->plan;
    const clspi_class_use of = plan->points.use[h->cell];
    clspi_cell_sum sum = {.way = CLSPI_BY_SPLINES};

    if (of.number == CLSPI_REGULAR) {
        sum.points = clspi_regular_points(&plan->points, h->cell, &sum.grid);
        return sum;
    }
    const clspi_cell_class *const entry = &plan->classes.entry[of.number];
    const clspi_cell_use *const use = &plan->layout.uses[clspi_use_of(plan, h->cell)];
    const clspi_host_tables *const tables = &plan->host_tables;
    const size_t row = 16 * clsp_type_bytes(plan->desc.precision);

    sum.way = use->has_slices ? CLSPI_BY_LAYERS : CLSPI_BY_TABLE;
    sum.points = plan->points.index + plan->points.place[h->cell];
    sum.terms = use->terms;
    sum.slice = entry->slice;
    if (use->has_slices) {
        sum.flips = clspi_frame_flips(of.frame, entry->axis);
        sum.direction = use->direction;
        sum.stride = clspi_slice_stride(&plan->desc, use->direction);
        sum.step = 16 * plan->layout.slice_rows;
        sum.table = (const char *)tables->slices + use->table * row;
    } else {
        sum.stride = clspi_round_up(clspi_grid_size(&plan->desc), 16);
        sum.step = 16 * plan->layout.full_rows;
        sum.table = (const char *)tables->full + use->table * row;
    }
    return sum;
}

/* Returns a parameter of a sample, as kernels have it. */
static double param_at(const clsp_solid_plan *plan, uint32_t direction, uint32_t a)
{
    const size_t at = 3 * samples_before(plan, 3) + samples_before(plan, direction) + a;

    return plan->desc.precision == CLSP_F64
               ? ((const double *)plan->host_tables.along)[4 * at]
               : (double)((const float *)plan->host_tables.along)[4 * at];
}

static uint32_t sample_of(const clspi_sample_run *run, uint32_t i)
{
    return run->place ? run->place[i] : run->first + i;
}

/* Finds the parameters of a run, and the boundary faces that they are on. */
static void find_params(const host_cell *h, const clspi_sample_run *run, uint8_t faces)
{
    const clsp_axis *const axis = h->plan->desc.axis;

    for (uint32_t i = 0; i < run->num; i++) {
        const uint32_t sample = sample_of(run, i), row = sample / axis[2].num;
        double *const t = h->scratch->params[i];
        t[0] = param_at(h->plan, 0, row / axis[1].num);
        t[1] = param_at(h->plan, 1, row % axis[1].num);
        t[2] = param_at(h->plan, 2, sample % axis[2].num);
        h->scratch->faces[i] = clspi_solid_face_at(faces, t);
    }
}

/* Stores a run whose sums are made: samples that follow each other together. */
static void store_run(const void *user, const clspi_sample_run *run, const void *made,
                      uint32_t first, uint32_t used)
{
    const host_cell *const h = user;
    const clsp_solid_plan *const plan = h->plan;
    const clspi_solid_shape *const shape = &plan->shape;
    const clspi_cell_grid *const grid = &plan->host_tables.grid;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const uint8_t faces = plan->faces ? plan->faces[h->cell] : 0;

    if (shape->has_params || faces) find_params(h, run, faces);
    for (uint32_t i = 0, end; i < run->num; i = end) {
        const clspi_solid_source source = {.sums = (const char *)made + i * grid->slots * real,
                                           .plane = grid->width,
                                           .step = grid->slots,
                                           .first = first,
                                           .used = used,
                                           .params = h->scratch->params + i,
                                           .faces = faces ? h->scratch->faces + i : NULL};
        const size_t vertex = shape->stride * (shape->bits / 8);
        for (end = i + 1; end < run->num && sample_of(run, end) == sample_of(run, end - 1) + 1;)
            end++;
        clspi_solid_vertices_store(shape, &source, h->out + sample_of(run, i) * vertex, end - i);
    }
}

/* Makes the vertices of a cell. */
static void make_cell(const host_cell *h, const clspi_cell_grid *grid)
{
    const bool is_double = h->plan->desc.precision == CLSP_F64;
    const size_t samples = clspi_grid_size(&h->plan->desc);
    const clspi_cell_sum sum = sum_of(h);

    if (grid->num_sums > 0) {
        if (h->plan->desc.method != CLSP_SOLID_CELLS)
            clspi_published_cells.on_host(is_double, grid, &sum, h->scratch->staged, h->out);
        else
            (is_double ? clspi_cell_sums_f64 : clspi_cell_sums_f32)(grid, &sum, h->scratch->staged,
                                                                    h->out);
        return;
    }
    for (size_t first = 0; first < samples; first += CLSPI_RUN) {
        const size_t num = clspi_min(CLSPI_RUN, samples - first);
        store_run(h, &(clspi_sample_run){(uint32_t)num, (uint32_t)first, NULL}, NULL, 0, 0);
    }
}

clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, clsp_range cells,
                                   char *out)
{
    const size_t bytes = plan->cell_elements * clspi_solid_element(plan);
    host_cell h = {.plan = plan};

    if (plan->lattice)
        return clspi_star_vertices(plan, worker, &(clspi_star_lines){NULL, cells}, out);
    h.scratch = clspi_solid_scratch_of(plan, worker);
    if (!h.scratch) return no_memory(plan);
    clspi_cell_grid grid = plan->host_tables.grid;
    grid.control = plan->host.data;
    grid.store = store_run;
    grid.user = &h;
    for (size_t c = 0; c < cells.count; c++) {
        h.cell = (uint32_t)(cells.first + c);
        h.out = out + c * bytes;
        make_cell(&h, &grid);
    }
    return CLSP_OK;
}
