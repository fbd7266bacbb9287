#include "alike_cells.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cell_join.h"
#include "cell_turns.h"
#include "creases.h"
#include "large_array.h"

enum { PIECE_CELLS = 8192 };

bool clspi_are_all(const clspi_cells *cells, uint8_t kind)
{
    bool same = cells->num_cells > 0 && (cells->kind || kind == CLSPI_HEXAHEDRON);

    for (size_t c = 0; c < cells->num_cells && cells->kind && same; c++)
        same = cells->kind[c] == kind;
    return same;
}

/* ---- reading ---- */

/* Cells that are read. */
typedef struct read_work {
    clspi_cell_mesh *mesh;
    const clspi_cell_shape *shape;
    const uint8_t *place; /* [corners]: the corner that VTK's one is */
    const uint32_t *index;
    atomic_bool is_defective;
} read_work;

static size_t end_of(const clspi_cell_mesh *mesh, size_t piece)
{
    const size_t end = (piece + 1) * PIECE_CELLS;

    return end < mesh->num_cells ? end : mesh->num_cells;
}

/* Reads a piece's cells. A corner that there is not, or that is there twice, is a defect. */
static void read_piece(void *user, size_t piece)
{
    read_work *const w = user;
    const uint32_t corners = w->shape->corners, num = w->mesh->num_vertices;
    bool bad = false;

    for (size_t c = piece * PIECE_CELLS; c < end_of(w->mesh, piece); c++) {
        const uint32_t *const from = w->index + c * corners;
        uint32_t *const to = w->mesh->cell_vertex + c * corners;
        for (uint32_t i = 0; i < corners; i++) {
            to[w->place[i]] = from[i];
            bad |= from[i] >= num;
            for (uint32_t k = 0; k < i; k++)
                bad |= from[k] == from[i];
        }
    }
    if (bad) atomic_store(&w->is_defective, true);
}

static size_t num_pieces(const clspi_cell_mesh *mesh)
{
    return (mesh->num_cells + PIECE_CELLS - 1) / PIECE_CELLS;
}

/* Makes an empty mesh with the vertices of cells. */
static clspi_mesh_status read_cells(clspi_cell_mesh *mesh, const clspi_cells *cells,
                                    const clspi_cell_shape *shape, const uint8_t *place,
                                    const clspi_parallel *threads)
{
    read_work w = {.mesh = mesh, .shape = shape, .place = place, .index = cells->index};

    *mesh = (clspi_cell_mesh){0};
    if (cells->num_cells > CLSPI_MAX_CELLS || cells->num_vertices > CLSPI_MAX_CELLS ||
        cells->num_indices % shape->corners ||
        cells->num_indices / shape->corners != cells->num_cells ||
        cells->num_vertices > cells->num_indices)
        return CLSPI_MESH_DEFECTIVE;
    mesh->num_vertices = (uint32_t)cells->num_vertices;
    mesh->num_cells = (uint32_t)cells->num_cells;
    if (!clspi_cell_mesh_allocate_cells(mesh, shape)) return CLSPI_MESH_NO_MEMORY;
    clspi_in_parallel(threads, num_pieces(mesh), read_piece, &w);
    return atomic_load(&w.is_defective) ? CLSPI_MESH_DEFECTIVE : CLSPI_MESH_SOUND;
}

/* Flags creases and corners. */
static clspi_mesh_status flag_creases(clspi_cell_mesh *mesh, const clspi_cells *cells)
{
    const clspi_crease_flags flags = {mesh->num_vertices, mesh->num_edges,   mesh->edge_vertex,
                                      mesh->edge_flag,    mesh->vertex_flag, &mesh->edge_sharpness};
    clspi_mesh_defect defect;

    return clspi_flag_creases(&flags, cells, &defect);
}

/* Finds which cells are inside out. *is_turned: [cells], the caller's to free. */
static clspi_mesh_status find_turned(uint8_t **is_turned, clspi_turned_cells *turned,
                                     const clspi_cell_mesh *mesh, const clspi_cell_shape *shape,
                                     const double *points)
{
    *is_turned = malloc((size_t)mesh->num_cells + 1);
    if (!*is_turned) return CLSPI_MESH_NO_MEMORY;
    const clspi_mesh_status status =
        clspi_find_turned(*is_turned, &turned->num, mesh, shape, points);
    turned->num_children = shape->corners * turned->num;
    return status;
}

/* ---- hexahedra ---- */

/* Turns the cells that are inside out, whose axis w then runs the other way, and joins all anew. */
static clspi_mesh_status turn_cells(clspi_cell_mesh *mesh, const uint8_t *is_turned,
                                    const clspi_parallel *threads)
{
    clspi_cell_mesh turned = {.num_vertices = mesh->num_vertices, .num_cells = mesh->num_cells};

    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        if (is_turned[i / CLSPI_CORNERS] && i % CLSPI_CORNERS < 4) {
            const uint32_t swap = mesh->cell_vertex[i];
            mesh->cell_vertex[i] = mesh->cell_vertex[i + 4];
            mesh->cell_vertex[i + 4] = swap;
        }
    const bool made = clspi_cell_mesh_make(&turned, mesh->num_vertices, mesh->num_cells,
                                           mesh->cell_vertex, threads);
    clspi_cell_mesh_release(mesh);
    *mesh = turned;
    return made ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;
}

/* Finds which cells are inside out, turns them where that is asked for, and finds frames. */
static clspi_mesh_status orient(clspi_cell_mesh *mesh, clspi_turned_cells *turned,
                                const clspi_cells *cells, const clspi_parallel *threads)
{
    uint8_t *is_turned;
    clspi_mesh_status status =
        find_turned(&is_turned, turned, mesh, &clspi_hexahedron, cells->points);

    if (status == CLSPI_MESH_SOUND && cells->orient && turned->num)
        status = turn_cells(mesh, is_turned, threads);
    else if (status == CLSPI_MESH_SOUND)
        clspi_cell_mesh_find_frames(mesh, threads);
    free(is_turned);
    return status;
}

clspi_mesh_status clspi_alike_hexahedra(clspi_cell_mesh *mesh, clspi_turned_cells *turned,
                                        const clspi_cells *cells, const clspi_parallel *threads)
{
    static const uint8_t place[] = {0, 1, 3, 2, 4, 5, 7, 6};
    clspi_mesh_status status = read_cells(mesh, cells, &clspi_hexahedron, place, threads);

    *turned = (clspi_turned_cells){0};
    if (status == CLSPI_MESH_SOUND)
        status = clspi_join_cells(mesh, &clspi_hexahedron, true, threads);
    if (status == CLSPI_MESH_SOUND) status = orient(mesh, turned, cells, threads);
    if (status == CLSPI_MESH_SOUND) status = flag_creases(mesh, cells);
    clspi_cell_mesh_settle(mesh);
    if (status == CLSPI_MESH_SOUND && (cells->num_creases || cells->num_corners) &&
        !clspi_cell_mesh_flag(mesh))
        status = CLSPI_MESH_NO_MEMORY;
    if (status != CLSPI_MESH_SOUND) clspi_cell_mesh_release(mesh);
    return status;
}

/* ---- tetrahedra ---- */

clspi_mesh_status clspi_alike_tetrahedra(clspi_tetra_mesh *mesh, clspi_turned_cells *turned,
                                         const clspi_cells *cells, const clspi_parallel *threads)
{
    static const uint8_t place[] = {0, 2, 1, 3};
    clspi_cell_mesh *const parts = &mesh->parts;
    clspi_mesh_status status;

    *turned = (clspi_turned_cells){0};
    mesh->is_turned = NULL;
    status = read_cells(parts, cells, &clspi_tetrahedron, place, threads);
    if (status == CLSPI_MESH_SOUND)
        status = clspi_join_cells(parts, &clspi_tetrahedron, true, threads);
    if (status == CLSPI_MESH_SOUND)
        status = find_turned(&mesh->is_turned, turned, parts, &clspi_tetrahedron, cells->points);
    if (status == CLSPI_MESH_SOUND) status = flag_creases(parts, cells);
    free(parts->across);
    parts->across = NULL;
    if (!cells->orient || turned->num == 0) {
        free(mesh->is_turned);
        mesh->is_turned = NULL;
    }
    for (size_t v = 0; v < parts->num_vertices && parts->vertex_flag; v++)
        parts->vertex_flag[v] &= (uint8_t)~CLSPI_IRREGULAR; /* which is for hexahedra */
    for (size_t e = 0; e < parts->num_edges && parts->edge_flag; e++)
        parts->edge_flag[e] &= (uint8_t)~CLSPI_IRREGULAR;
    if (status != CLSPI_MESH_SOUND) clspi_tetra_mesh_release(mesh);
    return status;
}

void clspi_tetra_mesh_release(clspi_tetra_mesh *mesh)
{
    clspi_cell_mesh_release(&mesh->parts);
    free(mesh->is_turned);
    *mesh = (clspi_tetra_mesh){0};
}

clspi_incidence clspi_tetra_incidence(const clspi_tetra_mesh *mesh)
{
    const clspi_cell_mesh *const parts = &mesh->parts;

    return (clspi_incidence){
        .num_vertices = parts->num_vertices,
        .num_edges = parts->num_edges,
        .num_faces = parts->num_faces,
        .num_cells = parts->num_cells,
        .cell_vertices = {NULL, clspi_tetrahedron.corners, parts->cell_vertex},
        .cell_edges = {NULL, clspi_tetrahedron.edges, parts->cell_edge},
        .cell_faces = {NULL, clspi_tetrahedron.sides, parts->cell_face},
        .face_vertices = {NULL, clspi_tetrahedron.side_size, parts->face_vertex},
        .face_edges = {NULL, clspi_tetrahedron.side_size, parts->face_edge},
        .edge_vertex = parts->edge_vertex,
        .face_flag = parts->face_flag,
        .edge_flag = parts->edge_flag,
        .vertex_flag = parts->vertex_flag,
        .edge_sharpness = parts->edge_sharpness,
    };
}
