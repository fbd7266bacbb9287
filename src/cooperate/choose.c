/* Which rung a job takes: that which should end first by what earlier calls of its key took. What
   was not measured is guessed from the speeds of single processors, and tried when the guess is
   near the best. */
#include <stdio.h>

#include "check.h"
#include "ladder.h"

enum {
    TRIALS = 2,      /* before a time counts: the first call may have compiled */
    RETRY_CALLS = 64 /* what was not far from the best is measured again now and then */
};

#define NEAR       1.5  /* times the best guess: worth a trial */
#define NEAR_AGAIN 1.2  /* worth another one */
#define WORTH      0.95 /* a shared rung that was never tried must promise so much */
#define LAZY       1.03 /* no change for less than this */
#define UNKNOWN_MS                                                                                 \
    50.0 /* what takes longer is not risked on a processor of which nothing is known */

static clspi_speed *speed_of(clspi_record *record, clsp_rung rung)
{
    return rung == CLSP_RUNG_DEVICE ? &record->devices[0] : &record->rungs[rung];
}

static double fixed_of(const clspi_call *call, clsp_rung rung)
{
    const double launch = clspi_launch_ms(&call->team->ctx->device);

    if (rung == CLSP_RUNG_HOST) return call->workers_alone > 0 ? CLSPI_WAKE_MS : 0;
    if (rung == CLSP_RUNG_DEVICE) return launch;
    return CLSPI_WAKE_MS + 4 * launch;
}

/* All processors together, each at its own speed. 0: too little is known. */
static double guess_shared(const clspi_call *call, size_t tiles)
{
    const clspi_record *const record = call->record;
    const double alone = record->rungs[CLSP_RUNG_HOST].tile_ms;
    double rate = 0;

    if (!(record->devices[0].tile_ms > 0)) return 0;
    for (uint32_t d = 0; d < call->team->num_devices; d++)
        if (record->devices[d].tile_ms > 0 && clspi_run_alive(call->run, d))
            rate += 1 / record->devices[d].tile_ms;
    if (alone > 0 && clspi_run_alive(call->run, call->run->host) &&
        clspi_team_has_spare_cores(call->team))
        rate += call->workers / (call->workers_alone + 1.0) / alone;
    return fixed_of(call, CLSP_RUNG_CHUNK) + (double)tiles / rate;
}

static bool is_shared(clsp_rung rung)
{
    return rung == CLSP_RUNG_SVM || rung == CLSP_RUNG_CHUNK;
}

static double guess(const clspi_call *call, clsp_rung rung, size_t tiles)
{
    const clspi_speed *const speed = speed_of(call->record, rung);

    if (is_shared(rung) && speed->samples < TRIALS) return guess_shared(call, tiles);
    return clspi_speed_predict(speed, tiles);
}

static double best_of(const clspi_call *call, const double ms[], bool single)
{
    double best = 0;

    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        if (call->usable[r] && ms[r] > 0 && (!single || !is_shared((clsp_rung)r)) &&
            (best <= 0 || ms[r] < best))
            best = ms[r];
    return best;
}

/* Whether a rung's own time has to be learned still, and is worth it. */
static bool is_trial(const clspi_call *call, clsp_rung rung, const double ms[], double best,
                     double best_single)
{
    const clspi_speed *const speed = speed_of(call->record, rung);

    if (speed->samples >= (rung == CLSP_RUNG_HOST ? 1 : TRIALS)) return false;
    if (is_shared(rung)) return ms[rung] > 0 && ms[rung] < WORTH * best_single;
    return ms[rung] > 0 ? ms[rung] < NEAR * best || speed->samples == 1 : best < UNKNOWN_MS;
}

static clsp_rung pick(const clspi_call *call, const double ms[])
{
    const double best = best_of(call, ms, false), best_single = best_of(call, ms, true);
    const clspi_record *const record = call->record;
    clsp_rung first = CLSP_RUNG_AUTO;

    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        if (call->usable[r] && is_trial(call, (clsp_rung)r, ms, best, best_single))
            return (clsp_rung)r;
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        if (call->usable[r] && ms[r] > 0 && ms[r] < NEAR_AGAIN * best &&
            speed_of(call->record, (clsp_rung)r)->age >= RETRY_CALLS)
            return (clsp_rung)r;
    if (call->usable[record->last] && ms[record->last] > 0 && ms[record->last] <= LAZY * best)
        return record->last;
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST && first == CLSP_RUNG_AUTO; r++)
        if (call->usable[r] && ms[r] > 0 && ms[r] <= best) first = (clsp_rung)r;
    return first;
}

/* Nothing is known: shared chunks measure everybody. */
static clsp_rung pick_first(const clspi_call *call)
{
    static const clsp_rung order[] = {CLSP_RUNG_CHUNK, CLSP_RUNG_DEVICE, CLSP_RUNG_HOST};

    for (size_t i = 0; i < CLSPI_COUNT(order); i++)
        if (call->usable[order[i]]) return order[i];
    return CLSP_RUNG_AUTO;
}

/* What AUTO leaves out although it could run. */
static void leave_out(clspi_call *call)
{
    static const clsp_rung shared[] = {CLSP_RUNG_SVM, CLSP_RUNG_CHUNK};
    const char *why = NULL;

    if (call->usable[CLSP_RUNG_STATIC])
        snprintf(call->reasons[CLSP_RUNG_STATIC], CLSPI_REASON_MAX, "chunks share better");
    call->usable[CLSP_RUNG_STATIC] = false;
    if (call->team->num_devices == 1 && !clspi_team_has_spare_cores(call->team))
        why = "the device works on all of the host's cores";
    else if (call->job->num_tiles < 2)
        why = "there is one tile";
    for (size_t i = 0; why && i < CLSPI_COUNT(shared); i++) {
        if (!call->usable[shared[i]]) continue;
        snprintf(call->reasons[shared[i]], CLSPI_REASON_MAX, "%s", why);
        call->usable[shared[i]] = false;
    }
}

static void explain(clspi_call *call, clsp_rung taken, const double ms[])
{
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++) {
        if (!call->usable[r] || r == (int)taken) continue;
        if (ms[r] > 0 && ms[taken] > 0)
            snprintf(call->reasons[r], CLSPI_REASON_MAX, "%.3g ms expected, against %.3g by %s",
                     ms[r], ms[taken], clsp_rung_name(taken));
        else
            snprintf(call->reasons[r], CLSPI_REASON_MAX, "not measured yet");
    }
}

clsp_rung clspi_choose(clspi_call *call)
{
    double ms[CLSP_NUM_RUNGS] = {0};
    clsp_rung taken = CLSP_RUNG_AUTO;

    leave_out(call);
    if (call->record) {
        for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
            if (call->usable[r]) ms[r] = guess(call, (clsp_rung)r, call->job->num_tiles);
        if (best_of(call, ms, false) > 0) taken = pick(call, ms);
    }
    if (taken == CLSP_RUNG_AUTO) taken = pick_first(call);
    explain(call, taken, ms);
    return taken;
}

/* ---- learning ---- */

/* What a shared job tells of single processors, as long as there is nothing better. */
static void guess_singles(clspi_call *call)
{
    clspi_record *const record = call->record;
    const clspi_run *const run = call->run;
    const clspi_part *const host = &run->parts[run->host];
    clspi_speed *const alone = &record->rungs[CLSP_RUNG_HOST];
    const size_t tiles = atomic_load(&host->tiles);

    for (uint32_t d = 0; d < run->num_devices; d++) {
        const uint64_t rate = atomic_load(&run->parts[d].rate);
        if (record->devices[d].samples > 0 || rate == 0) continue;
        record->devices[d].tile_ms = 1e3 / (double)rate;
        record->devices[d].fixed_ms = clspi_launch_ms(&call->team->contexts[d]->device);
    }
    if (alone->samples == 0 && tiles > 0 && host->busy_ms > 0) {
        alone->tile_ms = host->busy_ms / (double)tiles / (call->workers_alone + 1.0);
        alone->fixed_ms = fixed_of(call, CLSP_RUNG_HOST);
    }
}

void clspi_learn(clspi_call *call, clsp_rung rung, double ms)
{
    clspi_record *const record = call->record;
    const size_t tiles = call->job->num_tiles - call->first;

    if (!record || tiles == 0) return;
    for (uint32_t p = 0; p <= call->run->num_devices; p++)
        if (atomic_load(&call->run->parts[p].status) != CLSP_OK) return;
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        speed_of(record, (clsp_rung)r)->age++;
    clspi_speed_learn(speed_of(record, rung), tiles, ms, fixed_of(call, rung));
    if (rung != CLSP_RUNG_DEVICE && rung != CLSP_RUNG_HOST) guess_singles(call);
    record->last = rung;
}
