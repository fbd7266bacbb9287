#include "locate_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clones.h"

enum {
    LANES = CLSPI_HULL_LANES,
    BLOCK = 1 << 18,     /* bytes of a block of memory, at least */
    KEPT = 48 << 20,     /* of all blocks, beyond which parts are forgotten */
    PLACES = 4096,       /* for cells, a power of two */
    CELLS = PLACES / 2,  /* of them at most */
    FAR_EXPONENT = 1000, /* of units: what is smaller is not told apart */
    KEPT_DEPTH = 5       /* parts that are deeper are made anew */
};

typedef struct node_block {
    struct node_block *next;
    size_t size, used;
} node_block;

struct clspi_locate_nodes {
    const clspi_locate_source *source;
    node_block *blocks, *spare; /* the first one is filled; those of forgotten parts */
    size_t bytes, num_cells;
    node_block *deep[CLSPI_LOCATE_DEPTH]; /* the children of one part of each depth */
    uint32_t cell[PLACES];                /* hashed */
    clspi_locate_node *node[PLACES];
    uint32_t numbers[CLSPI_RING_POINTS];
    double ring[CLSPI_RING_POINTS * LANES];
};

/* ---- memory ---- */

clspi_locate_nodes *clspi_locate_nodes_create(const clspi_locate_source *source)
{
    clspi_locate_nodes *const nodes = calloc(1, sizeof *nodes);

    if (nodes) nodes->source = source;
    return nodes;
}

static void release_blocks(node_block *blocks)
{
    while (blocks) {
        node_block *const block = blocks;
        blocks = block->next;
        free(block);
    }
}

/* Forgets all parts; their memory is used again, unless one query has taken much more of it than
   is kept. */
static void forget(clspi_locate_nodes *nodes)
{
    const bool is_much = nodes->bytes > 2 * (size_t)KEPT;

    if (is_much) release_blocks(nodes->blocks);
    if (is_much) nodes->blocks = NULL;
    while (nodes->blocks) {
        node_block *const block = nodes->blocks;
        nodes->blocks = block->next;
        block->next = nodes->spare;
        nodes->spare = block;
    }
    nodes->bytes = nodes->num_cells = 0;
    memset(nodes->node, 0, sizeof nodes->node);
}

void clspi_locate_nodes_destroy(clspi_locate_nodes *nodes)
{
    if (nodes) forget(nodes);
    if (nodes) release_blocks(nodes->spare);
    for (uint32_t d = 0; d < CLSPI_LOCATE_DEPTH && nodes; d++)
        free(nodes->deep[d]);
    free(nodes);
}

void clspi_locate_nodes_tidy(clspi_locate_nodes *nodes)
{
    if (nodes->bytes > KEPT || nodes->num_cells >= CELLS) forget(nodes);
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Returns the bytes of a part of so many points. */
static size_t bytes_of(size_t num_points)
{
    return rounded(sizeof(clspi_locate_node)) + rounded(num_points * LANES * sizeof(double));
}

/* Makes a block with room for so many bytes, before others; NULL without memory. */
static node_block *new_block(size_t bytes, node_block *next)
{
    const size_t head = rounded(sizeof(node_block)), size = head + bytes;
    node_block *const block = malloc(size);

    if (block) *block = (node_block){next, size, head};
    return block;
}

/* Makes room for parts that are kept. False: no memory. */
static bool make_room(clspi_locate_nodes *nodes, size_t bytes)
{
    node_block *block = nodes->spare;

    if (nodes->blocks && nodes->blocks->used + bytes <= nodes->blocks->size) return true;
    if (block && rounded(sizeof *block) + bytes <= block->size) {
        nodes->spare = block->next;
        block->next = nodes->blocks;
        block->used = rounded(sizeof *block);
    } else {
        block = new_block(bytes > BLOCK ? bytes : BLOCK, nodes->blocks);
        if (!block) return false;
    }
    nodes->blocks = block;
    nodes->bytes += block->size;
    return true;
}

/* Makes room for the children of a part of some depth, in the place of those of another one. False:
   no memory. */
static bool make_deep_room(clspi_locate_nodes *nodes, uint32_t depth, size_t bytes)
{
    node_block **const block = &nodes->deep[depth];

    if (!*block || (*block)->size < rounded(sizeof **block) + bytes) {
        free(*block);
        *block = new_block(bytes, NULL);
        if (!*block) return false;
    }
    (*block)->used = rounded(sizeof **block);
    return true;
}

/* Makes a part of so many points, which are the caller's to fill, in a block that has room. */
static clspi_locate_node *new_node(node_block *block, size_t num_points)
{
    clspi_locate_node *const node = (void *)((char *)block + block->used);

    block->used += bytes_of(num_points);
    memset(node, 0, sizeof *node);
    node->points = (void *)((char *)node + rounded(sizeof *node));
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
    const size_t num = read_ring(nodes, cell);
    double extent = 0;
    int exponent;

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
    frexp(extent, &exponent);
    units->scale = ldexp(1, extent > 0 ? (int)fmin(-exponent, FAR_EXPONENT) : 0);
    return true;
}

/* Makes the hull of a tricubic. */
static void make_cubic(clspi_locate_node *node)
{
    node->is_cubic = true;
    node->of.number = CLSPI_REGULAR;
    clspi_hull_of_cubic(&node->hull, node->points);
}

/* Makes the hull of a part that is no tricubic, whose first points are its corners. */
static void make_other(const clspi_locate_source *source, clspi_locate_node *node)
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
    node->is_loose = source->is_loose[node->of.number];
}

static clspi_locate_node *make_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                    const clspi_cell_units *units)
{
    const size_t num = read_ring(nodes, cell);

    if (!make_room(nodes, bytes_of(num))) return NULL;
    clspi_locate_node *const node = new_node(nodes->blocks, num);
    for (size_t i = 0; i < num; i++) {
        for (uint32_t l = 0; l < 3; l++)
            node->points[LANES * i + l] =
                (nodes->ring[LANES * i + l] - units->origin[l]) * units->scale;
        node->points[LANES * i + 3] = 0;
    }
    node->size = 1;
    node->of = nodes->source->points->use[cell];
    if (node->of.number != CLSPI_REGULAR) {
        make_other(nodes->source, node);
        return node;
    }
    clspi_cubic_of_grid(node->points);
    make_cubic(node);
    return node;
}

clspi_locate_node *clspi_locate_cell(clspi_locate_nodes *nodes, uint32_t cell,
                                     const clspi_cell_units *units)
{
    size_t at = (cell * UINT32_C(0x9e3779b1)) >> 20;

    while (nodes->node[at] && nodes->cell[at] != cell)
        at = (at + 1) & (PLACES - 1);
    if (nodes->node[at]) return nodes->node[at];
    clspi_locate_node *const node = make_cell(nodes, cell, units);
    if (!node) return NULL;
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
CLSPI_CLONES static void sum_rows(const clspi_class_child *of, const double *points,
                                  const uint8_t *place, double *to)
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
    if (of->next != CLSPI_REGULAR) {
        make_other(source, child);
        return;
    }
    clspi_cubic_of_grid(child->points);
    make_cubic(child);
}

bool clspi_locate_open(clspi_locate_nodes *nodes, clspi_locate_node *node)
{
    size_t bytes = 0;

    if (node->depth < KEPT_DEPTH) return true;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        bytes += bytes_of(node->is_cubic ? CLSPI_CUBIC_POINTS : child_of(nodes, node, j)->rows);
        node->child[j] = NULL;
    }
    return make_deep_room(nodes, node->depth, bytes);
}

/* Returns the corner of a part's class that is a corner of the cell's own. */
static uint32_t class_corner(const clspi_locate_node *node, uint32_t corner)
{
    uint32_t j = 0;

    while (clspi_frame_corner(node->of.frame, j) != corner)
        j++;
    return j;
}

clspi_locate_node *clspi_locate_child(clspi_locate_nodes *nodes, clspi_locate_node *node,
                                      uint32_t corner)
{
    const clspi_class_child *const of =
        node->is_cubic ? NULL : child_of(nodes, node, class_corner(node, corner));
    const size_t num = of ? of->rows : CLSPI_CUBIC_POINTS;
    const bool is_kept = node->depth < KEPT_DEPTH;

    if (node->child[corner]) return node->child[corner];
    if (is_kept && !make_room(nodes, bytes_of(num))) return NULL;
    clspi_locate_node *const child =
        new_node(is_kept ? nodes->blocks : nodes->deep[node->depth], num);
    place_child(node, child, corner);
    if (of) {
        make_class_child(nodes->source, node, of, child);
    } else {
        clspi_cubic_child(node->points, corner, child->points);
        make_cubic(child);
    }
    node->child[corner] = child;
    return child;
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
    return node->is_cubic ? corner : clspi_frame_corner(node->of.frame, corner);
}
