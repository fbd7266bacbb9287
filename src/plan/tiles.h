/* Which tiles of a job a call makes, and by whom, as its run says. */
#ifndef CLSPI_TILES_H
#define CLSPI_TILES_H

#include "base_plan.h"
#include "tiling.h"

typedef enum clspi_way {
    CLSPI_BY_DEVICE, /* by the context's device, into memory of any kind */
    CLSPI_BY_CALLER, /* by the calling thread, into host memory */
    CLSPI_BY_ALL,    /* by all processors that the share names, into host memory */
    CLSPI_ASKED      /* not at all: the caller asks for the tiling */
} clspi_way;

typedef struct clspi_tiles {
    clspi_way way;
    clsp_range tiles; /* of the job */
    clsp_range lines; /* of the job, counted through all pieces: those of these tiles */
    bool is_part;     /* some tiles are left out */
} clspi_tiles;

/* Finds out what a call makes of a job. run may be NULL; it has been checked. Errors:
   CLSP_ERROR_ARGUMENT (tiles beyond the last). */
clsp_status clspi_tiles_of(clspi_tiles *tiles, const clspi_plan *plan, const clspi_tiling *tiling,
                           const clsp_run *run);

/* Answers a call that asks; a line of the job has so many elements. */
clsp_status clspi_tiles_report(const clspi_tiles *tiles, const clspi_tiling *tiling,
                               size_t line_elements, const clsp_run *run);

#endif
