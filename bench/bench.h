/* What the suites of the benchmark program share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include <CL/cl.h>
#include <clspline/clspline.h>

#include "floor.h"
#include "report.h"

/* Leaves the function by its label `fail` with `status` set when a call does not succeed. */
#define BENCH_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CLSP_OK) goto fail;                                                          \
    } while (0)

#define BENCH_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Arrays indexed by a precision, CLSP_F32 or CLSP_F64, have this length. */
enum { BENCH_PRECISIONS = CLSP_F64 + 1 };

typedef struct bench {
    const char *program; /* argv[0] */
    bool quick;
    const char *cases;             /* a glob of the names of cases to run, or NULL for all */
    bool any_case;                 /* one has run */
    uint32_t workers;              /* that share with the device; 0: the library's own choice */
    bool wanted[BENCH_PRECISIONS]; /* asked for, and the device has it */
    clsp_context *ctx;
    clsp_device_info info;
    cl_command_queue queue; /* NULL: the host without OpenCL, for suites that measure it */
    cl_context context;
    bool has_methods;         /* the library is built with the published methods */
    bool is_cpu, is_discrete; /* as the device says, not as CLSPLINE_LIMITS has it */
    bench_report *report;
    bench_floor floor[BENCH_PRECISIONS];
    bool has_floor;
} bench;

/* Hands a status on, with a line on stderr when it is an error. */
clsp_status bench_check(clsp_status status, const char *what);

/* Messages of the library's contexts go to stderr, save those for information. */
void bench_log(void *user, clsp_log_level level, const char *message);

/* Says whether the case is to run. */
bool bench_wants(bench *b, const char *name);

/* Bytes of the largest outputs: several times a cache, within what the device can hold. */
size_t bench_large_bytes(const bench *b);

clsp_status bench_suite_floor(bench *b);
clsp_status bench_suite_bezier(bench *b);
clsp_status bench_suite_bspline(bench *b);
clsp_status bench_suite_figures(bench *b);
clsp_status bench_suite_outputs(bench *b);
clsp_status bench_suite_patch36(bench *b);
clsp_status bench_suite_convert(bench *b);
clsp_status bench_suite_project(bench *b);
clsp_status bench_suite_processors(bench *b);
clsp_status bench_suite_image(bench *b);
clsp_status bench_suite_solid(bench *b);
clsp_status bench_suite_cooperate(bench *b);
clsp_status bench_suite_render(bench *b);
clsp_status bench_suite_gpus(bench *b);
clsp_status bench_suite_first_call(bench *b);

/* The work of a child process of the first-call suite; see there. Returns the exit status. */
int bench_first_call_child(int argc, char **argv);

#endif
