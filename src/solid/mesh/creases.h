/* Creases and corners that callers give. */
#ifndef CLSPI_CREASES_H
#define CLSPI_CREASES_H

#include "poly_mesh.h"

/* What of a mesh is flagged. */
typedef struct clspi_crease_flags {
    uint32_t num_vertices, num_edges;
    const uint32_t *edge_vertex;
    uint8_t *edge_flag, *vertex_flag; /* the boundary is flagged */
    float **edge_sharpness;           /* receives an array where creases have a sharpness */
} clspi_crease_flags;

/* Flags the creases and corners of cells, and gives creases the largest sharpness that is given.
   Defective: one is not of the boundary, or has no sharpness. */
clspi_mesh_status clspi_flag_creases(const clspi_crease_flags *flags, const clspi_cells *cells,
                                     clspi_mesh_defect *defect);

#endif
