/* One memory of a call, part by part: brought where the device's kernels reach it, and back. */
#ifndef CLSPI_STREAM_H
#define CLSPI_STREAM_H

#include "memory.h"
#include "split.h"

/* So many elements of a memory belong to each line of the job. */
typedef struct clspi_stream {
    clspi_memory memory;
    size_t per_line;
    bool written;  /* an output; else an input */
    bool has_gaps; /* of an output: some elements of a line stay as they are */
    /* where the lines of the part at hand begin: set for the function that makes them */
    cl_mem buffer;
    size_t offset; /* elements */
    /* of host memory */
    clsp_range in_place; /* bytes on which kernels can work where they are */
    bool is_pinned;      /* it is pinned memory of the context's own */
    cl_mem wrapped;      /* a buffer on the lines of the part at hand; NULL: they are staged */
} clspi_stream;

/* A part on its way: by which staging buffers, and whether its transfers run beside the kernels of
   others. */
typedef struct clspi_flight {
    clspi_part part;
    clspi_staging *staging; /* [CLSPI_MAX_STREAMS] */
    bool beside;
    cl_event over; /* its kernels and transfers; NULL: it is not on its way */
} clspi_flight;

/* Finds out how host memory of so many lines is reached best. */
void clspi_stream_choose(clspi_stream *stream, clsp_context *ctx, size_t lines);

/* Returns the bytes of so many lines. */
size_t clspi_stream_bytes(const clspi_stream *stream, size_t lines);

/* Returns how many lines a part has at most that begins behind `done` lines. */
size_t clspi_stream_lines(const clspi_stream *stream, const clsp_context *ctx, bool beside,
                          size_t done);

bool clspi_stream_is_on_host(const clspi_stream *stream);

/* Tells whether what host memory holds is looked at before the commands of a call run: by drivers
   where kernels work on it in place, by the host on its way through pinned memory. */
bool clspi_stream_is_read_early(const clspi_stream *stream, bool beside);

/* Sets where a part's lines are, and brings there what of the host's is read. i: the stream's
   number. */
clsp_status clspi_stream_open(clspi_stream *stream, clspi_call *call, const clspi_flight *flight,
                              uint32_t i);

/* Brings back what was written, or begins to, after which clspi_stream_fetch must follow. */
clsp_status clspi_stream_close(clspi_stream *stream, clspi_call *call, clspi_flight *flight,
                               uint32_t i);

/* Copies what a part on its way has written from pinned memory to the caller's. */
void clspi_stream_fetch(const clspi_stream *stream, clsp_context *ctx, const clspi_flight *flight,
                        uint32_t i);

/* Releases what is left of a part. */
void clspi_stream_drop(clspi_stream *stream);

#endif
