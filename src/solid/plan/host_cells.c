#include "host_cells.h"

#include <math.h>
#include <stdlib.h>

#include "cell_sums.h"
#include "check.h"
#include "solid_upload.h"
#include "star_vertices.h"

enum { SLAB = 2048 /* vertices that are made at once, or all with one u */ };

/* What a worker has to itself. */
typedef struct host_scratch {
    clspi_class_set classes; /* the plan's, with scratch memory of its own */
    double rows[CLSPI_SCRATCH_ROWS][CLSPI_RING_POINTS];
    double weights[CLSPI_RING_POINTS];
    uint32_t points[CLSPI_RING_POINTS];
    double staged[CLSPI_RING_POINTS * CLSPI_STAGED_WIDTH]; /* reals */
    size_t room;                                           /* vertices that follow */
    double *sums;        /* [sums][room][dim] reals; NULL: cells are made in place */
    double (*params)[3]; /* [room] */
    uint8_t *faces;      /* [room] */
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
    CLSPI_CHECK(clspi_solid_hold_points(plan));
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

clsp_status clspi_solid_host_tables(clsp_solid_plan *plan)
{
    clspi_host_tables *const tables = &plan->host_tables;
    clspi_call call;

    if (tables->along) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    const clsp_status status = clspi_call_finish(&call, read_tables(plan, &call.series));
    if (status != CLSP_OK) release_tables(tables);
    return status;
}

void clspi_solid_host_release(clsp_solid_plan *plan)
{
    release_tables(&plan->host_tables);
    free(plan->use_of);
    clspi_host_state_release(&plan->host);
}

/* Returns how many vertices a worker makes at once that are not made in place. */
static size_t slab_of(const clsp_solid_plan *plan)
{
    const clsp_axis *const axis = plan->desc.axis;
    const size_t plane = clspi_max(1, (size_t)axis[1].num * axis[2].num);

    return plan->has_grid ? plane * clspi_max(1, clspi_min(axis[0].num, SLAB / plane)) : 1;
}

/* Allocates a worker's scratch memory. */
static host_scratch *create_scratch(const clsp_solid_plan *plan)
{
    const size_t room = slab_of(plan);
    const size_t reals = room * plan->shape.num_sums * plan->shape.dim;
    host_scratch *const made =
        malloc(sizeof *made + (reals + 3 * room) * sizeof(double) + room * sizeof *made->faces);

    if (!made) return NULL;
    made->room = room;
    made->sums = (double *)(void *)(made + 1);
    made->params = (double(*)[3])(void *)(made->sums + reals);
    made->faces = (uint8_t *)(made->params + room);
    return made;
}

/* Returns a worker's scratch memory, which its first call makes; NULL without memory. */
static host_scratch *scratch_of(clsp_solid_plan *plan, uint32_t worker)
{
    void **const own = &plan->host.scratch[worker];
    host_scratch *const scratch = *own ? *own : create_scratch(plan);

    *own = scratch;
    if (!scratch) return NULL;
    scratch->classes = plan->classes;
    for (uint32_t i = 0; i < CLSPI_COUNT(scratch->classes.scratch); i++)
        scratch->classes.scratch[i] = scratch->rows[i];
    return scratch;
}

/* ---- cells ---- */

/* Tells how a cell that is not regular is made: the k-th sum of it. */
static clspi_cell_sum sum_of(const clsp_solid_plan *plan, size_t cell, uint32_t k)
{
    const clspi_class_use of = plan->points.use[cell];
    const clspi_cell_class *const entry = &plan->classes.entry[of.number];
    const clspi_cell_use *const use =
        &plan->layout.uses[plan->use_of[(size_t)of.number * CLSPI_FRAMES + of.frame]];
    const clspi_host_tables *const tables = &plan->host_tables;
    const size_t row = 16 * clsp_type_bytes(plan->desc.precision);
    clspi_cell_sum sum = {.way = use->has_slices ? CLSPI_BY_LAYERS : CLSPI_BY_TABLE,
                          .points = plan->points.index + plan->points.place[cell],
                          .terms = use->terms};

    if (use->has_slices) {
        sum.slice = entry->slice;
        sum.flips = clspi_frame_flips(of.frame, entry->axis);
        sum.direction = use->direction;
        sum.stride = clspi_slice_stride(&plan->desc, use->direction);
        sum.table = (const char *)tables->slices + (k * plan->layout.slice_rows + use->table) * row;
    } else {
        sum.stride = clspi_round_up(clspi_grid_size(&plan->desc), 16);
        sum.table = (const char *)tables->full + (k * plan->layout.full_rows + use->table) * row;
    }
    return sum;
}

/* Describes the samples from `first` on along u, `num` of them, to the k-th sum. */
static clspi_cell_grid grid_of(const clsp_solid_plan *plan, uint32_t k, uint32_t first,
                               uint32_t num)
{
    const clsp_axis *const axis = plan->desc.axis;
    const uint8_t number = plan->shape.number[k];
    const size_t quad = 4 * clsp_type_bytes(plan->desc.precision);
    const size_t all = (size_t)axis[0].num + axis[1].num + axis[2].num;
    clspi_cell_grid grid = {.num = {num, axis[1].num, axis[2].num},
                            .dim = plan->desc.dim,
                            .is_value = number == CLSPI_VALUE,
                            .control = plan->host.data};
    size_t before = 0;

    for (uint32_t a = 0; a < 3; a++) {
        const size_t order = plan->is_plain ? 0 : clspi_order_by[number][a];
        const size_t at = order * all + before + (a == 0 ? first : 0);
        grid.along[a] = (const char *)plan->host_tables.along + at * quad;
        before += axis[a].num;
    }
    return grid;
}

/* Makes the k-th sum of a cell at samples from `first` on along u. */
static void make_sum(const clsp_solid_plan *plan, host_scratch *scratch, uint32_t cell, uint32_t k,
                     uint32_t first, uint32_t num, void *out)
{
    const clsp_axis *const axis = plan->desc.axis;
    const size_t plane = (size_t)axis[1].num * axis[2].num;
    const clspi_cell_grid grid = grid_of(plan, k, first, num);
    clspi_cell_sum sum = {.way = CLSPI_BY_SPLINES, .points = scratch->points};

    if (plan->points.use[cell].number != CLSPI_REGULAR) {
        sum = sum_of(plan, cell, k);
        const size_t before = sum.way == CLSPI_BY_TABLE ? first * plane
                              : sum.direction == 0      ? 0
                                                        : first * (plane / axis[sum.direction].num);
        sum.table = (const char *)sum.table + before * clsp_type_bytes(plan->desc.precision);
    }
    (plan->desc.precision == CLSP_F64 ? clspi_cell_sums_f64
                                      : clspi_cell_sums_f32)(&grid, &sum, scratch->staged, out);
}

/* Returns a parameter of a sample, as kernels have it. */
static double param_at(const clsp_solid_plan *plan, uint32_t direction, uint32_t a)
{
    const clsp_axis *const axis = plan->desc.axis;
    size_t at = 3 * ((size_t)axis[0].num + axis[1].num + axis[2].num) + a;

    for (uint32_t d = 0; d < direction; d++)
        at += axis[d].num;
    return plan->desc.precision == CLSP_F64
               ? ((const double *)plan->host_tables.along)[4 * at]
               : (double)((const float *)plan->host_tables.along)[4 * at];
}

/* Finds the parameters of samples from `first` on along u, and the boundary faces that they are
   on. */
static void find_params(const clsp_solid_plan *plan, host_scratch *scratch, uint32_t cell,
                        uint32_t first, size_t count)
{
    const clsp_axis *const axis = plan->desc.axis;
    const uint8_t faces = plan->faces ? plan->faces[cell] : 0;

    for (size_t i = 0; i < count; i++) {
        const size_t row = i / axis[2].num;
        double *const t = scratch->params[i];
        t[0] = param_at(plan, 0, first + (uint32_t)(row / axis[1].num));
        t[1] = param_at(plan, 1, (uint32_t)(row % axis[1].num));
        t[2] = param_at(plan, 2, (uint32_t)(i % axis[2].num));
        scratch->faces[i] = clspi_solid_face_at(faces, t);
    }
}

/* Makes the vertices of a cell by way of its sums, those of some u at a time. */
static void make_vertices(const clsp_solid_plan *plan, host_scratch *scratch, uint32_t cell,
                          char *out)
{
    const clspi_solid_shape *const shape = &plan->shape;
    const clsp_axis *const axis = plan->desc.axis;
    const size_t plane = (size_t)axis[1].num * axis[2].num;
    const uint32_t most = (uint32_t)(scratch->room / plane);
    const size_t reals = scratch->room * shape->dim;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const clspi_solid_source source = {
        .sums = scratch->sums, .plane = reals, .params = scratch->params, .faces = scratch->faces};

    for (uint32_t u = 0; u < axis[0].num; u += most) {
        const uint32_t num = (uint32_t)clspi_min(most, axis[0].num - u);
        for (uint32_t k = 0; k < shape->num_sums; k++)
            make_sum(plan, scratch, cell, k, u, num, (char *)scratch->sums + k * reals * real);
        if (shape->has_params || shape->has_normal)
            find_params(plan, scratch, cell, u, num * plane);
        clspi_solid_vertices_store(
            shape, &source, out + u * plane * shape->stride * (shape->bits / 8), num * plane);
    }
}

clsp_status clspi_solid_host_cells(clsp_solid_plan *plan, uint32_t worker, clsp_range cells,
                                   char *out)
{
    const size_t bytes = plan->cell_elements * clspi_solid_element(plan);
    const clspi_star_lines lines = {NULL, cells};

    if (plan->lattice) return clspi_star_vertices(plan, &lines, NULL, out);
    host_scratch *const scratch = scratch_of(plan, worker);
    if (!scratch) return no_memory(plan);
    for (size_t c = 0; c < cells.count; c++) {
        const uint32_t cell = (uint32_t)(cells.first + c);
        if (plan->points.use[cell].number == CLSPI_REGULAR)
            clspi_cell_points_of(&plan->points, &plan->classes, cell, scratch->points);
        if (plan->is_plain)
            make_sum(plan, scratch, cell, 0, 0, plan->desc.axis[0].num, out + c * bytes);
        else
            make_vertices(plan, scratch, cell, out + c * bytes);
    }
    return CLSP_OK;
}

/* ---- lists of points ---- */

static double real_at(const clsp_solid_plan *plan, const void *reals, size_t i)
{
    return plan->desc.precision == CLSP_F64 ? ((const double *)reals)[i]
                                            : (double)((const float *)reals)[i];
}

/* Sums three channels of so many control points from number `first` on, relative to the first of
   the points: side by side, since each sum waits for its last term. */
static void sum_three(const clsp_solid_plan *plan, const host_scratch *scratch, uint32_t num,
                      uint32_t first, bool is_value, double *to)
{
    const size_t step = plan->desc.dim, at = scratch->points[0] * step + first;
    const void *const control = plan->host.data;
    const double u = real_at(plan, control, at), v = real_at(plan, control, at + 1);
    const double w = real_at(plan, control, at + 2), *const weights = scratch->weights;
    double x = 0.0, y = 0.0, z = 0.0;

    for (uint32_t k = 0; k < num; k++) {
        const size_t i = scratch->points[k] * step + first;
        x += weights[k] * (real_at(plan, control, i) - u);
        y += weights[k] * (real_at(plan, control, i + 1) - v);
        z += weights[k] * (real_at(plan, control, i + 2) - w);
    }
    to[0] = is_value ? u + x : x;
    to[1] = is_value ? v + y : y;
    to[2] = is_value ? w + z : z;
}

/* Sums one channel so. */
static double sum_channel(const clsp_solid_plan *plan, const host_scratch *scratch, uint32_t num,
                          uint32_t channel, bool is_value)
{
    const size_t step = plan->desc.dim;
    const void *const control = plan->host.data;
    const double centre = real_at(plan, control, scratch->points[0] * step + channel);
    double sum = 0.0;

    for (uint32_t k = 0; k < num; k++)
        sum += scratch->weights[k] *
               (real_at(plan, control, scratch->points[k] * step + channel) - centre);
    return is_value ? centre + sum : sum;
}

/* Makes the sums of a point, [sums][dim] doubles; NaN where it is nowhere. */
static void sum_point(const clsp_solid_plan *plan, host_scratch *scratch,
                      const clspi_solid_spot *spot, double *sums)
{
    const clspi_solid_shape *const shape = &plan->shape;
    uint32_t num = 0;

    if (spot->is_there)
        num = clspi_cell_points_of(&plan->points, &plan->classes, spot->cell, scratch->points);
    for (uint32_t k = 0; k < shape->num_sums; k++) {
        const uint8_t number = shape->number[k];
        if (num > 0)
            clspi_cell_weights(&plan->points, &scratch->classes, spot->cell, spot->t,
                               clspi_order_by[number], scratch->weights);
        const bool is_value = number == CLSPI_VALUE;
        uint32_t c = 0;
        for (; num > 0 && c + 3 <= shape->dim; c += 3)
            sum_three(plan, scratch, num, c, is_value, sums + k * shape->dim + c);
        for (; c < shape->dim; c++)
            sums[k * shape->dim + c] =
                num > 0 ? sum_channel(plan, scratch, num, c, is_value) : (double)NAN;
    }
}

/* Stores the one sum of a packed point in the plan's precision. */
static void store_plain(const clsp_solid_plan *plan, const double *sum, void *out)
{
    for (uint32_t c = 0; c < plan->desc.dim; c++)
        if (plan->desc.precision == CLSP_F64)
            ((double *)out)[c] = sum[c];
        else
            ((float *)out)[c] = (float)sum[c];
}

clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_solid_list *list, clsp_range points, char *out)
{
    double sums[CLSPI_ORDERS * CLSP_SOLID_MAX_DIM];
    clspi_solid_shape shape = plan->shape;
    const size_t vertex = shape.stride * (shape.bits / 8);
    const clspi_star_lines lines = {list, points};

    if (plan->lattice) return clspi_star_vertices(plan, &lines, NULL, out);
    host_scratch *const scratch = scratch_of(plan, worker);
    if (!scratch) return no_memory(plan);
    shape.is_double = true; /* as sums are here */
    for (size_t i = 0; i < points.count; i++) {
        clspi_solid_spot spot = clspi_solid_spot_of(plan, list, points.first + i);
        const clspi_solid_source source = {
            .sums = sums, .plane = shape.dim, .params = &spot.t, .faces = &spot.face};
        sum_point(plan, scratch, &spot, sums);
        if (plan->is_plain)
            store_plain(plan, sums, out + i * vertex);
        else
            clspi_solid_vertices_store(&shape, &source, out + i * vertex, 1);
    }
    return CLSP_OK;
}
