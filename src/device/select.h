/* Finding devices, and the choice of one by words. */
#ifndef CLSPI_SELECT_H
#define CLSPI_SELECT_H

#include "log.h"

/* Lists all devices of all platforms, or by words with a colon (below) those of the platforms that
   these name, and asks no other one. *infos is malloc'ed, NULL when *count is 0. */
clsp_status clspi_devices(clsp_device_info **infos, size_t *count, const char *words,
                          clspi_log *log);

/* Picks by the words of clsp_context_opts.device (NULL or "": the environment variable
   CLSPLINE_DEVICE, else the best), among devices that these fit the one with this UUID, which may
   be NULL. Without words it must have the UUID. CLSP_ERROR_NO_DEVICE, with the devices that there
   are in the log, when none fits. */
clsp_status clspi_select(clsp_device_info *chosen, const char *words, const uint8_t *uuid,
                         clspi_log *log);

#endif
