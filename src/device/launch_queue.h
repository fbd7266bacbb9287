/* Jobs by persistent kernels (cl/device/launch_queue.clh): while a series has a queue, launches are
   noted in it for the unit of the job that is at hand. Each kernel becomes a persistent one, whose
   work-groups take units and make what was noted for them: with the bits of the launches. */
#ifndef CLSPI_LAUNCH_QUEUE_H
#define CLSPI_LAUNCH_QUEUE_H

#include "launch.h"

enum { CLSPI_QUEUE_KERNELS = 16 };

/* A kernel whose launches were noted. What is made of it stays for later jobs. */
typedef struct clspi_queued_kernel {
    cl_kernel of;
    const clspi_signature *signature;
    cl_program program; /* of the launches, whose context has it */
    cl_kernel kernel;   /* that makes them */
    size_t local, real_bytes;
    cl_mem memory[CLSPI_MAX_ARGUMENTS];
    uint32_t num_arguments;
    size_t num, room;               /* launches */
    size_t next;                    /* unit whose first launch is to be set */
    uint32_t *first;                /* [num_units + 1]: launches before each unit */
    uint32_t *groups;               /* [num] */
    unsigned char *values, *others; /* [num][launch_bytes]; [2][other_bytes]: what all launches have
                                       alike, and room to compare with it */
    size_t launch_bytes, other_bytes;
    char *at_values, *at_first; /* where they are for the kernel */
} clspi_queued_kernel;

/* All 0 at first; clspi_launch_queue_release must follow. */
typedef struct clspi_launch_queue {
    clsp_context *ctx;
    clspi_queued_kernel kernels[CLSPI_QUEUE_KERNELS]; /* those of this job first, in their order */
    uint32_t num_kernels, num_used;
    size_t num_units, unit; /* of the job; the one at hand */
    size_t scratch;         /* of the job so far, in reals */
    cl_mem target;          /* stands for the result */
    void *out;              /* the result, in fine-grain SVM */
    void *memory;           /* what kernels read of the queue, in fine-grain SVM */
    size_t memory_bytes;
} clspi_launch_queue;

/* Begins a job of so many units whose result is to be in fine-grain SVM: launches of the series are
   noted for unit 0. Their result is queue->target. */
clsp_status clspi_launch_queue_begin(clspi_launch_queue *queue, clspi_series *series, void *out,
                                     size_t num_units);

/* Returns where so many reals begin in memory by which kernels of a series hand on what they make
   to those that follow: at 0, or in a queue behind what was asked for before. */
size_t clspi_scratch_of(const clspi_series *series, size_t reals);

/* Notes a launch for unit queue->unit, which does not fall. The kernels of a job follow each other
   for the whole of it. Errors: CLSP_ERROR_STATE for one that persistent kernels cannot make. */
clsp_status clspi_launch_queue_add(clspi_launch_queue *queue, const clspi_kernel *kernel,
                                   const void *args, size_t items);

/* Ends noting, and enqueues the persistent kernels where the status is CLSP_OK. counter: two
   int32_t in fine-grain SVM: units that are taken, from which other processors take too, and how
   many of the last ones are left to these. Returns the status. */
clsp_status clspi_launch_queue_end(clspi_launch_queue *queue, clspi_series *series, void *counter,
                                   clsp_status status);

void clspi_launch_queue_release(clspi_launch_queue *queue);

#endif
