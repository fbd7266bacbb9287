#include "point_tree.h"

#include <math.h>

enum { FEW = 8 /* points that are compared one by one */ };

/* ---- making ---- */

static void swap(double *points, size_t a, size_t b)
{
    for (size_t k = 0; k < 3; k++) {
        const double kept = points[3 * a + k];
        points[3 * a + k] = points[3 * b + k];
        points[3 * b + k] = kept;
    }
}

/* Finds the axis along which points from `first` to before `end` extend most. */
static uint8_t widest(const double *points, size_t first, size_t end)
{
    double most = -1;
    uint8_t axis = 0;
    for (uint8_t k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = first; i < end; i++) {
            low = fmin(low, points[3 * i + k]);
            high = fmax(high, points[3 * i + k]);
        }
        if (!(high / 2 - low / 2 > most)) continue;
        most = high / 2 - low / 2;
        axis = k;
    }
    return axis;
}

/* Orders points so that those before the middle are not above it along an axis, and those behind
   not below (Hoare's selection). */
static void divide(double *points, size_t first, size_t end, size_t middle, uint8_t axis)
{
    while (end - first > 1) {
        const double pivot = points[3 * (first + (end - first - 1) / 2) + axis];
        size_t i = first, k = end - 1;
        for (;;) {
            while (points[3 * i + axis] < pivot)
                i++;
            while (points[3 * k + axis] > pivot)
                k--;
            if (i >= k) break;
            swap(points, i++, k--);
        }
        if (middle <= k)
            end = k + 1;
        else
            first = k + 1;
    }
}

static void make(point_tree *t, size_t first, size_t end)
{
    while (end - first > FEW) {
        const size_t middle = first + (end - first) / 2;
        t->axes[middle] = widest(t->points, first, end);
        divide(t->points, first, end, middle, t->axes[middle]);
        make(t, first, middle);
        first = middle + 1;
    }
}

void point_tree_make(point_tree *t, double *points, uint8_t *axes, size_t num)
{
    *t = (point_tree){points, axes, num};
    make(t, 0, num);
}

/* ---- searching ---- */

static double square_to(const double *point, const double place[3])
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++)
        sum += (point[k] - place[k]) * (point[k] - place[k]);
    return sum;
}

/* Lowers *best to the square of the distance to the nearest point of a range. */
static void search(const point_tree *t, size_t first, size_t end, const double place[3],
                   double *best)
{
    while (end - first > FEW) {
        const size_t middle = first + (end - first) / 2;
        const uint8_t axis = t->axes[middle];
        const double above = place[axis] - t->points[3 * middle + axis];
        *best = fmin(*best, square_to(t->points + 3 * middle, place));
        if (above < 0)
            search(t, first, middle, place, best);
        else
            search(t, middle + 1, end, place, best);
        if (above * above >= *best) return;
        if (above < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < end; first++)
        *best = fmin(*best, square_to(t->points + 3 * first, place));
}

double point_tree_distance(const point_tree *t, const double place[3])
{
    double best = HUGE_VAL;
    if (isnan(place[0]) || isnan(place[1]) || isnan(place[2])) return NAN;
    search(t, 0, t->num, place, &best);
    return sqrt(best);
}
