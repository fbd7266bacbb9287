/* Lines in host memory: by the host's threads, by the calling one, or by all processors of a share.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host_pieces.h"
#include "job.h"
#include "lone_call.h"
#include "work_lines.h"

enum { KEY_MAX = 192 };

/* ---- parts ---- */

/* Makes a part on a worker. */
static clsp_status make_on_host(const clspi_work_lines *l, uint32_t worker, const clspi_part *part,
                                char *out)
{
    const clspi_work *const work = l->work;
    const size_t before = clspi_lines_before(work, part, l->tiles.lines);
    const char *in[CLSPI_WORK_INPUTS];

    for (uint32_t i = 0; i < work->num_in; i++)
        in[i] = l->in[i] + clspi_input_bytes(&work->in[i], before * work->in[i].per_line);
    return work->makers->on_host(work, worker, part, in, out);
}

/* Brings to a device what some lines are made from, those from `before` lines of the job on. */
static clsp_status bring(const clspi_work_lines *l, clspi_plan *plan, clspi_series *series,
                         size_t before, size_t num_lines, clspi_place at[CLSPI_MAX_STREAMS])
{
    const clspi_work *const work = l->work;
    uint32_t num = 0;

    for (uint32_t i = 0; i < work->num_in; i++)
        for (uint32_t k = 0; k < work->in[i].planes; k++, num++) {
            const clspi_work_input *const in = &work->in[i];
            const size_t first = k * in->apart + before * in->per_line;
            if (in->per_line == 0 || work->in[i].written)
                at[num].host = l->in[i] + clspi_input_bytes(in, first);
            else
                CLSPI_CHECK(clspi_plan_upload(
                    plan, series, num, l->in[i] + clspi_input_bytes(in, first),
                    clspi_input_bytes(in, num_lines * in->per_line), &at[num].buffer));
        }
    return CLSP_OK;
}

/* Makes a part on a device, which what it is made from is brought to. */
static clsp_status make_on_device(const clspi_work_lines *l, clspi_plan *plan, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const clspi_work *const work = l->work;
    const char *const lacks = clspi_work_lack(work, plan);
    const size_t before = clspi_lines_before(work, part, l->tiles.lines);
    clspi_place at[CLSPI_MAX_STREAMS] = {{.offset = 0}};

    if (lacks)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_DEVICE, "%s: the device makes nothing: %s",
                          plan->family, lacks);
    CLSPI_CHECK(bring(l, plan, series, before, part->num_lines, at));
    return work->makers->on_device(work, plan, series, part, at, target);
}

/* ---- the job ---- */

static size_t line_bytes(const clspi_work_lines *l)
{
    return l->work->out.per_line * clsp_type_bytes(l->work->out.type);
}

/* Returns the number in the work of tiles of the job. */
static clsp_range in_work(const clspi_work_lines *l, clsp_range tiles)
{
    return (clsp_range){l->tiles.tiles.first + tiles.first, tiles.count};
}

static clspi_cut cut_of(const clspi_work_lines *l, clsp_range tiles)
{
    return clspi_cut_of(&l->work->tiling, in_work(l, tiles), l->work->first_piece);
}

static clsp_range region(void *user, clsp_range tiles)
{
    const clspi_work_lines *const l = user;
    const clsp_range lines = clspi_lines_of(&l->work->tiling, in_work(l, tiles));

    return (clsp_range){(lines.first - l->tiles.lines.first) * line_bytes(l),
                        lines.count * line_bytes(l)};
}

static clsp_status on_host(void *user, uint32_t worker, clsp_range tiles)
{
    const clspi_work_lines *const l = user;
    clspi_cut cut = cut_of(l, tiles);
    char *const out = l->out + region(user, tiles).first;
    clspi_part part;

    while (clspi_cut_next(&cut, UINT64_MAX, &part))
        CLSPI_CHECK(make_on_host(l, worker, &part, out + part.before * line_bytes(l)));
    return CLSP_OK;
}

/* Finds the plan of a device. Chunks of one plan run one after another, on out-of-order queues too:
   they share its buffers. */
static clsp_status find_plan(const clspi_work_lines *l, uint32_t device, clspi_plan **plan)
{
    clsp_status status;

    *plan = clspi_peer_of(l->work->peers, l->work->plan, device, &status);
    if (status != CLSP_OK || (*plan)->ctx->in_order) return status;
    return clspi_cl(&(*plan)->ctx->log,
                    clEnqueueBarrierWithWaitList((*plan)->ctx->queue, 0, NULL, NULL),
                    "clEnqueueBarrierWithWaitList");
}

static clsp_status on_device(void *user, uint32_t device, clspi_series *series,
                             const clspi_chunk *chunk)
{
    const clspi_work_lines *const l = user;
    const size_t element = clsp_type_bytes(l->work->out.type);
    clspi_cut cut = cut_of(l, chunk->tiles);
    clspi_plan *plan;
    clspi_part part;

    CLSPI_CHECK(find_plan(l, device, &plan));
    while (clspi_cut_next(&cut, UINT64_MAX, &part)) {
        const clspi_target target = {chunk->out,
                                     (chunk->out_offset + part.before * line_bytes(l)) / element};
        CLSPI_CHECK(make_on_device(l, plan, series, &part, &target));
    }
    return CLSP_OK;
}

/* Returns the tiles of a unit of a queue: noting their launches takes time, and few are needed for
   processors to end together. */
static size_t unit_tiles(size_t num_tiles)
{
    enum { UNITS = 256 };

    return clspi_max(1, clspi_div_up(num_tiles, UNITS));
}

/* Notes the launches of a unit of a queue, of which all inputs have been brought. */
static clsp_status note_unit(const clspi_work_lines *l, clspi_plan *plan, clspi_series *series,
                             clsp_range tiles, const clspi_place brought[])
{
    const clspi_work *const work = l->work;
    clspi_cut cut = cut_of(l, tiles);
    clspi_place at[CLSPI_MAX_STREAMS];
    clspi_part part;

    while (clspi_cut_next(&cut, UINT64_MAX, &part)) {
        const size_t before = clspi_lines_before(work, &part, l->tiles.lines);
        const clspi_target target = {plan->queue.target, before * work->out.per_line};
        for (uint32_t i = 0, num = 0; i < work->num_in; i++)
            for (uint32_t k = 0; k < work->in[i].planes; k++, num++)
                at[num] = (clspi_place){.buffer = brought[num].buffer,
                                        .offset = before * work->in[i].per_line};
        CLSPI_CHECK(work->makers->on_device(work, plan, series, &part, at, &target));
    }
    return CLSP_OK;
}

static clsp_status note_units(const clspi_work_lines *l, clspi_plan *plan, clspi_series *series,
                              size_t num_tiles, const clspi_place brought[])
{
    const size_t each = unit_tiles(num_tiles);

    for (size_t first = 0; first < num_tiles; first += each, plan->queue.unit++)
        CLSPI_CHECK(note_unit(l, plan, series,
                              (clsp_range){first, clspi_min(each, num_tiles - first)}, brought));
    return CLSP_OK;
}

static clsp_status persistent(void *user, uint32_t device, clspi_series *series, void *counter,
                              size_t num_tiles, void *out)
{
    const clspi_work_lines *const l = user;
    clspi_place brought[CLSPI_MAX_STREAMS] = {{.offset = 0}};
    clspi_plan *plan;

    CLSPI_CHECK(find_plan(l, device, &plan));
    CLSPI_CHECK(l->work->makers->ready(l->work, plan, series));
    CLSPI_CHECK(bring(l, plan, series, 0, l->tiles.lines.count, brought));
    CLSPI_CHECK(clspi_launch_queue_begin(&plan->queue, series, out,
                                         clspi_div_up(num_tiles, unit_tiles(num_tiles))));
    return clspi_launch_queue_end(&plan->queue, series, counter,
                                  note_units(l, plan, series, num_tiles, brought));
}

static clspi_job job_of(clspi_work_lines *l, const char *key)
{
    const clspi_work *const work = l->work;
    const clspi_tiling *const tiling = &work->tiling;
    const char *const why =
        work->makers->ready ? work->why_not_persistent : "no persistent kernel makes them";

    return (clspi_job){.user = l,
                       .num_tiles = l->tiles.tiles.count,
                       .tile_size = tiling->pieces_per_tile * tiling->tile_lines * work->line_items,
                       .out = l->out,
                       .has_gaps = work->out.has_gaps,
                       .region = region,
                       .host = work->why_no_host ? NULL : on_host,
                       .why_no_host = work->why_no_host,
                       .enqueue = on_device,
                       .persistent = why ? NULL : persistent,
                       .unit_tiles = unit_tiles(l->tiles.tiles.count),
                       .why_not_persistent = why,
                       .key = key,
                       .chunk_ms = work->chunk_ms};
}

/* ---- the host ---- */

clsp_status clspi_lines_prepare(const clspi_work_lines *l)
{
    clspi_plan *const plan = l->work->plan;

    if (!l->work->makers->prepare) return CLSP_OK;
    pthread_mutex_lock(&plan->lock);
    const clsp_status status = l->work->makers->prepare(l->work, l->tiles.way);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

/* Takes the number of a worker that no other thread has; CLSPI_HOST_WORKERS where none is left. */
static uint32_t take_worker(clspi_plan *plan)
{
    uint32_t worker = 0;

    while (worker < CLSPI_HOST_WORKERS && atomic_flag_test_and_set(&plan->callers[worker]))
        worker++;
    return worker;
}

/* Makes tiles on the calling thread, as a worker whose number no other caller has. */
static clsp_status make_as_worker(clspi_work_lines *l, clsp_range tiles)
{
    clspi_plan *const plan = l->work->plan;
    const uint32_t worker = take_worker(plan);

    if (worker == CLSPI_HOST_WORKERS)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: more than %d threads make tiles at once", plan->family,
                          (int)CLSPI_HOST_WORKERS);
    const clsp_status status = on_host(l, worker, tiles);
    atomic_flag_clear(&plan->callers[worker]);
    return status;
}

/* Gives lines memory that is aligned to its elements where the caller's is not. */
static clsp_status begin_aside(clspi_work_lines *l)
{
    const size_t bytes = l->tiles.lines.count * line_bytes(l);
    char *const out = l->out;

    if ((uintptr_t)out % clsp_type_bytes(l->work->out.type) == 0 || bytes == 0) return CLSP_OK;
    l->out = malloc(bytes);
    if (!l->out)
        return clspi_fail(&l->work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory for results that are not aligned", l->work->plan->family);
    if (l->work->out.has_gaps) memcpy(l->out, out, bytes);
    return CLSP_OK;
}

/* Copies results that were made aside to where they belong. Returns status. */
static clsp_status end_aside(clspi_work_lines *l, char *out, clsp_status status)
{
    if (l->out == out) return status;
    if (status == CLSP_OK) memcpy(out, l->out, l->tiles.lines.count * line_bytes(l));
    free(l->out);
    l->out = out;
    return status;
}

/* Lines that the host's threads make. */
typedef struct host_lines {
    clspi_work_lines *lines;
    _Atomic clsp_status status; /* of tiles that failed last */
} host_lines;

static void make_some(void *user, clsp_range tiles)
{
    host_lines *const host = user;
    const clsp_status status = make_as_worker(host->lines, tiles);

    if (status != CLSP_OK) atomic_store(&host->status, status);
}

clsp_status clspi_lines_on_host(clspi_work_lines *l)
{
    const double line_ns = l->work->line_ns;
    const clsp_range all = {0, l->tiles.tiles.count};
    host_lines host = {.lines = l};
    char *const out = l->out;

    CLSPI_CHECK(begin_aside(l));
    if (all.count > 0 && !l->work->takes_all)
        clspi_host_tiles(l->work->plan->ctx, all.count, line_ns * (double)l->tiles.lines.count,
                         make_some, &host);
    else if (all.count > 0)
        atomic_store(&host.status, on_host(l, CLSPI_HOST_WORKERS, all));
    return end_aside(l, out, atomic_load(&host.status));
}

/* ---- shares ---- */

/* Names a work by what its speeds depend on. */
static void name_work(const clspi_work *work, char key[KEY_MAX])
{
    const double lines = (double)work->tiling.num_pieces * (double)work->tiling.lines;
    const clspi_work_key of = work->makers->key(work);
    size_t at = (size_t)snprintf(key, KEY_MAX, "%s-%s", work->plan->family, of.call);

    for (uint32_t i = 0; i < of.num; i++)
        at += (size_t)snprintf(key + at, KEY_MAX - at, "-%u", of.number[i]);
    snprintf(key + at, KEY_MAX - at, "-c%u", clspi_size_class(lines * (double)work->line_items));
}

/* Makes tiles by all processors, or measures these. */
static clsp_status make_by_all(clspi_work_lines *l, const clsp_share *share, clsp_report *told)
{
    const clspi_work *const work = l->work;
    char key[KEY_MAX];

    name_work(work, key);
    const clspi_job job = job_of(l, key);
    clspi_peers_prepare(work->peers, work->plan);
    return share->measure ? clspi_cooperate_tune(work->plan->ctx, &job, told)
                          : clspi_cooperate(work->plan->ctx, &job, share, told);
}

/* Makes tiles by the calling thread, or by all. */
static clsp_status make_tiles(clspi_work_lines *l, const clsp_run *run, clsp_report *told)
{
    char *const out = l->out;

    CLSPI_CHECK(clspi_lines_prepare(l));
    CLSPI_CHECK(clspi_run_wait(l->work->plan, run));
    CLSPI_CHECK(begin_aside(l));
    return end_aside(l, out,
                     l->tiles.way == CLSPI_BY_CALLER
                         ? make_as_worker(l, (clsp_range){0, l->tiles.tiles.count})
                         : make_by_all(l, run->share, told));
}

/* Tells whether more than one processor has made tiles. */
static bool is_mixed(const clsp_report *report)
{
    uint32_t makers = 0;

    for (uint32_t i = 0; i < report->num_processors; i++)
        makers += report->processors[i].tiles > 0;
    return makers > 1;
}

static clsp_status make_alone(void *user)
{
    return clspi_lines_on_queue(user, NULL);
}

static clsp_status make_by_host(void *user)
{
    CLSPI_CHECK(clspi_lines_prepare(user));
    return clspi_lines_on_host(user);
}

/* Tells whether a share has only the host make lines. */
static bool is_by_host(const clspi_work_lines *l, const clsp_share *share)
{
    return l->tiles.way == CLSPI_BY_CALLER ||
           (share->schedule == CLSP_SCHEDULE_HOST && !share->measure && !share->bit_equal);
}

/* Tells whether joined devices may make lines beside the host, whose own CPU is the first one. */
static bool can_others(const clspi_work *work)
{
    clsp_context *const *contexts;
    clsp_context *const ctx = work->plan->ctx;

    return clspi_is_own_cpu(ctx) && work->makers->on_device && !work->why_alone &&
           clspi_cooperate_devices(ctx, &contexts) > 1;
}

clsp_status clspi_lines_shared(clspi_work_lines *l, const clsp_run *run)
{
    const clspi_work *const work = l->work;
    const clspi_lone_call by_host = {l->lacks, l->tiles.tiles.count, make_by_host, l, true};
    const clspi_lone_call alone = {work->why_alone, l->tiles.tiles.count, make_alone, l, false};
    clsp_report own = {.num_processors = 0};
    clsp_report *const told = run->report ? run->report : &own;

    if (work->why_no_host && l->tiles.way == CLSPI_BY_CALLER)
        return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: tiles by the host: %s",
                          work->plan->family, work->why_no_host);
    if (l->lacks && l->tiles.way == CLSPI_BY_ALL && !can_others(work))
        return clspi_shared_alone(work->plan, &by_host, run);
    if (work->why_alone && (work->why_no_host || !is_by_host(l, run->share)))
        return clspi_shared_alone(work->plan, &alone, run);
    CLSPI_CHECK(make_tiles(l, run, told));
    if (work->makers->mend && l->tiles.way == CLSPI_BY_ALL && is_mixed(told))
        CLSPI_CHECK(work->makers->mend(work, l->tiles.lines, l->in, l->out));
    return clspi_run_done(work->plan, run);
}
