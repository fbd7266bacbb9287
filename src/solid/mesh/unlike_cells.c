#include "unlike_cells.h"

#include <stdlib.h>

#include "key_map.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

/* Returns the key of a cell: the sum of the keys of its vertices, in whatever order they stand. */
static uint64_t sort_of(const clspi_cell_mesh *mesh, size_t cell, const uint64_t *at_vertex)
{
    const uint32_t *const corner = mesh->cell_vertex + cell * CLSPI_CORNERS;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        sum += mix(at_vertex[corner[i]]);
    return sum;
}

/* Tells vertices apart: first by themselves, then by the cells around them too. */
static void sort_vertices(const clspi_cell_mesh *mesh, uint64_t *at_vertex, uint64_t *next)
{
    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++)
        at_vertex[mesh->edge_vertex[i]] +=
            mix(256u + (mesh->edge_flag[i / 2] & (CLSPI_BOUNDARY | CLSPI_CREASE)));
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        at_vertex[mesh->cell_vertex[i]] += 1 + mix(mesh->vertex_flag[mesh->cell_vertex[i]]);
    for (size_t c = 0; c < mesh->num_cells; c++) {
        const uint64_t sort = mix(sort_of(mesh, c, at_vertex));
        for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
            next[mesh->cell_vertex[c * CLSPI_CORNERS + i]] += sort;
    }
}

bool clspi_cells_are_unlike(const clspi_cell_mesh *mesh, size_t most)
{
    uint64_t *const at_vertex = calloc((size_t)mesh->num_vertices + 1, sizeof *at_vertex);
    uint64_t *const next = calloc((size_t)mesh->num_vertices + 1, sizeof *next);
    clspi_key_map sorts = {0};
    bool done = at_vertex && next && clspi_key_map_make(&sorts);

    if (done) sort_vertices(mesh, at_vertex, next);
    for (size_t c = 0; c < mesh->num_cells && done && sorts.num <= most; c++)
        if (!clspi_cell_is_regular(mesh, (uint32_t)c))
            done =
                clspi_key_map_put(&sorts, (clspi_key){sort_of(mesh, c, next), 0}) != CLSPI_NO_KEY;
    const bool are = done && sorts.num > most;
    clspi_key_map_release(&sorts);
    free(at_vertex);
    free(next);
    return are;
}

bool clspi_cells_are_crowded(const clspi_cell_mesh *mesh, uint32_t most)
{
    const size_t corners = (size_t)mesh->num_cells * CLSPI_CORNERS;
    uint32_t *const num = calloc((size_t)mesh->num_vertices + 1, sizeof *num);
    bool are = false;

    if (!num) return false;
    for (size_t i = 0; i < corners; i++)
        num[mesh->cell_vertex[i]]++;
    for (size_t i = 0; i < corners && !are; i += CLSPI_CORNERS) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < CLSPI_CORNERS; k++)
            sum += num[mesh->cell_vertex[i + k]];
        are = sum > most;
    }
    free(num);
    return are;
}
