#include "class_descent.h"
#include "class_trees.h"

bool clspi_tree_columns(const clspi_class_trees *trees, uint32_t number, const double t[3],
                        clspi_point_columns *columns, double at[3])
{
    const uint32_t *const record = trees->words + trees->words[number];
    const uint32_t axis = record[0] >> 1 & 3, p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2;
    uint32_t node = record[1], depth = 0;

    if (trees->words[number] == 0 || !(record[0] & CLSPI_TREE_SLICES)) return false;
    at[0] = t[p];
    at[1] = t[q];
    at[2] = t[axis];
    for (; !(node & CLSPI_TREE_TABLE); depth++) {
        uint32_t child = 0;
        for (uint32_t i = 0; i < 2; i++) {
            const double twice = 2.0 * at[i];
            child |= (uint32_t)(twice >= 1.0) << i;
            at[i] = twice >= 1.0 ? twice - 1.0 : twice;
        }
        node = trees->words[node + child];
    }
    const double slope = (double)(1u << depth);
    *columns = (clspi_point_columns){.layers = record + 2,
                                     .num = record[0] >> 5,
                                     .table = trees->reals + 4 * (size_t)(node & ~CLSPI_TREE_TABLE),
                                     .axis = {(uint8_t)p, (uint8_t)q, (uint8_t)axis},
                                     .is_beyond = {record[0] >> 3 & 1, record[0] >> 4 & 1},
                                     .slope = {slope, slope, 1.0}};
    return depth <= CLSPI_TREE_DEPTH;
}

/* Computes the products of the B-splines across columns. */
static void make_products(const double t[2], double slope, const uint8_t by[2], double product[16])
{
    double p[4], q[4], factor = 1.0;

    clspi_span_weights(t[0], by[0], p);
    clspi_span_weights(t[1], by[1], q);
    for (uint32_t n = 0; n < (uint32_t)by[0] + by[1]; n++)
        factor *= slope;
    for (uint32_t i = 0; i < 16; i++)
        product[i] = factor * p[i / 4] * q[i % 4];
}

bool clspi_tree_weights(const clspi_class_trees *trees, const clspi_class_set *set, uint32_t number,
                        const double t[3], const uint8_t by[3], double *row)
{
    const clspi_cell_class *const of = &set->entry[number];
    clspi_point_columns columns;
    double at[3], product[16], across[4];

    if (of->axis == CLSPI_NO_AXIS || !clspi_tree_columns(trees, number, t, &columns, at))
        return false;
    make_products(at, columns.slope[0],
                  (const uint8_t[2]){by[columns.axis[0]], by[columns.axis[1]]}, product);
    clspi_layer_weights(of, t[of->axis], by[of->axis], across);
    for (size_t k = 0; k < of->num_slice; k++) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        for (size_t i = 0; i < 16; i++)
            sum[i % 4] += columns.table[16 * k + i] * product[i];
        clspi_column_set(of, k, (sum[0] + sum[1]) + (sum[2] + sum[3]), across, row);
    }
    return true;
}
