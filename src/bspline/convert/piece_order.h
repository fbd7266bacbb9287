/* Bezier pieces in several directions: rows of control points, put in order piece by piece. */
#ifndef CLSPI_PIECE_ORDER_H
#define CLSPI_PIECE_ORDER_H

#include "kernel_arguments.h"
#include "knots.h"
#include "tensor_desc.h"

typedef struct clspi_piece_order {
    clspi_kernel kernel;
    cl_uint orders[3], pieces[3]; /* of pieces, and along each direction; of none 1 */
    cl_uint coords;
    cl_mem rows; /* what is to be put in order */
    size_t rows_bytes;
} clspi_piece_order;

/* Makes the kernel. knots: those of the pieces. */
clsp_status clspi_piece_order_prepare(clspi_piece_order *order, clsp_context *ctx,
                                      const clspi_tensor_desc *desc, const clspi_knots knots[3]);

/* Makes room for so many bytes of rows. */
clsp_status clspi_piece_order_reserve(clspi_piece_order *order, clsp_context *ctx, size_t bytes);

/* Puts order->rows, num_rows of them, which are whole pieces along u, in order: out gets their
   pieces, one after the other, from element `offset` on. */
clsp_status clspi_piece_order_enqueue(clspi_piece_order *order, clspi_series *series,
                                      size_t num_rows, cl_mem out, size_t offset);

void clspi_piece_order_release(clspi_piece_order *order);

/* Builds the program ahead of use. */
clsp_status clspi_piece_order_build(const clspi_build *build, clsp_type precision);

#endif
