/* The sums of partial_sums (tensor_sums.cl) by banded tables whose samples begin with one control
   point and soon with another: many lines of control points, of curves say, that share a table.

   The host sets CLSP_DIM, all coordinates of a control point, and CLSP_TERMS of a sample's sum.

   An item has one coordinate of one sample, loads the sample's values once, and makes up to 32
   lines with them: a load from the first cache for a term and one store. Neighbours store adjacent
   reals, beyond the end of a line those of the next, so that short curves leave no lane idle. */
#include "launch_queue.clh"
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_TERMS
#define CLSP_TERMS 4
#endif

/* Lines that an item makes at a time, lest it wait for memory for each. */
#if CLSP_TERMS <= 4
#define LINES 4
#elif CLSP_TERMS <= 16
#define LINES 2
#else
#define LINES 1
#endif

/* Sums an item's column of the line whose first term is at p. */
#define SUM_LINE(s, p)                                                                            \
    {                                                                                             \
        s = R(0.0);                                                                               \
        UNROLL for (uint j = 0; j < CLSP_TERMS; j++) s = MAD(b[j], (p)[j * CLSP_DIM], s);         \
    }

/* The lines of a launch, counted through all patches: num_lines from first_line on, which go to
   `offset` and on, stride_t reals apart, with num_samples each from first_sample on. Items make
   lines that are num_together apart, the first ones of which are those below that. */
typedef struct line_sums {
    wide first_line, offset;
    uint num_lines, num_together;
    uint controls; /* points of a line */
    uint first_sample, num_samples, stride_table, stride_t;
    uint items;
} line_sums;

/* Makes sums of lines. points: [lines][controls][CLSP_DIM]. An item has a column, one coordinate of
   one sample, keeps the sample's values in registers and makes one line after the other; neighbours
   have adjacent columns, beyond the end of a line those of the next one. */
kernel void sum_lines(global const real *restrict points, global const real *restrict table,
                      global const uint *restrict first, global real *restrict t, line_sums at
                      QUEUE)
{
    EACH_GROUP(BY_VALUE(line_sums, at))
    const uint g = ITEM_NUMBER;
    if (g >= at.items) NEXT_ITEM;

    const size_t line_reals = (size_t)at.controls * CLSP_DIM;
    global const real *p = points + WIDE(at.first_line) * line_reals;
    global real *q = t + WIDE(at.offset);
    const uint num_columns = at.num_samples * CLSP_DIM;
    const uint begin = g / num_columns, x = g - begin * num_columns;
    const uint a = x / CLSP_DIM, c = x - a * CLSP_DIM;
    real b[CLSP_TERMS];

    const size_t step_p = at.num_together * line_reals;
    const size_t step_q = at.num_together * (size_t)at.stride_t;
    p += begin * line_reals + (size_t)first[at.first_sample + a] * CLSP_DIM + c;
    q += (size_t)begin * at.stride_t + x;
    #pragma unroll
    for (uint j = 0; j < CLSP_TERMS; j++)
        b[j] = table[(size_t)j * at.stride_table + at.first_sample + a];
    uint line = begin;
    for (; line + (LINES - 1) * at.num_together < at.num_lines; line += LINES * at.num_together) {
        real s[LINES];
        #pragma unroll
        for (uint l = 0; l < LINES; l++, p += step_p) SUM_LINE(s[l], p);
        #pragma unroll
        for (uint l = 0; l < LINES; l++, q += step_q) *q = s[l];
    }
    for (; line < at.num_lines; line += at.num_together, p += step_p, q += step_q) {
        real s;
        SUM_LINE(s, p);
        *q = s;
    }
    END_GROUPS
}
