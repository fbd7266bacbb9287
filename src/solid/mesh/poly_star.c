#include "poly_star.h"

#include <stdlib.h>

/* The places of vertices, or edges, in cells, joined through faces. */
typedef struct places {
    const clspi_poly_mesh *mesh;
    const size_t *begin;  /* of each cell */
    const uint32_t *item; /* vertex or edge of each place */
    size_t *joined;       /* the next place towards that which stands for all joined ones */
} places;

static size_t head_of(const places *p, size_t at)
{
    while (p->joined[at] != at) {
        p->joined[at] = p->joined[p->joined[at]];
        at = p->joined[at];
    }
    return at;
}

static size_t place_in(const places *p, size_t cell, uint32_t item)
{
    size_t at = p->begin[cell];

    while (p->item[at] != item)
        at++;
    return at;
}

/* Joins what two cells on both sides of a face have of it. */
static void join(const places *p, size_t face, const uint32_t *item, size_t a, size_t b)
{
    for (size_t i = p->mesh->face_begin[face]; i < p->mesh->face_begin[face + 1]; i++) {
        const size_t one = head_of(p, place_in(p, a, item[i]));
        const size_t other = head_of(p, place_in(p, b, item[i]));
        p->joined[one > other ? one : other] = one > other ? other : one;
    }
}

/* Joins all places and looks for a vertex or edge, of `num`, that has two sets of them. Returns it,
   `num` where there is none, and num + 1 without memory. */
static size_t find_parted(places *p, const uint32_t *face_item, size_t num)
{
    const clspi_poly_mesh *const mesh = p->mesh;
    const size_t count = p->begin[mesh->num_cells];
    uint32_t *const other = malloc(((size_t)mesh->num_faces + 1) * sizeof *other);
    uint8_t *const seen = calloc(num + 1, 1);
    size_t found = num + 1;

    p->joined = malloc((count + 1) * sizeof *p->joined);
    if (other && seen && p->joined) {
        found = num;
        for (size_t i = 0; i < count; i++)
            p->joined[i] = i;
        for (size_t f = 0; f < mesh->num_faces; f++)
            other[f] = CLSPI_NO_CELL;
        for (size_t c = 0; c < mesh->num_cells; c++)
            for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1]; s++) {
                const uint32_t f = mesh->side_face[s];
                if (other[f] != CLSPI_NO_CELL) join(p, f, face_item, other[f], c);
                other[f] = (uint32_t)c;
            }
        for (size_t i = 0; i < count && found == num; i++)
            if (p->joined[i] == i && seen[p->item[i]]++) found = p->item[i];
    }
    free(other);
    free(seen);
    free(p->joined);
    return found;
}

clspi_mesh_status clspi_poly_check_vertices(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect)
{
    places p = {.mesh = mesh, .begin = mesh->cell_vertex_begin, .item = mesh->cell_vertex};
    const size_t bad = find_parted(&p, mesh->face_vertex, mesh->num_vertices);

    if (bad > mesh->num_vertices) return CLSPI_MESH_NO_MEMORY;
    return bad == mesh->num_vertices
               ? CLSPI_MESH_SOUND
               : clspi_defective(defect, "the cells at vertex %zu do not hang together by faces",
                                 bad);
}

clspi_mesh_status clspi_poly_check_edges(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect)
{
    places p = {.mesh = mesh, .begin = mesh->cell_edge_begin, .item = mesh->cell_edge};
    const size_t bad = find_parted(&p, mesh->face_edge, mesh->num_edges);

    if (bad > mesh->num_edges) return CLSPI_MESH_NO_MEMORY;
    return bad == mesh->num_edges
               ? CLSPI_MESH_SOUND
               : clspi_defective(defect,
                                 "the cells at the edge from vertex %u to %u do not hang together "
                                 "by faces",
                                 mesh->edge_vertex[2 * bad], mesh->edge_vertex[2 * bad + 1]);
}

clspi_mesh_status clspi_poly_check_spheres(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect)
{
    int64_t *const euler = calloc((size_t)mesh->num_vertices + 1, sizeof *euler);
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    if (!euler) return CLSPI_MESH_NO_MEMORY;
    for (size_t i = 0; i < mesh->cell_vertex_begin[mesh->num_cells]; i++)
        euler[mesh->cell_vertex[i]]++;
    for (size_t v = 0; v < mesh->num_vertices && status == CLSPI_MESH_SOUND; v++)
        if (euler[v] == 0) status = clspi_defective(defect, "vertex %zu belongs to no cell", v);
    for (size_t i = 0; i < mesh->face_begin[mesh->num_faces]; i++)
        euler[mesh->face_vertex[i]]--;
    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++)
        euler[mesh->edge_vertex[i]]++;
    for (size_t v = 0; v < mesh->num_vertices && status == CLSPI_MESH_SOUND; v++)
        if (euler[v] != (mesh->vertex_flag[v] & CLSPI_BOUNDARY ? 1 : 2))
            status = clspi_defective(
                defect, "the cells at vertex %zu are not as around a point of a solid", v);
    free(euler);
    return status;
}
