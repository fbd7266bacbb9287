#include "cell_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "key_map.h"

/* ---- memory ---- */

static void *array(uint64_t count, size_t bytes)
{
    return count > SIZE_MAX / bytes ? NULL : calloc((size_t)count + (count == 0), bytes);
}

/* Allocates what belongs to cells and vertices. */
static bool allocate_cells(clspi_cell_mesh *mesh)
{
    const uint64_t cells = mesh->num_cells;

    mesh->cell_vertex = array(cells * CLSPI_CORNERS, sizeof *mesh->cell_vertex);
    mesh->cell_edge = array(cells * CLSPI_CELL_EDGES, sizeof *mesh->cell_edge);
    mesh->cell_face = array(cells * CLSPI_CELL_FACES, sizeof *mesh->cell_face);
    mesh->across = array(cells * CLSPI_CELL_FACES, sizeof *mesh->across);
    mesh->frame = array(cells * CLSPI_CELL_FACES, sizeof *mesh->frame);
    mesh->vertex_flag = array(mesh->num_vertices, sizeof *mesh->vertex_flag);
    return mesh->cell_vertex && mesh->cell_edge && mesh->cell_face && mesh->across && mesh->frame &&
           mesh->vertex_flag;
}

static bool allocate_faces(clspi_cell_mesh *mesh)
{
    const uint64_t faces = mesh->num_faces, edges = mesh->num_edges;

    mesh->face_vertex = array(faces * CLSPI_FACE_SIDES, sizeof *mesh->face_vertex);
    mesh->face_edge = array(faces * CLSPI_FACE_SIDES, sizeof *mesh->face_edge);
    mesh->face_flag = array(faces, sizeof *mesh->face_flag);
    mesh->edge_vertex = array(edges * 2, sizeof *mesh->edge_vertex);
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
    free(mesh->vertex_flag);
    *mesh = (clspi_cell_mesh){0};
}

/* ---- a mesh of cells ---- */

/* Returns the key of a face, wherever its loop begins and whichever way it runs. */
static clspi_key face_key(const uint32_t *corner, const uint8_t *loop)
{
    uint32_t least = 0, next, last;

    for (uint32_t i = 1; i < CLSPI_FACE_SIDES; i++)
        if (corner[loop[i]] < corner[loop[least]]) least = i;
    next = corner[loop[(least + 1) & 3]];
    last = corner[loop[(least + 3) & 3]];
    return (clspi_key){(uint64_t)corner[loop[least]] << 32 | (next < last ? next : last),
                       (uint64_t)(next < last ? last : next) << 32 | corner[loop[least ^ 2]]};
}

/* Numbers edges and faces by the cells in which they first appear. */
static bool number_parts(clspi_cell_mesh *mesh, clspi_key_map *edges, clspi_key_map *faces)
{
    bool done = true;

    for (size_t c = 0; c < mesh->num_cells && done; c++) {
        const uint32_t *const corner = mesh->cell_vertex + c * CLSPI_CORNERS;
        for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
            const uint32_t i = clspi_edge_corner(e);
            const clspi_key key = clspi_edge_key(corner[i], corner[i | 1u << (e / 4)]);
            mesh->cell_edge[c * CLSPI_CELL_EDGES + e] = clspi_key_map_put(edges, key);
            done &= mesh->cell_edge[c * CLSPI_CELL_EDGES + e] != CLSPI_NO_KEY;
        }
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
            const clspi_key key = face_key(corner, clspi_face_corner[k]);
            mesh->cell_face[c * CLSPI_CELL_FACES + k] = clspi_key_map_put(faces, key);
            done &= mesh->cell_face[c * CLSPI_CELL_FACES + k] != CLSPI_NO_KEY;
        }
    }
    mesh->num_edges = edges->num;
    mesh->num_faces = faces->num;
    return done && edges->num <= CLSPI_MAX_CELLS && faces->num <= CLSPI_MAX_CELLS;
}

/* Returns the corner of a cell that is a vertex. */
static uint32_t corner_of(const uint32_t *corner, uint32_t vertex)
{
    uint32_t i = 0;

    while (i < CLSPI_CORNERS - 1 && corner[i] != vertex)
        i++;
    return i;
}

/* Returns the axis along which two corners differ. */
static uint32_t axis_of(uint32_t i, uint32_t j)
{
    return (i ^ j) >> 1;
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
        if (b != a) axis[b] = axis_of(at, corner_of(theirs, mine[begin | 1u << b]));
    axis[a] = 3 - axis[(a + 1) % 3] - axis[(a + 2) % 3];
    order = 2 * axis[0] + axis[1] - (axis[1] > axis[0]);
    return (uint8_t)(8 * order + (at ^ clspi_corner_order[order][begin ^ 1u << a]));
}

/* Writes what a face is made of, as cell c has it. */
static void write_face(clspi_cell_mesh *mesh, size_t c, uint32_t k)
{
    const size_t f = mesh->cell_face[c * CLSPI_CELL_FACES + k];
    const uint8_t *const loop = clspi_face_corner[k];

    for (uint32_t i = 0; i < CLSPI_FACE_SIDES; i++) {
        const uint32_t from = loop[i], to = loop[(i + 1) & 3];
        const uint32_t e = clspi_corner_edge(axis_of(from, to), from);
        mesh->face_vertex[f * 4 + i] = mesh->cell_vertex[c * CLSPI_CORNERS + from];
        mesh->face_edge[f * 4 + i] = mesh->cell_edge[c * CLSPI_CELL_EDGES + e];
    }
}

/* Writes edges and faces, and joins the cells of each face. first: [faces], filled with NO_CELL. */
static void join_cells(clspi_cell_mesh *mesh, uint32_t *first)
{
    for (size_t c = 0; c < mesh->num_cells; c++) {
        for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
            const uint32_t i = clspi_edge_corner(e);
            uint32_t *const end =
                mesh->edge_vertex + (size_t)mesh->cell_edge[c * CLSPI_CELL_EDGES + e] * 2;
            end[0] = mesh->cell_vertex[c * CLSPI_CORNERS + i];
            end[1] = mesh->cell_vertex[c * CLSPI_CORNERS + (i | 1u << (e / 4))];
        }
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
            const size_t here = c * CLSPI_CELL_FACES + k, f = mesh->cell_face[here];
            if (first[f] == CLSPI_NO_CELL) {
                first[f] = (uint32_t)c;
                write_face(mesh, c, k);
                mesh->across[here] = CLSPI_NO_CELL;
                mesh->face_flag[f] = CLSPI_BOUNDARY;
                continue;
            }
            uint32_t other = 0;
            const size_t n = first[f];
            while (mesh->cell_face[n * CLSPI_CELL_FACES + other] != f)
                other++;
            mesh->across[here] = (uint32_t)n;
            mesh->frame[here] = frame_across(mesh, c, k, n);
            mesh->across[n * CLSPI_CELL_FACES + other] = (uint32_t)c;
            mesh->frame[n * CLSPI_CELL_FACES + other] = frame_across(mesh, n, other, c);
            mesh->face_flag[f] = 0;
        }
    }
}

bool clspi_cell_mesh_make(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          const uint32_t *cell_vertex)
{
    clspi_key_map edges = {0}, faces = {0};
    uint32_t *first = NULL;
    bool done = num_vertices <= CLSPI_MAX_CELLS && num_cells <= CLSPI_MAX_CELLS;

    *mesh = (clspi_cell_mesh){.num_vertices = num_vertices, .num_cells = num_cells};
    done = done && allocate_cells(mesh) && clspi_key_map_make(&edges) && clspi_key_map_make(&faces);
    if (done) {
        memcpy(mesh->cell_vertex, cell_vertex,
               (size_t)num_cells * CLSPI_CORNERS * sizeof *cell_vertex);
        done = number_parts(mesh, &edges, &faces);
    }
    clspi_key_map_release(&edges);
    clspi_key_map_release(&faces);
    done = done && allocate_faces(mesh);
    if (done) first = malloc(((size_t)mesh->num_faces + 1) * sizeof *first);
    if (first) {
        memset(first, 0xff, mesh->num_faces * sizeof *first);
        join_cells(mesh, first);
    }
    done = done && first;
    free(first);
    if (!done) clspi_cell_mesh_release(mesh);
    return done;
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

/* Flags edges, and the vertices of those that are irregular. Regular ones have the faces of a grid,
   of one that ends at the boundary's smooth faces or creases. */
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
        count_around(mesh, &count);
        flag_edges(mesh, &count);
        flag_vertices(mesh, &count);
    }
    free(count.edge_faces);
    free(count.vertex_cells);
    free(count.vertex_creases);
    return done;
}

bool clspi_cell_is_regular(const clspi_cell_mesh *mesh, uint32_t cell)
{
    const uint32_t *const corner = mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    uint8_t flags = 0;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        flags |= mesh->vertex_flag[corner[i]];
    return !(flags & CLSPI_IRREGULAR);
}

/* ---- refinement ---- */

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
            places->edge[k][clspi_corner_edge(axis_of(from, to), from)] =
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
    if (!allocate_cells(fine) || !allocate_faces(fine)) {
        clspi_cell_mesh_release(fine);
        return false;
    }
    memcpy(fine->vertex_flag, mesh->vertex_flag, mesh->num_vertices);
    clspi_in_parallel(threads, r.pieces, refine_piece, &r);
    return true;
}
