#include "class_descent.h"
#include "class_trees.h"

/* A parameter along the axes of a slice, on its way to a regular child. */
typedef struct slice_place {
    double t[2];
    uint32_t node, depth;
} slice_place;

/* Goes down from a node to a table. */
static void go_down(const clspi_class_trees *trees, slice_place *at)
{
    for (; !(at->node & CLSPI_TREE_TABLE); at->depth++) {
        uint32_t child = 0;
        for (uint32_t i = 0; i < 2; i++) {
            const double twice = 2.0 * at->t[i];
            child |= (uint32_t)(twice >= 1.0) << i;
            at->t[i] = twice >= 1.0 ? twice - 1.0 : twice;
        }
        at->node = trees->words[at->node + child];
    }
}

/* Computes the products of the B-splines along a slice. */
static void make_products(const slice_place *at, const uint8_t by[2], double product[16])
{
    double p[4], q[4];

    clspi_span_weights(at->t[0], by[0], p);
    clspi_span_weights(at->t[1], by[1], q);
    for (uint32_t i = 0; i < 16; i++)
        product[i] = (double)(1u << at->depth * (by[0] + by[1])) * p[i / 4] * q[i % 4];
}

bool clspi_tree_weights(const clspi_class_trees *trees, const clspi_class_set *set, uint32_t number,
                        const double t[3], const uint8_t by[3], double *row)
{
    const clspi_cell_class *const of = &set->entry[number];
    const uint32_t record = trees->words[number], axis = of->axis;
    const uint32_t p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2;
    double product[16], across[4];

    if (axis == CLSPI_NO_AXIS || !record) return false;
    slice_place at = {.t = {t[p], t[q]}, .node = trees->words[record + 1]};
    go_down(trees, &at);
    if (at.depth > CLSPI_TREE_DEPTH) return false;
    make_products(&at, (const uint8_t[2]){by[p], by[q]}, product);
    clspi_layer_weights(of, t[axis], by[axis], across);
    const double *const table = trees->reals + 4 * (size_t)(at.node & ~CLSPI_TREE_TABLE);
    for (size_t k = 0; k < of->num_slice; k++) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        for (size_t i = 0; i < 16; i++)
            sum[i % 4] += table[16 * k + i] * product[i];
        clspi_column_set(of, k, (sum[0] + sum[1]) + (sum[2] + sum[3]), across, row);
    }
    return true;
}
