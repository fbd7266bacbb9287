/* A job that processors share, as a plan describes it, and the calls that run one. */
#ifndef CLSPI_JOB_H
#define CLSPI_JOB_H

#include <clspline/share.h>

#include "launch.h"

/* Tiles that a device makes in one go, and the memory of its context that they are made in. */
typedef struct clspi_chunk {
    clsp_range tiles;
    cl_mem out;
    size_t out_offset; /* bytes: of the first tile */
    cl_mem in;         /* NULL: the job has no input */
    size_t in_offset;  /* bytes: of what the tiles read, clspi_job.in_region */
} clspi_chunk;

/* Tiles 0 .. num_tiles - 1 are independent and each is made whole by one processor. The bytes of
   consecutive tiles are consecutive. Functions are called from several threads at once, save that
   those of one device never overlap, nor those of one worker. Devices: 0 is the context's own, then
   the joined ones in their order. Regions of memory are ranges of bytes. */
typedef struct clspi_job {
    void *user;
    size_t num_tiles;
    char *out;     /* the caller's memory */
    bool has_gaps; /* within a tile's bytes are some that stay as they are */

    /* Gives the region of out that some tiles fill. */
    clsp_range (*region)(void *user, clsp_range tiles);

    /* Memory that tiles are made from, where it is not the plan's: devices get what a chunk reads
       with the chunk. NULL: none. */
    const char *in;

    /* Gives the region of `in` that some tiles read. Those of neighbours may overlap. */
    clsp_range (*in_region)(void *user, clsp_range tiles);

    /* Makes tiles in out on the calling worker, 0 .. clspi_cooperate_workers() - 1. NULL: the host
       cannot, and why_no_host says why. */
    clsp_status (*host)(void *user, uint32_t worker, clsp_range tiles);
    const char *why_no_host;

    /* Enqueues the tiles of a chunk. */
    clsp_status (*enqueue)(void *user, uint32_t device, clspi_series *series,
                           const clspi_chunk *chunk);

    /* Enqueues persistent kernels: their work-groups take units of unit_tiles tiles (0: of one)
       from *counter, a int32_t in fine-grain SVM that begins at 0, until num_tiles are gone, or as
       many are left as the int32_t behind it says, and make them in out, which is fine-grain SVM
       as well. NULL: there are none, and why_not_persistent says why. */
    clsp_status (*persistent)(void *user, uint32_t device, clspi_series *series, void *counter,
                              size_t num_tiles, void *out);
    size_t unit_tiles;
    const char *why_not_persistent;

    /* Under which speeds are kept: family, degrees, precision, layout, size class; no blanks. */
    const char *key;
    double chunk_ms;  /* about what a chunk takes a device beside its tiles and a launch */
    size_t tile_size; /* vertices, samples, ... of a tile, > 0: speeds are kept for 1000 of them */
} clspi_job;

/* Runs a job by the schedule of opts, or the next one that can run it; returns when the result is
   there or cannot be had: then the status of the processor that failed last, and tiles that no one
   has made are undefined. Holds the context's lock of jobs. opts and report may be NULL. */
clsp_status clspi_cooperate(clsp_context *ctx, const clspi_job *job, const clsp_share *opts,
                            clsp_report *report);

/* Gives CLSP_ERROR_ARGUMENT for options that no call accepts. opts may be NULL. clspi_cooperate
   checks by itself. */
clsp_status clspi_cooperate_check(clsp_context *ctx, const clsp_share *opts);

/* Measures each processor alone on a job (its result is written several times) and stores the
   speeds in their file. report may be NULL. */
clsp_status clspi_cooperate_tune(clsp_context *ctx, const clspi_job *job, clsp_report *report);

/* Lists the contexts whose devices take part: ctx itself and the joined ones. The array is valid
   until another one joins. */
uint32_t clspi_cooperate_devices(clsp_context *ctx, clsp_context *const **contexts);

/* Builds ahead of use what the svm schedule needs, on a device that can run it. */
clsp_status clspi_cooperate_build(const clspi_build *build);

/* Gives the host workers that jobs may have at most, the calling thread counted, for scratch memory
   of each. */
uint32_t clspi_cooperate_workers(clsp_context *ctx);

#endif
