/* Bezier pieces of surfaces straight from control points, in their order: the sums over v and u by
   banded tables that sum_lines and sum_bands make (docs/math.md, 16), for GPUs.

   The host sets CLSP_DIM, all coordinates of a control point; CLSP_TERMS_U and CLSP_TERMS_V of a
   sum; CLSP_ORDER_U and CLSP_ORDER_V, control points of a piece.

   An item has one coordinate of one column of some pieces that follow each other along u, with its
   weights along v, and keeps the sums along v that the next piece takes too. Results have the bits
   of the two kernels. Its floor is the copy of control points to pieces, 16 for each bicubic one
   that is read. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_TERMS_V
#define CLSP_TERMS_V 4
#endif
#ifndef CLSP_ORDER_U
#define CLSP_ORDER_U 4
#endif
#ifndef CLSP_ORDER_V
#define CLSP_ORDER_V 4
#endif

/* The pieces of a launch: num_pieces along u from first_piece on, of each patch from first_patch
   on, and all along v; they go to `offset` and on. controls: of a patch along u and v; stride: of
   tables; run: pieces along u of an item. */
typedef struct piece_block {
    wide first_patch, offset;
    uint controls_u, controls_v, stride_u, stride_v;
    uint first_piece, num_pieces, pieces_v, run;
    uint items;
} piece_block;

/* Makes the sum over v of the control points of a line from q on. */
static real sum_line(const real *basis, global const real *q)
{
    real term = R(0.0);
    UNROLL for (uint j = 0; j < CLSP_TERMS_V; j++) term = MAD(basis[j], q[j * CLSP_DIM], term);
    return term;
}

/* Makes pieces. points: [patches][controls_u][controls_v][CLSP_DIM]; tables:
   [terms][stride]. An item has one coordinate of one column of the control points of some pieces
   that follow each other along u; neighbours have neighbouring columns. What a piece takes along u
   stays in registers, mostly all but one term. */
kernel void make_surface_pieces(global const real *restrict points,
                                global const real *restrict table_u,
                                global const uint *restrict first_u,
                                global const real *restrict table_v,
                                global const uint *restrict first_v, global real *restrict out,
                                piece_block at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint width = at.pieces_v * (CLSP_ORDER_V * CLSP_DIM), y = g / width, x = g - y * width;
    const uint runs = (at.num_pieces - 1) / at.run + 1, patch = y / runs;
    const uint begin = (y - patch * runs) * at.run, end = min(begin + at.run, at.num_pieces);
    const uint v = x / CLSP_DIM, piece_v = v / CLSP_ORDER_V;
    const uint place = x - piece_v * (CLSP_ORDER_V * CLSP_DIM);
    const uint line = at.controls_v * CLSP_DIM;
    global const real *const p =
        points + (WIDE(at.first_patch) + patch) * at.controls_u * line +
        (first_v[v] * CLSP_DIM + x - v * CLSP_DIM);
    global real *to = out + WIDE(at.offset) + place +
                      (((size_t)patch * at.num_pieces + begin) * at.pieces_v + piece_v) *
                          (CLSP_ORDER_U * CLSP_ORDER_V * CLSP_DIM);
    uint row = (at.first_piece + begin) * CLSP_ORDER_U;
    uint kept_from = UINT_MAX - 1; /* none yet */
    real basis_v[CLSP_TERMS_V], kept[CLSP_TERMS_U];

    UNROLL for (uint j = 0; j < CLSP_TERMS_V; j++) basis_v[j] = table_v[j * at.stride_v + v];
    for (uint piece = begin; piece < end; piece++) {
        UNROLL for (uint k = 0; k < CLSP_ORDER_U; k++, row++) {
            const uint from = first_u[row];
            if (from == kept_from + 1) {
                UNROLL for (uint i = 0; i + 1 < CLSP_TERMS_U; i++) kept[i] = kept[i + 1];
                kept[CLSP_TERMS_U - 1] =
                    sum_line(basis_v, p + (size_t)(from + CLSP_TERMS_U - 1) * line);
            } else if (from != kept_from) {
                UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++)
                    kept[i] = sum_line(basis_v, p + (size_t)(from + i) * line);
            }
            kept_from = from;
            real s = R(0.0);
            UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++)
                s = MAD(table_u[i * at.stride_u + row], kept[i], s);
            to[k * (CLSP_ORDER_V * CLSP_DIM)] = s;
        }
        to += (size_t)at.pieces_v * (CLSP_ORDER_U * CLSP_ORDER_V * CLSP_DIM);
    }
}
