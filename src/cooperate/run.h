/* A job while it runs. It is made in rounds: in one, every participant takes tiles until there are
   none; what a processor that failed has left is requeued for the next round. */
#ifndef CLSPI_RUN_H
#define CLSPI_RUN_H

#include "device_set.h"
#include "job.h"
#include "tile_range.h"

/* What a processor does in a job. */
typedef struct clspi_participant {
    _Atomic clsp_status status;   /* not CLSP_OK: it dropped out */
    bool wanted;                  /* it may take part in this job at all */
    clspi_tile_range *tile_range; /* where it takes tiles; NULL: it takes none in this round */
    bool guided;                  /* a device: chunks are guided by speeds; else chunk_tiles each */
    size_t chunk_tiles;
    atomic_size_t tiles;     /* that it made */
    atomic_size_t chunks;    /* that it made */
    atomic_size_t at_work;   /* tiles of chunks that a device has begun and not made */
    _Atomic double begin_ms; /* of the device's last chunk */
    _Atomic uint64_t rate;   /* tiles a second, at its last chunk; 0: not known */
    double busy_ms, move_ms;
} clspi_participant;

typedef struct clspi_run {
    clspi_device_set *set;
    const clspi_job *job;
    bool in_svm; /* the result is in memory that devices share */
    uint32_t num_devices;
    uint32_t host;       /* its number among the participants: the last */
    uint32_t workers;    /* threads of the pool that work for the host in this round */
    size_t left_to_host; /* units of a queue, the last ones, that devices do not take */
    uint32_t num_dispatched;
    uint32_t dispatched[CLSPI_MAX_DEVICES]; /* devices of this round; the caller's thread dispatches
                                               to the first */
    double round_ms;                        /* when the round began */
    double first_ms;                        /* when the first one did; 0: none yet */
    uint32_t most_workers; /* threads that worked for the host in a round, at most */
    clspi_participant participants[CLSP_MAX_PROCESSORS];
    clspi_tile_range tile_ranges[CLSP_MAX_PROCESSORS];
    clspi_requeued requeued;
    pthread_mutex_t lock; /* of the host's times, which its workers add to */
    clsp_status last;     /* of the processor that failed last */
} clspi_run;

/* Makes a run for clspi_run_begin; NULL without memory. */
clspi_run *clspi_run_create(void);
void clspi_run_destroy(clspi_run **run);

/* Begins a job. bit_equal: without the host and devices other than the first one's like. */
void clspi_run_begin(clspi_run *run, clspi_device_set *set, const clspi_job *job, bool bit_equal);

/* Tells whether a processor is there and has not dropped out. */
bool clspi_run_alive(const clspi_run *run, uint32_t processor);

/* Gives each device the mean speed of devices like it, unless its own differs from the mean by a
   quarter or more: speeds that few chunks tell vary by as much. */
void clspi_run_even_rates(clspi_run *run);

/* Takes the tile ranges away from all participants, and requeues what is left of them. */
void clspi_run_clear(clspi_run *run);

/* Runs one round, as tile ranges of the participants say, with at most so many threads for the host
   besides the caller's, which works for it when there is no device to dispatch to. Host workers are
   numbered 0 .. workers. */
void clspi_run_round(clspi_run *run, uint32_t workers);

/* Notes that a round of another kind begins now, with so many threads that work for the host. */
void clspi_run_start_clock(clspi_run *run, uint32_t workers);

/* Runs rounds until all requeued tiles are made, by whoever is left; then CLSP_OK. */
clsp_status clspi_run_finish(clspi_run *run, uint32_t workers);

/* Takes the next tiles for a processor: of its tile range, else requeued ones. */
bool clspi_run_take(clspi_run *run, uint32_t processor, size_t wanted, clsp_range *taken);

/* Makes tiles on a host worker and counts them; when they fail, requeues them, drops the host and
   returns false. */
bool clspi_run_make(clspi_run *run, uint32_t worker, clsp_range tiles);

/* Adds to the time that host workers made tiles. */
void clspi_run_add_busy(clspi_run *run, double ms);

/* Drops a processor out of the run, with a warning. */
void clspi_run_drop(clspi_run *run, uint32_t processor, clsp_status status);

/* Dispatches tiles to a device (dispatch.c): keeps chunks in flight until there are no tiles. */
void clspi_dispatch(clspi_run *run, uint32_t device);

/* Gives the tiles of a chunk when a device has `count` of them to itself: all, but where results
   move by themselves, a part, so that they move while the next ones are made. */
size_t clspi_chunk_tiles(const clspi_job *job, const clsp_device_info *info, size_t count);

/* Gives what a launch costs, before anything was measured. */
double clspi_launch_ms(const clsp_device_info *info);

/* What a call costs that wakes the host's workers, before anything was measured. */
#define CLSPI_WAKE_MS 0.05

#endif
