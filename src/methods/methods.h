/* The published methods, which are there to be compared with (docs/methods.md): all that the rest
   of the library sees of them. Each has a table, of NULLs in a build without them. */
#ifndef CLSPI_METHODS_H
#define CLSPI_METHODS_H

#include "kernel_arguments.h"
#include "nearest_search.h"
#include "tensor_sum.h"

struct clsp_bezier_desc;
struct clsp_solid_plan;
struct clspi_cell_grid;
struct clspi_cell_sum;

/* Sums of Bezier curves and surfaces, by clsp_bezier_method; NULL: the patch layer's own. The check
   is of degrees and axes that the method of a description does not take. */
typedef struct clspi_bezier_methods {
    const clspi_sum_method *sums[5];
    clsp_status (*check)(clspi_log *log, const struct clsp_bezier_desc *desc);
} clspi_bezier_methods;

/* A search for the nearest points of curves, CLSP_NEAREST_MREP: a check of a call, its programs for
   curves like these, and the search on the curves that are loaded, within a tolerance or by 0 the
   default one. plan->nearest is there. */
typedef struct clspi_nearest_method {
    const char *why_alone; /* no other processor takes part */
    clsp_status (*check)(const clsp_patch_plan *plan, uint32_t num_nearest);
    clsp_status (*build)(const clspi_build *build, const clspi_tensor_desc *desc);
    clsp_status (*find)(clsp_patch_plan *plan, clspi_series *series, const clspi_nearest_job *job,
                        double tolerance);
} clspi_nearest_method;

/* Cells of solids, CLSP_SOLID_THREAD, GROUP and HYBRID: the kernels of a plan's grid, and cells
   at.first .. at.first + at.count - 1 into a buffer; and a cell on the host, of THREAD alone, as
   clspi_cell_sums_f32 makes it (cell_sums.h). */
typedef struct clspi_cell_method {
    clsp_status (*create)(struct clsp_solid_plan *plan);
    clsp_status (*make)(struct clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                        clspi_cell_samples at);
    void (*on_host)(bool is_double, const struct clspi_cell_grid *grid,
                    const struct clspi_cell_sum *cell, void *staged, void *out);
} clspi_cell_method;

#if CLSPI_METHODS
#define CLSPI_PUBLISHED(type, name) extern const type name
#else
#define CLSPI_PUBLISHED(type, name) static const type name = {0}
#endif
CLSPI_PUBLISHED(clspi_bezier_methods, clspi_published_bezier);
CLSPI_PUBLISHED(clspi_sum_method, clspi_published_conversion); /* CLSP_BSPLINE_CONVERT_MATRIX */
CLSPI_PUBLISHED(clspi_nearest_method, clspi_published_mrep);
CLSPI_PUBLISHED(clspi_cell_method, clspi_published_cells);

/* Refuses a method of the family's where the library is built without them. */
static inline clsp_status clspi_published_check(clspi_log *log, const char *family)
{
    if (CLSPI_METHODS) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: built without the published methods", family);
}

#endif
