/* Jobs for several devices, of all families. Each device makes a range of a job's items by a plan
   of its own. */
#ifndef BENCH_GPUS_JOB_H
#define BENCH_GPUS_JOB_H

#include "bench.h"

/* A device's context, or another one on the same device. */
typedef struct gpus_seat {
    clsp_context *ctx;
    cl_command_queue queue; /* the context's */
    cl_context context;
} gpus_seat;

typedef struct gpus_job gpus_job;

/* A part of a job on one device: the plan, and inputs of the part's items. */
typedef struct gpus_part {
    const bench *b;
    const gpus_job *job;
    gpus_seat seat;
    clsp_range items;
    bool in_host; /* inputs are in host memory, and so will results be */
    union {
        clsp_patch_plan *plan;
        clsp_image_plan *image;
        clsp_solid_plan *solid;
    };
    cl_mem input;
    float *host_input;
    size_t first_input, num_input; /* the numbers that are there, among those of the whole job */
} gpus_part;

/* All in float. Calls go to the part's context; those with a share, to all that have joined it. */
struct gpus_job {
    char name[64];
    size_t num_items, item_reals; /* of the result */
    size_t order, side;           /* of patches; of a box, a slice */
    uint32_t samples;             /* of patches and cells, along each direction */
    size_t turns; /* how many times devices make their items before they are waited for: so many
                     that four of them take more than 10 ms */
    double item_points;
    const char *unit;
    /* Makes the plan and brings there what the part's items need. */
    clsp_status (*start)(gpus_part *part);
    /* Makes some of the part's items. */
    clsp_status (*eval)(const gpus_part *part, clsp_range items, clsp_output out,
                        const clsp_run *run);
    /* Makes again what `start` has made of the inputs, where that is worth measuring; or NULL. */
    clsp_status (*prepare)(const gpus_part *part, const clsp_run *run);
    void (*release)(gpus_part *part);
};

enum { GPUS_JOBS = 5 };

/* Describe all jobs with results of about so many bytes, or of fewer where that is enough. */
void gpus_jobs_of(size_t bytes, gpus_job jobs[GPUS_JOBS]);

#endif
