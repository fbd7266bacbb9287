/* Grids that are evaluated vertex by vertex: of patches' own, and of triangles. */
#ifndef CLSPI_BEZIER_OWN_H
#define CLSPI_BEZIER_OWN_H

#include "bezier_plan.h"

/* Whether eval has to go this way. */
bool clspi_bezier_is_own(const clsp_bezier_plan *plan);

/* Vertices of patches first .. first + count - 1 and CLSP_OK; CLSP_ERROR_STATE when there is no
   grid, or the grids of patches' own are not as many as the patches loaded; CLSP_ERROR_NO_MEMORY
   when elements of them in bytes do not fit size_t. */
clsp_status clspi_bezier_own_count(const clsp_bezier_plan *plan, size_t first, size_t count,
                                   size_t *vertices);

/* Evaluates whole patches into out from element offset on. */
clsp_status clspi_bezier_enqueue_own(clsp_bezier_plan *plan, clspi_series *series, size_t first,
                                     size_t count, cl_mem out, size_t offset);

/* The same into host memory, in parts. */
clsp_status clspi_bezier_own_to_host(clsp_bezier_plan *plan, size_t first, size_t count,
                                     void *vertices);

/* Back to the common grid. */
void clspi_bezier_own_clear(clsp_bezier_plan *plan);

/* Vertices that one filling of the staging buffer has at most. */
size_t clspi_bezier_staging_vertices(const clsp_bezier_plan *plan);

/* ---- cutting grids into launches ---- */

/* Where in a batch of grids a launch begins: an item (vertex or cell) of a patch. */
typedef struct clspi_bezier_cursor {
    size_t patch, item;
} clspi_bezier_cursor;

/* The items of one launch: whole patches, or a part of one. */
typedef struct clspi_bezier_part {
    size_t patch, item;
    cl_uint num_patches, items;
} clspi_bezier_part;

/* The next launch, of at most `most` items and of at most `left`; at is moved behind it. prefix:
   items before each patch, or NULL and per_patch of each. */
clspi_bezier_part clspi_bezier_next_part(clspi_bezier_cursor *at, const size_t *prefix,
                                         size_t per_patch, size_t most, size_t left);

/* The last row r of a triangle of rows of length, length - step, length - 2 step, .. that begins at
   or before an item; *rest: items from there. */
cl_uint clspi_bezier_triangle_row(cl_uint length, cl_uint step, size_t item, cl_uint *rest);

#endif
