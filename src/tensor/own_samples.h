/* Samples of a grid at parameters of the caller's own (clsp_axis.params). */
#ifndef CLSPI_OWN_SAMPLES_H
#define CLSPI_OWN_SAMPLES_H

#include "tensor_desc.h"

enum { CLSPI_SAMPLE_REALS = 4 }; /* of a sample on the device: SAMPLE_REALS of eval_points.clh */

typedef struct clspi_own_samples {
    double *params[3]; /* copies; NULL: the axis is uniform */
    cl_mem buffer;     /* [samples of all axes][CLSPI_SAMPLE_REALS] in the precision: the parameter,
                          its distances from the domain's begin and end, and of bases with bands 1
                          more than the number of its first control point; NULL: not made */
} clspi_own_samples;

/* Tells whether some axis has parameters of its own. */
bool clspi_has_own_samples(const clspi_tensor_desc *desc);

/* Tells whether tables of basis values make a description's vertices at such samples: not what
   needs the samples themselves, and no bands of terms that jump to and fro. */
bool clspi_own_samples_fit_tables(const clspi_tensor_desc *desc);

/* Brings the samples of all axes to the device, where that has not been done. */
clsp_status clspi_own_samples_bring(clspi_own_samples *samples, clspi_series *series,
                                    const clspi_tensor_desc *desc);

void clspi_own_samples_release(clspi_own_samples *samples);

#endif
