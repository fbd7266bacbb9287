/* What the host's cores evaluate of a plan: control points in host memory, tables, and first sums
   of each worker. */
#ifndef CLSPI_BEZIER_HOST_H
#define CLSPI_BEZIER_HOST_H

#include <pthread.h>

#include "bezier_tile.h"
#include "context_internal.h"

typedef struct clspi_bezier_host {
    pthread_mutex_t lock; /* of what several workers may make at once: the three below */
    void *points;         /* the plan's control points; NULL: not read yet */
    clspi_bezier_tile *tile;
    clspi_bezier_scratch **scratches; /* [CLSP_MAX_WORKERS], each its worker's own */
} clspi_bezier_host;

struct clsp_bezier_plan;

clsp_status clspi_bezier_host_init(clspi_bezier_host *host, clsp_context *ctx);
void clspi_bezier_host_release(clspi_bezier_host *host);

/* Forgets control points, and with grid also tables: the plan's are others now. */
void clspi_bezier_host_forget(clspi_bezier_host *host, bool grid);

/* Why the host cannot make the plan's vertices; NULL: it can. Static storage. */
const char *clspi_bezier_host_refusal(const struct clsp_bezier_plan *plan);

/* Makes plan->host.points; waits for the device where they are not here yet. */
clsp_status clspi_bezier_host_points(struct clsp_bezier_plan *plan);

/* Points and tables, ahead of clspi_bezier_host_rows. Where nothing refuses. */
clsp_status clspi_bezier_host_prepare(struct clsp_bezier_plan *plan);

/* Rows of one patch into out, where they begin. */
clsp_status clspi_bezier_host_rows(struct clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                                   cl_uint first_row, cl_uint num_rows, void *out);

#endif
