#include "class_build.h"

#include <stdlib.h>
#include <string.h>

#include "subdivide.h"

/* ---- children ---- */

/* A ring as a mesh of its own, and the mesh and points of its next step. */
typedef struct local_meshes {
    clspi_cell_mesh mesh, fine;
    double *points; /* of fine: [vertices][num_points of the class] */
} local_meshes;

/* Makes a mesh of a signature. The outer faces of the ring are faces of its boundary only where the
   signature says so; what their rules give does not touch the cell's children. */
static bool make_local(clspi_cell_mesh *mesh, const uint16_t *signature)
{
    const uint32_t cells = signature[0];
    uint32_t *const corner = malloc((size_t)cells * CLSPI_CORNERS * sizeof *corner);
    bool done = corner;

    for (size_t i = 0; i < (size_t)cells * CLSPI_CORNERS && done; i++)
        corner[i] = signature[3 + i / CLSPI_CORNERS * CLSPI_RING_CELL_WORDS + i % CLSPI_CORNERS];
    done = done && clspi_cell_mesh_make(mesh, signature[1], cells, corner, NULL);
    free(corner);
    for (size_t c = 0; c < cells && done; c++) {
        const uint16_t *const words = signature + 3 + c * CLSPI_RING_CELL_WORDS + CLSPI_CORNERS;
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++)
            if (!(words[0] >> k & 1))
                mesh->face_flag[mesh->cell_face[c * CLSPI_CELL_FACES + k]] = 0;
        for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++)
            if (words[1] >> e & 1)
                mesh->edge_flag[mesh->cell_edge[c * CLSPI_CELL_EDGES + e]] |= CLSPI_CREASE;
    }
    for (uint32_t i = 0; i < CLSPI_CORNERS && done; i++)
        if (signature[2] >> i & 1) mesh->vertex_flag[i] |= CLSPI_CORNER;
    return done && clspi_cell_mesh_flag(mesh);
}

static void release_local(local_meshes *local)
{
    clspi_cell_mesh_release(&local->mesh);
    clspi_cell_mesh_release(&local->fine);
    free(local->points);
}

/* Makes the meshes of a class, and by one step of the identity the new points as sums of its own.
 */
static bool make_meshes(local_meshes *local, const clspi_cell_class *of)
{
    const size_t n = of->num_points;
    double *identity = NULL;
    bool done = make_local(&local->mesh, of->signature) &&
                clspi_cell_mesh_refine(&local->fine, &local->mesh, NULL);

    if (done) {
        const clspi_incidence incidence = clspi_incidence_of(&local->mesh);
        identity = calloc(n * n, sizeof *identity);
        local->points = malloc(n * local->fine.num_vertices * sizeof *local->points);
        for (size_t i = 0; i < n && identity; i++)
            identity[i * n + i] = 1.0;
        done = identity && local->points &&
               clspi_subdivide(local->points, identity, (uint32_t)n, &incidence, CLSPI_RULE_TENSOR);
    }
    free(identity);
    return done;
}

/* Keeps what of the dense rows of a child is not 0. */
static bool keep_rows(clspi_class_child *child, const double *rows, uint32_t num_rows,
                      uint32_t columns)
{
    const size_t total = (size_t)num_rows * columns;
    uint32_t num = 0;

    for (size_t i = 0; i < total; i++)
        num += rows[i] != 0.0;
    child->rows = num_rows;
    child->begin = malloc(((size_t)num_rows + 1) * sizeof *child->begin);
    child->column = malloc(((size_t)num + 1) * sizeof *child->column);
    child->weight = malloc(((size_t)num + 1) * sizeof *child->weight);
    if (!child->begin || !child->column || !child->weight) return false;
    num = 0;
    for (size_t i = 0; i < total; i++) {
        if (i % columns == 0) child->begin[i / columns] = num;
        if (rows[i] == 0.0) continue;
        child->column[num] = (uint16_t)(i % columns);
        child->weight[num++] = rows[i];
    }
    child->begin[num_rows] = num;
    return true;
}

/* Writes the rows of a regular child's grid. Beyond the boundary the points are continued: the
   uniform B-spline's rules over these are the boundary's over those that there are. */
static void grid_rows(double *rows, const clspi_cell_mesh *fine, const double *points, uint32_t n,
                      uint32_t cell)
{
    static const uint8_t stride[3] = {16, 4, 1};
    uint32_t grid[CLSPI_GRID_POINTS];

    clspi_regular_grid(fine, cell, grid);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        if (grid[i] != CLSPI_NO_CELL)
            memcpy(rows + (size_t)i * n, points + (size_t)grid[i] * n, n * sizeof *rows);
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
            const uint32_t s = stride[a], at = i / s % 4;
            const bool low = at == 0 && grid[i] == CLSPI_NO_CELL && grid[i + s] != CLSPI_NO_CELL;
            const bool high = at == 3 && grid[i] == CLSPI_NO_CELL && grid[i - s] != CLSPI_NO_CELL;
            const size_t one = low ? i + s : i - s, two = low ? i + 2 * s : i - 2 * s;
            if (!low && !high) continue;
            for (uint32_t k = 0; k < n; k++)
                rows[(size_t)i * n + k] = 2.0 * rows[one * n + k] - rows[two * n + k];
            grid[i] = 0; /* there is one now */
        }
}

/* Finds a child's class and its rows. */
static bool build_child(clspi_class_set *set, uint32_t number, const local_meshes *local,
                        uint32_t j)
{
    const uint32_t n = set->entry[number].num_points;
    clspi_class_child child = {.next = CLSPI_REGULAR};
    clspi_class_use use = {CLSPI_REGULAR, 0};
    const bool regular = clspi_cell_is_regular(&local->fine, j);
    uint32_t num_rows = CLSPI_GRID_POINTS;
    double *rows;
    bool done;

    if (!regular) {
        if (!clspi_class_find(set, &local->fine, j, &use)) return false;
        num_rows = set->ring->num_points;
    }
    rows = malloc((size_t)num_rows * n * sizeof *rows);
    if (!rows) return false;
    if (regular)
        grid_rows(rows, &local->fine, local->points, n, j);
    else
        for (uint32_t i = 0; i < num_rows; i++)
            memcpy(rows + (size_t)i * n, local->points + (size_t)set->found[i] * n,
                   n * sizeof *rows);
    child.next = use.number;
    child.frame = use.frame;
    done = keep_rows(&child, rows, num_rows, n);
    set->entry[number].child[j] = child;
    free(rows);
    return done;
}

/* ---- kinds ---- */

/* Counts the irregular edges of the first cell along an axis. */
static uint32_t count_irregular(const clspi_cell_mesh *mesh, uint32_t axis)
{
    uint32_t num = 0;

    for (uint32_t r = 0; r < 4; r++)
        num += !!(mesh->edge_flag[mesh->cell_edge[4 * axis + r]] & CLSPI_IRREGULAR);
    return num;
}

static clspi_cell_kind kind_of(const clspi_class_set *set, const clspi_cell_class *of)
{
    uint32_t irregular = CLSPI_CORNERS;

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const uint32_t next = of->child[j].next;
        if (next == CLSPI_REGULAR || set->entry[next].axis != CLSPI_NO_AXIS) continue;
        if (irregular != CLSPI_CORNERS) return CLSPI_KIND_SPLIT;
        irregular = j;
    }
    if (irregular == CLSPI_CORNERS) return CLSPI_KIND_SPLIT;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const uint32_t off = j ^ irregular;
        if (of->child[j].next != CLSPI_REGULAR && off & (off - 1)) return CLSPI_KIND_SPLIT;
    }
    return CLSPI_KIND_IRREGULAR;
}

/* Finds kinds of the classes from `first` on; layered ones are known. */
static void find_kinds(clspi_class_set *set, uint32_t first)
{
    for (uint32_t n = first; n < set->num; n++)
        if (set->entry[n].axis == CLSPI_NO_AXIS) set->entry[n].kind = kind_of(set, &set->entry[n]);
}

bool clspi_class_set_build(clspi_class_set *set)
{
    const uint32_t first = set->num_built;
    bool done = true;

    for (; set->num_built < set->num && done; set->num_built += done) {
        local_meshes local = {0};
        done = make_meshes(&local, &set->entry[set->num_built]);
        for (uint32_t j = 0; j < CLSPI_CORNERS && done; j++)
            done = build_child(set, set->num_built, &local, j);
        release_local(&local);
    }
    for (uint32_t n = first; n < set->num && done; n++) {
        clspi_cell_mesh mesh = {0};
        done = make_local(&mesh, set->entry[n].signature) && clspi_class_find_slices(set, n, &mesh);
        if (done && set->entry[n].axis != CLSPI_NO_AXIS)
            set->entry[n].kind = count_irregular(&mesh, set->entry[n].axis) == 1
                                     ? CLSPI_KIND_LAYERED
                                     : CLSPI_KIND_SPLIT;
        clspi_cell_mesh_release(&mesh);
    }
    if (done) find_kinds(set, first);
    return done;
}
