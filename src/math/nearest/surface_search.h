/* The search for the nearest points of surfaces: pieces, which are Bezier patches of one degree, a
   tree of boxes around parts of them, and a walk down it that certifies what it finds
   (docs/math.md, 20). All is computed in double precision, whatever queries and results are. */
#ifndef CLSPI_SURFACE_SEARCH_H
#define CLSPI_SURFACE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "in_parallel.h"
#include "level.h"
#include "nearest_result.h"

enum {
    CLSPI_SURFACE_DEGREE_MAX = 16,
    CLSPI_SURFACE_ORDER_MAX = CLSPI_SURFACE_DEGREE_MAX + 1,
    CLSPI_SURFACE_COORDS_MAX = 5 /* four and a weight */
};

/* Makes the control points of a piece: [degree_u + 1][degree_v + 1][dim, and the weight], relative
   to an origin of its choice, homogeneous where there are weights: w (P - origin), w. Called by
   several threads at once. */
typedef void (*clspi_surface_piece_fn)(const void *user, size_t patch, const uint32_t span[2],
                                       double *origin, double *points);

/* What is searched: every patch has spans[0] * spans[1] pieces. */
typedef struct clspi_surface_desc {
    uint32_t degree[2]; /* 1 to CLSPI_SURFACE_DEGREE_MAX */
    uint32_t dim;       /* 1 to 4 */
    bool rational;
    size_t num_patches;
    uint32_t spans[2];
    const double *ends[2]; /* [spans + 1], the parameters where spans begin, and the last one's end;
                              copied */
    clspi_surface_piece_fn piece;
    const void *user;
} clspi_surface_desc;

/* Queries, and where their results go. */
typedef struct clspi_surface_queries {
    bool f64;                /* points, hints and results are doubles, else floats */
    size_t num;              /* of them to be searched for */
    const uint32_t *order;   /* [num], which ones; NULL: 0 to num - 1 */
    const void *points;      /* [..][dim] */
    const uint32_t *patches; /* [..], the patch of each; NULL: all patches */
    const void *hints;       /* [..][2], NaN: none; NULL: none at all. With more than one patch only
                                beside patches */
    double max_dist;         /* 0: no limit */
    void *out;               /* [..] of clspi_nearest_f32 or clspi_nearest_f64 */
    void *normals; /* of surfaces of three dimensions: [..][4], normals and signed distances; NULL:
                      not asked for */
} clspi_surface_queries;

/* Surfaces that are searched: read alone once they are made, and shared by all threads. */
typedef struct clspi_surface_search clspi_surface_search;

/* Makes pieces and their tree; NULL without memory. Pieces that have a number which is not finite,
   or a weight that is not positive, are left out. */
clspi_surface_search *clspi_surface_search_create(const clspi_surface_desc *desc,
                                                  const clspi_parallel *threads);
void clspi_surface_search_destroy(clspi_surface_search **search);

/* Finds the nearest point to each query. The bits of a result depend on its query alone. False
   without memory. */
CLSPI_LEVELS(bool, clspi_surface_search_find,
             (const clspi_surface_search *search, const clspi_surface_queries *queries));
#define clspi_surface_search_find CLSPI_AT_LEVEL(clspi_surface_search_find)

#endif
