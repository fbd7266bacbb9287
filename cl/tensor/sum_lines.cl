/* The sums of partial_sums (tensor_sums.cl) by banded tables, for GPUs: many lines of control
   points, of curves say, that share a table (docs/kernels.md). An item has a column, one coordinate
   of one sample, keeps the sample's values in registers and makes one line after the other.
   Neighbours have adjacent columns, beyond the end of a line those of the next one.

   The host sets CLSP_DIM, all coordinates of a control point, and CLSP_TERMS of a sample's sum. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_TERMS
#define CLSP_TERMS 4
#endif

/* The lines of a launch, counted through all patches: num_lines from first_line on, which go to
   `offset` and on, stride_t reals apart, with num_columns columns each from first_sample on. Items
   make lines that are num_together apart, the first ones of which are those below that. */
typedef struct line_sums {
    wide first_line, offset;
    uint num_lines, num_together;
    uint controls; /* points of a line */
    uint first_sample, stride_table, num_columns, stride_t;
    uint items; /* num_together num_columns */
} line_sums;

/* Makes sums of lines. points: [lines][controls][CLSP_DIM]. */
kernel void sum_lines(global const real *restrict points, global const real *restrict table,
                      global const uint *restrict first, global real *restrict t, line_sums at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint begin = g / at.num_columns, x = g - begin * at.num_columns;
    const uint sample = x / CLSP_DIM, c = x - sample * CLSP_DIM;
    const uint a = at.first_sample + sample;
    const size_t line_reals = (size_t)at.controls * CLSP_DIM;
    global const real *p =
        points + (WIDE(at.first_line) + begin) * line_reals + first[a] * CLSP_DIM + c;
    global real *q = t + WIDE(at.offset) + (size_t)begin * at.stride_t + x;
    const size_t step_p = at.num_together * line_reals;
    const size_t step_q = at.num_together * (size_t)at.stride_t;
    real b[CLSP_TERMS];

    #pragma unroll
    for (uint j = 0; j < CLSP_TERMS; j++) b[j] = table[(size_t)j * at.stride_table + a];
    for (uint line = begin; line < at.num_lines; line += at.num_together) {
        real s = R(0.0);
        #pragma unroll
        for (uint j = 0; j < CLSP_TERMS; j++) s = MAD(b[j], p[j * CLSP_DIM], s);
        *q = s;
        p += step_p;
        q += step_q;
    }
}
