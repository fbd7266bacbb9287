/* Banded sums over the last direction whose samples soon begin with other control points: many
   lines of control points that share a table. */
#ifndef CLSPI_LINE_SUMS_H
#define CLSPI_LINE_SUMS_H

#include "basis_table.h"
#include "kernel_arguments.h"

/* Some samples of some lines, which are counted through all patches, and where the sums go. */
typedef struct clspi_line_job {
    const clspi_basis_table *table;
    cl_mem points, out;
    size_t first_line, num_lines;
    size_t offset;   /* reals of out */
    uint32_t stride; /* reals from line to line of out */
    uint32_t coords, controls;
    uint32_t first_sample, end_sample;
} clspi_line_job;

/* Tells whether sums by a table are made so: where it is banded and a sample's values stay in
   registers. It does not depend on how many lines there are, so that sums are the same bits however
   a batch is split. */
bool clspi_line_sums_fit(const clsp_context *ctx, clsp_type precision,
                         const clspi_basis_table *table);

clsp_status clspi_line_sums_prepare(clspi_kernel *kernel, clsp_context *ctx, clsp_type precision,
                                    uint32_t coords, uint32_t terms);

/* Enqueues one launch. */
clsp_status clspi_line_sums_enqueue(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_line_job *job);

/* Builds the program ahead of use. */
clsp_status clspi_line_sums_build(const clspi_build *build, clsp_type precision, uint32_t coords,
                                  uint32_t terms);

#endif
