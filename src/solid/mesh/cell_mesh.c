#include "cell_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_join.h"
#include "large_array.h"

/* ---- memory ---- */

static void *array(uint64_t count, size_t bytes)
{
    return count > SIZE_MAX / bytes ? NULL : calloc((size_t)count + (count == 0), bytes);
}

bool clspi_cell_mesh_allocate_cells(clspi_cell_mesh *mesh, const clspi_cell_shape *shape)
{
    const uint64_t cells = mesh->num_cells;
    const bool has_frames = shape == &clspi_hexahedron;

    if (!mesh->cell_vertex)
        mesh->cell_vertex = clspi_large_array(cells * shape->corners, sizeof *mesh->cell_vertex);
    mesh->cell_edge = clspi_large_array(cells * shape->edges, sizeof *mesh->cell_edge);
    mesh->cell_face = clspi_large_array(cells * shape->sides, sizeof *mesh->cell_face);
    mesh->across = clspi_large_array(cells * shape->sides, sizeof *mesh->across);
    if (has_frames) mesh->frame = clspi_large_array(cells * shape->sides, sizeof *mesh->frame);
    mesh->vertex_flag = array(mesh->num_vertices, sizeof *mesh->vertex_flag);
    return mesh->cell_vertex && mesh->cell_edge && mesh->cell_face && mesh->across &&
           (mesh->frame || !has_frames) && mesh->vertex_flag;
}

bool clspi_cell_mesh_allocate_faces(clspi_cell_mesh *mesh)
{
    const uint64_t faces = mesh->num_faces, edges = mesh->num_edges;

    mesh->face_vertex = clspi_large_array(faces * CLSPI_FACE_SIDES, sizeof *mesh->face_vertex);
    mesh->face_edge = clspi_large_array(faces * CLSPI_FACE_SIDES, sizeof *mesh->face_edge);
    mesh->face_flag = array(faces, sizeof *mesh->face_flag);
    mesh->edge_vertex = clspi_large_array(edges * 2, sizeof *mesh->edge_vertex);
    mesh->edge_flag = array(edges, sizeof *mesh->edge_flag);
    return mesh->face_vertex && mesh->face_edge && mesh->face_flag && mesh->edge_vertex &&
           mesh->edge_flag;
}

void clspi_cell_mesh_release(clspi_cell_mesh *mesh)
{
    free(mesh->cell_vertex);
    free(mesh->cell_edge);
    free(mesh->cell_face);
    free(mesh->across);
    free(mesh->frame);
    free(mesh->face_vertex);
    free(mesh->face_edge);
    free(mesh->face_flag);
    free(mesh->edge_vertex);
    free(mesh->edge_flag);
    free(mesh->edge_sharpness);
    free(mesh->vertex_flag);
    *mesh = (clspi_cell_mesh){0};
}

bool clspi_cell_mesh_copy(clspi_cell_mesh *copy, const clspi_cell_mesh *mesh)
{
    const size_t cells = mesh->num_cells, faces = mesh->num_faces, edges = mesh->num_edges;

    *copy = (clspi_cell_mesh){.num_vertices = mesh->num_vertices,
                              .num_edges = mesh->num_edges,
                              .num_faces = mesh->num_faces,
                              .num_cells = mesh->num_cells};
    if (!clspi_cell_mesh_allocate_cells(copy, &clspi_hexahedron) ||
        !clspi_cell_mesh_allocate_faces(copy))
        return false;
    if (mesh->edge_sharpness) {
        copy->edge_sharpness = array(edges, sizeof *copy->edge_sharpness);
        if (!copy->edge_sharpness) return false;
        memcpy(copy->edge_sharpness, mesh->edge_sharpness, edges * sizeof *copy->edge_sharpness);
    }
    memcpy(copy->cell_vertex, mesh->cell_vertex, cells * CLSPI_CORNERS * sizeof *copy->cell_vertex);
    memcpy(copy->cell_edge, mesh->cell_edge, cells * CLSPI_CELL_EDGES * sizeof *copy->cell_edge);
    memcpy(copy->cell_face, mesh->cell_face, cells * CLSPI_CELL_FACES * sizeof *copy->cell_face);
    memcpy(copy->across, mesh->across, cells * CLSPI_CELL_FACES * sizeof *copy->across);
    memcpy(copy->frame, mesh->frame, cells * CLSPI_CELL_FACES);
    memcpy(copy->face_vertex, mesh->face_vertex,
           faces * CLSPI_FACE_SIDES * sizeof *copy->face_vertex);
    memcpy(copy->face_edge, mesh->face_edge, faces * CLSPI_FACE_SIDES * sizeof *copy->face_edge);
    memcpy(copy->face_flag, mesh->face_flag, faces);
    memcpy(copy->edge_vertex, mesh->edge_vertex, edges * 2 * sizeof *copy->edge_vertex);
    memcpy(copy->edge_flag, mesh->edge_flag, edges);
    memcpy(copy->vertex_flag, mesh->vertex_flag, mesh->num_vertices);
    return true;
}

/* ---- a mesh of cells ---- */

/* Returns the corner of a cell that is a vertex. */
static uint32_t corner_of(const uint32_t *corner, uint32_t vertex)
{
    uint32_t i = 0;

    while (i < CLSPI_CORNERS - 1 && corner[i] != vertex)
        i++;
    return i;
}

/* Returns the frame in which cell n, beyond face k of cell c, looks as c continued. */
static uint8_t frame_across(const clspi_cell_mesh *mesh, size_t c, uint32_t k, size_t n)
{
    const uint32_t *const mine = mesh->cell_vertex + c * CLSPI_CORNERS;
    const uint32_t *const theirs = mesh->cell_vertex + n * CLSPI_CORNERS;
    const uint32_t a = k >> 1, begin = k & 1 ? 1u << a : 0;
    const uint32_t at = corner_of(theirs, mine[begin]);
    uint32_t axis[3], order;

    for (uint32_t b = 0; b < 3; b++)
        if (b != a) axis[b] = clspi_axis_between(at, corner_of(theirs, mine[begin | 1u << b]));
    axis[a] = 3 - axis[(a + 1) % 3] - axis[(a + 2) % 3];
    order = 2 * axis[0] + axis[1] - (axis[1] > axis[0]);
    return (uint8_t)(8 * order + (at ^ clspi_corner_order[order][begin ^ 1u << a]));
}

/* Tells whether cell n, beyond face k of cell c, is numbered as c continued. */
static bool is_continued(const clspi_cell_mesh *mesh, size_t c, uint32_t k, size_t n)
{
    const uint32_t *const mine = mesh->cell_vertex + c * CLSPI_CORNERS;
    const uint32_t *const theirs = mesh->cell_vertex + n * CLSPI_CORNERS;
    const uint8_t *const loop = clspi_face_corner[k];
    const uint32_t across = 1u << (k >> 1);
    bool same = true;

    for (uint32_t i = 0; i < CLSPI_FACE_SIDES; i++)
        same &= mine[loop[i]] == theirs[loop[i] ^ across];
    return same;
}

enum { PIECE_CELLS = 4096 };

/* Finds the frames of a piece's cells, and leaves the cells alone in what is across. */
static void frame_piece(void *user, size_t piece)
{
    const clspi_cell_mesh *const mesh = user;
    const size_t first = piece * PIECE_CELLS, left = mesh->num_cells - first;

    for (size_t c = first; c < first + (left < PIECE_CELLS ? left : PIECE_CELLS); c++)
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
            const size_t at = c * CLSPI_CELL_FACES + k;
            const uint32_t n = clspi_cell_across(mesh->across[at]);
            mesh->across[at] = n;
            mesh->frame[at] =
                n == CLSPI_NO_CELL || is_continued(mesh, c, k, n) ? 0 : frame_across(mesh, c, k, n);
        }
}

void clspi_cell_mesh_find_frames(clspi_cell_mesh *mesh, const clspi_parallel *threads)
{
    clspi_in_parallel(threads, (mesh->num_cells + PIECE_CELLS - 1) / PIECE_CELLS, frame_piece,
                      mesh);
}

bool clspi_cell_mesh_take(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          uint32_t *cell_vertex, const clspi_parallel *threads)
{
    bool done = num_vertices <= CLSPI_MAX_CELLS && num_cells <= CLSPI_MAX_CELLS;

    *mesh = (clspi_cell_mesh){
        .num_vertices = num_vertices, .num_cells = num_cells, .cell_vertex = cell_vertex};
    done = done && clspi_cell_mesh_allocate_cells(mesh, &clspi_hexahedron) &&
           clspi_join_cells(mesh, &clspi_hexahedron, false, threads) == CLSPI_MESH_SOUND;
    if (done)
        clspi_cell_mesh_find_frames(mesh, threads);
    else
        clspi_cell_mesh_release(mesh);
    return done;
}

bool clspi_cell_mesh_make(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          const uint32_t *cell_vertex, const clspi_parallel *threads)
{
    uint32_t *const copy =
        clspi_large_array((uint64_t)num_cells * CLSPI_CORNERS, sizeof *cell_vertex);

    *mesh = (clspi_cell_mesh){0};
    if (!copy) return false;
    memcpy(copy, cell_vertex, (size_t)num_cells * CLSPI_CORNERS * sizeof *cell_vertex);
    return clspi_cell_mesh_take(mesh, num_vertices, num_cells, copy, threads);
}

/* ---- flags ---- */

/* What is counted around edges and vertices. */
typedef struct around {
    uint32_t *edge_faces;
    uint32_t *vertex_cells;
    uint8_t *vertex_creases; /* up to 255 */
} around;

static void count_around(const clspi_cell_mesh *mesh, around *count)
{
    for (size_t i = 0; i < (size_t)mesh->num_faces * 4; i++)
        count->edge_faces[mesh->face_edge[i]]++;
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        count->vertex_cells[mesh->cell_vertex[i]]++;
    for (size_t e = 0; e < mesh->num_edges; e++)
        for (uint32_t s = 0; s < 2 && mesh->edge_flag[e] & CLSPI_CREASE; s++) {
            uint8_t *const creases = count->vertex_creases + mesh->edge_vertex[2 * e + s];
            *creases = (uint8_t)(*creases + (*creases < 255));
        }
}

/* Forgets what is flagged anew. */
static void clear_flags(clspi_cell_mesh *mesh)
{
    for (size_t e = 0; e < mesh->num_edges; e++)
        mesh->edge_flag[e] &= CLSPI_CREASE;
    for (size_t v = 0; v < mesh->num_vertices; v++)
        mesh->vertex_flag[v] &= CLSPI_CORNER;
}

/* Flags irregular edges and their vertices. A regular edge has as many faces as in a grid, or as at
   the smooth boundary or a crease of one. */
static void flag_edges(clspi_cell_mesh *mesh, const around *count)
{
    for (size_t i = 0; i < (size_t)mesh->num_faces * 4; i++)
        if (mesh->face_flag[i / 4] & CLSPI_BOUNDARY) {
            mesh->edge_flag[mesh->face_edge[i]] |= CLSPI_BOUNDARY;
            mesh->vertex_flag[mesh->face_vertex[i]] |= CLSPI_BOUNDARY;
        }
    for (size_t e = 0; e < mesh->num_edges; e++) {
        const uint8_t flag = mesh->edge_flag[e];
        const uint32_t regular = !(flag & CLSPI_BOUNDARY) ? 4 : flag & CLSPI_CREASE ? 2 : 3;
        if (count->edge_faces[e] == regular) continue;
        mesh->edge_flag[e] |= CLSPI_IRREGULAR;
        mesh->vertex_flag[mesh->edge_vertex[2 * e]] |= CLSPI_IRREGULAR;
        mesh->vertex_flag[mesh->edge_vertex[2 * e + 1]] |= CLSPI_IRREGULAR;
    }
}

static void flag_vertices(clspi_cell_mesh *mesh, const around *count)
{
    for (size_t v = 0; v < mesh->num_vertices; v++) {
        const uint8_t flag = mesh->vertex_flag[v], creases = count->vertex_creases[v];
        uint32_t cells = 8; /* 0: there is no regular one like it */
        if (flag & CLSPI_BOUNDARY) {
            cells = creases == 0 ? 4 : creases == 2 ? 2 : creases == 3 ? 1 : 0;
            if (flag & CLSPI_CORNER && creases != 3) cells = 0;
        }
        if (count->vertex_cells[v] != cells) mesh->vertex_flag[v] |= CLSPI_IRREGULAR;
    }
}

bool clspi_cell_mesh_flag(clspi_cell_mesh *mesh)
{
    around count = {.edge_faces = array(mesh->num_edges, sizeof *count.edge_faces),
                    .vertex_cells = array(mesh->num_vertices, sizeof *count.vertex_cells),
                    .vertex_creases = array(mesh->num_vertices, sizeof *count.vertex_creases)};
    const bool done = count.edge_faces && count.vertex_cells && count.vertex_creases;

    if (done) {
        clear_flags(mesh);
        count_around(mesh, &count);
        flag_edges(mesh, &count);
        flag_vertices(mesh, &count);
    }
    free(count.edge_faces);
    free(count.vertex_cells);
    free(count.vertex_creases);
    return done;
}

void clspi_cell_mesh_settle(clspi_cell_mesh *mesh)
{
    bool fades = false;

    for (size_t e = 0; e < mesh->num_edges && mesh->edge_sharpness && !fades; e++)
        fades = mesh->edge_flag[e] & CLSPI_CREASE && isfinite(mesh->edge_sharpness[e]);
    if (fades) return;
    free(mesh->edge_sharpness);
    mesh->edge_sharpness = NULL;
}

bool clspi_cell_is_regular(const clspi_cell_mesh *mesh, uint32_t cell)
{
    const uint32_t *const corner = mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    uint8_t flags = 0;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        flags |= mesh->vertex_flag[corner[i]];
    return !(flags & CLSPI_IRREGULAR);
}
