/* Several devices of one kind: how much faster they are together than one of them. Results stay on
   the devices, each of which has a range of the items, or go into one memory of the host, made by
   joined contexts. Bits are those of one device in any case. Where there is one such device, it
   takes part twice: that shows that nothing is lost, and no speed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpus_run.h"

/* Of what n times one device would do, for work of at least so long; and of the pinned copies. */
static const double wanted_apart = 0.95, wanted_joined = 0.85, least_ms = 10.0;

static bench_row row_of(const gpus_job *job, const char *method)
{
    return bench_row_empty("gpus", job->name, method, 32);
}

static void report_time(bench *b, const gpus_job *job, const char *method, bench_timing time,
                        bool counts_bytes)
{
    const double items = (double)job->num_items;
    bench_row row = row_of(job, method);

    row.time = time;
    row.work =
        counts_bytes ? items * (double)job->item_reals * sizeof(float) : items * job->item_points;
    row.unit = counts_bytes ? "byte/s" : job->unit;
    bench_report_row(b->report, &row);
}

static void report_ratio(bench *b, const gpus_job *job, const char *method, double ratio,
                         double least)
{
    bench_row row = row_of(job, method);

    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(b->report, &row);
}

/* ---- results on the devices ---- */

/* How much of `num` times the speed of one there is; limits hold for devices that are several. */
static void report_efficiency(const gpus_set *set, const gpus_job *job, const char *what,
                              const bench_timing times[2])
{
    const bool holds = set->device[set->num - 1] && times[0].median_ms >= least_ms;
    char text[64];

    if (set->num == 1 || times[0].median_ms <= 0) return;
    snprintf(text, sizeof text, "%zu, %s, efficiency", set->num, what);
    report_ratio(set->b, job, text, times[0].median_ms / ((double)set->num * times[1].median_ms),
                 holds ? wanted_apart : NAN);
}

static clsp_status run_apart(const gpus_set *set, const gpus_job *job, gpus_apart *one)
{
    gpus_apart all;
    clsp_status status;
    char text[64];

    BENCH_TRY(gpus_run_apart(set, job, &all));
    if (set->num == 1) *one = all;
    if (all.prepare.median_ms > 0) {
        snprintf(text, sizeof text, "%zu, prefilter", set->num);
        report_time(set->b, job, text, all.prepare, false);
        report_efficiency(set, job, "prefilter", (bench_timing[]){one->prepare, all.prepare});
    }
    snprintf(text, sizeof text, "%zu, apart", set->num);
    report_time(set->b, job, text, all.time, false);
    report_efficiency(set, job, "apart", (bench_timing[]){one->time, all.time});
    if (all.fingerprint != one->fingerprint)
        status = bench_check(CLSP_ERROR_STATE, "results of other bits");

fail:
    return status;
}

/* ---- results in host memory ---- */

static void note_shares(bench *b, const clsp_report *report)
{
    char text[512];
    int used = snprintf(text, sizeof text, "Tiles of %s:", clsp_schedule_name(report->schedule));

    for (uint32_t i = 0; i < report->num_processors && used < (int)sizeof text; i++) {
        const clsp_processor_report *const p = &report->processors[i];
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " %llu in %llu (%.1f ms, moving %.1f)", (unsigned long long)p->tiles,
                         (unsigned long long)p->chunks, p->busy_ms, p->move_ms);
    }
    bench_report_note(b->report, text);
}

static clsp_status run_joined(const gpus_set *set, const gpus_job *job, double device_ms,
                              void *expected)
{
    gpus_joined all;
    clsp_status status;
    char text[64];

    BENCH_TRY(gpus_run_joined(set, job, expected, &all));
    if (all.prepare.median_ms > 0) {
        snprintf(text, sizeof text, "%zu, prefilter, joined", set->num);
        report_time(set->b, job, text, all.prepare, false);
    }
    snprintf(text, sizeof text, "%zu, joined", set->num);
    report_time(set->b, job, text, all.time, true);
    snprintf(text, sizeof text, "%zu, pinned copies", set->num);
    report_time(set->b, job, text, all.pinned, true);

    /* the device makes results and the bus moves them at the same time: the slower one counts */
    const double floor_ms = fmax(all.pinned.median_ms, device_ms / (double)set->num);
    const bool holds = set->b->is_discrete && set->device[set->num - 1];
    snprintf(text, sizeof text, "%zu, joined, of the floor", set->num);
    report_ratio(set->b, job, text, floor_ms / all.time.median_ms, holds ? wanted_joined : NAN);
    if (set->num > 1) note_shares(set->b, &all.report);

fail:
    return status;
}

/* ---- a job ---- */

/* 1, 2, 4 and so on, and all. */
static size_t next_num(size_t num, size_t found)
{
    return num * 2 > found && num < found ? found : num * 2;
}

static clsp_status run_job(gpus_set *set, size_t found, const gpus_job *large,
                           const gpus_job *small)
{
    const size_t most = found > 1 ? found : 2;
    void *const expected = malloc(small->num_items * small->item_reals * sizeof(float));
    gpus_apart one = {.fingerprint = 0};
    clsp_status status = expected ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    for (size_t num = 1; num <= most && status == CLSP_OK; num = next_num(num, found)) {
        BENCH_TRY(gpus_set_open(set, num));
        BENCH_TRY(run_apart(set, large, &one));
        const double share = (double)small->num_items / (double)large->num_items;
        BENCH_TRY(run_joined(set, small, one.time.median_ms * share, expected));
        gpus_set_close(set);
    }

fail:
    gpus_set_close(set);
    free(expected);
    return status;
}

/* Bytes of the largest results: of GPUs what takes them some 10 ms. */
static size_t large_bytes(const bench *b)
{
    const size_t bytes = (size_t)b->info.global_bytes / 5 * 2, most = (size_t)32 << 30;

    if (!b->is_discrete || b->quick)
        return bench_large_bytes(b) / (b->quick && !b->is_discrete ? 8 : 1);
    return bytes < most ? bytes : most;
}

clsp_status bench_suite_gpus(bench *b)
{
    const size_t bytes = large_bytes(b);
    gpus_job large[GPUS_JOBS], small[GPUS_JOBS];
    gpus_set set;
    clsp_status status;

    if (!b->wanted[CLSP_F32]) return CLSP_OK;
    BENCH_TRY(gpus_set_find(&set, b));
    const size_t found = set.num;
    gpus_jobs_of(bytes, large);
    gpus_jobs_of(bytes / 8, small);
    if (found == 1)
        bench_report_note(b->report, "One device of its kind: it takes part twice as the second.");
    for (size_t i = 0; i < GPUS_JOBS; i++)
        if (bench_wants(b, large[i].name)) BENCH_TRY(run_job(&set, found, &large[i], &small[i]));

fail:
    return status;
}
