#include "camera.h"

#include <math.h>

static const double view_distance =
    5;                             /* in half diagonals of the bounding box: little perspective */
static const double margin = 0.84; /* of the picture that the mesh may fill */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The axis that points up. */
static int choose_up(camera_up up, const double size[3])
{
    if (up != CAMERA_UP_AUTO) return (int)up - (int)CAMERA_UP_X;
    return size[1] > 2.5 * fmax(size[0], size[2]) ? 2 : 1;
}

/* Sets the three axes: the wider of the two sides across, turned and tilted. */
static void aim(camera *c, const camera_view *view, const double size[3])
{
    const double turn = view->turn, tilt = view->tilt;
    const int up_axis = c->up_axis;
    double across[3] = {0, 0, 0}, deep[3] = {0, 0, 0}, up[3] = {0, 0, 0};
    int a = (up_axis + 2) % 3, b = (up_axis + 1) % 3; /* across x up = deep */
    up[up_axis] = 1;
    if (size[b] > 1.5 * size[a]) { /* a quarter turn */
        across[b] = 1;
        deep[a] = -1;
    } else {
        across[a] = 1;
        deep[b] = 1;
    }
    for (int axis = 0; axis < 3; axis++) {
        double level = cos(turn) * deep[axis] + sin(turn) * across[axis];
        c->right[axis] = cos(turn) * across[axis] - sin(turn) * deep[axis];
        c->toward[axis] = cos(tilt) * level + sin(tilt) * up[axis];
        c->up[axis] = cos(tilt) * up[axis] - sin(tilt) * level;
    }
}

void camera_project(const camera *c, const double position[3], double *x, double *y, double *w)
{
    double p[3];
    for (int axis = 0; axis < 3; axis++)
        p[axis] = position[axis] / c->unit - c->center[axis] / c->unit;
    *w = 1 / (view_distance - dot(p, c->toward));
    *x = dot(p, c->right) * *w;
    *y = -dot(p, c->up) * *w;
}

double camera_pixel_length(const camera *c, double w)
{
    /* The derivative of (x, y) / depth has norm sqrt(1 + (x^2 + y^2) / depth^2) / depth, with the
       root at most sqrt(1 + 1 / 24) for points within a unit of the center. The rest of the factor
       is for a surface that reaches a little out of its mesh's box. */
    static const double stretch = 1.05;
    const double nearest = 1 / (view_distance - 1);
    if (!(w > 0) || w > nearest) w = nearest;
    return c->unit / (c->scale * w * stretch);
}

/* Scales and shifts the image plane so that the mesh fills the picture. */
static void fit(camera *c, const mesh *m, double zoom, double width, double height)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < m->num_vertices; i++) {
        double at[2], w;
        camera_project(c, m->positions + 3 * i, &at[0], &at[1], &w);
        if (!isfinite(at[0]) || !isfinite(at[1])) continue;
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double wide = fmax(high[0] - low[0], 1e-6), tall = fmax(high[1] - low[1], 1e-6);
    c->scale = zoom * margin * fmin(width / wide, height / tall);
    c->shift[0] = width / 2 - c->scale * (low[0] + high[0]) / 2;
    c->shift[1] = height / 2 - c->scale * (low[1] + high[1]) / 2;
}

camera camera_place(const mesh *m, const camera_view *view, double width, double height)
{
    camera c = {.unit = 0};
    double low[3], high[3], half[3];
    mesh_bounds(m, low, high);
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = high[axis] / 2 - low[axis] / 2; /* halves first: the difference may overflow */
        c.center[axis] = low[axis] / 2 + high[axis] / 2;
        c.unit = hypot(c.unit, half[axis]);
    }
    if (!(c.unit > 0) || !isfinite(c.unit)) c.unit = 1;
    c.up_axis = choose_up(view->up, half);
    c.ground = low[c.up_axis];
    aim(&c, view, half);
    fit(&c, m, view->zoom, width, height);
    return c;
}
