/* Carrying out a call on memory of any kind: at once where it is the device's, in parts through
   staging buffers where some of it is the host's. */
#ifndef CLSPI_TRANSFER_H
#define CLSPI_TRANSFER_H

#include "memory.h"
#include "split.h"

/* One memory of a call: so many elements of it belong to each line of the job. */
typedef struct clspi_stream {
    clspi_memory memory;
    size_t per_line;
    bool written;  /* an output; else an input */
    bool has_gaps; /* of an output: some elements of a line stay as they are */
    /* where the lines of the part at hand begin: set for the function that makes them */
    cl_mem buffer;
    size_t offset; /* elements */
} clspi_stream;

typedef struct clspi_job_streams {
    clspi_stream stream[CLSPI_MAX_STREAMS];
    uint32_t num;
} clspi_job_streams;

/* Makes the lines of a part, from and into the streams' buffers. */
typedef clsp_status (*clspi_make_fn)(void *user, clspi_series *series, const clspi_part *part);

/* Carries out the lines of `cut` as one call; the streams are closed in every case. */
clsp_status clspi_carry_out(clspi_plan *plan, const clsp_sync *sync, clspi_job_streams *streams,
                            clspi_cut cut, clspi_make_fn make, void *user);

/* Returns how many lines of so many bytes one staging buffer takes. */
size_t clspi_staging_lines(const clspi_plan *plan, size_t line_bytes);

void clspi_streams_close(clspi_job_streams *streams);

#endif
