/* The definition of one clspi_image_values, IMAGE_VALUES, in the precision `real`. The file that
   includes this one names both, REAL_BYTES, RINT, ROUND, FLOOR and EPSILON, and REAL_PIXEL, the
   precision as a type of pixels.

   A chunk of points of a row is made at once: where they are by loops over all of them, what they
   are group by group. */
#include <math.h>

#include "half.h"
#include "image_edges_real.h"

enum { COMPONENTS = 4, CHANNELS = 16, VALUES = CHANNELS * COMPONENTS };

/* ---- values ---- */

/* What is to be made of the points of a chunk, and where: of each channel the value and the
   derivatives, as many as are asked for. */
typedef struct chunk_work {
    const clspi_image_planes *planes;
    const chunk *c;
    const edge_taps *edges; /* NULL where all taps are in memory, side by side */
    uint32_t components;
    real (*made)[CHUNK];
} chunk_work;

/* Returns a vector of points in the order that weights along a direction have. */
CLSPI_INLINE vec in_order_of(uint32_t d, uint32_t order, vec x)
{
    return d == 2 && !are_pairs(order) ? turn_points(x) : x;
}

/* Turns the weights of those points whose taps are turned; is_turned: 1 or 0, so that sums of
   products with it are exact. */
CLSPI_INLINE void turn_weights(uint32_t order, vec is_turned, real (*w)[CHUNK], uint32_t g)
{
    const vec is_not = 1 - is_turned;

    CLSPI_UNROLL(4)
    for (uint32_t x = 0; x < (order + 1) / 2; x++) {
        const vec a = load_vec(w[x] + g), b = load_vec(w[order - x] + g);
        store_vec(w[x] + g, a * is_not + b * is_turned);
        store_vec(w[order - x] + g, b * is_not + a * is_turned);
    }
}

/* Has the first or the last tap count alone, by `one`, at those points whose taps are flat. */
CLSPI_INLINE void flatten_weights(uint32_t order, vec is_turned, real one, real (*w)[CHUNK],
                                  uint32_t g)
{
    const vec is_any = is_turned * is_turned, is_not = 1 - is_any, half = all_lanes(one / 2);

    CLSPI_UNROLL(8)
    for (uint32_t x = 0; x <= order; x++)
        store_vec(w[x] + g, load_vec(w[x] + g) * is_not);
    store_vec(w[0] + g, load_vec(w[0] + g) + (is_any - is_turned) * half);
    store_vec(w[order] + g, load_vec(w[order] + g) + (is_any + is_turned) * half);
}

/* Finds the weights of all points. */
CLSPI_INLINE void find_weights(tap_weights *w, work of, const chunk *c)
{
    for (uint32_t d = 3 - of.directions; d < 3; d++)
        for (uint32_t g = 0; g < c->num; g += GROUP) {
            const vec t = in_order_of(d, of.order, load_vec(c->t[d] + g));
            weights_at(of.order, t, w->w[d], g);
            if (of.gradient) slopes_at(of.order, t, w->d[d], g);
        }
    for (uint32_t d = 3 - of.directions; d < 3; d++)
        for (uint32_t g = 0; c->has_turned[d] && g < c->num; g += GROUP) {
            const vec is_turned = in_order_of(d, of.order, load_vec(c->is_turned[d] + g));
            if (c->is_flat[d]) {
                flatten_weights(of.order, is_turned, 1, w->w[d], g);
                if (of.gradient) flatten_weights(of.order, is_turned, 0, w->d[d], g);
            } else {
                turn_weights(of.order, is_turned, w->w[d], g);
                if (of.gradient) turn_weights(of.order, is_turned, w->d[d], g);
            }
        }
}

/* Adds up rows by loops with constants. */
CLSPI_INLINE void sum_rows(row_sums *s, tap_rows r, work of, const tap_weights *w, uint32_t g,
                           uint32_t num)
{
    if (are_pairs(of.order))
        for (uint32_t k = g; k < g + num; k += GROUP)
            sum_group(s, r, of, w, k);
    else if (of.order < PART)
        short_sum_rows(s, r, of, w, g, num);
    else
        long_sum_rows(s, r, of, w, g, num);
}

CLSPI_INLINE void sum_rows_of(row_sums *s, tap_rows r, work of, const tap_weights *w, uint32_t g,
                              uint32_t num)
{
    const uint32_t order = of.order;

    if (of.directions == 1)
        sum_rows(s, r, (work){order, 1, false}, w, g, num);
    else if (of.directions == 2 && !of.gradient)
        sum_rows(s, r, (work){order, 2, false}, w, g, num);
    else if (of.directions == 2)
        sum_rows(s, r, (work){order, 2, true}, w, g, num);
    else if (!of.gradient)
        sum_rows(s, r, (work){order, 3, false}, w, g, num);
    else
        sum_rows(s, r, (work){order, 3, true}, w, g, num);
}

/* Adds up what is asked for of one channel along x. */
CLSPI_INLINE void make_channel(const chunk_work *v, uint32_t channel, work of, const row_sums *s,
                               tap_weights *w)
{
    const row_parts *const sums[COMPONENTS] = {&s->all, &s->by_z, &s->by_y, &s->all};
    const bool has_value = (v->planes->attributes & POINT_VALUE) != 0;
    const uint32_t lacking = 3 - of.directions, end = of.gradient ? COMPONENTS : 1;
    real(*made)[CHUNK] = v->made + channel * v->components;

    for (uint32_t m = has_value ? 0 : lacking + 1; m < end; m = m == 0 ? lacking + 1 : m + 1) {
        for (uint32_t g = 0; g < v->c->num; g += GROUP)
            store_vec(*made + g, sum_along_x(*sums[m], m == 3 ? w->d[2] : w->w[2], of.order, g));
        made++;
    }
}

/* Makes all points of a chunk by loops with the constant order. */
CLSPI_INLINE void make_points(const chunk_work *v, uint32_t order)
{
    const clspi_image_planes *const planes = v->planes;
    const work of = {order, planes->directions, (planes->attributes & POINT_GRADIENT) != 0};
    const size_t stride_y = wide_size(planes, 2), stride_z = wide_size(planes, 1) * stride_y;
    const size_t plane = wide_size(planes, 0) * stride_z;
    const uint32_t at_edges = are_pairs(order) ? GROUP : EDGE_POINTS;
    const uint32_t num = v->c->num, at_once = v->edges ? at_edges : CHUNK;
    const real *channel = planes->planes;
    tap_copies copies;
    tap_weights w;
    row_sums s;

    find_weights(&w, of, v->c);
    for (uint32_t n = 0; n < planes->channels; n++, channel += plane) {
        for (uint32_t g = 0; g < num; g += at_once) {
            const uint32_t some = num - g < at_once ? num - g : at_once;
            tap_rows r = {channel, v->c->first, stride_z, stride_y, planes->order + 1};
            if (v->edges) copy_points(&r, &copies, planes, v->edges, some, g);
            sum_rows_of(&s, r, of, &w, g, some);
        }
        make_channel(v, n, of, &s, &w);
    }
}

/* Takes the only tap of each point, which is in memory. It is added to 0, as taps of sums are, and
   -0 becomes 0. */
CLSPI_INLINE void take_taps(const chunk_work *v)
{
    const clspi_image_planes *const planes = v->planes;
    const size_t plane = wide_size(planes, 0) * wide_size(planes, 1) * wide_size(planes, 2);
    const real *channel = planes->planes;

    for (uint32_t n = 0; n < planes->channels; n++, channel += plane)
        for (uint32_t k = 0; k < CHUNK; k++)
            v->made[n][k] = channel[v->c->first[k]] + 0;
}

#define MAKE_ORDER(order)                                                                          \
    static void make_order_##order(const chunk_work *v)                                            \
    {                                                                                              \
        make_points(v, order);                                                                     \
    }
EACH_ORDER(MAKE_ORDER)

CLSPI_INLINE void clip(real *x, const real range[2])
{
    for (uint32_t k = 0; k < CHUNK; k++) {
        x[k] = x[k] < range[0] ? range[0] : x[k];
        x[k] = x[k] > range[1] ? range[1] : x[k];
    }
}

/* Makes the values of all channels at points that have taps. */
static void make_there(const chunk_work *v)
{
#define ORDER_FUNCTION(order) make_order_##order,
    static void (*const orders[])(const chunk_work *) = {EACH_ORDER(ORDER_FUNCTION)};
    const clspi_image_planes *const planes = v->planes;

    if (planes->order == 0 && !v->edges && !(planes->attributes & POINT_GRADIENT))
        take_taps(v);
    else
        orders[planes->order](v);
}

/* Makes the values of those points of a chunk whose taps are not side by side in memory; room: for
   as much as is made of a chunk. */
static void make_edge(const chunk_work *v, real (*room)[CHUNK])
{
    const uint32_t rows = v->planes->channels * v->components;
    uint32_t edge[CHUNK];
    edge_taps taps;
    chunk e;

    const uint32_t num = find_edge(edge, v->c);
    if (num == 0) return;
    if (num == v->c->num) {
        find_edge_taps(&taps, v->c, v->planes);
        make_there(&(chunk_work){v->planes, v->c, &taps, v->components, v->made});
        return;
    }
    gather_points(&e, edge, num, v->c, v->planes->directions);
    find_edge_taps(&taps, &e, v->planes);
    make_there(&(chunk_work){v->planes, &e, &taps, v->components, room});
    for (uint32_t n = 0; n < rows; n++)
        for (uint32_t k = 0; k < num; k++)
            v->made[n][edge[k]] = room[n][k];
}

/* Makes the values of all channels at the points of a chunk. */
static void make_values(const chunk_work *v, chunk *c, real (*room)[CHUNK])
{
    const clspi_image_planes *const planes = v->planes;
    const bool has_value = (planes->attributes & POINT_VALUE) != 0;
    const uint32_t rows = planes->channels * v->components;
    const real *const range = planes->range;

    if (c->all_within || stay_within(c)) make_there(v);
    if (!c->all_within) make_edge(v, room);
    for (uint32_t n = 0; !c->all_there && n < rows; n++) {
        const real none = has_value && n % v->components == 0 ? (real)planes->cval : 0;
        for (uint32_t k = 0; k < CHUNK; k++)
            v->made[n][k] = c->is_there[k] ? v->made[n][k] : none;
    }
    for (uint32_t n = 0; has_value && range && n < planes->channels; n++)
        clip(v->made[n * v->components], range + 2 * (size_t)n);
}

/* ---- output ---- */

/* Rounds numbers to whole ones: halves to even, or away from 0. */
CLSPI_INLINE void round_all(real *x, bool rounds_up)
{
    if (rounds_up)
        for (size_t k = 0; k < CHUNK; k++)
            x[k] = ROUND(x[k]);
    else
        for (size_t k = 0; k < CHUNK; k++)
            x[k] = RINT(x[k]);
}

/* Makes whole numbers, which are kept within the bounds of a type; NaN is 0. */
CLSPI_INLINE void saturate(int32_t *restrict to, const real *restrict from, uint32_t type)
{
    const real low = type == PIXEL_S16 ? -32768 : 0;
    const real high = type == PIXEL_U8 ? 255 : low + 65535;

    for (size_t k = 0; k < CHUNK; k++) {
        const real x = from[k], near = x > low ? x : x <= low ? low : 0;
        to[k] = (int32_t)(near < high ? near : high);
    }
}

/* Makes of a row of numbers, which may be changed before, those of a type of whole numbers. */
CLSPI_INLINE void convert_to_whole(const clspi_image_planes *planes, real *restrict from,
                                   void *restrict to)
{
    int32_t whole[CHUNK];

    round_all(from, planes->rounds_up);
    saturate(whole, from, planes->type);
    if (planes->type == PIXEL_U8)
        for (size_t k = 0; k < CHUNK; k++)
            ((uint8_t *)to)[k] = (uint8_t)whole[k];
    else
        for (size_t k = 0; k < CHUNK; k++)
            ((uint16_t *)to)[k] = (uint16_t)whole[k];
}

/* Makes of a row of numbers, which may be changed before, those of the type of values. */
static void convert(const clspi_image_planes *planes, real *restrict from, void *restrict to)
{
    switch (planes->type) {
    case PIXEL_F16:
        clspi_halves(to, from, CHUNK);
        break;
    case PIXEL_F32:
        for (size_t k = 0; k < CHUNK; k++)
            ((float *)to)[k] = (float)from[k];
        break;
    case PIXEL_F64:
        for (size_t k = 0; k < CHUNK; k++)
            ((double *)to)[k] = (double)from[k];
        break;
    default:
        convert_to_whole(planes, from, to);
        break;
    }
}

static size_t bytes_of(uint32_t type)
{
    if (type == PIXEL_U8) return 1;
    return type == PIXEL_F32 ? 4 : type == PIXEL_F64 ? 8 : 2;
}

/* Puts rows of CHUNK elements of one size beside each other: [num][rows]. */
#define PUT_BESIDE(element, to, from, rows, num)                                                   \
    for (uint32_t k = 0; k < (num); k++)                                                           \
        for (uint32_t n = 0; n < (rows); n++)                                                      \
    ((element *)(to))[k * (rows) + n] = ((const element *)(from))[n * CHUNK + k]

CLSPI_INLINE void put_beside(void *restrict to, const void *restrict from, size_t bytes,
                             uint32_t rows, uint32_t num)
{
    if (bytes == 1)
        PUT_BESIDE(uint8_t, to, from, rows, num);
    else if (bytes == 2)
        PUT_BESIDE(uint16_t, to, from, rows, num);
    else if (bytes == 4)
        PUT_BESIDE(uint32_t, to, from, rows, num);
    else
        PUT_BESIDE(uint64_t, to, from, rows, num);
}

/* Stores what has been made of a chunk; room: for as much. */
static void store(const chunk_work *v, void *room, void *out)
{
    const size_t bytes = bytes_of(v->planes->type);
    const uint32_t rows = v->planes->channels * v->components, num = v->c->num;
    const void *typed = v->made;

    if (v->planes->type != REAL_PIXEL) {
        for (uint32_t n = 0; n < rows; n++)
            convert(v->planes, v->made[n], (char *)room + n * CHUNK * bytes);
        typed = room;
    }
    if (rows == 1)
        memcpy(out, typed, num * bytes);
    else if (rows == 2)
        put_beside(out, typed, bytes, 2, num);
    else if (rows == 3)
        put_beside(out, typed, bytes, 3, num);
    else if (rows == 4)
        put_beside(out, typed, bytes, 4, num);
    else
        put_beside(out, typed, bytes, rows, num);
}

/* ---- all ---- */

/* Prefetches the cache lines that a chunk is stored to, and the coordinates of the next chunk. */
CLSPI_INLINE void prefetch(const clspi_image_row *row, size_t first, const char *out, size_t bytes)
{
#ifdef __GNUC__
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(out + at, 1);
    for (uint32_t d = 0; d < 3 && first + CHUNK < row->num; d++)
        for (size_t at = 0; row->field[d] && at < CHUNK * row->step; at += 64 / REAL_BYTES)
            __builtin_prefetch((const real *)row->field[d] + (first + CHUNK) * row->step + at);
#else
    (void)row, (void)first, (void)out, (void)bytes;
#endif
}

void IMAGE_VALUES(const clspi_image_planes *planes, const clspi_image_row *row)
{
    const uint32_t attributes = planes->attributes;
    const uint32_t slopes = attributes & POINT_GRADIENT ? planes->directions : 0;
    const uint32_t components = (attributes & POINT_VALUE ? 1 : 0) + slopes;
    const size_t point = (size_t)planes->channels * components * bytes_of(planes->type);
    union {
        _Alignas(64) real reals[VALUES][CHUNK];
        double typed[VALUES * CHUNK];
    } room;
    _Alignas(64) real made[VALUES][CHUNK];
    char *out = row->out;
    chunk c;

    for (size_t first = 0; first < row->num; first += CHUNK) {
        c.num = (uint32_t)(row->num - first < CHUNK ? row->num - first : CHUNK);
        prefetch(row, first, out, c.num * point);
        find_coordinates(&c, planes->directions, row, first);
        find_taps(&c, planes);
        const chunk_work all = {planes, &c, NULL, components, made};
        make_values(&all, &c, room.reals);
        store(&all, &room, out);
        out += c.num * point;
    }
}
