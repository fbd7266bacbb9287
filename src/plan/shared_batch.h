/* A batch of a plan that processors share: pieces made line by line by the context's devices and
   the host's cores together (docs/cooperation.md). */
#ifndef CLSPI_SHARED_BATCH_H
#define CLSPI_SHARED_BATCH_H

#include "memory.h"
#include "peers.h"
#include "tiles.h"

/* Tiles that a persistent kernel makes. */
typedef struct clspi_queued_tiles {
    void *counter; /* a cl_int in fine-grain SVM */
    const clspi_tiling *tiling;
    size_t num_tiles; /* below 2^31: those of all pieces or the first ones of them */
    size_t first_piece;
    void *out; /* where the first piece begins, in fine-grain SVM */
} clspi_queued_tiles;

/* Where the lines of a part go: [num_lines][line] elements. */
typedef struct clspi_target {
    cl_mem buffer;
    size_t offset; /* elements */
} clspi_target;

/* How a family makes lines. The host's function gets memory of the host; `plan` is one of the
   device's own. user: the batch's. */
typedef struct clspi_line_maker {
    clsp_status (*on_host)(const void *user, clspi_plan *plan, uint32_t worker,
                           const clspi_part *part, char *out);
    clsp_status (*on_device)(const void *user, clspi_plan *plan, clspi_series *series,
                             const clspi_part *part, const clspi_target *target);
    clsp_status (*persistent)(const void *user, clspi_plan *plan, clspi_series *series,
                              const clspi_queued_tiles *job);
} clspi_line_maker;

typedef struct clspi_shared_batch {
    clspi_plan *plan;
    clspi_peers *peers;
    const clspi_line_maker *maker;
    const void *user;               /* what the maker needs beside the plan; may be NULL */
    const char *why_no_host;        /* NULL: the host can make its lines */
    const char *why_not_persistent; /* NULL: a persistent kernel can */
    size_t first_piece;
    clspi_tiling tiling;
    size_t line_items; /* vertices, samples, .. of a line */
    size_t line_bytes;
    size_t element;  /* bytes of one */
    bool has_gaps;   /* some elements of a line stay as they are */
    double chunk_ms; /* as in job.h */
    const char *key; /* under which speeds are kept; no blanks */

    /* Makes ready what the host needs, and joined devices by way of it; several threads may ask for
       it one after the other. NULL: nothing. */
    clsp_status (*prepare)(const void *user, clspi_plan *plan);
} clspi_shared_batch;

/* Returns the class of a size in keys: which power of two is the last up to it. */
unsigned clspi_size_class(double size);

/* Checks the memory of a shared call: the host's, or SVM that the host may write while devices do,
   which *output then says to be the host's. *out: where it begins. */
clsp_status clspi_shared_output(const clspi_plan *plan, clsp_output *output,
                                const clspi_memory_need *need, char **out);

/* Checks memory that a shared call reads in the same way. *in: where it begins. */
clsp_status clspi_shared_input(const clspi_plan *plan, const clsp_input *input,
                               const clspi_memory_need *need, const char **in);

/* Copies what a call reads where it is not aligned to its elements. *copy, NULL where there is
   none, is the caller's to free. */
clsp_status clspi_align_input(const clspi_plan *plan, const clspi_memory_need *need,
                              const char **in, void **copy);

/* Makes tiles in `out`, where the first of them begins, as the run says, whose wait list it waits
   for; *told: what processors did. Of tiles that the calling thread makes it says nothing. */
clsp_status clspi_shared_batch_run(clspi_shared_batch *batch, const clspi_tiles *tiles, char *out,
                                   const clsp_run *run, clsp_report *told);

/* Tells whether a call that the host has code for is the host's to make: it writes host memory, has
   no share, and its device is the host's own CPU, whose kernels take longer (is_faster), if
   CLSPLINE_LIMITS does not name the engine. */
bool clspi_goes_to_host(const clspi_plan *plan, const clsp_run *run, const clsp_output *output,
                        bool is_faster);

/* Tells the same of a job that is not of a share, and whose memory is the host's. */
bool clspi_is_host_job(const clspi_plan *plan, bool is_faster);

/* Makes the lines of tiles in `out`, where the first of them begins, on the calling thread, and
   where they last longer than workers take to wake, on the context's workers too. line_ns: how long
   a line takes a core; 0: the maker has workers help, and gets all lines at once, with
   CLSPI_HOST_WORKERS in place of a worker's number. */
clsp_status clspi_batch_make(const clspi_shared_batch *batch, const clspi_tiles *tiles, char *out,
                             double line_ns);

/* Makes them when the run's list and what an in-order queue holds are over; the run's event is
   complete. */
clsp_status clspi_batch_on_host(const clspi_shared_batch *batch, const clspi_tiles *tiles,
                                char *out, double line_ns, const clsp_run *run);

/* Does pieces of work on the host, on the calling thread and on the context's workers where they do
   nothing else: clspi_host_pieces for the layers above. */
void clspi_pieces_on_host(const clspi_plan *plan, size_t num, void (*fn)(void *user, size_t piece),
                          void *user);

/* A shared call that the context's device alone can carry out. */
typedef struct clspi_lone_call {
    const char *why;  /* it is not shared */
    size_t num_tiles; /* 1, or 0 where there is nothing to do */
    clsp_status (*run)(void *user);
    void *user;
    bool by_host; /* the host's cores make it, not the context's device */
} clspi_lone_call;

/* Carries a lone call out and reports it; speeds cannot be measured of one (CLSP_ERROR_ARGUMENT).
 */
clsp_status clspi_shared_alone(clspi_plan *plan, const clspi_lone_call *call, const clsp_run *run);

/* Refuses tiles that the host cannot make. why: the reason. */
clsp_status clspi_no_host_tiles(const clspi_plan *plan, const char *why);

#endif
