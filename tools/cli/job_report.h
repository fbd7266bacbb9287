/* The report of a run: what processors did in shared calls, in words, or all of it as JSON. */
#ifndef CLSPLINE_TOOLS_JOB_REPORT_H
#define CLSPLINE_TOOLS_JOB_REPORT_H

#include "request.h"

/* What a run has made, and the seconds that its stages took. */
typedef struct job_stage {
    const char *name;
    double seconds;
} job_stage;

typedef struct job_summary {
    const clsp_context *ctx; /* NULL: no device was used */
    const char *things;      /* "points" */
    uint64_t num;            /* of them */
    double seconds;          /* that computing them took */
    const job_stage *stages;
    size_t num_stages;
} job_summary;

/* Adds what a shared call did, and prints it where the request asks for words. */
void job_report_shared(const request *r, const char *what, const clsp_report *report);

/* Writes the report where the request asks for JSON. False with a complaint where that fails. */
bool job_report_write(const request *r, const job_summary *s);

#endif
