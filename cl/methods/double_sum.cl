/* Bezier patches point by point, one item each, for comparison with sums that are factorized:
     S(u, v) = sum_i sum_j P_ij B_i(u) B_j(v)
   table_sum takes the Bernstein values from tables and is level 1 of the multi-level evaluation of
   Palomar, Gomez-Luna, Cheikh, Olivares-Bueno and Elle (High-performance computation of Bezier
   surfaces on parallel and heterogeneous platforms, 2018), their Algorithm 4; power_sum computes
   every value again. Both sum over j into an accumulator of its own for
   each i, so that errors grow with the degrees and not with their product.

   Points are stored [patch][u][v][CLSP_DIM]; CLSP_DIM counts the weight of rational patches. The
   host sets it, and for table_sum CLSP_STAGE 1 with CLSP_GROUP, the local size, a power of
   two: then a work-group makes a tile of points, and what it needs goes through local memory in
   chunks of CLSP_CHUNK x CLSP_CHUNK control points, so that any degree fits. CLSP_TILE: points of
   a tile along v, a power of two; CLSP_GROUP where that is less.

   What Algorithm 4 as printed has wrong is right here: it stages m n control points, not (m + 1) (n
   + 1); control point (k_i, k_j) is at k_i (n + 1) + k_j; the tiles of B^u and B^v begin at b_x s_x
   and b_y s_y; a lone sample divides by no 0. Level 3, a table of binomials, is unnecessary. Mesa's
   llvmpipe ends the loops of an item after 65535 rounds, so that longer double sums come out wrong
   there. */
#include "row_range.clh"
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
/* the points of an item of table_sum */
#if CLSP_STAGE
typedef real4 realp;
#else
typedef real realp;
#endif

/* Copies the control points of a chunk that a tile needs, num_i by num_j of them from `from` on,
   rows step reals apart, to [CLSP_CHUNK][CLSP_CHUNK][CLSP_DIM]. */
static void stage_points(local real *to, global const real *from, uint num_i, uint num_j,
                         size_t step, uint lane)
{
    const uint row = num_j * CLSP_DIM;
    for (uint k = lane; k < num_i * row; k += CLSP_GROUP) {
        const uint i = k / row;
        to[i * (CLSP_CHUNK * CLSP_DIM) + (k - i * row)] = from[i * step + (k - i * row)];
    }
}

/* Copies the values of `num` rows of a table at `width` samples from `first` on, to [num][width];
   there are no samples from `end` on. */
static void stage_values(local real *to, global const real *from, uint num, uint width, uint stride,
                         uint first, uint end, uint lane)
{
    for (uint k = lane; k < num * width; k += CLSP_GROUP) {
        const uint i = k / width, a = first + (k - i * width);
        to[k] = from[(size_t)i * stride + min(a, end - 1)];
    }
}

/* The samples of a launch: first_u .. first_u + num_u - 1 by first_v .. first_v + num_v - 1 of
   num_patches patches from first_patch on. The output has them from `offset` on,
   [num_patches][num_u][row][CLSP_DIM], of whose row the samples of v begin at its begin. */
typedef struct sample_range {
    wide first_patch, offset;
    uint num_patches, order_u, order_v;
    uint first_u, num_u, first_v, num_v, row;
    uint stride_u, stride_v; /* of tables */
    uint tiles_u, tiles_v;
} sample_range;

/* Makes points by double sums. points: control points [patches][order_u][order_v][CLSP_DIM].
   table_u, table_v: [order][stride] as of bernstein.cl. Unstaged, item g makes point g % num_v of
   row g / num_v % num_u of patch g / num_v / num_u. Staged, group g makes tile g % tiles_v of row
   g / tiles_v % tiles_u of tiles of patch g / tiles_v / tiles_u. */
#if CLSP_STAGE
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
#else
kernel
#endif
void table_sum(global const real *restrict points, global const real *restrict table_u,
               global const real *restrict table_v, global real *restrict out, sample_range at)
{
    const uint order_u = at.order_u, order_v = at.order_v, tiles_u = at.tiles_u;
    const uint tiles_v = at.tiles_v, first_u = at.first_u, num_u = at.num_u, row = at.row;
    const uint first_v = at.first_v, num_v = at.num_v;
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
        points + (WIDE(at.first_patch) + patch) * order_u * order_v * CLSP_DIM;

    for (uint i0 = 0; i0 < order_u; i0 += CLSP_CHUNK) {
        const uint num_i = min(order_u - i0, (uint)CLSP_CHUNK);
        realp r[CLSP_DIM]; /* the chunk's rows: s is added to once for all of them */
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) r[c] = (realp)(R(0.0));
        for (uint j0 = 0; j0 < order_v; j0 += CLSP_CHUNK) {
            const uint num_j = min(order_v - j0, (uint)CLSP_CHUNK);
            barrier(CLK_LOCAL_MEM_FENCE);
            stage_points(p, patch_points + ((size_t)i0 * order_v + j0) * CLSP_DIM, num_i, num_j,
                         (size_t)order_v * CLSP_DIM, lane);
            if (j0 == 0)
                stage_values(bu, table_u + (size_t)i0 * at.stride_u + first_u, num_i, TILE_U,
                             at.stride_u, tile_u, num_u, lane);
            stage_values(bv, table_v + (size_t)j0 * at.stride_v + first_v, num_j, TILE_V,
                         at.stride_v, tile_v, num_v, lane);
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
                for (uint c = 0; c < CLSP_DIM; c++) r[c] += q[c];
            }
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] += r[c];
    }
    if (u >= num_u || v >= num_v) return;
#else
    const uint g = (uint)get_global_id(0);
    if (g >= at.num_patches * num_u * num_v) return;

    const uint line = g / num_v, patch = line / num_u;
    const uint u = line - patch * num_u, v = g - line * num_v;
    global const real *p = points + (WIDE(at.first_patch) + patch) * order_u * order_v * CLSP_DIM;
    global const real *bu = table_u + first_u + u;
    for (uint i = 0; i < order_u; i++, bu += at.stride_u) {
        const real b = *bu;
        global const real *bv = table_v + first_v + v;
        real q[CLSP_DIM];
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) q[c] = R(0.0);
        for (uint j = 0; j < order_v; j++, bv += at.stride_v, p += CLSP_DIM) {
            const real w = b * *bv;
            #pragma unroll
            for (uint c = 0; c < CLSP_DIM; c++) q[c] = MAD(w, p[c], q[c]);
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_DIM; c++) s[c] += q[c];
    }
#endif

    global real *const to =
        out + WIDE(at.offset) + (((size_t)patch * num_u + u) * row + v) * CLSP_DIM;
#if CLSP_STAGE
    const size_t step = (size_t)row * CLSP_DIM;
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) {
        to[c] = s[c].s0;
        if (u + 1 < num_u) to[step + c] = s[c].s1;
        if (u + 2 < num_u) to[2 * step + c] = s[c].s2;
        if (u + 3 < num_u) to[3 * step + c] = s[c].s3;
    }
#else
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) to[c] = s[c];
#endif
}

/* ---- brute force ---- */

/* Computes B_k of degree n at t, with 1 - t given. C(n, k) as a product of ratios that never falls,
   so that it overflows only where C(n, n / 2) does; 0^0 is 1. At the ends it is 1 or 0 exactly,
   whatever a device makes of powers of these. */
static real bernstein(uint n, uint k, real t, real rest)
{
    const uint fewer = min(k, n - k);
    real b = R(1.0);

    if (t == R(0.0)) return k == 0 ? R(1.0) : R(0.0);
    if (rest == R(0.0)) return k == n ? R(1.0) : R(0.0);
    for (uint r = 1; r <= fewer; r++)
        b = b * CONVERT_REAL(n - fewer + r) / CONVERT_REAL(r);
    return b * pown(t, (int)k) * pown(rest, (int)(n - k));
}

/* Computes a ratio of a uniform grid, of a parameter or of what it lacks to 1: on [0, 1] both are
   ratios of integers. */
static real grid_ratio(uint a, uint num, real begin, real end)
{
    const uint last = max(num, 2u) - 1;
    return (begin * CONVERT_REAL(last - a) + end * CONVERT_REAL(a)) / CONVERT_REAL(last);
}

/* Makes points by double sums whose values are computed: item g makes point g % num_v of row g /
   num_v % num_u of patch g / num_v / num_u. */
kernel void power_sum(global const real *restrict points, global real *restrict out,
                      sample_range at, sample_axis axis_u, sample_axis axis_v)
{
    const uint order_u = at.order_u, order_v = at.order_v, first_u = at.first_u, num_u = at.num_u;
    const uint first_v = at.first_v, num_v = at.num_v, row = at.row;
    const uint g = (uint)get_global_id(0);
    if (g >= at.num_patches * num_u * num_v) return;

    const uint line = g / num_v, patch = line / num_u;
    const uint u = line - patch * num_u, v = g - line * num_v;
    const real tu = grid_ratio(first_u + u, axis_u.num, axis_u.t_begin, axis_u.t_end);
    const real ru = grid_ratio(first_u + u, axis_u.num, axis_u.s_begin, axis_u.s_end);
    const real tv = grid_ratio(first_v + v, axis_v.num, axis_v.t_begin, axis_v.t_end);
    const real rv = grid_ratio(first_v + v, axis_v.num, axis_v.s_begin, axis_v.s_end);
    global const real *p = points + (WIDE(at.first_patch) + patch) * order_u * order_v * CLSP_DIM;
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

    global real *const to =
        out + WIDE(at.offset) + (((size_t)patch * num_u + u) * row + v) * CLSP_DIM;
    #pragma unroll
    for (uint c = 0; c < CLSP_DIM; c++) to[c] = s[c];
}
