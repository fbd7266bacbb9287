/* The ladder: a job goes to the rung that was asked for or chosen, or to the next one that can run
   it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ladder.h"
#include "pops.h"
#include "shared_memory.h"

const char *clsp_rung_name(clsp_rung rung)
{
    static const char *const names[] = {"auto", "svm", "chunk", "static", "device", "host"};

    return (unsigned)rung < CLSPI_COUNT(names) ? names[rung] : NULL;
}

/* ---- the call ---- */

void clspi_call_workers(clspi_call *call)
{
    const uint32_t wanted = call->opts->num_workers;
    const uint32_t shared = clspi_team_workers(call->team);
    const uint32_t alone = clspi_team_workers_alone(call->team);

    call->workers = shared;
    call->workers_alone = alone;
    if (wanted == 0) return;
    const uint32_t most = wanted == CLSP_NO_WORKERS ? 0 : wanted;
    const uint32_t all = (uint32_t)clspi_max(shared, alone);
    call->workers = call->workers_alone = (uint32_t)clspi_min(most, all);
}

char *clspi_call_speeds_path(const clspi_call *call, bool *named)
{
    return clspi_speeds_path(call->team->speeds_file, call->team->ctx->cache_dir, named);
}

static void seed(clspi_call *call, clspi_speed *speed, const char *owner)
{
    const clspi_speed_line *const line =
        clspi_speeds_find(&call->team->speeds, owner, call->job->key);

    if (!line) return;
    speed->tile_ms = (double)line->slope_ps * 1e-12 * (double)call->job->tile_size;
    speed->fixed_ms = (double)line->fixed_ps * 1e-9;
    speed->samples = 3; /* what tuning measured counts from the start */
}

void clspi_call_speeds(clspi_call *call)
{
    clspi_team *const team = call->team;
    char owners[CLSP_MAX_PROCESSORS][CLSPI_OWNER_MAX];
    const char *list[CLSP_MAX_PROCESSORS];
    const uint32_t host = team->num_devices;

    for (uint32_t d = 0; d < host; d++)
        clspi_speeds_owner(owners[d], &team->contexts[d]->device);
    clspi_speeds_host(owners[host], call->workers_alone + 1);
    for (uint32_t p = 0; p <= host; p++)
        list[p] = owners[p];
    if (!team->speeds.read) {
        bool named;
        char *const path = clspi_call_speeds_path(call, &named);
        clspi_speeds_read(&team->speeds, path, named, list, host + 1, &team->ctx->log);
        free(path);
    }
    call->record = clspi_speeds_record(&team->speeds, call->job->key, call->job->tile_size,
                                       call->workers, clspi_shared_owns(team, call->job->out));
    if (!call->record || call->record->seeded) return;
    call->record->seeded = true;
    for (uint32_t d = 0; d < host; d++)
        seed(call, &call->record->devices[d], list[d]);
    seed(call, &call->record->rungs[CLSP_RUNG_HOST], list[host]);
}

/* ---- which rungs can run ---- */

static void refuse(clspi_call *call, clsp_rung rung, const char *why)
{
    call->usable[rung] = !why;
    snprintf(call->reasons[rung], CLSPI_REASON_MAX, "%s", why ? why : "");
}

static const char *why_no_host(const clspi_call *call)
{
    const clspi_job *const job = call->job;

    if (call->opts->bit_equal) return "the host's bits may be others";
    if (job->host) return NULL;
    return job->why_no_host ? job->why_no_host : "the host cannot make the job's tiles";
}

/* Of rungs on which processors share a job. */
static const char *why_not_shared(const clspi_call *call)
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

static const char *why_no_svm(clspi_call *call)
{
    const clsp_rung asked = call->opts->rung;

    if (asked > CLSP_RUNG_SVM) return "";
    if (call->opts->bit_equal) return "its kernel's bits may be others";
    if (asked == CLSP_RUNG_AUTO && !clspi_team_has_spare_cores(call->team))
        return "the devices work on all of the host's cores";
    return clspi_pops_refuse(call->team, call->job, call->takes);
}

/* The self-test of svm uses the team's run, so that the job's own begins behind it. */
static void ask_rungs(clspi_call *call)
{
    clspi_run *const run = call->run;

    refuse(call, CLSP_RUNG_SVM, why_no_svm(call));
    clspi_run_begin(run, call->team, call->job, call->opts->bit_equal != 0);
    refuse(call, CLSP_RUNG_CHUNK, why_not_shared(call));
    refuse(call, CLSP_RUNG_STATIC, why_not_shared(call));
    refuse(call, CLSP_RUNG_DEVICE, clspi_run_alive(run, 0) ? NULL : "the device is lost");
    refuse(call, CLSP_RUNG_HOST, why_no_host(call));
}

/* The rung that was asked for, or the first that can run below it; else the first one above. */
static clsp_rung first_usable(clspi_call *call)
{
    const clsp_rung asked = call->opts->rung;
    clsp_rung found = CLSP_RUNG_AUTO;

    for (int r = (int)asked; r <= CLSP_RUNG_HOST && found == CLSP_RUNG_AUTO; r++)
        if (call->usable[r]) found = (clsp_rung)r;
    for (int r = (int)asked - 1; r >= CLSP_RUNG_CHUNK && found == CLSP_RUNG_AUTO; r--)
        if (call->usable[r]) found = (clsp_rung)r;
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        if (r != (int)found && (call->usable[r] || !call->reasons[r][0]))
            snprintf(call->reasons[r], CLSPI_REASON_MAX, "%s was asked for", clsp_rung_name(asked));
    return found;
}

/* ---- the rungs ---- */

static clspi_range rest_of(const clspi_call *call)
{
    const clspi_range rest = {call->first, call->job->num_tiles - call->first};

    return rest;
}

void clspi_call_alone(clspi_call *call, uint32_t processor, size_t count)
{
    clspi_run *const run = call->run;
    clspi_part *const part = &run->parts[processor];
    const clspi_range range = {call->first, count};

    clspi_run_clear(run);
    clspi_span_init(&run->spans[processor], range);
    part->span = &run->spans[processor];
    part->guided = false;
    if (processor != run->host)
        part->piece = clspi_feed_piece(call->job, &call->team->contexts[processor]->device, count);
}

static void run_alone(clspi_call *call, uint32_t processor)
{
    clspi_call_alone(call, processor, rest_of(call).count);
    clspi_run_round(call->run, processor == call->run->host ? call->workers_alone : 0);
}

/* What is known before the first chunk, so that it is no guess: tiles a second. */
static void expect_rates(clspi_call *call)
{
    clspi_run *const run = call->run;
    const clspi_record *const record = call->record;
    const clspi_speed *const alone = record ? &record->rungs[CLSP_RUNG_HOST] : NULL;

    for (uint32_t d = 0; record && d < run->num_devices; d++)
        if (record->devices[d].tile_ms > 0)
            atomic_store(&run->parts[d].rate, (uint64_t)(1e3 / record->devices[d].tile_ms));
    if (alone && alone->tile_ms > 0)
        atomic_store(
            &run->parts[run->host].rate,
            (uint64_t)(1e3 * call->workers / (call->workers_alone + 1.0) / alone->tile_ms));
}

static void run_chunks(clspi_call *call)
{
    clspi_run *const run = call->run;

    clspi_run_clear(run);
    clspi_span_init(&run->spans[0], rest_of(call));
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        if (!clspi_run_alive(run, p)) continue;
        if (p == run->host && call->workers == 0) continue;
        run->parts[p].span = &run->spans[0];
        run->parts[p].guided = true;
    }
    expect_rates(call);
    clspi_run_round(run, call->workers);
}

/* ---- the static rung ---- */

/* Makes a few tiles by one processor: they count as work, and tell its speed in tiles a ms. */
static double probe(clspi_call *call, uint32_t processor, double threads)
{
    clspi_run *const run = call->run;
    clspi_part *const part = &run->parts[processor];
    const size_t count = clspi_min(3, rest_of(call).count / 4);
    double ms;

    if (count == 0) return 0;
    clspi_call_alone(call, processor, count);
    part->piece = 1;
    const double begin = clspi_now_ms(), busy = part->busy_ms;
    clspi_run_round(run, 0);
    call->probe_ms += clspi_now_ms() - begin;
    call->first += count;
    if (!clspi_run_alive(run, processor)) return 0;
    if (processor != run->host) return (double)atomic_load(&part->rate) * 1e-3;
    ms = part->busy_ms - busy;
    return ms > 0 ? (double)count / ms * threads : 0;
}

/* Tiles a ms of a processor that shares: stored, or measured now. */
static double shared_rate(clspi_call *call, uint32_t processor)
{
    const bool is_host = processor == call->run->host;
    const double threads = call->workers_alone + 1.0;
    const clspi_speed *speed = NULL;

    if (!clspi_run_alive(call->run, processor) || (is_host && call->workers == 0)) return 0;
    if (call->record)
        speed = is_host ? &call->record->rungs[CLSP_RUNG_HOST] : &call->record->devices[processor];
    if (speed && speed->tile_ms > 0)
        return (is_host ? call->workers / threads : 1) / speed->tile_ms;
    return probe(call, processor, call->workers);
}

/* parts: of the tiles, by processor; they add up to 1. */
static void static_parts(clspi_call *call, double parts[])
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

/* The host's tiles come first. */
static void run_static(clspi_call *call)
{
    clspi_run *const run = call->run;
    double parts[CLSP_MAX_PROCESSORS], before = 0;

    static_parts(call, parts);
    const clspi_range rest = rest_of(call);
    size_t first = rest.first;
    clspi_run_clear(run);
    for (uint32_t i = 0; i <= run->num_devices; i++) {
        const uint32_t p = i == 0 ? run->host : i - 1;
        clspi_part *const part = &run->parts[p];
        before += parts[p];
        const size_t end = i == run->num_devices
                               ? rest.first + rest.count
                               : rest.first + (size_t)(fmin(before, 1) * (double)rest.count + 0.5);
        const clspi_range range = {first, end - first};
        first = end;
        if (range.count == 0) continue;
        clspi_span_init(&run->spans[p], range);
        part->span = &run->spans[p];
        part->guided = false;
        if (p != run->host)
            part->piece =
                clspi_feed_piece(call->job, &call->team->contexts[p]->device, range.count);
    }
    clspi_run_round(run, call->workers);
}

/* ---- running ---- */

/* The host's speed is not known where the device works on all cores: a tile or three tell. */
static void probe_host(clspi_call *call)
{
    clspi_speed *const alone = call->record ? &call->record->rungs[CLSP_RUNG_HOST] : NULL;
    const double threads = call->workers_alone + 1.0;
    double rate;

    if (!alone || alone->tile_ms > 0 || !call->usable[CLSP_RUNG_HOST]) return;
    rate = probe(call, call->run->host, threads);
    if (rate > 0) alone->tile_ms = 1 / rate;
}

static clsp_status run_rung(clspi_call *call, clsp_rung rung)
{
    clspi_run *const run = call->run;
    const bool alone = rung == CLSP_RUNG_DEVICE || rung == CLSP_RUNG_HOST;
    clsp_status status;

    if (rung == CLSP_RUNG_DEVICE && call->opts->rung == CLSP_RUNG_AUTO) probe_host(call);
    const double begin = clspi_now_ms(), probed = call->probe_ms;
    switch (rung) {
    case CLSP_RUNG_SVM:
        /* there is nothing to feed: the calling thread is one of those that share */
        clspi_pops_round(run, call->takes, call->workers > 0 ? call->workers - 1 : 0);
        break;
    case CLSP_RUNG_CHUNK:
        run_chunks(call);
        break;
    case CLSP_RUNG_STATIC:
        run_static(call);
        break;
    case CLSP_RUNG_DEVICE:
        run_alone(call, 0);
        break;
    case CLSP_RUNG_HOST:
        run_alone(call, run->host);
        break;
    default:
        return CLSP_ERROR_DEVICE_LOST;
    }
    status = clspi_run_finish(run, alone ? call->workers_alone : call->workers);
    if (status == CLSP_OK)
        clspi_learn(call, rung, clspi_now_ms() - begin - (call->probe_ms - probed));
    return status;
}

void clspi_call_report(const clspi_call *call, clsp_rung rung, clsp_cooperate_report *report)
{
    const clspi_run *const run = call->run;

    memset(report, 0, sizeof *report);
    report->rung = rung;
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        if (r != (int)rung)
            snprintf(report->reason[r], sizeof report->reason[r], "%s", call->reasons[r]);
    report->num_tiles = call->job->num_tiles;
    report->num_processors = run->num_devices + 1;
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        clsp_processor_report *const out = &report->processors[p];
        const clspi_part *const part = &run->parts[p];
        snprintf(out->name, sizeof out->name, "%s",
                 p == run->host ? "host" : call->team->contexts[p]->device.name);
        out->workers = p == run->host ? run->most_workers : 1;
        out->tiles = atomic_load(&part->tiles);
        out->chunks = atomic_load(&part->chunks);
        out->busy_ms = part->busy_ms;
        out->move_ms = part->move_ms;
        out->status = atomic_load(&part->status);
    }
    report->probe_ms = call->probe_ms;
    report->prepare_ms = run->first_ms > call->begin_ms ? run->first_ms - call->begin_ms : 0;
    report->wall_ms = clspi_now_ms() - call->begin_ms;
}

static clsp_status run_call(clspi_call *call, clsp_cooperate_report *report)
{
    clsp_status status = CLSP_OK;
    clsp_rung rung;

    clspi_call_workers(call);
    clspi_call_speeds(call);
    ask_rungs(call);
    rung = call->opts->rung == CLSP_RUNG_AUTO ? clspi_choose(call) : first_usable(call);
    if (call->job->num_tiles > 0) status = run_rung(call, rung);
    if (report) clspi_call_report(call, rung, report);
    if (status != CLSP_OK)
        clspi_fail(&call->team->ctx->log, status, "cooperate: no processor is left: %s",
                   clsp_status_str(status));
    return status;
}

clsp_status clspi_cooperate_check(clsp_context *ctx, const clsp_cooperate_opts *opts)
{
    if (!opts) return CLSP_OK;
    if (!clsp_rung_name(opts->rung))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "cooperate: rung %d", (int)opts->rung);
    if (!(opts->static_ratio <= 1))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "cooperate: static_ratio %g",
                          opts->static_ratio);
    return CLSP_OK;
}

clsp_status clspi_cooperate(clsp_context *ctx, const clspi_job *job,
                            const clsp_cooperate_opts *opts, clsp_cooperate_report *report)
{
    static const clsp_cooperate_opts defaults = {0};
    clspi_call call = {.job = job, .opts = opts ? opts : &defaults, .begin_ms = clspi_now_ms()};
    clsp_status status;

    CLSPI_TRY(clspi_cooperate_check(ctx, opts));
    CLSPI_TRY(clspi_team_of(ctx, &call.team));
    pthread_mutex_lock(&call.team->lock);
    call.run = call.team->run;
    status = run_call(&call, report);
    pthread_mutex_unlock(&call.team->lock);

fail:
    return status;
}
