/* Points at parameters by plain loops of C, on all cores where there is OpenMP: one point after the
   other from the values of the basis functions there. Nothing here is the library's. */
#ifndef BENCH_HOST_LISTS_H
#define BENCH_HOST_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lists of points of three coordinates. out: [num][3], or [9] with the derivatives along u and v
   behind the points of surfaces. Reals are of float or double, as is_double says. */
typedef struct host_list {
    bool is_double, has_derivatives;
    size_t num;
    const uint32_t *item; /* [num]: the patch of each */
    const void *params;   /* [num][directions] */
    const void *points;   /* control points, [3] each */
    void *out;
    size_t order;      /* degree + 1, at most HOST_LIST_ORDER */
    size_t controls;   /* of B-splines, along each direction */
    const void *knots; /* of them, [controls + order], of all directions */
} host_list;

enum { HOST_LIST_ORDER = 16 };

/* Bezier surfaces, [patches][order][order]. */
void host_list_bezier(const host_list *list);

/* B-spline curves, [controls], and surfaces, [controls][controls], one of each. */
void host_list_curve(const host_list *list);
void host_list_surface(const host_list *list);

#endif
