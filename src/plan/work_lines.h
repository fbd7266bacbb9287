/* The lines of a work that a call asks for, and how each way makes them: for work.c, which decides
   between these. */
#ifndef CLSPI_WORK_LINES_H
#define CLSPI_WORK_LINES_H

#include "work.h"

typedef struct clspi_work_lines {
    const clspi_work *work;
    clspi_tiles tiles;
    clsp_output output;
    const char *lacks; /* why the host makes what the device does not; NULL: the device makes it */
    /* in host memory */
    const char *in[CLSPI_WORK_INPUTS];
    char *written[CLSPI_WORK_INPUTS]; /* the caller's, of what is written beside `out` */
    void *copies[CLSPI_WORK_INPUTS];  /* of what is not aligned to its elements; NULL: none */
    char *out;                        /* where the first tile begins */
} clspi_work_lines;

/* Tells why a device makes no lines of a work; NULL: it does. */
const char *clspi_work_lack(const clspi_work *work, const clspi_plan *plan);

/* Returns how many of some lines are before a part. */
size_t clspi_lines_before(const clspi_work *work, const clspi_part *part, clsp_range lines);

/* Returns the bytes of so many elements of an input. */
size_t clspi_input_bytes(const clspi_work_input *input, size_t elements);

/* Returns what the lines ask of an input's memory. */
clspi_memory_need clspi_lines_need(const clspi_work_lines *l, uint32_t input);

/* Says where the host finds an input's memory. */
clsp_status clspi_lines_take(clspi_work_lines *l, uint32_t input, char *at);

/* Brings what was written aside to where it belongs, if lines were made, and frees copies. Returns
   status. */
clsp_status clspi_lines_end(clspi_work_lines *l, clsp_status status);

/* Makes lines by the context's device, in and out of memory of any kind. */
clsp_status clspi_lines_on_queue(const clspi_work_lines *l, const clsp_run *run);

/* Makes lines by the host, in and out of memory of any kind: as a command where the queue is its
   own CPU's and takes such, else at once, while what is not its memory is mapped. */
clsp_status clspi_lines_anywhere(clspi_work_lines *l, const clsp_run *run);

/* Makes ready what the host needs. */
clsp_status clspi_lines_prepare(const clspi_work_lines *l);

/* Makes lines in host memory on the calling thread, and where they last longer than workers take to
   wake, on the context's workers too; they are prepared. */
clsp_status clspi_lines_on_host(clspi_work_lines *l);

/* Makes lines in host memory by the processors of a share, or tiles on the calling thread. */
clsp_status clspi_lines_shared(clspi_work_lines *l, const clsp_run *run);

#endif
