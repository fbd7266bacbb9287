/* The device set: what a context keeps for shared calls. The devices that take part, threads,
   speeds, memory. */
#ifndef CLSPI_DEVICE_SET_H
#define CLSPI_DEVICE_SET_H

#include "context_internal.h"
#include "joins.h"
#include "pool.h"
#include "speeds.h"

enum { CLSPI_MAX_DEVICES = CLSP_MAX_PROCESSORS - 1, CLSPI_IN_FLIGHT = 2 };

/* What jobs need on a device of the set. */
typedef struct clspi_device_state {
    cl_command_queue reads; /* a second queue, so that results move while kernels run; NULL: none */
    bool reads_tried;
    cl_mem staging[CLSPI_IN_FLIGHT], in_staging[CLSPI_IN_FLIGHT]; /* of results, of inputs */
    size_t capacity[CLSPI_IN_FLIGHT], in_capacity[CLSPI_IN_FLIGHT];
    int svm_test; /* the self-test of the svm schedule: 0 not made, 1 passed, -1 failed */
} clspi_device_state;

struct clspi_run;
struct clspi_block;

typedef struct clspi_device_set {
    clspi_context_helper helper; /* first: the context knows the set by it */
    clsp_context *ctx;
    pthread_mutex_t lock; /* of jobs, and of all below */
    uint32_t num_devices;
    clsp_context *contexts[CLSPI_MAX_DEVICES]; /* 0 is ctx */
    clspi_joins *joins;                        /* the others, as searched for rings */
    clspi_device_state states[CLSPI_MAX_DEVICES];
    clspi_pool pool;
    uint32_t cores;          /* that the process may use */
    uint32_t wanted_workers; /* as set; 0: the default */
    char *speeds_file;       /* NULL: the default; "": none */
    clspi_speeds speeds;
    pthread_mutex_t blocks_lock;
    struct clspi_block *blocks; /* of clsp_shared_alloc */
    void *counter;              /* of the tile queue: 128 bytes of fine-grain SVM; NULL: not made */
    struct clspi_run *run;      /* of the job at hand */
    atomic_uint_fast64_t tiles_us; /* when clspi_host_tiles last began or ended */
} clspi_device_set;

/* Gives the context's device set, made now if there is none. */
clsp_status clspi_device_set_of(clsp_context *ctx, clspi_device_set **set);

/* Gives the worker threads that share jobs with devices, by default or as set. */
uint32_t clspi_device_set_workers(const clspi_device_set *set);

/* Gives the worker threads of a job that the host has to itself, where the caller's thread is one
   more. */
uint32_t clspi_device_set_workers_alone(const clspi_device_set *set);

/* Tells whether workers that share with devices take no cores away from them. */
bool clspi_device_set_has_spare_cores(const clspi_device_set *set);

#endif
