/* Which process has made what: after fork OpenCL's threads and the library's own are missing, and
   locks of other threads may be held for good. And that the library's code stays in the process. */
#ifndef CLSPI_PROCESS_H
#define CLSPI_PROCESS_H

#include "log.h"

/* Why calls are refused on what another process has made. */
extern const char clspi_made_before_fork[];

/* Gives the number of the running process, which is another one in each child of fork. What a call
   is to find made by its own process keeps the number. Takes no lock, and costs a load. */
uint32_t clspi_process(void);

/* Has forks noticed from here on; called before anything keeps a number. Errors:
   CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_process_begin(const char *function);

/* Called before OpenCL is asked for platforms, or used on a queue of the caller's. Errors:
   CLSP_ERROR_STATE in a process that was forked after this, by its parent or further back: OpenCL
   does not survive that. */
clsp_status clspi_process_enter_opencl(clspi_log *log);

/* Tells whether OpenCL is lost so. */
bool clspi_process_lost_opencl(void);

/* Takes that back where no implementation of OpenCL was found. */
void clspi_process_leave_opencl(void);

/* Keeps the module that holds this code in the process, whoever closes it: the library, or what has
   the static one in it. Called before a driver gets functions to call later. */
void clspi_process_keep_code(void);

#endif
