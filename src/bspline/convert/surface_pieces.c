#include "surface_pieces.h"

#include "check.h"
#include "split.h"

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc,
                                const cl_uint terms[2], const cl_uint orders[2])
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", clspi_coords(desc));
    clspi_option(&options, "TERMS_U", terms[0]);
    clspi_option(&options, "TERMS_V", terms[1]);
    clspi_option(&options, "ORDER_U", orders[0]);
    clspi_option(&options, "ORDER_V", orders[1]);
    return options;
}

clsp_status clspi_surface_pieces_build(const clspi_build *build, const clspi_tensor_desc *desc)
{
    static const cl_uint four[2] = {4, 4};
    const clspi_options options = options_of(build->ctx, desc, four, four);

    return clspi_program_build(build, "surface_pieces", &options);
}

bool clspi_surface_pieces_fit(const clsp_context *ctx, const clspi_tensor_desc *desc,
                              const clspi_basis_table *const table[2])
{
    const size_t words = clsp_type_bytes(desc->precision) / sizeof(cl_float);

    return desc->directions == 2 && table[0]->is_banded && table[1]->is_banded &&
           ((size_t)table[0]->terms + table[1]->terms) * words <= ctx->tuning.item_registers &&
           (uint64_t)table[1]->axis.num * clspi_coords(desc) <= UINT32_MAX;
}

clsp_status clspi_surface_pieces_prepare(clspi_surface_pieces *s, clsp_context *ctx,
                                         const clspi_tensor_desc *desc,
                                         const clspi_basis_table *const table[2],
                                         const clspi_knots knots[2])
{
    const cl_uint terms[2] = {table[0]->terms, table[1]->terms};

    s->desc = desc;
    for (int k = 0; k < 2; k++) {
        s->table[k] = table[k];
        s->orders[k] = knots[k].degree + 1;
        s->pieces[k] = knots[k].controls / s->orders[k];
    }
    const clspi_options options = options_of(ctx, desc, terms, s->orders);
    return clspi_kernel_create(&s->kernel, ctx, "surface_pieces",
                               &clspi_make_surface_pieces_signature, &options);
}

/* Returns how many pieces along u an item makes: several, which share what they load, as far as
   the device is kept busy all the same. */
static cl_uint run_of(const clsp_context *ctx, size_t pieces, size_t columns, size_t patches)
{
    enum { MOST = 16 };
    const size_t wanted = (size_t)ctx->device.compute_units * ctx->tuning.items_per_unit * 2;
    const size_t run = patches * pieces * columns / wanted;

    return (cl_uint)clspi_max(1, clspi_min(clspi_min(MOST, pieces), run));
}

clsp_status clspi_surface_pieces_enqueue(const clspi_surface_pieces *s, clspi_series *series,
                                         cl_mem points, const clspi_rows *rows)
{
    const clspi_tuning *const tuning = &series->ctx->tuning;
    const cl_uint coords = clspi_coords(s->desc), order = s->orders[0];
    const size_t row = (size_t)s->table[1]->axis.num * coords;
    const uint64_t fma = row * s->table[0]->terms * (1 + s->table[1]->terms);
    const uint64_t most = clspi_launch_lines(tuning, fma, row, tuning->work_group, 1);
    clspi_cut cut = {
        .per_piece = rows->num_rows, .multiple = order, .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_rows some = clspi_rows_of_part(rows, &part, row);
        const cl_uint pieces = some.num_rows / order;
        const cl_uint run = run_of(series->ctx, pieces, row, some.num_patches);
        const size_t items = row * clspi_div_up(pieces, run) * some.num_patches;
        const clspi_make_surface_pieces_args args = {.points = points,
                                                     .table_u = s->table[0]->values,
                                                     .first_u = s->table[0]->first,
                                                     .table_v = s->table[1]->values,
                                                     .first_v = s->table[1]->first,
                                                     .out = some.out,
                                                     .at = {.first_patch = some.first_patch,
                                                            .offset = some.offset,
                                                            .controls_u = s->desc->controls[0],
                                                            .controls_v = s->desc->controls[1],
                                                            .stride_u = s->table[0]->stride,
                                                            .stride_v = s->table[1]->stride,
                                                            .first_piece = some.first_row / order,
                                                            .num_pieces = pieces,
                                                            .pieces_v = s->pieces[1],
                                                            .run = run,
                                                            .items = (cl_uint)items}};
        CLSPI_CHECK(clspi_launch_make_surface_pieces(series, &s->kernel, &args, items));
    }
    return CLSP_OK;
}

void clspi_surface_pieces_release(clspi_surface_pieces *s)
{
    clspi_kernel_release(&s->kernel);
}
