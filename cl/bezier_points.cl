/* Bezier patches point by point, one item each, for comparison with the separable method
   (docs/kernels.md):
     S(u, v) = sum_i sum_j P_ij B_i(u) B_j(v)
   bezier_multilevel takes the Bernstein values from tables and is level 1 of the multi-level
   evaluation of Palomar, Gomez-Luna, Cheikh, Olivares-Bueno and Elle (High-performance
   computation of Bezier surfaces on parallel and heterogeneous platforms, 2018), their Algorithm
   4; bezier_brute computes every value again. Both sum over j into an accumulator of its own for
   each i, so that errors grow with the degrees and not with their product.

   Points are stored [patch][u][v][CLSP_DIM]; CLSP_DIM counts the weight of rational patches. The
   host sets it, and for bezier_multilevel CLSP_STAGE 1 with CLSP_GROUP, the local size, a power of
   two: then a work-group makes a tile of points, and what it needs goes through local memory in
   chunks of CLSP_CHUNK x CLSP_CHUNK control points, so that any degree fits. CLSP_TILE: points of
   a tile along v, a power of two; CLSP_GROUP where that is less. 1 is for curves: with any other,
   and CLSP_LANES above 1, an item makes CLSP_LANES points along v. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif
#ifndef CLSP_TILE
#define CLSP_TILE 8
#endif
#ifndef CLSP_CHUNK
#define CLSP_CHUNK 16
#endif
#ifndef CLSP_STAGE
#define CLSP_STAGE 0
#endif

#if CLSP_TILE < CLSP_GROUP
#define TILE_V CLSP_TILE
#else
#define TILE_V CLSP_GROUP
#endif
#define ROWS   4 /* points along u of an item that stages: they share control points and B_j(v) */
#define TILE_U (CLSP_GROUP / TILE_V * ROWS)
/* points of an item of bezier_multilevel */
#if CLSP_STAGE
#define POINTS    ROWS
typedef real4 realp;
#elif CLSP_TILE == 1
#define POINTS    1
#define LOADP(p)  (*(p))
typedef real realp;
#else
#define POINTS   CLSP_LANES
#define LOADP(p) LOADV(p)
typedef realv realp;
#endif

/* Copies of what a tile needs of one chunk: control points i0 .. i0 + num_i - 1 by j0 .. j0 +
   num_j - 1, and their values at the tile's samples. */
void stage_points(local real *to, global const real *from, uint num_i, uint num_j, size_t step,
                  uint lane)
{
    const uint row = num_j * CLSP_DIM;
    for (uint k = lane; k < num_i * row; k += CLSP_GROUP) {
        const uint i = k / row;
        to[i * (CLSP_CHUNK * CLSP_DIM) + (k - i * row)] = from[i * step + (k - i * row)];
    }
}

/* to: [num][width]; samples from `end` on are not there. */
void stage_values(local real *to, global const real *from, uint num, uint width, uint stride,
                  uint first, uint end, uint lane)
{
    for (uint k = lane; k < num * width; k += CLSP_GROUP) {
        const uint i = k / width, a = first + (k - i * width);
        to[k] = from[(size_t)i * stride + min(a, end - 1)];
    }
}

/* points: control points [patches][order_u][order_v][CLSP_DIM], those of first_patch on.
   table_u, table_v: [order][stride] as of bernstein.cl. Makes samples first_u .. first_u + num_u
   - 1 by first_v .. first_v + num_v - 1 of num_patches patches; out, from offset on:
   [num_patches][num_u][row][CLSP_DIM], of whose row the samples of v begin at its begin.
   Unstaged, item g makes points g % tiles_v * POINTS onwards of row g / tiles_v % num_u of patch g
   / tiles_v / num_u, and first_v is a multiple of POINTS. Staged, group g makes tile g % tiles_v
   of row g / tiles_v % tiles_u of tiles of patch g / tiles_v / tiles_u. */
#if CLSP_STAGE
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
#else
kernel
#endif
void bezier_multilevel(global const real *restrict points, uint2 first_patch, uint num_patches,
                       uint order_u, uint order_v,
                       global const real *restrict table_u, uint stride_u,
                       global const real *restrict table_v, uint stride_v,
                       uint first_u, uint num_u, uint first_v, uint num_v, uint row,
                       uint tiles_u, uint tiles_v, global real *restrict out, uint2 offset)
{
    realp s[CLSP_DIM];
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) s[c] = (realp)(R(0.0));

#if CLSP_STAGE
    local real p[CLSP_CHUNK * CLSP_CHUNK * CLSP_DIM];
    local real bu[CLSP_CHUNK * TILE_U];
    local real bv[CLSP_CHUNK * TILE_V];
    const uint lane = (uint)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = group / tiles_v, patch = line / tiles_u;
    const uint tile_u = (line - patch * tiles_u) * TILE_U;
    const uint tile_v = (group - line * tiles_v) * TILE_V;
    const uint lane_u = lane / TILE_V, lane_v = lane - lane_u * TILE_V;
    const uint u = tile_u + lane_u * ROWS, v = tile_v + lane_v;
    global const real *const patch_points =
        points + (WIDE(first_patch) + patch) * order_u * order_v * CLSP_DIM;

    for (uint i0 = 0; i0 < order_u; i0 += CLSP_CHUNK) {
        const uint num_i = min(order_u - i0, (uint)CLSP_CHUNK);
        for (uint j0 = 0; j0 < order_v; j0 += CLSP_CHUNK) {
            const uint num_j = min(order_v - j0, (uint)CLSP_CHUNK);
            barrier(CLK_LOCAL_MEM_FENCE);
            stage_points(p, patch_points + ((size_t)i0 * order_v + j0) * CLSP_DIM, num_i, num_j,
                         (size_t)order_v * CLSP_DIM, lane);
            if (j0 == 0)
                stage_values(bu, table_u + (size_t)i0 * stride_u + first_u, num_i, TILE_U,
                             stride_u, tile_u, num_u, lane);
            stage_values(bv, table_v + (size_t)j0 * stride_v + first_v, num_j, TILE_V,
                         stride_v, tile_v, num_v, lane);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < num_i; i++) {
                const realp b = vload4(0, bu + i * TILE_U + lane_u * ROWS);
                local const real *pj = p + i * (CLSP_CHUNK * CLSP_DIM);
                realp q[CLSP_DIM];
                #pragma unroll
                for (uint c = 0; c < CLSP_DIM; c++) q[c] = (realp)(R(0.0));
                for (uint j = 0; j < num_j; j++, pj += CLSP_DIM) {
                    const realp w = b * bv[j * TILE_V + lane_v];
                    #pragma unroll
                    for (uint c = 0; c < CLSP_DIM; c++) q[c] = MAD(w, (realp)(pj[c]), q[c]);
                }
                #pragma unroll
                for (uint c = 0; c < CLSP_DIM; c++) s[c] += q[c];
            }
        }
    }
    if (u >= num_u || v >= num_v) return;
#else
    const uint g = (uint)get_global_id(0);
    if (g >= num_patches * num_u * tiles_v) return;

    const uint line = g / tiles_v, patch = line / num_u;
    const uint u = line - patch * num_u, v = (g - line * tiles_v) * POINTS;
    global const real *p = points + (WIDE(first_patch) + patch) * order_u * order_v * CLSP_DIM;
    global const real *bu = table_u + first_u + u;
    for (uint i = 0; i < order_u; i++, bu += stride_u) {
        const realp b = (realp)(*bu);
        global const real *bv = table_v + first_v + v;
        realp q[CLSP_DIM];
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) q[c] = (realp)(R(0.0));
        for (uint j = 0; j < order_v; j++, bv += stride_v, p += CLSP_DIM) {
            const realp w = b * LOADP(bv);
            #pragma unroll
            for (uint c = 0; c < CLSP_DIM; c++) q[c] = MAD(w, (realp)(p[c]), q[c]);
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] += q[c];
    }
#endif

    global real *const at =
        out + WIDE(offset) + (((size_t)patch * num_u + u) * row + v) * CLSP_DIM;
#if CLSP_STAGE
    const size_t step = (size_t)row * CLSP_DIM;
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) {
        at[c] = s[c].s0;
        if (u + 1 < num_u) at[step + c] = s[c].s1;
        if (u + 2 < num_u) at[2 * step + c] = s[c].s2;
        if (u + 3 < num_u) at[3 * step + c] = s[c].s3;
    }
#elif POINTS == 1
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) at[c] = s[c];
#else
    for (uint c = 0; c < CLSP_DIM; c++)
        for (uint l = 0; l < POINTS && v + l < num_v; l++)
            at[l * CLSP_DIM + c] = ((real *)&s[c])[l];
#endif
}

/* ---- brute force ---- */

/* B_k of degree n at t, with 1 - t given. C(n, k) as a product of ratios that never falls, so that
   it overflows only where C(n, n / 2) does; 0^0 is 1. */
real bernstein(uint n, uint k, real t, real rest)
{
    const uint fewer = min(k, n - k);
    real b = R(1.0);

    for (uint r = 1; r <= fewer; r++)
        b = b * CONVERT_REAL(n - fewer + r) / CONVERT_REAL(r);
    return b * pown(t, (int)k) * pown(rest, (int)(n - k));
}

/* A parameter of a uniform grid and its rest to 1: on [0, 1] both are ratios of integers. ends: t0
   and t1 of the grid, 1 - t0 and 1 - t1. */
real grid_ratio(uint a, uint num, real begin, real end)
{
    const uint last = max(num, 2u) - 1;
    return (begin * CONVERT_REAL(last - a) + end * CONVERT_REAL(a)) / CONVERT_REAL(last);
}

/* As bezier_multilevel, unstaged. all_u, all_v: samples of the whole grid; ends_u, ends_v: where it
   begins and ends, and their rests to 1. */
kernel void bezier_brute(global const real *restrict points, uint2 first_patch, uint num_patches,
                         uint order_u, uint order_v, uint all_u, real4 ends_u, uint all_v,
                         real4 ends_v, uint first_u, uint num_u, uint first_v, uint num_v,
                         uint row, global real *restrict out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= num_patches * num_u * num_v) return;

    const uint line = g / num_v, patch = line / num_u;
    const uint u = line - patch * num_u, v = g - line * num_v;
    const real tu = grid_ratio(first_u + u, all_u, ends_u.s0, ends_u.s1);
    const real ru = grid_ratio(first_u + u, all_u, ends_u.s2, ends_u.s3);
    const real tv = grid_ratio(first_v + v, all_v, ends_v.s0, ends_v.s1);
    const real rv = grid_ratio(first_v + v, all_v, ends_v.s2, ends_v.s3);
    global const real *p = points + (WIDE(first_patch) + patch) * order_u * order_v * CLSP_DIM;
    real s[CLSP_DIM];
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) s[c] = R(0.0);
    for (uint i = 0; i < order_u; i++) {
        const real b = bernstein(order_u - 1, i, tu, ru);
        real q[CLSP_DIM];
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) q[c] = R(0.0);
        for (uint j = 0; j < order_v; j++, p += CLSP_DIM) {
            const real w = b * bernstein(order_v - 1, j, tv, rv);
            #pragma unroll
            for (uint c = 0; c < CLSP_DIM; c++) q[c] = MAD(w, p[c], q[c]);
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] += q[c];
    }

    global real *const at =
        out + WIDE(offset) + (((size_t)patch * num_u + u) * row + v) * CLSP_DIM;
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) at[c] = s[c];
}
