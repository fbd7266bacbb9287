/* Samples of a grid at parameters of the caller's own (clsp_axis.params). */
#ifndef CLSPI_OWN_SAMPLES_H
#define CLSPI_OWN_SAMPLES_H

#include "options.h"
#include "tensor_desc.h"

typedef struct clspi_own_samples {
    double *params[3]; /* copies; NULL: the axis is uniform */
    /* [samples of all axes][CLSPI_ROW_RANGE_SAMPLE_REALS] in the precision: the parameter, its
       distances from the domain's begin and end, of bases with bands 1 more than the number of its
       first control point, and what rounding has taken from the parameter; NULL: not made */
    cl_mem buffer;
} clspi_own_samples;

/* Tells whether some axis was given parameters of its own. */
bool clspi_own_samples_given(const clspi_own_samples *samples);

/* Tells whether some axis has parameters of its own, which are not those of a uniform one. */
bool clspi_has_own_samples(const clspi_tensor_desc *desc);

/* Lets the axes of a family's description have the plan's copies of their parameters. Where the
   plan has not taken a description (status), axes with parameters are none: the caller's may be
   gone. */
void clspi_own_samples_describe(const clspi_own_samples *samples, clsp_status status,
                                clsp_axis axis[3]);

/* Takes the parameters from axes where they are those of a uniform one with the same ends, which
   then makes them, and the same bits. */
void clspi_own_samples_simplify(clsp_axis axis[3]);

/* Tells whether tables of basis values make a description's vertices at such samples: no bands of
   terms that jump to and fro, and normals on no other sides of the grid than its own. */
bool clspi_own_samples_fit_tables(const clspi_tensor_desc *desc);

/* Tells whether vertices that tables make need the samples beside these. */
bool clspi_needs_own_samples(const clspi_tensor_desc *desc);

/* Adds CLSP_OWN_SAMPLES for vertices of which kernels need parameters of one's own. */
void clspi_own_samples_option(clspi_options *options, const clspi_tensor_desc *desc);

/* Brings the samples of all axes to the device, where that has not been done. */
clsp_status clspi_own_samples_upload(clspi_own_samples *samples, clspi_series *series,
                                     const clspi_tensor_desc *desc);

void clspi_own_samples_release(clspi_own_samples *samples);

#endif
