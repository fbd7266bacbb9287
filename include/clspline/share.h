/* Sharing one job between devices and the host's cores, tile by tile: who computes, and what came
   of it.

   A job is what one call computes. It is cut into tiles, which are independent of each other and
   of which each is made whole by one processor. A call takes a clsp_share in its clsp_run (plan.h);
   the schedule says how processors share the tiles (docs/cooperation.md):
     svm      a tile queue: devices and host workers take the next tile from one atomic counter in
              fine-grain shared memory. Needs devices with SVM atomics, and a result in memory of
              clsp_shared_alloc
     dynamic  the host hands out tiles while the job runs: host workers take a few at a time from
              the front, each device keeps two chunks of tiles in flight from the back, in sizes
              guided by measured speeds. Any OpenCL, any number of devices
     static   the tiles are divided once, before the first is made, by stored or measured speeds or
              by a given ratio
     device   the context's device makes all tiles
     host     the host's cores make all tiles
   auto, the default, takes the one that should end first by measured speeds. A report says which
   schedule ran, why the others did not, and what each processor did. (CPU-GPU tiles after Palomar
   et al., 2018, 5.2; chunk sizes: HGuided.)

   Host workers are threads of the context. The first call that needs them makes them; between calls
   they wait without using a core. Other calls too have them copy results of a MB and more from
   devices with memory of their own to host memory, and refine and classify cells of solids,
   CLSP_NO_WORKERS excepted.

   Thread-safety: as of contexts; jobs of one context run one after another. */
#ifndef CLSPLINE_SHARE_H
#define CLSPLINE_SHARE_H

#include <clspline/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clsp_schedule {
    CLSP_SCHEDULE_DEFAULT = 0, /* auto: the one that should end first */
    CLSP_SCHEDULE_SVM = 1,
    CLSP_SCHEDULE_DYNAMIC = 2,
    CLSP_SCHEDULE_STATIC = 3,
    CLSP_SCHEDULE_DEVICE = 4,
    CLSP_SCHEDULE_HOST = 5
} clsp_schedule;

enum {
    CLSP_NUM_SCHEDULES = 6,      /* values of clsp_schedule */
    CLSP_MAX_PROCESSORS = 16,    /* devices of a context, and the host */
    CLSP_MAX_WORKERS = 1024,     /* host workers of a context */
    CLSP_NO_WORKERS = 0x7fffffff /* in a field whose 0 means a default */
};

/* Names a schedule: "auto", "svm", "dynamic", "static", "device", "host"; NULL for other values.
   Static storage. */
CLSP_API const char *clsp_schedule_name(clsp_schedule schedule);

/* ---- processors ---- */

/* Adds the device of another context to those on which jobs of ctx run: of any platform, also the
   same device once more. Plans of ctx make what they need on it at the next shared call. other must
   outlive ctx's plans and takes no calls of its own while ctx runs a shared one, so that two
   contexts cannot join each other, nor several in a ring. Errors: CLSP_ERROR_ARGUMENT (NULL, ctx
   itself, joined already, other has joined ctx, by itself or by way of others, more than
   CLSP_MAX_PROCESSORS - 1 devices), CLSP_ERROR_NO_MEMORY. */
CLSP_API clsp_status clsp_context_join(clsp_context *ctx, clsp_context *other);

/* Sets how many host workers ctx has, the calling thread not counted: 1..CLSP_MAX_WORKERS, or
   CLSP_NO_WORKERS. Default: beside devices the cores that the process may use, less those that CPU
   devices of ctx use and one for each other device, at least 1; where the host has a job to itself,
   the cores less one. Where CPU devices use all cores, jobs whose schedule is chosen by speeds go
   to the device or to the host, whichever is faster, unless workers were set here. Workers that are
   there already are ended first. Errors: CLSP_ERROR_ARGUMENT. */
CLSP_API clsp_status clsp_context_set_workers(clsp_context *ctx, uint32_t num_workers);

/* Names the file in which measured speeds are kept from run to run; "" for none. Default: the
   environment variable CLSPLINE_SPEEDS in the same form, else "speeds" in the cache folder
   (clsp_context_opts.cache_dir), whatever the device. It is read by the first shared call and
   written by calls that measure alone. A file that was named and is missing, or is damaged or of
   another machine, is a warning in the log, never an error. So is one that somebody else can have
   written (a link, no regular file, not this user's or root's, or with a right to write for others,
   or in such a folder) or that has more than 4 MiB: it is neither read nor written. Errors:
   CLSP_ERROR_ARGUMENT (ctx NULL), CLSP_ERROR_NO_MEMORY. */
CLSP_API clsp_status clsp_context_set_speeds(clsp_context *ctx, const char *file);

/* ---- memory ---- */

/* Allocates host memory, aligned to 4096 bytes, that a shared call can fill best: fine-grain SVM
   where the devices of ctx can take tiles from a counter in it, pinned memory for discrete GPUs,
   else plain memory. *memory is NULL on error and for bytes 0. Errors: CLSP_ERROR_ARGUMENT (NULL),
   CLSP_ERROR_NO_MEMORY, OpenCL's own. */
CLSP_API clsp_status clsp_shared_alloc(clsp_context *ctx, size_t bytes, void **memory);

/* Frees memory of clsp_shared_alloc, which may be NULL. What is not freed is freed with the
   context. */
CLSP_API void clsp_shared_free(clsp_context *ctx, void *memory);

/* ---- how a job is shared, and what came of it ---- */

/* Who computes. The result lies in host memory, best of clsp_shared_alloc, or in SVM that devices
   and the host may use at once; what is read likewise. Zero is the default of every field.

   A call that is restricted to tiles writes these alone: its output begins with the first element
   of the first tile, and clsp_run.tiling tells which part of the whole that is. Inputs are those of
   the whole job. So an engine that hands out work itself (StarPU, MPI ranks, dask) makes a job tile
   by tile, wherever it likes; each tile has the bits that the same processor gives it in the whole
   job. With tiles
   - schedule device makes them on the context's device, into memory of any kind, and enqueues as a
     call without a share does;
   - schedule host makes them on the calling thread. Such calls of one plan may overlap each other,
     but no other call of the plan;
   - the other schedules share these tiles as they would share all. */
typedef struct clsp_share {
    clsp_schedule schedule; /* one that cannot run gives way to the next one below, as the report
                               says; with tiles those of device and of host do not */
    double static_ratio;    /* of the static schedule: the host's part of the tiles, in (0, 1];
                               negative: none; 0: by speeds, measured on up to 3 tiles where none
                               are stored */
    uint32_t num_workers;   /* that take part, at most those of the context; default all;
                               CLSP_NO_WORKERS: none */
    uint32_t bit_equal;     /* 1: the same bits as by the context's device alone, as into a buffer:
                               no host workers, and no devices but those of the same name, platform
                               and driver, under the same limits */
    uint32_t measure;       /* 1: makes the job about ten times by each processor alone, and keeps
                               the speeds for later calls, also of other runs
                               (clsp_context_set_speeds); the report has the fastest of each. With
                               schedule auto and all tiles alone */
    clsp_range tiles;       /* which to make; count 0: all */
    uint64_t reserved[CLSP_RESERVED];
} clsp_share;

/* What one processor did. */
typedef struct clsp_processor_report {
    char name[128];     /* of the device; "host" */
    uint32_t workers;   /* threads of the host, at most at once; 1 for devices */
    uint64_t tiles;     /* by the svm schedule, those of all devices are counted as the first
                           one's */
    uint64_t chunks;    /* launches of a device; for the host, how often its workers took tiles */
    double busy_ms;     /* evaluating: of the device's own clock where it has one; of all
                           workers */
    double move_ms;     /* results on their way to the host */
    clsp_status status; /* why it dropped out; its tiles went to the others */
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_processor_report;

/* What a shared call did. */
typedef struct clsp_report {
    clsp_schedule schedule;               /* that ran; default: speeds were measured */
    char reason[CLSP_NUM_SCHEDULES][128]; /* by schedule: why it was not taken; "" for the one that
                                             ran */
    uint64_t num_tiles;
    double wall_ms;    /* of the whole call */
    double prepare_ms; /* of it: before the first tile */
    double probe_ms;   /* of it: measuring speeds */
    uint32_t num_processors;
    clsp_processor_report processors[CLSP_MAX_PROCESSORS]; /* the host is the last */
    double build_ms; /* of it: building programs, or having the driver load them. What a driver
                        compiles at a kernel's first launch (PoCL) is in its device's busy_ms */
    uint64_t reserved[CLSP_RESERVED - 1]; /* 0 */
} clsp_report;

#ifdef __cplusplus
}
#endif

#endif
