/* Whether this process may use what the library has made: not after fork, where OpenCL's threads
   and the library's own are missing and locks of other threads may be held for good. And that the
   library's code stays in the process. */
#ifndef CLSPI_PROCESS_H
#define CLSPI_PROCESS_H

#include <stdbool.h>

#include <clspline/types.h>

/* Why calls on contexts are refused in such a process. */
extern const char clspi_made_before_fork[];

/* Tells whether this process was forked after the library had begun to use OpenCL, in its parent or
   further back. Takes no lock, and costs a load. Whatever contexts there are then are not this
   process's, since it can make none. */
bool clspi_process_is_forked(void);

/* Has forks noticed from here on; a public function calls it before it uses OpenCL without a
   context. Errors: CLSP_ERROR_STATE in a process that was forked, CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_process_begin(const char *function);

/* Keeps the module that holds this code in the process, whoever closes it: the library, or what has
   the static one in it. Called before a driver gets functions to call later. */
void clspi_process_keep_code(void);

#endif
