/* Refinement of meshes of hexahedra, by formula. */
#include <stdlib.h>
#include <string.h>

#include "cell_mesh.h"

/* Where the fine mesh's vertices, edges and faces of each kind begin. */
typedef struct child_numbers {
    size_t edge_vertex, face_vertex, cell_vertex;
    size_t face_edge, cell_edge;
    size_t cell_face;
} child_numbers;

/* Numbers first .. end - 1. */
typedef struct numbers {
    size_t first, end;
} numbers;

static child_numbers number_children(const clspi_cell_mesh *mesh)
{
    const size_t v = mesh->num_vertices, e = mesh->num_edges, f = mesh->num_faces;

    return (child_numbers){.edge_vertex = v,
                           .face_vertex = v + e,
                           .cell_vertex = v + e + f,
                           .face_edge = 2 * e,
                           .cell_edge = 2 * e + 4 * f,
                           .cell_face = 4 * f};
}

/* Halves the edges: 2 e + s is the half at end s. */
static void refine_edges(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                         const child_numbers *begin, numbers edges)
{
    const uint8_t kept = CLSPI_BOUNDARY | CLSPI_IRREGULAR;

    for (size_t e = edges.first; e < edges.end; e++) {
        for (uint32_t s = 0; s < 2; s++) {
            fine->edge_vertex[4 * e + 2 * s] = mesh->edge_vertex[2 * e + s];
            fine->edge_vertex[4 * e + 2 * s + 1] = (uint32_t)(begin->edge_vertex + e);
            fine->edge_flag[2 * e + s] = mesh->edge_flag[e];
        }
        fine->vertex_flag[begin->edge_vertex + e] = mesh->edge_flag[e] & kept;
    }
}

/* Returns the half of edge e that ends in a vertex. */
static uint32_t half_edge(const clspi_cell_mesh *mesh, uint32_t e, uint32_t vertex)
{
    return 2 * e + (mesh->edge_vertex[2 * (size_t)e + 1] == vertex);
}

/* Quarters the faces: 4 f + i is the quarter at vertex i; edge i goes from the face's vertex to
   that of its edge i. */
static void refine_faces(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                         const child_numbers *begin, numbers faces)
{
    for (size_t f = faces.first; f < faces.end; f++) {
        const uint32_t *const vertex = mesh->face_vertex + 4 * f, *const edge =
                                                                      mesh->face_edge + 4 * f;
        const uint32_t middle = (uint32_t)(begin->face_vertex + f);
        const uint8_t flag = mesh->face_flag[f];
        fine->vertex_flag[middle] = flag;
        for (uint32_t i = 0; i < CLSPI_FACE_SIDES; i++) {
            const uint32_t before = (i + 3) & 3;
            const size_t quarter = 4 * f + i, inner = begin->face_edge + 4 * f;
            uint32_t *const corner = fine->face_vertex + 4 * quarter;
            uint32_t *const side = fine->face_edge + 4 * quarter;
            corner[0] = vertex[i];
            corner[1] = (uint32_t)(begin->edge_vertex + edge[i]);
            corner[2] = middle;
            corner[3] = (uint32_t)(begin->edge_vertex + edge[before]);
            side[0] = half_edge(mesh, edge[i], vertex[i]);
            side[1] = (uint32_t)(inner + i);
            side[2] = (uint32_t)(inner + before);
            side[3] = half_edge(mesh, edge[before], vertex[i]);
            fine->face_flag[quarter] = flag;
            fine->edge_vertex[2 * (inner + i)] = middle;
            fine->edge_vertex[2 * (inner + i) + 1] = corner[1];
            fine->edge_flag[inner + i] = flag;
        }
    }
}

/* Where the corners and edges of a cell's faces stand in these faces. */
typedef struct face_places {
    uint8_t corner[CLSPI_CELL_FACES][CLSPI_CORNERS];
    uint8_t edge[CLSPI_CELL_FACES][CLSPI_CELL_EDGES];
} face_places;

static void find_places(face_places *places, const clspi_cell_mesh *mesh, size_t c)
{
    const uint32_t *const vertex = mesh->cell_vertex + c * CLSPI_CORNERS;

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        const uint32_t *const loop =
            mesh->face_vertex + 4 * (size_t)mesh->cell_face[c * CLSPI_CELL_FACES + k];
        const uint8_t *const mine = clspi_face_corner[k];
        uint32_t at = 0, back;
        while (at < 3 && loop[at] != vertex[mine[0]])
            at++;
        back = loop[(at + 1) & 3] != vertex[mine[1]];
        for (uint32_t i = 0; i < CLSPI_FACE_SIDES; i++) {
            const uint32_t from = mine[i], to = mine[(i + 1) & 3];
            const uint32_t place = (back ? at + 4 - i : at + i) & 3;
            places->corner[k][from] = (uint8_t)place;
            places->edge[k][clspi_corner_edge(clspi_axis_between(from, to), from)] =
                (uint8_t)(back ? (place + 3) & 3 : place);
        }
    }
}

/* Makes the faces and edges within a cell. */
static void refine_inside(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                          const child_numbers *begin, const face_places *places, size_t c)
{
    const uint32_t *const face = mesh->cell_face + c * CLSPI_CELL_FACES;
    const uint32_t *const edge = mesh->cell_edge + c * CLSPI_CELL_EDGES;
    const size_t inner = begin->cell_edge + CLSPI_CELL_FACES * c;
    const uint32_t middle = (uint32_t)(begin->cell_vertex + c);

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        fine->edge_vertex[2 * (inner + k)] = middle;
        fine->edge_vertex[2 * (inner + k) + 1] = (uint32_t)(begin->face_vertex + face[k]);
    }
    for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
        const uint32_t a = e / 4, i = clspi_edge_corner(e);
        const uint32_t p = (a + 1) % 3, q = (a + 2) % 3;
        const uint32_t k0 = 2 * p + (i >> p & 1), k1 = 2 * q + (i >> q & 1);
        const size_t quad = begin->cell_face + CLSPI_CELL_EDGES * c + e;
        uint32_t *const corner = fine->face_vertex + 4 * quad;
        uint32_t *const side = fine->face_edge + 4 * quad;
        corner[0] = (uint32_t)(begin->edge_vertex + edge[e]);
        corner[1] = (uint32_t)(begin->face_vertex + face[k0]);
        corner[2] = middle;
        corner[3] = (uint32_t)(begin->face_vertex + face[k1]);
        side[0] = (uint32_t)(begin->face_edge + 4 * (size_t)face[k0] + places->edge[k0][e]);
        side[1] = (uint32_t)(inner + k0);
        side[2] = (uint32_t)(inner + k1);
        side[3] = (uint32_t)(begin->face_edge + 4 * (size_t)face[k1] + places->edge[k1][e]);
    }
}

/* Numbers the vertices of a cell and of its edges, faces and itself as a grid of 3 x 3 x 3, the
   first axis fastest. */
static void fill_lattice(uint32_t *lattice, const clspi_cell_mesh *mesh, const child_numbers *begin,
                         size_t c)
{
    static const uint8_t step[3] = {1, 3, 9};
    static const uint8_t corner_place[8] = {0, 2, 6, 8, 18, 20, 24, 26};

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        lattice[corner_place[i]] = mesh->cell_vertex[c * CLSPI_CORNERS + i];
    for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++)
        lattice[corner_place[clspi_edge_corner(e)] + step[e / 4]] =
            (uint32_t)(begin->edge_vertex + mesh->cell_edge[c * CLSPI_CELL_EDGES + e]);
    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++)
        lattice[k & 1 ? 13 + step[k / 2] : 13 - step[k / 2]] =
            (uint32_t)(begin->face_vertex + mesh->cell_face[c * CLSPI_CELL_FACES + k]);
    lattice[13] = (uint32_t)(begin->cell_vertex + c);
}

/* Returns the edge along axis a of child j that begins at its corner i. */
static uint32_t child_edge(const clspi_cell_mesh *mesh, const child_numbers *begin,
                           const face_places *places, size_t c, uint32_t j, uint32_t e)
{
    const uint32_t a = e / 4, i = clspi_edge_corner(e);
    const uint32_t p = (a + 1) % 3, q = (a + 2) % 3;
    const bool p_outer = !((i ^ j) >> p & 1), q_outer = !((i ^ j) >> q & 1);

    if (p_outer && q_outer)
        return half_edge(mesh, mesh->cell_edge[c * CLSPI_CELL_EDGES + clspi_corner_edge(a, j)],
                         mesh->cell_vertex[c * CLSPI_CORNERS + j]);
    if (p_outer || q_outer) {
        const uint32_t outer = p_outer ? p : q, inner = p_outer ? q : p;
        const uint32_t k = 2 * outer + (j >> outer & 1);
        const size_t f = mesh->cell_face[c * CLSPI_CELL_FACES + k];
        return (uint32_t)(begin->face_edge + 4 * f + places->edge[k][clspi_corner_edge(inner, j)]);
    }
    return (uint32_t)(begin->cell_edge + CLSPI_CELL_FACES * c + 2 * a + (j >> a & 1));
}

/* Makes child j of a cell. */
static void refine_child(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                         const child_numbers *begin, const face_places *places, size_t c,
                         uint32_t j)
{
    const size_t child = CLSPI_CORNERS * c + j;

    for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++)
        fine->cell_edge[child * CLSPI_CELL_EDGES + e] = child_edge(mesh, begin, places, c, j, e);
    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        const size_t at = child * CLSPI_CELL_FACES + k, from = c * CLSPI_CELL_FACES + k;
        const uint32_t a = k >> 1, beyond = j ^ 1u << a;
        if ((k & 1) != (j >> a & 1)) { /* within the cell */
            fine->cell_face[at] =
                (uint32_t)(begin->cell_face + CLSPI_CELL_EDGES * c + clspi_corner_edge(a, j));
            fine->across[at] = (uint32_t)(CLSPI_CORNERS * c + beyond);
            fine->frame[at] = 0;
            continue;
        }
        fine->cell_face[at] = 4 * mesh->cell_face[from] + places->corner[k][j];
        fine->frame[at] = mesh->frame[from];
        fine->across[at] = mesh->across[from] == CLSPI_NO_CELL
                               ? CLSPI_NO_CELL
                               : CLSPI_CORNERS * mesh->across[from] +
                                     clspi_frame_corner(mesh->frame[from], beyond);
    }
}

static void refine_cells(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                         const child_numbers *begin, numbers cells)
{
    static const uint8_t place[8] = {0, 1, 3, 4, 9, 10, 12, 13};

    for (size_t c = cells.first; c < cells.end; c++) {
        uint32_t lattice[27];
        face_places places;
        fill_lattice(lattice, mesh, begin, c);
        find_places(&places, mesh, c);
        refine_inside(fine, mesh, begin, &places, c);
        for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
            uint32_t *const corner = fine->cell_vertex + (CLSPI_CORNERS * c + j) * CLSPI_CORNERS;
            for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
                corner[i] = lattice[place[j] + place[i]];
            refine_child(fine, mesh, begin, &places, c, j);
        }
    }
}

/* A refinement, in so many pieces. */
typedef struct refinement {
    clspi_cell_mesh *fine;
    const clspi_cell_mesh *mesh;
    child_numbers begin;
    size_t pieces;
} refinement;

/* Returns the numbers of a piece among all. */
static numbers numbers_of(const refinement *r, size_t piece, size_t all)
{
    const size_t each = all / r->pieces;

    return (numbers){piece * each, piece + 1 < r->pieces ? (piece + 1) * each : all};
}

/* Refines a piece's edges, faces and cells, which do not depend on each other. */
static void refine_piece(void *user, size_t piece)
{
    const refinement *const r = user;
    const clspi_cell_mesh *const mesh = r->mesh;

    refine_edges(r->fine, mesh, &r->begin, numbers_of(r, piece, mesh->num_edges));
    refine_faces(r->fine, mesh, &r->begin, numbers_of(r, piece, mesh->num_faces));
    refine_cells(r->fine, mesh, &r->begin, numbers_of(r, piece, mesh->num_cells));
}

/* Gives the halves of creases their sharpness, and all edges and vertices their flags, where some
   are creases no more. */
static bool refine_creases(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh)
{
    if (!mesh->edge_sharpness) return true;
    fine->edge_sharpness = calloc((size_t)fine->num_edges + 1, sizeof *fine->edge_sharpness);
    if (!fine->edge_sharpness) return false;
    for (size_t e = 0; e < 2 * (size_t)mesh->num_edges; e++) {
        if (!(mesh->edge_flag[e / 2] & CLSPI_CREASE)) continue;
        fine->edge_sharpness[e] = clspi_half_sharpness(mesh->edge_sharpness[e / 2]);
        if (fine->edge_sharpness[e] == 0.0f) fine->edge_flag[e] &= (uint8_t)~CLSPI_CREASE;
    }
    clspi_cell_mesh_settle(fine);
    return clspi_cell_mesh_flag(fine);
}

bool clspi_cell_mesh_refine(clspi_cell_mesh *fine, const clspi_cell_mesh *mesh,
                            const clspi_parallel *threads)
{
    enum { PIECE_CELLS = 2048 };
    const uint64_t v = mesh->num_vertices, e = mesh->num_edges, f = mesh->num_faces,
                   c = mesh->num_cells;
    const uint64_t vertices = v + e + f + c, edges = 2 * e + 4 * f + 6 * c, faces = 4 * f + 12 * c;
    refinement r = {.fine = fine,
                    .mesh = mesh,
                    .begin = number_children(mesh),
                    .pieces = mesh->num_cells / PIECE_CELLS + 1};

    *fine = (clspi_cell_mesh){0};
    if (vertices > CLSPI_MAX_CELLS || edges > CLSPI_MAX_CELLS || faces > CLSPI_MAX_CELLS ||
        8 * c > CLSPI_MAX_CELLS)
        return false;
    fine->num_vertices = (uint32_t)vertices;
    fine->num_edges = (uint32_t)edges;
    fine->num_faces = (uint32_t)faces;
    fine->num_cells = (uint32_t)(8 * c);
    if (!clspi_cell_mesh_allocate_cells(fine, &clspi_hexahedron) ||
        !clspi_cell_mesh_allocate_faces(fine)) {
        clspi_cell_mesh_release(fine);
        return false;
    }
    memcpy(fine->vertex_flag, mesh->vertex_flag, mesh->num_vertices);
    clspi_in_parallel(threads, r.pieces, refine_piece, &r);
    if (refine_creases(fine, mesh)) return true;
    clspi_cell_mesh_release(fine);
    return false;
}
