#include "host_state.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static clsp_status no_memory(const clspi_plan *plan, const char *what)
{
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no host memory for %s",
                      plan->family, what);
}

clsp_status clspi_host_state_init(clspi_host_state *state, clspi_plan *plan,
                                  void (*destroy_scratch)(void *scratch))
{
    *state = (clspi_host_state){.destroy_scratch = destroy_scratch};
    return pthread_mutex_init(&state->lock, NULL) == 0 ? CLSP_OK : no_memory(plan, "a lock");
}

void clspi_host_state_forget(clspi_host_state *state)
{
    free(state->data);
    state->data = NULL;
    state->capacity = 0;
}

void clspi_host_state_free_scratch(clspi_host_state *state)
{
    for (size_t i = 0; state->scratch && i < CLSPI_HOST_WORKERS; i++)
        state->destroy_scratch(state->scratch[i]);
    free(state->scratch);
    state->scratch = NULL;
}

void clspi_host_state_release(clspi_host_state *state)
{
    clspi_host_state_forget(state);
    clspi_host_state_free_scratch(state);
    pthread_mutex_destroy(&state->lock);
}

clsp_status clspi_host_state_reserve(clspi_host_state *state, clspi_plan *plan, size_t bytes,
                                     size_t room)
{
    const size_t whole = clspi_max(bytes, room);

    if (whole > SIZE_MAX - CLSPI_HOST_ROOM) return no_memory(plan, "the plan's data");
    if (!state->data || state->capacity < whole) {
        clspi_host_state_forget(state);
        state->data = malloc(whole + CLSPI_HOST_ROOM);
        if (!state->data) return no_memory(plan, "the plan's data");
        state->capacity = whole;
    }
    memset((char *)state->data + bytes, 0, state->capacity - bytes + CLSPI_HOST_ROOM);
    return CLSP_OK;
}

static clsp_status read_data(clspi_host_state *state, clspi_plan *plan, cl_mem data, size_t bytes,
                             size_t room)
{
    clspi_call call;

    CLSPI_CHECK(clspi_host_state_reserve(state, plan, bytes, room));
    if (bytes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, plan, NULL));
    return clspi_call_end(&call, clspi_series_read(&call.series, data, 0, state->data, bytes));
}

clsp_status clspi_host_state_read(clspi_host_state *state, clspi_plan *plan, cl_mem data,
                                  size_t bytes, size_t room)
{
    if (!state->scratch) state->scratch = calloc(CLSPI_HOST_WORKERS, sizeof *state->scratch);
    if (!state->scratch) return no_memory(plan, "its workers");
    if (state->data) return CLSP_OK;
    const clsp_status status = read_data(state, plan, data, bytes, room);
    if (status != CLSP_OK) clspi_host_state_forget(state);
    return status;
}
