/* The search for the nearest points of all curves and surfaces of some files. */
#ifndef CLSPLINE_TOOLS_PROJECT_SEARCH_H
#define CLSPLINE_TOOLS_PROJECT_SEARCH_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

#include "nearest_file.h"
#include "project_plans.h"
#include "splines.h"

typedef struct project_search {
    clsp_context *ctx;
    const splines *content; /* curves and surfaces, all of dim coordinates */
    uint32_t dim;
    mesh_precision precision;
    clsp_nearest_opts opts;
    bool is_signed;            /* of surfaces: rows have normals and signed distances */
    const clsp_share *sharing; /* NULL: by the context's device alone */
    /* Told of each shared call; NULL is fine. */
    void (*report)(void *user, const char *what, const clsp_report *report);
    void *user;
    size_t most; /* points at a time */
    project_plans plans;
    clsp_nearest *all;       /* plans at once; NULL: one after the other */
    uint32_t directions;     /* the most of what is searched: 1 or 2 */
    clsp_nearest_foot *feet; /* [most], of CAD files; NULL else */
    void *sides;             /* [most][4], normals and signed distances, where they are asked for */
    void *queries, *found;   /* [most][dim] and [most][num_nearest] results of one plan, in the
                                precision */
    nearest_row *rows;       /* [most][num_nearest] */
} project_search;

/* Makes the plans and loads them. The fields above plans are given. False with a complaint;
   what was made until then is released by project_search_close. */
bool project_search_open(project_search *s);

/* Projects points, [num][dim], at most `most`, and leaves the results in s->rows. `first` is the
   number of the first one, for messages. Complains on failure. */
bool project_search_run(project_search *s, const double *points, size_t num, uint64_t first);

/* Releases all memory. */
void project_search_close(project_search *s);

#endif
