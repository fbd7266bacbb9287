/* What a context keeps for shared calls: the devices that take part, threads, speeds, memory. */
#ifndef CLSPI_TEAM_H
#define CLSPI_TEAM_H

#include "context_internal.h"
#include "pool.h"
#include "speeds.h"

enum { CLSPI_MAX_DEVICES = CLSP_MAX_PROCESSORS - 1, CLSPI_IN_FLIGHT = 2 };

/* A device of the team, and what jobs need on it. */
typedef struct clspi_lane {
    cl_command_queue reads; /* a second queue, so that results move while kernels run; NULL: none */
    bool reads_tried;
    cl_mem staging[CLSPI_IN_FLIGHT];
    size_t capacity[CLSPI_IN_FLIGHT];
    int pops; /* the self-test of the svm rung: 0 not made, 1 passed, -1 failed */
} clspi_lane;

struct clspi_run;
struct clspi_block;

typedef struct clspi_team {
    clspi_guest guest; /* first: the context knows the team by it */
    clsp_context *ctx;
    pthread_mutex_t lock; /* of jobs, and of all below */
    uint32_t num_devices;
    clsp_context *contexts[CLSPI_MAX_DEVICES]; /* 0 is ctx */
    clspi_lane lanes[CLSPI_MAX_DEVICES];
    clspi_pool pool;
    uint32_t cores;          /* that the process may use */
    uint32_t wanted_workers; /* as set; 0: the default */
    char *speeds_file;       /* NULL: the default; "": none */
    clspi_speeds speeds;
    pthread_mutex_t blocks_lock;
    struct clspi_block *blocks; /* of clsp_shared_alloc */
    void *counter;              /* 128 bytes of fine-grain SVM; NULL: not made */
    struct clspi_run *run;      /* of the job at hand */
} clspi_team;

/* The context's team, made now if there is none. */
clsp_status clspi_team_of(clsp_context *ctx, clspi_team **team);

/* Worker threads that share jobs with devices by default or as set; those of a job that the host
   has to itself, where the caller's thread is one more; and whether the former are left over by
   the devices, or take cores away from them. */
uint32_t clspi_team_workers(const clspi_team *team);
uint32_t clspi_team_workers_alone(const clspi_team *team);
bool clspi_team_has_spare_cores(const clspi_team *team);

#endif
