#include "host_command.h"

#include <stdlib.h>

#include "check.h"
#include "host_pieces.h"

/* A command on its way. */
typedef struct linked_command {
    clspi_host_command command;
    clspi_worker_link *link;
    void *const *memory; /* while it runs */
} linked_command;

bool clspi_is_host_command(const clspi_plan *plan, const clsp_run *run, const clspi_memory *memory)
{
    return clspi_runs_native(plan->ctx) && !(run && run->share) && memory->buffer &&
           !memory->graphics && clspi_native_takes(plan->ctx, memory->buffer);
}

static void make_tiles(void *user, clsp_range tiles)
{
    const linked_command *const linked = user;

    linked->command.make(linked->command.job, linked->memory, tiles);
}

static void run(void *user, void *const *memory)
{
    linked_command *const linked = user;

    linked->memory = memory;
    clspi_linked_tiles(linked->link, linked->command.num_tiles, linked->command.all_ns, make_tiles,
                       linked);
}

static void release(void *user)
{
    linked_command *const linked = user;

    linked->command.release(linked->command.job);
    clspi_worker_link_release(linked->link);
    free(linked);
}

/* Makes a command that is linked to the context's workers; NULL without memory. */
static linked_command *link_command(clsp_context *ctx, const clspi_host_command *command)
{
    linked_command *const linked = malloc(sizeof *linked);

    if (!linked) return NULL;
    *linked = (linked_command){.command = *command, .link = clspi_worker_link_of(ctx)};
    if (linked->link) return linked;
    free(linked);
    return NULL;
}

clsp_status clspi_host_command_enqueue(clspi_series *series, const clspi_host_command *command,
                                       const cl_mem *buffers, cl_uint num)
{
    linked_command *const linked = link_command(series->ctx, command);
    clspi_native native = {.fn = run, .release = release, .user = linked, .num = num};

    if (!linked) {
        command->release(command->job);
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "no memory for a command");
    }
    for (cl_uint i = 0; i < num; i++)
        native.buffers[i] = buffers[i];
    return clspi_native_enqueue(series, &native);
}
