/* A plan of tensor-product patches, of whatever basis functions: what is made when it is created
   and changed, and the control points that it holds. It is the plan of the public calls
   (clspline/patch.h). A family's plan begins with one. */
#ifndef CLSPI_PATCH_PLAN_H
#define CLSPI_PATCH_PLAN_H

#include <clspline/patch.h>

#include "eval_points.h"
#include "host_state.h"
#include "memory.h"
#include "own_samples.h"
#include "peers.h"
#include "vertex_assembly.h"
#include "vertex_tile.h"

/* Kinds of changes, bits of clspi_plan.broken. */
enum { CLSPI_CHANGE_DESC = 1, CLSPI_CHANGE_GRIDS = 2 };

struct clspi_nearest;
struct clspi_spans;

/* What the host makes lists by (host_list.h), which commands share that may outlive the plan. */
typedef struct clspi_list_recipe clspi_list_recipe;

/* What a family gives its plans. */
typedef struct clspi_patch_family {
    const char *name;           /* first word of messages and of the keys of speeds */
    const char *points_program; /* the .cl file that includes eval_points.clh */
    clspi_peer_kind peers;

    /* Points to the plan's description, resolved, by the family's member of *desc. */
    void (*describe)(const clsp_patch_plan *plan, clsp_patch_desc *desc);

    /* Takes other axes over, and returns to the common grid. After CLSP_ERROR_ARGUMENT the plan is
       as it was. */
    clsp_status (*set_axes)(clsp_patch_plan *plan, const clsp_axis *axis);

    /* Releases what a plan of the family holds beside the patch plan. */
    void (*release)(clsp_patch_plan *plan);

    /* Makes what the family's kernels need for a description; NULL: nothing. */
    clsp_status (*prepare)(clsp_patch_plan *plan, clspi_series *series);

    /* Makes plan->basis, when vertices one by one are first asked for; NULL: there is none. */
    clsp_status (*make_basis)(clsp_patch_plan *plan, clspi_series *series);

    /* Makes the basis of vertices that the host makes one by one, as list_recipe.h says, for free;
       NULL where there is no memory. Not asked for where functions are Bernstein polynomials. */
    double *(*host_basis)(const clsp_patch_plan *plan);

    /* Goes over rows of vertices after they are made; NULL: nothing does. */
    clsp_status (*after_rows)(clsp_patch_plan *plan, clspi_series *series, const clspi_rows *rows);

    /* Tells whether after_rows makes edges of surfaces as the host does too; NULL: never. */
    bool (*has_edges)(const clspi_tensor_desc *desc);

    /* Makes the spans of curves that have a basis each (spans.h); false without memory. NULL: none
       have. */
    bool (*own_spans)(const clsp_patch_plan *plan, struct clspi_spans *spans);
} clspi_patch_family;

struct clsp_patch_plan {
    clspi_plan base; /* first: other layers know the plan by it */
    const clspi_patch_family *family;
    clspi_tensor_desc desc;
    bool is_ready;         /* what kernels need of the description is made (clspi_patch_ready), */
    bool is_made;          /* and of the control points */
    uint32_t variant;      /* a number of the family's by which keys of speeds differ */
    bool is_plain;         /* a vertex is dim packed reals of the precision, not rational */
    size_t patch_reals;    /* of a patch's control points */
    size_t patch_vertices; /* of the common grid; 0: there is none */
    cl_mem basis;          /* of the family, for vertices one by one; NULL: none, or not yet */

    /* [num_patches][patch_reals]; where the host makes vertices, the host's state has those from
       host memory, until kernels need them (clspi_patch_upload) */
    cl_mem points;
    size_t points_bytes;
    bool is_uploaded; /* they are there */
    size_t num_patches;
    bool is_loaded;
    uint64_t loads; /* of control points; by it what a family makes of them knows its own */

    clspi_own_samples samples; /* of the description's axes */
    clspi_patch_grids grids;
    clspi_grid_sums sums; /* of the common grid */
    clspi_assembly assembly;
    clspi_kernel vertex_rows; /* where it makes the vertices in one pass */
    clspi_point_kernels point_kernels;
    clspi_kernel faces;
    clspi_peers peers;
    clspi_host_state host;
    clspi_vertex_tile *host_tile;   /* tables of the host; NULL: not made */
    clspi_list_recipe *list_recipe; /* of the host's lists; NULL: not made */
    struct clspi_nearest *nearest;  /* of projections, which the family releases; NULL: none yet */
    struct clspi_reduction *reduction; /* and of pieces of a lower degree */
};

static inline clsp_patch_plan *clspi_patch_plan_of(clspi_plan *plan)
{
    return (clsp_patch_plan *)plan; /* base is its first member */
}

/* Makes an empty plan of a family, of so many bytes, all 0 but for the patch plan. method: of
   summing; NULL: by factorization. */
clsp_status clspi_patch_create(clsp_patch_plan **plan, size_t bytes, clsp_context *ctx,
                               const clspi_patch_family *family, const clspi_sum_method *method);

/* Releases a plan and writes NULL; *plan may be NULL. */
void clspi_patch_destroy(clsp_patch_plan **plan);

/* Checks that a plan is one of a family for the call that is named, and is not NULL. */
clsp_status clspi_family_check(const clsp_patch_plan *plan, const clspi_patch_family *family,
                               const char *call);

/* Is the `destroy` of a family's peers. */
void clspi_patch_destroy_peer(clspi_plan **peer);

/* Takes a resolved description, the first or another one with the same dimensions and vertices, and
   makes what kernels need of it where kernels make vertices. */
clsp_status clspi_patch_configure(clsp_patch_plan *plan, const clspi_tensor_desc *desc);

/* Makes what kernels need of the description and of control points, where that has not been done.
   Where the host makes vertices, only calls that need kernels all the same do that. */
clsp_status clspi_patch_ready(clsp_patch_plan *plan, clspi_series *series);

/* Brings the control points to the device, where only the host has them. */
clsp_status clspi_patch_upload(clsp_patch_plan *plan, clspi_series *series);

/* Tells whether vertices are made by sums on a common grid. */
bool clspi_patch_has_sums(const clsp_patch_plan *plan);

/* Tells whether vertices are rows of a common grid: those of patch grids, of triangles and of
   patches with bases of their own are not, and are made one by one. */
bool clspi_patch_has_rows(const clsp_patch_plan *plan);

/* Tells whether patches have grids of their own whose vertices are rows all the same. */
bool clspi_patch_has_own_rows(const clsp_patch_plan *plan);

/* Frees what the host has for the grids of patches, which change. */
void clspi_patch_forget_grids(clsp_patch_plan *plan);

/* Returns the vertices of one row. */
size_t clspi_patch_row_vertices(const clsp_patch_plan *plan);

/* Makes the spans of a plan along a direction (spans.h); false without memory. clspi_spans_release
   must follow in every case. */
bool clspi_patch_spans(const clsp_patch_plan *plan, uint32_t way, struct clspi_spans *spans);

/* ---- control points ---- */

/* Makes of control points that have been brought what kernels need of these alone. */
clsp_status clspi_patch_make_of_points(clsp_patch_plan *plan, clspi_series *series,
                                       size_t num_patches);

/* Loads control points from host memory, of the precision, whatever their weights are. */
clsp_status clspi_patch_load(clsp_patch_plan *plan, size_t num_patches, const void *points);

/* Reads the control points to host memory, where that has not been done; for those who hold
   plan->host.lock. */
clsp_status clspi_patch_read_points(clsp_patch_plan *plan);

/* Reads the control points to host memory, as above, and points there. */
clsp_status clspi_patch_host_points(clsp_patch_plan *plan, const void **points);

#endif
