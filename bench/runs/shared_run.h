/* What the suites about cooperation share: one case, that is patches and a grid, evaluated into
   host memory by several schedules in turns, and the comparison with the device's own result. */
#ifndef BENCH_SHARED_RUN_H
#define BENCH_SHARED_RUN_H

#include "bench.h"
#include "bezier_run.h"

/* Where results go. */
typedef enum shared_memory {
    SHARED_BEST,  /* from clsp_shared_alloc */
    SHARED_PLAIN, /* from malloc */
    SHARED_MEMORIES
} shared_memory;

extern const char *const shared_memory_names[SHARED_MEMORIES];

/* What the library promises for each result, so that two differ by twice as much at most; in eps *
   largest control coordinate. */
enum { SHARED_BOUND = 8, SHARED_DIFFERENCE = 2 * SHARED_BOUND };

typedef struct shared_run {
    bench *b;
    const char *suite;
    clsp_context *ctx;
    bezier_case c;
    clsp_type precision;
    char name[BEZIER_NAME_MAX];
    clsp_patch_plan *plan;
    size_t num_reals, bytes; /* of the result */
    void *out[SHARED_MEMORIES];
    void *expected; /* the device's own, by clsp_patch_eval */
    double scale;   /* eps * largest control coordinate */
} shared_run;

/* A way to evaluate a run: a contestant's user. */
typedef struct shared_way {
    shared_run *run;
    const char *name;
    bool is_eval; /* by clsp_patch_eval, which knows nothing of schedules */
    shared_memory memory;
    clsp_share opts;
    clsp_report report; /* of the last call */
} shared_way;

/* Makes plan, control points, memory and the expected result. After an error it can only be
   released. */
clsp_status shared_run_start(shared_run *r, bench *b, const char *suite, clsp_context *ctx,
                             const bezier_case *c, clsp_type precision);
void shared_run_release(shared_run *r);

/* "dynamic", "auto (svm), plain": by which schedule AUTO went at last, and into which memory. */
void shared_way_label(const shared_way *way, char *text, size_t size);

/* Evaluates once; user: a shared_way. */
clsp_status shared_way_run(void *user);

/* That as a contestant. A turn begins with a call that is not timed, so that each finds the caches
   as it leaves them itself: the one before may have written other memory. */
bench_contestant shared_way_contestant(shared_way *way);

/* Evaluates once into poisoned memory; *ran becomes whether that was by the schedule asked for.
   Where it was not, a note says why. */
clsp_status shared_way_try(shared_way *way, bool *ran);

/* Evaluates once into poisoned memory and compares all of it with the device's own: *worst in eps *
   largest control coordinate. CLSP_ERROR_STATE with a complaint where it is not within
   SHARED_DIFFERENCE. */
clsp_status shared_way_check(shared_way *way, double *worst);

/* The two halves of that, for results by other ways into the same memory. */
void shared_run_poison(const shared_run *r, shared_memory memory);
clsp_status shared_run_compare(const shared_run *r, shared_memory memory, const char *name,
                               double *worst);

/* A line with a time and its error. */
void shared_run_line(const shared_run *r, const char *method, bench_timing time, double error);

/* Checks a way that was measured and writes its line: frames are evaluations of the whole case. */
clsp_status shared_way_report(shared_way *way, const char *method, bench_timing time);

/* A line with a ratio; least and most may be NAN. */
void shared_run_ratio(const shared_run *r, const char *method, double ratio, double least,
                      double most);

/* What the host did in a report, and what the devices did together. */
clsp_processor_report shared_report_host(const clsp_report *report);
clsp_processor_report shared_report_devices(const clsp_report *report);

/* A context on the bench's queue with so many host workers (0: the default) and without stored
   speeds. */
clsp_status shared_context_create(bench *b, clsp_context **ctx, uint32_t num_workers);

#endif
