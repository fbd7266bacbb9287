/* Bezier pieces of surfaces in one pass, on GPUs, with the bits of sums and piece_order. */
#ifndef CLSPI_SURFACE_PIECES_H
#define CLSPI_SURFACE_PIECES_H

#include "kernel_arguments.h"
#include "knots.h"
#include "tensor_sum.h"

typedef struct clspi_surface_pieces {
    clspi_kernel kernel; /* empty where pieces are made otherwise */
    const clspi_tensor_desc *desc;
    const clspi_basis_table *table[2]; /* along u and v */
    cl_uint orders[2], pieces[2];
} clspi_surface_pieces;

/* Tells whether pieces are made so: of surfaces, by two tables that are banded and whose terms stay
   in an item's registers. */
bool clspi_surface_pieces_fit(const clsp_context *ctx, const clspi_tensor_desc *desc,
                              const clspi_basis_table *const table[2]);

/* Makes the kernel. desc and tables must live as long; knots: those of the pieces. */
clsp_status clspi_surface_pieces_prepare(clspi_surface_pieces *s, clsp_context *ctx,
                                         const clspi_tensor_desc *desc,
                                         const clspi_basis_table *const table[2],
                                         const clspi_knots knots[2]);

/* Makes some rows, which are whole pieces along u. points: all patches of the plan. */
clsp_status clspi_surface_pieces_enqueue(const clspi_surface_pieces *s, clspi_series *series,
                                         cl_mem points, const clspi_rows *rows);

void clspi_surface_pieces_release(clspi_surface_pieces *s);

/* Builds the program of bicubic surfaces ahead of use. */
clsp_status clspi_surface_pieces_build(const clspi_build *build, const clspi_tensor_desc *desc);

#endif
