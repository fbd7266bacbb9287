/* What the host's evaluator of grids has of a description (strips.h): the layout of vertices, and
   for each number of samples along a direction its tables. */
#ifndef CLSPI_STRIP_TABLES_H
#define CLSPI_STRIP_TABLES_H

#include "grid_method.h"
#include "strip_sums.h"
#include "strips.h"

/* In which way a direction is summed: those of planes, then those within one. Curves have columns
   alone, surfaces rows of these, volumes all. */
typedef enum clspi_strip_way {
    CLSPI_PLANES,
    CLSPI_ROWS,
    CLSPI_COLUMNS,
    CLSPI_WAYS
} clspi_strip_way;

enum {
    CLSPI_STRIP_ORDERS = 3,  /* of derivatives along a direction, with the function itself */
    CLSPI_STRIP_MEMBERS = 32 /* of a batch, at most */
};

/* The basis functions of an order along a direction: of columns by vectors, as in clspi_strip_sum,
   else of each sample. */
typedef struct clspi_strip_basis {
    void *values;
    uint32_t *first, *count;
    uint32_t most; /* terms of a sample or of a vector of columns */
} clspi_strip_basis;

/* Tables of a number of samples along a direction. */
typedef struct clspi_strip_table {
    uint32_t num;
    const clspi_strip_functions *functions; /* of columns: those for rows of that length */
    clspi_strip_basis bases[CLSPI_STRIP_ORDERS];
    void *param, *limit; /* as in clspi_strip_grid */
} clspi_strip_table;

struct clspi_strips {
    clspi_vertex_tile_desc desc;
    const clspi_vertex_functions *vertex;
    clspi_strip_grid grid; /* but for what depends on numbers of samples */
    size_t coords, element;
    size_t num_points; /* control points of a patch */
    bool is_centred, has_normals, has_bends;
    size_t num_tables[CLSPI_WAYS];
    clspi_strip_table *tables[CLSPI_WAYS]; /* by ascending numbers */
    void *kept;                            /* of a method, */
    clspi_strip_basis rows_made;           /* and whose sums are one term of each row */
};

/* Returns the direction that is summed in a way; negative: there is none. */
static inline int clspi_strip_direction(const clspi_strips *strips, clspi_strip_way way)
{
    return (int)way - (int)(CLSPI_WAYS - strips->desc.points.directions);
}

/* Finds the tables of a number of samples that there are tables of. */
const clspi_strip_table *clspi_strip_table_of(const clspi_strips *strips, clspi_strip_way way,
                                              uint32_t num);

/* Returns the order of a sum's derivative, [directions]. */
const uint32_t *clspi_strip_orders(const clspi_strips *strips, uint32_t sum);

/* Allocates a times b reals in whole lines of the cache; NULL without memory. */
void *clspi_strip_reals(const clspi_strips *strips, size_t a, size_t b);

#endif
