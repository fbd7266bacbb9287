/* The library beside StarPU, the best-known engine that spreads tasks over CPUs and OpenCL devices:
   the same kernels, tiles and two processors, one host worker and the device, in one run and in
   turns. StarPU's workers sleep while the library has its turn. Its performance models are
   calibrated before, in a folder of their own. */
#include <math.h>
#include <stdio.h>

#include "folder.h"
#include "shared_run.h"

#ifdef BENCH_STARPU

#include "reference.h"
#include "starpu_tiles.h"

static const char suite[] = "starpu";

static const char *const schedulers[] = {"dmda", "eager"};

static const size_t orders[] = {4, 8, 12};
static const size_t resolutions[] = {300, 1000, 2000};

/* How many times as fast the library is to be: everywhere, and where StarPU's cost of a task shows
   most. */
static const double least = 1, least_small = 3;
static const size_t small_resolution = 300;

enum { CALIBRATIONS = 20 }; /* evaluations of each case; a task's history takes ten to be trusted */

/* One case: the library's own choice into memory of either kind, which may be one processor alone;
   the dynamic schedule, which needs no more of a device than StarPU does; and StarPU, into plain
   memory as they. */
enum { SHARED, PLAIN, DYNAMIC, OTHER, CONTESTANTS };

typedef struct contest {
    shared_run run;
    shared_way ways[OTHER];
    starpu_tiles *tiles;
    bench_contestant all[CONTESTANTS];
} contest;

static clsp_status create_tiles(contest *x, starpu_session *session)
{
    const size_t num = x->run.c.order * x->run.c.order * 3;
    double values[STARPU_TILES_ORDER_MAX * STARPU_TILES_ORDER_MAX * 3];
    float points[STARPU_TILES_ORDER_MAX * STARPU_TILES_ORDER_MAX * 3];

    bench_random_fill(values, num);
    for (size_t i = 0; i < num; i++)
        points[i] = (float)values[i];
    return starpu_tiles_create(&x->tiles, session, &x->run.c, points, x->run.out[SHARED_PLAIN]);
}

static clsp_status start(contest *x, bench *b, clsp_context *ctx, starpu_session *session,
                         const bezier_case *c)
{
    clsp_status status;

    BENCH_TRY(shared_run_start(&x->run, b, suite, ctx, c, CLSP_F32));
    BENCH_TRY(create_tiles(x, session));
    for (int i = SHARED; i < OTHER; i++) {
        x->ways[i] = (shared_way){
            .run = &x->run,
            .name = i == DYNAMIC ? "dynamic" : "auto",
            .memory = i == SHARED ? SHARED_BEST : SHARED_PLAIN,
            .opts = {.schedule = i == DYNAMIC ? CLSP_SCHEDULE_DYNAMIC : CLSP_SCHEDULE_DEFAULT}};
        x->all[i] = shared_way_contestant(&x->ways[i]);
    }
    x->all[OTHER] = (bench_contestant){
        .enqueue = starpu_tiles_run, .around = starpu_tiles_around, .user = x->tiles};

fail:
    return status;
}

static void release(contest *x)
{
    starpu_tiles_destroy(&x->tiles);
    shared_run_release(&x->run);
}

static clsp_status calibrate(contest *x)
{
    clsp_status status = CLSP_OK;

    starpu_tiles_around(x->tiles, true);
    for (size_t i = 0; i < CALIBRATIONS && status == CLSP_OK; i++)
        status = starpu_tiles_run(x->tiles);
    starpu_tiles_around(x->tiles, false);
    return status;
}

/* ---- results ---- */

/* Evaluated by StarPU last, into poisoned memory. */
static clsp_status check_other(contest *x, double *worst)
{
    clsp_status status;

    shared_run_poison(&x->run, SHARED_PLAIN);
    starpu_tiles_around(x->tiles, true);
    status = starpu_tiles_run(x->tiles);
    starpu_tiles_around(x->tiles, false);
    if (status == CLSP_OK) status = shared_run_compare(&x->run, SHARED_PLAIN, "StarPU", worst);
    return status;
}

static clsp_status report_other(contest *x, const char *scheduler)
{
    unsigned device, all;
    char text[64];
    clsp_status status;
    double worst;

    starpu_tiles_counts(x->tiles, &device, &all);
    snprintf(text, sizeof text, "StarPU %s", scheduler);
    BENCH_TRY(check_other(x, &worst));
    shared_run_line(&x->run, text, x->all[OTHER].sustained, worst);
    snprintf(text, sizeof text, "StarPU %s, device's part", scheduler);
    shared_run_ratio(&x->run, text, all > 0 ? (double)device / all : NAN, NAN, NAN);

fail:
    return status;
}

static clsp_status report(contest *x, const char *scheduler)
{
    static const char *const names[] = {"auto", "auto, plain", "dynamic, plain"};
    const double wanted = x->run.c.samples == small_resolution ? least_small : least;
    char text[64];
    clsp_status status;

    for (int i = SHARED; i < OTHER; i++) {
        shared_way_label(&x->ways[i], text, sizeof text);
        BENCH_TRY(shared_way_report(&x->ways[i], text, x->all[i].sustained));
    }
    BENCH_TRY(report_other(x, scheduler));
    for (int i = SHARED; i < OTHER; i++) {
        snprintf(text, sizeof text, "%s/%s", names[i], scheduler);
        shared_run_ratio(&x->run, text, bench_ratio(&x->all[i], &x->all[OTHER]), wanted, NAN);
    }

fail:
    return status;
}

/* ---- all ---- */

static clsp_status run_case(bench *b, clsp_context *ctx, starpu_session *session,
                            const bezier_case *c, const char *measured)
{
    contest x = {.tiles = NULL};
    clsp_status status;

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(start(&x, b, ctx, session, c));
    BENCH_TRY(calibrate(&x)); /* also warms up what is to be measured */
    if (!measured) goto fail;
    BENCH_TRY(bench_measure(b->queue, x.all, CONTESTANTS, b->quick ? 5 : 20));
    BENCH_TRY(report(&x, measured));

fail:
    release(&x);
    return status;
}

/* All cases in one session: for its models alone, or measured. */
static clsp_status run_session(bench *b, clsp_context *ctx, const char *scheduler, bool calibrates,
                               const char *folder)
{
    const char *why;
    clsp_status status = CLSP_OK;
    starpu_session *const session = starpu_session_start(b, scheduler, calibrates, folder, &why);

    if (!session) {
        bench_report_note(b->report, why);
        return CLSP_OK;
    }
    for (size_t i = 0; i < BENCH_COUNT(orders); i++) {
        for (size_t k = 0; k < BENCH_COUNT(resolutions); k++) {
            const bezier_case c = {orders[i], resolutions[k], 1};
            if (b->quick && resolutions[k] == 1000) continue;
            BENCH_TRY(run_case(b, ctx, session, &c, calibrates ? NULL : scheduler));
        }
    }

fail:
    starpu_session_stop(session);
    return status;
}

clsp_status bench_suite_starpu(bench *b)
{
    clsp_context *ctx = NULL;
    char folder[256] = "";
    clsp_status status = CLSP_ERROR_STATE;

    if (!b->wanted[CLSP_F32]) return CLSP_OK;
    if (!bench_folder_make(folder, sizeof folder)) return bench_check(status, "a folder");
    BENCH_TRY(shared_context_create(b, &ctx, 1));
    for (size_t i = 0; i < BENCH_COUNT(schedulers); i++) {
        BENCH_TRY(run_session(b, ctx, schedulers[i], true, folder));
        BENCH_TRY(run_session(b, ctx, schedulers[i], false, folder));
    }

fail:
    clsp_context_destroy(&ctx);
    bench_folder_remove(folder);
    return status;
}

#else

clsp_status bench_suite_starpu(bench *b)
{
    bench_report_note(b->report, "starpu: left out, built without StarPU 1.3.");
    return CLSP_OK;
}

#endif
