/* A buffer that is shared with graphics: which way, and how a series of commands takes it and gives
   it back. */
#ifndef CLSPI_GRAPHICS_BUFFER_H
#define CLSPI_GRAPHICS_BUFFER_H

#include <clspline/graphics.h>

#include "launch.h"

struct clsp_graphics {
    const clsp_context *ctx; /* whose plans may write it; not looked into when it is destroyed */
    uint32_t process;        /* that has made it */
    clsp_graphics_report report;
    char *host;    /* of way staged; else NULL */
    cl_mem buffer; /* of the others; else NULL */
    clspi_pass_fn acquire, release;
    cl_event last; /* on out-of-order queues: of the last release, which the next call waits for */
};

/* Takes a buffer from graphics before the commands of a series that write it. */
clsp_status clspi_graphics_acquire(clsp_graphics *graphics, clspi_series *series);

/* Gives it back behind them, whatever came of them; status: that. Returns the status of all. */
clsp_status clspi_graphics_release(clsp_graphics *graphics, clspi_series *series,
                                   clsp_status status);

#endif
