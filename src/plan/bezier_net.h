/* Sums of tensor-product nets on a grid: the points of patches in homogeneous coordinates, and of
   the patches that are their derivatives (hodographs; Farin, 5.3; docs/math.md, 3 and 5). */
#ifndef CLSPI_BEZIER_NET_H
#define CLSPI_BEZIER_NET_H

#include <clspline/bezier.h>

#include "bezier_shape.h"
#include "bezier_table.h"
#include "launch.h"

struct clspi_bezier_method; /* bezier_methods.c */

enum {
    CLSPI_BEZIER_NETS = 7, /* S, S_u, S_v, S_w, S_uu, S_uv, S_vv */
    CLSPI_BEZIER_ORDERS = 3,
    CLSPI_BEZIER_ROWS_MULTIPLE = CLSP_BEZIER_TILE_ROWS /* parts of a patch start at multiples of
                                       this: of every block of rows and of every vector */
};

/* Rows of whole patches, or some rows of one patch. A row is what belongs to one sample of u. */
typedef struct clspi_bezier_range {
    size_t first_patch, num_patches;
    cl_uint first_row, num_rows; /* first_row: a multiple of CLSPI_BEZIER_ROWS_MULTIPLE */
    cl_mem out;
    size_t offset; /* elements */
} clspi_bezier_range;

/* The last sum, over one direction: S(a, x) = sum_i B_i(a) T_i[x] for all columns x at once. */
typedef struct clspi_bezier_sum {
    clspi_bezier_shape shape;
    clspi_kernel columns, rows;         /* the one that the shape uses; where it has a line, columns
                                           is for jobs of few rows, made when first needed, */
    clspi_kernel lines;                 /* and this for the others */
    const clspi_bezier_table *table;    /* of the direction */
    const clspi_bezier_table *permuted; /* of `lines` */
    cl_uint width, num_rows;            /* of the result */
} clspi_bezier_sum;

/* One net and how it is summed. Directions: a curve has `inner` alone; a surface `inner` (v) and
   `outer` (u); a volume `inner` (w), `middle` (v) and `outer` (u). */
typedef struct clspi_bezier_net {
    clsp_context *ctx;
    clsp_precision precision;
    size_t real_bytes;
    cl_uint coords, directions;
    cl_uint by[3]; /* order of the derivative along u, v, w */
    cl_uint orders[3];
    const clspi_bezier_table *inner;
    clspi_kernel contract;
    clspi_bezier_sum middle, outer;
    size_t row_reals;

    cl_mem points; /* control points: the plan's, retained, or of the hodograph */
    size_t points_capacity;
    size_t points_per_patch;

    cl_mem t; /* first sums of patches t_first .. t_first + t_count - 1 */
    size_t t_capacity, t_bytes, t_patches, t_first, t_count;
    cl_mem between; /* of volumes: what `middle` makes of t_patches patches */
    size_t between_capacity;
    struct clspi_bezier_method *method; /* NULL: separable */
} clspi_bezier_net;

/* The nets that a plan's attributes need, and their tables. */
typedef struct clspi_bezier_nets {
    clsp_context *ctx;
    clspi_bezier_table tables[3][CLSPI_BEZIER_ORDERS]; /* of u, v, w; of degree n, n - 1, n - 2 */
    clspi_bezier_table permuted; /* tables[0][0], where the outer sum's shape has a line */
    bool with_rows; /* a kernel of its own makes the last sum of surfaces, from first sums and the
                       mirrored tables[0][0] and tables[0][1] */
    cl_uint num;
    clspi_bezier_net net[CLSPI_BEZIER_NETS]; /* the first is S */
} clspi_bezier_nets;

/* Indices of the nets in the order that CLSPI_BEZIER_NETS lists, among those that the attributes of
   d need; returns how many. */
cl_uint clspi_bezier_nets_needed(const clsp_bezier_desc *d, cl_uint indices[CLSPI_BEZIER_NETS]);

/* Makes tables and kernels for a resolved description with a grid. May be called again after other
   degrees or resolutions; keeps what memory it can. Control points must then be loaded again.
   with_rows: as nets->with_rows. */
clsp_status clspi_bezier_nets_prepare(clspi_bezier_nets *nets, clspi_series *series,
                                      const clsp_bezier_desc *d, bool with_rows);

/* Takes control points [num_patches][orders][coords]; makes hodographs and, where they fit the
   memory set apart for them, first sums. */
clsp_status clspi_bezier_nets_load(clspi_bezier_nets *nets, clspi_series *series, cl_mem points,
                                   size_t num_patches);

/* Makes net->t hold the first sums of these patches, at most net->t_patches. */
clsp_status clspi_bezier_net_first_sums(clspi_bezier_net *net, clspi_series *series, size_t first,
                                        size_t count);

/* First sums of patches of a surface into a buffer of the caller's, also where one kernel would
   make both sums: [count][orders[0]][clspi_bezier_net_sums_stride()]. */
clsp_status clspi_bezier_net_sums_to(clspi_bezier_net *net, clspi_series *series, size_t first,
                                     size_t count, cl_mem t);
cl_uint clspi_bezier_net_sums_stride(const clspi_bezier_net *net);

/* Pairs of symmetric rows, from first, a multiple of 4, to end - 1, among which all of some rows
   are. */
typedef struct clspi_bezier_pairs {
    cl_uint first, end;
} clspi_bezier_pairs;

clspi_bezier_pairs clspi_bezier_pairs_of(cl_uint num_u, cl_uint first_row, cl_uint num_rows);

/* Sums one net: range->out gets [num_patches][num_rows][row_reals]. */
clsp_status clspi_bezier_net_eval(clspi_bezier_net *net, clspi_series *series,
                                  const clspi_bezier_range *range);

void clspi_bezier_nets_release(clspi_bezier_nets *nets);

#endif
