/* What the host's workers need to make a plan's results: the plan's data in host memory, and
   scratch memory of each. */
#ifndef CLSPI_HOST_STATE_H
#define CLSPI_HOST_STATE_H

#include <pthread.h>

#include <clspline/share.h>

#include "base_plan.h"

enum { CLSPI_HOST_ROOM = 32 }; /* bytes behind the data, so that vectors of it may be read */

typedef struct clspi_host_state {
    pthread_mutex_t lock; /* of data and scratch, which several workers may make at once */
    void *data;           /* what the plan holds; NULL: not read from the device yet */
    size_t capacity;      /* bytes */
    void **scratch;       /* [CLSPI_HOST_WORKERS], each its worker's own; NULL: not made yet */
    void (*destroy_scratch)(void *scratch); /* may get NULL */
} clspi_host_state;

clsp_status clspi_host_state_init(clspi_host_state *state, clspi_plan *plan,
                                  void (*destroy_scratch)(void *scratch));
void clspi_host_state_release(clspi_host_state *state);

/* Frees the plan's data, or the copy of them. */
void clspi_host_state_forget(clspi_host_state *state);

/* Frees the workers' scratch memory. */
void clspi_host_state_free_scratch(clspi_host_state *state);

/* Makes room for so many bytes of data, with zeros behind them: up to `room`, and CLSPI_HOST_ROOM
   more. What was there is lost. */
clsp_status clspi_host_state_reserve(clspi_host_state *state, clspi_plan *plan, size_t bytes,
                                     size_t room);

/* Reads the plan's data, where that has not been done, and makes the array of scratch. What is read
   without data, or behind less than `room` bytes of them, is 0. The caller holds the lock. */
clsp_status clspi_host_state_read(clspi_host_state *state, clspi_plan *plan, cl_mem data,
                                  size_t bytes, size_t room);

#endif
