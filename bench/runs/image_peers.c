#include "suite_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_run.h"
#include "python_process.h"

/* What is measured of each. */
typedef enum task { FILTER, LINEAR, READY, CUBIC, TASKS } task;

static const char *const task_names[TASKS] = {"prefilter", "linear", "cubic, ready",
                                              "cubic, one shot"};

typedef enum peer { LIBRARY, SCIPY, CUPY, PEERS } peer;

static const char *const peer_names[PEERS] = {"library", "SciPy", "CuPy"};

/* How many times as fast as each the library is to be, where that is said: on CPUs at 2048^2, on
   GPUs at 8192^2. */
static const double least[PEERS][TASKS] = {
    [LIBRARY] = {NAN, NAN, NAN, NAN}, [SCIPY] = {10, NAN, NAN, 10}, [CUPY] = {40, NAN, NAN, 25}};

/* One image by all who are there. */
typedef struct contest {
    image_run run;
    image_way ways[TASKS];
    python_process *pythons[PEERS]; /* of SCIPY and CUPY; NULL: none */
} contest;

/* A task of a peer, as a contestant. */
typedef struct entry {
    contest *x;
    peer peer;
    task task;
} entry;

/* ---- contestants ---- */

static clsp_status run_python(void *user)
{
    static const char *const words[TASKS] = {"filter", "linear", "ready", "cubic"};
    const entry *const e = user;
    const python_process *const p = e->x->pythons[e->peer];
    const bool done = fprintf(p->to, "run %s\n", words[e->task]) > 0 && python_expect(p, "done");

    return bench_check(done ? CLSP_OK : CLSP_ERROR_STATE, peer_names[e->peer]);
}

static clsp_status run_library(void *user)
{
    const entry *const e = user;

    return image_way_enqueue(&e->x->ways[e->task]);
}

/* ---- setting up ---- */

static clsp_status create_ways(contest *x)
{
    static const image_manner linear = {"", CLSP_IMAGE_LINEAR, 0, 0, 0, 0};
    static const image_manner cubic = {"", CLSP_IMAGE_CUBIC, 0, 0, 0, 0};

    for (int i = 0; i < TASKS; i++) {
        const clsp_status status =
            image_way_create(&x->ways[i], &x->run, i == LINEAR ? &linear : &cubic);
        if (status != CLSP_OK) return bench_check(status, x->run.name);
        x->ways[i].loads = i == FILTER || i == CUBIC;
        x->ways[i].interpolates = i != FILTER;
    }
    return CLSP_OK;
}

/* Starts SciPy or CuPy where it was not asked for before, and notes what it is. */
static void need_python(bench *b, python_process *p, peer who)
{
    char text[2 * PYTHON_TEXT_MAX];

    if (p->about[0]) return;
    const bool done = python_start(p, "scipy_images.py", who == SCIPY ? "scipy" : "cupy");
    snprintf(text, sizeof text, "%s: %s%s", peer_names[who], done ? "" : "left out, ", p->about);
    bench_report_note(b->report, text);
}

/* Hands the samples to SciPy or CuPy; one that fails or is not there is left out. */
static void load_python(contest *x, peer who)
{
    python_process *const p = x->pythons[who];
    const size_t num = image_run_samples(&x->run);

    if (!p) return;
    need_python(x->run.b, p, who);
    if (!p->process) x->pythons[who] = NULL;
    if (!p->process ||
        (fprintf(p->to, "case %u %u\n", x->run.side, x->run.directions) > 0 &&
         fwrite(x->run.first, sizeof(float), num, p->to) == num && python_expect(p, "ready")))
        return;
    fprintf(stderr, "clspline-bench: %s fails at %s\n", peer_names[who], x->run.name);
    x->pythons[who] = NULL;
}

/* ---- results ---- */

static void report(const contest *x, bench_contestant all[PEERS][TASKS], bool is_judged)
{
    const double num = (double)image_run_values(&x->run);

    for (int i = 0; i < PEERS; i++)
        for (int k = 0; k < TASKS; k++) {
            char method[IMAGE_NAME_MAX];
            const double limits[2] = {is_judged ? least[i][k] : NAN, NAN};
            if (!all[i][k].enqueue) continue;
            snprintf(method, sizeof method, "%s, %s", task_names[k], peer_names[i]);
            image_run_report(&x->run, method, &all[i][k], num, NAN);
            if (i == LIBRARY) continue;
            snprintf(method, sizeof method, "%s, %s/library", task_names[k], peer_names[i]);
            image_run_number(&x->run, method, bench_ratio(&all[LIBRARY][k], &all[i][k]), "ratio",
                             limits);
        }
}

/* Compares a value of the last turn by SciPy with the library's and says so where they differ. */
static clsp_status check_value(const contest *x, peer who)
{
    const size_t place = image_run_values(&x->run) / 2 + x->run.side / 3;
    char line[PYTHON_TEXT_MAX];
    const python_process *const p = x->pythons[who];
    float value = NAN;
    clsp_status status;

    if (!p) return CLSP_OK;
    BENCH_TRY(image_way_enqueue((void *)(size_t)&x->ways[CUBIC]));
    BENCH_TRY(
        bench_check(clEnqueueReadBuffer(x->run.b->queue, x->run.values, CL_TRUE,
                                        place * sizeof value, sizeof value, &value, 0, NULL, NULL),
                    x->run.name));
    if (fputs("run cubic\n", p->to) >= 0 && python_expect(p, "done") &&
        fprintf(p->to, "value %zu\n", place) > 0 && fflush(p->to) == 0 && python_read(p, line) &&
        fabs(atof(line) - (double)value) > 0.05)
        fprintf(stderr, "clspline-bench: %s: %s has %s where the library has %g\n", x->run.name,
                peer_names[who], line, (double)value);

fail:
    return status;
}

/* ---- cases ---- */

static void enter(contest *x, bench_contestant all[PEERS][TASKS], entry entries[PEERS][TASKS])
{
    for (int i = 0; i < PEERS; i++)
        for (int k = 0; k < TASKS; k++) {
            entries[i][k] = (entry){x, (peer)i, (task)k};
            all[i][k] = (bench_contestant){.user = &entries[i][k]};
            if (i == LIBRARY) all[i][k].enqueue = run_library;
            if (x->pythons[i]) all[i][k].enqueue = run_python;
        }
}

static clsp_status run_case(bench *b, const char *suite, uint32_t directions, uint32_t side,
                            python_process *const pythons[PEERS])
{
    contest x = {.run = {.b = b,
                         .suite = suite,
                         .precision = CLSP_F32,
                         .directions = directions,
                         .side = side,
                         .out_side = side,
                         .num = 1}};
    bench_contestant all[PEERS][TASKS];
    entry entries[PEERS][TASKS];
    clsp_status status;

    snprintf(x.run.name, sizeof x.run.name, "beside others, %u^%u", side, directions);
    if (!bench_wants(b, x.run.name)) return CLSP_OK;
    memcpy(x.pythons, pythons, sizeof x.pythons);
    BENCH_TRY(image_run_start(&x.run));
    image_run_turn(&x.run, 10, 1);
    BENCH_TRY(create_ways(&x));
    load_python(&x, SCIPY);
    load_python(&x, CUPY);
    enter(&x, all, entries);
    BENCH_TRY(bench_measure_some(b->queue, &all[0][0], PEERS * TASKS, b->quick ? 5 : 20));
    report(&x, all, b->is_cpu ? side == 2048 : side == 8192);
    BENCH_TRY(check_value(&x, SCIPY));
    BENCH_TRY(check_value(&x, CUPY));

fail:
    for (int i = 0; i < TASKS; i++)
        image_way_release(&x.ways[i]);
    image_run_release(&x.run);
    return status;
}

clsp_status image_peers_run(bench *b, const char *suite)
{
    static const uint32_t sides[] = {1024, 2048, 4096, 8192};
    const uint32_t most = b->quick ? 1024 : b->is_cpu ? 2048 : 8192;
    python_process scipy = {0}, cupy = {0};
    python_process *pythons[PEERS] = {[SCIPY] = &scipy, [CUPY] = b->is_cpu ? NULL : &cupy};
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < BENCH_COUNT(sides) && status == CLSP_OK; i++) {
        if (sides[i] > most) continue;
        if (sides[i] > 2048) pythons[SCIPY] = NULL; /* which takes seconds there */
        status = run_case(b, suite, 2, sides[i], pythons);
    }
    if (status == CLSP_OK && !b->quick) {
        pythons[SCIPY] = &scipy;
        status = run_case(b, suite, 3, b->is_cpu ? 128 : 256, pythons);
    }
    python_stop(&scipy);
    python_stop(&cupy);
    return status;
}
