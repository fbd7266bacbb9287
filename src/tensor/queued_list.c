#include "queued_list.h"

#include <stdlib.h>

#include "check.h"
#include "host_command.h"
#include "host_list.h"
#include "tiling.h"
#include "vertex_layout.h"

/* What a command makes vertices of. Its buffers are those of the vertices, of parameters, of
   patches where there are some, and of control points. */
typedef struct list_command {
    clspi_list_recipe *recipe;
    clspi_tiling tiling;
    size_t offset, params_offset, items_offset, vertex; /* bytes */
    bool has_items;
    clspi_host_list list; /* but for memory */
} list_command;

static void make(const void *job, void *const *memory, clsp_range tiles)
{
    const list_command *const c = job;
    const clsp_range lines = clspi_lines_of(&c->tiling, tiles);
    const clspi_part part = {.piece = lines.first, .num_lines = lines.count};
    clspi_host_list list = c->list;

    list.params = (const char *)memory[1] + c->params_offset;
    list.items = c->has_items ? (const char *)memory[2] + c->items_offset : NULL;
    list.points = memory[c->has_items ? 3 : 2];
    clspi_host_list_make(c->recipe, &list, &part,
                         (char *)memory[0] + c->offset + lines.first * c->vertex);
}

static void release(void *job)
{
    list_command *const c = job;

    clspi_list_recipe_release(c->recipe);
    free(c);
}

/* Describes a list's command; NULL without memory. */
static list_command *describe(clspi_tensor_plan *plan, const clspi_queued_list *list)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const size_t real = clsp_type_bytes(d->precision);
    list_command *const c = clspi_list_recipe_prepare(plan) ? malloc(sizeof *c) : NULL;

    if (!c) return NULL;
    *c = (list_command){.recipe = clspi_list_recipe_retain(plan->list_recipe),
                        .tiling = clspi_list_tiling(list->num, CLSPI_POINT_ITEMS),
                        .offset = list->offset * clsp_type_bytes(d->vertex.type),
                        .params_offset = list->params_offset * real,
                        .items_offset = list->items_offset * sizeof(uint32_t),
                        .vertex = clspi_vertex_bytes(d),
                        .has_items = list->items != NULL,
                        .list = {.num_patches = plan->num_patches,
                                 .point_step = list->point_step * real,
                                 .direction_step = list->direction_step * real}};
    return c;
}

clsp_status clspi_queue_list(clspi_tensor_plan *plan, clspi_series *series,
                             const clspi_queued_list *list)
{
    list_command *const c = describe(plan, list);
    cl_mem buffers[CLSPI_NATIVE_BUFFERS] = {list->out, list->params};
    cl_uint num = 2;

    if (!c)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for a list",
                          plan->base.family);
    const clspi_host_command command = {.make = make,
                                        .release = release,
                                        .job = c,
                                        .num_tiles = clspi_num_tiles(&c->tiling),
                                        .all_ns = clspi_host_list_ns(plan) * (double)list->num};
    if (list->items) buffers[num++] = list->items;
    buffers[num++] = plan->points;
    return clspi_host_command_enqueue(series, &command, buffers, num);
}
