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

/* A class whose children are being found. place: of a child that is not regular, the points of the
   fine mesh that are its rows. */
typedef struct class_work {
    uint32_t number;
    local_meshes local;
    uint32_t *place[CLSPI_CORNERS];
    bool done;
} class_work;

/* Classes that are worked on together. */
typedef struct class_batch {
    clspi_class_set *set;
    class_work *work;
} class_batch;

/* Finds the class of a child and which points its rows are. */
static bool find_child(clspi_class_set *set, class_work *w, uint32_t j)
{
    clspi_class_use use = {CLSPI_REGULAR, 0};
    uint32_t rows = CLSPI_GRID_POINTS;

    if (!clspi_cell_is_regular(&w->local.fine, j)) {
        if (!clspi_class_find(set, &w->local.fine, j, &use)) return false;
        rows = set->ring->num_points;
        w->place[j] = malloc(rows * sizeof *w->place[j]);
        if (!w->place[j]) return false;
        memcpy(w->place[j], set->found, rows * sizeof *w->place[j]);
    }
    set->entry[w->number].child[j] =
        (clspi_class_child){.next = use.number, .frame = use.frame, .rows = rows};
    return true;
}

/* Points of the fine mesh that are rows of a regular child's grid, or what continues it. */
typedef struct grid_rows {
    const double *row[CLSPI_GRID_POINTS];
    double *continued; /* [points beyond the boundary][columns] */
} grid_rows;

/* Finds the rows of a regular child's grid. Beyond the boundary the points are continued: the
   uniform B-spline's rules over these are the boundary's over those that there are. */
static bool find_grid_rows(grid_rows *g, const local_meshes *local, uint32_t n, uint32_t cell)
{
    static const uint8_t stride[3] = {16, 4, 1};
    uint32_t grid[CLSPI_GRID_POINTS], num = 0;

    clspi_regular_grid(&local->fine, cell, grid);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        num += grid[i] == CLSPI_NO_CELL;
        g->row[i] = grid[i] == CLSPI_NO_CELL ? NULL : local->points + (size_t)grid[i] * n;
    }
    g->continued = malloc(((size_t)num * n + 1) * sizeof *g->continued);
    if (!g->continued) return false;
    num = 0;
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
            const uint32_t s = stride[a], at = i / s % 4;
            const bool low = at == 0 && !g->row[i] && g->row[i + s];
            const bool high = at == 3 && !g->row[i] && g->row[i - s];
            const size_t one = low ? i + s : i - s, two = low ? i + 2 * s : i - 2 * s;
            if (!low && !high) continue;
            double *const to = g->continued + (size_t)num++ * n;
            for (uint32_t k = 0; k < n; k++)
                to[k] = 2.0 * g->row[one][k] - g->row[two][k];
            g->row[i] = to; /* there is one now */
        }
    return true;
}

/* What of rows is not 0, on its way to a child. */
typedef struct sparse_rows {
    uint16_t *column;
    double *weight;
} sparse_rows;

/* Appends what of a row is not 0. Returns how many there are then. */
static uint32_t keep_row(const sparse_rows *to, uint32_t num, const double *row, uint32_t columns)
{
    for (uint32_t k = 0; k < columns; k++) {
        if (row[k] == 0.0) continue;
        to->column[num] = (uint16_t)k;
        to->weight[num++] = row[k];
    }
    return num;
}

/* Gives a child its rows. sparse: memory for all of them. */
static bool keep_rows(clspi_class_child *child, const class_work *w, uint32_t j, uint32_t columns,
                      const sparse_rows *sparse)
{
    const uint32_t *const place = w->place[j];
    grid_rows g = {.continued = NULL};
    uint32_t num = 0;

    if (!place && !find_grid_rows(&g, &w->local, columns, j)) return false;
    child->begin = malloc(((size_t)child->rows + 1) * sizeof *child->begin);
    for (uint32_t i = 0; i < child->rows && child->begin; i++) {
        child->begin[i] = num;
        num = keep_row(sparse, num, place ? w->local.points + (size_t)place[i] * columns : g.row[i],
                       columns);
    }
    free(g.continued);
    child->column = malloc(((size_t)num + 1) * sizeof *child->column);
    child->weight = malloc(((size_t)num + 1) * sizeof *child->weight);
    if (!child->begin || !child->column || !child->weight) return false;
    child->begin[child->rows] = num;
    memcpy(child->column, sparse->column, num * sizeof *child->column);
    memcpy(child->weight, sparse->weight, num * sizeof *child->weight);
    return true;
}

static void make_piece(void *user, size_t piece)
{
    const class_batch *const b = user;
    class_work *const w = &b->work[piece];

    w->done = make_meshes(&w->local, &b->set->entry[w->number]);
}

static void keep_piece(void *user, size_t piece)
{
    const class_batch *const b = user;
    class_work *const w = &b->work[piece];
    clspi_cell_class *const of = &b->set->entry[w->number];
    size_t rows = 0;

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        rows = of->child[j].rows > rows ? of->child[j].rows : rows;
    const size_t most = rows * of->num_points + 1;
    const sparse_rows sparse = {malloc(most * sizeof *sparse.column),
                                malloc(most * sizeof *sparse.weight)};
    w->done = sparse.column && sparse.weight;
    for (uint32_t j = 0; j < CLSPI_CORNERS && w->done; j++)
        w->done = keep_rows(&of->child[j], w, j, of->num_points, &sparse);
    free(sparse.column);
    free(sparse.weight);
}

/* Tells whether all of a batch is done so far. */
static bool is_done(const class_batch *b, size_t num)
{
    bool done = true;

    for (size_t i = 0; i < num; i++)
        done = done && b->work[i].done;
    return done;
}

/* Builds so many classes from the first one on that has no children yet: meshes and rows by all
   threads, while the classes of children are found in their order. */
static bool build_batch(clspi_class_set *set, uint32_t num, const clspi_parallel *threads)
{
    class_batch b = {set, calloc(num, sizeof *b.work)};

    if (!b.work) return false;
    for (uint32_t i = 0; i < num; i++)
        b.work[i].number = set->num_built + i;
    clspi_in_parallel(threads, num, make_piece, &b);
    bool done = is_done(&b, num);
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t j = 0; j < CLSPI_CORNERS && done; j++)
            done = find_child(set, &b.work[i], j);
    if (done) clspi_in_parallel(threads, num, keep_piece, &b);
    done = done && is_done(&b, num);
    for (uint32_t i = 0; i < num; i++) {
        release_local(&b.work[i].local);
        for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
            free(b.work[i].place[j]);
    }
    free(b.work);
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

/* Finds the slices of a class, and whether they make it layered. */
static bool find_layers(clspi_class_set *set, uint32_t number)
{
    clspi_cell_mesh mesh = {0};
    const bool done = make_local(&mesh, set->entry[number].signature) &&
                      clspi_class_find_slices(set, number, &mesh);

    if (done && set->entry[number].axis != CLSPI_NO_AXIS)
        set->entry[number].kind = count_irregular(&mesh, set->entry[number].axis) == 1
                                      ? CLSPI_KIND_LAYERED
                                      : CLSPI_KIND_SPLIT;
    clspi_cell_mesh_release(&mesh);
    return done;
}

bool clspi_class_set_build(clspi_class_set *set, const clspi_parallel *threads)
{
    enum { BATCH = 32 };
    const uint32_t first = set->num_built;
    bool done = true;

    while (set->num_built < set->num && done) {
        const uint32_t left = set->num - set->num_built, num = left < BATCH ? left : BATCH;
        done = build_batch(set, num, threads);
        if (done) set->num_built += num;
    }
    for (uint32_t n = first; n < set->num && done; n++)
        done = find_layers(set, n);
    if (done) find_kinds(set, first);
    return done;
}
