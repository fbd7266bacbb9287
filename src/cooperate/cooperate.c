/* A shared call: a job runs by the schedule that was asked for or chosen, or by the next one that
   can run it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "schedule.h"
#include "shared_memory.h"
#include "tile_queue.h"

/* ---- the call ---- */

void clspi_shared_call_workers(clspi_shared_call *call)
{
    const uint32_t wanted = call->opts->num_workers;
    const uint32_t shared = clspi_device_set_workers(call->set);
    const uint32_t alone = clspi_device_set_workers_alone(call->set);

    call->workers = shared;
    call->workers_alone = alone;
    if (wanted == 0) return;
    const uint32_t most = wanted == CLSP_NO_WORKERS ? 0 : wanted;
    const uint32_t all = (uint32_t)clspi_max(shared, alone);
    call->workers = call->workers_alone = (uint32_t)clspi_min(most, all);
}

char *clspi_shared_call_speeds_path(const clspi_shared_call *call, bool *named)
{
    return clspi_speeds_path(call->set->speeds_file, call->set->ctx->cache_dir, named);
}

/* Starts a speed from the file's line of its owner, where there is one. */
static void seed(clspi_shared_call *call, clspi_speed *speed, const char *owner)
{
    const clspi_speed_line *const line =
        clspi_speeds_find(&call->set->speeds, owner, call->job->key);

    if (!line) return;
    speed->tile_ms = (double)line->slope_ps * 1e-12 * (double)call->job->tile_size;
    speed->fixed_ms = (double)line->fixed_ps * 1e-9;
    speed->samples = 3; /* what tuning measured counts from the start */
}

/* Reads the file of speeds, once; owners: of all processors, the host's the last. */
static void read_speeds(clspi_shared_call *call, const char *const *owners)
{
    clspi_device_set *const set = call->set;
    bool named;

    if (set->speeds.read) return;
    char *const path = clspi_shared_call_speeds_path(call, &named);
    clspi_speeds_read(&set->speeds, path, named, owners, set->num_devices + 1, &set->ctx->log);
    free(path);
}

void clspi_shared_call_speeds(clspi_shared_call *call)
{
    clspi_device_set *const set = call->set;
    char owners[CLSP_MAX_PROCESSORS][CLSPI_OWNER_MAX];
    const char *list[CLSP_MAX_PROCESSORS];
    const uint32_t host = set->num_devices;

    for (uint32_t d = 0; d < host; d++)
        clspi_speeds_owner(owners[d], &set->contexts[d]->device);
    clspi_speeds_host(owners[host], call->workers_alone + 1);
    for (uint32_t p = 0; p <= host; p++)
        list[p] = owners[p];
    read_speeds(call, list);
    call->record = clspi_speeds_record(&set->speeds, call->job->key, call->job->tile_size,
                                       call->workers, clspi_shared_owns(set, call->job->out));
    if (!call->record || call->record->seeded) return;
    call->record->seeded = true;
    for (uint32_t d = 0; d < host; d++)
        seed(call, &call->record->devices[d], list[d]);
    seed(call, &call->record->schedules[CLSP_SCHEDULE_HOST], list[host]);
}

/* ---- which schedules can run ---- */

/* Notes why a schedule cannot run; NULL: it can. */
static void refuse(clspi_shared_call *call, clsp_schedule schedule, const char *why)
{
    call->usable[schedule] = !why;
    snprintf(call->reasons[schedule], CLSPI_REASON_MAX, "%s", why ? why : "");
}

/* Tells why the host can make no tiles of the job; NULL: it can. */
static const char *why_no_host(const clspi_shared_call *call)
{
    const clspi_job *const job = call->job;

    if (call->opts->bit_equal && call->set->ctx->queue) return "the host's bits may be others";
    if (job->host) return NULL;
    return job->why_no_host ? job->why_no_host : "the host cannot make the job's tiles";
}

/* Tells why processors cannot share the job; NULL: they can. */
static const char *why_not_shared(const clspi_shared_call *call)
{
    uint32_t devices = 0;
    const char *const why = why_no_host(call);

    for (uint32_t d = 0; d < call->run->num_devices; d++)
        devices += clspi_run_alive(call->run, d);
    if (devices == 0) return "no device is left";
    if (devices > 1) return NULL;
    if (why) return why;
    return call->workers == 0 ? "the host has no workers" : NULL;
}

/* Tells why the svm schedule cannot run; "" where it need not be asked. */
static const char *why_no_svm(clspi_shared_call *call)
{
    const clsp_schedule asked = call->opts->schedule;

    if (asked > CLSP_SCHEDULE_SVM) return "";
    if (call->opts->bit_equal) return "the host takes tiles from its queue";
    if (asked == CLSP_SCHEDULE_DEFAULT && !clspi_device_set_has_spare_cores(call->set))
        return "the devices work on all of the host's cores";
    return clspi_tile_queue_refusal(call->set, call->job, call->persistent);
}

/* Finds out which schedules can run, and begins the run. The self-test of svm uses the set's run,
   so that the job's own begins behind it. */
static void ask_schedules(clspi_shared_call *call)
{
    clspi_run *const run = call->run;

    refuse(call, CLSP_SCHEDULE_SVM, why_no_svm(call));
    clspi_run_begin(run, call->set, call->job, call->opts->bit_equal != 0);
    refuse(call, CLSP_SCHEDULE_DYNAMIC, why_not_shared(call));
    refuse(call, CLSP_SCHEDULE_STATIC, why_not_shared(call));
    refuse(call, CLSP_SCHEDULE_DEVICE, clspi_run_alive(run, 0) ? NULL : "the device is lost");
    refuse(call, CLSP_SCHEDULE_HOST, why_no_host(call));
}

/* Finds the schedule that was asked for, or the first that can run below it; else the first one
   above. */
static clsp_schedule first_usable(clspi_shared_call *call)
{
    const clsp_schedule asked = call->opts->schedule;
    clsp_schedule found = CLSP_SCHEDULE_DEFAULT;

    for (int s = (int)asked; s <= CLSP_SCHEDULE_HOST && found == CLSP_SCHEDULE_DEFAULT; s++)
        if (call->usable[s]) found = (clsp_schedule)s;
    for (int s = (int)asked - 1; s >= CLSP_SCHEDULE_DYNAMIC && found == CLSP_SCHEDULE_DEFAULT; s--)
        if (call->usable[s]) found = (clsp_schedule)s;
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        if (s != (int)found && (call->usable[s] || !call->reasons[s][0]))
            snprintf(call->reasons[s], CLSPI_REASON_MAX, "%s was asked for",
                     clsp_schedule_name(asked));
    return found;
}

/* ---- one processor ---- */

/* Gives the tiles that no probe has made. */
static clsp_range rest_of(const clspi_shared_call *call)
{
    return (clsp_range){call->first, call->job->num_tiles - call->first};
}

/* Gives a participant tiles of its own, which no other one takes. */
static void give_tiles(clspi_shared_call *call, uint32_t processor, clsp_range tiles)
{
    clspi_run *const run = call->run;
    clspi_participant *const participant = &run->participants[processor];

    clspi_tile_range_init(&run->tile_ranges[processor], tiles);
    participant->tile_range = &run->tile_ranges[processor];
    participant->guided = false;
    if (processor != run->host)
        participant->chunk_tiles =
            clspi_chunk_tiles(call->job, &call->set->contexts[processor]->device, tiles.count);
}

void clspi_shared_call_alone(clspi_shared_call *call, uint32_t processor, size_t count)
{
    const clsp_range tiles = {call->first, count};

    clspi_run_clear(call->run);
    give_tiles(call, processor, tiles);
}

/* Lets one processor make all tiles that are left. */
static void run_alone(clspi_shared_call *call, uint32_t processor)
{
    clspi_shared_call_alone(call, processor, rest_of(call).count);
    clspi_run_round(call->run, processor == call->run->host ? call->workers_alone : 0);
}

/* ---- the dynamic schedule ---- */

/* Sets what is known of the speeds before the first chunk, so that it is no guess: tiles a second.
 */
static void expect_rates(clspi_shared_call *call)
{
    clspi_run *const run = call->run;
    const clspi_record *const record = call->record;
    const clspi_speed *const alone = record ? &record->schedules[CLSP_SCHEDULE_HOST] : NULL;

    for (uint32_t d = 0; record && d < run->num_devices; d++)
        if (record->devices[d].tile_ms > 0)
            atomic_store(&run->participants[d].rate, (uint64_t)(1e3 / record->devices[d].tile_ms));
    clspi_run_even_rates(run);
    if (alone && alone->tile_ms > 0)
        atomic_store(
            &run->participants[run->host].rate,
            (uint64_t)(1e3 * call->workers / (call->workers_alone + 1.0) / alone->tile_ms));
}

/* Lets all participants take tiles from one range, devices in guided chunks. */
static void run_dynamic(clspi_shared_call *call)
{
    clspi_run *const run = call->run;

    clspi_run_clear(run);
    clspi_tile_range_init(&run->tile_ranges[0], rest_of(call));
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        if (!clspi_run_alive(run, p)) continue;
        if (p == run->host && call->workers == 0) continue;
        run->participants[p].tile_range = &run->tile_ranges[0];
        run->participants[p].guided = true;
    }
    expect_rates(call);
    clspi_run_round(run, call->workers);
}

/* ---- the static schedule ---- */

/* Makes a few tiles by one processor: they count as work, and tell its speed in tiles a ms. */
static double probe(clspi_shared_call *call, uint32_t processor, double threads)
{
    clspi_run *const run = call->run;
    clspi_participant *const participant = &run->participants[processor];
    const size_t count = clspi_min(3, rest_of(call).count / 4);
    double ms;

    if (count == 0) return 0;
    clspi_shared_call_alone(call, processor, count);
    participant->chunk_tiles = 1;
    const double begin = clspi_now_ms(), busy = participant->busy_ms;
    clspi_run_round(run, 0);
    call->probe_ms += clspi_now_ms() - begin;
    call->first += count;
    if (!clspi_run_alive(run, processor)) return 0;
    if (processor != run->host) return (double)atomic_load(&participant->rate) * 1e-3;
    ms = participant->busy_ms - busy;
    return ms > 0 ? (double)count / ms * threads : 0;
}

/* Gives the tiles a ms of a processor that shares: stored, or measured now. */
static double shared_rate(clspi_shared_call *call, uint32_t processor)
{
    const bool is_host = processor == call->run->host;
    const double threads = call->workers_alone + 1.0;
    const clspi_speed *speed = NULL;

    if (!clspi_run_alive(call->run, processor) || (is_host && call->workers == 0)) return 0;
    if (call->record)
        speed = is_host ? &call->record->schedules[CLSP_SCHEDULE_HOST]
                        : &call->record->devices[processor];
    if (speed && speed->tile_ms > 0)
        return (is_host ? call->workers / threads : 1) / speed->tile_ms;
    return probe(call, processor, call->workers);
}

/* Divides the tiles. parts: of them, by processor; they add up to 1. */
static void static_parts(clspi_shared_call *call, double parts[])
{
    const uint32_t host = call->run->host;
    const double ratio = call->opts->static_ratio;
    double sum = 0;

    for (uint32_t p = 0; p <= host; p++) {
        const bool given = ratio != 0 && (p == host || call->run->num_devices == 1);
        parts[p] = given ? 0 : shared_rate(call, p);
        sum += parts[p];
    }
    if (ratio == 0) {
        for (uint32_t p = 0; p <= host; p++)
            parts[p] = sum > 0 ? parts[p] / sum : p == 0;
        return;
    }
    const double of_host = clspi_run_alive(call->run, host) ? fmax(ratio, 0) : 0;
    for (uint32_t p = 0; p < host; p++)
        parts[p] = (1 - of_host) * (sum > 0 ? parts[p] / sum : p == 0);
    parts[host] = of_host;
}

/* Gives each processor its part in one range; the host's tiles come first. */
static void run_static(clspi_shared_call *call)
{
    clspi_run *const run = call->run;
    double parts[CLSP_MAX_PROCESSORS], before = 0;

    static_parts(call, parts);
    const clsp_range rest = rest_of(call);
    const size_t end = rest.first + rest.count;
    size_t first = rest.first;
    clspi_run_clear(run);
    for (uint32_t i = 0; i <= run->num_devices; i++) {
        const uint32_t p = i == 0 ? run->host : i - 1;
        before += parts[p];
        const size_t next = i == run->num_devices
                                ? end
                                : rest.first + (size_t)(fmin(before, 1) * (double)rest.count + 0.5);
        const clsp_range tiles = {first, next - first};
        first = next;
        if (tiles.count > 0) give_tiles(call, p, tiles);
    }
    clspi_run_round(run, call->workers);
}

/* ---- the svm schedule ---- */

/* Leaves to the host the last units of the queue, as many as it makes in the time that the device
   takes for one, as far as speeds are known: whoever takes a unit is waited for. A device that
   would make one later than the host makes all is left out. */
static void leave_to_host(clspi_shared_call *call)
{
    const clspi_record *const record = call->record;
    const double alone = record ? record->schedules[CLSP_SCHEDULE_HOST].tile_ms : 0;
    const double threads = call->workers / (call->workers_alone + 1.0);
    const size_t units = clspi_div_up(call->job->num_tiles, clspi_max(1, call->job->unit_tiles));

    call->run->left_to_host = 0;
    if (!clspi_run_alive(call->run, call->run->host) || call->workers == 0) return;
    for (uint32_t d = 0; alone > 0 && d < call->run->num_devices; d++) {
        const double left = record->devices[d].tile_ms * threads / alone;
        if (left > (double)units)
            call->persistent[d] = false;
        else if (call->run->num_devices == 1)
            call->run->left_to_host = (size_t)left;
    }
}

/* Lets host and devices take units from a queue. There is nothing to dispatch: the calling thread
   is one of those that share. */
static void run_svm(clspi_shared_call *call)
{
    leave_to_host(call);
    clspi_tile_queue_round(call->run, call->persistent, call->workers > 0 ? call->workers - 1 : 0);
}

/* ---- running ---- */

/* Measures the host where its speed is not known because the device works on all cores: a tile or
   three tell. */
static void probe_host(clspi_shared_call *call)
{
    clspi_speed *const alone = call->record ? &call->record->schedules[CLSP_SCHEDULE_HOST] : NULL;
    const double threads = call->workers_alone + 1.0;
    double rate;

    if (!alone || alone->tile_ms > 0 || !call->usable[CLSP_SCHEDULE_HOST]) return;
    rate = probe(call, call->run->host, threads);
    if (rate > 0) alone->tile_ms = 1 / rate;
}

/* Runs the first round of a schedule; false when there is none. */
static bool run_first_round(clspi_shared_call *call, clsp_schedule schedule)
{
    switch (schedule) {
    case CLSP_SCHEDULE_SVM:
        run_svm(call);
        return true;
    case CLSP_SCHEDULE_DYNAMIC:
        run_dynamic(call);
        return true;
    case CLSP_SCHEDULE_STATIC:
        run_static(call);
        return true;
    case CLSP_SCHEDULE_DEVICE:
        run_alone(call, 0);
        return true;
    case CLSP_SCHEDULE_HOST:
        run_alone(call, call->run->host);
        return true;
    default:
        return false;
    }
}

/* Runs the job by a schedule, and learns from it. */
static clsp_status run_schedule(clspi_shared_call *call, clsp_schedule schedule)
{
    const bool alone = schedule == CLSP_SCHEDULE_DEVICE || schedule == CLSP_SCHEDULE_HOST;

    if (schedule == CLSP_SCHEDULE_DEVICE && call->opts->schedule == CLSP_SCHEDULE_DEFAULT)
        probe_host(call);
    const double begin = clspi_now_ms(), probed = call->probe_ms;
    if (!run_first_round(call, schedule)) return CLSP_ERROR_DEVICE_LOST;
    CLSPI_CHECK(clspi_run_finish(call->run, alone ? call->workers_alone : call->workers));
    clspi_learn(call, schedule, clspi_now_ms() - begin - (call->probe_ms - probed));
    return CLSP_OK;
}

/* ---- the report ---- */

/* Gives the time that building programs of all devices has taken. */
static double built_ms(const clspi_device_set *set)
{
    double ms = 0;

    for (uint32_t d = 0; d < set->num_devices; d++)
        ms += clspi_programs_ms(set->contexts[d]);
    return ms;
}

static void report_processor(const clspi_shared_call *call, uint32_t processor,
                             clsp_processor_report *out)
{
    const clspi_run *const run = call->run;
    const clspi_participant *const participant = &run->participants[processor];
    const bool is_host = processor == run->host;

    snprintf(out->name, sizeof out->name, "%s",
             is_host ? "host" : call->set->contexts[processor]->device.name);
    out->workers = is_host ? run->most_workers : 1;
    out->tiles = atomic_load(&participant->tiles);
    out->chunks = atomic_load(&participant->chunks);
    out->busy_ms = participant->busy_ms;
    out->move_ms = participant->move_ms;
    out->status = atomic_load(&participant->status);
}

void clspi_shared_call_report(const clspi_shared_call *call, clsp_schedule schedule,
                              clsp_report *report)
{
    const clspi_run *const run = call->run;

    memset(report, 0, sizeof *report);
    report->schedule = schedule;
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        if (s != (int)schedule)
            snprintf(report->reason[s], sizeof report->reason[s], "%s", call->reasons[s]);
    report->num_tiles = call->job->num_tiles;
    report->num_processors = run->num_devices + 1;
    for (uint32_t p = 0; p <= run->num_devices; p++)
        report_processor(call, p, &report->processors[p]);
    report->probe_ms = call->probe_ms;
    report->prepare_ms = run->first_ms > call->begin_ms ? run->first_ms - call->begin_ms : 0;
    report->build_ms = built_ms(call->set) - call->built_ms;
    report->wall_ms = clspi_now_ms() - call->begin_ms;
}

/* ---- all ---- */

/* Runs a call, with the lock of jobs held. */
static clsp_status run_call(clspi_shared_call *call, clsp_report *report)
{
    clsp_status status = CLSP_OK;
    clsp_schedule schedule;

    clspi_shared_call_workers(call);
    clspi_shared_call_speeds(call);
    ask_schedules(call);
    schedule =
        call->opts->schedule == CLSP_SCHEDULE_DEFAULT ? clspi_choose(call) : first_usable(call);
    if (call->job->num_tiles > 0) status = run_schedule(call, schedule);
    if (report) clspi_shared_call_report(call, schedule, report);
    if (status != CLSP_OK)
        clspi_fail(&call->set->ctx->log, status, "cooperate: no processor is left: %s",
                   clsp_status_str(status));
    return status;
}

clsp_status clspi_cooperate_check(clsp_context *ctx, const clsp_share *opts)
{
    if (!opts) return CLSP_OK;
    if (!clsp_schedule_name(opts->schedule))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "cooperate: schedule %d",
                          (int)opts->schedule);
    if (!(opts->static_ratio <= 1))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "cooperate: static_ratio %g",
                          opts->static_ratio);
    if (opts->bit_equal > 1)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "cooperate: bit_equal %u",
                          opts->bit_equal);
    if (opts->measure > 0 &&
        (opts->measure > 1 || opts->schedule != CLSP_SCHEDULE_DEFAULT || opts->tiles.count > 0))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "cooperate: speeds are measured by schedule auto on all tiles");
    return clspi_reserved_check(&ctx->log, "clsp_share", opts->reserved);
}

clsp_status clspi_cooperate(clsp_context *ctx, const clspi_job *job, const clsp_share *opts,
                            clsp_report *report)
{
    static const clsp_share defaults = {0};
    clspi_shared_call call = {
        .job = job, .opts = opts ? opts : &defaults, .begin_ms = clspi_now_ms()};
    clsp_status status;

    CLSPI_CHECK(clspi_cooperate_check(ctx, opts));
    CLSPI_CHECK(clspi_device_set_of(ctx, &call.set));
    pthread_mutex_lock(&call.set->lock);
    call.run = call.set->run;
    call.built_ms = built_ms(call.set);
    status = run_call(&call, report);
    pthread_mutex_unlock(&call.set->lock);
    return status;
}
