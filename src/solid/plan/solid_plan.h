/* A plan of a solid. */
#ifndef CLSPI_SOLID_PLAN_H
#define CLSPI_SOLID_PLAN_H

#include <string.h>

#include <clspline/solid.h>

#include "cell_points.h"
#include "host_state.h"
#include "peers.h"
#include "shared_batch.h"

enum {
    CLSPI_MAX_SLICE = 32, /* points of a slice; cells with more are made by tables of all points */
    CLSPI_POINT_GROUP = 64, /* items of a group that makes cells point by point; 32 make one */
    CLSPI_POINT_WARP = 32,
    CLSPI_SLICE_TILE = 32, /* points of a tile there: of a slice and of a cell */
    CLSPI_FULL_TILE = 64,
    CLSPI_FULL_POINTS = 128, /* of a cell made by tables, as a rule */
    CLSPI_COPIERS = 32,      /* items of a GPU that copy the points of a set */
    CLSPI_ORDERS = 10        /* orders of derivatives, at most 2 in all directions together */
};

/* Cells of one class in one frame. */
typedef struct clspi_cell_use {
    clspi_class_use of; /* CLSPI_REGULAR: the first one; it has nothing of what follows */
    bool has_slices;    /* they are made by slices and layers */
    uint32_t terms;     /* points of a slice, or of the cell */
    uint32_t direction; /* across slices */
    size_t table;       /* where its table begins, in rows of 16 reals */
    size_t num_cells;
} clspi_cell_use;

/* Sets of cells of one use, which are made together. */
typedef struct clspi_cell_sets {
    uint32_t size;   /* cells */
    uint32_t *words; /* [num][clspi_set_words]: cells, places of their points, table, terms and of
                        slices the direction across them, place of the points' copies */
    clspi_cell_spans spans;
    size_t num;
    size_t copies; /* reals of all points' copies, in fours */
} clspi_cell_sets;

static inline uint32_t clspi_set_words(const clspi_cell_sets *sets)
{
    return 2 * sets->size + 3;
}

/* How a plan's cells are made, topology alone. */
typedef struct clspi_cell_layout {
    clspi_cell_use *uses;
    uint32_t num_uses;
    size_t slice_rows, full_rows; /* of all tables, 16 reals each */
    clspi_cell_sets layers, full; /* of those made by slices, and by tables of all points */
    uint32_t *index;              /* points of all sets' cells, of layered ones by layers */
    size_t num_index;
} clspi_cell_layout;

/* Cells of a set at most. */
typedef struct clspi_set_sizes {
    uint32_t layers, full;
} clspi_set_sizes;

/* The tables of one order of derivatives, on the device. */
typedef struct clspi_sample_tables {
    bool is_made;
    cl_mem slices, full, along;
} clspi_sample_tables;

/* The same in host memory; NULL: not there, or of no cell. */
typedef struct clspi_host_tables {
    void *slices, *full, *along;
} clspi_host_tables;

/* Control points in the order in which a kernel reads them, and what copies them; NULL: not there.
 */
typedef struct clspi_point_copies {
    cl_mem buffer;
    clspi_kernel kernel;
} clspi_point_copies;

/* What lists of points are made with; made when it is first needed. */
typedef struct clspi_point_lists {
    clspi_kernel kernel;
    cl_mem begin, index, weights;
    size_t begin_bytes, index_bytes, weights_bytes;
} clspi_point_lists;

struct clsp_solid_plan {
    clspi_plan base; /* first: calls know the plan by it */
    clsp_solid_desc desc;
    size_t num_vertices, num_cells, cell_reals;
    clspi_class_set classes;
    clspi_cell_points points;
    clspi_cell_layout layout;
    clspi_sample_tables tables[CLSPI_ORDERS];
    bool is_loaded;
    cl_mem control, index, continued;
    cl_mem block_words, block_points, patterns, layer_sets, full_sets;
    size_t depth_first[5]; /* continued points by how many of them are behind each other */
    clspi_kernel continue_points, regular, layers, full;
    bool has_quads; /* `full` makes four adjacent samples as a vector */
    clspi_point_copies blocks_copied, layers_copied, full_copied;
    clspi_point_lists lists;
    /* of shared calls */
    const clsp_solid_plan *owner; /* of a peer: the plan that classes and points belong to */
    clspi_peers peers;
    clspi_host_state host; /* control points, those beyond the boundary too */
    uint32_t *use_of;      /* [classes][CLSPI_FRAMES]: uses; NULL: not made */
    clspi_host_tables host_tables[CLSPI_ORDERS];
};

/* Makes a plan that computes the same as another one, on another device and of the same cells,
   which stay the other one's. It has no control points. */
clsp_status clspi_solid_plan_like(clsp_solid_plan **plan, clsp_context *ctx,
                                  const clsp_solid_plan *owner);

/* Makes the points of cells, in lines of one cell each. */
clsp_status clspi_solid_enqueue(clsp_solid_plan *plan, clspi_series *series, const uint8_t by[3],
                                clsp_range cells, const clspi_target *target);

/* Reads the points of blocks, which the device has, where the host has not: the points of regular
   cells are known by them. */
clsp_status clspi_solid_hold_blocks(clsp_solid_plan *plan);

/* Finds the uses of all cells and what kernels need of them. Errors: CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_cell_layout_make(clsp_solid_plan *plan);
void clspi_cell_layout_release(clspi_cell_layout *layout);

/* Returns the samples of a slice whose cells are made along a direction, padded. */
size_t clspi_slice_stride(const clsp_solid_desc *desc, uint32_t direction);

/* Makes the tables of an order of derivatives, unless there are some. */
clsp_status clspi_sample_tables_prepare(clsp_solid_plan *plan, clspi_series *series,
                                        const uint8_t by[3]);
void clspi_sample_tables_release(clspi_sample_tables *tables);

/* Returns the number of an order of derivatives. */
uint32_t clspi_order_number(const uint8_t by[3]);

/* Check orders of a derivative, by NULL being values, and a range of cells of a plan that has
   control points. */
void clspi_solid_plan_orders(const clsp_solid_plan *plan, uint8_t by[3]);
clsp_status clspi_solid_eval_lines(clsp_solid_plan *plan, clsp_range cells,
                                   const clsp_output *vertices, const clsp_run *run);
clsp_status clspi_solid_orders(const clsp_solid_plan *plan, const uint32_t *by, uint8_t orders[3]);
clsp_status clspi_solid_range(const clsp_solid_plan *plan, clsp_range cells);

/* Checks a range of cells. */
clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells);

/* Gives what the points of cells need of memory, unless that is more than there can be. */
clsp_status clspi_solid_need(const clsp_solid_plan *plan, clsp_range cells,
                             clspi_memory_need *need);

/* Returns the build options of the kernels. set: cells that are made together. */
clspi_options clspi_solid_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set);

/* Those of regular_cells.cl; siblings: all blocks are such. */
clspi_options clspi_regular_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                    bool siblings);

/* Those of solid_layers.cl. */
clspi_options clspi_layer_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set);

/* Those of solid_tables.cl; quads: four adjacent samples are made as a vector. */
clspi_options clspi_table_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set, bool quads);

/* Tells whether the blocks of regular cells have copies of their points. */
bool clspi_has_block_copies(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Returns the items of a GPU's group for regular cells. */
size_t clspi_regular_group(const clsp_solid_desc *desc);

/* Returns the items of a GPU's group for layered ones. */
size_t clspi_layer_group(const clsp_solid_desc *desc);

/* Returns the items of a GPU's group for tables of all points. */
size_t clspi_table_group(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads);

/* Returns the samples that an item of a GPU makes of those of a table. */
uint32_t clspi_table_samples(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads);

/* Tells whether items may make four adjacent samples as a vector. */
bool clspi_table_quads(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Returns what sets may have on a device. */
clspi_set_sizes clspi_most_in_sets(const clsp_context *ctx, const clsp_solid_desc *desc);

/* Writes a number as the i-th float of memory that holds doubles. */
static inline void clspi_put_float(double *memory, size_t i, double number)
{
    const float value = (float)number;

    memcpy((char *)memory + i * sizeof value, &value, sizeof value);
}

static inline size_t clspi_grid_size(const clsp_solid_desc *desc)
{
    return (size_t)desc->axis[0].num * desc->axis[1].num * desc->axis[2].num;
}

#endif
