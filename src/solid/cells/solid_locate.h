/* The search for the cells of a solid, and the parameters within them, at which points lie
   (docs/math.md, 21): a tree of boxes around cells, Newton's method in them, and bounds where it
   finds nothing. All is computed in double precision, whatever queries and results are. */
#ifndef CLSPI_SOLID_LOCATE_H
#define CLSPI_SOLID_LOCATE_H

#include "in_parallel.h"
#include "level.h"
#include "locate_nodes.h"

/* What becomes of a query. */
typedef enum clspi_locate_status {
    CLSPI_LOCATE_FOUND,
    CLSPI_LOCATE_CUT,
    CLSPI_LOCATE_NONE,
    CLSPI_LOCATE_INVALID
} clspi_locate_status;

/* A result: parameters, distance of the cell's point from the query, a bound of that of the solid,
   the cell, clspi_locate_status. A query that is not found has no cell unless the nearest point is
   asked for. */
typedef struct clspi_place_f32 {
    float t[3], residual, bound;
    uint32_t cell, status;
} clspi_place_f32;

typedef struct clspi_place_f64 {
    double t[3], residual, bound;
    uint32_t cell, status;
} clspi_place_f64;

/* Queries, and where their results go. */
typedef struct clspi_locate_queries {
    bool f64;              /* points and results are doubles, else floats */
    size_t num;            /* of them to be searched for */
    const uint32_t *order; /* [num], which ones; NULL: 0 to num - 1 */
    const void *points;    /* [..][3] */
    uint64_t max_nodes;    /* parts that a query looks at */
    bool asks_nearest;     /* what is outside gets the place of the solid's nearest point */
    double tolerance;      /* what is outside by this at most is found at that place; 0: nothing */
    void *out;             /* [..] of clspi_place_f32 or clspi_place_f64 */
} clspi_locate_queries;

/* Solids that are searched: read alone once they are made, and shared by all threads. */
typedef struct clspi_solid_locate clspi_solid_locate;

/* Makes the boxes of cells and their tree; NULL without memory. What the source points to stays the
   caller's. Cells with control points that are not finite are left out. */
clspi_solid_locate *clspi_solid_locate_create(const clspi_locate_source *source,
                                              const clspi_parallel *threads);
void clspi_solid_locate_destroy(clspi_solid_locate **locate);

/* Finds where points lie. The bits of a result depend on its query alone. False without memory. */
CLSPI_LEVELS(bool, clspi_solid_locate_find,
             (const clspi_solid_locate *locate, const clspi_locate_queries *queries));
#define clspi_solid_locate_find CLSPI_AT_LEVEL(clspi_solid_locate_find)

#endif
