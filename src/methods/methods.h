/* The published methods, which are there to be compared with (docs/methods.md): all that the rest
   of the library sees of them. A build without them has a table of NULLs, and refuses them. */
#ifndef CLSPI_METHODS_H
#define CLSPI_METHODS_H

#include "kernel_arguments.h"
#include "nearest_search.h"
#include "tensor_sum.h"

struct clsp_bezier_desc;
struct clsp_solid_plan;

typedef struct clspi_methods {
    /* Sums of Bezier curves and surfaces by clsp_bezier_method; NULL: the patch layer's own. The
       check is of degrees and axes that the method of a description does not take. */
    const clspi_sum_method *bezier[5];
    clsp_status (*check_bezier)(clspi_log *log, const struct clsp_bezier_desc *desc);

    /* CLSP_BSPLINE_CONVERT_MATRIX */
    const clspi_sum_method *convert;

    /* CLSP_NEAREST_MREP: its check of a call, its programs for curves like these, the search on the
       curves that are loaded, within a tolerance or by 0 the default one, and the end of what it
       keeps, *cubic, which is not NULL. plan->nearest is there. */
    clsp_status (*check_mrep)(const clsp_patch_plan *plan, uint32_t num_nearest);
    clsp_status (*build_mrep)(const clspi_build *build, const clspi_tensor_desc *desc);
    clsp_status (*find_mrep)(clsp_patch_plan *plan, clspi_series *series,
                             const clspi_nearest_job *job, double tolerance);
    void (*destroy_mrep)(struct clspi_nearest_cubic **cubic);

    /* CLSP_SOLID_THREAD, GROUP and HYBRID: the kernels of a plan's grid, and cells at.first ..
       at.first + at.count - 1 into a buffer. */
    clsp_status (*create_cells)(struct clsp_solid_plan *plan);
    clsp_status (*make_cells)(struct clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                              clspi_cell_samples at);
} clspi_methods;

#if CLSPI_METHODS
extern const clspi_methods clspi_published;
#else
static const clspi_methods clspi_published = {.convert = NULL};
#endif

/* Refuses a method of the family's where the library is built without them all. */
static inline clsp_status clspi_published_check(clspi_log *log, const char *family)
{
    if (CLSPI_METHODS) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "%s: built without the published methods", family);
}

#endif
