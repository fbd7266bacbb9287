/* A B-spline of a STEP file as it stands there: Euclidean control points, and weights. */
#ifndef CLSPLINE_TOOLS_IO_STEP_SPLINE_H
#define CLSPLINE_TOOLS_IO_STEP_SPLINE_H

#include "splines.h"
#include "step_file.h"

typedef struct step_spline {
    step_file *f;
    spline made; /* not rational yet */
    double *weights;
    size_t num_weights; /* 0: it has none */
    size_t weight_capacity;
    uint32_t *times[2]; /* multiplicities of knots */
    size_t num_times[2], times_capacity[2];
} step_spline;

/* Reads an instance, which takes the place of what was there. False with a message. */
bool step_spline_read(step_spline *r, const step_instance *of);

/* Releases all memory; f stays. */
void step_spline_clear(step_spline *r);

#endif
