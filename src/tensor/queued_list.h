/* Lists from and into buffers that the host makes, as commands of its CPU's queue. */
#ifndef CLSPI_QUEUED_LIST_H
#define CLSPI_QUEUED_LIST_H

#include "tensor_plan.h"

/* Where a list is; offsets and steps are in elements. */
typedef struct clspi_queued_list {
    cl_mem out, params, items; /* items: NULL: patch 0 */
    size_t offset, params_offset, items_offset;
    size_t point_step, direction_step; /* from parameter to parameter */
    size_t num;
} clspi_queued_list;

/* Enqueues a list of a plan that has patches. */
clsp_status clspi_queue_list(clspi_tensor_plan *plan, clspi_series *series,
                             const clspi_queued_list *list);

#endif
