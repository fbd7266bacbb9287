/* One shared call: what running a schedule, choosing one and tuning pass to each other. */
#ifndef CLSPI_SCHEDULE_H
#define CLSPI_SCHEDULE_H

#include "run.h"

enum { CLSPI_REASON_MAX = 128 };

typedef struct clspi_shared_call {
    clspi_device_set *set;
    const clspi_job *job;
    const clsp_share *opts;
    clspi_run *run;
    clspi_record *record;               /* NULL without memory: nothing is known then */
    uint32_t workers;                   /* threads that share with devices */
    uint32_t workers_alone;             /* of the host alone, besides the calling one */
    bool persistent[CLSPI_MAX_DEVICES]; /* which devices run the svm schedule's kernel */
    bool usable[CLSP_NUM_SCHEDULES];
    char reasons[CLSP_NUM_SCHEDULES][CLSPI_REASON_MAX]; /* why one is not usable, or not taken */
    size_t first;                                       /* tiles before it are made: by probes */
    double begin_ms;                                    /* of the call */
    double probe_ms;
    double built_ms; /* building programs, before the call */
} clspi_shared_call;

/* Sets the numbers of workers of a call, as its options say. */
void clspi_shared_call_workers(clspi_shared_call *call);

/* Reads the file of speeds if it has not been, and finds the record of the job's key. */
void clspi_shared_call_speeds(clspi_shared_call *call);

/* Gives the name of the file of speeds; malloc'ed, NULL for none. *named: by the user. */
char *clspi_shared_call_speeds_path(const clspi_shared_call *call, bool *named);

/* Chooses the usable schedule that should end first, or one whose speed has to be learned, and
   fills the reasons of the others (choose.c). AUTO when none is usable. */
clsp_schedule clspi_choose(clspi_shared_call *call);

/* Learns from a job that ran (choose.c). ms: from its first tile on. */
void clspi_learn(clspi_shared_call *call, clsp_schedule schedule, double ms);

/* Gives one processor `count` tiles from call->first on, and the others none. */
void clspi_shared_call_alone(clspi_shared_call *call, uint32_t processor, size_t count);

/* Fills a report with what the processors did. */
void clspi_shared_call_report(const clspi_shared_call *call, clsp_schedule schedule,
                              clsp_report *report);

#endif
