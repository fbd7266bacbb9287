/* Lists of vertices at parameters by the host, all in host memory. */
#ifndef CLSPI_HOST_LIST_H
#define CLSPI_HOST_LIST_H

#include "list_recipe.h"
#include "split.h"

enum { CLSPI_POINT_ITEMS = 16 /* a vertex of its own takes as long as so many of a grid */ };

/* A list, in host memory at any address. */
typedef struct clspi_host_list {
    const void *points;         /* control points, [num_patches][patch_reals] */
    size_t num_patches;         /* one at least */
    const char *params, *items; /* where those of the first point are; items: NULL: patch 0 */
    size_t point_step;          /* bytes from one point's parameters to the next one's */
    size_t direction_step;      /* bytes from a parameter along u to that along v */
    bool only_edges;            /* vertices are there: watertight points are made again */
} clspi_host_list;

/* Estimates how long a vertex takes a core, in ns. */
double clspi_host_list_ns(const clsp_patch_plan *plan);

/* Makes the vertices of a part, whose pieces are points; out is aligned to its elements. A point of
   a patch that is not there becomes NaN, as one of parameters that are NaN does. */
void clspi_host_list_make(const clspi_list_recipe *recipe, const clspi_host_list *list,
                          const clspi_part *part, char *out);

#endif
