/* Bezier pieces of surfaces and volumes, put in order piece by piece: rows of control points
   [pieces_u][order_u][pieces_v][order_v][pieces_w][order_w] become
   [pieces_u][pieces_v][pieces_w][order_u][order_v][order_w], of whole coordinates. A surface has
   its second direction along w, and one piece of order 1 along v. */
#include "real.clh"

/* The blocks of a launch, of order_u rows each, from first_block on; they go to `offset` and on.
   run: reals of a piece that stay together, order_w control points. */
typedef struct block_range {
    wide first_block, offset;
    uint order_u, order_v, pieces_v, pieces_w, run;
    uint items;
} block_range;

/* Puts blocks in order. On GPUs an item has one column of all rows of a block, on CPUs what belongs
   to one control point along v. */
kernel void order_pieces(global const real *restrict rows, global real *restrict out,
                         block_range at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint along_v = at.pieces_v * at.order_v, line = at.pieces_w * at.run;
    const uint row = along_v * line, column = at.order_v * at.run; /* of all, and of a piece */
    const size_t piece = (size_t)at.order_u * column;
#if CLSP_LANES == 1
    const uint block = g / row, x = g - block * row;
    const uint b = x / line, y = x - b * line;
    const uint w = y / at.run, begin = w, end = w + 1, first = y - w * at.run, last = first + 1;
#else
    const uint block = g / along_v, b = g - block * along_v;
    const uint begin = 0, end = at.pieces_w, first = 0, last = at.run;
#endif
    const uint v = b / at.order_v, l = b - v * at.order_v;
    global const real *const from =
        rows + ((WIDE(at.first_block) + block) * at.order_u) * row + (size_t)b * line;
    global real *const to =
        out + WIDE(at.offset) + (size_t)block * at.order_u * row + (size_t)l * at.run;
    for (uint w_piece = begin; w_piece < end; w_piece++) {
        global const real *p = from + (size_t)w_piece * at.run;
        global real *q = to + ((size_t)v * at.pieces_w + w_piece) * piece;
        for (uint k = 0; k < at.order_u; k++, p += row, q += column)
            for (uint m = first; m < last; m++) q[m] = p[m];
    }
}
