/* Sharing one job between devices and the host's cores, tile by tile.

   A job's result lies in host memory and is cut into tiles. The ladder names the ways in which
   processors share them, best first (docs/cooperation.md):
     svm     devices and host workers pop one counter in fine-grain shared memory; needs devices
             with SVM atomics, and a result in memory from clsp_shared_alloc
     chunk   the host hands out tiles: host workers take single ones from the front, each device
             has two chunks in flight from the back, in sizes guided by measured speeds; any
             OpenCL, any number of devices
     static  one split, by stored speeds or a given ratio
     device  the context's device alone
     host    the host's cores alone
   The rung is chosen by measured speeds, or forced. A report says which one ran, why those above
   it did not, and what each processor did. (CPU-GPU tiles after Palomar et al., 2018, 5.2; chunk
   sizes: HGuided.)

   Host workers are threads of the context. They are made by the first call that needs them and
   wait, without using a core, between calls.

   Thread-safety: as of contexts; jobs of one context run one after another. */
#ifndef CLSPLINE_COOPERATE_H
#define CLSPLINE_COOPERATE_H

#include <clspline/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clsp_rung {
    CLSP_RUNG_AUTO = 0, /* the one that should end first */
    CLSP_RUNG_SVM = 1,
    CLSP_RUNG_CHUNK = 2,
    CLSP_RUNG_STATIC = 3,
    CLSP_RUNG_DEVICE = 4,
    CLSP_RUNG_HOST = 5
} clsp_rung;

enum {
    CLSP_NUM_RUNGS = 6,          /* values of clsp_rung */
    CLSP_MAX_PROCESSORS = 16,    /* devices of a context, and the host */
    CLSP_MAX_WORKERS = 1024,     /* host workers of a context */
    CLSP_NO_WORKERS = 0x7fffffff /* in a field whose 0 means a default */
};

/* "auto", "svm", "chunk", "static", "device", "host"; NULL for other values. Static storage. */
CLSP_API const char *clsp_rung_name(clsp_rung rung);

/* ---- processors ---- */

/* Adds the device of another context to those on which jobs of ctx run: of any platform, also the
   same device once more. Plans of ctx make what they need on it at the next shared call. other must
   outlive ctx's plans and takes no calls of its own while ctx runs a shared one. Errors:
   CLSP_ERROR_ARGUMENT (NULL, ctx itself, joined already, more than CLSP_MAX_PROCESSORS - 1
   devices). */
CLSP_API clsp_status clsp_context_join(clsp_context *ctx, clsp_context *other);

/* How many host workers ctx has, the calling thread not counted; 1..CLSP_MAX_WORKERS, or
   CLSP_NO_WORKERS. Default: beside devices the cores that the process may use, less those that CPU
   devices of ctx use and one for each other device, at least 1; where the host has a job to itself,
   the cores less one. Where CPU devices use all cores, jobs whose rung is chosen by speeds go to
   the device or to the host, whichever is faster, unless workers were set here. Workers that are
   there already are ended first. Errors: CLSP_ERROR_ARGUMENT. */
CLSP_API clsp_status clsp_context_set_workers(clsp_context *ctx, uint32_t num_workers);

/* Where measured speeds are kept from run to run: a file, "" for none. Default: the environment
   variable CLSPLINE_SPEEDS in the same form, else "speeds" in the folder of compiled programs
   (clsp_context_opts.cache_dir). It is read by the first shared call and written by tuning calls
   alone. A file that was named and is missing, or is damaged or of another machine, is a warning in
   the log, never an error. Errors: CLSP_ERROR_ARGUMENT (ctx NULL), CLSP_ERROR_NO_MEMORY. */
CLSP_API clsp_status clsp_context_set_speeds(clsp_context *ctx, const char *file);

/* ---- memory ---- */

/* Host memory, aligned to 4096 bytes, that a shared call can fill best: fine-grain SVM where the
   devices of ctx can pop a counter in it, pinned memory for discrete GPUs, else plain memory.
   *memory is NULL on error and for bytes 0. Errors: CLSP_ERROR_ARGUMENT (NULL),
   CLSP_ERROR_NO_MEMORY, OpenCL's own. */
CLSP_API clsp_status clsp_shared_alloc(clsp_context *ctx, size_t bytes, void **memory);

/* Frees it; memory may be NULL. What is not freed is freed with the context. */
CLSP_API void clsp_shared_free(clsp_context *ctx, void *memory);

/* ---- how a job is shared, and what came of it ---- */

/* Zero is the default of every field. */
typedef struct clsp_cooperate_opts {
    clsp_rung rung;       /* a rung that cannot run gives way to the next one below, as the report
                             says */
    double static_ratio;  /* of the static rung: the host's part of the tiles, in (0, 1]; negative:
                             none; 0: by speeds, measured on up to 3 tiles where none are stored */
    uint32_t num_workers; /* that take part, at most those of the context; default all;
                             CLSP_NO_WORKERS: none */
    uint32_t bit_equal;   /* 1: the same bits as by the context's device alone: no host workers, and
                             no devices but those of the same name, platform and driver, under the
                             same limits */
} clsp_cooperate_opts;

/* What one processor did. */
typedef struct clsp_processor_report {
    char name[128];     /* of the device; "host" */
    uint32_t workers;   /* threads of the host, at most at once; 1 for devices */
    uint64_t tiles;     /* on the svm rung, those of all devices are counted as the first one's */
    uint64_t chunks;    /* launches of a device, pops of the host */
    double busy_ms;     /* evaluating: of the device's own clock where it has one; of all workers */
    double move_ms;     /* results on their way to the host */
    clsp_status status; /* why it dropped out; its tiles went to the others */
} clsp_processor_report;

typedef struct clsp_cooperate_report {
    clsp_rung rung;                   /* that ran */
    char reason[CLSP_NUM_RUNGS][128]; /* by rung: why it was not taken; "" for the one that ran */
    uint64_t num_tiles;
    double wall_ms;    /* of the whole call */
    double prepare_ms; /* of it: before the first tile */
    double probe_ms;   /* of it: measuring speeds */
    uint32_t num_processors;
    clsp_processor_report processors[CLSP_MAX_PROCESSORS]; /* the host is the last */
} clsp_cooperate_report;

#ifdef __cplusplus
}
#endif

#endif
