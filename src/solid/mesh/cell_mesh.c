#include "cell_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "key_numbers.h"

/* ---- memory ---- */

static void *array(uint64_t count, size_t bytes)
{
    return count > SIZE_MAX / bytes ? NULL : calloc((size_t)count + (count == 0), bytes);
}

bool clspi_cell_mesh_allocate_cells(clspi_cell_mesh *mesh)
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

bool clspi_cell_mesh_allocate_faces(clspi_cell_mesh *mesh)
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
    if (!clspi_cell_mesh_allocate_cells(copy) || !clspi_cell_mesh_allocate_faces(copy))
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

/* Writes the keys of edges of cells: their vertices, the lesser one first. */
static void edge_keys(const void *user, size_t first, size_t num, uint32_t *keys)
{
    const clspi_cell_mesh *const mesh = user;

    for (size_t i = first; i < first + num; i++, keys += 2) {
        const uint32_t e = (uint32_t)(i % CLSPI_CELL_EDGES), from = clspi_edge_corner(e);
        const uint32_t *const corner = mesh->cell_vertex + i / CLSPI_CELL_EDGES * CLSPI_CORNERS;
        const uint32_t a = corner[from], b = corner[from | 1u << (e / 4)];
        keys[0] = a < b ? a : b;
        keys[1] = a < b ? b : a;
    }
}

/* Writes the keys of faces of cells, wherever their loops begin and whichever way they run. */
static void face_keys(const void *user, size_t first, size_t num, uint32_t *keys)
{
    const clspi_cell_mesh *const mesh = user;

    for (size_t i = first; i < first + num; i++, keys += 4) {
        const uint8_t *const loop = clspi_face_corner[i % CLSPI_CELL_FACES];
        const uint32_t *const corner = mesh->cell_vertex + i / CLSPI_CELL_FACES * CLSPI_CORNERS;
        uint32_t least = 0;
        for (uint32_t k = 1; k < CLSPI_FACE_SIDES; k++)
            if (corner[loop[k]] < corner[loop[least]]) least = k;
        const uint32_t next = corner[loop[(least + 1) & 3]], last = corner[loop[(least + 3) & 3]];
        keys[0] = corner[loop[least]];
        keys[1] = next < last ? next : last;
        keys[2] = next < last ? last : next;
        keys[3] = corner[loop[least ^ 2]];
    }
}

/* Numbers edges and faces by the cells in which they first appear. */
static bool number_parts(clspi_cell_mesh *mesh, const clspi_parallel *threads)
{
    const size_t cells = mesh->num_cells;
    const clspi_key_items edges = {cells * CLSPI_CELL_EDGES, 2, mesh->num_vertices, edge_keys,
                                   mesh};
    const clspi_key_items faces = {cells * CLSPI_CELL_FACES, 4, mesh->num_vertices, face_keys,
                                   mesh};
    clspi_key_numbers edge = {.number = mesh->cell_edge}, face = {.number = mesh->cell_face};
    const bool done =
        clspi_number_keys(&edge, &edges, threads) && clspi_number_keys(&face, &faces, threads);

    free(edge.first);
    free(face.first);
    mesh->num_edges = edge.num;
    mesh->num_faces = face.num;
    return done && edge.num <= CLSPI_MAX_CELLS && face.num <= CLSPI_MAX_CELLS;
}

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

/* Writes what a face is made of, as cell c has it. */
static void write_face(clspi_cell_mesh *mesh, size_t c, uint32_t k)
{
    const size_t f = mesh->cell_face[c * CLSPI_CELL_FACES + k];
    const uint8_t *const loop = clspi_face_corner[k];

    for (uint32_t i = 0; i < CLSPI_FACE_SIDES; i++) {
        const uint32_t from = loop[i], to = loop[(i + 1) & 3];
        const uint32_t e = clspi_corner_edge(clspi_axis_between(from, to), from);
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

bool clspi_cell_mesh_join(clspi_cell_mesh *mesh)
{
    uint32_t *first = NULL;

    if (!clspi_cell_mesh_allocate_faces(mesh)) return false;
    first = malloc(((size_t)mesh->num_faces + 1) * sizeof *first);
    if (!first) return false;
    memset(first, 0xff, mesh->num_faces * sizeof *first);
    join_cells(mesh, first);
    free(first);
    return true;
}

bool clspi_cell_mesh_make(clspi_cell_mesh *mesh, uint32_t num_vertices, uint32_t num_cells,
                          const uint32_t *cell_vertex, const clspi_parallel *threads)
{
    bool done = num_vertices <= CLSPI_MAX_CELLS && num_cells <= CLSPI_MAX_CELLS;

    *mesh = (clspi_cell_mesh){.num_vertices = num_vertices, .num_cells = num_cells};
    done = done && clspi_cell_mesh_allocate_cells(mesh);
    if (done)
        memcpy(mesh->cell_vertex, cell_vertex,
               (size_t)num_cells * CLSPI_CORNERS * sizeof *cell_vertex);
    done = done && number_parts(mesh, threads) && clspi_cell_mesh_join(mesh);
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
