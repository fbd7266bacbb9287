/* Control points of derivatives: differences of those of a patch (differences.cl). */
#ifndef CLSPI_DIFFERENCES_H
#define CLSPI_DIFFERENCES_H

#include "tensor_desc.h"

/* A derivative's control points, of the order by[k] in direction k. */
typedef struct clspi_difference_job {
    const uint32_t *by; /* [3] */
    cl_mem points;      /* [num_patches][controls][coords] */
    size_t num_patches;
    cl_mem out; /* [num_patches][controls - by][coords] */
} clspi_difference_job;

clsp_status clspi_differences(clspi_series *series, const clspi_tensor_desc *desc,
                              const clspi_difference_job *job);

/* Builds the program of a derivative ahead of use. */
clsp_status clspi_differences_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                    const uint32_t by[3]);

#endif
