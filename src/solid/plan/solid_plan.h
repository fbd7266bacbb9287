/* A plan of a solid. */
#ifndef CLSPI_SOLID_PLAN_H
#define CLSPI_SOLID_PLAN_H

#include <string.h>

#include <clspline/solid.h>

#include "cell_points.h"
#include "cell_sums.h"
#include "class_trees.h"
#include "host_state.h"
#include "peers.h"
#include "work.h"
#include "solid_vertex.h"

enum {
    CLSPI_MAX_SLICE = 32, /* points of a slice; cells with more are made by tables of all points */
    CLSPI_FULL_POINTS = 128 /* of a cell made by tables, as a rule */
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
    uint32_t *use_of;             /* [classes][CLSPI_FRAMES]: uses; 0: there is none */
    size_t slice_rows, full_rows; /* of all tables, 16 reals each */
    clspi_cell_sets layers, full; /* of those made by slices, and by tables of all points */
    uint32_t *index;              /* points of layered cells by layers, which on the device lie
                                     behind the points of all cells that are not regular */
    size_t num_index;
} clspi_cell_layout;

/* Tells whether the host has code for a method: all but those of groups of work-items. */
static inline bool clspi_solid_has_host(const clsp_solid_desc *desc)
{
    return desc->method != CLSP_SOLID_GROUP && desc->method != CLSP_SOLID_HYBRID;
}

/* Cells of a set at most. */
typedef struct clspi_set_sizes {
    uint32_t layers, full;
} clspi_set_sizes;

/* Tables of weights at the samples of the grid, on the device: of slices and of all points for each
   sum, one sum after the other; and along directions. Where vertices are packed points or
   derivatives alone, these are of the one order; else of three orders, followed by the parameters
   of samples (solid_vertex.clh). */
typedef struct clspi_sample_tables {
    cl_mem slices, full, along;
} clspi_sample_tables;

/* Tables of weights at the samples of the grid in host memory; NULL: not there. */
typedef struct clspi_host_tables {
    void *slices, *full, *along;
    void *weights[3];     /* of all slots of a vertex, along each direction (cell_sums.h) */
    clspi_cell_grid grid; /* what cells have in common but for control points and who stores */
} clspi_host_tables;

/* Control points in the order in which a kernel reads them, and what copies them; NULL: not there.
 */
typedef struct clspi_point_copies {
    cl_mem buffer;
    clspi_kernel kernel;
} clspi_point_copies;

/* What a device makes lists of points with; made when it is first needed. */
typedef struct clspi_point_lists {
    bool is_tried, is_there; /* it has been asked for; there is room for it */
    clspi_kernel kernel;
    cl_mem words, tables; /* cells, their points, and trees of classes (class_trees.h) */
    uint32_t index_at, trees_at;
} clspi_point_lists;

struct clsp_solid_plan {
    clspi_plan base; /* first: calls know the plan by it */
    clsp_solid_desc desc;
    double *params[3]; /* what its axes point to */
    clspi_solid_shape shape;
    bool by_host; /* the host makes all: what the device needs for it is made when it has to */
    bool has_grid;
    bool is_plain; /* vertices are packed points, or derivatives of one order, in the precision */
    bool has_gaps; /* some elements of vertices belong to no attribute */
    size_t num_vertices, num_cells;
    size_t cell_reals, cell_elements; /* of all sums of a cell, and of its vertices */
    clspi_class_set classes;
    clspi_cell_points points;
    clspi_cell_layout layout;
    clspi_sample_tables tables;
    bool by_sample; /* tables on the device are [samples][terms]; else [terms][samples], rows padded
                       to 16 */
    bool is_loaded;
    bool is_ready, is_uploaded; /* the device has kernels and what they read: of cells, and of
                                  control points */
    uint8_t *faces; /* [num_cells]: the boundary faces of each, bits; NULL without normals */
    cl_mem cell_faces;
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
    clspi_host_tables host_tables;
    clspi_class_trees host_trees;  /* of classes with slices; words NULL: not made, or too_large */
    struct clspi_lattice *lattice; /* where it makes the grid; NULL: classes do */
    clsp_solid_plan *by_classes;   /* beside a lattice, for weights and classes, without control
                                      points; NULL: not made */
    struct clspi_solid_locate *located; /* what finds places of points; NULL: not made */
};

/* Brings all control points, those beyond the boundary too, from host memory to the device of a
   plan that is ready. */
clsp_status clspi_control_upload(clsp_solid_plan *plan, clspi_series *series, const void *points);

/* Makes the host's copy of these control points, unless it is there; the host state's lock is held.
 */
clsp_status clspi_control_hold(clsp_solid_plan *plan);

/* Gives the plan that has the classes and weights of a plan: itself, or one beside its lattice. */
clsp_status clspi_solid_by_classes(clsp_solid_plan *plan, clsp_solid_plan **by_classes);

/* Checks a range of cells. */
clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells);

/* Finds the uses of all cells. Errors: CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_cell_layout_make(clsp_solid_plan *plan);
void clspi_cell_layout_release(clspi_cell_layout *layout);

/* Makes the sets of cells that kernels make together. Errors: CLSP_ERROR_NO_MEMORY. */
clsp_status clspi_cell_sets_make(clsp_solid_plan *plan);
void clspi_cell_sets_release(clspi_cell_layout *layout);

/* Returns the number of a cell's use. */
static inline uint32_t clspi_use_of(const clsp_solid_plan *plan, size_t cell)
{
    const clspi_class_use of = plan->points.use[cell];

    return of.number == CLSPI_REGULAR
               ? 0
               : plan->layout.use_of[(size_t)of.number * CLSPI_FRAMES + of.frame];
}

/* Returns the samples of a slice whose cells are made along a direction, padded. */
size_t clspi_slice_stride(const clsp_solid_desc *desc, uint32_t direction);

/* Make the tables of all samples, on the device and in host memory. */
clsp_status clspi_sample_tables_make(clsp_solid_plan *plan, clspi_series *series);
clsp_status clspi_sample_tables_on_host(clsp_solid_plan *plan, clspi_host_tables *tables);
void clspi_sample_tables_release(clspi_sample_tables *tables);

/* Returns the reals of the table along directions. */
size_t clspi_along_reals(const clsp_solid_plan *plan);

/* Writes a number as the i-th float of memory that holds doubles. */
static inline void clspi_put_float(double *memory, size_t i, double number)
{
    const float value = (float)number;

    memcpy((char *)memory + i * sizeof value, &value, sizeof value);
}

/* Returns the bytes of an element of vertices. */
static inline size_t clspi_solid_element(const clsp_solid_plan *plan)
{
    return clsp_type_bytes(plan->desc.vertex.type);
}

/* Returns sample i of an axis. */
static inline double clspi_solid_sample(const clsp_axis *axis, uint32_t i)
{
    const double last = axis->num > 1 ? axis->num - 1.0 : 1.0;

    return axis->params ? axis->params[i] : (axis->begin * (last - i) + axis->end * i) / last;
}

/* Returns the samples of a cell; 0: there is no grid. */
static inline size_t clspi_grid_size(const clsp_solid_desc *desc)
{
    return (size_t)desc->axis[0].num * desc->axis[1].num * desc->axis[2].num;
}

#endif
