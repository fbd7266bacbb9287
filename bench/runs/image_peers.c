#include "image_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_image.h"
#include "image_run.h"
#include "python_process.h"

/* What is measured of each. LOAD: to load samples for order 1, beside a copy by the C loop. */
typedef enum task { LOAD, FILTER, LINEAR, READY, CUBIC, TASKS } task;

static const char *const task_names[TASKS] = {"load, linear", "prefilter", "linear", "cubic, ready",
                                              "cubic, one shot"};

enum { SMALL_SIDE = 64 };

typedef enum peer { LIBRARY, LOOP, SCIPY, CUPY, PEERS } peer;

static const char *const peer_names[PEERS] = {"library", "C loop", "SciPy", "CuPy"};

/* How many times as fast as each the library is to be, where that is said: on CPUs at 2048^2, on
   GPUs at 8192^2. */
static const double least[PEERS][TASKS] = {
    [LIBRARY] = {NAN, NAN, NAN, NAN, NAN},
    [LOOP] = {1 / 1.2, 1, 1.5, 2, 1.5},
    [SCIPY] = {NAN, 10, NAN, NAN, 10},
    [CUPY] = {NAN, 40, NAN, NAN, 25},
};

/* How many times as fast with volumes, on CPUs. */
static const double least_of_volumes[PEERS][TASKS] = {
    [LIBRARY] = {NAN, NAN, NAN, NAN, NAN},
    [LOOP] = {1 / 1.2, 1, NAN, NAN, NAN},
    [SCIPY] = {NAN, NAN, NAN, NAN, NAN},
    [CUPY] = {NAN, NAN, NAN, NAN, NAN},
};

/* How many times as fast with small images in host memory. */
static const double least_of_small[PEERS][TASKS] = {
    [LIBRARY] = {NAN, NAN, NAN, NAN, NAN},
    [LOOP] = {NAN, NAN, NAN, 1, NAN},
    [SCIPY] = {NAN, NAN, NAN, NAN, NAN},
    [CUPY] = {NAN, NAN, NAN, NAN, NAN},
};

/* One image by all who are there. */
typedef struct contest {
    image_run run;
    image_way ways[TASKS];
    host_image host;
    python_process *pythons[PEERS]; /* of SCIPY and CUPY; NULL: none */
} contest;

/* A task of a peer, as a contestant. */
typedef struct entry {
    contest *x;
    peer peer;
    task task;
} entry;

/* ---- contestants ---- */

static clsp_status run_loop(void *user)
{
    const entry *const e = user;
    const host_image *const h = &e->x->host;

    if (e->task == LOAD) host_image_copy(h);
    if (e->task == FILTER || e->task == CUBIC) host_image_filter(h);
    if (e->task == LINEAR) host_image_linear(h);
    if (e->task == READY || e->task == CUBIC) host_image_cubic(h);
    return CLSP_OK;
}

/* Lets threads of the loop that wait for more work by turning round and round go to sleep. */
static void calm(void *user, bool begins)
{
    const struct timespec pause = {0, 5000000};

    (void)user;
    if (!begins) nanosleep(&pause, NULL);
}

static clsp_status run_python(void *user)
{
    static const char *const words[TASKS] = {"", "filter", "linear", "ready", "cubic"};
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
        const bool is_linear = i == LOAD || i == LINEAR;
        const clsp_status status =
            image_way_create(&x->ways[i], &x->run, is_linear ? &linear : &cubic);
        if (status != CLSP_OK) return bench_check(status, x->run.name);
        x->ways[i].loads = i == LOAD || i == FILTER || i == CUBIC;
        x->ways[i].interpolates = i != LOAD && i != FILTER;
    }
    return CLSP_OK;
}

static clsp_status create_host(contest *x)
{
    const size_t num = image_run_samples(&x->run);

    x->host = (host_image){
        .n = x->run.side, .is_volume = x->run.directions == 3, .samples = x->run.first};
    x->host.coefficients = malloc(num * sizeof(float));
    x->host.values = malloc(num * sizeof(float));
    if (!x->host.coefficients || !x->host.values) return CLSP_ERROR_NO_MEMORY;
    for (int i = 0; i < 2; i++) { /* of images */
        x->host.matrix[i][0] = x->run.map.matrix[i][0];
        x->host.matrix[i][1] = x->run.map.matrix[i][1];
        x->host.matrix[i][2] = x->run.map.matrix[i][3];
    }
    host_image_filter(&x->host);
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
            const double wanted = x->run.on_host      ? least_of_small[i][k]
                                  : x->host.is_volume ? least_of_volumes[i][k]
                                                      : least[i][k];
            const double limits[2] = {is_judged ? wanted : NAN, NAN};
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
    if (x->run.on_host)
        value = x->run.out[place];
    else
        BENCH_TRY(bench_check(clEnqueueReadBuffer(x->run.b->queue, x->run.values, CL_TRUE,
                                                  place * sizeof value, sizeof value, &value, 0,
                                                  NULL, NULL),
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
    static clsp_status (*const calls[PEERS])(void *user) = {run_library, run_loop, run_python,
                                                            run_python};

    for (int i = 0; i < PEERS; i++)
        for (int k = 0; k < TASKS; k++) {
            const bool by_loop =
                i == LOOP && x->host.values && (!x->host.is_volume || k == LOAD || k == FILTER);
            const bool is_there = i == LIBRARY || by_loop || (x->pythons[i] && k != LOAD);
            entries[i][k] = (entry){x, (peer)i, (task)k};
            all[i][k] = (bench_contestant){.around = calm, .user = &entries[i][k]};
            if (is_there) all[i][k].enqueue = calls[i];
        }
}

static clsp_status run_case(bench *b, const char *suite, uint32_t directions, uint32_t side,
                            python_process *const pythons[PEERS])
{
    const bool is_small = side <= SMALL_SIDE && directions == 2;
    contest x = {.run = {.b = b,
                         .suite = suite,
                         .precision = CLSP_F32,
                         .directions = directions,
                         .side = side,
                         .out_side = side,
                         .num = 1,
                         .on_host = is_small}};
    bench_contestant all[PEERS][TASKS];
    entry entries[PEERS][TASKS];
    clsp_status status;

    snprintf(x.run.name, sizeof x.run.name, "beside others, %u^%u%s", side, directions,
             is_small ? ", host memory" : "");
    if (!bench_wants(b, x.run.name)) return CLSP_OK;
    memcpy(x.pythons, pythons, sizeof x.pythons);
    BENCH_TRY(image_run_start(&x.run));
    image_run_turn(&x.run, 10, 1);
    BENCH_TRY(create_ways(&x));
    if (b->is_cpu) BENCH_TRY(create_host(&x));
    load_python(&x, SCIPY);
    load_python(&x, CUPY);
    enter(&x, all, entries);
    BENCH_TRY(bench_measure_some(b->queue, &all[0][0], PEERS * TASKS, b->quick ? 5 : 20));
    report(&x, all, b->is_cpu ? directions == 3 || side == 2048 || is_small : side == 8192);
    BENCH_TRY(check_value(&x, SCIPY));
    BENCH_TRY(check_value(&x, CUPY));

fail:
    for (int i = 0; i < TASKS; i++)
        image_way_release(&x.ways[i]);
    free(x.host.coefficients);
    free(x.host.values);
    image_run_release(&x.run);
    return status;
}

clsp_status image_peers_run(bench *b, const char *suite)
{
    static const uint32_t sides[] = {SMALL_SIDE, 1024, 2048, 4096, 8192};
    const uint32_t most = b->quick ? 1024 : b->is_cpu ? 2048 : 8192;
    python_process scipy = {0}, cupy = {0};
    python_process *pythons[PEERS] = {[SCIPY] = &scipy, [CUPY] = b->is_cpu ? NULL : &cupy};
    clsp_status status = CLSP_OK;

    if (b->is_cpu && !host_image_is_parallel())
        bench_report_note(b->report, "C loop: built without OpenMP, on one core.");
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
