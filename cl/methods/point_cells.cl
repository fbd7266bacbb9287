/* Points of cells one by one, to be compared with: an item makes a point, or CLSP_WARP of them make
   it together, each some of its terms, as in Massively parallel limit evaluation of Catmull-Clark
   solids (2022). A group has a cell. Weights of regular cells are made for each point; those of
   others are taken from tables, [terms][samples] for items and [samples][terms] for warps, so that
   adjacent items read adjacent weights.

   The host sets CLSP_WARP, and for warps CLSP_BATCH; the rest as cell_samples.clh says.

   An item that makes points alone reads control points from local memory, where its group stages
   them. One of a warp has those of its terms in registers. Warps make CLSP_BATCH points, and then
   add up the shares of all items, an item a coordinate: so two barriers serve a batch. Cells that
   are not asked for have no samples: PoCL makes returns before barriers wrong.

   Warps are slower wherever a cell has samples for all items: of T control points items take some T
   / 4 instructions a sample, warps add 15 for the sum, between two barriers. With 8 samples a cell
   they are faster, which the hybrid method takes them for. */
#include "cell_blocks.clh"
#include "slice_shape.clh"

#ifndef CLSP_WARP
#define CLSP_WARP 1
#endif

#if CLSP_WARP == 1
#define SLICE_TERMS 32  /* points of a slice at most */
#define TILE        128 /* points of a cell that are staged at once */
#else
#ifndef CLSP_BATCH
#define CLSP_BATCH (CLSP_WARP / CLSP_DIM)
#endif
#define PITCH (CLSP_WARP + 4) /* items that read four of neighbouring rows read other banks */
enum { WARPS = CLSP_GROUP / CLSP_WARP, SHARES = CLSP_BATCH * CLSP_DIM * PITCH };
#undef ALONG /* items of a warp read different values, for which constant memory is slow */
#define ALONG global
#endif

#define EACH_CHANNEL UNROLL for (uint c = 0; c < CLSP_DIM; c++)

/* Loads a control point relative to the centre of its cell. */
#define LOAD_POINT(to, points, number, centre)                                                    \
    EACH_CHANNEL(to)[c] = (points)[(size_t)(number) * CLSP_DIM + c] - (centre)[c];

#define ADD_TERM(sum, f, point) EACH_CHANNEL(sum)[c] = MAD(f, (point)[c], (sum)[c]);

/* Stores a point of the samples, whose sum is relative to the centre of the cell. */
#define STORE_SUM(to, sum, centre) EACH_CHANNEL(to)[c] = at.keep * (centre)[c] + (sum)[c];

#if CLSP_WARP > 1
/* Declares where the warps of a group add up: room for each item's shares of a batch. */
#define DECLARE_SHARES                                                                            \
    local real4 all_shares[WARPS * SHARES / 4];                                                   \
    const uint lane = item % CLSP_WARP, warp = item / CLSP_WARP;                                  \
    local real *const shares = (local real *)all_shares + warp * SHARES;

/* Begins a loop over the batches of a warp, from sample `first` on; the last samples of the last
   batch may not be there. All warps of a group take as many turns. */
#define EACH_BATCH                                                                                \
    for (uint first = warp * CLSP_BATCH; first < samples + warp * CLSP_BATCH;                     \
         first += WARPS * CLSP_BATCH)

/* Puts an item's share of point n of a batch where the warp adds up. */
#define STORE_SHARE(n, sum) EACH_CHANNEL shares[((n) * CLSP_DIM + c) * PITCH + lane] = (sum)[c];

/* Adds up the shares of a coordinate of a batch. */
static real sum_of_shares(local const real *shares, uint coordinate)
{
    local const real4 *const row = (local const real4 *)(shares + coordinate * PITCH);
    real4 sum = row[0];
    UNROLL
    for (uint i = 1; i < CLSP_WARP / 4; i++)
        sum += row[i];
    return (sum.s0 + sum.s1) + (sum.s2 + sum.s3);
}

/* Stores the points of a batch. `place`, where sample s goes, in points. */
#define STORE_BATCH(to, centre, place)                                                            \
    {                                                                                             \
        const uint s = first + lane / CLSP_DIM, c = lane % CLSP_DIM;                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
        if (lane < CLSP_BATCH * CLSP_DIM && s < samples)                                          \
            (to)[(size_t)(place) * CLSP_DIM + c] =                                                \
                at.keep * (centre)[c] + sum_of_shares(shares, lane);                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
    }
#endif

/* Returns the samples of a cell: none where it is not one of the launch. */
static uint samples_of(cell_samples at, uint cell)
{
    return is_asked(at, cell) ? NUM_U(at) * NUM_V(at) * NUM_W(at) : 0;
}

/* ---- regular cells ---- */

/* Gives the weight of point k of the 64, of B-splines along u, v and w. */
#define REGULAR_WEIGHT(u, v, w, k)                                                                \
    (along[4 * (u) + (k) / 16] * (along[4 * (NUM_U(at) + (v)) + (k) / 4 % 4] *                    \
                                  along[4 * (NUM_U(at) + NUM_V(at) + (w)) + (k) % 4]))

/* Makes cells of blocks, a group each. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void point_regular(global const real *restrict points, global const uint *restrict list,
                          global const uint *restrict blocks,
                          global const uchar *restrict patterns, ALONG const real *restrict along,
                          global real *restrict out, cell_samples at)
{
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const cell_block b = read_block(blocks, patterns, at.record + group / BLOCK_CELLS);
    const uint j = group % BLOCK_CELLS, cell = b.cells[j];
    const uint samples = samples_of(at, cell), plane = NUM_V(at) * NUM_W(at);
    global real *const to = out + WIDE(at.offset) + cell_begin(at, cell);
    global const uchar *const places = b.places + 64 * j;
    global const real *const centre = points + (size_t)list[b.first + places[CENTRE]] * CLSP_DIM;

#if CLSP_WARP == 1
    local real staged[64 * CLSP_DIM];
    for (uint k = item; k < 64 && samples > 0; k += CLSP_GROUP)
        LOAD_POINT(staged + k * CLSP_DIM, points, list[b.first + places[k]], centre)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint base = 0; base < samples; base += CLSP_GROUP) {
        const uint s = min(base + item, samples - 1);
        const uint u = s / plane, vw = s - u * plane, v = vw / NUM_W(at), w = vw - v * NUM_W(at);
        real sum[CLSP_DIM];
        EACH_CHANNEL sum[c] = R(0.0);
        for (uint k = 0; k < 64; k++)
            ADD_TERM(sum, REGULAR_WEIGHT(u, v, w, k), staged + k * CLSP_DIM)
        if (base + item < samples) STORE_SUM(to + (size_t)s * CLSP_DIM, sum, centre)
    }
#else
    DECLARE_SHARES
    real own[64 / CLSP_WARP][CLSP_DIM];
    UNROLL
    for (uint r = 0; r < 64 / CLSP_WARP && samples > 0; r++)
        LOAD_POINT(own[r], points, list[b.first + places[lane + r * CLSP_WARP]], centre)
    EACH_BATCH {
        UNROLL
        for (uint n = 0; n < CLSP_BATCH; n++) {
            const uint s = min(first + n, samples - 1);
            const uint u = s / plane, vw = s - u * plane, v = vw / NUM_W(at);
            real sum[CLSP_DIM];
            EACH_CHANNEL sum[c] = R(0.0);
            UNROLL
            for (uint r = 0; r < 64 / CLSP_WARP; r++)
                ADD_TERM(sum, REGULAR_WEIGHT(u, v, vw - v * NUM_W(at), lane + r * CLSP_WARP),
                         own[r])
            STORE_SHARE(n, sum)
        }
        STORE_BATCH(to, centre, s)
    }
#endif
}

/* ---- layered cells, one in a set ---- */

/* Gives where sample s of a cell goes: samples of a slice stand together, and slices follow one
   another. */
static uint place_of_slice(slice_shape shape, uint s)
{
    const uint a = s / shape.num, pq = s - a * shape.num, p = pq / shape.num_q;
    return a * shape.step + p * shape.step_p + (pq - p * shape.num_q) * shape.step_q;
}

/* Makes cells of sets by a table of a slice and the B-splines across it. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void point_layered(global const real *restrict points, global const uint *restrict index,
                          global const uint *restrict sets, global const real *restrict slices,
                          ALONG const real *restrict along, global real *restrict out,
                          cell_samples at)
{
    const uint item = (uint)get_local_id(0);
    const cell_set set = read_set(sets, at.record + (uint)get_group_id(0));
    const uint terms = set.terms >> 2;
    const slice_shape shape = shape_of(at, set.terms & 3);
    const uint samples = samples_of(at, set.cells[0]);
    global real *const to = out + WIDE(at.offset) + cell_begin(at, set.cells[0]);
    global const uint *const mine = index + set.first[0];
    global const real *const centre = points + (size_t)mine[terms] * CLSP_DIM;

#if CLSP_WARP == 1
    local real staged[4 * SLICE_TERMS * CLSP_DIM];
    for (uint x = item; x < 4 * terms; x += CLSP_GROUP)
        LOAD_POINT(staged + x * CLSP_DIM, points, mine[x], centre)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint base = 0; base < samples; base += CLSP_GROUP) {
        const uint s = min(base + item, samples - 1);
        const uint a = s / shape.num, pq = s - a * shape.num;
        ALONG const real *const by = along + 4 * (shape.along + a);
        real sum[CLSP_DIM];
        EACH_CHANNEL sum[c] = R(0.0);
        for (uint l = 0; l < 4; l++)
            for (uint k = 0; k < terms; k++)
                ADD_TERM(sum, by[l] * slices[set.table + (size_t)k * shape.stride + pq],
                         staged + (l * terms + k) * CLSP_DIM)
        if (base + item < samples)
            STORE_SUM(to + (size_t)place_of_slice(shape, s) * CLSP_DIM, sum, centre)
    }
#else
    DECLARE_SHARES
    const uint k = min(lane, terms - 1);
    real own[4][CLSP_DIM], column[CLSP_DIM]; /* of a point's layers, and what they make of it */
    UNROLL
    for (uint l = 0; l < 4; l++) {
        LOAD_POINT(own[l], points, mine[l * terms + k], centre)
        if (lane >= terms) EACH_CHANNEL own[l][c] = R(0.0);
    }
    EACH_BATCH {
        uint before = UINT_MAX;
        UNROLL
        for (uint n = 0; n < CLSP_BATCH; n++) {
            const uint s = min(first + n, samples - 1), a = s / shape.num;
            const real f = slices[set.table + (size_t)(s - a * shape.num) * terms + k];
            real sum[CLSP_DIM];
            if (a != before) {
                EACH_CHANNEL column[c] = R(0.0);
                UNROLL
                for (uint l = 0; l < 4; l++)
                    ADD_TERM(column, along[4 * (shape.along + a) + l], own[l])
                before = a;
            }
            EACH_CHANNEL sum[c] = f * column[c];
            STORE_SHARE(n, sum)
        }
        STORE_BATCH(to, centre, place_of_slice(shape, s))
    }
#endif
}

/* ---- all other cells, one in a set ---- */

/* Makes cells of sets by a table of all their points. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void point_tables(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict sets, global const real *restrict tables,
                         global real *restrict out, cell_samples at)
{
    const uint item = (uint)get_local_id(0);
    const cell_set set = read_set(sets, at.record + (uint)get_group_id(0));
    const uint samples = samples_of(at, set.cells[0]);
    global real *const to = out + WIDE(at.offset) + cell_begin(at, set.cells[0]);
    global const uint *const mine = index + set.first[0];
    global const real *const centre = points + (size_t)mine[0] * CLSP_DIM;

#if CLSP_WARP == 1
    local real staged[TILE * CLSP_DIM];
    const uint stride = (NUM_U(at) * NUM_V(at) * NUM_W(at) + 15) & ~15u;
    for (uint base = 0; base < samples; base += CLSP_GROUP) {
        const uint s = min(base + item, samples - 1);
        global const real *const table = tables + set.table + s;
        real sum[CLSP_DIM];
        EACH_CHANNEL sum[c] = R(0.0);
        for (uint low = 0; low < set.terms; low += TILE) {
            const uint num = min((uint)TILE, set.terms - low);
            if (base == 0 || set.terms > TILE) {
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint k = item; k < num; k += CLSP_GROUP)
                    LOAD_POINT(staged + k * CLSP_DIM, points, mine[low + k], centre)
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            for (uint k = 0; k < num; k++)
                ADD_TERM(sum, table[(size_t)(low + k) * stride], staged + k * CLSP_DIM)
        }
        if (base + item < samples) STORE_SUM(to + (size_t)s * CLSP_DIM, sum, centre)
    }
#else
    DECLARE_SHARES
    EACH_BATCH {
        real sum[CLSP_BATCH][CLSP_DIM];
        UNROLL
        for (uint n = 0; n < CLSP_BATCH; n++)
            EACH_CHANNEL sum[n][c] = R(0.0);
        for (uint low = 0; low < set.terms; low += CLSP_WARP) {
            const uint k = min(low + lane, set.terms - 1);
            global const real *const table = tables + set.table + k;
            real own[CLSP_DIM];
            LOAD_POINT(own, points, mine[k], centre)
            if (low + lane >= set.terms) EACH_CHANNEL own[c] = R(0.0);
            UNROLL
            for (uint n = 0; n < CLSP_BATCH; n++)
                ADD_TERM(sum[n], table[(size_t)min(first + n, samples - 1) * set.terms], own)
        }
        UNROLL
        for (uint n = 0; n < CLSP_BATCH; n++)
            STORE_SHARE(n, sum[n])
        STORE_BATCH(to, centre, s)
    }
#endif
}
