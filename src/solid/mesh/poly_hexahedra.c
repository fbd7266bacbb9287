/* The hexahedra that cells of all kinds become. */
#include <stdlib.h>
#include <string.h>

#include "alike_cells.h"
#include "key_map.h"
#include "large_array.h"

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

    if (corner && vertices <= CLSPI_MAX_CELLS && num <= CLSPI_MAX_CELLS) {
        write_children(corner, mesh);
        return clspi_cell_mesh_take(cells, (uint32_t)vertices, (uint32_t)num, corner, threads);
    }
    free(corner);
    return false;
}

/* Tetrahedra that are being replaced by their children. */
typedef struct tetra_work {
    const clspi_tetra_mesh *mesh;
    uint32_t *corner;
} tetra_work;

enum { PIECE_CELLS = 4096 };

/* Writes the child of a tetrahedron at its corner i as write_child does; the sides of one that is
   turned run the other way, so that the first two axes change places. */
static void write_tetra_child(const tetra_work *w, size_t c, uint32_t i)
{
    const clspi_cell_shape *const shape = &clspi_tetrahedron;
    const clspi_cell_mesh *const parts = &w->mesh->parts;
    const uint32_t *const edge = parts->cell_edge + c * shape->edges;
    const uint32_t *const face = parts->cell_face + c * shape->sides;
    const uint32_t edges = parts->num_vertices, faces = edges + parts->num_edges;
    const uint32_t turn = w->mesh->is_turned && w->mesh->is_turned[c] ? 3 : 0;
    uint32_t *const corner = w->corner + (c * shape->corners + i) * CLSPI_CORNERS;

    corner[0] = parts->cell_vertex[c * shape->corners + i];
    corner[1 ^ turn] = edges + edge[shape->star_edge[i][0]];
    corner[2 ^ turn] = edges + edge[shape->star_edge[i][1]];
    corner[4] = edges + edge[shape->star_edge[i][2]];
    corner[3] = faces + face[shape->star_side[i][0]];
    corner[6 ^ turn] = faces + face[shape->star_side[i][1]];
    corner[5 ^ turn] = faces + face[shape->star_side[i][2]];
    corner[7] = faces + parts->num_faces + (uint32_t)c;
}

static void write_tetra_piece(void *user, size_t piece)
{
    const tetra_work *const w = user;
    const size_t first = piece * PIECE_CELLS, left = w->mesh->parts.num_cells - first;

    for (size_t c = first; c < first + (left < PIECE_CELLS ? left : PIECE_CELLS); c++)
        for (uint32_t i = 0; i < clspi_tetrahedron.corners; i++)
            write_tetra_child(w, c, i);
}

/* Makes the mesh of the children of all tetrahedra. */
static bool make_tetra_children(clspi_cell_mesh *cells, const clspi_tetra_mesh *mesh,
                                const clspi_parallel *threads)
{
    const clspi_cell_mesh *const parts = &mesh->parts;
    const uint64_t num = (uint64_t)parts->num_cells * clspi_tetrahedron.corners;
    const uint64_t vertices =
        (uint64_t)parts->num_vertices + parts->num_edges + parts->num_faces + parts->num_cells;
    tetra_work w = {.mesh = mesh};

    if (vertices > CLSPI_MAX_CELLS || num > CLSPI_MAX_CELLS) return false;
    w.corner = clspi_large_array(num * CLSPI_CORNERS, sizeof *w.corner);
    if (!w.corner) return false;
    clspi_in_parallel(threads, (parts->num_cells + PIECE_CELLS - 1) / PIECE_CELLS,
                      write_tetra_piece, &w);
    return clspi_cell_mesh_take(cells, (uint32_t)vertices, (uint32_t)num, w.corner, threads);
}

/* ---- hexahedra as they are ---- */

/* Copies the vertices of a cell, whose first two sides are its ends as VTK has them. */
static void copy_cell(uint32_t *corner, const clspi_poly_mesh *mesh, size_t c)
{
    static const uint8_t place[CLSPI_CORNERS] = {0, 2, 3, 1, 4, 5, 7, 6};
    const uint32_t flip = mesh->is_turned && mesh->is_turned[c] ? 4 : 0; /* w becomes 1 - w */
    const uint32_t *const loop = mesh->loop + c * CLSPI_CELL_FACES * CLSPI_FACE_SIDES;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        corner[place[i] ^ flip] = loop[i];
}

/* Makes the mesh of hexahedra. */
static bool make_same(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                      const clspi_parallel *threads)
{
    const size_t num = mesh->num_cells;
    uint32_t *const corner = malloc(num * CLSPI_CORNERS * sizeof *corner);

    for (size_t c = 0; c < num && corner; c++)
        copy_cell(corner + c * CLSPI_CORNERS, mesh, c);
    return corner &&
           clspi_cell_mesh_take(cells, mesh->num_vertices, mesh->num_cells, corner, threads);
}

/* ---- creases ---- */

/* Numbers the creases of the hexahedra: the edges themselves, or their halves, which begin in the
   edges' points. sharpness: [2 edges]. */
static bool number_creases(clspi_key_map *map, const clspi_incidence *all, bool halves,
                           float *sharpness)
{
    bool done = true;

    for (size_t e = 0; e < all->num_edges && done; e++) {
        const uint32_t *const end = all->edge_vertex + 2 * e;
        const float sharp = clspi_sharpness(all, e), half = clspi_half_sharpness(sharp);
        if (!(all->edge_flag[e] & CLSPI_CREASE)) continue;
        for (uint32_t s = 0; s < (halves ? 2 : 1) && done; s++) {
            if (halves && half == 0.0f) continue;
            const uint32_t to = halves ? (uint32_t)(all->num_vertices + e) : end[1];
            const uint32_t number = clspi_key_map_put(map, clspi_edge_key(end[s], to));
            done = number != CLSPI_NO_KEY;
            if (done) sharpness[number] = halves ? half : sharp;
        }
    }
    return done;
}

/* Flags the creases among the edges of the hexahedra, and gives them their sharpness. */
static bool pass_creases(clspi_cell_mesh *cells, const clspi_incidence *all, bool halves)
{
    const size_t edges = cells->num_edges;
    float *const sharpness = malloc((2 * all->num_edges + 1) * sizeof *sharpness);
    clspi_key_map map;
    bool done = clspi_key_map_make(&map) && sharpness;

    done = done && number_creases(&map, all, halves, sharpness);
    if (done && all->edge_sharpness) {
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

/* Gives hexahedra the creases and corners of the mesh that they come from. */
static bool pass_flags(clspi_cell_mesh *cells, const clspi_incidence *all, bool halves)
{
    uint8_t kept = 0;

    for (size_t v = 0; v < all->num_vertices; v++) {
        cells->vertex_flag[v] |= all->vertex_flag[v] & CLSPI_CORNER;
        kept |= all->vertex_flag[v];
    }
    for (size_t e = 0; e < all->num_edges; e++)
        kept |= all->edge_flag[e];
    if (!(kept & (CLSPI_CORNER | CLSPI_CREASE))) return true;
    return pass_creases(cells, all, halves) && clspi_cell_mesh_flag(cells);
}

bool clspi_poly_hexahedra(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh,
                          const clspi_parallel *threads)
{
    const clspi_incidence all = clspi_poly_incidence(mesh);

    *cells = (clspi_cell_mesh){0};
    bool done =
        mesh->is_hexahedral ? make_same(cells, mesh, threads) : make_children(cells, mesh, threads);
    done = done && pass_flags(cells, &all, !mesh->is_hexahedral);
    if (!done) clspi_cell_mesh_release(cells);
    return done;
}

bool clspi_tetra_hexahedra(clspi_cell_mesh *cells, const clspi_tetra_mesh *mesh,
                           const clspi_parallel *threads)
{
    const clspi_incidence all = clspi_tetra_incidence(mesh);

    *cells = (clspi_cell_mesh){0};
    const bool done = make_tetra_children(cells, mesh, threads) && pass_flags(cells, &all, true);
    if (!done) clspi_cell_mesh_release(cells);
    return done;
}
