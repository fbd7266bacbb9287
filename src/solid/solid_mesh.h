/* A mesh of a solid. */
#ifndef CLSPI_SOLID_MESH_H
#define CLSPI_SOLID_MESH_H

#include <clspline/solid.h>

#include "alike_cells.h"
#include "solid_refine.h"

struct clsp_solid_mesh {
    clsp_context *ctx;
    bool is_hexahedral;
    size_t num_inside_out, num_inside_out_children; /* as of clspi_poly_mesh */
    bool is_tetrahedral;
    clspi_cell_mesh cells;  /* where it is hexahedral, */
    clspi_tetra_mesh tetra; /* where it is tetrahedral, */
    clspi_poly_mesh poly;   /* and where it is neither */
    size_t num_creases;
    uint32_t *crease; /* [num_creases][2] */
    float *sharpness; /* [num_creases] */
    clspi_refinement *refinement;
};

/* Returns after how many refinements all creases of a mesh are kept for good. */
uint32_t clspi_solid_fading(const clsp_solid_mesh *mesh);

/* Checks that they are now, as limits in closed form ask. */
clsp_status clspi_solid_check_creases(const clsp_solid_mesh *mesh);

/* Reports that there is no memory, or too much asked of it. */
clsp_status clspi_solid_no_memory(clsp_context *ctx);

static inline clspi_vertex_rule clspi_solid_rule_of(clsp_solid_rule rule)
{
    return rule == CLSP_SOLID_JOY ? CLSPI_RULE_JOY : CLSPI_RULE_TENSOR;
}

/* Returns which vertices, edges and faces a mesh has, of either kind. */
clspi_incidence clspi_solid_incidence(const clsp_solid_mesh *mesh);

/* Returns the context's host workers as threads of src/math's. */
clspi_parallel clspi_solid_threads(clsp_context *ctx);

/* Check that an output is host memory of `count` elements of one of two types, and that points are
   host memory of so many reals. */
clsp_status clspi_solid_check_output(clsp_context *ctx, const clsp_output *out, const char *name,
                                     size_t count, clsp_type type, clsp_type other);
clsp_status clspi_solid_check_points(clsp_context *ctx, const clsp_input *in, size_t count);

#endif
