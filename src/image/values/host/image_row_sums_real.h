/* Sums of rows of taps along z and y, in the precision `real`, by vectors of ROW_BYTES. The file
   that includes this one, twice, names these, and functions by OF_ROW. */
#define ROW_LANES (ROW_BYTES / REAL_BYTES)
#define ROW_PARTS (ROW_LANES / PART)
#define row       OF_ROW(row)
#define any_row   OF_ROW(any_row)

#if CLSPI_WIDTH > 0
typedef real row CLSPI_VECTOR(ROW_BYTES);
typedef real any_row __attribute__((vector_size(ROW_BYTES), aligned(REAL_BYTES), may_alias));
#else
typedef real row;
typedef real any_row;
#endif

/* Returns how many vectors a row of taps has. */
CLSPI_INLINE uint32_t OF_ROW(vectors_of)(uint32_t order)
{
    return order / ROW_LANES + 1;
}

/* Stores the sums of a row as parts: that at `to`, further ones CHUNK parts from each other. */
CLSPI_INLINE void OF_ROW(store)(real *to, const row *sums, uint32_t order)
{
    CLSPI_UNROLL(8)
    for (uint32_t p = 0; p < parts_of(order); p++) {
        any_part *const at = (any_part *)(to + p * CHUNK * PART);
#if ROW_PARTS == 1
        *at = sums[p];
#elif PART == 4
        *at = p % 2 == 0 ? CLSPI_SHUFFLE(sums[p / 2], sums[p / 2], 0, 1, 2, 3)
                         : CLSPI_SHUFFLE(sums[p / 2], sums[p / 2], 4, 5, 6, 7);
#else
        *at = p % 2 == 0 ? CLSPI_SHUFFLE(sums[p / 2], sums[p / 2], 0, 1)
                         : CLSPI_SHUFFLE(sums[p / 2], sums[p / 2], 2, 3);
#endif
    }
}

/* Adds up the rows of a slice of point k; slope: the derivative along y. (From 0 on, so that each
   product is one of a fused multiply-add, whichever the compiler looks at first.) */
CLSPI_INLINE void OF_ROW(sum_slice)(const real *from, size_t stride, work of, const tap_weights *w,
                                    uint32_t k, row *sum, row *slope)
{
    const uint32_t num = OF_ROW(vectors_of)(of.order);

    CLSPI_UNROLL(8)
    for (uint32_t v = 0; v < num; v++)
        sum[v] = slope[v] = (row){0};
    CLSPI_UNROLL(8)
    for (uint32_t y = 0; y <= of.order; y++) {
        const real weight = w->w[1][y][k], by = of.gradient ? w->d[1][y][k] : 0;
        CLSPI_UNROLL(8)
        for (uint32_t v = 0; v < num; v++) {
            const row taps = *(const any_row *)(from + y * stride + v * ROW_LANES);
            sum[v] += weight * taps;
            if (of.gradient) slope[v] += by * taps;
        }
    }
}

/* Adds up the rows of point k. */
CLSPI_INLINE void OF_ROW(sum_point)(row_sums *to, tap_rows r, work of, const tap_weights *w,
                                    uint32_t k)
{
    const uint32_t num = OF_ROW(vectors_of)(of.order);
    const real *const from = r.from + r.at[k];
    row all[TAPS], by_y[TAPS], by_z[TAPS];

    if (of.directions < 3) {
        OF_ROW(sum_slice)(from, r.stride_y, of, w, k, all, by_y);
    } else {
        CLSPI_UNROLL(8)
        for (uint32_t v = 0; v < num; v++)
            all[v] = by_y[v] = by_z[v] = (row){0};
        for (uint32_t z = 0; z < r.slices; z++) {
            const real weight = w->w[0][z][k], by = of.gradient ? w->d[0][z][k] : 0;
            row sum[TAPS], slope[TAPS];
            OF_ROW(sum_slice)(from + z * r.stride_z, r.stride_y, of, w, k, sum, slope);
            CLSPI_UNROLL(8)
            for (uint32_t v = 0; v < num; v++) {
                all[v] += weight * sum[v];
                if (of.gradient) by_y[v] += weight * slope[v];
                if (of.gradient) by_z[v] += by * sum[v];
            }
        }
    }
    OF_ROW(store)(to->all[0] + k * PART, all, of.order);
    if (of.gradient) OF_ROW(store)(to->by_y[0] + k * PART, by_y, of.order);
    if (of.gradient && of.directions == 3) OF_ROW(store)(to->by_z[0] + k * PART, by_z, of.order);
}

/* Copies the row of point k. */
CLSPI_INLINE void OF_ROW(copy_point)(row_sums *to, tap_rows r, work of, uint32_t k)
{
    row all[TAPS];

    CLSPI_UNROLL(8)
    for (uint32_t v = 0; v < OF_ROW(vectors_of)(of.order); v++)
        all[v] = *(const any_row *)(r.from + r.at[k] + v * ROW_LANES);
    OF_ROW(store)(to->all[0] + k * PART, all, of.order);
}

/* Adds up the rows of so many points from point g on. */
CLSPI_INLINE void OF_ROW(sum_rows)(row_sums *to, tap_rows r, work of, const tap_weights *w,
                                   uint32_t g, uint32_t num)
{
    for (uint32_t k = g; k < g + num; k++)
        if (of.directions == 1)
            OF_ROW(copy_point)(to, r, of, k);
        else
            OF_ROW(sum_point)(to, r, of, w, k);
}

#undef ROW_LANES
#undef ROW_PARTS
#undef row
#undef any_row
