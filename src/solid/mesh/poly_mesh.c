#include "poly_mesh.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key_map.h"
#include "poly_star.h"

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

/* Where reading has come to. */
typedef struct reader {
    const clspi_cells *cells;
    clspi_mesh_defect *defect;
    size_t at;           /* of the indices */
    size_t cell;         /* number of the cell that is read */
    size_t sides, loops; /* so far */
} reader;

clspi_mesh_status clspi_defective(clspi_mesh_defect *defect, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(defect->text, sizeof defect->text, format, args);
    va_end(args);
    return defect->status = CLSPI_MESH_DEFECTIVE;
}

/* ---- reading ---- */

static const cell_kind *find_kind(uint8_t kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind) return &kinds[i];
    return NULL;
}

/* Adds a side; mesh NULL: it is counted only. */
static clspi_mesh_status add_side(reader *r, clspi_poly_mesh *mesh, const uint32_t *index,
                                  const uint8_t *order, uint32_t num)
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
static uint32_t counted(const reader *r, uint32_t least, uint32_t most)
{
    const uint32_t num = r->at < r->cells->num_indices ? r->cells->index[r->at] : 0;

    return num >= least && num <= most ? num : 0;
}

static clspi_mesh_status read_polyhedron(reader *r, clspi_poly_mesh *mesh)
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

static clspi_mesh_status read_cell(reader *r, clspi_poly_mesh *mesh)
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

/* Reads all cells; mesh NULL: counts their sides. */
static clspi_mesh_status read_cells(reader *r, clspi_poly_mesh *mesh)
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

/* ---- edges and faces ---- */

static bool number_edges(clspi_poly_mesh *mesh, size_t sides)
{
    clspi_key_map map;
    bool done = clspi_key_map_make(&map);

    for (size_t s = 0; s < sides && done; s++) {
        const size_t begin = mesh->loop_begin[s], end = mesh->loop_begin[s + 1];
        for (size_t i = begin; i < end && done; i++) {
            const uint32_t next = mesh->loop[i + 1 < end ? i + 1 : begin];
            mesh->loop_edge[i] = clspi_key_map_put(&map, clspi_edge_key(mesh->loop[i], next));
            done = mesh->loop_edge[i] != CLSPI_NO_KEY;
        }
    }
    mesh->num_edges = map.num;
    if (done) mesh->edge_vertex = malloc(((size_t)map.num * 2 + 1) * sizeof *mesh->edge_vertex);
    done = done && mesh->edge_vertex;
    for (size_t e = 0; e < map.num && done; e++) {
        mesh->edge_vertex[2 * e] = (uint32_t)(map.key[e].a >> 32);
        mesh->edge_vertex[2 * e + 1] = (uint32_t)map.key[e].a;
    }
    clspi_key_map_release(&map);
    return done;
}

/* Returns the key of a side: its least vertex with its neighbours, and the rest, of which that of a
   quadrilateral is the fourth vertex. */
static clspi_key side_key(const uint32_t *loop, size_t num)
{
    size_t least = 0;
    uint32_t rest = (uint32_t)num << 24;

    for (size_t i = 1; i < num; i++)
        if (loop[i] < loop[least]) least = i;
    const uint32_t one = loop[(least + 1) % num], other = loop[(least + num - 1) % num];
    for (size_t i = 2; i + 1 < num; i++)
        rest = num == 4 ? loop[(least + i) % num] : rest + loop[(least + i) % num];
    return (clspi_key){(uint64_t)loop[least] << 32 | (one < other ? one : other),
                       (uint64_t)(one < other ? other : one) << 32 | rest};
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

/* Numbers the faces. first: [sides], receives the first side of each face. */
static clspi_mesh_status number_faces(clspi_poly_mesh *mesh, size_t sides, size_t *first,
                                      clspi_mesh_defect *defect)
{
    clspi_key_map map;
    clspi_mesh_status status = clspi_key_map_make(&map) ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;

    for (size_t s = 0; s < sides && status == CLSPI_MESH_SOUND; s++) {
        const size_t begin = mesh->loop_begin[s], num = mesh->loop_begin[s + 1] - begin;
        const uint32_t known = map.num;
        const uint32_t f = clspi_key_map_put(&map, side_key(mesh->loop + begin, num));
        mesh->side_face[s] = f;
        if (f == CLSPI_NO_KEY) {
            status = CLSPI_MESH_NO_MEMORY;
        } else if (f == known) {
            first[f] = s;
        } else {
            const size_t other = mesh->loop_begin[first[f]];
            if (!is_same_face(mesh->loop + begin, num, mesh->loop + other,
                              mesh->loop_begin[first[f] + 1] - other))
                status = clspi_defective(defect, "two faces at vertices %u, %u and %u overlap",
                                         mesh->loop[begin], mesh->loop[begin + 1],
                                         mesh->loop[begin + 2]);
        }
    }
    mesh->num_faces = map.num;
    clspi_key_map_release(&map);
    return status;
}

/* Copies the loops of faces from the first side of each. */
static bool copy_faces(clspi_poly_mesh *mesh, const size_t *first)
{
    size_t total = 0;

    mesh->face_begin = malloc(((size_t)mesh->num_faces + 1) * sizeof *mesh->face_begin);
    if (!mesh->face_begin) return false;
    for (size_t f = 0; f < mesh->num_faces; f++) {
        mesh->face_begin[f] = total;
        total += mesh->loop_begin[first[f] + 1] - mesh->loop_begin[first[f]];
    }
    mesh->face_begin[mesh->num_faces] = total;
    mesh->face_vertex = malloc((total + 1) * sizeof *mesh->face_vertex);
    mesh->face_edge = malloc((total + 1) * sizeof *mesh->face_edge);
    if (!mesh->face_vertex || !mesh->face_edge) return false;
    for (size_t f = 0; f < mesh->num_faces; f++) {
        const size_t from = mesh->loop_begin[first[f]], to = mesh->face_begin[f];
        const size_t num = mesh->face_begin[f + 1] - to;
        memcpy(mesh->face_vertex + to, mesh->loop + from, num * sizeof *mesh->loop);
        memcpy(mesh->face_edge + to, mesh->loop_edge + from, num * sizeof *mesh->loop);
    }
    return true;
}

/* ---- cells ---- */

/* Appends to a cell's list what of `all` is not there yet, and checks how often each stands there.
   Returns false and *bad where that is not `times`. */
static bool unique(uint32_t *list, size_t *num, const uint32_t *all, size_t count, size_t times,
                   uint32_t *bad)
{
    uint32_t seen[CLSPI_MAX_CELL_FACES * 3];

    *num = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < *num && list[at] != all[i])
            at++;
        if (at == CLSPI_MAX_CELL_FACES * 3) { /* a ball of so many faces has fewer edges */
            *bad = all[i];
            return false;
        }
        if (at == *num) {
            list[(*num)++] = all[i];
            seen[at] = 0;
        }
        seen[at]++;
    }
    for (size_t i = 0; i < *num; i++)
        if (seen[i] != times) {
            *bad = list[i];
            return false;
        }
    return true;
}

/* Lists vertices and edges of a cell. */
static clspi_mesh_status list_cell(clspi_poly_mesh *mesh, size_t c, clspi_mesh_defect *defect)
{
    const size_t side = mesh->side_begin[c], sides = mesh->side_begin[c + 1] - side;
    const size_t begin = mesh->loop_begin[side];
    const size_t count = mesh->loop_begin[side + sides] - begin;
    const size_t vertex = mesh->cell_vertex_begin[c], edge = mesh->cell_edge_begin[c];
    size_t vertices = 0, edges = 0;
    uint32_t bad = 0;

    if (!unique(mesh->cell_edge + edge, &edges, mesh->loop_edge + begin, count, 2, &bad))
        return clspi_defective(defect,
                               "the faces of cell %zu are not closed at the edge from "
                               "vertex %u to %u",
                               c, mesh->edge_vertex[2 * (size_t)bad],
                               mesh->edge_vertex[2 * (size_t)bad + 1]);
    if (!unique(mesh->cell_vertex + vertex, &vertices, mesh->loop + begin, count, 3, &bad))
        return clspi_defective(defect,
                               "cell %zu: not three of its faces meet in vertex %u, so it "
                               "is never subdivided into hexahedra",
                               c, bad);
    if (vertices + sides != edges + 2)
        return clspi_defective(defect, "the faces of cell %zu do not bound a ball", c);
    mesh->cell_vertex_begin[c + 1] = vertex + vertices;
    mesh->cell_edge_begin[c + 1] = edge + edges;
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status list_cells(clspi_poly_mesh *mesh, size_t loops, clspi_mesh_defect *defect)
{
    const size_t cells = (size_t)mesh->num_cells + 1;
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    mesh->cell_vertex_begin = calloc(cells, sizeof *mesh->cell_vertex_begin);
    mesh->cell_edge_begin = calloc(cells, sizeof *mesh->cell_edge_begin);
    mesh->cell_vertex = malloc((loops + 1) * sizeof *mesh->cell_vertex);
    mesh->cell_edge = malloc((loops + 1) * sizeof *mesh->cell_edge);
    if (!mesh->cell_vertex_begin || !mesh->cell_edge_begin || !mesh->cell_vertex ||
        !mesh->cell_edge)
        return CLSPI_MESH_NO_MEMORY;
    for (size_t c = 0; c < mesh->num_cells && status == CLSPI_MESH_SOUND; c++)
        status = list_cell(mesh, c, defect);
    return status;
}

/* ---- boundary, creases, corners ---- */

static clspi_mesh_status flag_boundary(clspi_poly_mesh *mesh, size_t sides,
                                       clspi_mesh_defect *defect)
{
    for (size_t s = 0; s < sides; s++)
        if (mesh->face_flag[mesh->side_face[s]]++ == 2)
            return clspi_defective(defect, "the face of vertices %u, %u, %u, .. has three cells",
                                   mesh->loop[mesh->loop_begin[s]],
                                   mesh->loop[mesh->loop_begin[s] + 1],
                                   mesh->loop[mesh->loop_begin[s] + 2]);
    for (size_t f = 0; f < mesh->num_faces; f++) {
        mesh->face_flag[f] = mesh->face_flag[f] == 1 ? CLSPI_BOUNDARY : 0;
        for (size_t i = mesh->face_begin[f]; i < mesh->face_begin[f + 1] && mesh->face_flag[f];
             i++) {
            mesh->edge_flag[mesh->face_edge[i]] = CLSPI_BOUNDARY;
            mesh->vertex_flag[mesh->face_vertex[i]] = CLSPI_BOUNDARY;
        }
    }
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status flag_creases(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                      clspi_mesh_defect *defect)
{
    clspi_key_map map;
    clspi_mesh_status status = clspi_key_map_make(&map) ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;

    for (size_t e = 0; e < mesh->num_edges && cells->num_creases && status == CLSPI_MESH_SOUND; e++)
        if (clspi_key_map_put(&map, clspi_edge_key(mesh->edge_vertex[2 * e],
                                                   mesh->edge_vertex[2 * e + 1])) == CLSPI_NO_KEY)
            status = CLSPI_MESH_NO_MEMORY;
    for (size_t i = 0; i < cells->num_creases && status == CLSPI_MESH_SOUND; i++) {
        const uint32_t *const end = cells->crease + 2 * i;
        const uint32_t e = clspi_key_map_find(&map, clspi_edge_key(end[0], end[1]));
        if (e == CLSPI_NO_KEY || !(mesh->edge_flag[e] & CLSPI_BOUNDARY))
            status = clspi_defective(defect,
                                     "crease %zu, from vertex %u to %u, is no edge of the "
                                     "boundary",
                                     i, end[0], end[1]);
        else
            mesh->edge_flag[e] |= CLSPI_CREASE;
    }
    clspi_key_map_release(&map);
    for (size_t i = 0; i < cells->num_corners && status == CLSPI_MESH_SOUND; i++) {
        const uint32_t v = cells->corner[i];
        if (v >= mesh->num_vertices || !(mesh->vertex_flag[v] & CLSPI_BOUNDARY))
            status =
                clspi_defective(defect, "corner %zu, vertex %u, is none of the boundary", i, v);
        else
            mesh->vertex_flag[v] |= CLSPI_CORNER;
    }
    return status;
}

/* ---- the mesh ---- */

static bool allocate(clspi_poly_mesh *mesh, const reader *r)
{
    mesh->side_begin = calloc((size_t)mesh->num_cells + 1, sizeof *mesh->side_begin);
    mesh->loop_begin = calloc(r->sides + 1, sizeof *mesh->loop_begin);
    mesh->loop = malloc((r->loops + 1) * sizeof *mesh->loop);
    mesh->loop_edge = malloc((r->loops + 1) * sizeof *mesh->loop_edge);
    mesh->side_face = malloc((r->sides + 1) * sizeof *mesh->side_face);
    return mesh->side_begin && mesh->loop_begin && mesh->loop && mesh->loop_edge && mesh->side_face;
}

static bool allocate_flags(clspi_poly_mesh *mesh)
{
    mesh->face_flag = calloc((size_t)mesh->num_faces + 1, 1);
    mesh->edge_flag = calloc((size_t)mesh->num_edges + 1, 1);
    mesh->vertex_flag = calloc((size_t)mesh->num_vertices + 1, 1);
    return mesh->face_flag && mesh->edge_flag && mesh->vertex_flag;
}

/* Finds edges, faces and cells of the sides that were read. */
static clspi_mesh_status connect(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                 clspi_mesh_defect *defect)
{
    const size_t sides = mesh->side_begin[mesh->num_cells], loops = mesh->loop_begin[sides];
    size_t *const first = malloc((sides + 1) * sizeof *first);
    clspi_mesh_status status =
        first && number_edges(mesh, sides) ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;

    if (status == CLSPI_MESH_SOUND) status = list_cells(mesh, loops, defect);
    if (status == CLSPI_MESH_SOUND) status = number_faces(mesh, sides, first, defect);
    if (status == CLSPI_MESH_SOUND && (!copy_faces(mesh, first) || !allocate_flags(mesh)))
        status = CLSPI_MESH_NO_MEMORY;
    free(first);
    if (status == CLSPI_MESH_SOUND) status = flag_boundary(mesh, sides, defect);
    if (status == CLSPI_MESH_SOUND) status = clspi_poly_check_stars(mesh, defect);
    if (status == CLSPI_MESH_SOUND) status = flag_creases(mesh, cells, defect);
    return status;
}

clspi_mesh_status clspi_poly_mesh_make(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                       clspi_mesh_defect *defect)
{
    reader r = {.cells = cells, .defect = defect};
    clspi_mesh_status status;

    *defect = (clspi_mesh_defect){0};
    *mesh = (clspi_poly_mesh){.is_hexahedral = true};
    if (cells->num_cells == 0) return clspi_defective(defect, "there are no cells");
    if (cells->num_cells > CLSPI_MAX_CELLS || cells->num_vertices > CLSPI_MAX_CELLS)
        return clspi_defective(defect, "there are more than %d cells or vertices", CLSPI_MAX_CELLS);
    mesh->num_cells = (uint32_t)cells->num_cells;
    mesh->num_vertices = (uint32_t)cells->num_vertices;
    for (size_t c = 0; c < cells->num_cells && cells->kind; c++)
        mesh->is_hexahedral &= cells->kind[c] == CLSPI_HEXAHEDRON;
    status = read_cells(&r, NULL);
    if (status == CLSPI_MESH_SOUND && !allocate(mesh, &r)) status = CLSPI_MESH_NO_MEMORY;
    if (status == CLSPI_MESH_SOUND) status = read_cells(&r, mesh);
    if (status == CLSPI_MESH_SOUND) status = connect(mesh, cells, defect);
    if (status == CLSPI_MESH_NO_MEMORY) defect->status = status;
    if (status != CLSPI_MESH_SOUND) clspi_poly_mesh_release(mesh);
    return status;
}

void clspi_poly_mesh_release(clspi_poly_mesh *mesh)
{
    free(mesh->side_begin);
    free(mesh->loop_begin);
    free(mesh->loop);
    free(mesh->loop_edge);
    free(mesh->side_face);
    free(mesh->cell_vertex_begin);
    free(mesh->cell_edge_begin);
    free(mesh->face_begin);
    free(mesh->cell_vertex);
    free(mesh->cell_edge);
    free(mesh->face_vertex);
    free(mesh->face_edge);
    free(mesh->edge_vertex);
    free(mesh->face_flag);
    free(mesh->edge_flag);
    free(mesh->vertex_flag);
    *mesh = (clspi_poly_mesh){0};
}

clspi_incidence clspi_poly_incidence(const clspi_poly_mesh *mesh)
{
    return (clspi_incidence){
        .num_vertices = mesh->num_vertices,
        .num_edges = mesh->num_edges,
        .num_faces = mesh->num_faces,
        .num_cells = mesh->num_cells,
        .cell_vertices = {mesh->cell_vertex_begin, 0, mesh->cell_vertex},
        .cell_edges = {mesh->cell_edge_begin, 0, mesh->cell_edge},
        .cell_faces = {mesh->side_begin, 0, mesh->side_face},
        .face_vertices = {mesh->face_begin, 0, mesh->face_vertex},
        .face_edges = {mesh->face_begin, 0, mesh->face_edge},
        .edge_vertex = mesh->edge_vertex,
        .face_flag = mesh->face_flag,
        .edge_flag = mesh->edge_flag,
        .vertex_flag = mesh->vertex_flag,
    };
}

/* ---- hexahedra ---- */

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

/* Writes the corners of all hexahedra. */
static void write_corners(uint32_t *corner, const clspi_poly_mesh *mesh)
{
    for (size_t c = 0; c < mesh->num_cells; c++) {
        if (!mesh->is_hexahedral) {
            for (size_t i = mesh->cell_vertex_begin[c]; i < mesh->cell_vertex_begin[c + 1]; i++)
                write_child(corner + i * CLSPI_CORNERS, mesh, c, mesh->cell_vertex[i]);
            continue;
        }
        /* VTK's corners 0, 3, 2, 1 and 4, 5, 6, 7 are the first two sides */
        static const uint8_t place[8] = {0, 2, 3, 1, 4, 5, 7, 6};
        for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
            corner[c * CLSPI_CORNERS + place[i]] = mesh->loop[c * 24 + i];
    }
}

/* Flags the creases among the edges of the hexahedra: the edges themselves, or their halves. */
static bool pass_creases(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh)
{
    clspi_key_map map;
    bool done = clspi_key_map_make(&map);
    const uint32_t middle = mesh->num_vertices;

    for (uint32_t e = 0; e < mesh->num_edges && done; e++) {
        const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)e;
        if (!(mesh->edge_flag[e] & CLSPI_CREASE)) continue;
        if (mesh->is_hexahedral)
            done = clspi_key_map_put(&map, clspi_edge_key(end[0], end[1])) != CLSPI_NO_KEY;
        for (uint32_t s = 0; s < 2 && done && !mesh->is_hexahedral; s++)
            done = clspi_key_map_put(&map, clspi_edge_key(end[s], middle + e)) != CLSPI_NO_KEY;
    }
    for (size_t e = 0; e < cells->num_edges && done && map.num; e++)
        if (clspi_key_map_find(&map, clspi_edge_key(cells->edge_vertex[2 * e],
                                                    cells->edge_vertex[2 * e + 1])) != CLSPI_NO_KEY)
            cells->edge_flag[e] |= CLSPI_CREASE;
    clspi_key_map_release(&map);
    return done;
}

bool clspi_poly_hexahedra(clspi_cell_mesh *cells, const clspi_poly_mesh *mesh)
{
    const uint64_t fine =
        (uint64_t)mesh->num_vertices + mesh->num_edges + mesh->num_faces + mesh->num_cells;
    const uint64_t vertices = mesh->is_hexahedral ? mesh->num_vertices : fine;
    const size_t num =
        mesh->is_hexahedral ? mesh->num_cells : mesh->cell_vertex_begin[mesh->num_cells];
    uint32_t *const corner = malloc(num * CLSPI_CORNERS * sizeof *corner);
    bool done = corner && vertices <= CLSPI_MAX_CELLS && num <= CLSPI_MAX_CELLS;

    *cells = (clspi_cell_mesh){0};
    if (done) {
        write_corners(corner, mesh);
        done = clspi_cell_mesh_make(cells, (uint32_t)vertices, (uint32_t)num, corner);
    }
    free(corner);
    for (size_t v = 0; v < mesh->num_vertices && done; v++)
        cells->vertex_flag[v] |= mesh->vertex_flag[v] & CLSPI_CORNER;
    done = done && pass_creases(cells, mesh) && clspi_cell_mesh_flag(cells);
    if (!done) clspi_cell_mesh_release(cells);
    return done;
}
