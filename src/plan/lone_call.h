/* Shared calls that one processor makes after all. */
#ifndef CLSPI_LONE_CALL_H
#define CLSPI_LONE_CALL_H

#include "base_plan.h"

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

#endif
