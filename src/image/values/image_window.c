#include "image_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "coefficient_part.h"
#include "image_values.h"

enum {
    WINDOW_BYTES_MAX = 64 << 20,
    ALL_FROM = 64 /* windows that come to such a part of the coefficients: more will be needed */
};

/* Points of one slice of a map: of num_y rows from first_y on those from first_x to end_x - 1. The
   output's first row begins with point begin_x, `before` points behind the part's begin. */
typedef struct point_box {
    size_t piece;
    uint32_t z, first_y, num_y, begin_x, first_x, end_x;
    size_t before;
} point_box;

void clspi_image_window_release(clspi_image_window *window)
{
    clspi_buffer_release(&window->buffer);
    free(window->staging.at);
    *window = (clspi_image_window){.bytes = 0};
}

/* ---- coordinates ---- */

/* Gives what is far from one by rounding where coordinates are not fixed-point numbers. */
static double slack_of(const clspi_image_job *job, double reach)
{
    if (job->map.is_fixed) return 0.0;
    return reach * (job->plan->desc.precision == CLSP_F64 ? 0x1p-48 : 0x1p-19);
}

/* Gives the coordinates of the points of a map between two of them. */
static clspi_image_reach reach_between(const clspi_image_job *job, const double least[3],
                                       const double most[3])
{
    clspi_image_reach reach;

    for (uint32_t d = 0; d < 3; d++) {
        const double *const row = job->map.matrix[d];
        double a = row[3], b = row[3], all = fabs(row[3]);
        for (uint32_t k = 0; k < 3; k++) {
            const double low = least[k] + job->map.middle, high = most[k] + job->map.middle;
            a += row[k] > 0 ? row[k] * low : row[k] * high;
            b += row[k] > 0 ? row[k] * high : row[k] * low;
            all += fabs(row[k]) * high;
        }
        reach.least[d] = a - slack_of(job, all);
        reach.most[d] = b + slack_of(job, all);
    }
    return reach;
}

/* Gives the coordinates of a box by its map. */
static clspi_image_reach reach_of_map(const clspi_image_job *job, const point_box *box)
{
    const uint32_t *const o = job->map.origin;
    const double z = (double)o[0] + box->z, y = (double)o[1] + box->first_y;
    const double least[3] = {z, y, (double)o[2] + box->first_x};
    const double most[3] = {z, y + (box->num_y - 1.0), (double)o[2] + (box->end_x - 1.0)};

    return reach_between(job, least, most);
}

/* Reads a real of memory that need not be aligned to its elements. */
static double real_at(const char *given, size_t k, bool wide)
{
    double x;
    float narrow;

    if (wide) {
        memcpy(&x, given + k * sizeof x, sizeof x);
        return x;
    }
    memcpy(&narrow, given + k * sizeof narrow, sizeof narrow);
    return (double)narrow;
}

/* Widens a reach along one direction by the coordinates or displacements of rows of points; rows
   are a row of the map apart. Those that are not finite give cval and count for nothing, and
   displacements are bounded. */
static void add_given(clspi_image_reach *reach, uint32_t d, const clspi_image_job *job,
                      clsp_range row, uint32_t num_rows)
{
    const bool wide = job->plan->desc.precision == CLSP_F64;
    const double far = job->places == CLSPI_IMAGE_DISPLACED ? 0x1p29 : HUGE_VAL;
    double least = HUGE_VAL, most = -HUGE_VAL;

    for (uint32_t y = 0; y < num_rows; y++, row.first += job->map.size[2])
        for (size_t k = row.first; k < row.first + row.count; k++) {
            const double x = real_at(job->given[d], k * job->stride, wide);
            if (!isfinite(x)) continue;
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
    reach->least[d] += fmax(least, -far);
    reach->most[d] += fmin(most, far);
}

/* Gives the coordinates of a box; of displaced points row by row, as they stand in their field. */
static clspi_image_reach reach_of_box(const clspi_image_job *job, const point_box *box)
{
    const clsp_range row = {box->before + box->first_x - box->begin_x, box->end_x - box->first_x};
    clspi_image_reach reach = reach_of_map(job, box);

    for (uint32_t d = 3 - job->plan->desc.directions; d < 3; d++)
        if (job->places == CLSPI_IMAGE_DISPLACED) add_given(&reach, d, job, row, box->num_y);
    return reach;
}

static clspi_image_reach reach_of_points(const clspi_image_job *job, clsp_range points)
{
    clspi_image_reach reach = {.least = {0}};

    for (uint32_t d = 3 - job->plan->desc.directions; d < 3; d++)
        add_given(&reach, d, job, points, 1);
    return reach;
}

clspi_image_reach clspi_image_reach_of(const clspi_image_job *job, size_t points)
{
    clspi_image_reach reach = {.least = {0}};
    double least[3], most[3];

    for (uint32_t d = 0; d < 3; d++) {
        least[d] = job->map.origin[d];
        most[d] = least[d] + (job->map.size[d] - 1.0);
    }
    if (job->places != CLSPI_IMAGE_AT_POINTS) reach = reach_between(job, least, most);
    for (uint32_t d = 3 - job->plan->desc.directions; job->given[2] && d < 3; d++)
        add_given(&reach, d, job, (clsp_range){0, points}, 1);
    return reach;
}

/* ---- bringing ---- */

static size_t element_bytes(const clspi_image_job *job)
{
    return clsp_type_bytes(job->plan->desc.coefficients);
}

/* Returns the bytes that a window may have. */
static double most_bytes(const clspi_image_job *job)
{
    return (double)clspi_min_u64(WINDOW_BYTES_MAX, job->plan->base.ctx->device.max_alloc_bytes);
}

static bool fits(const clspi_image_job *job, const clspi_image_part *part)
{
    return clspi_image_part_size(part) * job->channels * (double)element_bytes(job) <=
           most_bytes(job);
}

/* Returns which of a layout's coefficients stands at a place of a part. */
static size_t stored_at(const clspi_image_layout *l, const clspi_image_part *part, uint32_t d,
                        uint32_t place)
{
    const int32_t at = (int32_t)place, num = part->cut[d] - part->low[d];

    return (size_t)(at + (at < num ? part->low[d] : part->high[d]) - (int32_t)l->low[d]);
}

/* Copies the coefficients of one row of a part; returns behind them. */
static char *gather_row(const clspi_image_layout *l, const clspi_image_part *part, const char *row,
                        size_t element, char *to)
{
    const uint32_t num = (uint32_t)(part->cut[2] - part->low[2]), rest = part->num[2] - num;

    memcpy(to, row + stored_at(l, part, 2, 0) * element, num * element);
    to += num * element;
    if (rest > 0) memcpy(to, row + stored_at(l, part, 2, num) * element, rest * element);
    return to + rest * element;
}

static void gather(const clspi_image_job *job, const clspi_image_part *part, size_t piece, char *to)
{
    const clspi_image_layout *const l = &job->plan->layout;
    const size_t element = element_bytes(job), row = l->stored[2] * element;

    for (uint32_t c = 0; c < job->channels; c++) {
        const char *const plane =
            job->owner->store.host + (piece * job->channels + c) * l->plane * element;
        for (uint32_t z = 0; z < part->num[0]; z++)
            for (uint32_t y = 0; y < part->num[1]; y++) {
                const size_t at =
                    stored_at(l, part, 0, z) * l->stored[1] + stored_at(l, part, 1, y);
                to = gather_row(l, part, plane + at * row, element, to);
            }
    }
}

/* Brings a part of a piece to the device, where it is not there. */
static clsp_status upload(clspi_image_job *job, clspi_series *series, const clspi_image_part *part,
                          size_t piece)
{
    clspi_image_window *const window = &job->plan->window;
    const size_t bytes = (size_t)clspi_image_part_size(part) * job->channels * element_bytes(job);

    if (window->load == job->owner->store.load && window->piece == piece &&
        clspi_image_part_holds(&window->part, part))
        return CLSP_OK;
    window->load = 0;
    CLSPI_CHECK(clspi_image_stage(job->plan, &window->staging, bytes));
    gather(job, part, piece, window->staging.at);
    CLSPI_CHECK(clspi_buffer_reserve(&window->buffer, &window->bytes, series->ctx, bytes));
    CLSPI_CHECK(clspi_series_write(series, window->buffer, 0, window->staging.at, bytes));
    window->part = *part;
    window->brought += bytes;
    window->piece = piece;
    window->load = job->owner->store.load;
    return CLSP_OK;
}

clsp_status clspi_image_upload_all(clsp_image_plan *peer, const clsp_image_plan *owner,
                                   clspi_series *series)
{
    const size_t planes = owner->num_images * owner->layout.channels;
    const size_t bytes = planes * owner->layout.plane * clsp_type_bytes(owner->desc.coefficients);
    size_t *const brought = &peer->window.brought;

    if (peer->store.load != owner->store.load) {
        peer->store.load = owner->store.load;
        peer->store.on_device = false;
        *brought = 0;
    }
    if (peer->store.on_device || owner->store.shared_calls < 2 || *brought < bytes / ALL_FROM ||
        owner->desc.storage == CLSP_IMAGE_ON_HOST || bytes > series->ctx->device.max_alloc_bytes)
        return CLSP_OK;
    *brought = 0;
    CLSPI_CHECK(
        clspi_buffer_reserve(&peer->coefficients, &peer->coefficient_bytes, series->ctx, bytes));
    CLSPI_CHECK(clspi_series_write(series, peer->coefficients, 0, owner->store.host, bytes));
    peer->store.on_device = true;
    return CLSP_OK;
}

static clsp_status too_far(const clspi_image_job *job)
{
    return clspi_fail(&job->plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: the coefficients of one point are more than the device's memory");
}

/* ---- boxes ---- */

static clsp_status launch_box(clspi_image_job *job, clspi_series *series, const point_box *box)
{
    const clspi_part part = {.num_pieces = 1,
                             .line = (size_t)box->z * job->map.size[1] + box->first_y,
                             .num_lines = box->num_y};
    clspi_image_job one = clspi_image_job_behind(job, box->piece, box->before);

    one.begin_x = box->begin_x;
    one.first_x = box->first_x;
    one.end_x = box->end_x;
    return clspi_image_make_rows(&one, series, &part);
}

/* Halves a box: *rest becomes the second half. Returns false for a box of one point. */
static bool split_box(const clspi_image_job *job, point_box *box, point_box *rest)
{
    const uint32_t width = box->end_x - box->first_x, half = width / 2;

    *rest = *box;
    if (box->num_y > 1 && box->num_y >= width) {
        box->num_y /= 2;
        rest->first_y += box->num_y;
        rest->num_y -= box->num_y;
        rest->before += (size_t)box->num_y * job->map.size[2];
        return true;
    }
    if (half == 0) return false;
    box->end_x = rest->first_x = box->first_x + half;
    return true;
}

/* Makes the points of a box, in halves where the box needs more coefficients than a window has. */
static clsp_status make_box(clspi_image_job *job, clspi_series *series, point_box box)
{
    enum { DEPTH = 64 };
    point_box waiting[DEPTH];
    uint32_t num = 0;

    for (;;) {
        const clspi_image_reach reach = reach_of_box(job, &box);
        const clspi_image_part part =
            clspi_image_need(&job->plan->layout, clspi_image_order(&job->plan->desc), &reach);
        if (!fits(job, &part)) {
            if (num == DEPTH || !split_box(job, &box, &waiting[num])) return too_far(job);
            num++;
            continue;
        }
        CLSPI_CHECK(upload(job, series, &part, box.piece));
        CLSPI_CHECK(launch_box(job, series, &box));
        if (num == 0) return CLSP_OK;
        box = waiting[--num];
    }
}

/* Makes whole rows, or a part of one, whose points begin rows->before behind those of the job. */
static clsp_status make_boxes(clspi_image_job *job, clspi_series *series, const clspi_part *rows)
{
    const uint32_t *const size = job->map.size;
    const size_t per_piece = (size_t)size[0] * size[1], width = rows->num_lines / rows->num_pieces;
    const uint32_t first_x = (uint32_t)rows->line;

    for (size_t done = 0; done < rows->num_pieces;) {
        const size_t row = rows->piece + done, in_piece = row % per_piece;
        const uint32_t y = (uint32_t)(in_piece % size[1]);
        const uint32_t num_y = (uint32_t)clspi_min(rows->num_pieces - done, size[1] - y);
        const point_box box = {.piece = job->first_piece + row / per_piece,
                               .z = (uint32_t)(in_piece / size[1]),
                               .first_y = y,
                               .num_y = num_y,
                               .begin_x = first_x,
                               .first_x = first_x,
                               .end_x = first_x + (uint32_t)width,
                               .before = rows->before + done * width};
        CLSPI_CHECK(make_box(job, series, box));
        done += num_y;
    }
    return CLSP_OK;
}

/* Makes the points of a part, which may begin and end within rows. */
static clsp_status make_rows_of(clspi_image_job *job, clspi_series *series, const clspi_part *part)
{
    clspi_cut cut = {.per_piece = job->map.size[2],
                     .piece = part->piece,
                     .line = part->line,
                     .left = part->num_lines};
    clspi_part rows;

    while (clspi_cut_next(&cut, UINT64_MAX, &rows))
        CLSPI_CHECK(make_boxes(job, series, &rows));
    return CLSP_OK;
}

/* ---- points ---- */

/* Makes the values at some coordinates; where these need too much, in halves. */
static clsp_status make_points_of(clspi_image_job *job, clspi_series *series,
                                  const clspi_part *part)
{
    for (size_t done = 0, num = part->num_lines; done < part->num_lines;
         num = part->num_lines - done) {
        clspi_image_part need;
        for (;; num /= 2) {
            if (num == 0) return too_far(job);
            const clspi_image_reach reach = reach_of_points(job, (clsp_range){done, num});
            need =
                clspi_image_need(&job->plan->layout, clspi_image_order(&job->plan->desc), &reach);
            if (fits(job, &need)) break;
        }
        CLSPI_CHECK(upload(job, series, &need, job->first_piece + part->piece));
        clspi_image_job one = clspi_image_job_behind(job, job->first_piece + part->piece, done);
        const clspi_part some = {.num_pieces = 1, .num_lines = num};
        CLSPI_CHECK(clspi_image_make_points(&one, series, &some));
        done += num;
    }
    return CLSP_OK;
}

/* ---- jobs ---- */

clsp_status clspi_image_prepare(clspi_image_job *job)
{
    clsp_image_plan *const plan = job->plan;

    CLSPI_CHECK(clspi_image_to_device(plan));
    job->owner = plan->store.on_device ? NULL : plan;
    job->window = plan->store.on_device ? NULL : &plan->window;
    return clspi_image_is_textured(job) ? clspi_image_use_textures(job)
                                        : clspi_image_job_kernel(job);
}

clsp_status clspi_image_make_in_windows(const clspi_image_job *job, clspi_series *series,
                                        const clspi_part *part)
{
    clspi_image_job one = *job;
    const size_t real = clsp_type_bytes(one.plan->desc.precision);
    const uint32_t missing = 3 - one.plan->desc.directions, separate = one.stride == 1;

    for (uint32_t d = missing; one.streams.num > 1 && d < 3; d++) {
        const uint32_t k = d - missing;
        const char *const host = one.streams.stream[1 + separate * k].memory.host;
        const size_t at = part->before * one.stride + (separate ? 0 : k);
        if (host) one.given[d] = host + at * real;
    }
    return one.places == CLSPI_IMAGE_AT_POINTS ? make_points_of(&one, series, part)
                                               : make_rows_of(&one, series, part);
}
