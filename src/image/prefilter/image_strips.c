#include "image_strips.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "filter_reach.h"
#include "filter_steps.h"
#include "image_plan.h"

enum { STRIP_BYTES_MAX = 64 << 20 };

/* A direction of a strip, counted in the whole's coefficients: results begin to end - 1, and the
   `num` samples from `first` on that they are made of, of which `wrapped` at the begin are the
   line's own first ones. */
typedef struct strip_axis {
    int64_t first;
    uint32_t begin, end, num, wrapped;
} strip_axis;

/* Rows of coefficients to be made, or a part of one: the target has rows of row_length from first_x
   on, the first one being row first_row of those that are stored; first_x counts in the whole's. */
typedef struct strip_job {
    clsp_image_plan *plan;
    clspi_series *series;
    uint32_t step;
    const clspi_line_source *source;
    const clspi_target *target;
    size_t first_row, first_x, row_length;
} strip_job;

/* Releases the plan that filters strips. It has a base and a filter, and nothing else of a plan. */
static void release_inner(clsp_image_plan *inner)
{
    if (!inner) return;
    clspi_plan_release(&inner->base);
    clspi_image_filter_release(&inner->filter);
    free(inner);
}

void clspi_image_strips_release(clspi_image_strips *strips)
{
    release_inner(strips->inner);
    clspi_buffer_release(&strips->from);
    clspi_buffer_release(&strips->to);
    free(strips->staging.at);
    *strips = (clspi_image_strips){.inner = NULL};
}

/* Makes the plan that filters strips: what comes to it has been continued already. */
static clsp_status make_inner(clsp_image_plan *plan)
{
    clsp_image_plan *const inner = calloc(1, sizeof *inner);

    if (!inner) return clspi_image_no_memory(plan, "strips");
    const clsp_status status = clspi_plan_init(&inner->base, plan->base.ctx, "image");
    if (status != CLSP_OK) {
        free(inner);
        return status;
    }
    inner->desc = plan->desc;
    inner->desc.samples = plan->desc.precision;
    inner->desc.clip = 0;
    inner->layout = plan->layout;
    inner->layout.channels = 1;
    inner->layout.planar = true;
    for (uint32_t d = 0; d < 3; d++)
        inner->layout.pad[d] = 0;
    plan->strips.inner = inner;
    return clspi_image_filter_create(inner);
}

/* ---- one strip ---- */

/* Finds what results begin to end - 1 of a line of n are made of. Blocks keep their places, and the
   last one ends where the line does. */
static strip_axis axis_of(const strip_job *job, uint32_t d, uint32_t begin, uint32_t end)
{
    const clsp_image_plan *const plan = job->plan;
    const clspi_filter_step *const step = &plan->strips.inner->filter.step[job->step];
    const uint32_t n = plan->layout.whole[d], halo = clspi_image_step_halo(step, d);
    const uint32_t block = clspi_image_step_block(plan->strips.inner, step, d);
    const uint32_t mode = clspi_image_filter_mode(plan->layout.mode[d]);
    const strip_axis whole = {.begin = begin, .end = end, .num = n};

    if (!clspi_image_step_has_axis(step, d))
        return (strip_axis){.first = begin, .begin = begin, .end = end, .num = end - begin};
    if (block == 0) return whole;
    const uint32_t from = begin / block * block;
    const bool is_last = (uint64_t)clspi_round_up(end, block) >= n;
    const uint32_t to = is_last ? n : (uint32_t)clspi_round_up(end, block);
    const uint32_t needed = is_last ? 2 * halo + block : halo;
    const uint32_t lead = (uint32_t)clspi_round_up(needed, block);
    const uint64_t num = (uint64_t)lead + (to - from) + (is_last ? 0 : halo);
    if (num >= n) return whole;
    return (strip_axis){.first = (int64_t)from - lead,
                        .begin = begin,
                        .end = end,
                        .num = (uint32_t)num,
                        .wrapped = is_last && mode == CLSP_IMAGE_GRID_WRAP ? halo + block : 0};
}

/* Returns the index of a strip's sample. */
static int64_t sample_of(const strip_axis *axis, uint32_t place)
{
    return place < axis->wrapped ? place : axis->first + place;
}

static void gather(const strip_job *job, const strip_axis axes[3], char *to)
{
    const clspi_line_functions *const f = clspi_image_line_functions(job->plan);
    const size_t row = axes[2].num * clsp_type_bytes(job->plan->desc.precision);

    for (uint32_t z = 0; z < axes[0].num; z++)
        for (uint32_t y = 0; y < axes[1].num; y++, to += row) {
            int64_t at[3] = {sample_of(&axes[0], z), sample_of(&axes[1], y), axes[2].first};
            f->read(job->source, at, (size_t[]){1, 1, axes[2].num}, to);
            at[2] = 0;
            if (axes[2].wrapped > 0)
                f->read(job->source, at, (size_t[]){1, 1, axes[2].wrapped}, to);
        }
}

/* Brings a strip to the device and makes room for what comes of it. */
static clsp_status upload(const strip_job *job, const strip_axis axes[3])
{
    clspi_image_strips *const s = &job->plan->strips;
    clsp_context *const ctx = job->series->ctx;
    const size_t num = (size_t)axes[0].num * axes[1].num * axes[2].num;
    const size_t bytes = num * clsp_type_bytes(job->plan->desc.precision);

    CLSPI_CHECK(clspi_image_stage(job->plan, &s->staging, bytes));
    gather(job, axes, s->staging.at);
    CLSPI_CHECK(clspi_buffer_reserve(&s->from, &s->from_bytes, ctx, bytes));
    CLSPI_CHECK(clspi_buffer_reserve(&s->to, &s->to_bytes, ctx, bytes));
    return clspi_series_write(job->series, s->from, 0, s->staging.at, bytes);
}

/* Copies what was made of a strip to the target, as many coefficients at a time as stand side by
   side in both. */
static clsp_status copy_out(const strip_job *job, const strip_axis axes[3], size_t element)
{
    const uint32_t num_y = axes[1].end - axes[1].begin, num_x = axes[2].end - axes[2].begin;
    const clspi_image_layout *const l = &job->plan->layout;
    const bool is_row = num_x == axes[2].num && num_x == job->row_length;
    const uint32_t step = is_row ? num_y : 1;

    for (uint32_t z = axes[0].begin; z < axes[0].end; z++)
        for (uint32_t y = axes[1].begin; y < axes[1].end; y += step) {
            const size_t row =
                (size_t)(z - l->low[0]) * l->stored[1] + (y - l->low[1]) - job->first_row;
            const size_t to = row * job->row_length + axes[2].begin - job->first_x;
            const size_t from =
                ((size_t)(z - axes[0].first) * axes[1].num + (size_t)(y - axes[1].first)) *
                    axes[2].num +
                (size_t)(axes[2].begin - axes[2].first);
            CLSPI_CHECK(clspi_series_copy(job->series, job->plan->strips.to, from * element,
                                          job->target->buffer, (job->target->offset + to) * element,
                                          (size_t)step * num_x * element));
        }
    return CLSP_OK;
}

static clsp_status make_strip(const strip_job *job, const strip_axis axes[3])
{
    clspi_image_strips *const s = &job->plan->strips;
    clsp_image_plan *const inner = s->inner;
    const bool is_last = inner->filter.step[job->step].to == CLSPI_STEP_COEFFICIENTS;
    const clsp_type type = is_last ? inner->desc.coefficients : inner->desc.precision;

    CLSPI_CHECK(upload(job, axes));
    inner->layout.plane = 1;
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t *const made = inner->filter.step[job->step].made[d];
        inner->layout.size[d] = inner->layout.stored[d] = axes[d].num;
        inner->layout.plane *= axes[d].num;
        inner->layout.begin[d] = inner->layout.low[d] = made[0] = 0;
        made[1] = axes[d].num;
    }
    const clspi_filter_job filter = {
        .layout = &inner->layout, .samples = s->from, .channels = 1, .from = s->from, .to = s->to};
    CLSPI_CHECK(clspi_image_filter_step(inner, job->series, job->step, &filter));
    return copy_out(job, axes, clsp_type_bytes(type));
}

/* ---- all strips ---- */

/* Cuts a strip in two, of which `rest` is the second one: by lines where it can be, else along
   them, where blocks begin. False: neither. */
static bool split_strip(const strip_job *job, uint32_t box[3][2], uint32_t rest[3][2])
{
    const clspi_filter_step *const step = &job->plan->strips.inner->filter.step[job->step];
    const clsp_image_plan *const inner = job->plan->strips.inner;
    uint32_t best = 3, most = 1;

    for (int along = 0; along < 2 && best == 3; along++)
        for (uint32_t d = 0; d < 3; d++) {
            const bool is_along = clspi_image_step_has_axis(step, d);
            const uint32_t block = clspi_image_step_block(inner, step, d);
            if (is_along != (along != 0) || (is_along && block == 0)) continue;
            const uint32_t unit = is_along ? block : 1;
            const uint32_t num = (uint32_t)clspi_div_up(box[d][1], unit) - box[d][0] / unit;
            if (num > most) best = d, most = num;
        }
    if (best == 3) return false;
    const uint32_t unit =
        clspi_image_step_has_axis(step, best) ? clspi_image_step_block(inner, step, best) : 1;
    const uint32_t middle = (box[best][0] / unit + most / 2) * unit;
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t k = 0; k < 2; k++)
            rest[d][k] = box[d][k];
    box[best][1] = rest[best][0] = middle;
    return true;
}

/* Makes the coefficients of a box, [z, y, x][begin, end], in halves where a strip would be too
   large. */
static clsp_status make_box(const strip_job *job, uint32_t box[3][2])
{
    const uint64_t alloc = job->series->ctx->device.max_alloc_bytes;
    const double most = (double)clspi_min_u64(STRIP_BYTES_MAX, alloc);
    uint32_t rest[3][2];
    strip_axis axes[3];
    double bytes = (double)clsp_type_bytes(job->plan->desc.precision);

    for (uint32_t d = 0; d < 3; d++) {
        axes[d] = axis_of(job, d, box[d][0], box[d][1]);
        bytes *= axes[d].num;
    }
    if (bytes <= most) return make_strip(job, axes);
    if (!split_strip(job, box, rest))
        return clspi_fail(&job->series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "image: a part of the prefilter that is not to be cut has %.0f bytes "
                          "with the samples around it, and a buffer %.0f at most",
                          bytes, most);
    CLSPI_CHECK(make_box(job, box));
    return make_box(job, rest);
}

clsp_status clspi_image_strips_make(clsp_image_plan *plan, clspi_series *series, uint32_t step,
                                    const clspi_line_source *source, const clspi_part *part,
                                    const clspi_target *target)
{
    const uint32_t *const stored = plan->layout.stored, *const low = plan->layout.low;
    const bool is_whole = part->line == 0 && part->num_lines % stored[2] == 0;
    const size_t rows = is_whole ? part->num_lines / stored[2] : 1;
    const uint32_t first_x = low[2] + (is_whole ? 0 : (uint32_t)part->line);
    const uint32_t end_x = first_x + (is_whole ? stored[2] : (uint32_t)part->num_lines);
    const strip_job job = {plan,   series,      step,    source,
                           target, part->piece, first_x, end_x - first_x};

    if (!plan->strips.inner) CLSPI_CHECK(make_inner(plan));
    for (size_t done = 0; done < rows;) {
        const size_t row = part->piece + done;
        const size_t slice = row / stored[1], in_slice = row % stored[1];
        const size_t whole = in_slice == 0 ? (rows - done) / stored[1] : 0; /* slices */
        const uint32_t num_y = (uint32_t)clspi_min(rows - done, stored[1] - in_slice);
        const uint32_t z = low[0] + (uint32_t)slice, y = low[1] + (uint32_t)in_slice;
        uint32_t box[3][2] = {
            {z, z + (uint32_t)clspi_max(whole, 1)}, {y, y + num_y}, {first_x, end_x}};
        CLSPI_CHECK(make_box(&job, box));
        done += whole > 0 ? whole * stored[1] : num_y;
    }
    return CLSP_OK;
}
