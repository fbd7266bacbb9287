#include "seam_edge.h"

#include <float.h>
#include <math.h>

enum { TRIANGLE_SIDES = 3 };

int seam_num_sides(const bezierview_type *type)
{
    return type->form == BEZIERVIEW_TRIANGLE ? TRIANGLE_SIDES : SURFACE_SIDES;
}

/* Whether a side runs along u; all sides of a triangle count as such. */
static bool along_u(const bezierview_type *type, int side)
{
    return type->form == BEZIERVIEW_TRIANGLE || side >= 2;
}

size_t seam_side_length(const bezierview_type *type, int side, size_t num_u, size_t num_v)
{
    return along_u(type, side) ? num_u : num_v;
}

size_t seam_side_place(const bezierview_type *type, int side, size_t num_u, size_t num_v, size_t i)
{
    if (type->form == BEZIERVIEW_TRIANGLE) {
        size_t column = i * num_u - i * (i - 1) / 2; /* (i, 0) */
        return side == 0 ? i : side == 1 ? column : column + (num_u - 1 - i);
    }
    switch (side) {
    case 0:
        return i;
    case 1:
        return (num_u - 1) * num_v + i;
    case 2:
        return i * num_v;
    default:
        return i * num_v + (num_v - 1);
    }
}

size_t seam_corner_number(const seam_edge *e, bool at_end)
{
    static const unsigned char surface[SURFACE_SIDES][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    static const unsigned char triangle[TRIANGLE_SIDES][2] = {{0, 1}, {0, 2}, {1, 2}};
    const int end = at_end != e->reversed;
    const bool is_triangle = e->type->form == BEZIERVIEW_TRIANGLE;
    return SURFACE_SIDES * e->patch +
           (is_triangle ? triangle[e->side][end] : surface[e->side][end]);
}

size_t seam_num_controls(const seam_edge *e)
{
    return seam_side_length(e->type, e->side, (size_t)e->type->degree_u + 1,
                            (size_t)e->type->degree_v + 1);
}

const double *seam_control(const seam_edge *e, bool reversed, size_t i)
{
    size_t count = seam_num_controls(e);
    size_t place = seam_side_place(e->type, e->side, (size_t)e->type->degree_u + 1,
                                   (size_t)e->type->degree_v + 1, reversed ? count - 1 - i : i);
    return e->points + place * bezierview_coordinates(e->type);
}

void seam_get_place(const bezierview_type *type, const double *point, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = type->rational ? point[axis] / point[3] : point[axis];
}

/* Whether two control points are one but for the distance and the rounding of their weights. */
static bool same_place(const seam_edge *e, const double *a, const double *b)
{
    const double slack = e->type->rational ? 4 * DBL_EPSILON : 0;
    double p[3], q[3], apart = 0;
    bool same = true;
    seam_get_place(e->type, a, p);
    seam_get_place(e->type, b, q);
    for (int axis = 0; axis < 3; axis++) {
        apart = hypot(apart, p[axis] - q[axis]);
        if (!(fabs(p[axis] - q[axis]) <= slack * fabs(p[axis]))) same = false;
    }
    return same || apart <= e->distance;
}

bool seam_collapsed(const seam_edge *e)
{
    size_t count = seam_num_controls(e);
    for (size_t i = 1; i < count; i++)
        if (!same_place(e, seam_control(e, e->reversed, 0), seam_control(e, e->reversed, i)))
            return false;
    return true;
}

size_t seam_direction(const seam_edge *e)
{
    return 2 * e->patch + (along_u(e->type, e->side) ? 0 : 1);
}
