#include "poly_reader.h"

#include <string.h>

/* The sides of a kind of cell, as numbers of its vertices; outward in VTK's orientation. */
typedef struct cell_kind {
    uint8_t kind, num_vertices, num_sides;
    uint8_t side[6][4];
    uint8_t sizes[6];
} cell_kind;

static const cell_kind kinds[] = {
    {CLSPI_TETRAHEDRON, 4, 4, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}, {3, 3, 3, 3}},
    {CLSPI_HEXAHEDRON,
     8,
     6,
     {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
     {4, 4, 4, 4, 4, 4}},
    {CLSPI_WEDGE,
     6,
     5,
     {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
     {3, 3, 4, 4, 4}},
    {CLSPI_PYRAMID,
     5,
     5,
     {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}},
     {4, 3, 3, 3, 3}},
};

static const cell_kind *find_kind(uint8_t kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind) return &kinds[i];
    return NULL;
}

/* Adds a side; mesh NULL: it is counted only. */
static clspi_mesh_status add_side(clspi_cell_reader *r, clspi_poly_mesh *mesh,
                                  const uint32_t *index, const uint8_t *order, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        const uint32_t v = index[order ? order[i] : i];
        if (v >= r->cells->num_vertices)
            return clspi_defective(r->defect, "cell %zu has vertex %u, and there are %zu", r->cell,
                                   v, r->cells->num_vertices);
        for (uint32_t j = 0; j < i; j++)
            if (index[order ? order[j] : j] == v)
                return clspi_defective(r->defect, "a face of cell %zu has vertex %u twice", r->cell,
                                       v);
        if (mesh) mesh->loop[r->loops + i] = v;
    }
    r->loops += num;
    r->sides++;
    if (mesh) mesh->loop_begin[r->sides] = r->loops;
    return CLSPI_MESH_SOUND;
}

/* Returns how many indices a polyhedron's list has left; 0 where the count there is none. */
static uint32_t counted(const clspi_cell_reader *r, uint32_t least, uint32_t most)
{
    const uint32_t num = r->at < r->cells->num_indices ? r->cells->index[r->at] : 0;

    return num >= least && num <= most ? num : 0;
}

static clspi_mesh_status read_polyhedron(clspi_cell_reader *r, clspi_poly_mesh *mesh)
{
    const uint32_t sides = counted(r, 4, CLSPI_MAX_CELL_FACES);

    if (!sides)
        return clspi_defective(r->defect, "cell %zu has no number of faces from 4 to %d", r->cell,
                               CLSPI_MAX_CELL_FACES);
    r->at++;
    for (uint32_t k = 0; k < sides; k++) {
        const uint32_t num = counted(r, 3, CLSPI_MAX_CELL_FACES);
        if (!num)
            return clspi_defective(r->defect,
                                   "face %u of cell %zu has no number of vertices from "
                                   "3 to %d",
                                   k, r->cell, CLSPI_MAX_CELL_FACES);
        r->at++;
        if (num > r->cells->num_indices - r->at)
            return clspi_defective(r->defect, "the indices end within cell %zu", r->cell);
        const clspi_mesh_status status = add_side(r, mesh, r->cells->index + r->at, NULL, num);
        if (status != CLSPI_MESH_SOUND) return status;
        r->at += num;
    }
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status read_cell(clspi_cell_reader *r, clspi_poly_mesh *mesh)
{
    const uint8_t number = r->cells->kind ? r->cells->kind[r->cell] : CLSPI_HEXAHEDRON;
    const cell_kind *const kind = find_kind(number);
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    if (number == CLSPI_POLYHEDRON) return read_polyhedron(r, mesh);
    if (!kind)
        return clspi_defective(r->defect, "cell %zu is of kind %u, which is none", r->cell, number);
    if (kind->num_vertices > r->cells->num_indices - r->at)
        return clspi_defective(r->defect, "the indices end within cell %zu", r->cell);
    for (uint32_t k = 0; k < kind->num_sides && status == CLSPI_MESH_SOUND; k++)
        status = add_side(r, mesh, r->cells->index + r->at, kind->side[k], kind->sizes[k]);
    r->at += kind->num_vertices;
    return status;
}

clspi_mesh_status clspi_poly_read_cells(clspi_cell_reader *r, clspi_poly_mesh *mesh)
{
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    r->at = r->sides = r->loops = 0;
    for (r->cell = 0; r->cell < r->cells->num_cells && status == CLSPI_MESH_SOUND; r->cell++) {
        status = read_cell(r, mesh);
        if (mesh) mesh->side_begin[r->cell + 1] = r->sides;
    }
    if (status == CLSPI_MESH_SOUND && r->at != r->cells->num_indices)
        return clspi_defective(r->defect, "%zu indices are left behind the last cell",
                               r->cells->num_indices - r->at);
    return status;
}
