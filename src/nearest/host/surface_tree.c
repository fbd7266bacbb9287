/* Trees of boxes, up to eight to a node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface_parts.h"

enum { LANES = CLSPI_SURFACE_LANES };

clspi_surface_box clspi_surface_box_of(const clspi_surface_shape *shape, const double *controls)
{
    clspi_surface_box box = clspi_no_box();

    for (size_t k = 0; k < shape->reals; k += shape->lanes)
        for (uint32_t l = 0; l < LANES; l++) {
            const double w = shape->rational ? controls[k + shape->dim] : 1;
            const double x = l < shape->dim ? controls[k + l] / w : 0;
            const double slack = 4 * 0x1p-52 * fabs(x);
            if (x - slack < box.low[l]) box.low[l] = x - slack;
            if (x + slack > box.high[l]) box.high[l] = x + slack;
        }
    return box;
}

/* Returns twice the middle of a box. */
static double middle_of(const clspi_surface_item *item, int axis)
{
    return item->box.low[axis] + item->box.high[axis];
}

/* Chooses the axis along which the middles of boxes are farthest apart. */
static int longest_axis(const clspi_surface_item *items, size_t num)
{
    double longest = -1;
    int axis = 0;

    for (int l = 0; l < LANES; l++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < num; i++) {
            low = fmin(low, middle_of(&items[i], l));
            high = fmax(high, middle_of(&items[i], l));
        }
        if (high - low > longest) {
            longest = high - low;
            axis = l;
        }
    }
    return axis;
}

static void swap_items(clspi_surface_item *x, clspi_surface_item *y)
{
    const clspi_surface_item other = *x;

    *x = *y;
    *y = other;
}

/* Puts the items with the `first` least middles along an axis before the others (Hoare's selection;
   equal middles are shared out, so that many of them cost no more). */
static void select_items(clspi_surface_item *items, size_t num, size_t first, int axis)
{
    size_t low = 0, high = num - 1;

    while (low < high) {
        const double pivot = middle_of(&items[low + (high - low) / 2], axis);
        size_t i = low, j = high;
        for (;;) {
            while (middle_of(&items[i], axis) < pivot)
                i++;
            while (middle_of(&items[j], axis) > pivot)
                j--;
            if (i >= j) break;
            swap_items(&items[i++], &items[j--]);
        }
        if (first <= j)
            high = j;
        else
            low = j + 1;
    }
}

static uint32_t new_node(clspi_surface_parts *parts)
{
    if (parts->num_nodes == parts->node_room) {
        const size_t room = 2 * parts->node_room + 4;
        void *const more = realloc(parts->nodes, room * sizeof *parts->nodes);
        if (!more) return KIND_NONE;
        parts->nodes = more;
        parts->node_room = room;
    }
    clspi_surface_node *const node = &parts->nodes[parts->num_nodes];
    for (int k = 0; k < BOXES; k++) {
        node->kid[k] = KIND_NONE;
        for (int l = 0; l < LANES; l++) {
            node->box[l][0][k] = INFINITY;
            node->box[l][1][k] = -INFINITY;
        }
    }
    return KIND_NODE | (uint32_t)parts->num_nodes++;
}

/* Cuts items into up to eight groups of so many, the last one less, by halving their number along
   the longest axis three times. */
static void group_items(clspi_surface_item *items, size_t num, size_t group)
{
    if (num <= group) return;
    const size_t groups = (num + group - 1) / group, first = (groups + 1) / 2 * group;
    select_items(items, num, first, longest_axis(items, num));
    group_items(items, first, group);
    group_items(items + first, num - first, group);
}

bool clspi_surface_tree(clspi_surface_parts *parts, clspi_surface_item *items, size_t num,
                        uint32_t *root)
{
    size_t group = 1;

    *root = num == 1 ? items->code : KIND_NONE;
    if (num < 2) return true;
    while (group * BOXES < num)
        group *= BOXES;
    if (group > 1) group_items(items, num, group);
    *root = new_node(parts);
    if (*root == KIND_NONE) return false;
    for (size_t k = 0, at = 0; at < num; k++, at += group) {
        const size_t count = num - at < group ? num - at : group;
        clspi_surface_box box = clspi_no_box();
        uint32_t kid;
        for (size_t i = at; i < at + count; i++)
            clspi_box_join(&box, &items[i].box);
        if (!clspi_surface_tree(parts, items + at, count, &kid)) return false;
        clspi_surface_node *const node = &parts->nodes[*root & NUMBER_MASK];
        node->kid[k] = kid;
        for (int l = 0; l < LANES; l++) {
            node->box[l][0][k] = box.low[l];
            node->box[l][1][k] = box.high[l];
        }
    }
    return true;
}
