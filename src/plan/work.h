/* The work of a call, described once for all who may make it: its lines, the caller's memory, and
   how the host and devices make some of them. A call checks its arguments and runs its work; who
   makes it is decided here. */
#ifndef CLSPI_WORK_H
#define CLSPI_WORK_H

#include "memory.h"
#include "peers.h"
#include "tiles.h"

enum { CLSPI_WORK_INPUTS = CLSPI_MAX_STREAMS - 1, CLSPI_WORK_NUMBERS = 12 };

/* Memory that lines are made from: one array, or planes that begin `apart` elements after each
   other; or one that makers get whole, in host memory (per_line 0). */
typedef struct clspi_work_input {
    const clsp_input *input;
    clspi_memory_need need; /* of all lines, of all planes */
    size_t per_line;        /* elements of a plane */
    uint32_t planes;
    size_t apart;
    const clsp_output *written; /* makers write it, beside the work's output, as which it begins;
                                   NULL: they read `input` */
} clspi_work_input;

/* The caller's memory that lines go to; it begins with the first line that is asked for. */
typedef struct clspi_work_output {
    const clsp_output *output;
    const char *what; /* names it in messages */
    clsp_type type;
    size_t per_line; /* elements */
    bool has_gaps;   /* some elements of a line stay as they are */
} clspi_work_output;

/* What the speeds of processors depend on: under it they are kept. The class of the work's size
   comes on top. */
typedef struct clspi_work_key {
    const char *call; /* a word */
    uint32_t num;
    uint32_t number[CLSPI_WORK_NUMBERS];
} clspi_work_key;

/* Where the lines of a part go: [num_lines][line] elements. */
typedef struct clspi_target {
    cl_mem buffer;
    size_t offset; /* elements */
} clspi_target;

typedef struct clspi_work clspi_work;

/* Where an input is for a device. */
typedef struct clspi_place {
    cl_mem buffer;
    size_t offset;    /* elements */
    const char *host; /* of one that is taken whole, or that the maker reads back to in a share; its
                         buffer is NULL then */
} clspi_place;

/* How a family makes lines. in: where those of a part begin in each input, of planes in the first
   one, or where it begins itself. plan: the work's, or that of a joined device. */
typedef struct clspi_work_makers {
    /* Says what speeds depend on, of work that is shared. */
    clspi_work_key (*key)(const clspi_work *work);

    /* Checks what host memory holds from the first line on that is asked for; in: NULL where an
       input is the device's. NULL: there is nothing to check. */
    clsp_status (*check)(const clspi_work *work, clsp_range lines, const char *const in[]);

    /* Makes ready what the host needs, and joined devices by way of it; several threads may ask for
       it one after the other. NULL: nothing. */
    clsp_status (*prepare)(const clspi_work *work, clspi_way way);

    /* worker: CLSPI_HOST_WORKERS where the work takes_all and the context's workers may help. */
    clsp_status (*on_host)(const clspi_work *work, uint32_t worker, const clspi_part *part,
                           const char *const in[], char *out);

    /* Tells why the device of the work's plan, or of a joined one, makes no lines: the host makes
       those of the first, in memory of any kind, and the others drop out of a share. NULL, or gives
       NULL: the device makes them, if it is not the host's own CPU. Static storage. */
    const char *(*lacks)(const clspi_work *work, const clspi_plan *plan);

    /* in: of planes one each. */
    clsp_status (*on_device)(const clspi_work *work, clspi_plan *plan, clspi_series *series,
                             const clspi_part *part, const clspi_place in[],
                             const clspi_target *out);

    /* Makes ready all that on_device would make before its launches, of any lines, so that these
       can be noted in a queue (launch_queue.h) for persistent kernels, which exist for all of them.
       NULL: they do not. */
    clsp_status (*ready)(const clspi_work *work, clspi_plan *plan, clspi_series *series);

    /* Makes lines by the context's device in memory of any kind. NULL: on_device does, part by
       part. */
    clsp_status (*alone)(const clspi_work *work, const clspi_tiles *tiles,
                         const clsp_output *output, const clsp_run *run);

    /* Makes again on the calling thread what has to be of one processor, where several have made
       lines. NULL: nothing. */
    clsp_status (*mend)(const clspi_work *work, clsp_range lines, const char *const in[],
                        char *out);
} clspi_work_makers;

struct clspi_work {
    clspi_plan *plan;
    clspi_peers *peers;
    const clspi_work_makers *makers;
    const void *user;  /* what makers read of the call: it points to nothing of the call's own, */
    size_t user_bytes; /* as a copy is read where the host makes lines later */
    clspi_tiling tiling;
    size_t first_piece;
    size_t multiple;            /* of lines, that parts of a piece begin at on a device; 0: of 1 */
    uint32_t num_in;            /* at most CLSPI_WORK_INPUTS */
    const clspi_work_input *in; /* [num_in] */
    clspi_work_output out;
    size_t line_items; /* as of clspi_tiling_of */
    double line_ns;    /* that a line takes a core */
    bool takes_all;    /* on_host has threads help by itself, and gets all lines at once */
    double chunk_ms;   /* as in job.h */
    bool is_devices;   /* without a share the device makes lines, since its way was asked for */
    /* Why the host makes no lines, joined devices make none, and no persistent kernel does; NULL:
       they do. Static storage. */
    const char *why_no_host, *why_alone, *why_not_persistent;
};

/* Returns the class of a size in keys: which power of two is the last up to it. */
unsigned clspi_size_class(double size);

/* Carries out a call whose arguments have been checked, but for its memory and tiles. */
clsp_status clspi_work_run(const clspi_work *work, const clsp_run *run);

/* Carries out, on the host and with nothing to wait for, a work without inputs that is a part of
   another one, which is being made. */
clsp_status clspi_work_within(const clspi_work *work);

#endif
