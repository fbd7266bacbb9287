/* The nearest point of a solid from outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cubic_jet.h"
#include "locate_searcher.h"

#define NEAR  (1 - 1e-6) /* so much of a distance is to be certain */
#define SHARE 1e-13      /* by which a squared distance may still fall */

/* ---- what is left ---- */

/* Adds to the heap, whose first one is the nearest. False: no memory. */
static bool add(clspi_searcher *w, near_box box)
{
    size_t at = w->num_boxes;

    if (at == w->box_room) {
        const size_t room = 2 * w->box_room + 256;
        void *const more = realloc(w->boxes, room * sizeof *w->boxes);
        if (!more) return false;
        w->boxes = more;
        w->box_room = room;
    }
    for (; at > 0 && w->boxes[(at - 1) / 2].distance > box.distance; at = (at - 1) / 2)
        w->boxes[at] = w->boxes[(at - 1) / 2];
    w->boxes[at] = box;
    w->num_boxes++;
    return true;
}

/* Takes the nearest one. */
static near_box take_first(clspi_searcher *w)
{
    const near_box first = w->boxes[0], last = w->boxes[--w->num_boxes];
    size_t at = 0, next;

    while ((next = 2 * at + 1) < w->num_boxes) {
        if (next + 1 < w->num_boxes && w->boxes[next + 1].distance < w->boxes[next].distance)
            next++;
        if (!(w->boxes[next].distance < last.distance)) break;
        w->boxes[at] = w->boxes[next];
        at = next;
    }
    w->boxes[at] = last;
    return first;
}

/* Adds what is at least so far away, unless it is hardly nearer than the best place. False: no
   memory. */
static bool add_near(clspi_searcher *w, const clspi_place_f64 *out, near_box box)
{
    if (box.distance < NEAR * out->residual) return add(w, box);
    w->excluded = less_of(w->excluded, box.distance);
    return true;
}

/* ---- the tree ---- */

static bool open_node(clspi_searcher *w, const clspi_place_f64 *out, uint32_t number)
{
    const clspi_solid_locate *const s = w->s;
    const clspi_surface_node *const node = &s->tree.nodes[number];
    const double q[3] = {w->q[0] * s->scale, w->q[1] * s->scale, w->q[2] * s->scale};
    double square[BOXES];
    bool done = true;

    distances_to(node, q, square);
    for (int k = 0; k < BOXES && done; k++)
        if (node->kid[k] != KIND_NONE)
            done = add_near(w, out,
                            (near_box){.distance = sqrt(square[k]) / s->scale * BOUND_LESS,
                                       .code = node->kid[k]});
    return done;
}

/* ---- parts ---- */

/* Takes a place of the cell at hand if it is the best one. */
static void take(clspi_searcher *w, clspi_place_f64 *out, uint32_t cell, double residual)
{
    const double distance = residual / w->cell->units.scale;

    if (!(distance < out->residual)) return;
    out->residual = distance;
    out->cell = cell;
    memcpy(out->t, w->t, sizeof out->t);
}

/* Finds the nearest place of a tricubic, and raises the bound below which the tricubic has no
   point. */
static void look_in_cubic(clspi_searcher *w, clspi_place_f64 *out, near_box *box, double *bound)
{
    double t[3], e[3] = {0};
    const double distance = clspi_searcher_nearest(w, box->part, SHARE, t, e);

    if (!(distance > 0)) return;
    const double away[3] = {-e[0] / distance, -e[1] / distance, -e[2] / distance};
    const double along = clspi_hull_along(box->part->points, CLSPI_CUBIC_POINTS, away, w->from);
    if (distance / w->cell->units.scale < out->residual) memcpy(w->towards, away, sizeof away);
    w->is_found = false;
    clspi_searcher_take(w, box->part, t, distance);
    take(w, out, box->code, distance);
    *bound = more_of(*bound, along);
}

/* Looks at a part that has its hull, and raises its bound. False: no memory. */
static bool look_at(clspi_searcher *w, clspi_place_f64 *out, near_box *box)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    const clspi_locate_node *const part = box->part;
    double bound = box->distance * w->cell->units.scale, along;

    if (!clspi_locate_along(w->nodes, part, w->towards, w->from, &along)) return false;
    bound = more_of(bound, along * BOUND_LESS);
    if (part->kind == CLSPI_PART_CUBIC && bound < NEAR * out->residual * w->cell->units.scale) {
        look_in_cubic(w, out, box, &bound);
    } else if (part->kind != CLSPI_PART_CELL && !part->is_loose) {
        w->is_found = false;
        clspi_searcher_take(w, part, middle, clspi_searcher_farthest(&part->hull, w->from));
        take(w, out, box->code, w->residual);
    }
    box->distance = more_of(box->distance, bound / w->cell->units.scale * BOUND_LESS);
    return true;
}

/* Adds the children of a part, which is so far away at least. False: no memory. */
static bool add_children(clspi_searcher *w, const clspi_place_f64 *out, const near_box *box)
{
    bool done = clspi_locate_open(w->nodes, box->part);

    for (uint32_t j = 0; j < CLSPI_CORNERS && done; j++) {
        clspi_locate_node *const child = clspi_locate_child(w->nodes, box->part, j);
        near_box next = {.distance = box->distance, .part = child, .code = box->code};
        if (!child || !clspi_locate_need_hull(w->nodes, child)) return false;
        const double distance =
            child->is_loose ? 0 : clspi_hull_distance(&child->hull, w->from, NULL);
        next.distance = more_of(next.distance, distance / w->cell->units.scale * BOUND_LESS);
        done = add_near(w, out, next);
        if (w->left > 0) w->left--;
    }
    return done;
}

/* Looks at a cell, or at a part of one. False: no memory. */
static bool open_part(clspi_searcher *w, clspi_place_f64 *out, near_box *box)
{
    double depth;
    const double distance = clspi_searcher_turn(w, box->code, &depth);

    if (!box->part) {
        box->distance = more_of(box->distance, distance / w->cell->units.scale * BOUND_LESS);
        box->part = clspi_locate_cell(w->nodes, box->code, &w->cell->units);
        if (!box->part || !clspi_locate_need_hull(w->nodes, box->part)) return false;
    }
    if (!look_at(w, out, box)) return false;
    if (box->distance < NEAR * out->residual && box->part->depth < CLSPI_LOCATE_DEPTH)
        return add_children(w, out, box);
    w->excluded = less_of(w->excluded, box->distance);
    return true;
}

bool clspi_searcher_outside(clspi_searcher *w, clspi_place_f64 *out)
{
    const clspi_solid_locate *const s = w->s;
    const double known = out->bound * s->source.shrink;
    bool done = true;

    memset(w->towards, 0, sizeof w->towards);
    w->num_boxes = 0;
    w->left = w->max_nodes;
    w->excluded = (double)INFINITY;
    clspi_locate_keep_all(w->nodes, true);
    if (s->root != KIND_NONE) done = add(w, (near_box){.code = s->root});
    while (done && w->num_boxes > 0) {
        near_box box = take_first(w);
        const bool is_node = !box.part && (box.code & KIND_MASK) == KIND_NODE;
        if (!(box.distance < NEAR * out->residual) || w->left == 0) {
            w->excluded = less_of(w->excluded, box.distance); /* and of all that are left */
            break;
        }
        box.code &= NUMBER_MASK;
        done = is_node ? open_node(w, out, box.code) : open_part(w, out, &box);
    }
    clspi_locate_keep_all(w->nodes, false);
    out->bound = more_of(known, less_of(w->excluded, out->residual * BOUND_LESS));
    out->bound /= s->source.shrink;
    out->residual /= s->source.shrink;
    return done;
}
