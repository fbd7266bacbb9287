/* The search of solid_locate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cubic_jet.h"
#include "locate_searcher.h"
#include "locate_walk.h"

enum {
    WAITING_MAX = 32 * BOXES, /* of 2^30 cells there are 10 tiers */
    SHARE = 4,                /* a cell may have one in so many of the parts that are left, */
    LEAST = 64,               /* and so many */
    SORTED = 64               /* cells that are tried in order */
};

#define ON_FACE  1e-3   /* parameters so near to a face are looked for beyond it too */
#define ON_WALL  8      /* so many tolerances from a face, what a walk has found may be on it */
#define ROUND    0.1    /* so far outside the guesses of the first round may be */
#define FAR      0x1p20 /* what is so many times as far away as the solid is searched no more */
#define EXCLUDED 0.75   /* of the tolerance: what is farther is out */

/* ---- the tree ---- */

/* Turns to a cell. Returns whether its wrap is too far from the query; *depth: how far inside that
   is. */
static bool is_far_from(clspi_searcher *w, uint32_t number, double *depth)
{
    const double distance = clspi_searcher_turn(w, number, depth);

    *depth /= w->cell->units.scale;
    if (!(distance > EXCLUDED * w->cell->tolerance)) return false;
    w->excluded = less_of(w->excluded, distance / w->cell->units.scale * BOUND_LESS);
    return true;
}

/* Notes a cell whose box holds the query, if its wrap does. False: no memory. */
static bool add_cell(clspi_searcher *w, uint32_t cell)
{
    near_cell near = {.cell = cell};

    if (is_far_from(w, cell, &near.depth)) return true;
    if (w->num_cells == w->room) {
        const size_t room = 2 * w->room + 64;
        void *const more = realloc(w->cells, room * sizeof *w->cells);
        if (!more) return false;
        w->cells = more;
        w->room = room;
    }
    w->cells[w->num_cells++] = near;
    return true;
}

/* Finds the cells whose boxes hold the query, and how near the other boxes are. False: no memory.
 */
static bool walk_tree(clspi_searcher *w)
{
    const clspi_solid_locate *const s = w->s;
    const double q[3] = {w->q[0] * s->scale, w->q[1] * s->scale, w->q[2] * s->scale};
    uint32_t waiting[WAITING_MAX], num = 0;
    double least = (double)INFINITY, distance[BOXES];

    w->num_cells = 0;
    if (s->root != KIND_NONE) waiting[num++] = s->root;
    while (num > 0) {
        const uint32_t code = waiting[--num];
        if ((code & KIND_MASK) != KIND_NODE) {
            if (!add_cell(w, code & NUMBER_MASK)) return false;
            continue;
        }
        clspi_surface_node *const node = &s->tree.nodes[code];
        distances_to(node, q, distance);
        for (int k = 0; k < BOXES; k++) {
            if (distance[k] > 0)
                least = less_of(least, distance[k]);
            else
                waiting[num++] = node->kid[k];
        }
    }
    w->least = sqrt(least) / s->scale * BOUND_LESS;
    return true;
}

/* Brings the cell in which the query is farthest inside to place i, of those from there on. */
static void pick_cell(clspi_searcher *w, size_t i)
{
    size_t best = i;

    for (size_t k = i + 1; k < w->num_cells; k++) {
        const near_cell *const a = &w->cells[k], *const b = &w->cells[best];
        if (a->depth > b->depth || (!(a->depth < b->depth) && a->cell < b->cell)) best = k;
    }
    const near_cell swap = w->cells[i];
    w->cells[i] = w->cells[best];
    w->cells[best] = swap;
}

/* ---- cells ---- */

/* Notes that nothing of a cell is nearer than a distance. */
static void leave_out(clspi_searcher *w, double distance)
{
    w->excluded = less_of(w->excluded, distance / w->cell->units.scale * BOUND_LESS);
}

/* Looks at a part as it is. Returns whether that is all. */
static bool look_at(clspi_searcher *w, const clspi_locate_node *node)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    double t[3], e[3] = {0};

    if (node->kind == CLSPI_PART_CUBIC) {
        const double distance = clspi_searcher_nearest(w, node, 1e-2, t, e);
        if (distance <= w->cell->tolerance) {
            clspi_searcher_take(w, node, t, distance);
            return true;
        }
        const double away[3] = {-e[0] / distance, -e[1] / distance, -e[2] / distance};
        const double along = clspi_hull_along(node->points, CLSPI_CUBIC_POINTS, away, w->from);
        if (along > EXCLUDED * w->cell->tolerance) {
            leave_out(w, along);
            return true;
        }
    }
    const double farthest = clspi_searcher_farthest(&node->hull, w->from);
    if (!node->is_loose && farthest <= w->cell->tolerance) {
        clspi_searcher_take(w, node, middle, farthest);
        return true;
    }
    return w->is_found; /* what is nearer is in a part beside it, if anywhere */
}

/* Looks at a part that has its hull, and cuts it if that is not all. False: no memory. */
static bool search_part(clspi_searcher *w, clspi_locate_node *node)
{
    if (look_at(w, node)) return true;
    if (node->depth < CLSPI_LOCATE_DEPTH) return clspi_searcher_cut(w, node);
    w->is_open = true;
    return true;
}

/* Tells whether a part that has its hull may have the query. */
static bool is_near(clspi_searcher *w, const clspi_locate_node *node)
{
    const double distance = node->is_loose ? 0 : clspi_hull_distance(&node->hull, w->from, NULL);

    if (!(distance > EXCLUDED * w->cell->tolerance)) return true;
    leave_out(w, distance);
    return false;
}

/* Searches the cell at hand. False: no memory. */
static bool search_cell(clspi_searcher *w, uint32_t number)
{
    clspi_locate_node *node = clspi_locate_cell(w->nodes, number, &w->cell->units);
    const uint64_t share = w->left / SHARE > LEAST ? w->left / SHARE : LEAST;
    const uint64_t end = share < w->left ? w->left - share : 0;

    w->num_parts = 0;
    w->is_found = false;
    if (!node || !clspi_locate_need_hull(w->nodes, node) || !search_part(w, node)) return false;
    while (w->num_parts > 0 && !(w->is_found && w->residual <= w->floor)) {
        const waiting_part part = w->part[--w->num_parts];
        node = clspi_locate_child(w->nodes, part.of, part.corner);
        if (!node || !clspi_locate_need_hull(w->nodes, node)) return false;
        const uint64_t price = 1 + node->num_points / CLSPI_CUBIC_POINTS;
        if (w->left < end + price) {
            w->is_open = true;
            return true;
        }
        w->left -= price;
        if (is_near(w, node) && !search_part(w, node)) return false;
    }
    return true;
}

/* Tells whether what was found in the cell at hand may be on one of its faces. */
static bool is_on_face(const clspi_searcher *w)
{
    for (uint32_t a = 0; a < 3; a++)
        if (w->t[a] < ON_FACE || w->t[a] > 1 - ON_FACE) return true;
    return !(w->residual <= w->floor);
}

/* ---- queries ---- */

static void found_none(clspi_place_f64 *out, clspi_locate_status status, double bound)
{
    const double none = (double)NAN;

    *out = (clspi_place_f64){.t = {none, none, none},
                             .residual = status == CLSPI_LOCATE_INVALID ? none : (double)INFINITY,
                             .bound = bound,
                             .cell = UINT32_MAX,
                             .status = status};
}

/* Keeps what was found in the cell at hand. */
static void keep(const clspi_searcher *w, uint32_t cell, clspi_place_f64 *out)
{
    *out = (clspi_place_f64){.residual = w->residual / w->cell->units.scale / w->s->source.shrink,
                             .cell = cell,
                             .status = CLSPI_LOCATE_FOUND};
    memcpy(out->t, w->t, sizeof out->t);
}

/* Walks in a cell that is near from where it is guessed to be; in the first round not in one that
   it is guessed to be outside of. */
static clspi_walk_status walk_cell(clspi_searcher *w, near_cell *near, uint32_t round,
                                   clspi_walked *walked)
{
    bool is_inside = true;

    w->cell = &w->s->cells[near->cell];
    clspi_locate_node *const node = clspi_locate_cell(w->nodes, near->cell, &w->cell->units);
    if (!node) return CLSPI_WALK_NO_MEMORY;
    if (round == 0) clspi_walk_guess(node, w->q, near->t);
    for (uint32_t a = 0; a < 3; a++)
        is_inside = is_inside && near->t[a] > -ROUND && near->t[a] < 1 + ROUND;
    if (near->is_walked || (round == 0 && !is_inside)) return CLSPI_WALK_LOST;
    near->is_walked = true;
    memcpy(walked->t, near->t, sizeof walked->t);
    return clspi_locate_walk(w->nodes, node, w->q, w->floor, walked);
}

/* Walks in the cells that are near, in their order, until the query is found. Returns whether that
   is all; *failed: no memory. */
static bool walk_cells(clspi_searcher *w, clspi_place_f64 *out, bool *failed)
{
    for (size_t i = 0; i < 2 * w->num_cells; i++) {
        const size_t k = i % w->num_cells;
        clspi_walked walked;
        if (i < w->num_cells && i < SORTED) pick_cell(w, i);
        const clspi_walk_status status = walk_cell(w, &w->cells[k], i >= w->num_cells, &walked);
        *failed = status == CLSPI_WALK_NO_MEMORY;
        if (*failed) return true;
        if (status == CLSPI_WALK_LOST) continue;
        memcpy(w->t, walked.t, sizeof w->t);
        w->residual = walked.residual;
        keep(w, w->cells[k].cell, out);
        return walked.inside > ON_WALL * w->cell->tolerance;
    }
    return false;
}

/* Searches the cells that are near, but those behind one where the query was found. False: no
   memory. */
static bool search_cells(clspi_searcher *w, clspi_place_f64 *out)
{
    for (size_t i = 0; i < w->num_cells; i++) {
        const uint32_t cell = w->cells[i].cell;
        double depth;
        if (cell >= out->cell) continue;
        is_far_from(w, cell, &depth);
        if (!search_cell(w, cell)) return false;
        if (!w->is_found) continue;
        keep(w, cell, out);
        if (!is_on_face(w)) break;
    }
    return true;
}

/* Finds the nearest point for the query at hand, which no cell is known to have, where it is asked
   for or may be within the tolerance. False: no memory. */
static bool find_outside(clspi_searcher *w, clspi_place_f64 *out)
{
    const bool is_kept = w->asks_nearest && !w->is_open;
    const bool may_be = w->tolerance > 0 && out->bound <= w->tolerance;

    if ((is_kept || may_be) && !clspi_searcher_outside(w, out)) return false;
    if (may_be && out->residual <= w->tolerance)
        out->status = CLSPI_LOCATE_FOUND;
    else if (!is_kept)
        found_none(out, out->status, out->bound);
    return true;
}

/* Searches for the query at hand: by walks first, and if that is on a face of its cell, or nothing
   is found, by parts. False: no memory. */
static bool search(clspi_searcher *w, clspi_place_f64 *out)
{
    bool failed = false;

    clspi_locate_nodes_tidy(w->nodes);
    w->excluded = (double)INFINITY;
    if (!walk_tree(w)) return false;
    w->left = w->max_nodes;
    w->is_open = false;
    found_none(out, CLSPI_LOCATE_NONE, 0);
    if (!walk_cells(w, out, &failed) && !search_cells(w, out)) failed = true;
    if (failed || out->status == CLSPI_LOCATE_FOUND) return !failed;
    out->status = w->is_open ? CLSPI_LOCATE_CUT : CLSPI_LOCATE_NONE;
    out->bound = w->is_open ? 0 : less_of(w->least, w->excluded) / w->s->source.shrink;
    return find_outside(w, out);
}

/* Locates a point. False: no memory. */
static bool locate(clspi_searcher *w, const double point[3], clspi_place_f64 *out)
{
    double most = 0;

    for (uint32_t l = 0; l < 3; l++) {
        if (!isfinite(point[l])) {
            found_none(out, CLSPI_LOCATE_INVALID, (double)NAN);
            return true;
        }
        w->q[l] = point[l] * w->s->source.shrink;
        most = more_of(most, fabs(w->q[l]));
    }
    if (most * w->s->scale <= FAR) return search(w, out);
    found_none(out, CLSPI_LOCATE_NONE,
               w->s->root == KIND_NONE ? (double)INFINITY
                                       : (most - w->s->most) * BOUND_LESS / w->s->source.shrink);
    return true;
}

/* Rounds a number to float, down or up. */
static float rounded(double x, bool up)
{
    const float near = (float)x;

    if (up) return (double)near < x ? nextafterf(near, INFINITY) : near;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static void store(const clspi_locate_queries *queries, size_t i, const clspi_place_f64 *place)
{
    if (queries->f64) {
        ((clspi_place_f64 *)queries->out)[i] = *place;
        return;
    }
    ((clspi_place_f32 *)queries->out)[i] =
        (clspi_place_f32){.t = {(float)place->t[0], (float)place->t[1], (float)place->t[2]},
                          .residual = rounded(place->residual, true),
                          .bound = rounded(place->bound, false),
                          .cell = place->cell,
                          .status = place->status};
}

/* Takes the parts that another thread has left, or none. */
static clspi_locate_nodes *take_nodes(const clspi_solid_locate *s)
{
    for (size_t i = 0; i < CLSPI_LOCATE_KEPT; i++) {
        clspi_locate_nodes *const nodes = atomic_exchange(&s->kept[i], NULL);
        if (nodes) return nodes;
    }
    return clspi_locate_nodes_create(&s->source);
}

/* Leaves parts to others. */
static void give_nodes(const clspi_solid_locate *s, clspi_locate_nodes *nodes)
{
    for (size_t i = 0; i < CLSPI_LOCATE_KEPT && nodes; i++) {
        clspi_locate_nodes *none = NULL;
        if (atomic_compare_exchange_strong(&s->kept[i], &none, nodes)) return;
    }
    clspi_locate_nodes_destroy(nodes);
}

bool clspi_solid_locate_find(const clspi_solid_locate *locate_in,
                             const clspi_locate_queries *queries)
{
    clspi_searcher *const w = malloc(sizeof *w);
    bool done = w;

    if (w) {
        memset(w, 0, offsetof(clspi_searcher, part));
        w->s = locate_in;
        w->nodes = take_nodes(locate_in);
        w->floor = queries->f64 ? 0x1p-46 : 1e-9;
        w->max_nodes = queries->max_nodes;
        w->asks_nearest = queries->asks_nearest;
        w->tolerance = queries->tolerance;
        done = w->nodes;
    }
    for (size_t k = 0; k < queries->num && done; k++) {
        const size_t i = queries->order ? queries->order[k] : k;
        clspi_place_f64 place;
        double point[3];
        for (uint32_t l = 0; l < 3; l++)
            point[l] = queries->f64 ? ((const double *)queries->points)[3 * i + l]
                                    : (double)((const float *)queries->points)[3 * i + l];
        done = locate(w, point, &place);
        if (done) store(queries, i, &place);
    }
    if (w) {
        give_nodes(locate_in, w->nodes);
        free(w->cells);
        free(w->boxes);
    }
    free(w);
    return done;
}
