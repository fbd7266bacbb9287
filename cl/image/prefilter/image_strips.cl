/* The recursive prefilter of two directions going down strips, for GPUs (docs/math.md, 18). A group
   has a strip of neighbouring columns, an item each, and makes CHUNK rows of coefficients at a
   time. Down the columns each item keeps the first recursion's last results in registers; the
   second one begins CLSP_HALO below each chunk. Along the rows items have pieces of CHUNK samples,
   filtered as if nothing stood beside them; what neighbours add is a power of the pole times their
   outermost results, of which at most two pieces' count.

   The host sets CLSP_HALO, CLSP_GROUP and what pixel.clh asks for.

   It is for double precision, slices of volumes, and images in single precision from 2^18
   coefficients on whose strips are neither too few for the device nor more than two rounds. 256
   items go down 80 to 176 rows, 16 at a time; a pixel is read 1.4 to 1.8 times. How many rows
   follows from the device's units (count_strips in filter_steps.c). A strip spoils all of itself
   where a sample is not finite, so CLSP_IMAGE_NAN_REACH bounds it. */
#include "sample_columns.clh"

#ifndef CLSP_HALO
#define CLSP_HALO 14
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 256
#endif

#define CHUNK   STRIP_CHUNK
#define SIDE    ((CLSP_HALO + CHUNK - 1) / CHUNK * CHUNK) /* columns beside those that are stored */
#define STRIP_X (CLSP_GROUP - 2 * SIDE)
#define PITCH   (CLSP_GROUP + 1) /* odd: items that read neighbouring rows read other banks */
#define KEPT    (CHUNK + CLSP_HALO)

/* Adds what stands in pieces beside an item's own: the results at their near ends. */
#define NEIGHBOURS(edges, near, further, has_near, has_further, grid)                              \
    ((has_near) ? MAD((grid).far, (has_further) ? (edges)[further] : R(0.0), (edges)[near])        \
                : R(0.0))

/* Filters along the rows of a tile, an item a piece: neighbouring items have neighbouring rows.
   ends, begins: an element for each item, by which pieces know their neighbours' results. */
IN_PLACE void filter_pieces(local real *tile, local real *ends, local real *begins, int lid,
                            plane_grid grid)
{
    const int piece = lid / CHUNK, row = lid - piece * CHUNK;
    local real *const own = tile + row * PITCH + piece * CHUNK;
    real a[CHUNK];

    UNROLL
    for (int k = 0; k < CHUNK; k++)
        a[k] = own[k];
    real r = BY_GAIN(a[0], grid);
    if (piece == 0) r = r / (R(1.0) - grid.pole);
    a[0] = r;
    UNROLL
    for (int k = 1; k < CHUNK; k++) {
        r = MAD(grid.pole, r, BY_GAIN(a[k], grid));
        a[k] = r;
    }
    ends[lid] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    r = grid.pole * NEIGHBOURS(ends, lid - CHUNK, lid - 2 * CHUNK, piece > 0, piece > 1, grid);
    UNROLL
    for (int k = 0; k < CHUNK; k++) {
        a[k] += r;
        r *= grid.pole;
    }
    r = piece == CLSP_GROUP / CHUNK - 1 ? a[CHUNK - 1] * (R(1.0) / (grid.pole + R(-1.0)))
                                        : -a[CHUNK - 1];
    r *= grid.pole;
    a[CHUNK - 1] = r;
    UNROLL
    for (int k = CHUNK - 2; k >= 0; k--) {
        r = grid.pole * (r - a[k]);
        a[k] = r;
    }
    begins[lid] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    r = grid.pole * NEIGHBOURS(begins, lid + CHUNK, lid + 2 * CHUNK,
                               piece < CLSP_GROUP / CHUNK - 1, piece < CLSP_GROUP / CHUNK - 2,
                               grid);
    UNROLL
    for (int k = CHUNK - 1; k >= 0; k--) {
        a[k] += r;
        r *= grid.pole;
    }
    UNROLL
    for (int k = 0; k < CHUNK; k++)
        own[k] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Filters both directions of a strip. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
filter_strips(global const sample *restrict samples, global coefficient *restrict target,
              sample_source from, plane_grid grid)
{
    local real tile[CHUNK * PITCH], ends[CLSP_GROUP], begins[CLSP_GROUP];
    const int lid = (int)get_local_id(0);
    const grid_place at = place_in(grid, STRIP_X);
    const uint slice = at.slice;
    const int x = at.x, begin = at.y, end = min(begin + (int)grid.rows, (int)grid.size_y);
    global coefficient *out =
        target + WIDE(grid.offset) + ((size_t)slice * grid.size_y + (uint)begin) * grid.size_x;
    real kept[KEPT], next[CHUNK];

    const sample_column column = column_of(from, grid, slice, x - SIDE + lid);
    const int first_plain = (int)from.pad_y, last_plain = (int)(from.pad_y + from.size_y);

    /* the first recursion begins CLSP_HALO above the strip */
    LOAD_ROWS(next, CHUNK, begin - CLSP_HALO, column, samples, from)
    real s = BY_GAIN(next[0], grid) / (R(1.0) - grid.pole);
    UNROLL
    for (int k = 1; k < CHUNK && k < CLSP_HALO; k++)
        s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
#if CLSP_HALO > CHUNK
    LOAD_ROWS(next, CLSP_HALO - CHUNK, begin - CLSP_HALO + CHUNK, column, samples, from)
    UNROLL
    for (int k = 0; k < CLSP_HALO - CHUNK; k++)
        s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
#endif
    LOAD_ROWS(kept, CLSP_HALO, begin, column, samples, from)
    UNROLL
    for (int k = 0; k < CLSP_HALO; k++) {
        s = MAD(grid.pole, s, BY_GAIN(kept[k], grid));
        kept[k] = s;
    }
    LOAD_ROWS(next, CHUNK, begin + CLSP_HALO, column, samples, from)

    for (int y = begin; y < end; y += CHUNK) {
        /* down the columns */
        UNROLL
        for (int k = 0; k < CHUNK; k++) {
            s = MAD(grid.pole, s, BY_GAIN(next[k], grid));
            kept[CLSP_HALO + k] = s;
        }
        if (y + CHUNK < end) { /* under way while rows are filtered */
            const int below = y + CHUNK + CLSP_HALO;
            if (below >= first_plain && below + CHUNK <= last_plain && column.is_there)
                LOAD_PLAIN_ROWS(next, CHUNK, below, column, samples, from)
            else
                LOAD_ROWS(next, CHUNK, below, column, samples, from)
        }
        real c = s * (grid.pole * (R(1.0) / (grid.pole + R(-1.0))));
        UNROLL
        for (int k = KEPT - 2; k >= 0; k--) {
            c = grid.pole * (c - kept[k]);
            if (k < CHUNK) tile[k * PITCH + lid] = c;
        }
        UNROLL
        for (int k = 0; k < CLSP_HALO; k++)
            kept[k] = kept[k + CHUNK];
        barrier(CLK_LOCAL_MEM_FENCE);

        filter_pieces(tile, ends, begins, lid, grid);

        const int num = min(CHUNK, end - y);
        if (lid < STRIP_X && x + lid < (int)grid.size_x)
            for (int k = 0; k < num; k++)
                STORE_COEFFICIENT(tile[k * PITCH + SIDE + lid],
                                  out + (size_t)(uint)(y - begin + k) * grid.size_x +
                                      (uint)(x + lid));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
