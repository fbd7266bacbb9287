#include "creases.h"

#include <stdlib.h>

#include "key_map.h"

/* Makes an edge a crease. */
static clspi_mesh_status flag_crease(const clspi_crease_flags *flags, const clspi_cells *cells,
                                     size_t i, uint32_t edge, clspi_mesh_defect *defect)
{
    const float sharpness = cells->sharpness ? cells->sharpness[i] : INFINITY;
    float *const known = *flags->edge_sharpness;

    if (!(sharpness > 0.0f))
        return clspi_defective(defect, "crease %zu has a sharpness of %g, not above 0", i,
                               (double)sharpness);
    flags->edge_flag[edge] |= CLSPI_CREASE;
    if (cells->sharpness && sharpness > known[edge])
        known[edge] = sharpness < CLSPI_SHARPEST ? sharpness : INFINITY;
    return CLSPI_MESH_SOUND;
}

/* Numbers the edges of the boundary. edge: [edges] */
static bool number_edges(clspi_key_map *map, uint32_t *edge, const clspi_crease_flags *flags)
{
    for (uint32_t e = 0; e < flags->num_edges; e++) {
        const uint32_t *const end = flags->edge_vertex + 2 * (size_t)e;
        if (!(flags->edge_flag[e] & CLSPI_BOUNDARY)) continue;
        const uint32_t number = clspi_key_map_put(map, clspi_edge_key(end[0], end[1]));
        if (number == CLSPI_NO_KEY) return false;
        edge[number] = e;
    }
    return true;
}

static clspi_mesh_status flag_edges(const clspi_crease_flags *flags, const clspi_cells *cells,
                                    clspi_mesh_defect *defect)
{
    uint32_t *const edge = malloc(((size_t)flags->num_edges + 1) * sizeof *edge);
    clspi_key_map map;
    clspi_mesh_status status = clspi_key_map_make(&map) && edge && number_edges(&map, edge, flags)
                                   ? CLSPI_MESH_SOUND
                                   : CLSPI_MESH_NO_MEMORY;

    for (size_t i = 0; i < cells->num_creases && status == CLSPI_MESH_SOUND; i++) {
        const uint32_t *const end = cells->crease + 2 * i;
        const uint32_t number = clspi_key_map_find(&map, clspi_edge_key(end[0], end[1]));
        status = number == CLSPI_NO_KEY
                     ? clspi_defective(defect,
                                       "crease %zu, from vertex %u to %u, is no edge of the "
                                       "boundary",
                                       i, end[0], end[1])
                     : flag_crease(flags, cells, i, edge[number], defect);
    }
    clspi_key_map_release(&map);
    free(edge);
    return status;
}

clspi_mesh_status clspi_flag_creases(const clspi_crease_flags *flags, const clspi_cells *cells,
                                     clspi_mesh_defect *defect)
{
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    if (cells->sharpness) {
        *flags->edge_sharpness =
            calloc((size_t)flags->num_edges + 1, sizeof **flags->edge_sharpness);
        if (!*flags->edge_sharpness) return CLSPI_MESH_NO_MEMORY;
    }
    if (cells->num_creases) status = flag_edges(flags, cells, defect);
    for (size_t i = 0; i < cells->num_corners && status == CLSPI_MESH_SOUND; i++) {
        const uint32_t v = cells->corner[i];
        if (v >= flags->num_vertices || !(flags->vertex_flag[v] & CLSPI_BOUNDARY))
            status =
                clspi_defective(defect, "corner %zu, vertex %u, is none of the boundary", i, v);
        else
            flags->vertex_flag[v] |= CLSPI_CORNER;
    }
    return status;
}
