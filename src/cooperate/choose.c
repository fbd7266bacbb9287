/* The choice of a schedule: the one that should end first by the times of earlier calls of the
   job's key. What was not measured is guessed from the speeds of single processors, and tried when
   the guess is near the best. */
#include <stdio.h>

#include "check.h"
#include "schedule.h"

enum {
    TRIALS = 2,        /* before a time counts: the first call may have compiled */
    TRIALS_SHARED = 3, /* chunks have sizes by speeds that the first calls find out */
    RETRY_CALLS = 64,  /* what was not far from the best is measured again now and then */
    RETRY_SHARED = 16  /* where sharing should have been faster by the processors' speeds */
};

#define NEAR       1.5  /* times the best guess: worth a trial */
#define NEAR_AGAIN 1.2  /* worth another one */
#define WORTH      0.95 /* a shared one must promise so much where its own time is not known */
#define LAZY       1.03 /* no change for less than this */
#define UNKNOWN_MS 50.0 /* longer jobs are no trial for a processor of unknown speed */

const char *clsp_schedule_name(clsp_schedule schedule)
{
    static const char *const names[] = {"auto", "svm", "dynamic", "static", "device", "host"};

    return (unsigned)schedule < CLSPI_COUNT(names) ? names[schedule] : NULL;
}

/* Gives the record's speed of a schedule: that of the first device is kept with the devices'. */
static clspi_speed *speed_of(clspi_record *record, clsp_schedule schedule)
{
    return schedule == CLSP_SCHEDULE_DEVICE ? &record->devices[0] : &record->schedules[schedule];
}

/* Gives what a job costs at least, in ms, before it was measured. */
static double fixed_of(const clspi_shared_call *call, clsp_schedule schedule)
{
    const double launch = clspi_launch_ms(&call->set->ctx->device);

    if (schedule == CLSP_SCHEDULE_HOST) return call->workers_alone > 0 ? CLSPI_WAKE_MS : 0;
    if (schedule == CLSP_SCHEDULE_DEVICE) return launch;
    return CLSPI_WAKE_MS + 4 * launch;
}

/* Guesses the time of all processors together, each at its own speed. 0: too little is known. */
static double guess_shared(const clspi_shared_call *call, size_t tiles)
{
    const clspi_record *const record = call->record;
    const double alone = record->schedules[CLSP_SCHEDULE_HOST].tile_ms;
    double rate = 0;

    if (!(record->devices[0].tile_ms > 0)) return 0;
    for (uint32_t d = 0; d < call->set->num_devices; d++)
        if (record->devices[d].tile_ms > 0 && clspi_run_alive(call->run, d))
            rate += 1 / record->devices[d].tile_ms;
    if (alone > 0 && clspi_run_alive(call->run, call->run->host) &&
        clspi_device_set_has_spare_cores(call->set))
        rate += call->workers / (call->workers_alone + 1.0) / alone;
    return fixed_of(call, CLSP_SCHEDULE_DYNAMIC) + (double)tiles / rate;
}

static bool is_shared(clsp_schedule schedule)
{
    return schedule == CLSP_SCHEDULE_SVM || schedule == CLSP_SCHEDULE_DYNAMIC;
}

/* Gives how many jobs a schedule's time is learned from before it counts. */
static uint32_t trials_of(clsp_schedule schedule)
{
    if (schedule == CLSP_SCHEDULE_HOST) return 1;
    return is_shared(schedule) ? TRIALS_SHARED : TRIALS;
}

/* Guesses the time of a job by a schedule, in ms; 0: too little is known. */
static double guess(const clspi_shared_call *call, clsp_schedule schedule, size_t tiles)
{
    const clspi_speed *const speed = speed_of(call->record, schedule);

    if (is_shared(schedule) && speed->samples < TRIALS_SHARED) return guess_shared(call, tiles);
    return clspi_speed_predict(speed, tiles);
}

/* Finds the shortest time that is known, of all usable schedules or of single processors. */
static double best_of(const clspi_shared_call *call, const double ms[], bool single)
{
    double best = 0;

    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        if (call->usable[s] && ms[s] > 0 && (!single || !is_shared((clsp_schedule)s)) &&
            (best <= 0 || ms[s] < best))
            best = ms[s];
    return best;
}

/* Tells whether a schedule's own time has to be learned still, and is worth it. */
static bool is_trial(const clspi_shared_call *call, clsp_schedule schedule, const double ms[],
                     double best, double best_single)
{
    const clspi_speed *const speed = speed_of(call->record, schedule);

    if (speed->samples >= trials_of(schedule)) return false;
    if (is_shared(schedule)) return ms[schedule] > 0 && ms[schedule] < WORTH * best_single;
    return ms[schedule] > 0 ? ms[schedule] < NEAR * best || speed->samples == 1 : best < UNKNOWN_MS;
}

/* Tells whether a schedule that was measured long ago is to be measured again. */
static bool is_retry(const clspi_shared_call *call, clsp_schedule schedule, const double ms[],
                     double best)
{
    const clspi_speed *const speed = speed_of(call->record, schedule);

    if (!(ms[schedule] > 0)) return false;
    if (speed->age >= RETRY_CALLS && ms[schedule] < NEAR_AGAIN * best) return true;
    return is_shared(schedule) && speed->age >= RETRY_SHARED && ms[schedule] < NEAR * best &&
           guess_shared(call, call->job->num_tiles) < WORTH * best;
}

/* Picks a schedule by what is known: a trial, one to measure again, the last one if it is near the
   best, else the best. */
static clsp_schedule pick(const clspi_shared_call *call, const double ms[])
{
    const double best = best_of(call, ms, false), best_single = best_of(call, ms, true);
    const clspi_record *const record = call->record;
    clsp_schedule first = CLSP_SCHEDULE_DEFAULT;

    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        if (call->usable[s] && is_trial(call, (clsp_schedule)s, ms, best, best_single))
            return (clsp_schedule)s;
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        if (call->usable[s] && is_retry(call, (clsp_schedule)s, ms, best)) return (clsp_schedule)s;
    if (call->usable[record->last] && ms[record->last] > 0 && ms[record->last] <= LAZY * best)
        return record->last;
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST && first == CLSP_SCHEDULE_DEFAULT; s++)
        if (call->usable[s] && ms[s] > 0 && ms[s] <= best) first = (clsp_schedule)s;
    return first;
}

/* Picks a schedule when nothing is known: the dynamic one measures every processor. */
static clsp_schedule pick_first(const clspi_shared_call *call)
{
    static const clsp_schedule order[] = {CLSP_SCHEDULE_DYNAMIC, CLSP_SCHEDULE_DEVICE,
                                          CLSP_SCHEDULE_HOST};

    for (size_t i = 0; i < CLSPI_COUNT(order); i++)
        if (call->usable[order[i]]) return order[i];
    return CLSP_SCHEDULE_DEFAULT;
}

/* Leaves out of AUTO what could run but should not. */
static void leave_out(clspi_shared_call *call)
{
    static const clsp_schedule shared[] = {CLSP_SCHEDULE_SVM, CLSP_SCHEDULE_DYNAMIC};
    const char *why = NULL;

    if (call->usable[CLSP_SCHEDULE_STATIC])
        snprintf(call->reasons[CLSP_SCHEDULE_STATIC], CLSPI_REASON_MAX,
                 "the dynamic schedule shares better");
    call->usable[CLSP_SCHEDULE_STATIC] = false;
    if (call->set->num_devices == 1 && !clspi_device_set_has_spare_cores(call->set))
        why = "the device works on all of the host's cores";
    else if (call->job->num_tiles < 2)
        why = "there is one tile";
    for (size_t i = 0; why && i < CLSPI_COUNT(shared); i++) {
        if (!call->usable[shared[i]]) continue;
        snprintf(call->reasons[shared[i]], CLSPI_REASON_MAX, "%s", why);
        call->usable[shared[i]] = false;
    }
}

/* Fills the reasons of usable schedules that were not taken. ms: the times, by schedule. */
static void explain(clspi_shared_call *call, clsp_schedule taken, const double ms[])
{
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++) {
        if (!call->usable[s] || s == (int)taken) continue;
        if (ms[s] > 0 && ms[taken] > 0)
            snprintf(call->reasons[s], CLSPI_REASON_MAX, "%.3g ms expected, against %.3g by %s",
                     ms[s], ms[taken], clsp_schedule_name(taken));
        else
            snprintf(call->reasons[s], CLSPI_REASON_MAX, "not measured yet");
    }
}

clsp_schedule clspi_choose(clspi_shared_call *call)
{
    double ms[CLSP_NUM_SCHEDULES] = {0};
    clsp_schedule taken = CLSP_SCHEDULE_DEFAULT;

    leave_out(call);
    if (call->record) {
        for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
            if (call->usable[s]) ms[s] = guess(call, (clsp_schedule)s, call->job->num_tiles);
        if (best_of(call, ms, false) > 0) taken = pick(call, ms);
    }
    if (taken == CLSP_SCHEDULE_DEFAULT) taken = pick_first(call);
    explain(call, taken, ms);
    return taken;
}

/* ---- learning ---- */

/* Guesses speeds of single processors from a shared job, as long as there is nothing better. */
static void guess_singles(clspi_shared_call *call)
{
    clspi_record *const record = call->record;
    const clspi_run *const run = call->run;
    const clspi_participant *const host = &run->participants[run->host];
    clspi_speed *const alone = &record->schedules[CLSP_SCHEDULE_HOST];
    const size_t tiles = atomic_load(&host->tiles);

    for (uint32_t d = 0; d < run->num_devices; d++) {
        const uint64_t rate = atomic_load(&run->participants[d].rate);
        if (record->devices[d].samples > 0 || rate == 0) continue;
        record->devices[d].tile_ms = 1e3 / (double)rate;
        record->devices[d].fixed_ms = clspi_launch_ms(&call->set->contexts[d]->device);
    }
    if (alone->samples == 0 && tiles > 0 && host->busy_ms > 0) {
        alone->tile_ms = host->busy_ms / (double)tiles / (call->workers_alone + 1.0);
        alone->fixed_ms = fixed_of(call, CLSP_SCHEDULE_HOST);
    }
}

void clspi_learn(clspi_shared_call *call, clsp_schedule schedule, double ms)
{
    clspi_record *const record = call->record;
    const size_t tiles = call->job->num_tiles - call->first;

    if (!record || tiles == 0) return;
    for (uint32_t p = 0; p <= call->run->num_devices; p++)
        if (atomic_load(&call->run->participants[p].status) != CLSP_OK) return;
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        speed_of(record, (clsp_schedule)s)->age++;
    clspi_speed_learn(speed_of(record, schedule), tiles, ms, fixed_of(call, schedule));
    if (schedule != CLSP_SCHEDULE_DEVICE && schedule != CLSP_SCHEDULE_HOST) guess_singles(call);
    record->last = schedule;
}
