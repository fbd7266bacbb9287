#include "piece_order.h"

#include "buffer.h"
#include "check.h"
#include "split.h"

static clspi_options options_of(const clsp_context *ctx, clsp_type precision)
{
    return clspi_options_of(ctx, precision);
}

clsp_status clspi_piece_order_build(const clspi_build *build, clsp_type precision)
{
    const clspi_options options = options_of(build->ctx, precision);

    return clspi_program_build(build, "piece_order", &options);
}

clsp_status clspi_piece_order_prepare(clspi_piece_order *order, clsp_context *ctx,
                                      const clspi_tensor_desc *desc, const clspi_knots knots[3])
{
    const clspi_options options = options_of(ctx, desc->precision);

    order->coords = clspi_coords(desc);
    for (cl_uint k = 0; k < 3; k++)
        order->orders[k] = order->pieces[k] = 1;
    for (cl_uint k = 0; k < desc->directions; k++) { /* the last one along w */
        const cl_uint place = k + 1 < desc->directions ? k : 2;
        order->orders[place] = knots[k].degree + 1;
        order->pieces[place] = knots[k].controls / order->orders[place];
    }
    return clspi_kernel_create(&order->kernel, ctx, "piece_order", &clspi_order_pieces_signature,
                               &options);
}

clsp_status clspi_piece_order_reserve(clspi_piece_order *order, clsp_context *ctx, size_t bytes)
{
    return clspi_buffer_reserve(&order->rows, &order->rows_bytes, ctx, bytes);
}

clsp_status clspi_piece_order_enqueue(clspi_piece_order *order, clspi_series *series,
                                      size_t num_rows, cl_mem out, size_t offset)
{
    const clspi_tuning *const tuning = &series->ctx->tuning;
    const size_t run = (size_t)order->orders[2] * order->coords;
    const size_t row = (size_t)order->pieces[1] * order->orders[1] * order->pieces[2] * run;
    const size_t block = order->orders[0] * row;
    const uint64_t most = clspi_launch_lines(tuning, block, row, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = 1, .left = num_rows / order->orders[0]};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_order_pieces_args args = {.rows = order->rows,
                                              .out = out,
                                              .at = {.first_block = part.piece,
                                                     .offset = offset + part.piece * block,
                                                     .order_u = order->orders[0],
                                                     .order_v = order->orders[1],
                                                     .pieces_v = order->pieces[1],
                                                     .pieces_w = order->pieces[2],
                                                     .run = (cl_uint)run,
                                                     .items = (cl_uint)(part.num_lines * row)}};
        CLSPI_CHECK(clspi_launch_order_pieces(series, &order->kernel, &args, args.at.items));
    }
    return CLSP_OK;
}

void clspi_piece_order_release(clspi_piece_order *order)
{
    clspi_kernel_release(&order->kernel);
    clspi_buffer_release(&order->rows);
}
