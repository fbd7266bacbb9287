/* Sharing work between processors, as the command line asks for it: the words, further devices, and
   the report. */
#ifndef CLSPLINE_TOOLS_SHARING_H
#define CLSPLINE_TOOLS_SHARING_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "command.h"

enum { SHARING_MAX_JOINED = CLSP_MAX_PROCESSORS - 2 }; /* beside the first device and the host */

/* What processors did in all shared calls of a run. */
typedef struct sharing_totals {
    uint64_t calls, calls_by[CLSP_NUM_SCHEDULES];
    char reasons[CLSP_NUM_SCHEDULES][128]; /* why a schedule was not taken, the last time */
    double build_ms;
    uint32_t num;
    clsp_processor_report processors[CLSP_MAX_PROCESSORS];
} sharing_totals;

/* What was asked for. Zero: nothing. */
typedef struct sharing_request {
    bool cooperate, report;
    clsp_share opts;
    uint32_t num_workers; /* of the context, where --workers is given */
    const char *joined[SHARING_MAX_JOINED];
    size_t num_joined;      /* may be more, which request_read refuses */
    sharing_totals *totals; /* of the run; NULL: nobody asks */
} sharing_request;

struct option;
struct request;

/* Read the values of --cooperate and --join into a sharing_request. False: they must be others. */
bool sharing_read_schedule(void *place, const struct option *o, const char *text);
bool sharing_read_joined(void *place, const struct option *o, const char *text);

/* A context and those whose devices joined it. */
typedef struct sharing_contexts {
    clsp_context *ctx;
    clsp_context *joined[SHARING_MAX_JOINED];
} sharing_contexts;

/* Opens the device that was asked for and those to join. Complains on
   failure; what was opened until then is closed by sharing_close. */
bool sharing_open(sharing_contexts *c, const struct request *r);
void sharing_close(sharing_contexts *c);

/* What one call did, in lines that begin with `what`. */
void sharing_print(FILE *file, const char *what, const clsp_report *report);

#endif
