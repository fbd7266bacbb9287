/* Bezier pieces of surfaces and volumes, put in order piece by piece: rows of control points
   [pieces_u][order_u][pieces_v][order_v][pieces_w][order_w] become
   [pieces_u][pieces_v][pieces_w][order_u][order_v][order_w], of whole coordinates. A surface has
   its second direction along w, and one piece of order 1 along v.

   It runs on parts of rows that stay in a cache, so that memory sees the result once. An item has
   one column of the rows of a piece and divides for it once. */
#include "real.clh"

/* The blocks of a launch, of order_u rows each, from first_block on; they go to `offset` and on.
   run: reals of a piece that stay together, order_w control points. */
typedef struct block_range {
    wide first_block, offset;
    uint order_u, order_v, pieces_v, pieces_w, run;
    uint items;
} block_range;

/* Puts blocks in order; an item has one column of all rows of a block. */
kernel void order_pieces(global const real *restrict rows, global real *restrict out,
                         block_range at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint line = at.pieces_w * at.run, row = at.pieces_v * at.order_v * line; /* of all, */
    const uint column = at.order_v * at.run;                     /* and what a piece has of it */
    const uint block = g / row, x = g - block * row;
    const uint b = x / line, y = x - b * line, v = b / at.order_v;
    const uint w = y / at.run;
    const size_t piece = (size_t)v * at.pieces_w + w;
    global const real *p = rows + (WIDE(at.first_block) + block) * at.order_u * row + x;
    global real *q = out + WIDE(at.offset) + (size_t)block * at.order_u * row +
                     piece * at.order_u * column + (b - v * at.order_v) * at.run +
                     (y - w * at.run);
    for (uint k = 0; k < at.order_u; k++, p += row, q += column) *q = *p;
}
