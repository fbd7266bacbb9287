#include "suite_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared_run.h"

static const char suite[] = "cooperate";

static const size_t orders[] = {4, 8, 12};
static const struct {
    size_t samples, patches;
    bool quick;
} grids[] = {{64, 1, false},  {300, 1, true},   {1000, 1, false},
             {2000, 1, true}, {64, 100, false}, {300, 100, false}};

/* AUTO may be slower than the better one of the processors alone by this much. */
static const double most_over_single = 1.03, most_over_single_ms = 0.05;

/* Of the best schedule, over what rates that add up would give; and over the device alone, where
   device and host are about equally fast: where neither takes more than this many times the other's
   time.
 */
static const double least_of_ideal = 0.97, least_over_device = 1.7, most_uneven = 1.5;

/* HOST_PART is the host alone, but with as many threads as share with the device. */
enum {
    AUTO,
    SVM,
    DYNAMIC,
    STATIC,
    DEVICE,
    HOST,
    EVAL,
    HOST_PART,
    WAYS,
    CONTESTANTS = WAYS * SHARED_MEMORIES
};

static const char *const names[WAYS] = {"auto",   "svm",  "dynamic", "static",
                                        "device", "host", "eval",    "host's part"};

/* One case. Contestants of plain memory come after those of shared memory. */
typedef struct comparison {
    shared_run run;
    shared_way ways[CONTESTANTS];
    bench_contestant all[CONTESTANTS];
} comparison;

/* ---- setting up ---- */

/* In the host's schedule the calling thread is one more. */
static clsp_share opts_of(const comparison *x, int kind)
{
    clsp_share opts = {.schedule = kind < EVAL ? (clsp_schedule)kind : CLSP_SCHEDULE_HOST};
    const uint32_t sharing = shared_report_host(&x->ways[DYNAMIC].report).workers;

    if (kind == HOST_PART) opts.num_workers = sharing > 1 ? sharing - 1 : CLSP_NO_WORKERS;
    return opts;
}

/* Whether it is measured: in plain memory what differs there. */
static bool is_measured(int i)
{
    const int kind = i % WAYS;

    return i < WAYS || (kind != SVM && kind != STATIC && kind != HOST_PART);
}

/* Ways that do not run here are left without an enqueue. */
static clsp_status describe(comparison *x)
{
    clsp_status status = CLSP_OK;

    for (int i = 0; i < CONTESTANTS; i++) {
        const int kind = i % WAYS;
        bool runs = false;
        x->ways[i] = (shared_way){.run = &x->run,
                                  .name = names[kind],
                                  .is_eval = kind == EVAL,
                                  .memory = i < WAYS ? SHARED_BEST : SHARED_PLAIN,
                                  .opts = opts_of(x, kind)};
        if (!is_measured(i)) continue;
        BENCH_TRY(shared_way_try(&x->ways[i], &runs));
        if (runs) x->all[i] = shared_way_contestant(&x->ways[i]);
    }

fail:
    return status;
}

/* ---- results ---- */

/* The shortest of its times: what it can do, whatever else ran on the machine at the time. These
   figures are about a few per cent, and other load on cores that share work is more than that. */
static double shortest(const bench_contestant *c)
{
    return c->enqueue ? c->sustained.min_ms : INFINITY;
}

/* The fastest of contestants first .. last. */
static const bench_contestant *best_of(const bench_contestant *all, int first, int last)
{
    const bench_contestant *best = &all[first];

    for (int i = first + 1; i <= last; i++)
        if (shortest(&all[i]) < shortest(best)) best = &all[i];
    return best;
}

static void report_ratio(const comparison *x, shared_memory memory, const char *what, double ratio,
                         double least, double most)
{
    char text[64];

    snprintf(text, sizeof text, "%s%s", what, memory == SHARED_PLAIN ? ", plain" : "");
    shared_run_ratio(&x->run, text, ratio, least, most);
}

static void report_auto(const comparison *x, shared_memory memory)
{
    const bench_contestant *const of = x->all + memory * WAYS;
    const bench_contestant *const single = best_of(of, DEVICE, EVAL);

    report_ratio(x, memory, "auto/best single", shortest(&of[AUTO]) / shortest(single), NAN,
                 fmax(most_over_single, 1 + most_over_single_ms / shortest(single)));
}

/* Whether the figures for processors that are about equally fast are to be met: device and host on
   cores of their own, with enough work to share. Not all implementations say how many cores they
   use: with --workers the user does. */
static bool is_even(const comparison *x)
{
    const bench *const b = x->run.b;
    const bezier_case *const c = &x->run.c;
    const uint32_t sharing = shared_report_host(&x->ways[DYNAMIC].report).workers;
    const uint32_t cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    const double uneven = shortest(&x->all[HOST_PART]) / shortest(&x->all[DEVICE]);

    return b->is_cpu && c->order == 12 && c->samples == 2000 &&
           (b->workers > 0 || b->info.compute_units + sharing <= cores) && uneven <= most_uneven &&
           1 / uneven <= most_uneven;
}

static void report_shared(const comparison *x)
{
    const bench_contestant *const all = x->all;
    const bench_contestant *const best = best_of(all, AUTO, HOST);
    const double device = shortest(&all[DEVICE]), host = shortest(&all[HOST_PART]);
    const bool even = is_even(x);

    for (int i = SVM; i <= STATIC; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s/device", names[i]);
        if (all[i].enqueue)
            report_ratio(x, SHARED_BEST, text, device / shortest(&all[i]),
                         even && i != STATIC ? least_over_device : NAN, NAN);
    }
    if (!isfinite(host)) return;
    report_ratio(x, SHARED_BEST, "host's part/device", device / host, NAN, NAN);
    report_ratio(x, SHARED_BEST, "best schedule/sum of rates",
                 device * host / (device + host) / shortest(best), even ? least_of_ideal : NAN,
                 NAN);
}

static clsp_status report(comparison *x)
{
    clsp_status status = CLSP_OK;

    for (int i = 0; i < CONTESTANTS; i++) {
        char text[64];
        if (!x->all[i].enqueue) continue;
        shared_way_label(&x->ways[i], text, sizeof text);
        BENCH_TRY(shared_way_report(&x->ways[i], text, x->all[i].sustained));
    }
    report_shared(x);
    report_auto(x, SHARED_BEST);
    report_auto(x, SHARED_PLAIN);

fail:
    return status;
}

/* ---- all ---- */

static clsp_status run_case(bench *b, clsp_context *ctx, const bezier_case *c, clsp_type precision)
{
    comparison x = {0};
    clsp_status status;

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(shared_run_start(&x.run, b, suite, ctx, c, precision));
    BENCH_TRY(describe(&x));
    BENCH_TRY(bench_measure_some(b->queue, x.all, CONTESTANTS, b->quick ? 5 : 10));
    BENCH_TRY(report(&x));

fail:
    shared_run_release(&x.run);
    return status;
}

clsp_status shared_grid_run(bench *b, clsp_context *ctx)
{
    clsp_status status = CLSP_OK;

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < BENCH_COUNT(orders) * BENCH_COUNT(grids); i++) {
            const size_t k = i % BENCH_COUNT(grids);
            const bezier_case c = {orders[i / BENCH_COUNT(grids)], grids[k].samples,
                                   grids[k].patches};
            if (!b->wanted[p] || (b->quick && (p == CLSP_F64 || !grids[k].quick))) continue;
            BENCH_TRY(run_case(b, ctx, &c, p));
        }
    }

fail:
    return status;
}
