/* The hexahedra that cells of all kinds become. */
#include <stdlib.h>
#include <string.h>

#include "key_map.h"
#include "poly_mesh.h"

/* ---- children ---- */

/* Writes the child of a cell at its vertex number i: corner 0 is the vertex, and the first side
   there gives its first two axes. */
static void write_child(uint32_t *corner, const clspi_poly_mesh *mesh, size_t c, uint32_t vertex)
{
    const uint32_t edges = mesh->num_vertices, faces = edges + mesh->num_edges;
    uint32_t axis[3] = {0}, found = 0;

    for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1]; s++) {
        const size_t begin = mesh->loop_begin[s], num = mesh->loop_begin[s + 1] - begin;
        size_t at = 0;
        while (at < num && mesh->loop[begin + at] != vertex)
            at++;
        if (at == num) continue;
        const uint32_t before = mesh->loop_edge[begin + (at + num - 1) % num];
        const uint32_t behind = mesh->loop_edge[begin + at];
        if (found == 0) {
            axis[0] = before;
            axis[1] = behind;
        } else if (found == 1) {
            axis[2] = before == axis[0] || before == axis[1] ? behind : before;
        }
        found++;
        const bool has_0 = before == axis[0] || behind == axis[0];
        const bool has_1 = before == axis[1] || behind == axis[1];
        corner[has_0 && has_1 ? 3 : has_0 ? 5 : 6] = faces + mesh->side_face[s];
    }
    corner[0] = vertex;
    for (uint32_t a = 0; a < 3; a++)
        corner[1u << a] = edges + axis[a];
    corner[7] = faces + mesh->num_faces + (uint32_t)c;
}

static void write_children(uint32_t *corner, const clspi_poly_mesh *mesh)
{
    for (size_t c = 0; c < mesh->num_cells; c++)
        for (size_t i = mesh->cell_vertex_begin[c]; i < mesh->cell_vertex_begin[c + 1]; i++)
            write_child(corner + i * CLSPI_CORNERS, mesh, c, mesh->cell_vertex[i]);
}

/* Makes the mesh of the children of all cells. */
static bool make_children(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                          const clspi_parallel *threads)
{
    const uint64_t vertices =
        (uint64_t)mesh->num_vertices + mesh->num_edges + mesh->num_faces + mesh->num_cells;
    const size_t num = mesh->cell_vertex_begin[mesh->num_cells];
    uint32_t *const corner = malloc(num * CLSPI_CORNERS * sizeof *corner);
    bool done = corner && vertices <= CLSPI_MAX_CELLS && num <= CLSPI_MAX_CELLS;

    if (done) {
        write_children(corner, mesh);
        done = clspi_cell_mesh_make(cells, (uint32_t)vertices, (uint32_t)num, corner, threads);
    }
    free(corner);
    return done;
}

/* ---- hexahedra as they are ---- */

/* Hexahedra whose numbers are being copied. */
typedef struct copy_work {
    clspi_cell_mesh *cells;
    const clspi_poly_mesh *mesh;
} copy_work;

enum { PIECE_CELLS = 4096, LOOPS = CLSPI_CELL_FACES * CLSPI_FACE_SIDES };

/* Copies the numbers of vertices, edges and faces of a cell, whose sides run as VTK has them. */
static void copy_cell(const copy_work *w, size_t c)
{
    static const uint8_t corner[LOOPS] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                          1, 3, 7, 5, 3, 2, 6, 7, 2, 0, 4, 6};
    static const uint8_t face[CLSPI_CELL_FACES] = {4, 5, 2, 1, 3, 0};
    const clspi_poly_mesh *const mesh = w->mesh;
    const uint32_t flip = mesh->is_turned && mesh->is_turned[c]; /* w becomes 1 - w */

    for (uint32_t i = 0; i < LOOPS; i++) {
        const uint32_t from = corner[i] ^ flip << 2;
        const uint32_t to = corner[i % 4 == 3 ? i - 3 : i + 1] ^ flip << 2;
        const uint32_t e = clspi_corner_edge(clspi_axis_between(from, to), from);
        w->cells->cell_vertex[c * CLSPI_CORNERS + from] = mesh->loop[c * LOOPS + i];
        w->cells->cell_edge[c * CLSPI_CELL_EDGES + e] = mesh->loop_edge[c * LOOPS + i];
    }
    for (uint32_t s = 0; s < CLSPI_CELL_FACES; s++)
        w->cells->cell_face[c * CLSPI_CELL_FACES + (face[s] ^ (face[s] > 3 && flip))] =
            mesh->side_face[c * CLSPI_CELL_FACES + s];
}

static void copy_piece(void *user, size_t piece)
{
    const copy_work *const w = user;
    const size_t first = piece * PIECE_CELLS, left = w->mesh->num_cells - first;

    for (size_t c = first; c < first + (left < PIECE_CELLS ? left : PIECE_CELLS); c++)
        copy_cell(w, c);
}

/* Renumbers edges, or faces, by the cells in which they first appear. */
static bool renumber(uint32_t *number, size_t count, size_t num)
{
    uint32_t *const known = malloc((num + 1) * sizeof *known), next = 0;

    if (!known) return false;
    memset(known, 0xff, num * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        if (known[number[i]] == CLSPI_NO_CELL) known[number[i]] = next++;
        number[i] = known[number[i]];
    }
    free(known);
    return true;
}

/* Makes the mesh of hexahedra. */
static bool make_same(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                      const clspi_parallel *threads)
{
    const size_t num = mesh->num_cells;
    copy_work w = {cells, mesh};

    *cells = (clspi_cell_mesh){.num_vertices = mesh->num_vertices,
                               .num_cells = mesh->num_cells,
                               .num_edges = mesh->num_edges,
                               .num_faces = mesh->num_faces};
    if (mesh->num_edges > CLSPI_MAX_CELLS || mesh->num_faces > CLSPI_MAX_CELLS ||
        !clspi_cell_mesh_allocate_cells(cells))
        return false;
    clspi_in_parallel(threads, (num + PIECE_CELLS - 1) / PIECE_CELLS, copy_piece, &w);
    return renumber(cells->cell_edge, num * CLSPI_CELL_EDGES, mesh->num_edges) &&
           renumber(cells->cell_face, num * CLSPI_CELL_FACES, mesh->num_faces) &&
           clspi_cell_mesh_join(cells);
}

/* ---- creases ---- */

/* Numbers the creases of the hexahedra: the edges themselves, or their halves. sharpness: [2
   creases]. */
static bool number_creases(clspi_key_map *map, const clspi_poly_mesh *mesh, float *sharpness)
{
    const clspi_incidence all = clspi_poly_incidence(mesh);
    const uint32_t middle = mesh->num_vertices;
    bool done = true;

    for (uint32_t e = 0; e < mesh->num_edges && done; e++) {
        const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)e;
        const float sharp = clspi_sharpness(&all, e);
        const float half = clspi_half_sharpness(sharp);
        if (!(mesh->edge_flag[e] & CLSPI_CREASE)) continue;
        for (uint32_t s = 0; s < (mesh->is_hexahedral ? 1 : 2) && done; s++) {
            if (!mesh->is_hexahedral && half == 0.0f) continue;
            const uint32_t to = mesh->is_hexahedral ? end[1] : middle + e;
            const uint32_t number = clspi_key_map_put(map, clspi_edge_key(end[s], to));
            done = number != CLSPI_NO_KEY;
            if (done) sharpness[number] = mesh->is_hexahedral ? sharp : half;
        }
    }
    return done;
}

/* Flags the creases among the edges of the hexahedra, and gives them their sharpness. */
static bool pass_creases(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh)
{
    const size_t edges = cells->num_edges;
    float *const sharpness = malloc((2 * (size_t)mesh->num_edges + 1) * sizeof *sharpness);
    clspi_key_map map;
    bool done = clspi_key_map_make(&map) && sharpness && number_creases(&map, mesh, sharpness);

    if (done && mesh->edge_sharpness) {
        cells->edge_sharpness = calloc(edges + 1, sizeof *cells->edge_sharpness);
        done = cells->edge_sharpness;
    }
    for (size_t e = 0; e < edges && done && map.num; e++) {
        const uint32_t *const end = cells->edge_vertex + 2 * e;
        const uint32_t number = clspi_key_map_find(&map, clspi_edge_key(end[0], end[1]));
        if (number == CLSPI_NO_KEY) continue;
        cells->edge_flag[e] |= CLSPI_CREASE;
        if (cells->edge_sharpness) cells->edge_sharpness[e] = sharpness[number];
    }
    if (done) clspi_cell_mesh_settle(cells);
    clspi_key_map_release(&map);
    free(sharpness);
    return done;
}

bool clspi_poly_hexahedra(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                          const clspi_parallel *threads)
{
    *cells = (clspi_cell_mesh){0};
    bool done =
        mesh->is_hexahedral ? make_same(cells, mesh, threads) : make_children(cells, mesh, threads);

    for (size_t v = 0; v < mesh->num_vertices && done; v++)
        cells->vertex_flag[v] |= mesh->vertex_flag[v] & CLSPI_CORNER;
    done = done && pass_creases(cells, mesh) && clspi_cell_mesh_flag(cells);
    if (!done) clspi_cell_mesh_release(cells);
    return done;
}
