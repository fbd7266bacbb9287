/* Finding devices, and the choice of one by words. */
#ifndef CLSPI_SELECT_H
#define CLSPI_SELECT_H

#include "log.h"

/* What device is wanted. */
typedef struct clspi_wish {
    const char *words;            /* of clsp_context_opts.device; NULL or "": those of the variable
                                     CLSPLINE_DEVICE, else the first GPU, else the host */
    const uint8_t *uuid;          /* NULL: any; among devices that words fit it is preferred, and
                                     without words it is needed */
    clspi_opencl_address address; /* as of clspi_opencl_open */
    bool is_opencl;               /* not the host; without words the best of the others */
} clspi_wish;

/* Lists all devices of all platforms, or by words with a colon those of the platforms that these
   name, and asks no other one; the host is the last. Words that name the host ask none. *infos is
   malloc'ed. */
clsp_status clspi_devices(clsp_device_info **infos, size_t *count, const clspi_wish *wish,
                          clspi_log *log);

/* Picks a device. CLSP_ERROR_NO_DEVICE, with the devices that there are in the log, when none
   fits. */
clsp_status clspi_select(clsp_device_info *chosen, const clspi_wish *wish, clspi_log *log);

#endif
