#include "locate_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "locate_parts.h"

enum {
    LANES = CLSPI_HULL_LANES,
    KEPT = 48 << 20,    /* bytes, beyond which parts are forgotten */
    PLACES = 4096,      /* for cells, a power of two */
    CELLS = PLACES / 2, /* of them at most */
    WALK_DEPTH = 12,    /* of parts that are walked in */
    KEPT_DEPTH = 5      /* parts that are deeper are made anew */
};

struct clspi_locate_nodes {
    const clspi_locate_source *source;
    clspi_locate_room room;
    clspi_locate_stars *stars; /* NULL: by classes */
    size_t num_cells;
    bool keeps_all;
    clspi_room_piece deep[CLSPI_LOCATE_DEPTH]; /* the children of one part of each depth */
    size_t deep_used[CLSPI_LOCATE_DEPTH];
    clspi_walk_piece piece; /* of a walk */
    uint32_t cell[PLACES];  /* hashed */
    clspi_locate_node *node[PLACES];
    uint32_t numbers[CLSPI_RING_POINTS];
    double ring[CLSPI_RING_POINTS * LANES];
};

/* ---- memory ---- */

clspi_locate_nodes *clspi_locate_nodes_create(const clspi_locate_source *source)
{
    clspi_locate_nodes *const nodes = calloc(1, sizeof *nodes);

    if (!nodes) return NULL;
    nodes->source = source;
    if (!source->stars) return nodes;
    nodes->stars = clspi_locate_stars_create(source->stars, &nodes->room);
    if (nodes->stars) return nodes;
    free(nodes);
    return NULL;
}

void clspi_locate_nodes_destroy(clspi_locate_nodes *nodes)
{
    if (!nodes) return;
    clspi_locate_stars_destroy(nodes->stars);
    clspi_room_release(&nodes->room);
    for (uint32_t d = 0; d < CLSPI_LOCATE_DEPTH; d++)
        free(nodes->deep[d].memory);
    free(nodes);
}

void clspi_locate_nodes_tidy(clspi_locate_nodes *nodes)
{
    if (nodes->room.bytes <= KEPT && nodes->num_cells < CELLS) return;
    clspi_room_forget(&nodes->room, KEPT);
    if (nodes->stars) clspi_locate_stars_forget(nodes->stars);
    nodes->piece.points = NULL;
    nodes->num_cells = 0;
    memset(nodes->node, 0, sizeof nodes->node);
}

/* Returns the bytes of a part of so many points. */
static size_t bytes_of(size_t num_points)
{
    return clspi_room_rounded(sizeof(clspi_locate_node)) +
           clspi_room_rounded(num_points * LANES * sizeof(double));
}

/* Makes a part with room for so many points, which are the caller's to fill, in memory that is
   there; NULL where it is not. */
static clspi_locate_node *new_node(void *memory, size_t num_points)
{
    clspi_locate_node *const node = memory;

    if (!node) return NULL;
    memset(node, 0, sizeof *node);
    node->points = (void *)((char *)memory + clspi_room_rounded(sizeof *node));
    node->num_points = num_points;
    return node;
}

/* ---- classes ---- */

/* Tells whether points of a class's descendants that are not regular have weights below 0. */
static bool has_negative(const clspi_cell_class *of)
{
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const clspi_class_child *const child = &of->child[j];
        if (child->next == CLSPI_REGULAR) continue;
        for (uint32_t i = 0; i < child->begin[child->rows]; i++)
            if (child->weight[i] < -1e-12) return true;
    }
    return false;
}

bool clspi_locate_find_loose(clspi_locate_source *source)
{
    const clspi_class_set *const set = source->classes;
    bool is_new = true;

    source->is_loose = calloc(set->num + 1, 1);
    for (uint32_t k = 0; k < set->num && source->is_loose; k++)
        source->is_loose[k] = has_negative(&set->entry[k]);
    while (source->is_loose && is_new) {
        is_new = false;
        for (uint32_t k = 0; k < set->num; k++)
            for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
                const uint32_t next = set->entry[k].child[j].next;
                if (source->is_loose[k] || next == CLSPI_REGULAR || !source->is_loose[next])
                    continue;
                source->is_loose[k] = 1;
                is_new = true;
            }
    }
    return source->is_loose;
}

/* ---- cells ---- */

static double coordinate(const clspi_locate_source *s, size_t point, uint32_t l)
{
    const size_t at = point * s->dim + l;

    return s->shrink *
           (s->f64 ? ((const double *)s->control)[at] : (double)((const float *)s->control)[at]);
}

/* Reads the control points of a cell; returns how many there are. */
static size_t read_ring(clspi_locate_nodes *nodes, uint32_t cell)
{
    const clspi_locate_source *const s = nodes->source;
    const size_t num = clspi_cell_points_of(s->points, s->classes, cell, nodes->numbers);

    for (size_t i = 0; i < num; i++)
        for (uint32_t l = 0; l < 3; l++)
            nodes->ring[LANES * i + l] = coordinate(s, nodes->numbers[i], l);
    return num;
}

bool clspi_locate_measure(clspi_locate_nodes *nodes, uint32_t cell, clspi_cell_units *units,
                          double *place)
{
    if (nodes->stars) return clspi_part_measure(nodes->source->stars, cell, units, place);
    const size_t num = read_ring(nodes, cell);
    double extent = 0;

    *place = 0;
    for (uint32_t l = 0; l < 3; l++)
        units->origin[l] = nodes->ring[l];
    for (size_t i = 0; i < num; i++)
        for (uint32_t l = 0; l < 3; l++) {
            const double x = nodes->ring[LANES * i + l];
            if (!isfinite(x)) return false;
            if (nodes->numbers[i] < nodes->source->points->num_vertices)
                *place = fmax(*place, fabs(x));
            extent = fmax(extent, fabs(x - units->origin[l]));
        }
    units->scale = clspi_unit_scale(extent);
    return true;
}

/* Makes the hull of a part of a class, whose first points are its corners. */
static void make_class_hull(clspi_locate_node *node)
{
    clspi_cubic_jet jet = {.value = {0}};

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        for (uint32_t l = 0; l < 3; l++) {
            const double x = node->points[(size_t)LANES * j + l];
            jet.value[l] += x / 8;
            for (uint32_t a = 0; a < 3; a++)
                jet.slope[a][l] += j >> a & 1 ? x / 4 : -x / 4;
        }
    clspi_hull_begin(&node->hull, &jet);
    clspi_hull_add(&node->hull, node->points, node->num_points);
}

bool clspi_locate_need_hull(clspi_locate_nodes *nodes, clspi_locate_node *node)
{
    if (node->has_hull) return true;
    if (node->kind == CLSPI_PART_CUBIC)
        clspi_hull_of_cubic(&node->hull, node->points);
    else if (node->kind == CLSPI_PART_CLASS)
        make_class_hull(node);
    else if (!clspi_part_hull(nodes->stars, node))
        return false;
    node->has_hull = true;
    return true;
}

/* Makes a whole cell of its class. */
static clspi_locate_node *make_class_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                          const clspi_cell_units *units)
{
    const size_t num = read_ring(nodes, cell);
    clspi_locate_node *const node = new_node(clspi_room_take(&nodes->room, bytes_of(num)), num);

    if (!node) return NULL;
    for (size_t i = 0; i < num; i++) {
        for (uint32_t l = 0; l < 3; l++)
            node->points[LANES * i + l] =
                (nodes->ring[LANES * i + l] - units->origin[l]) * units->scale;
        node->points[LANES * i + 3] = 0;
    }
    node->of = nodes->source->points->use[cell];
    if (node->of.number == CLSPI_REGULAR) {
        clspi_cubic_of_grid(node->points);
        node->kind = CLSPI_PART_CUBIC;
    } else {
        node->kind = CLSPI_PART_CLASS;
        node->is_loose = nodes->source->is_loose[node->of.number];
    }
    return node;
}

static clspi_locate_node *make_star_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                         const clspi_cell_units *units)
{
    clspi_locate_node *const node =
        new_node(clspi_room_take(&nodes->room, bytes_of(CLSPI_CUBIC_POINTS)), CLSPI_CUBIC_POINTS);

    if (!node) return NULL;
    node->units = units;
    clspi_part_of_cell(nodes->source->stars, cell, node);
    return node;
}

clspi_locate_node *clspi_locate_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                     const clspi_cell_units *units)
{
    size_t at = (cell * UINT32_C(0x9e3779b1)) >> 20;

    while (nodes->node[at] && nodes->cell[at] != cell)
        at = (at + 1) & (PLACES - 1);
    if (nodes->node[at]) return nodes->node[at];
    clspi_locate_node *const node =
        nodes->stars ? make_star_cell(nodes, cell, units) : make_class_cell(nodes, cell, units);
    if (!node) return NULL;
    node->units = units;
    node->size = 1;
    if (nodes->num_cells < CELLS) {
        nodes->cell[at] = cell;
        nodes->node[at] = node;
        nodes->num_cells++;
    }
    return node;
}

/* ---- children ---- */

/* Places a child at a corner of the cell's own. */
static void place_child(const clspi_locate_node *node, clspi_locate_node *child, uint32_t corner)
{
    child->units = node->units;
    child->size = node->size / 2;
    child->depth = node->depth + 1;
    for (uint32_t a = 0; a < 3; a++)
        child->low[a] = node->low[a] + (corner >> a & 1 ? child->size : 0);
}

/* Returns where a point of a grid that is seen in a frame is, as the cell sees it. */
static uint32_t grid_place(uint32_t frame, uint32_t i)
{
    static const uint32_t stride[3] = {16, 4, 1};
    uint32_t place = 0;

    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t at = i / stride[a] % 4;
        place += stride[clspi_frame_axis(frame, a)] * (clspi_frame_flips(frame, a) ? 3 - at : at);
    }
    return place;
}

/* Returns the child of the class of a part that is no tricubic, at a corner of the class's own. */
static const clspi_class_child *child_of(const clspi_locate_nodes *nodes,
                                         const clspi_locate_node *node, uint32_t corner)
{
    return &nodes->source->classes->entry[node->of.number].child[corner];
}

/* Sums the rows of a child: row r goes to point place[r], or r without places. */
static void sum_rows(const clspi_class_child *of, const double *points, const uint8_t *place,
                     double *to)
{
    for (uint32_t r = 0; r < of->rows; r++) {
        double *const out = to + (size_t)LANES * (place ? place[r] : r);
        double sum[LANES] = {0};
        for (uint32_t i = of->begin[r]; i < of->begin[r + 1]; i++)
            for (uint32_t l = 0; l < LANES; l++)
                sum[l] += of->weight[i] * points[(size_t)LANES * of->column[i] + l];
        memcpy(out, sum, sizeof sum);
    }
}

/* Makes the child of a class. */
static void make_class_child(const clspi_locate_source *source, const clspi_locate_node *node,
                             const clspi_class_child *of, clspi_locate_node *child)
{
    const uint32_t frame = clspi_frame_of(node->of.frame, of->frame);
    uint8_t place[CLSPI_GRID_POINTS];

    for (uint32_t i = 0; i < CLSPI_GRID_POINTS && of->next == CLSPI_REGULAR; i++)
        place[i] = (uint8_t)grid_place(frame, i);
    sum_rows(of, node->points, of->next == CLSPI_REGULAR ? place : NULL, child->points);
    child->of = (clspi_class_use){of->next, frame};
    child->kind = CLSPI_PART_CLASS;
    if (of->next != CLSPI_REGULAR) {
        child->is_loose = source->is_loose[of->next];
        return;
    }
    clspi_cubic_of_grid(child->points);
    child->kind = CLSPI_PART_CUBIC;
}

/* Returns how many points a child has room for. */
static size_t room_of_child(const clspi_locate_nodes *nodes, const clspi_locate_node *node,
                            uint32_t class_corner)
{
    return node->kind == CLSPI_PART_CLASS ? child_of(nodes, node, class_corner)->rows
                                          : CLSPI_CUBIC_POINTS;
}

void clspi_locate_keep_all(clspi_locate_nodes *nodes, bool keeps)
{
    nodes->keeps_all = keeps;
}

static bool is_kept(const clspi_locate_nodes *nodes, const clspi_locate_node *node)
{
    return nodes->keeps_all || node->depth < KEPT_DEPTH;
}

bool clspi_locate_open(clspi_locate_nodes *nodes, clspi_locate_node *node)
{
    const bool keeps = is_kept(nodes, node);
    size_t bytes = 0;

    if (!keeps || !node->keeps_children) memset(node->child, 0, sizeof node->child);
    node->keeps_children = keeps;
    if (keeps) return true;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        bytes += bytes_of(room_of_child(nodes, node, j));
    nodes->deep_used[node->depth] = 0;
    return clspi_room_piece_of(&nodes->deep[node->depth], bytes);
}

/* Takes memory for a child of a part. NULL: there is none. */
static void *take_child(clspi_locate_nodes *nodes, const clspi_locate_node *node, size_t bytes)
{
    if (is_kept(nodes, node)) return clspi_room_take(&nodes->room, bytes);
    void *const memory = (char *)nodes->deep[node->depth].memory + nodes->deep_used[node->depth];
    nodes->deep_used[node->depth] += bytes;
    return memory;
}

bool clspi_locate_along(clspi_locate_nodes *nodes, const clspi_locate_node *node,
                        const double direction[3], const double *from, double *least)
{
    *least = -(double)INFINITY;
    if (node->kind == CLSPI_PART_CELL || node->is_loose) return true;
    if (node->kind == CLSPI_PART_CORNER || node->kind == CLSPI_PART_EDGE)
        return clspi_part_along(nodes->stars, node, direction, from, least);
    *least = clspi_hull_along(node->points, node->num_points, direction, from);
    return true;
}

/* Returns the corner of a part's class that is a corner of the cell's own. */
static uint32_t class_corner(const clspi_locate_node *node, uint32_t corner)
{
    uint32_t j = 0;

    while (clspi_frame_corner(node->of.frame, j) != corner)
        j++;
    return j;
}

/* Makes the points and the hull of a child. False: no memory. */
static bool fill_child(clspi_locate_nodes *nodes, const clspi_locate_node *node, uint32_t corner,
                       clspi_locate_node *child)
{
    if (node->kind == CLSPI_PART_CLASS) {
        make_class_child(nodes->source, node, child_of(nodes, node, class_corner(node, corner)),
                         child);
    } else if (node->kind == CLSPI_PART_CUBIC) {
        clspi_cubic_child(node->points, corner, child->points);
        child->kind = CLSPI_PART_CUBIC;
    } else {
        return clspi_part_child(nodes->stars, node, corner, child);
    }
    return true;
}

clspi_locate_node *clspi_locate_child(clspi_locate_nodes *nodes, clspi_locate_node *node,
                                      uint32_t corner)
{
    if (node->child[corner]) return node->child[corner];
    const uint32_t of_class = node->kind == CLSPI_PART_CLASS ? class_corner(node, corner) : corner;
    const size_t num = room_of_child(nodes, node, of_class);
    clspi_locate_node *const child = new_node(take_child(nodes, node, bytes_of(num)), num);
    if (!child) return NULL;
    place_child(node, child, corner);
    if (!fill_child(nodes, node, corner, child)) return NULL;
    node->child[corner] = child;
    return child;
}

bool clspi_locate_add_part(clspi_locate_nodes *nodes, const clspi_locate_node *node,
                           clspi_cell_wrap *wrap)
{
    if (node->kind == CLSPI_PART_CORNER || node->kind == CLSPI_PART_EDGE)
        return clspi_part_wrap(nodes->stars, node, wrap);
    clspi_wrap_add(wrap, node->points, node->num_points);
    return true;
}

/* ---- walks ---- */

void clspi_locate_corners(const clspi_locate_node *node, double *corners)
{
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const uint32_t end = 3 * (16 * (j & 1) + 4 * (j >> 1 & 1) + (j >> 2));
        const uint32_t from = node->kind == CLSPI_PART_CUBIC ? end : j;
        const uint32_t to =
            node->kind == CLSPI_PART_CLASS ? clspi_frame_corner(node->of.frame, j) : j;
        memcpy(corners + (size_t)LANES * to, node->points + (size_t)LANES * from,
               LANES * sizeof *corners);
    }
}

/* Finds the tricubic of a cell at parameters. *node is NULL where there is none that is large
   enough. False: no memory. */
static bool part_at(clspi_locate_nodes *nodes, const double t[3], clspi_locate_node **node)
{
    while ((*node)->kind != CLSPI_PART_CUBIC) {
        uint32_t corner = 0;
        for (uint32_t a = 0; a < 3; a++)
            corner |= (uint32_t)(t[a] >= (*node)->low[a] + (*node)->size / 2) << a;
        if ((*node)->depth >= WALK_DEPTH) {
            *node = NULL;
            return true;
        }
        if (!clspi_locate_open(nodes, *node)) return false;
        *node = clspi_locate_child(nodes, *node, corner);
        if (!*node) return false;
    }
    return true;
}

bool clspi_locate_piece(clspi_locate_nodes *nodes, clspi_locate_node *cell, const double t[3],
                        const clspi_walk_piece **piece)
{
    clspi_walk_piece *const p = &nodes->piece;
    clspi_locate_node *node = cell;

    *piece = NULL;
    if (cell->kind == CLSPI_PART_CELL) {
        if (!clspi_part_piece(nodes->stars, cell, t, p)) return false;
    } else {
        if (!part_at(nodes, t, &node)) return false;
        p->points = node ? node->points : NULL;
        p->key[0] = UINT64_MAX;
        for (uint32_t a = 0; a < 3 && node; a++) {
            p->low[a] = node->low[a];
            p->size[a] = node->size;
            p->is_spline[a] = false;
            p->origin[a] = node->units->origin[a];
        }
        p->scale = cell->units->scale;
    }
    if (p->points) *piece = p;
    return true;
}

uint32_t clspi_locate_corner(const clspi_locate_node *node, const double *from)
{
    const clspi_cell_hull *const hull = &node->hull;
    uint32_t corner = 0;

    for (uint32_t a = 0; a < 3; a++) {
        double at = 0;
        for (uint32_t l = 0; l < 3; l++)
            at += hull->column[l][a] * (from[l] - hull->centre[l]);
        corner |= (uint32_t)(at > 0) << a;
    }
    return node->kind == CLSPI_PART_CLASS ? clspi_frame_corner(node->of.frame, corner) : corner;
}
