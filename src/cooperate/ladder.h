/* One shared call: what the ladder, the choice of a rung and tuning pass to each other. */
#ifndef CLSPI_LADDER_H
#define CLSPI_LADDER_H

#include "run.h"

enum { CLSPI_REASON_MAX = 128 };

typedef struct clspi_call {
    clspi_team *team;
    const clspi_job *job;
    const clsp_cooperate_opts *opts;
    clspi_run *run;
    clspi_record *record;          /* NULL without memory: nothing is known then */
    uint32_t workers;              /* threads that share with devices */
    uint32_t workers_alone;        /* of the host alone, besides the calling one */
    bool takes[CLSPI_MAX_DEVICES]; /* which devices pop on the svm rung */
    bool usable[CLSP_NUM_RUNGS];
    char reasons[CLSP_NUM_RUNGS][CLSPI_REASON_MAX]; /* why a rung is not usable, or not taken */
    size_t first;                                   /* tiles before it are made: by probes */
    double begin_ms;                                /* of the call */
    double probe_ms;
} clspi_call;

/* Workers of a call, as its options say. */
void clspi_call_workers(clspi_call *call);

/* Reads the file of speeds if it has not been, and finds the record of the job's key. */
void clspi_call_speeds(clspi_call *call);

/* Name of the file of speeds; malloc'ed, NULL for none. */
char *clspi_call_speeds_path(const clspi_call *call, bool *named);

/* The usable rung that should end first, or one whose speed has to be learned; fills the reasons of
   the others (choose.c). AUTO when none is usable. */
clsp_rung clspi_choose(clspi_call *call);

/* Learns from the job that ran (choose.c). ms: from its first tile on. */
void clspi_learn(clspi_call *call, clsp_rung rung, double ms);

/* One processor has all tiles from call->first on, or `count` of them. */
void clspi_call_alone(clspi_call *call, uint32_t processor, size_t count);

/* What the processors did. */
void clspi_call_report(const clspi_call *call, clsp_rung rung, clsp_cooperate_report *report);

#endif
