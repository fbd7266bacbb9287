#include "cell_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subdivide.h"

/* ---- the set ---- */

bool clspi_class_set_make(clspi_class_set *set)
{
    bool done;

    *set = (clspi_class_set){0};
    done = clspi_key_map_make(&set->uses);
    set->ring = calloc(1, sizeof *set->ring);
    set->least = malloc(CLSPI_RING_WORDS * sizeof *set->least);
    set->found = malloc(CLSPI_RING_POINTS * sizeof *set->found);
    for (uint32_t i = 0; i < 2; i++) {
        set->scratch[i] = malloc(CLSPI_RING_POINTS * sizeof *set->scratch[i]);
        done = done && set->scratch[i];
    }
    done = done && set->ring && set->least && set->found;
    if (!done) clspi_class_set_release(set);
    return done;
}

void clspi_class_set_release(clspi_class_set *set)
{
    for (uint32_t n = 0; n < set->num; n++) {
        for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
            free(set->entry[n].child[j].begin);
            free(set->entry[n].child[j].column);
            free(set->entry[n].child[j].weight);
        }
        free(set->entry[n].signature);
        free(set->entry[n].slice);
    }
    free(set->entry);
    for (uint32_t i = 0; i < set->uses.num && set->order; i++)
        free(set->order[i]);
    clspi_key_map_release(&set->uses);
    free(set->use);
    free(set->order);
    free(set->found);
    free(set->ring);
    free(set->least);
    free(set->scratch[0]);
    free(set->scratch[1]);
    *set = (clspi_class_set){0};
}

/* ---- finding a class ---- */

/* Compares signatures, in any order that is the same for all. */
static int compare(const uint16_t *a, const uint16_t *b)
{
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : memcmp(a, b, clspi_ring_words(a) * sizeof *a);
}

static bool walk(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame)
{
    const bool fits = clspi_ring_walk(set->ring, mesh, cell, frame);

    set->too_large |= !fits;
    return fits;
}

/* Finds the frame in which a cell's signature is the least, which set->least becomes. */
static bool find_least(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                       uint32_t *frame)
{
    for (uint32_t f = 0; f < CLSPI_FRAMES; f++) {
        if (!walk(set, mesh, cell, f)) return false;
        if (f > 0 && compare(set->ring->signature, set->least) >= 0) continue;
        memcpy(set->least, set->ring->signature,
               clspi_ring_words(set->ring->signature) * sizeof *set->least);
        *frame = f;
    }
    return true;
}

/* Returns the number of the class whose signature is set->least, or CLSPI_REGULAR without
   memory. */
static uint32_t put_class(clspi_class_set *set)
{
    const size_t bytes = clspi_ring_words(set->least) * sizeof *set->least;
    clspi_cell_class *entry;

    for (uint32_t n = 0; n < set->num; n++)
        if (compare(set->entry[n].signature, set->least) == 0) return n;
    if (set->num == set->room) {
        entry = realloc(set->entry, ((size_t)set->room * 2 + 16) * sizeof *entry);
        if (!entry) return CLSPI_REGULAR;
        set->entry = entry;
        set->room = set->room * 2 + 16;
    }
    entry = &set->entry[set->num];
    *entry = (clspi_cell_class){.num_points = set->least[1], .axis = CLSPI_NO_AXIS};
    entry->signature = malloc(bytes);
    if (!entry->signature) return CLSPI_REGULAR;
    memcpy(entry->signature, set->least, bytes);
    return set->num++;
}

/* Makes room for one more use. */
static bool reserve_use(clspi_class_set *set)
{
    const uint32_t room = set->use_room * 2 + 64;
    clspi_class_use *use;
    uint16_t **order;

    if (set->uses.num < set->use_room) return true;
    use = realloc(set->use, room * sizeof *use);
    if (!use) return false;
    set->use = use;
    order = realloc(set->order, room * sizeof *order);
    if (!order) return false;
    set->order = order;
    set->use_room = room;
    return true;
}

/* Finds where the points of a class are in the ring of a cell as it is met. */
static uint16_t *find_order(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                            uint32_t frame)
{
    uint16_t *order;
    uint32_t num;

    if (!walk(set, mesh, cell, frame)) return NULL;
    num = set->ring->num_points;
    memcpy(set->found, set->ring->point, num * sizeof *set->found);
    order = malloc(num * sizeof *order);
    if (!order || !walk(set, mesh, cell, 0)) {
        free(order);
        return NULL;
    }
    for (uint32_t i = 0; i < num; i++) {
        order[i] = 0;
        while (set->ring->point[order[i]] != set->found[i])
            order[i]++;
    }
    return order;
}

/* Finds the class of a ring that is new, and remembers it. Returns its number among the uses, or
   CLSPI_NO_KEY. */
static uint32_t put_use(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                        clspi_key key)
{
    clspi_class_use use = {CLSPI_REGULAR, 0};
    uint16_t *order;
    uint32_t at;

    if (!find_least(set, mesh, cell, &use.frame) || !reserve_use(set)) return CLSPI_NO_KEY;
    use.number = put_class(set);
    order = use.number != CLSPI_REGULAR ? find_order(set, mesh, cell, use.frame) : NULL;
    at = order ? clspi_key_map_put(&set->uses, key) : CLSPI_NO_KEY;
    if (at == CLSPI_NO_KEY) {
        free(order);
        return at;
    }
    set->use[at] = use;
    set->order[at] = order;
    return at;
}

uint32_t clspi_class_find_use(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                              clspi_key key)
{
    const uint32_t at = clspi_key_map_find(&set->uses, key);

    return at == CLSPI_NO_KEY ? put_use(set, mesh, cell, key) : at;
}

/* Finds the class of a cell that is not regular, a new one where it is new; set->found then has the
   cell's control points in the order of the class. False: no memory, or set->too_large. */
static bool find_class(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                       clspi_class_use *use)
{
    uint32_t at;

    if (!walk(set, mesh, cell, 0)) return false;
    at = clspi_class_find_use(set, mesh, cell, clspi_ring_key(set->ring));
    if (at == CLSPI_NO_KEY) return false;
    *use = set->use[at];
    for (uint32_t i = 0; i < set->ring->num_points; i++)
        set->found[i] = set->ring->point[set->order[at][i]];
    return true;
}

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
    done = done && clspi_cell_mesh_make(mesh, signature[1], cells, corner);
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
        if (!find_class(set, &local->fine, j, &use)) return false;
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

/* ---- slices ---- */

/* Columns of points along an axis. */
typedef struct columns {
    const clspi_cell_mesh *mesh;
    uint32_t axis, num;
    uint16_t *place; /* [4][num_points]: the points of each layer, by that of layer 1 */
    uint8_t *seen;   /* [cells] */
} columns;

/* Notes that a column has a point in a layer; false where it has another one. */
static bool note(columns *col, uint32_t layer, uint32_t base, uint32_t point)
{
    uint16_t *const place = col->place + (size_t)layer * col->mesh->num_vertices + base;

    if (*place != CLSPI_NO_POINT && *place != point) return false;
    col->num += layer == 1 && *place == CLSPI_NO_POINT;
    *place = (uint16_t)point;
    return true;
}

/* Notes the points of a cell of the middle layer and of those below and above. */
static bool note_cell(columns *col, uint32_t cell)
{
    const clspi_cell_mesh *const m = col->mesh;
    const uint32_t a = col->axis;
    const uint32_t *const mine = m->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    bool fits = true;

    for (uint32_t i = 0; i < CLSPI_CORNERS && fits; i++)
        if (!(i >> a & 1))
            fits = note(col, 1, mine[i], mine[i]) && note(col, 2, mine[i], mine[i | 1u << a]);
    for (uint32_t s = 0; s < 2 && fits; s++) {
        const size_t face = (size_t)cell * CLSPI_CELL_FACES + 2 * a + s;
        const uint32_t next = m->across[face];
        if (next == CLSPI_NO_CELL) continue;
        for (uint32_t i = 0; i < CLSPI_CORNERS && fits; i++)
            if (!(i >> a & 1)) {
                const uint32_t far = clspi_frame_corner(m->frame[face], s ? i | 1u << a : i);
                fits =
                    note(col, 3 * s, mine[i], m->cell_vertex[(size_t)next * CLSPI_CORNERS + far]);
            }
    }
    return fits;
}

/* Goes through the cells of the middle layer. */
static bool note_layer(columns *col)
{
    const clspi_cell_mesh *const m = col->mesh;
    uint32_t queue[CLSPI_RING_CELLS], num = 1;
    bool fits = true;

    queue[0] = 0;
    col->seen[0] = 1;
    for (uint32_t i = 0; i < num && fits; i++) {
        fits = note_cell(col, queue[i]);
        for (uint32_t k = 0; k < CLSPI_CELL_FACES && fits; k++) {
            const size_t face = (size_t)queue[i] * CLSPI_CELL_FACES + k;
            const uint32_t next = m->across[face];
            if (k / 2 == col->axis || next == CLSPI_NO_CELL) continue;
            fits = clspi_frame_axis(m->frame[face], col->axis) == col->axis &&
                   !clspi_frame_flips(m->frame[face], col->axis);
            if (fits && !col->seen[next]) {
                col->seen[next] = 1;
                queue[num++] = next;
            }
        }
    }
    return fits;
}

/* Copies columns that are complete to a class: all have the same layers, and all points. */
static bool keep_slices(clspi_cell_class *of, const columns *col)
{
    const uint32_t points = of->num_points;
    uint32_t total = 0, at = 0;

    of->slice = malloc(4 * (size_t)col->num * sizeof *of->slice);
    if (!of->slice) return false;
    of->num_slice = col->num;
    for (uint32_t p = 0; p < points; p++) {
        if (col->place[points + p] == CLSPI_NO_POINT) continue;
        for (uint32_t l = 0; l < 4; l++) {
            of->slice[(size_t)l * col->num + at] = col->place[(size_t)l * points + p];
            total += col->place[(size_t)l * points + p] != CLSPI_NO_POINT;
        }
        at++;
    }
    of->axis = col->axis;
    for (uint32_t l = 0; l < 4; l += 3)
        for (uint32_t k = 1; k < col->num; k++)
            if ((of->slice[(size_t)l * col->num + k] == CLSPI_NO_POINT) !=
                (of->slice[(size_t)l * col->num] == CLSPI_NO_POINT))
                of->axis = CLSPI_NO_AXIS;
    if (total != points) of->axis = CLSPI_NO_AXIS;
    return true;
}

/* Tells whether weights are products of those of the slices and of B-splines along the axis. */
static bool is_product(const clspi_class_set *set, uint32_t number, double *row)
{
    static const double at[3][3] = {{0.3, 0.85, 0.6}, {0.9, 0.2, 0.05}, {0.015, 0.03, 0.77}};
    static const uint8_t by[3] = {0, 0, 0};
    const clspi_cell_class *const of = &set->entry[number];
    const size_t n = of->num_slice;
    double off = 0.0;

    for (uint32_t i = 0; i < 3; i++) {
        double span[4];
        clspi_class_weights(set, number, at[i], by, row);
        clspi_span_weights(at[i][of->axis], 0, span);
        if (of->slice[0] == CLSPI_NO_POINT) {
            span[1] += 2.0 * span[0];
            span[2] -= span[0];
        }
        if (of->slice[3 * n] == CLSPI_NO_POINT) {
            span[2] += 2.0 * span[3];
            span[1] -= span[3];
        }
        for (size_t k = 0; k < n; k++) {
            double sum = 0.0;
            for (uint32_t l = 0; l < 4; l++)
                if (of->slice[l * n + k] != CLSPI_NO_POINT) sum += row[of->slice[l * n + k]];
            for (uint32_t l = 0; l < 4; l++)
                if (of->slice[l * n + k] != CLSPI_NO_POINT)
                    off = fmax(off, fabs(row[of->slice[l * n + k]] - sum * span[l]));
        }
    }
    return off < 1e-12;
}

/* Looks for an axis along which the slices of a class are alike: by its points, and then by its
   weights, which ask whatever creases and corners there are. */
static bool find_slices(clspi_class_set *set, uint32_t number, const clspi_cell_mesh *mesh)
{
    const size_t points = mesh->num_vertices;
    clspi_cell_class *const of = &set->entry[number];
    double *const row = malloc(points * sizeof *row);
    columns col = {.mesh = mesh,
                   .place = malloc(4 * points * sizeof *col.place),
                   .seen = malloc(mesh->num_cells)};
    bool done = row && col.place && col.seen;

    for (uint32_t a = 0; a < 3 && done && of->axis == CLSPI_NO_AXIS; a++) {
        free(of->slice);
        of->slice = NULL;
        col.axis = a;
        col.num = 0;
        memset(col.place, 0xff, 4 * points * sizeof *col.place);
        memset(col.seen, 0, mesh->num_cells);
        if (!note_layer(&col)) continue;
        done = keep_slices(of, &col);
        if (done && of->axis == a && !is_product(set, number, row)) of->axis = CLSPI_NO_AXIS;
    }
    free(row);
    free(col.place);
    free(col.seen);
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
        done = make_local(&mesh, set->entry[n].signature) && find_slices(set, n, &mesh);
        if (done && set->entry[n].axis != CLSPI_NO_AXIS)
            set->entry[n].kind = count_irregular(&mesh, set->entry[n].axis) == 1
                                     ? CLSPI_KIND_LAYERED
                                     : CLSPI_KIND_SPLIT;
        clspi_cell_mesh_release(&mesh);
    }
    if (done) find_kinds(set, first);
    return done;
}

/* ---- weights ---- */

void clspi_span_weights(double t, uint32_t by, double weight[4])
{
    const double s = 1.0 - t;

    if (by == 0) {
        weight[0] = s * s * s / 6.0;
        weight[1] = ((3.0 * t - 6.0) * t * t + 4.0) / 6.0;
        weight[2] = ((3.0 * s - 6.0) * s * s + 4.0) / 6.0;
        weight[3] = t * t * t / 6.0;
    } else if (by == 1) {
        weight[0] = -0.5 * s * s;
        weight[1] = (1.5 * t - 2.0) * t;
        weight[2] = (2.0 - 1.5 * s) * s;
        weight[3] = 0.5 * t * t;
    } else {
        weight[0] = s;
        weight[1] = 3.0 * t - 2.0;
        weight[2] = 3.0 * s - 2.0;
        weight[3] = t;
    }
}

void clspi_regular_weights(const double t[3], const uint8_t by[3], double row[CLSPI_GRID_POINTS])
{
    double span[3][4];

    for (uint32_t a = 0; a < 3; a++)
        clspi_span_weights(t[a], by[a], span[a]);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
        row[i] = span[0][i / 16] * span[1][i / 4 % 4] * span[2][i % 4];
}

/* A parameter on its way from a cell to its children. */
typedef struct descent {
    double t[3];
    uint8_t by[3];
    double factor; /* of the derivative */
    uint32_t depth;
    uint32_t number[CLSPI_LIMIT_DEPTH]; /* classes on the way */
    uint8_t corner[CLSPI_LIMIT_DEPTH];  /* children */
} descent;

/* Goes to the child of a class where the parameter is; returns the child's class. */
static uint32_t go_down(const clspi_class_set *set, descent *way, uint32_t number)
{
    uint32_t j = 0;
    double t[3];
    uint8_t by[3];

    for (uint32_t a = 0; a < 3; a++) {
        const double twice = 2.0 * way->t[a];
        const bool upper = twice >= 1.0;
        j |= (uint32_t)upper << a;
        t[a] = upper ? twice - 1.0 : twice;
        by[a] = way->by[a];
        for (uint32_t i = 0; i < by[a]; i++)
            way->factor *= 2.0;
    }
    const clspi_class_child *const child = &set->entry[number].child[j];
    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t own = clspi_frame_axis(child->frame, a);
        const bool flips = clspi_frame_flips(child->frame, a);
        way->t[a] = flips ? 1.0 - t[own] : t[own];
        way->by[a] = by[own];
        if (flips && by[own] & 1) way->factor = -way->factor;
    }
    way->number[way->depth] = number;
    way->corner[way->depth++] = (uint8_t)j;
    return child->next;
}

/* Makes the weights of a parent's points of those of a child's. */
static void go_up(const clspi_class_child *child, const double *from, double *to,
                  uint32_t num_points)
{
    memset(to, 0, num_points * sizeof *to);
    for (uint32_t r = 0; r < child->rows; r++)
        for (uint32_t i = child->begin[r]; i < child->begin[r + 1]; i++)
            to[child->column[i]] += from[r] * child->weight[i];
}

/* Leaves out steps up that change nothing any more: those by the child by which weights have come
   to rest. */
static void skip_steps(descent *way, const double *before, const double *after, uint32_t num_points)
{
    const uint32_t number = way->number[way->depth];
    const uint8_t corner = way->corner[way->depth];

    if (memcmp(before, after, num_points * sizeof *before) != 0) return;
    while (way->depth > 0 && way->number[way->depth - 1] == number &&
           way->corner[way->depth - 1] == corner)
        way->depth--;
}

/* Takes from the weights of a derivative what rounding has left in their sum, which is 0: on the
   way up all else becomes less, and the factor is as large as that. */
static void balance(double *row, uint32_t num_points)
{
    double sum = 0.0, size = 0.0;

    for (uint32_t i = 0; i < num_points; i++) {
        sum += row[i];
        size += fabs(row[i]);
    }
    for (uint32_t i = 0; i < num_points && size > 0.0; i++)
        row[i] -= sum / size * fabs(row[i]);
}

void clspi_class_weights(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], double *row)
{
    const bool is_value = !(by[0] | by[1] | by[2]);
    const uint32_t depth = is_value ? CLSPI_LIMIT_DEPTH : CLSPI_SLOPE_DEPTH;
    double *from = set->scratch[0], *to = set->scratch[1];
    descent way = {.t = {t[0], t[1], t[2]}, .by = {by[0], by[1], by[2]}, .factor = 1.0};
    uint32_t next = number;

    while (next != CLSPI_REGULAR && way.depth < depth)
        next = go_down(set, &way, next);
    if (next != CLSPI_REGULAR && !is_value) {
        const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);
        way = (descent){.by = {by[0], by[1], by[2]}, .factor = 1.0};
        for (uint32_t a = 0; a < 3; a++)
            way.t[a] = fmin(fmax(t[a], least), 1.0 - least);
        for (next = number; next != CLSPI_REGULAR && way.depth < CLSPI_LIMIT_DEPTH;)
            next = go_down(set, &way, next);
    }
    if (next == CLSPI_REGULAR) {
        clspi_regular_weights(way.t, way.by, from);
    } else {
        memset(from, 0, set->entry[next].num_points * sizeof *from);
        from[(way.t[0] >= 0.5) | (way.t[1] >= 0.5) << 1 | (way.t[2] >= 0.5) << 2] = 1.0;
    }
    while (way.depth > 0) {
        const clspi_cell_class *const parent = &set->entry[way.number[--way.depth]];
        const clspi_class_child *const child = &parent->child[way.corner[way.depth]];
        go_up(child, from, to, parent->num_points);
        if (!is_value) balance(to, parent->num_points);
        if (is_value && child->next == way.number[way.depth])
            skip_steps(&way, from, to, parent->num_points);
        double *const swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < set->entry[number].num_points; i++)
        row[i] = way.factor * from[i];
}
