/* Shared calls that one processor makes after all. */
#ifndef CLSPI_LONE_CALL_H
#define CLSPI_LONE_CALL_H

#include "base_plan.h"

/* A shared call that one processor alone can carry out. */
typedef struct clspi_lone_call {
    const char *why;  /* it is not shared */
    size_t num_tiles; /* 1, or 0 where there is nothing to do */
    clsp_status (*run)(void *user);
    void *user;
    bool by_host; /* the host's cores make it, not the context's device */
} clspi_lone_call;

/* Carries a lone call out and reports it. There are no speeds to measure: then it is only carried
   out where the device is the host's own CPU, else CLSP_ERROR_ARGUMENT. */
clsp_status clspi_shared_alone(clspi_plan *plan, const clspi_lone_call *call, const clsp_run *run);

#endif
