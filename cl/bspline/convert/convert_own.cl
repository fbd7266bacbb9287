/* Control points over other knots, of curves that have knots of their own: each row of the
   conversions of all curves with its weights and where it begins (docs/math.md, 14).

   The host sets CLSP_DIM, all coordinates; CLSP_DIFFERENCES 1 where the weights of derivatives are
   those of differences of neighbouring control points, which are taken first.

   A row has its weights and the number of its first control point: for 12 bytes of a cubic's
   control point in float 20 are loaded, which is the limit. Curves that share knots go by
   sum_lines.cl. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_DIFFERENCES
#define CLSP_DIFFERENCES 0
#endif

/* The rows of a launch, num_rows from first_row on, whose control points go to `offset` and on.
   terms: of a row. */
typedef struct own_rows {
    wide first_row, offset;
    uint terms, items;
} own_rows;

/* Makes a coordinate of a row's control point; p: that of the first one that counts. */
static real own_sum(global const real *p, global const real *weights, uint terms)
{
    real s = R(0.0);
    for (uint j = 0; j < terms; j++, p += CLSP_DIM)
        s = MAD(weights[j], CLSP_DIFFERENCES ? p[CLSP_DIM] - p[0] : p[0], s);
    return s;
}

/* Makes control points. points: [controls][CLSP_DIM] of all curves, weights: [rows][terms],
   columns: [rows], the first control point that counts. An item makes one coordinate. */
kernel void convert_own(global const real *restrict points, global const real *restrict weights,
                        global const uint *restrict columns, global real *restrict out,
                        own_rows at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    columns += WIDE(at.first_row);
    weights += WIDE(at.first_row) * at.terms;
    out += WIDE(at.offset);
    const uint row = g / CLSP_DIM, c = g - row * CLSP_DIM;
    out[g] = own_sum(points + (size_t)columns[row] * CLSP_DIM + c,
                     weights + (size_t)row * at.terms, at.terms);
}
