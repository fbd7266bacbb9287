/* Measuring processors one by one, and storing what was found. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "schedule.h"
#include "tile_queue.h"

enum { RUNS = 10, RUNS_LEAST = 3, PART = 8 /* fewer tiles tell what a call costs at least */ };

#define ENOUGH_MS 2000.0 /* for one processor */

/* What a processor's fastest run was like. */
typedef struct best_run {
    double ms;
    size_t tiles;
    uint64_t chunks;
    double busy_ms, move_ms;
} best_run;

/* Runs tiles on one processor alone; false when it dropped out. */
static bool run_once(clspi_shared_call *call, uint32_t processor, size_t tiles, double *ms)
{
    clspi_run *const run = call->run;

    clspi_run_begin(run, call->set, call->job, false);
    clspi_shared_call_alone(call, processor, tiles);
    const double begin = clspi_now_ms();
    clspi_run_round(run, processor == run->host ? call->workers_alone : 0);
    *ms = clspi_now_ms() - begin;
    return clspi_run_alive(run, processor);
}

/* Measures the fastest of several runs; the first one is left out, since programs may be compiled
   in it. False when the processor dropped out. */
static bool measure(clspi_shared_call *call, uint32_t processor, size_t tiles, best_run *best)
{
    const double begin = clspi_now_ms();
    double ms;

    best->ms = 0;
    if (!run_once(call, processor, tiles, &ms)) return false;
    for (int i = 0; i < RUNS; i++) {
        const clspi_participant *const participant = &call->run->participants[processor];
        if (!run_once(call, processor, tiles, &ms)) return false;
        if (best->ms <= 0 || ms < best->ms) {
            best->ms = ms;
            best->tiles = atomic_load(&participant->tiles);
            best->chunks = atomic_load(&participant->chunks);
            best->busy_ms = participant->busy_ms;
            best->move_ms = participant->move_ms;
        }
        if (i + 1 >= RUNS_LEAST && clspi_now_ms() - begin > ENOUGH_MS) break;
    }
    return true;
}

static uint64_t picoseconds(double ms)
{
    return ms > 1e-9 ? (uint64_t)(ms * 1e9) : 0;
}

/* Stores the line through the times of all tiles and of a part of them. */
static void store(clspi_shared_call *call, const char *owner, double all_ms, size_t few,
                  double few_ms)
{
    const size_t all = call->job->num_tiles;
    double tile = all_ms / (double)all, fixed = 0;

    if (few < all && few_ms < all_ms) {
        const double slope = (all_ms - few_ms) / (double)(all - few);
        if (slope < tile) {
            tile = slope;
            fixed = all_ms - slope * (double)all;
        }
    }
    const uint64_t slope_ps = picoseconds(1e3 * tile / (double)call->job->tile_size);
    clspi_speeds_set(&call->set->speeds, owner, call->job->key, slope_ps > 0 ? slope_ps : 1,
                     picoseconds(fixed));
}

/* Measures one processor and stores its speed; *best: of all tiles. False when it dropped out. */
static bool tune_processor(clspi_shared_call *call, uint32_t processor, best_run *best)
{
    const size_t all = call->job->num_tiles, few = clspi_max(all / PART, 1);
    char owner[CLSPI_OWNER_MAX];
    best_run part;

    if (!measure(call, processor, few, &part) || !measure(call, processor, all, best)) return false;
    if (processor == call->run->host)
        clspi_speeds_host(owner, call->workers_alone + 1);
    else
        clspi_speeds_owner(owner, &call->set->contexts[processor]->device);
    store(call, owner, best->ms, few, part.ms);
    return true;
}

static void write_file(clspi_shared_call *call)
{
    bool named;
    char *const path = clspi_shared_call_speeds_path(call, &named);

    if (path) clspi_speeds_write(&call->set->speeds, path, &call->set->ctx->log);
    free(path);
}

/* Fills a report with the best run of each processor. */
static void fill_report(clspi_shared_call *call, const best_run best[], const clsp_status failed[],
                        clsp_report *report)
{
    clspi_shared_call_report(call, CLSP_SCHEDULE_DEFAULT, report);
    for (uint32_t p = 0; p < report->num_processors; p++) {
        clsp_processor_report *const out = &report->processors[p];
        out->tiles = best[p].tiles;
        out->chunks = best[p].chunks;
        out->busy_ms = best[p].busy_ms;
        out->move_ms = best[p].move_ms;
        out->status = failed[p];
        if (p + 1 == report->num_processors) out->workers = call->workers_alone + 1;
    }
    report->probe_ms = report->wall_ms;
}

/* Tunes all processors, with the lock of jobs held. */
static clsp_status tune(clspi_shared_call *call, clsp_report *report)
{
    const uint32_t host = call->set->num_devices;
    best_run best[CLSP_MAX_PROCESSORS] = {{0}};
    clsp_status failed[CLSP_MAX_PROCESSORS] = {CLSP_OK}, last = CLSP_OK;
    bool any = false;

    clspi_shared_call_workers(call);
    clspi_shared_call_speeds(call);
    clspi_tile_queue_refusal(call->set, call->job, call->persistent); /* for its self-test */
    for (uint32_t p = 0; p <= host; p++) {
        clspi_run_begin(call->run, call->set, call->job, false);
        if (p == host && !call->job->host) continue;
        if (clspi_run_alive(call->run, p) && tune_processor(call, p, &best[p]))
            any = true;
        else
            failed[p] = last = atomic_load(&call->run->participants[p].status);
    }
    if (report) fill_report(call, best, failed, report);
    if (!any) return last != CLSP_OK ? last : CLSP_ERROR_STATE;
    write_file(call);
    clspi_speeds_forget(&call->set->speeds);
    return CLSP_OK;
}

clsp_status clspi_cooperate_tune(clsp_context *ctx, const clspi_job *job, clsp_report *report)
{
    static const clsp_share defaults = {0};
    clspi_shared_call call = {.job = job, .opts = &defaults, .begin_ms = clspi_now_ms()};
    clsp_status status;

    CLSPI_CHECK(clspi_device_set_of(ctx, &call.set));
    if (job->num_tiles == 0)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "tuning: the job has no tiles");
    pthread_mutex_lock(&call.set->lock);
    call.run = call.set->run;
    status = tune(&call, report);
    pthread_mutex_unlock(&call.set->lock);
    return status;
}
