/* The search for the nearest points of all curves of a file, by a plan for each batch of them. */
#ifndef CLSPLINE_TOOLS_PROJECT_SEARCH_H
#define CLSPLINE_TOOLS_PROJECT_SEARCH_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "io/nearest_file.h"
#include "io/splines.h"

typedef struct project_search {
    clsp_context *ctx;
    const splines *content; /* curves, all of dim coordinates */
    uint32_t dim;
    mesh_precision precision;
    clsp_project_opts opts;
    size_t most;               /* points at a time */
    clsp_bspline_plan **plans; /* [batches] */
    void *queries, *found;     /* [most][dim] and [most][num_nearest] results of one plan, in the
                                  precision */
    nearest_row *rows;         /* [most][num_nearest] */
} project_search;

/* Makes the plans and loads the curves. The fields above plans are given. False with a complaint;
   what was made until then is released by project_search_close. */
bool project_search_open(project_search *s);

/* Projects points, [num][dim], at most `most`, and leaves the results in s->rows. `first` is the
   number of the first one, for messages. Complains on failure. */
bool project_search_run(project_search *s, const double *points, size_t num, uint64_t first);

/* Releases all memory. */
void project_search_close(project_search *s);

#endif
