#include "poly_parts.h"

#include <stdlib.h>
#include <string.h>

#include "key_numbers.h"

enum { MAX_LIST = 3 * CLSPI_MAX_CELL_FACES }; /* a ball of so many faces has fewer edges */

/* ---- all cells or sides, a piece at a time ---- */

/* Looks at number i, and says what is wrong with it. */
typedef clspi_mesh_status (*look_fn)(const void *user, size_t i, clspi_mesh_defect *defect);

typedef struct look_work {
    look_fn look;
    const void *user;
    size_t num;
    clspi_mesh_defect *defects; /* [pieces]: the first one of each */
} look_work;

enum { PIECE = 4096 };

static void look_at_piece(void *user, size_t piece)
{
    const look_work *const w = user;
    const size_t end = (piece + 1) * PIECE < w->num ? (piece + 1) * PIECE : w->num;

    for (size_t i = piece * PIECE; i < end; i++)
        if (w->look(w->user, i, &w->defects[piece]) != CLSPI_MESH_SOUND) return;
}

/* Looks at 0 .. num - 1. The first defect counts. */
static clspi_mesh_status look_at_all(look_fn look, const void *user, size_t num,
                                     const clspi_parallel *threads, clspi_mesh_defect *defect)
{
    const size_t pieces = (num + PIECE - 1) / PIECE;
    look_work w = {look, user, num, calloc(pieces + 1, sizeof *w.defects)};
    clspi_mesh_status status = w.defects ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;

    if (w.defects) clspi_in_parallel(threads, pieces, look_at_piece, &w);
    for (size_t p = 0; p < pieces && status == CLSPI_MESH_SOUND; p++) {
        if (w.defects[p].status == CLSPI_MESH_SOUND) continue;
        *defect = w.defects[p];
        status = defect->status;
    }
    free(w.defects);
    return status;
}

/* ---- vertices and edges of cells ---- */

/* Different items of a cell, and how often each stands there. */
typedef struct item_list {
    size_t num;
    uint64_t item[MAX_LIST];
    uint32_t times[MAX_LIST];
} item_list;

/* Returns the place of an item, a new one where it is new; MAX_LIST: there is no room. */
static size_t put_item(item_list *list, uint64_t item)
{
    size_t at = 0;

    while (at < list->num && list->item[at] != item)
        at++;
    if (at == MAX_LIST) return at;
    if (at == list->num) {
        list->item[list->num++] = item;
        list->times[at] = 0;
    }
    list->times[at]++;
    return at;
}

/* Returns the first item that does not stand so often there, or that for which there was no room,
   unless it is UINT64_MAX. */
static uint64_t odd_item(const item_list *list, uint32_t times, uint64_t left_out)
{
    if (left_out != UINT64_MAX) return left_out;
    for (size_t i = 0; i < list->num; i++)
        if (list->times[i] != times) return list->item[i];
    return UINT64_MAX;
}

/* Cells whose edges are being listed. */
typedef struct edge_work {
    clspi_poly_mesh *mesh;
    uint32_t (*pair)[2]; /* [cells' edges]: their vertices, the lesser one first */
} edge_work;

/* Lists the edges of a cell; loops receive places among them. */
static clspi_mesh_status list_edges(const edge_work *w, size_t c, clspi_mesh_defect *defect)
{
    const clspi_poly_mesh *const mesh = w->mesh;
    uint64_t left_out = UINT64_MAX;
    item_list list;

    list.num = 0;
    for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1]; s++) {
        const size_t begin = mesh->loop_begin[s], end = mesh->loop_begin[s + 1];
        for (size_t i = begin; i < end && left_out == UINT64_MAX; i++) {
            const uint32_t a = mesh->loop[i], b = mesh->loop[i + 1 < end ? i + 1 : begin];
            const uint64_t edge = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            const size_t at = put_item(&list, edge);
            mesh->loop_edge[i] = (uint32_t)at;
            if (at == MAX_LIST) left_out = edge;
        }
    }
    const uint64_t bad = odd_item(&list, 2, left_out);
    if (bad != UINT64_MAX)
        return clspi_defective(defect,
                               "the faces of cell %zu are not closed at the edge from "
                               "vertex %u to %u",
                               c, (uint32_t)(bad >> 32), (uint32_t)bad);
    for (size_t i = 0; i < list.num; i++) {
        w->pair[mesh->cell_edge_begin[c] + i][0] = (uint32_t)(list.item[i] >> 32);
        w->pair[mesh->cell_edge_begin[c] + i][1] = (uint32_t)list.item[i];
    }
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status list_vertices(const edge_work *w, size_t c, clspi_mesh_defect *defect)
{
    const clspi_poly_mesh *const mesh = w->mesh;
    const size_t begin = mesh->loop_begin[mesh->side_begin[c]];
    const size_t end = mesh->loop_begin[mesh->side_begin[c + 1]];
    uint64_t left_out = UINT64_MAX;
    item_list list;

    list.num = 0;
    for (size_t i = begin; i < end && left_out == UINT64_MAX; i++)
        if (put_item(&list, mesh->loop[i]) == MAX_LIST) left_out = mesh->loop[i];
    const uint64_t bad = odd_item(&list, 3, left_out);
    if (bad != UINT64_MAX)
        return clspi_defective(defect,
                               "cell %zu: not three of its faces meet in vertex %u, so it "
                               "is never subdivided into hexahedra",
                               c, (uint32_t)bad);
    for (size_t i = 0; i < list.num; i++)
        mesh->cell_vertex[mesh->cell_vertex_begin[c] + i] = (uint32_t)list.item[i];
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status list_cell(const void *user, size_t c, clspi_mesh_defect *defect)
{
    const edge_work *const w = user;
    const clspi_poly_mesh *const mesh = w->mesh;
    const size_t sides = mesh->side_begin[c + 1] - mesh->side_begin[c];
    clspi_mesh_status status = list_edges(w, c, defect);

    if (status == CLSPI_MESH_SOUND) status = list_vertices(w, c, defect);
    if (status == CLSPI_MESH_SOUND &&
        mesh->cell_vertex_begin[c + 1] - mesh->cell_vertex_begin[c] + sides !=
            mesh->cell_edge_begin[c + 1] - mesh->cell_edge_begin[c] + 2)
        status = clspi_defective(defect, "the faces of cell %zu do not bound a ball", c);
    return status;
}

/* Makes room for the vertices and edges of cells: sound ones have a third and half as many as their
   loops. */
static bool allocate_cells(edge_work *w)
{
    clspi_poly_mesh *const mesh = w->mesh;
    const size_t cells = mesh->num_cells;

    mesh->cell_vertex_begin = malloc((cells + 1) * sizeof *mesh->cell_vertex_begin);
    mesh->cell_edge_begin = malloc((cells + 1) * sizeof *mesh->cell_edge_begin);
    if (!mesh->cell_vertex_begin || !mesh->cell_edge_begin) return false;
    mesh->cell_vertex_begin[0] = mesh->cell_edge_begin[0] = 0;
    for (size_t c = 0; c < cells; c++) {
        const size_t loops =
            mesh->loop_begin[mesh->side_begin[c + 1]] - mesh->loop_begin[mesh->side_begin[c]];
        mesh->cell_vertex_begin[c + 1] = mesh->cell_vertex_begin[c] + loops / 3;
        mesh->cell_edge_begin[c + 1] = mesh->cell_edge_begin[c] + loops / 2;
    }
    const size_t vertices = mesh->cell_vertex_begin[cells], edges = mesh->cell_edge_begin[cells];
    mesh->cell_vertex = malloc((vertices + 1) * sizeof *mesh->cell_vertex);
    mesh->cell_edge = malloc((edges + 1) * sizeof *mesh->cell_edge);
    w->pair = malloc((edges + 1) * sizeof *w->pair);
    return mesh->cell_vertex && mesh->cell_edge && w->pair;
}

/* Gives the loops of a cell the numbers of its edges. */
static clspi_mesh_status number_loops(const void *user, size_t c, clspi_mesh_defect *defect)
{
    const clspi_poly_mesh *const mesh = user;
    const uint32_t *const edge = mesh->cell_edge + mesh->cell_edge_begin[c];
    const size_t end = mesh->loop_begin[mesh->side_begin[c + 1]];

    (void)defect;
    for (size_t i = mesh->loop_begin[mesh->side_begin[c]]; i < end; i++)
        mesh->loop_edge[i] = edge[mesh->loop_edge[i]];
    return CLSPI_MESH_SOUND;
}

static void edge_keys(const void *user, size_t first, size_t num, uint32_t *keys)
{
    const edge_work *const w = user;

    memcpy(keys, w->pair[first], num * sizeof *w->pair);
}

/* Numbers edges and gives each its vertices. */
static clspi_mesh_status number_edges(const edge_work *w, const clspi_parallel *threads,
                                      clspi_mesh_defect *defect)
{
    clspi_poly_mesh *const mesh = w->mesh;
    const clspi_key_items items = {mesh->cell_edge_begin[mesh->num_cells], 2, mesh->num_vertices,
                                   edge_keys, w};
    clspi_key_numbers edges = {.number = mesh->cell_edge};

    if (!clspi_number_keys(&edges, &items, threads)) return CLSPI_MESH_NO_MEMORY;
    mesh->num_edges = edges.num;
    mesh->edge_vertex = malloc(((size_t)edges.num * 2 + 1) * sizeof *mesh->edge_vertex);
    for (size_t e = 0; e < edges.num && mesh->edge_vertex; e++)
        memcpy(mesh->edge_vertex + 2 * e, w->pair[edges.first[e]], sizeof *w->pair);
    free(edges.first);
    if (!mesh->edge_vertex) return CLSPI_MESH_NO_MEMORY;
    return look_at_all(number_loops, mesh, mesh->num_cells, threads, defect);
}

clspi_mesh_status clspi_poly_find_edges(clspi_poly_mesh *mesh, const clspi_parallel *threads,
                                        clspi_mesh_defect *defect)
{
    edge_work w = {.mesh = mesh};
    clspi_mesh_status status = CLSPI_MESH_NO_MEMORY;

    if (allocate_cells(&w)) status = look_at_all(list_cell, &w, mesh->num_cells, threads, defect);
    if (status == CLSPI_MESH_SOUND) status = number_edges(&w, threads, defect);
    free(w.pair);
    return status;
}

/* ---- faces ---- */

/* Writes the keys of sides: the least vertex with its neighbours, and the rest, of which that of a
   quadrilateral is the fourth vertex. */
static void side_keys(const void *user, size_t first, size_t count, uint32_t *keys)
{
    const clspi_poly_mesh *const mesh = user;

    for (size_t s = first; s < first + count; s++, keys += 4) {
        const uint32_t *const loop = mesh->loop + mesh->loop_begin[s];
        const size_t num = mesh->loop_begin[s + 1] - mesh->loop_begin[s];
        size_t least = 0;
        for (size_t i = 1; i < num; i++)
            if (loop[i] < loop[least]) least = i;
        const uint32_t one = loop[(least + 1) % num], other = loop[(least + num - 1) % num];
        keys[0] = loop[least];
        keys[1] = one < other ? one : other;
        keys[2] = one < other ? other : one;
        keys[3] = (uint32_t)num << 24;
        for (size_t i = 2; i + 1 < num; i++)
            keys[3] = num == 4 ? loop[(least + i) % num] : keys[3] + loop[(least + i) % num];
    }
}

/* Tells whether two loops are the same face, wherever they begin and whichever way they run. */
static bool is_same_face(const uint32_t *a, size_t num_a, const uint32_t *b, size_t num_b)
{
    size_t at = 0;
    bool same = num_a == num_b, forth, back;

    while (same && at < num_b && b[at] != a[0])
        at++;
    forth = back = same && at < num_b;
    for (size_t i = 0; i < num_a && same; i++) {
        forth = forth && a[i] == b[(at + i) % num_b];
        back = back && a[i] == b[(at + num_b - i) % num_b];
    }
    return forth || back;
}

/* Sides that have the numbers of faces, and the first side of each face. */
typedef struct face_work {
    clspi_poly_mesh *mesh;
    const size_t *first;
} face_work;

/* Checks that a side is the same face as the first one with its number. */
static clspi_mesh_status check_side(const void *user, size_t s, clspi_mesh_defect *defect)
{
    const face_work *const w = user;
    const clspi_poly_mesh *const mesh = w->mesh;
    const size_t other = w->first[mesh->side_face[s]];
    const size_t begin = mesh->loop_begin[s], begin_other = mesh->loop_begin[other];

    if (other == s ||
        is_same_face(mesh->loop + begin, mesh->loop_begin[s + 1] - begin, mesh->loop + begin_other,
                     mesh->loop_begin[other + 1] - begin_other))
        return CLSPI_MESH_SOUND;
    return clspi_defective(defect, "two faces at vertices %u, %u and %u overlap", mesh->loop[begin],
                           mesh->loop[begin + 1], mesh->loop[begin + 2]);
}

/* Copies the loop of a face from its first side. */
static clspi_mesh_status copy_face(const void *user, size_t f, clspi_mesh_defect *defect)
{
    const face_work *const w = user;
    const clspi_poly_mesh *const mesh = w->mesh;
    const size_t from = mesh->loop_begin[w->first[f]], to = mesh->face_begin[f];
    const size_t num = mesh->face_begin[f + 1] - to;

    (void)defect;
    memcpy(mesh->face_vertex + to, mesh->loop + from, num * sizeof *mesh->loop);
    memcpy(mesh->face_edge + to, mesh->loop_edge + from, num * sizeof *mesh->loop);
    return CLSPI_MESH_SOUND;
}

static bool allocate_faces(const face_work *w)
{
    clspi_poly_mesh *const mesh = w->mesh;
    size_t total = 0;

    mesh->face_begin = malloc(((size_t)mesh->num_faces + 1) * sizeof *mesh->face_begin);
    if (!mesh->face_begin) return false;
    for (size_t f = 0; f < mesh->num_faces; f++) {
        mesh->face_begin[f] = total;
        total += mesh->loop_begin[w->first[f] + 1] - mesh->loop_begin[w->first[f]];
    }
    mesh->face_begin[mesh->num_faces] = total;
    mesh->face_vertex = malloc((total + 1) * sizeof *mesh->face_vertex);
    mesh->face_edge = malloc((total + 1) * sizeof *mesh->face_edge);
    return mesh->face_vertex && mesh->face_edge;
}

clspi_mesh_status clspi_poly_find_faces(clspi_poly_mesh *mesh, const clspi_parallel *threads,
                                        clspi_mesh_defect *defect)
{
    const size_t sides = mesh->side_begin[mesh->num_cells];
    const clspi_key_items items = {sides, 4, mesh->num_vertices, side_keys, mesh};
    clspi_key_numbers faces = {.number = mesh->side_face};

    if (!clspi_number_keys(&faces, &items, threads)) return CLSPI_MESH_NO_MEMORY;
    const face_work w = {mesh, faces.first};
    clspi_mesh_status status = look_at_all(check_side, &w, sides, threads, defect);
    mesh->num_faces = faces.num;
    if (status == CLSPI_MESH_SOUND && !allocate_faces(&w)) status = CLSPI_MESH_NO_MEMORY;
    if (status == CLSPI_MESH_SOUND)
        status = look_at_all(copy_face, &w, mesh->num_faces, threads, defect);
    free(faces.first);
    return status;
}
