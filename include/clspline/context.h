/* Devices and contexts.

   A context binds clspline to one OpenCL device and command queue, the caller's own or those of a
   device chosen by name, or to the host, whose cores compute everything without OpenCL. It owns the
   compiled programs. Plans are made from it (plan.h).

   OpenCL is opened when the first device is listed, the first context of a device is made or a
   queue is taken; the library does not link it, and a machine needs no loader. The host is always
   there.

   Queues: the caller's queue may run commands in order or out of order. On one that runs out of
   order the calls of one plan still run one after another; calls of different plans, and commands
   of the caller's, are ordered by wait lists and events alone.

   Thread-safety: every function here may be called from any thread, and a context may be used by
   several threads at once; only its destruction must not overlap other calls.

   Processes: in a child of fork threads are missing, OpenCL's and the library's own, and locks may
   be held for good. So a child, and its children, can only destroy what they got from a parent:
   contexts, plans, meshes, and buffers of graphics.h. That writes NULL and releases nothing. All
   other calls on them give CLSP_ERROR_STATE, or NULL where they give no status, at once and
   whatever other threads of the parent were doing. The log says why ("made before fork: ..."), and
   so does clsp_context_last_error, which has nothing else to say of them. New contexts of the host
   can be made there. OpenCL is lost to a child, though, once the library has found an
   implementation of it in the parent: then clsp_device_list, and clsp_context_create for another
   device than "host", give CLSP_ERROR_STATE, since PoCL's queues hang in such a process. By default
   that is so where a GPU was found; else the child gets the host, as its parent did. It may call
   exec. A child that is to use OpenCL is made before these calls, and before the parent uses
   OpenCL by itself, which the library does not notice. Forks that run no handlers of pthread_atfork
   (_Fork, vfork, clone) are not noticed either. */
#ifndef CLSPLINE_CONTEXT_H
#define CLSPLINE_CONTEXT_H

#include <clspline/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of processor a device is. */
typedef enum clsp_device_class {
    CLSP_CLASS_CPU = 1,         /* CL_DEVICE_TYPE_CPU */
    CLSP_CLASS_INTEGRATED = 2,  /* a GPU that shares the host's memory */
    CLSP_CLASS_DISCRETE = 3,    /* a GPU with memory of its own */
    CLSP_CLASS_ACCELERATOR = 4, /* anything else */
    CLSP_CLASS_HOST = 5         /* the host's cores without OpenCL */
} clsp_device_class;

enum { /* clsp_device_info.svm */
       CLSP_SVM_COARSE = 1,
       CLSP_SVM_FINE_BUFFER = 2,
       CLSP_SVM_FINE_SYSTEM = 4,
       CLSP_SVM_ATOMICS = 8
};

/* A device as the library sees it. Strings are cut at the array's length and always end in 0. */
typedef struct clsp_device_info {
    cl_device_id id; /* NULL: the host, whose driver is the library's version and level of code */
    char name[128];
    char platform[128];
    char vendor[128];
    char driver[128];  /* driver version */
    char version[128]; /* OpenCL version string */
    clsp_device_class device_class;
    uint32_t opencl_version; /* of OpenCL C: 120 for 1.2, 300 for 3.0 */
    uint32_t compute_units;
    uint32_t svm;                 /* CLSP_SVM_ bits */
    uint32_t unified_memory;      /* 1: shares the host's memory */
    uint32_t fp64, fp16, fma;     /* 1: has it (fma: hardware fused multiply-add in float) */
    uint32_t images;              /* 1: has images */
    uint32_t native_vector_bytes; /* width of the registers that explicit vectors should fill */
    uint32_t local_is_real;   /* 1: local memory is a memory of its own, so staging in it can pay */
    uint64_t max_work_group;  /* work-items */
    uint64_t local_bytes;     /* local memory of a work-group */
    uint64_t global_bytes;    /* device memory */
    uint64_t max_alloc_bytes; /* largest single buffer */
    uint64_t image_2d_max[2]; /* width, height; 0 without images */
    uint32_t address_bits;    /* of a pointer on the device: 32 or 64 */
    uint32_t base_align_bytes; /* alignment of sub-buffers */
    uint32_t cacheline_bytes;
    uint32_t native;                  /* 1: a CPU that runs functions of the host's in its queue */
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_device_info;

/* Lists all devices of all platforms, in the order in which an index names them (below), and the
   host as the last one. infos: [capacity], or NULL with capacity 0 to count. count: number of
   devices, which may be above capacity; 1 on a machine without OpenCL devices. Errors:
   CLSP_ERROR_ARGUMENT (count NULL, infos NULL with a capacity), CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_STATE (after fork, above). */
CLSP_API clsp_status clsp_device_list(clsp_device_info *infos, size_t capacity, size_t *count);

struct clsp_graphics_context; /* graphics.h */

typedef enum clsp_log_level {
    CLSP_LOG_ERROR = 1,   /* why a call failed, build logs included */
    CLSP_LOG_WARNING = 2, /* something works less well than it could: an unusable cache, say */
    CLSP_LOG_INFO = 3     /* what was chosen: the device, a kernel, a cache hit */
} clsp_log_level;

/* Takes one message, without a newline at its end; it is valid during the call only. May be called
   from any thread that uses the context, with a lock of the context held: it must not call into
   clspline. */
typedef void (*clsp_log_fn)(void *user, clsp_log_level level, const char *message);

/* Options of a context; zero or NULL in a field, or NULL for the whole, is the default. The struct
   and its strings need live only until clsp_context_create returns. */
typedef struct clsp_context_opts {
    /* Which device, when no queue is given: an index into clsp_device_list ("0"), a class ("cpu",
       "gpu", "integrated", "discrete", "accelerator"), "host", or "PLATFORM:DEVICE", parts of the
       platform's and of the device's name without regard to case ("nvidia:", ":H200", "intel:arc";
       "pocl:" finds PoCL, too), and no other platform is asked for devices unless none fits; a word
       without a colon is looked for in both. The best of those that fit is taken: discrete GPU
       before integrated before CPU before others, with more compute units first among equals. By
       names the host is never found, and with "host" OpenCL is not opened. Default: the environment
       variable CLSPLINE_DEVICE in the same form, else the best GPU, else the host. */
    const char *device;
    clsp_log_fn
        log; /* default: messages are dropped, save the last error (clsp_context_last_error) */
    void *log_user;
    /* Folder of the compiled programs and of measured speeds (share.h). PoCL keeps its programs
       itself; with it, the speeds alone are here. Default: the environment variable
       CLSPLINE_CACHE_DIR, else $XDG_CACHE_HOME/clspline, else $HOME/.cache/clspline. "" (here or in
       the variable) switches it off; so does a folder that cannot be written, that belongs to
       another user than this one and root or in which others may write, with a warning. A file that
       is a link, no regular file, another user's or open to others' writing is not read, with a
       warning. Never needed: on any trouble programs are compiled. */
    const char *cache_dir;
    /* Narrows what the library believes of the device, to try the limits of other devices on this
       one: words from "fp64=0", "fp16=0", "fma=0", "images=0", "svm=0", "native=0",
       "local_is_real=0|1", "work_group=N", "local=BYTES", "alloc=BYTES", "opencl=120",
       "class=cpu|integrated|discrete|accelerator", "vendor=NAME", "level=base|v3|v4",
       each once, separated by commas, after which blanks may stand. N and BYTES are below 2^64,
       opencl is a version of OpenCL C (100, 110, 120, 200 or 300), svm the sum of the CLSP_SVM_
       bits that stay, and 1 in the place of another 0 leaves all as it is. Values only ever narrow,
       save class, vendor and local_is_real, which pick kernel shapes: by another class than cpu the
       host's own CPU computes by kernels, in the place of a GPU. With a class the device is one of
       OpenCL, the best where none is named, and never the host. level is that of the host's code:
       x86-64 with AVX-512 (v4), with AVX2 and fused multiply-adds (v3), or what the compiler was
       told of. It is of the whole process, which takes it from CLSPLINE_LIMITS when it first
       lists devices or computes; here a level below the process's is an error. Default: the
       environment variable CLSPLINE_LIMITS, else none. */
    const char *limits;
    union {
        uint64_t no_graphics; /* 0 */
        /* With which graphics the context is to share buffers (graphics.h). Default: none. It and
           what it points to need live only until clsp_context_create returns. */
        const struct clsp_graphics_context *graphics;
    };
    union {
        uint64_t no_function; /* 0 */
        /* Gives the address of an OpenCL function by its name, NULL where it has none: for programs
           with a loader of their own. It is of the whole process, by the first context of OpenCL
           that is made. Default: what the process shows to all, else the system's loader
           (libOpenCL.so.1, OpenCL.dll or the framework OpenCL), which is opened then. */
        void *(*opencl_function)(const char *name);
    };
    uint64_t reserved[CLSP_RESERVED - 2];
} clsp_context_opts;

typedef struct clsp_context clsp_context;

/* Makes a context on the caller's queue, which is retained, or with queue NULL on a device chosen
   by opts->device, with an in-order queue of the library's own (with profiling where the device has
   it), or on the host. Errors: CLSP_ERROR_ARGUMENT (ctx NULL, opts->limits malformed),
   CLSP_ERROR_NO_DEVICE (the log names the devices that there are), CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_STATE (after fork, above), OpenCL's own. On error *ctx is NULL. */
CLSP_API clsp_status clsp_context_create(clsp_context **ctx, cl_command_queue queue,
                                         const clsp_context_opts *opts);

/* Releases the context and writes NULL. *ctx may be NULL. Its plans must be destroyed first. After
   fork, in the child, it only writes NULL. */
CLSP_API void clsp_context_destroy(clsp_context **ctx);

/* Returns the queue on which the context's plans run: for creating buffers in its cl_context. Not
   retained for the caller. NULL of the host, for a NULL context, and after fork. */
CLSP_API cl_command_queue clsp_context_queue(const clsp_context *ctx);

/* Waits until the context's queue has run all that was enqueued: results in buffers are there, and
   graphics may read what is shared with it. Of the host nothing is to be waited for. Errors:
   CLSP_ERROR_ARGUMENT (NULL), CLSP_ERROR_STATE (after fork), CLSP_ERROR_DEVICE_LOST, OpenCL's own.
 */
CLSP_API clsp_status clsp_context_finish(clsp_context *ctx);

/* Gives the context's device, as narrowed by opts->limits. Errors: CLSP_ERROR_ARGUMENT (NULL),
   CLSP_ERROR_STATE (after fork). */
CLSP_API clsp_status clsp_context_device(const clsp_context *ctx, clsp_device_info *info);

/* Copies the message of the last error into text (at most size bytes, 0 at the end) and returns the
   length of the whole message, 0 if there was none. With ctx: of the context's calls and of those
   of its plans, whichever thread made them; where several threads use it, the log tells them apart
   better (opts->log is called by the thread that failed). With ctx NULL: of the calling thread's
   calls that have no context to keep it, clsp_context_create, clsp_device_list and those that got
   NULL for a plan. A call that succeeds leaves it as it is. */
CLSP_API size_t clsp_context_last_error(const clsp_context *ctx, char *text, size_t size);

/* A kernel as the device's compiler made it. Strings are valid during the callback only. */
typedef struct clsp_kernel_info {
    const char *program; /* name of the .cl file without its ending */
    const char *kernel;
    const char *options;       /* build options */
    uint64_t work_group_limit; /* CL_KERNEL_WORK_GROUP_SIZE */
    uint64_t
        preferred_multiple; /* CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: warp, wavefront, ... */
    uint64_t
        private_bytes;    /* CL_KERNEL_PRIVATE_MEM_SIZE: above 0 on a GPU, registers were spilled */
    uint64_t local_bytes; /* CL_KERNEL_LOCAL_MEM_SIZE */
    double build_ms;      /* time of the program's build, shared by its kernels */
    uint64_t build;       /* number of the build among num_builds, from 1 on */
    uint64_t num_builds;  /* that clsp_context_build_all makes in all */
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_kernel_info;

typedef void (*clsp_kernel_fn)(void *user, const clsp_kernel_info *info);

/* Compiles every program that the library may choose by itself on this device, so that later plans
   find them in the cache, and names each kernel to fn, which may be NULL; the host has none. Takes
   minutes with a cold cache and a slow compiler. PoCL finishes a kernel at its first launch with a
   size of work-groups: there first calls still take up to a second, until its own cache has them
   too. Errors: CLSP_ERROR_ARGUMENT (ctx NULL), CLSP_ERROR_DEVICE_LOST, OpenCL's own (the build log
   is in the log). */
CLSP_API clsp_status clsp_context_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user);

#ifdef __cplusplus
}
#endif

#endif
