#include "coefficient_part.h"

#include <math.h>

#include "dialect.h"
#include "extension.clh"

/* One or two ranges of indices, first to last; the second one behind the first, or empty. */
typedef struct index_ranges {
    int64_t first[2], last[2];
    int num;
} index_ranges;

static const index_ranges none = {.num = 0};

static index_ranges one(int64_t first, int64_t last)
{
    return (index_ranges){.first = {first}, .last = {last}, .num = 1};
}

/* Returns two ranges as what they are together. */
static index_ranges both(int64_t first, int64_t last, int64_t next, int64_t end)
{
    if (next < first) return both(next, end, first, last);
    if (next <= last + 1) return one(first, last > end ? last : end);
    return (index_ranges){.first = {first, next}, .last = {last, end}, .num = 2};
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* ---- continued images ---- */

/* Gives the coefficients that stand at some indices: of mirrored images those of a turn, or of two
   up to the end where it turns. */
static index_ranges extend(int64_t first, int64_t last, int64_t n, uint32_t mode)
{
    const int end = (int)n - 1;
    const int64_t period = mode == MODE_GRID_WRAP || mode == MODE_REFLECT ? n : end;

    if (mode == MODE_GRID_CONSTANT && (last < 0 || first > end)) return none;
    if (mode == MODE_NEAREST || mode == MODE_GRID_CONSTANT)
        return one(clamp((int)first, 0, end), clamp((int)last, 0, end));
    if (n == 1) return one(0, 0);
    const int64_t turn = floor_div(first, period), turns = floor_div(last, period) - turn;
    const int a = index_of((int)first, (int)n, mode), b = index_of((int)last, (int)n, mode);
    if (turns > 1) return one(0, end);
    if (mode == MODE_GRID_WRAP) return turns == 0 ? one(a, b) : both(0, b, a, end);
    const int low = a < b ? a : b, high = a < b ? b : a;
    return turns == 0 ? one(low, high) : turn % 2 != 0 ? one(0, high) : one(low, end);
}

/* ---- taps ---- */

/* Gives the coefficients of all taps of coordinates whose whole numbers are first to last. */
static index_ranges taps_of(int64_t first, int64_t last, int64_t n, uint32_t mode, uint32_t order)
{
    const int64_t before = order / 2 + 1, behind = order / 2 + 2;

    if (mode == CLSP_IMAGE_CONSTANT && (last < 0 || first >= n)) return none;
    if (mode == CLSP_IMAGE_CONSTANT) {
        first = first < 0 ? 0 : first;
        last = last >= n ? n - 1 : last;
    }
    if (mode == CLSP_IMAGE_WRAP && (first < 0 || last >= n)) {
        const index_ranges at = n > 1 ? extend(first, last, n - 1, MODE_GRID_WRAP) : one(0, 0);
        const index_ranges a = extend(at.first[0] - before, at.last[0] + behind, n, mode);
        const index_ranges end = extend(n - 1 - before, n - 1 + behind, n, mode);
        if (at.num == 1) return both(a.first[0], a.last[0], end.first[0], end.last[0]);
        const index_ranges b = extend(at.first[1] - before, at.last[1] + behind, n, mode);
        return both(a.first[0], a.last[0], b.first[0], b.last[0]);
    }
    return extend(first - before, last + behind, n, mode);
}

/* Gives those of the ranges that are among some indices. */
static index_ranges held_of(const index_ranges *r, int64_t low, int64_t high)
{
    index_ranges held = none;

    for (int i = 0; i < r->num; i++) {
        const int64_t first = r->first[i] > low ? r->first[i] : low;
        const int64_t last = r->last[i] < high ? r->last[i] : high;
        if (first > last) continue;
        held.first[held.num] = first;
        held.last[held.num++] = last;
    }
    return held;
}

/* Keeps a coordinate where kernels do. */
static int64_t whole_of(double x)
{
    const double far = 0x1.8p30;

    return (int64_t)floor(x < -far ? -far : x > far ? far : x);
}

clspi_image_part clspi_image_need(const clspi_image_layout *layout, uint32_t order,
                                  const clspi_image_reach *reach)
{
    clspi_image_part part;

    for (uint32_t d = 0; d < 3; d++) {
        const int64_t n = layout->whole[d], pad = layout->pad[d];
        const bool is_empty = !(reach->least[d] <= reach->most[d]);
        const int64_t first = is_empty ? 0 : whole_of(reach->least[d]) + pad - 1;
        const int64_t last = is_empty ? 0 : whole_of(reach->most[d]) + pad + 1;
        index_ranges r = is_empty ? none : taps_of(first, last, n, layout->mode[d], order);
        r = held_of(&r, layout->low[d], layout->low[d] + (int64_t)layout->stored[d] - 1);
        if (r.num == 0) r = one(layout->low[d], layout->low[d]); /* which nobody reads */
        const int64_t num = r.last[0] - r.first[0] + 1;
        part.low[d] = (int32_t)r.first[0];
        part.cut[d] = (int32_t)r.last[0] + 1;
        part.high[d] = (int32_t)(r.num > 1 ? r.first[1] - num : 0);
        part.num[d] = (uint32_t)(num + (r.num > 1 ? r.last[1] - r.first[1] + 1 : 0));
    }
    return part;
}

/* ---- parts ---- */

clspi_image_part clspi_image_whole(const clspi_image_layout *layout)
{
    clspi_image_part part;

    for (uint32_t d = 0; d < 3; d++) {
        part.num[d] = layout->stored[d];
        part.low[d] = part.high[d] = (int32_t)layout->low[d];
        part.cut[d] = (int32_t)(layout->low[d] + layout->stored[d]);
    }
    return part;
}

/* Returns the indices of a direction as ranges. */
static index_ranges ranges_of(const clspi_image_part *part, uint32_t d)
{
    const int64_t num = part->cut[d] - part->low[d];

    if (num == part->num[d]) return one(part->low[d], part->cut[d] - 1);
    return (index_ranges){.first = {part->low[d], num + part->high[d]},
                          .last = {part->cut[d] - 1, (int64_t)part->num[d] + part->high[d] - 1},
                          .num = 2};
}

bool clspi_image_part_holds(const clspi_image_part *part, const clspi_image_part *other)
{
    for (uint32_t d = 0; d < 3; d++) {
        const index_ranges all = ranges_of(part, d), some = ranges_of(other, d);
        for (int i = 0; i < some.num; i++) {
            bool is_held = false;
            for (int k = 0; k < all.num; k++)
                is_held = is_held || (all.first[k] <= some.first[i] && some.last[i] <= all.last[k]);
            if (!is_held) return false;
        }
    }
    return true;
}

double clspi_image_part_size(const clspi_image_part *part)
{
    return (double)part->num[0] * part->num[1] * part->num[2];
}
