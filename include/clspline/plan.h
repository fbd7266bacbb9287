/* What plans of all families have in common, once; and how a call runs.

   Three rates. A plan is *created* from a description of everything that shapes tables and kernels,
   which is copied; 0 in a field is the documented default, and the plan's _desc call gives the
   description back with every default in its place. Its data - control points, samples - are *set*
   as often as they change. *Evaluations* are the cheap, repeated calls.

   Order of calls: create, then set, then evaluate as often as wanted; an evaluation before is
   CLSP_ERROR_STATE. A plan whose change failed with another error than CLSP_ERROR_ARGUMENT can only
   be changed again or destroyed; other calls give CLSP_ERROR_STATE. Destroying releases the plan
   and writes NULL; *plan may be NULL; work already enqueued completes. A context must outlive its
   plans. After fork, in the child, destroying only writes NULL, and all other calls are
   CLSP_ERROR_STATE (context.h).

   Queues: a call enqueues on the context's queue. Where that runs out of order, the calls of one
   plan still run one after another; calls of different plans are ordered by wait lists alone.

   Host: a context of the host (context.h) has no buffers, SVM and events: memory is the host's, a
   call returns when all is there, and clsp_run.done and wait lists are CLSP_ERROR_ARGUMENT. So is
   what is asked for by name and has no code there but kernels: methods of publications, fetches by
   image objects. An OpenCL device on the same cores (class cpu) has them.

   CPUs: where the context's device is the host's own CPU (class cpu), the host's code makes what
   calls ask for, on the context's threads, from and into memory of any kind; the device is that
   memory. Only what is asked for by name and has no code there is made by kernels: methods of
   publications, fetches by image objects. Calls into buffers, or SVM, with all that they read in
   buffers too, and loads of images from such memory enqueue a function of the host's and return,
   where the device takes such (clsp_device_info.native); setting other data, changing the plan and
   destroying it then wait for them, and so do shared calls that read what such loads set: an event
   that a function waits for must not depend on these. Else the call waits for its list, and returns
   when all is there. Results have the bits of schedule host (share.h), in memory of any kind.

   Ranges: a batch call takes the items of a range. Results have the same bits however a batch is
   split into ranges, and from run to run. A range of nothing only waits.

   Numbers: NaN and infinite data spread NaN no further than the declaration says. In CLSP_F32
   numbers below the least normal one, 2^-126, may count as 0, be they data, results or on the way
   between them; some processors take a hundred times as long for them. So bounds hold where scale
   is at least 2^-90, and results are off by 2^-110 more where it is less. The host keeps such
   numbers in rational patches, whose weights may make up for them, in images of orders 0 and 1, in
   solids, in searches and in CLSP_F64. What its threads do with them is as before after a call, and
   in callbacks.

   Errors that every call may give: CLSP_ERROR_ARGUMENT (NULL, a field or a range out of its bounds,
   a reserved field that is not 0, memory and events that cannot be), CLSP_ERROR_BUFFER_SIZE,
   CLSP_ERROR_NO_MEMORY (also: sizes that overflow), CLSP_ERROR_STATE, CLSP_ERROR_DEVICE_LOST,
   OpenCL's own; a create also CLSP_ERROR_NO_FP64. Declarations name those that they add. Arguments
   are checked before anything is read or enqueued. After another error outputs are undefined if the
   device has begun.

   Thread-safety: a plan takes one call at a time; different plans of one context may be used from
   different threads. clsp_share has an exception. */
#ifndef CLSPLINE_PLAN_H
#define CLSPLINE_PLAN_H

#include <clspline/share.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call would do. */
typedef struct clsp_tiling {
    size_t num_tiles;    /* of the whole job, whatever share->tiles says: the same for every device
                            and context; 1 of a call that cannot be shared */
    clsp_range elements; /* of the whole output, those that the call would write */
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_tiling;

/* How a call runs; NULL in its place: on the context's queue and device, with nothing to wait
   for. */
typedef struct clsp_run {
    uint32_t num_wait;    /* events that the call waits for, of the context's cl_context; another
                             one's are CLSP_ERROR_ARGUMENT */
    const cl_event *wait; /* [num_wait] */
    cl_event *done;       /* where not NULL, *done becomes an event that the caller releases. A call
                             that reads or writes host memory, or by its declaration returns when
                             all is done, waits for the list first, and the event that it gives is
                             complete */
    const clsp_share *share; /* NULL: the context's device computes, or for it the host's threads
                                (CPUs, above). Else the call returns when all
                                is there; a call that cannot be shared says so in its declaration
                                or gives CLSP_ERROR_ARGUMENT */
    clsp_report *report;     /* with a share of all tiles: what each processor did, written on
                                success; tiles that the caller deals out leave it as it is */
    clsp_tiling *tiling;     /* where not NULL, the call computes nothing: it checks its arguments,
                                save its output, and says here what it would do. Data that are not
                                set yet are no error */
    uint64_t reserved[CLSP_RESERVED];
} clsp_run;

/* Parameters of a list of points, of any family. An input without memory and size is none. */
typedef struct clsp_points {
    size_t num;
    clsp_input item;   /* CLSP_U32 [num]: the patch, curve or cell of each; none: item 0 for all */
    clsp_input params; /* in the plan's precision: [num][directions], or [directions][num] where
                          planar is 1 */
    uint32_t planar;
    uint64_t reserved[CLSP_RESERVED];
} clsp_points;

#ifdef __cplusplus
}
#endif

#endif
