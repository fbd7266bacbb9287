/* Making the boxes of cells and their tree. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "locate_cells.h"

enum {
    PIECE = 256,    /* cells of a piece of work */
    HULL_DEPTH = 2, /* of parts around which the hull of a cell is */
    CELLS_MAX = 1 << 30
};

#define WHOLE 1e300 /* a box around everything */

typedef struct building {
    clspi_solid_locate *s;
    double *place; /* [cells]: the largest |coordinate| */
    clspi_surface_item *items;
    atomic_bool failed;
} building;

/* ---- cells ---- */

static void make_whole(clspi_cell_wrap *wrap)
{
    memset(wrap, 0, sizeof *wrap);
    for (uint32_t l = 0; l < 3; l++) {
        wrap->least[l] = -WHOLE;
        wrap->most[l] = WHOLE;
    }
}

/* Adds the descendants of a part to a wrap, down to a depth. False: no memory. */
static bool add_parts(clspi_locate_nodes *nodes, clspi_locate_node *node, clspi_cell_wrap *wrap,
                      bool *is_loose)
{
    bool done = true;

    *is_loose = *is_loose || node->is_loose;
    if (node->kind == CLSPI_PART_CUBIC || node->depth == HULL_DEPTH)
        return clspi_locate_add_part(nodes, node, wrap);
    done = clspi_locate_open(nodes, node);
    for (uint32_t j = 0; j < CLSPI_CORNERS && done && !*is_loose; j++) {
        clspi_locate_node *const child = clspi_locate_child(nodes, node, j);
        done = child && add_parts(nodes, child, wrap, is_loose);
    }
    return done;
}

static bool make_wrap(clspi_locate_nodes *nodes, uint32_t number, clspi_located_cell *cell)
{
    double corners[CLSPI_CORNERS * CLSPI_HULL_LANES];
    bool is_loose = false;

    clspi_locate_nodes_tidy(nodes);
    clspi_locate_node *const node = clspi_locate_cell(nodes, number, &cell->units);
    if (!node) return false;
    clspi_locate_corners(node, corners);
    clspi_wrap_begin(&cell->wrap, corners);
    if (!add_parts(nodes, node, &cell->wrap, &is_loose)) return false;
    if (is_loose) make_whole(&cell->wrap);
    return true;
}

static void make_piece(void *user, size_t piece)
{
    building *const b = user;
    const size_t end =
        piece * PIECE + PIECE < b->s->num_cells ? piece * PIECE + PIECE : b->s->num_cells;
    clspi_locate_nodes *const nodes = clspi_locate_nodes_create(&b->s->source);
    bool done = nodes;

    for (size_t i = piece * PIECE; i < end && done; i++) {
        clspi_located_cell *const cell = &b->s->cells[i];
        const double share = b->s->source.f64 ? CLSPI_PLACE_F64 : CLSPI_PLACE_F32;
        cell->tolerance = -1;
        if (!clspi_locate_measure(nodes, (uint32_t)i, &cell->units, &b->place[i])) continue;
        cell->tolerance = share * b->place[i] * cell->units.scale;
        done = make_wrap(nodes, (uint32_t)i, cell);
    }
    if (!done) atomic_store(&b->failed, true);
    clspi_locate_nodes_destroy(nodes);
}

/* ---- the tree ---- */

/* Returns the box of a cell as the tree has it, with what may be off the cell and what roundings
   may be off. */
static clspi_surface_box box_of(const clspi_solid_locate *s, const clspi_located_cell *cell,
                                double place)
{
    clspi_surface_box box = {.low = {0}};
    const double unit = 1 / cell->units.scale, slack = cell->tolerance * unit + 0x1p-48 * place;

    for (uint32_t l = 0; l < 3; l++) {
        const double origin = cell->units.origin[l];
        box.low[l] = (origin + cell->wrap.least[l] * unit - slack) * s->scale - 1e-300;
        box.high[l] = (origin + cell->wrap.most[l] * unit + slack) * s->scale + 1e-300;
        if (cell->wrap.most[l] == WHOLE) {
            box.low[l] = -WHOLE;
            box.high[l] = WHOLE;
        }
    }
    return box;
}

static bool make_tree(building *b)
{
    clspi_solid_locate *const s = b->s;
    size_t num = 0;
    int exponent;

    for (size_t i = 0; i < s->num_cells; i++)
        if (s->cells[i].tolerance >= 0) s->most = fmax(s->most, b->place[i]);
    frexp(s->most, &exponent);
    s->scale = ldexp(1, s->most > 0 ? (int)fmin(-exponent, 1000) : 0);
    for (size_t i = 0; i < s->num_cells; i++)
        if (s->cells[i].tolerance >= 0)
            b->items[num++] =
                (clspi_surface_item){box_of(s, &s->cells[i], b->place[i]), KIND_LEAF | (uint32_t)i};
    return clspi_surface_tree(&s->tree, b->items, num, &s->root);
}

/* ---- all ---- */

/* Chooses what coordinates are multiplied by: their sums and differences are to be numbers. */
static double choose_shrink(const clspi_locate_source *s)
{
    const size_t num =
        s->dim * (s->stars ? s->stars->mesh->num_vertices : clspi_num_points(s->points));

    for (size_t i = 0; i < num && s->f64; i++) {
        const double x = fabs(((const double *)s->control)[i]);
        if (x > 0x1p1000 && isfinite(x)) return 0x1p-30;
    }
    return 1;
}

/* Loads places to stars, which are the search's own then. False: no memory. */
static bool load_stars(clspi_solid_locate *s)
{
    const clspi_locate_source *const from = &s->source;
    const size_t num = s->stars.mesh->num_vertices;
    double *const points = calloc(num + 1, CLSPI_STAR_LANES * sizeof *points);

    for (size_t i = 0; i < 3 * num && points; i++) {
        const size_t at = i / 3 * from->dim + i % 3;
        points[i / 3 * CLSPI_STAR_LANES + i % 3] =
            from->shrink * (from->f64 ? ((const double *)from->control)[at]
                                      : (double)((const float *)from->control)[at]);
    }
    const bool done = points && clspi_star_mesh_load(&s->stars, points, CLSPI_STAR_LANES);
    free(points);
    return done;
}

/* Makes what parts are made from. False: no memory. */
static bool make_source(clspi_solid_locate *s, const clspi_locate_source *source)
{
    s->source = *source;
    s->source.shrink = choose_shrink(source);
    if (!source->stars) return clspi_locate_find_loose(&s->source);
    s->stars = *source->stars;
    s->stars.control = s->stars.points = s->stars.limits = NULL;
    s->source.stars = &s->stars;
    return load_stars(s);
}

clspi_solid_locate *clspi_solid_locate_create(const clspi_locate_source *source,
                                              const clspi_parallel *threads)
{
    building b = {.s = calloc(1, sizeof *b.s)};
    clspi_solid_locate *s = b.s;
    const size_t num = source->stars ? source->stars->mesh->num_cells : source->points->num_cells;

    if (!s || num >= CELLS_MAX) {
        free(s);
        return NULL;
    }
    s->num_cells = num;
    s->cells = malloc((num + 1) * sizeof *s->cells);
    b.place = malloc((num + 1) * sizeof *b.place);
    b.items = malloc((num + 1) * sizeof *b.items);
    s->kept = calloc(CLSPI_LOCATE_KEPT, sizeof *s->kept);
    bool done = s->cells && s->kept && b.place && b.items && make_source(s, source);
    if (done) {
        clspi_in_parallel(threads, (num + PIECE - 1) / PIECE, make_piece, &b);
        done = !atomic_load(&b.failed) && make_tree(&b);
    }
    free(b.place);
    free(b.items);
    if (!done) clspi_solid_locate_destroy(&s);
    return s;
}

void clspi_solid_locate_destroy(clspi_solid_locate **locate)
{
    clspi_solid_locate *const s = *locate;

    *locate = NULL;
    if (!s) return;
    for (size_t i = 0; i < CLSPI_LOCATE_KEPT && s->kept; i++)
        clspi_locate_nodes_destroy(atomic_load(&s->kept[i]));
    free((void *)s->kept);
    free(s->source.is_loose);
    clspi_star_mesh_forget(&s->stars);
    free(s->cells);
    free(s->tree.nodes);
    free(s);
}
