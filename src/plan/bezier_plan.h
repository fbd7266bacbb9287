/* What a Bezier plan holds, for the files bezier*.c. */
#ifndef CLSPI_BEZIER_PLAN_H
#define CLSPI_BEZIER_PLAN_H

#include <clspline/bezier.h>

#include "bezier_host.h"
#include "bezier_net.h"
#include "launch.h"

struct clspi_bezier_at;     /* bezier_at.c: kernels for vertices anywhere, made when first needed */
struct clspi_bezier_shared; /* bezier_shared.c: the kernel that pops tiles, made when first needed
                             */
struct clspi_bezier_peers;  /* bezier_cooperate.c: plans of joined devices */
struct clspi_bezier_finish; /* bezier_finish.c: kernels that make vertices of sums */

struct clsp_bezier_plan {
    clsp_context *ctx;
    clsp_bezier_desc desc; /* resolved: no field holds a 0 that stands for a default, and directions
                              that the form does not have are of degree 0 with one sample */
    cl_uint directions;    /* 1 to 3 */
    cl_uint coords;        /* of a control point: dim, and the weight */
    size_t real_bytes;     /* of the precision */
    size_t store_bytes;    /* of the storage */
    bool plain;            /* a vertex is dim packed reals of the precision, not rational */
    size_t points_per_patch;   /* reals of a patch's control points */
    size_t vertices_per_patch; /* of the common grid; 0: there is none */

    cl_mem points; /* [num_patches][points_per_patch] */
    size_t points_capacity;
    size_t num_patches;
    bool loaded;

    size_t num_own;    /* patches with grids of their own */
    uint32_t *own_num; /* [num_own][2] */
    size_t *own_first; /* [num_own + 1]: vertices before each patch; NULL: the common grid holds */

    clspi_bezier_nets nets; /* the common grid's */
    struct clspi_bezier_finish *finish;
    clspi_kernel edges;    /* of bezier_edges.c */
    clspi_kernel vertices; /* of bezier_vertices.c, where it makes the vertices in one pass */
    struct clspi_bezier_at *at;
    struct clspi_bezier_shared *shared;
    struct clspi_bezier_peers *peers;
    clspi_bezier_host host;

    cl_mem staging; /* of the host-pointer calls */
    size_t staging_bytes;
    cl_event last; /* on out-of-order queues: the plan's last command, which the next one must wait
                      for */
};

/* A plan's series: on an out-of-order queue a plan's calls still run one after another, since they
   share its buffers. */
clsp_status clspi_bezier_begin(clsp_bezier_plan *plan, clspi_series *series, cl_uint num_wait,
                               const cl_event *wait, const cl_event *done);
clsp_status clspi_bezier_end(clsp_bezier_plan *plan, clspi_series *series, cl_event *done);

/* Makes plan->staging hold so many bytes at least. */
clsp_status clspi_bezier_reserve_staging(clsp_bezier_plan *plan, size_t bytes);

/* CLSP_ERROR_STATE without control points, CLSP_ERROR_ARGUMENT for patches that are not there. */
clsp_status clspi_bezier_check_range(const clsp_bezier_plan *plan, size_t first, size_t count);

/* CLSP_ERROR_ARGUMENT for rows that a part of a patch cannot have. */
clsp_status clspi_bezier_check_rows(const clsp_bezier_plan *plan, cl_uint first_row,
                                    cl_uint num_rows);

/* Evaluates rows of patches on the common grid, whatever their vertices are. */
clsp_status clspi_bezier_enqueue(clsp_bezier_plan *plan, clspi_series *series,
                                 const clspi_bezier_range *range);

/* Loads control points from host memory, whatever their weights are. */
clsp_status clspi_bezier_load(clsp_bezier_plan *plan, size_t num_patches, const void *points);

/* Build options that all kernels of a plan share: the precision and CLSP_DIM, CLSP_RATIONAL, and
   those of its vertices, CLSP_ATTRIBUTES (bits), CLSP_STORE (16, 32, 64), CLSP_STRIDE and
   CLSP_AT_POINT, CLSP_AT_WEIGHT, CLSP_AT_DU, .. (elements); lanes: reals of a vector. Returns the
   length of the text. */
int clspi_bezier_vertex_options(char *text, size_t size, const clsp_bezier_plan *plan,
                                cl_uint lanes);

/* Build options of bezier_faces.cl. */
void clspi_bezier_faces_options(char *text, size_t size, const clsp_context *ctx, bool triangle);

#endif
