#include "surface_boxes.h"

#include <string.h>

#include "surface_step.h"

enum { LANES = CLSPI_SURFACE_LANES };

/* Returns the square of how far outside of box k a coordinate is. */
CLSPI_INLINE double outside(double box[2][BOXES], int k, double q)
{
    const double x = most_of(most_of(box[0][k] - q, q - box[1][k]), 0);

    return x * x;
}

/* Coordinates beyond dim are 0, as those of the query. */
CLSPI_INLINE void distances_to(clspi_surface_node *node, uint32_t dim, const double *q,
                               double *distance)
{
    const double x = q[0], y = q[1], z = q[2];

    for (int k = 0; k < BOXES; k++)
        distance[k] =
            outside(node->box[0], k, x) + outside(node->box[1], k, y) + outside(node->box[2], k, z);
    if (dim < LANES) return;
    for (int k = 0; k < BOXES; k++)
        distance[k] += outside(node->box[3], k, q[3]);
}

/* Makes numbers of distances, mostly in their order: by the bits of a float, of which the last
   three tell equal ones apart. -1: it is too far, and the others' are not negative. */
CLSPI_INLINE void box_keys(const double *distance, double limit, int32_t *key)
{
    const float most = (float)limit;
    float near[BOXES];

    for (int k = 0; k < BOXES; k++)
        near[k] = (float)distance[k];
    memcpy(key, near, sizeof near);
    for (int k = 0; k < BOXES; k++) {
        const int32_t number = (key[k] & ~(BOXES - 1)) + (BOXES - 1 - k);
        key[k] = near[k] <= most ? number : -1;
    }
}

#ifdef CLSPI_VECTOR
/* All that is less than one of them at a time: left to themselves, compilers make a sum of each. */
typedef int32_t box_numbers CLSPI_VECTOR(BOXES * sizeof(int32_t));
#endif

/* Counts those that are farther than each. */
CLSPI_INLINE void count_farther(const int32_t *key, int32_t *num)
{
#ifdef CLSPI_VECTOR
    box_numbers keys, sum = {0};
    memcpy(&keys, key, sizeof keys);
    for (int m = 0; m < BOXES; m++)
        sum -= keys < key[m];
    memcpy(num, &sum, sizeof sum);
#else
    for (int k = 0; k < BOXES; k++) {
        num[k] = 0;
        for (int m = 0; m < BOXES; m++)
            num[k] += key[k] < key[m];
    }
#endif
}

uint32_t clspi_surface_boxes_put(clspi_surface_node *node, uint32_t dim, const double *q,
                                 double limit, double *distances, uint32_t *codes)
{
    double distance[BOXES];
    int32_t key[BOXES], rank[BOXES], num = BOXES;

    distances_to(node, dim, q, distance);
    box_keys(distance, limit, key);
    count_farther(key, rank);
    for (int k = 0; k < BOXES; k++)
        num -= key[k] < 0;
    for (int k = 0; k < BOXES; k++) {
        distances[rank[k]] = distance[k];
        codes[rank[k]] = node->kid[k];
    }
    return (uint32_t)num;
}
