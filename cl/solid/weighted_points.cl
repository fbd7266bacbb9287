/* Points of a solid at parameters of their own: sums of control points by weights that the host has
   found (docs/math.md, 19). */
#include "real.clh"

#ifdef CLSP_SUMS
#include "solid_vertex.clh"
#endif

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif

#ifdef CLSP_SUMS

/* The vertices of a launch, which go to `offset` and on. */
typedef struct vertex_list {
    uint num;
    wide offset;
} vertex_list;

/* An item makes one vertex of its sums over control points index[begin[i]] .. index[begin[i + 1] -
   1], each with a weight for each sum that is made, relative to the first of them. params:
   [num][3], where it is; faces: the boundary face that it is on, NO_FACE or NOWHERE. What is
   rounded off the value goes into its next term. */
kernel void weighted_vertices(global const real *restrict points, global const uint *restrict begin,
                              global const uint *restrict index,
                              global const real *restrict weights,
                              global const real *restrict params,
                              global const uchar *restrict faces, global STORED *restrict out,
                              vertex_list at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.num) return;

    global const real *const t = params + 3 * (size_t)g;
    out += WIDE(at.offset) + (size_t)g * CLSP_STRIDE;
    for (uint block = 0; block < CLSP_DIM; block += CLSP_BLOCK) {
        const real4 centre = load_block(points + (size_t)index[begin[g]] * CLSP_DIM + block);
        real4 sums[SUMS], lost = (real4)(R(0.0));
        UNROLL
        for (uint k = 0; k < SUMS; k++)
            sums[k] = (real4)(R(0.0));
        for (uint i = begin[g]; i < begin[g + 1]; i++) {
            const real4 p = load_block(points + (size_t)index[i] * CLSP_DIM + block) - centre;
            if (IS_MADE(0)) {
                const real4 term = MAD((real4)(weights[(size_t)i * NUM_SUMS]), p, -lost);
                const real4 more = sums[0] + term;
                lost = (more - sums[0]) - term;
                sums[0] = more;
            }
            UNROLL
            for (uint k = 1; k < SUMS; k++)
                if (IS_MADE(k))
                    sums[k] = MAD((real4)(weights[(size_t)i * NUM_SUMS + PLACE_OF(k)]), p, sums[k]);
        }
        sums[0] += centre;
        store_vertex(out, sums, block, (real4)(t[0], t[1], t[2], R(0.0)), faces[g]);
    }
}

#else

/* The points of a launch, which go to `offset` and on; keep: as of cell_samples. */
typedef struct point_list {
    uint num;
    wide offset;
    real keep;
} point_list;

/* An item makes one point: the sum of the control points index[begin[i]] .. index[begin[i + 1] - 1]
   times their weights, relative to the first of them. What is rounded off a sum goes into the next
   term (Kahan, Commun. ACM 8, 1965). */
kernel void weighted_points(global const real *restrict points, global const uint *restrict begin,
                            global const uint *restrict index, global const real *restrict weights,
                            global real *restrict out, point_list at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.num) return;

    global const real *const centre = points + (size_t)index[begin[g]] * CLSP_DIM;
    out += WIDE(at.offset) + (size_t)g * CLSP_DIM;
    for (uint c = 0; c < CLSP_DIM; c++) {
        real sum = R(0.0), lost = R(0.0);
        for (uint k = begin[g]; k < begin[g + 1]; k++) {
            const real p = points[(size_t)index[k] * CLSP_DIM + c] - centre[c];
            const real term = MAD(weights[k], p, -lost), more = sum + term;
            lost = (more - sum) - term;
            sum = more;
        }
        out[c] = MAD(at.keep, centre[c], sum);
    }
}

#endif
