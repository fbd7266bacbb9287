/* One job by several devices: each makes a range of the items and keeps the results, or all make
   one result in host memory as contexts that have joined. */
#ifndef BENCH_GPUS_RUN_H
#define BENCH_GPUS_RUN_H

#include "gpus_job.h"

enum { GPUS_MOST = 8 };

/* Devices of the same name, platform and driver, the benchmark's own first. */
typedef struct gpus_set {
    bench *b;
    cl_device_id device[GPUS_MOST];
    size_t num;
    gpus_seat seat[GPUS_MOST];
} gpus_set;

/* Finds the devices there are. */
clsp_status gpus_set_find(gpus_set *set, bench *b);

/* Make, and release, a new context on each of the first `num` devices; where there is but one, on
   that one. */
clsp_status gpus_set_open(gpus_set *set, size_t num);
void gpus_set_close(gpus_set *set);

/* What came of a job with results left on the devices. */
typedef struct gpus_apart {
    bench_timing time, prepare; /* prepare: median 0 where the job has none */
    uint64_t fingerprint;       /* of the whole result */
} gpus_apart;

clsp_status gpus_run_apart(const gpus_set *set, const gpus_job *job, gpus_apart *result);

/* What came of one with its result in host memory. */
typedef struct gpus_joined {
    bench_timing time, prepare;
    bench_timing pinned; /* of a copy of as many bytes from the devices to pinned memory */
    clsp_report report;
} gpus_joined;

/* The contexts join the first one, for good. expected: [result's bytes], filled by one device,
   compared with by several: CLSP_ERROR_STATE where bits differ. */
clsp_status gpus_run_joined(const gpus_set *set, const gpus_job *job, void *expected,
                            gpus_joined *result);

#endif
