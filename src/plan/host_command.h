/* Work of the host's on buffers, as commands of a call: where its code is faster than a CPU
   device's kernels. */
#ifndef CLSPI_HOST_COMMAND_H
#define CLSPI_HOST_COMMAND_H

#include "memory.h"
#include "native.h"

/* Tiles that the host makes. What make reads is the job's own or in the buffers: the plan and its
   context may be gone when it runs. */
typedef struct clspi_host_command {
    void (*make)(const void *job, void *const *memory, clsp_range tiles); /* by several threads */
    void (*release)(void *job);
    void *job;
    size_t num_tiles;
    double all_ns; /* that they take about */
} clspi_host_command;

/* Tells whether a call's commands may be the host's work, by its memory alone: of buffers. */
bool clspi_is_host_command(const clspi_plan *plan, const clsp_run *run, const clspi_memory *memory);

/* Enqueues the work, with at most CLSPI_NATIVE_BUFFERS buffers, of which the last is none of the
   others. The job is released in every case. */
clsp_status clspi_host_command_enqueue(clspi_series *series, const clspi_host_command *command,
                                       const cl_mem *buffers, cl_uint num);

#endif
