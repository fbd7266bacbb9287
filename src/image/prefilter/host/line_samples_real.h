/* Samples in memory as reals of the precision `real`, continued beyond the ends of lines. */

CLSPI_INLINE real sample_at(const void *at, uint32_t type, size_t k)
{
    switch (type) {
    case PIXEL_U8:
        return ((const uint8_t *)at)[k];
    case PIXEL_U16:
        return ((const uint16_t *)at)[k];
    case PIXEL_S16:
        return ((const int16_t *)at)[k];
    case PIXEL_F16:
        return (real)clspi_half_value(((const uint16_t *)at)[k]);
    case PIXEL_F32:
        return (real)((const float *)at)[k];
    default:
        return (real)((const double *)at)[k];
    }
}

/* Returns which of the samples in memory stands at a stored index of a direction. */
static int32_t sample_index(const clspi_line_source *from, uint32_t d, int64_t index)
{
    const int64_t here = index - from->pad[d] - from->first[d];
    if (here >= 0 && here < from->num[d]) return (int32_t)here;
    const int32_t stored = index_of((int)index, (int)from->stored[d], from->extend[d]);
    const int32_t at = index_of(stored - (int)from->pad[d], (int)from->size[d], from->mode[d]);
    const int32_t place = at - (int32_t)from->first[d], last = (int32_t)from->num[d] - 1;

    if (at == NO_INDEX) return at;
    return place < 0 ? 0 : place > last ? last : place;
}

/* Places of rows: which samples stand there. */
typedef struct row_places {
    size_t num, before, within; /* places; of them those before the samples, and those of samples
                                   that follow each other */
    int32_t first;              /* of these */
    bool are_within;            /* those at all places are of these */
    int32_t at[SPAN];           /* at all others; NO_INDEX: none */
} row_places;

/* Finds the samples of num places, at most SPAN, from x on. */
static void find_places(row_places *p, const clspi_line_source *from, int64_t x, size_t num)
{
    const int64_t begin = (int64_t)from->pad[2] + from->first[2] - x, end = begin + from->num[2];
    const int64_t all = (int64_t)num;
    const int64_t low = begin < 0 ? 0 : begin < all ? begin : all;
    const int64_t high = end < low ? low : end < all ? end : all;

    p->num = num;
    p->before = (size_t)low;
    p->within = (size_t)(high - low);
    p->first = (int32_t)(low - begin);
    p->are_within = true;
    for (size_t k = 0; k < num; k++) {
        if (k == p->before) k += p->within;
        if (k == num) break;
        p->at[k] = sample_index(from, 2, x + (int64_t)k);
        const int64_t place = (int64_t)p->at[k] - p->first;
        p->are_within = p->are_within && place >= 0 && place < high - low;
    }
}

/* Reads samples of a type, a constant, that are `step` apart. */
CLSPI_INLINE void read_type(const clspi_line_source *from, size_t first, size_t num, size_t step,
                            uint32_t type, real *restrict to)
{
    for (size_t k = 0; k < num; k++)
        to[k] = sample_at(from->at, type, (first + k) * step);
}

/* Reads num samples from `first` on, of one channel mostly. */
static void read_samples(const clspi_line_source *from, size_t first, size_t num, real *restrict to)
{
    const uint32_t type = from->type;
    const bool is_dense = from->step == 1;

    if (type == REAL_PIXEL && is_dense)
        memcpy(to, (const real *)(const void *)from->at + first, num * sizeof *to);
    else if (type == PIXEL_U8 && is_dense)
        read_type(from, first, num, 1, PIXEL_U8, to);
    else if (type == PIXEL_U8)
        read_type(from, first, num, from->step, PIXEL_U8, to);
    else if (type == PIXEL_F32 && is_dense)
        read_type(from, first, num, 1, PIXEL_F32, to);
    else if (type == PIXEL_F32)
        read_type(from, first, num, from->step, PIXEL_F32, to);
    else
        read_type(from, first, num, from->step, type, to);
}

/* Says where the samples of a row are in memory; false: they are the constant all. */
static bool find_row(const clspi_line_source *from, int64_t z, int64_t y, size_t *begin)
{
    const int32_t at_z = sample_index(from, 0, z), at_y = sample_index(from, 1, y);

    *begin = ((size_t)at_z * from->num[1] + (size_t)at_y) * from->num[2];
    return at_z != NO_INDEX && at_y != NO_INDEX;
}

/* Reads what of a row follows each other. */
static void read_within(const clspi_line_source *from, const int64_t row[2], const row_places *p,
                        real *restrict to)
{
    size_t begin;

    if (find_row(from, row[0], row[1], &begin)) {
        read_samples(from, begin + (size_t)p->first, p->within, to);
        return;
    }
    for (size_t k = 0; k < p->within; k++)
        to[k] = (real)from->cval;
}

/* Reads the sample of a row at a place that is not within. */
static real read_outside(const clspi_line_source *from, const int64_t row[2], int32_t at)
{
    size_t begin;

    if (at == NO_INDEX || !find_row(from, row[0], row[1], &begin)) return (real)from->cval;
    return sample_at(from->at, from->type, (begin + (size_t)at) * from->step);
}

/* Fills the places of a row from `begin` to end - 1, whose samples are not within, or which are
   those of samples that are. */
CLSPI_INLINE void read_beside(const clspi_line_source *from, const int64_t row[2],
                              const row_places *p, size_t begin, size_t end, real *to)
{
    if (p->are_within)
        for (size_t k = begin; k < end; k++)
            to[k] = to[p->before + (size_t)(p->at[k] - p->first)];
    else
        for (size_t k = begin; k < end; k++)
            to[k] = read_outside(from, row, p->at[k]);
}

/* Reads a row's samples at places. */
static void read_places(const clspi_line_source *from, const int64_t row[2], const row_places *p,
                        real *to)
{
    read_within(from, row, p, to + p->before);
    read_beside(from, row, p, 0, p->before, to);
    read_beside(from, row, p, p->before + p->within, p->num, to);
}
