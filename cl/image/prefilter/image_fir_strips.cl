/* FIR prefilters of two directions in one pass over memory, for GPUs. A group goes down a strip of
   neighbouring columns, CHUNK rows at a time: an item loads its column of them, convolves a piece
   of a row, and then its column of what pieces have become, of which it keeps the last rows. Sums
   are those of image_fir.cl, and the bits too.

   The host sets CLSP_HALF, half the taps, CLSP_GROUP and what pixel.clh asks for.

   Up to 33 taps; 256 items, in double 128, with two barriers for 16 rows. An item keeps one row
   less than there are taps in registers. A strip begins with 16 rows, or 32 above 17 taps, that
   only fill what is kept; a pixel is read 1.1 to 1.5 times. */
#include "sample_columns.clh"

#ifndef CLSP_HALF
#define CLSP_HALF 7
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 256
#endif

#define CHUNK   STRIP_CHUNK
#define AROUND  (2 * CLSP_HALF)
#define STRIP_X ((CLSP_GROUP - AROUND) / CHUNK * CHUNK) /* columns that are stored */
#define ABOVE   ((AROUND + CHUNK - 1) / CHUNK * CHUNK)  /* rows that only fill what is kept */
/* odd: items that read neighbouring rows read other banks */
#define LOADED_PITCH (CLSP_GROUP + 1)
#define ROWS_PITCH   (STRIP_X + 1)

/* Convolves what stands around place k of a, from a[k] on. */
#define CONVOLVE(s, a, k)                                                                          \
    real s = tap[0] * (a)[(k) + CLSP_HALF];                                                        \
    UNROLL                                                                                         \
    for (int j_ = 1; j_ <= CLSP_HALF; j_++)                                                        \
        s = MAD(tap[j_], (a)[(k) + CLSP_HALF - j_] + (a)[(k) + CLSP_HALF + j_], s);

/* Filters both directions of a strip. taps: h_0 .. h_half. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
filter_fir_strips(global const sample *restrict samples, global coefficient *restrict target,
                  global const real *restrict taps, sample_source from, plane_grid grid)
{
    local real loaded[CHUNK * LOADED_PITCH], rows[CHUNK * ROWS_PITCH];
    const int lid = (int)get_local_id(0), piece = lid / CHUNK, row = lid - piece * CHUNK;
    const grid_place at = place_in(grid, STRIP_X);
    const int begin = at.y, end = min(begin + (int)grid.rows, (int)grid.size_y);
    const int first_plain = (int)from.pad_y, last_plain = (int)(from.pad_y + from.size_y);
    const bool has_column = lid < STRIP_X;
    const bool is_stored = has_column && at.x + lid < (int)grid.end_x;
    const sample_column column = column_of(from, grid, at.slice, at.x - CLSP_HALF + lid);
    global coefficient *const out =
        target + WIDE(grid.offset) + (size_t)at.slice * grid.size_y * grid.size_x + (uint)at.x;
    real tap[CLSP_HALF + 1], kept[CHUNK + AROUND], a[CHUNK + AROUND];
    UNROLL
    for (int k = 0; k <= CLSP_HALF; k++)
        tap[k] = taps[k];
    UNROLL
    for (int k = 0; k < AROUND; k++)
        kept[k] = R(0.0);

    for (int y = begin - ABOVE; y < end; y += CHUNK) {
        const int below = y + CLSP_HALF;
        if (below >= first_plain && below + CHUNK <= last_plain && column.is_there)
            LOAD_PLAIN_ROWS(a, CHUNK, below, column, samples, from)
        else
            LOAD_ROWS(a, CHUNK, below, column, samples, from)
        UNROLL
        for (int k = 0; k < CHUNK; k++)
            loaded[k * LOADED_PITCH + lid] = a[k];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (has_column) { /* a piece of a row: as many as columns */
            UNROLL
            for (int k = 0; k < CHUNK + AROUND; k++)
                a[k] = loaded[row * LOADED_PITCH + piece * CHUNK + k];
            UNROLL
            for (int k = 0; k < CHUNK; k++) {
                CONVOLVE(s, a, k)
                rows[row * ROWS_PITCH + piece * CHUNK + k] = s;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (is_stored) {
            UNROLL
            for (int k = 0; k < CHUNK; k++)
                kept[AROUND + k] = rows[k * ROWS_PITCH + lid];
            UNROLL
            for (int k = 0; k < CHUNK; k++) {
                CONVOLVE(s, kept, k)
                if (y >= begin && y + k < end)
                    STORE_COEFFICIENT(s, out + (size_t)(uint)(y + k) * grid.size_x + (uint)lid);
            }
            UNROLL
            for (int k = 0; k < AROUND; k++)
                kept[k] = kept[k + CHUNK];
        }
    }
}
