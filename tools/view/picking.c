#include "picking.h"

#include <math.h>

/* Projects a point to pixels. Returns what is larger nearer to the viewer. */
static double project(const camera *c, const double point[3], double pixel[2])
{
    double x, y, w;
    camera_project(c, point, &x, &y, &w);
    pixel[0] = c->scale * x + c->shift[0];
    pixel[1] = c->scale * y + c->shift[1];
    return w;
}

size_t picking_find(const camera *c, const double *points, size_t num, const double pixel[2],
                    double radius)
{
    size_t found = SIZE_MAX;
    double nearest = radius, front = 0, at[2];
    for (size_t i = 0; i < num; i++) {
        const double w = project(c, points + 3 * i, at);
        const double distance = hypot(at[0] - pixel[0], at[1] - pixel[1]);
        if (!(distance <= radius)) continue;
        const bool is_nearer = distance < nearest - 1, is_alike = distance <= nearest + 1;
        if (found != SIZE_MAX && !is_nearer && !(is_alike && w > front)) continue;
        found = i;
        nearest = fmin(nearest, distance);
        front = w;
    }
    return found;
}

/* The length in the mesh's space of a pixel at a point. */
static double pixel_length(const camera *c, const double point[3])
{
    double x, y, w;
    camera_project(c, point, &x, &y, &w);
    return c->unit / (c->scale * (c->orthographic ? 1 / CAMERA_DISTANCE : w));
}

void picking_plane_way(const camera *c, const double point[3], const double pixels[2],
                       double way[3])
{
    const double length = pixel_length(c, point);
    for (int k = 0; k < 3; k++)
        way[k] = length * (pixels[0] * c->right[k] - pixels[1] * c->up[k]);
}

void picking_axis_way(const camera *c, const double point[3], int axis, const double pixels[2],
                      double way[3])
{
    const double step = 1e-3 * c->unit;
    double ahead[3] = {point[0], point[1], point[2]}, from[2], to[2];
    ahead[axis] += step;
    project(c, point, from);
    project(c, ahead, to);
    const double along[2] = {(to[0] - from[0]) / step, (to[1] - from[1]) / step};
    const double square = along[0] * along[0] + along[1] * along[1];
    const double most = c->scale / (c->unit * CAMERA_DISTANCE); /* pixels that a length may have */
    way[0] = way[1] = way[2] = 0;
    if (square < 1e-4 * most * most) return;
    way[axis] = (pixels[0] * along[0] + pixels[1] * along[1]) / square;
}
