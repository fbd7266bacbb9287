#include "cell_slopes.h"

#include <stdlib.h>
#include <string.h>

#include "class_build.h"

/* ---- the cell itself ---- */

/* Makes the class of a cell of a mesh, which is not regular. */
static bool make_class(clspi_cell_slopes *slopes, const clspi_cell_mesh *mesh, uint32_t cell)
{
    if (!clspi_class_find(&slopes->set, mesh, cell, &slopes->use)) return false;
    slopes->num = slopes->set.entry[slopes->use.number].num_points;
    memcpy(slopes->point, slopes->set.found, slopes->num * sizeof *slopes->point);
    return clspi_class_set_build(&slopes->set, NULL);
}

bool clspi_cell_slopes_make(clspi_cell_slopes *slopes, const clspi_star_mesh *stars, uint32_t cell)
{
    return clspi_class_set_make(&slopes->set) && make_class(slopes, stars->mesh, cell);
}

void clspi_cell_slopes_release(clspi_cell_slopes *slopes)
{
    clspi_class_set_release(&slopes->set);
}

/* ---- a layer of cells below the boundary ---- */

enum { MOST_FACES = CLSPI_RING_CELLS, MOST_VERTICES = CLSPI_RING_POINTS / 2 };

/* Boundary faces around one, and their vertices. */
typedef struct face_layer {
    uint32_t num, num_vertices;
    uint32_t face[MOST_FACES];      /* 6 times the cell + its face */
    uint32_t vertex[MOST_VERTICES]; /* of the mesh */
    uint32_t corner[MOST_FACES][CLSPI_CORNERS];
} face_layer;

static bool add_face(face_layer *layer, uint32_t face)
{
    for (uint32_t i = 0; i < layer->num; i++)
        if (layer->face[i] == face) return true;
    if (layer->num == MOST_FACES) return false;
    layer->face[layer->num++] = face;
    return true;
}

/* Adds the boundary faces at a vertex. */
static bool add_faces_at(face_layer *layer, const clspi_star_mesh *stars, uint32_t vertex)
{
    for (uint32_t i = stars->begin[vertex]; i < stars->begin[vertex + 1]; i++)
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t corner = stars->corners[i];
            const uint32_t face =
                CLSPI_CELL_FACES * (corner / CLSPI_CORNERS) + 2 * a + (corner >> a & 1);
            if (stars->mesh->across[face] == CLSPI_NO_CELL && !add_face(layer, face)) return false;
        }
    return true;
}

/* Returns the layer's number of a vertex, a new one where it is new; as many as there is room for
   where there is none. */
static uint32_t number_vertex(face_layer *layer, uint32_t vertex)
{
    uint32_t i = 0;

    while (i < layer->num_vertices && layer->vertex[i] != vertex)
        i++;
    if (i == layer->num_vertices && i < MOST_VERTICES)
        layer->vertex[layer->num_vertices++] = vertex;
    return i;
}

/* Tells whether a corner of a cell is on its face. */
static bool is_on(uint32_t face, uint32_t corner)
{
    return (corner >> face / 2 & 1) == (face & 1);
}

/* Finds the faces around one and their vertices, and writes the corners of the cells below them:
   those on the boundary, and as many below, behind all of these. */
static bool find_layer(face_layer *layer, const clspi_star_mesh *stars, uint32_t cell,
                       uint32_t face)
{
    const clspi_cell_mesh *const mesh = stars->mesh;
    const uint32_t *const vertex = mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;

    if (!add_face(layer, CLSPI_CELL_FACES * cell + face)) return false;
    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        if (is_on(face, i) && !add_faces_at(layer, stars, vertex[i])) return false;
    for (uint32_t f = 0; f < layer->num; f++)
        for (uint32_t i = 0; i < CLSPI_CORNERS; i++) {
            const uint32_t k = layer->face[f] % CLSPI_CELL_FACES, bit = 1u << k / 2;
            const uint32_t on = is_on(k, i) ? i : i ^ bit;
            const size_t at = (size_t)(layer->face[f] / CLSPI_CELL_FACES) * CLSPI_CORNERS + on;
            layer->corner[f][i] = number_vertex(layer, mesh->cell_vertex[at]);
            if (layer->corner[f][i] == MOST_VERTICES) return false;
        }
    for (uint32_t f = 0; f < layer->num; f++)
        for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
            if (!is_on(layer->face[f] % CLSPI_CELL_FACES, i))
                layer->corner[f][i] += layer->num_vertices;
    return true;
}

/* Makes the layer's mesh, with the creases and corners of the boundary. */
static bool make_layer(clspi_cell_mesh *made, const face_layer *layer, const clspi_cell_mesh *mesh)
{
    if (!clspi_cell_mesh_make(made, 2 * layer->num_vertices, layer->num, layer->corner[0], NULL))
        return false;
    for (uint32_t f = 0; f < layer->num; f++) {
        const uint32_t k = layer->face[f] % CLSPI_CELL_FACES;
        const size_t cell = layer->face[f] / CLSPI_CELL_FACES;
        for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
            const uint32_t edge = mesh->cell_edge[cell * CLSPI_CELL_EDGES + e];
            if (e / 4 != k / 2 && is_on(k, clspi_edge_corner(e)))
                made->edge_flag[made->cell_edge[(size_t)f * CLSPI_CELL_EDGES + e]] |=
                    mesh->edge_flag[edge] & CLSPI_CREASE;
        }
    }
    for (uint32_t v = 0; v < layer->num_vertices; v++)
        made->vertex_flag[v] |= mesh->vertex_flag[layer->vertex[v]] & CLSPI_CORNER;
    return clspi_cell_mesh_flag(made);
}

/* Takes the points of a regular cell of a layer: of each column across its face that on the
   boundary, whose weight is that of the column on the face. */
static void take_grid(clspi_cell_slopes *slopes, const clspi_cell_mesh *mesh, uint32_t face)
{
    static const uint32_t stride_of[3] = {16, 4, 1};
    const uint32_t stride = stride_of[face / 2], level = face & 1 ? 2 : 1;
    uint32_t grid[CLSPI_GRID_POINTS];

    slopes->use = (clspi_class_use){CLSPI_REGULAR, 0};
    slopes->num = CLSPI_GRID_POINTS;
    clspi_regular_grid(mesh, 0, grid);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        slopes->point[i] = grid[i - i / stride % 4 * stride + level * stride];
}

bool clspi_face_slopes_make(clspi_cell_slopes *slopes, const clspi_star_mesh *stars, uint32_t cell,
                            uint32_t face)
{
    face_layer *const layer = calloc(1, sizeof *layer);
    clspi_cell_mesh mesh = {0};
    bool done = layer && clspi_class_set_make(&slopes->set);

    if (done && !find_layer(layer, stars, cell, face)) {
        slopes->set.too_large = true;
        done = false;
    }
    done = done && make_layer(&mesh, layer, stars->mesh);
    if (done && clspi_cell_is_regular(&mesh, 0))
        take_grid(slopes, &mesh, face);
    else
        done = done && make_class(slopes, &mesh, 0);
    for (uint32_t i = 0; i < slopes->num && done; i++)
        slopes->point[i] = slopes->point[i] < layer->num_vertices ? layer->vertex[slopes->point[i]]
                                                                  : CLSPI_NO_CELL;
    clspi_cell_mesh_release(&mesh);
    free(layer);
    return done;
}

/* ---- sums ---- */

void clspi_cell_slopes_sum(clspi_cell_slopes *slopes, const clspi_star_mesh *stars,
                           const double t[3], const uint8_t by[3], double *sum)
{
    const uint32_t dim = stars->dim;
    const double *base = NULL;

    if (slopes->use.number == CLSPI_REGULAR)
        clspi_regular_weights(t, by, slopes->row);
    else
        clspi_use_weights(&slopes->set, &slopes->use, t, by, slopes->row);
    memset(sum, 0, dim * sizeof *sum);
    for (uint32_t i = 0; i < slopes->num; i++) {
        if (slopes->point[i] == CLSPI_NO_CELL) continue;
        const double *const point = stars->control + (size_t)slopes->point[i] * dim;
        if (!base) base = point;
        for (uint32_t c = 0; c < dim; c++)
            sum[c] += slopes->row[i] * (point[c] - base[c]);
    }
}
