#include "own_target.h"

#include <stdlib.h>
#include <string.h>

#include "bernstein.h"
#include "buffer.h"
#include "check.h"
#include "convert_target.h"
#include "kernel_arguments.h"

static clsp_status no_memory(const clspi_bspline_plan *plan)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: no memory for the target of %zu curves", plan->own.num);
}

/* ---- knots ---- */

const double *clspi_own_target_knots(const clspi_own_target *own, size_t curve)
{
    return own->u + own->first[curve] + curve * ((size_t)own->degree + 1);
}

/* Appends the knots of a curve to those before it. *room: doubles that there is room for. */
static clsp_status append(clspi_own_target *own, const clspi_bspline_plan *plan, size_t curve,
                          const clspi_knots *knots, size_t *room)
{
    const size_t at = own->first[curve] + curve * ((size_t)knots->degree + 1);
    const size_t num = (size_t)knots->controls + knots->degree + 1;

    if (at + num > *room) {
        const size_t curves_left = plan->own.num - curve;
        const size_t more = clspi_max(at / 2, num * clspi_min(curves_left, 4096));
        double *const u = realloc(own->u, (at + num + more) * sizeof *u);
        if (!u) return no_memory(plan);
        own->u = u;
        *room = at + num + more;
    }
    memcpy(own->u + at, knots->u, num * sizeof *own->u);
    own->degree = knots->degree;
    own->first[curve + 1] = own->first[curve] + knots->controls;
    return CLSP_OK;
}

static clsp_status make_curve(clspi_own_target *own, const clspi_bspline_plan *plan,
                              const clsp_bspline_target *wanted, size_t curve, size_t *room)
{
    clspi_knots from, to = {0};
    clspi_target_direction d = {plan, &wanted->along[0], &from, 0, curve};
    clsp_status status = clspi_own_knots_of(plan, curve, &from) ? CLSP_OK : no_memory(plan);

    if (status == CLSP_OK) status = clspi_target_knots(&d, wanted->bezier, &to);
    if (status == CLSP_OK) status = append(own, plan, curve, &to, room);
    clspi_knots_release(&from);
    clspi_knots_release(&to);
    return status;
}

clsp_status clspi_own_target_make(clspi_own_target *own, const clspi_bspline_plan *plan,
                                  const clsp_bspline_target *wanted)
{
    size_t room = 0;

    own->num = plan->own.num;
    own->by = wanted->along[0].derivative;
    own->first = calloc(own->num + 1, sizeof *own->first);
    if (!own->first) return no_memory(plan);
    for (size_t c = 0; c < own->num; c++)
        CLSPI_CHECK(make_curve(own, plan, wanted, c, &room));
    own->terms = plan->desc.degree[0] + (own->by == 0);
    return CLSP_OK;
}

static void release_kernel(clspi_own_target *own)
{
    clspi_buffer_release(&own->weights);
    clspi_buffer_release(&own->columns);
    clspi_kernel_release(&own->kernel);
}

void clspi_own_target_release(clspi_own_target *own)
{
    free(own->first);
    free(own->u);
    release_kernel(own);
    *own = (clspi_own_target){0};
}

bool clspi_own_target_conversion(const clspi_own_target *own, const clspi_bspline_plan *plan,
                                 size_t curve, clspi_knots knots[2], clspi_conversion *conversion)
{
    const size_t controls = own->first[curve + 1] - own->first[curve];
    const double *const u = clspi_own_target_knots(own, curve);

    knots[0] = knots[1] = (clspi_knots){0};
    *conversion = (clspi_conversion){&knots[0], &knots[1], own->by};
    return clspi_own_knots_of(plan, curve, &knots[0]) &&
           clspi_knots_make(&knots[1], u, own->degree, (uint32_t)controls);
}

/* ---- rows ---- */

/* Room for `most` rows, which has `num` from number `first` on. */
typedef struct row_room {
    void *weights;
    cl_uint *columns;
    double *row, *scratch;
    size_t first, num, most;
    bool is_double;
} row_room;

/* Writes a row, of weights of control points or of their differences. */
static void put_row(row_room *room, const clspi_own_target *own, const clspi_conversion *c,
                    uint32_t row, size_t before)
{
    const uint32_t first = own->by > 0
                               ? clspi_conversion_difference_row(c, row, room->row, room->scratch)
                               : clspi_conversion_row(c, row, room->row, room->scratch);

    if (own->by == 0 && !room->is_double) clspi_round_f32(room->row, own->terms);
    for (size_t j = 0, at = room->num * own->terms; j < own->terms; j++, at++) {
        if (room->is_double)
            ((double *)room->weights)[at] = room->row[j];
        else
            ((float *)room->weights)[at] = (float)room->row[j];
    }
    room->columns[room->num++] = (cl_uint)(before + first);
}

/* Writes what the room has to the buffers, and empties it. */
static clsp_status flush(row_room *room, const clspi_own_target *own, clspi_series *series)
{
    const size_t row = own->terms * (room->is_double ? sizeof(double) : sizeof(float));
    const size_t first = room->first, num = room->num;

    room->first += num;
    room->num = 0;
    CLSPI_CHECK(clspi_series_write(series, own->columns, first * sizeof(cl_uint), room->columns,
                                   num * sizeof(cl_uint)));
    return own->terms == 0
               ? CLSP_OK
               : clspi_series_write(series, own->weights, first * row, room->weights, num * row);
}

static clsp_status put_curve(row_room *room, const clspi_own_target *own, clspi_series *series,
                             const clspi_bspline_plan *plan, size_t curve)
{
    clspi_knots knots[2];
    clspi_conversion conversion;
    const bool made = clspi_own_target_conversion(own, plan, curve, knots, &conversion);
    clsp_status status = made ? CLSP_OK : no_memory(plan);

    for (uint32_t row = 0; status == CLSP_OK && row < knots[1].controls; row++) {
        if (room->num == room->most) status = flush(room, own, series);
        put_row(room, own, &conversion, row, curve * knots[0].controls);
    }
    clspi_knots_release(&knots[0]);
    clspi_knots_release(&knots[1]);
    return status;
}

static clsp_status make_rows(const clspi_own_target *own, clspi_series *series,
                             const clspi_bspline_plan *plan)
{
    enum { ROWS = 1 << 14 };
    const size_t degree = plan->desc.degree[0], most = clspi_min(ROWS, own->first[own->num]);
    row_room room = {.weights = malloc(most * own->terms * sizeof(double)),
                     .columns = malloc(most * sizeof *room.columns),
                     .row = malloc((degree + 1) * sizeof *room.row),
                     .scratch = malloc((degree + 2) * (degree + 3) / 2 * sizeof *room.scratch),
                     .most = most,
                     .is_double = plan->desc.precision == CLSP_F64};
    clsp_status status =
        room.weights && room.columns && room.row && room.scratch ? CLSP_OK : no_memory(plan);
    for (size_t c = 0; status == CLSP_OK && c < own->num; c++)
        status = put_curve(&room, own, series, plan, c);
    if (status == CLSP_OK) status = flush(&room, own, series);
    free(room.weights);
    free(room.columns);
    free(room.row);
    free(room.scratch);
    return status;
}

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                bool differences)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", clspi_coords(desc));
    clspi_option(&options, "DIFFERENCES", differences);
    return options;
}

clsp_status clspi_own_target_build(const clspi_build *build, const clspi_tensor_desc *desc)
{
    const clspi_options options = options_of(build->ctx, desc, false);

    return clspi_program_build(build, "convert_own", &options);
}

clsp_status clspi_own_target_prepare(clspi_own_target *own, clspi_series *series,
                                     const clspi_bspline_plan *plan)
{
    clsp_context *const ctx = series->ctx;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const clspi_options options = options_of(ctx, &plan->tensor.desc, own->by > 0);
    size_t all = own->num, bytes = own->first[own->num];

    if (!clspi_size_mul(&all, plan->desc.num_controls[0]) || all > UINT32_MAX)
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: the control points of %zu curves are more than 32 bits count",
                          own->num);
    if (!clspi_size_mul(&bytes, own->terms * real)) return no_memory(plan);
    release_kernel(own); /* of a call that failed */
    CLSPI_CHECK(clspi_buffer_create(&own->weights, ctx, bytes));
    CLSPI_CHECK(clspi_buffer_create(&own->columns, ctx, own->first[own->num] * sizeof(cl_uint)));
    CLSPI_CHECK(clspi_kernel_create(&own->kernel, ctx, "convert_own", &clspi_convert_own_signature,
                                    &options));
    return make_rows(own, series, plan);
}

/* ---- control points ---- */

clsp_status clspi_own_target_enqueue(const clspi_own_target *own, clspi_series *series,
                                     const clspi_bspline_plan *plan, clsp_range controls,
                                     cl_mem out, size_t offset)
{
    const clspi_tuning *const tuning = &series->ctx->tuning;
    const cl_uint coords = clspi_coords(&plan->tensor.desc);
    const uint64_t most =
        clspi_launch_lines(tuning, (uint64_t)coords * own->terms, coords, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = clspi_max(1, controls.count), .left = controls.count};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const size_t items = part.num_lines * coords;
        const clspi_convert_own_args args = {.points = plan->tensor.points,
                                             .weights = own->weights,
                                             .columns = own->columns,
                                             .out = out,
                                             .at = {.first_row = controls.first + part.before,
                                                    .offset = offset + part.before * coords,
                                                    .terms = own->terms,
                                                    .items = (cl_uint)items}};
        CLSPI_CHECK(clspi_launch_convert_own(series, &own->kernel, &args, items));
    }
    return CLSP_OK;
}
