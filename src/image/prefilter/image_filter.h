/* The prefilter of a plan: from samples to coefficients, in steps. */
#ifndef CLSPI_IMAGE_FILTER_H
#define CLSPI_IMAGE_FILTER_H

#include "image_layout.h"
#include "launch.h"
#include "spline_poles.h"

/* What a step reads or writes. */
typedef enum clspi_step_memory {
    CLSPI_STEP_SAMPLES,
    CLSPI_STEP_COEFFICIENTS,
    CLSPI_STEP_SCRATCH /* and the next one: planes of reals */
} clspi_step_memory;

enum { CLSPI_STEPS_MAX = 3 * POLES_MAX + 2, CLSPI_SCRATCHES = 2 };

typedef struct clspi_filter_step {
    enum {
        CLSPI_STEP_COPY,
        CLSPI_STEP_RECURSION,
        CLSPI_STEP_COLUMNS, /* a recursion in registers */
        CLSPI_STEP_TILES,   /* two, in registers */
        CLSPI_STEP_STRIPS,  /* two, down strips */
        CLSPI_STEP_FIR,
        CLSPI_STEP_STAGED,    /* the same through local memory */
        CLSPI_STEP_FIR_STRIPS /* two, down strips */
    } kind;
    uint32_t axis; /* 0 z, 1 y, 2 x; of two directions 1, with x */
    double pole;
    uint32_t halo;          /* of FIR: half its taps */
    bool whole_lines;       /* an item has a whole line */
    uint32_t rows;          /* of a strip */
    uint32_t made[3][2];    /* along each direction the first coefficient that it makes, where a
                               block begins, and one behind the last */
    clspi_step_memory from; /* samples, scratch 0 or 1 */
    clspi_step_memory to;   /* coefficients, scratch 0 or 1 */
    clspi_kernel kernel;
} clspi_filter_step;

typedef struct clspi_image_filter {
    clspi_filter_step step[CLSPI_STEPS_MAX];
    uint32_t num;
    uint32_t made[3][2];  /* what all steps make of the samples: others are NaN */
    clspi_kernel outside; /* that says so; of parts */
    cl_mem taps;          /* of FIR: half + 1 reals */
    cl_mem scratch[CLSPI_SCRATCHES];
    size_t scratch_bytes[CLSPI_SCRATCHES];
} clspi_image_filter;

typedef struct clsp_image_plan clsp_image_plan;

/* Checks that a plan can have the kernels that it asks for; chooses the steps of its filter and
   makes their kernels, of which it has none where the host filters. */
clsp_status clspi_image_filter_create(clsp_image_plan *plan);

/* Finds the taps of a FIR prefilter, h_0 on. */
clsp_status clspi_image_find_taps(const clsp_image_plan *plan,
                                  double taps[CLSP_IMAGE_MAX_TAPS / 2 + 1]);

/* Builds the programs of a plan's steps ahead of use. The plan has a context, a description and a
   layout. */
clsp_status clspi_image_filter_build(const clspi_build *build, const clsp_image_plan *plan);
void clspi_image_filter_release(clspi_image_filter *filter);

/* One channel of an image; or planes one behind another, as slices of a layout that is the plan's
   but for their number, or channels that alternate. */
typedef struct clspi_filter_job {
    const clspi_image_layout *layout;
    cl_mem samples;
    uint32_t channels; /* that alternate, of which there are whole images; else 1 */
    size_t offset;     /* of the first sample */
    size_t plane;      /* the first one's number among the plan's */
    cl_mem from, to;   /* of a step */
} clspi_filter_job;

/* Runs one step from job->from to job->to, each of the stored size of job->layout. */
clsp_status clspi_image_filter_step(const clsp_image_plan *plan, clspi_series *series, uint32_t i,
                                    const clspi_filter_job *job);

/* Returns at multiples of how many coefficients of a direction the blocks of a step begin, which
   are filtered by themselves; 0: it has whole lines. The plan's filter is the step's. */
uint32_t clspi_image_step_block(const clsp_image_plan *plan, const clspi_filter_step *step,
                                uint32_t axis);

/* Tells by which of the three exact modes the prefilter continues a line. */
uint32_t clspi_image_filter_mode(uint32_t mode);

/* Makes the coefficients of a job. */
clsp_status clspi_image_filter_run(clsp_image_plan *plan, clspi_series *series,
                                   const clspi_filter_job *job);

#endif
