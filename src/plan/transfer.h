/* Carrying out a call on memory of any kind: at once where it is the device's. Where some is the
   host's, in parts: kernels work on it where it is, where device and host have the same memory;
   else it moves through staging buffers, on devices with memory of their own through pinned memory
   and beside the kernels of the next part. */
#ifndef CLSPI_TRANSFER_H
#define CLSPI_TRANSFER_H

#include "stream.h"

typedef struct clspi_job_streams {
    clspi_stream stream[CLSPI_MAX_STREAMS];
    uint32_t num;
} clspi_job_streams;

/* Makes the lines of a part, from and into the streams' buffers. */
typedef clsp_status (*clspi_make_fn)(void *user, clspi_series *series, const clspi_part *part);

/* Carries out the lines of `cut` as one call; the streams are closed in every case. */
clsp_status clspi_run_streams(clspi_plan *plan, const clsp_run *run, clspi_job_streams *streams,
                              clspi_cut cut, clspi_make_fn make, void *user);

void clspi_streams_close(clspi_job_streams *streams);

#endif
