/* A job that processors share: what a plan hands to the ladder. */
#ifndef CLSPI_JOB_H
#define CLSPI_JOB_H

#include <clspline/cooperate.h>

#include "launch.h"

/* Tiles 0 .. num_tiles - 1 are independent and each is made whole by one processor. The bytes of
   consecutive tiles are consecutive. Functions are called from several threads at once, save that
   those of one device never overlap, nor those of one worker. Devices: 0 is the context's own, then
   the joined ones in their order. */
typedef struct clspi_job {
    void *user;
    size_t num_tiles;
    char *out;     /* the caller's memory */
    bool has_gaps; /* within a tile's bytes are some that stay as they are */

    /* Where in out tiles first .. first + count - 1 lie. */
    void (*region)(void *user, size_t first, size_t count, size_t *offset, size_t *bytes);

    /* Makes tiles in out on the calling worker, 0 .. clspi_cooperate_workers() - 1. NULL: the host
       cannot, and why_no_host says why. */
    clsp_status (*host)(void *user, uint32_t worker, size_t first, size_t count);
    const char *why_no_host;

    /* Enqueues tiles into a buffer of the device's context, where the first one begins at byte
       offset. */
    clsp_status (*enqueue)(void *user, uint32_t device, clspi_series *series, size_t first,
                           size_t count, cl_mem buffer, size_t offset);

    /* Enqueues one kernel whose work-groups pop *counter, a cl_int in fine-grain SVM that begins at
       0, until num_tiles are gone, and make the tiles in out, which is fine-grain SVM as well.
       NULL: there is none, and why_no_svm says why. */
    clsp_status (*persist)(void *user, uint32_t device, clspi_series *series, void *counter,
                           size_t num_tiles, void *out);
    const char *why_no_svm;

    /* Under which speeds are kept: family, degrees, precision, layout, size class; no blanks. */
    const char *key;
    size_t tile_size; /* vertices, samples, ... of a tile, > 0: speeds are kept for 1000 of them */
} clspi_job;

/* Runs it by the ladder; returns when the result is there or cannot be had: then the status of the
   processor that failed last, and tiles that no one has made are undefined. Holds the context's
   lock of jobs. opts and report may be NULL. */
clsp_status clspi_cooperate(clsp_context *ctx, const clspi_job *job,
                            const clsp_cooperate_opts *opts, clsp_cooperate_report *report);

/* CLSP_ERROR_ARGUMENT for values that no call accepts. opts may be NULL. clspi_cooperate looks by
   itself. */
clsp_status clspi_cooperate_check(clsp_context *ctx, const clsp_cooperate_opts *opts);

/* Measures each processor alone on the job (its result is written several times) and stores what
   it finds in the file of speeds. report may be NULL. */
clsp_status clspi_cooperate_tune(clsp_context *ctx, const clspi_job *job,
                                 clsp_cooperate_report *report);

/* The contexts whose devices take part: ctx itself and the joined ones. The array is valid until
   another one joins. */
uint32_t clspi_cooperate_devices(clsp_context *ctx, clsp_context *const **contexts);

/* Build options of kernels that include cooperate_pop.clh, first among a program's: which atomics,
   and the OpenCL C that has them. By queries alone. NULL: the device can pop in no way. Static
   storage. */
const char *clspi_pop_options(const clsp_context *ctx);

/* Builds ahead of use what the svm rung needs on a device that can pop. */
clsp_status clspi_cooperate_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user);

/* Host workers that jobs may have at most, the calling thread counted, for scratch memory of each.
 */
uint32_t clspi_cooperate_workers(clsp_context *ctx);

/* A clock that only goes forward. */
double clspi_now_ms(void);

#endif
