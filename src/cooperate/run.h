/* A job while it runs. It is made in rounds: in one, every processor that takes part takes tiles
   until there are none; what a processor that failed has left is for the next round. */
#ifndef CLSPI_RUN_H
#define CLSPI_RUN_H

#include "job.h"
#include "span.h"
#include "team.h"

/* What a processor does in a job. */
typedef struct clspi_part {
    _Atomic clsp_status status; /* not CLSP_OK: it dropped out */
    bool wanted;                /* it may take part in this job at all */
    clspi_span *span;           /* where it takes tiles from; NULL: it takes none in this round */
    bool guided;                /* a device: sizes guided by speeds; else `piece` tiles */
    size_t piece;
    atomic_size_t tiles;
    atomic_size_t chunks;
    _Atomic uint64_t rate; /* tiles a second, at its last chunk; 0: not known */
    double busy_ms, move_ms;
    double begin_ms, end_ms; /* from its first tile to its last in this round */
} clspi_part;

typedef struct clspi_run {
    clspi_team *team;
    const clspi_job *job;
    bool in_svm; /* the result is in memory that devices share */
    uint32_t num_devices;
    uint32_t host;    /* its number among the parts: the last */
    uint32_t workers; /* threads of the pool that work for the host in this round */
    uint32_t num_feeders;
    uint32_t feeders[CLSPI_MAX_DEVICES]; /* devices of this round; the caller's thread feeds 0 */
    double round_ms;                     /* when the round began */
    double first_ms;                     /* when the first one did; 0: none yet */
    uint32_t most_workers;               /* threads that worked for the host in a round, at most */
    clspi_part parts[CLSP_MAX_PROCESSORS];
    clspi_span spans[CLSP_MAX_PROCESSORS];
    clspi_returns returns;
    pthread_mutex_t lock; /* of the host's times, which its workers add to */
    clsp_status last;     /* of the processor that failed last */
} clspi_run;

/* NULL without memory. */
clspi_run *clspi_run_create(void);
void clspi_run_destroy(clspi_run **run);

/* Begins a job. bit_equal: without the host and devices other than the first one's like. */
void clspi_run_begin(clspi_run *run, clspi_team *team, const clspi_job *job, bool bit_equal);

/* Whether a processor is there and has not dropped out. */
bool clspi_run_alive(const clspi_run *run, uint32_t processor);

/* Nobody takes tiles until it is said so. What is left of spans is given back. */
void clspi_run_clear(clspi_run *run);

/* One round, as spans of the parts say, with at most so many threads for the host besides the
   caller's, which works for it when it has no device to feed. Host workers are numbered 0 ..
   workers. */
void clspi_run_round(clspi_run *run, uint32_t workers);

/* A round of another kind begins now, with so many threads that work for the host. */
void clspi_run_start_clock(clspi_run *run, uint32_t workers);

/* Rounds until all that was given back is made, by whoever is left; then CLSP_OK. */
clsp_status clspi_run_finish(clspi_run *run, uint32_t workers);

/* The next tiles of a processor: of its span, else of what was given back. */
bool clspi_run_take(clspi_run *run, uint32_t processor, size_t wanted, clspi_range *range);

/* A processor drops out. */
void clspi_run_drop(clspi_run *run, uint32_t processor, clsp_status status);

/* A device's round (feed.c): keeps chunks in flight until there are no tiles. */
void clspi_feed(clspi_run *run, uint32_t device);

/* Tiles of one launch when a device has `count` of them to itself: all, but where results move by
   themselves, a part, so that they move while the next ones are made. */
size_t clspi_feed_piece(const clspi_job *job, const clsp_device_info *info, size_t count);

/* What a launch costs, and a call that wakes the host's workers; before anything was measured. */
double clspi_launch_ms(const clsp_device_info *info);
#define CLSPI_WAKE_MS 0.05

#endif
