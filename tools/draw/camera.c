#include "camera.h"

#include <math.h>

static const double view_distance = CAMERA_DISTANCE;
static const double margin = 0.84; /* of the picture that the mesh may fill */
static const double right_angle = 1.57079632679489662;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The axis that points up, and whether it points down. */
static int choose_up(camera_up up, const double size[3], bool *turned)
{
    *turned = up >= CAMERA_UP_MINUS_X;
    if (up != CAMERA_UP_AUTO) return ((int)up - (int)CAMERA_UP_X) % 3;
    return size[1] > 2.5 * fmax(size[0], size[2]) ? 2 : 1;
}

/* Sets the axes to count from: the wider of the two sides is across. */
static void choose_front(camera *c, int up_axis, bool turned, const double size[3])
{
    const double sign = turned ? -1 : 1;
    int a = (up_axis + 2) % 3, b = (up_axis + 1) % 3; /* across x up = front */
    for (int axis = 0; axis < 3; axis++)
        c->across[axis] = c->front[axis] = c->vertical[axis] = 0;
    c->vertical[up_axis] = sign;
    if (size[b] > 1.5 * size[a]) { /* a quarter turn */
        c->across[b] = 1;
        c->front[a] = -sign;
    } else {
        c->across[a] = 1;
        c->front[b] = sign;
    }
}

/* Divides a vector by its length, whatever that is. */
static void make_unit(double v[3])
{
    const double largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    for (int k = 0; k < 3; k++)
        v[k] /= largest;
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

/* How far a point is above the center along what points up, in units. */
static double height_of(const camera *c, const double position[3])
{
    double p[3];
    for (int axis = 0; axis < 3; axis++)
        p[axis] = position[axis] / c->unit - c->center[axis] / c->unit;
    return dot(p, c->vertical);
}

/* Tilts the axes to count from as little as lets one point up that is none of the mesh's space,
   and finds where the mesh stands. */
static void choose_slanted(camera *c, const mesh *m, const double along[3], const double size[3])
{
    double up[3] = {along[0], along[1], along[2]};
    int nearest = 0;
    make_unit(up);
    for (int k = 1; k < 3; k++)
        if (fabs(up[k]) > fabs(up[nearest])) nearest = k;
    choose_front(c, nearest, up[nearest] < 0, size);
    const double lean = dot(c->across, up);
    for (int k = 0; k < 3; k++) {
        c->vertical[k] = up[k];
        c->across[k] -= lean * up[k];
    }
    make_unit(c->across);
    for (int k = 0; k < 3; k++) /* across x up */
        c->front[k] =
            c->across[(k + 1) % 3] * up[(k + 2) % 3] - c->across[(k + 2) % 3] * up[(k + 1) % 3];
    c->up_axis = CAMERA_NO_AXIS;
    c->ground = HUGE_VAL;
    for (size_t i = 0; i < m->num_vertices; i++)
        c->ground = fmin(c->ground, height_of(c, m->positions + 3 * i));
    if (!isfinite(c->ground)) c->ground = 0;
}

/* Finds the axis that a direction runs along, with its sign. False where it is between axes. */
static bool find_axis(const double along[3], camera_up *up)
{
    int num = 0;
    for (int k = 0; k < 3; k++)
        if (along[k] != 0) {
            *up = (camera_up)((along[k] > 0 ? CAMERA_UP_X : CAMERA_UP_MINUS_X) + k);
            num++;
        }
    return num == 1;
}

void camera_flatten(const camera *c, double position[3])
{
    if (c->up_axis != CAMERA_NO_AXIS) {
        position[c->up_axis] = c->ground;
        return;
    }
    const double above = (height_of(c, position) - c->ground) * c->unit;
    for (int k = 0; k < 3; k++)
        position[k] -= above * c->vertical[k];
}

/* Sets the three axes: those to count from, turned and tilted. */
static void aim(camera *c)
{
    const double turn = c->turn, tilt = c->tilt;
    for (int axis = 0; axis < 3; axis++) {
        double level = cos(turn) * c->front[axis] + sin(turn) * c->across[axis];
        c->right[axis] = cos(turn) * c->across[axis] - sin(turn) * c->front[axis];
        c->toward[axis] = cos(tilt) * level + sin(tilt) * c->vertical[axis];
        c->up[axis] = cos(tilt) * c->vertical[axis] - sin(tilt) * level;
    }
}

/* Sets turn and tilt so that the camera looks in a direction; one of no length, along `front`. */
static void look_along(camera *c, const double direction[3])
{
    const double front = -dot(direction, c->front), across = -dot(direction, c->across);
    const double level = hypot(front, across), high = -dot(direction, c->vertical);
    c->turn = level > 0 ? atan2(across, front) : 0;
    c->tilt = level > 0 || high != 0 ? atan2(high, level) : 0;
}

void camera_project(const camera *c, const double position[3], double *x, double *y, double *w)
{
    double p[3];
    for (int axis = 0; axis < 3; axis++)
        p[axis] = position[axis] / c->unit - c->center[axis] / c->unit;
    const double depth = view_distance - dot(p, c->toward);
    *w = 1 / depth;
    const double shrink = c->orthographic ? 1 / view_distance : *w;
    if (c->orthographic) *w = (2 * view_distance - depth) / (view_distance * view_distance);
    *x = dot(p, c->right) * shrink;
    *y = -dot(p, c->up) * shrink;
}

double camera_pixel_length(const camera *c, double w)
{
    /* The derivative of (x, y) / depth has norm sqrt(1 + (x^2 + y^2) / depth^2) / depth, with the
       root at most sqrt(1 + 1 / 24) for points within a unit of the center. The rest of the factor
       is for a surface that reaches a little out of its mesh's box. */
    static const double stretch = 1.05;
    if (c->orthographic) return c->unit * view_distance / c->scale;
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
    camera c = {.turn = view->turn,
                .tilt = view->tilt,
                .orthographic = view->orthographic,
                .width = width,
                .height = height};
    bool turned;
    double low[3], high[3], half[3];
    mesh_bounds(m, low, high);
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = high[axis] / 2 - low[axis] / 2; /* halves first: the difference may overflow */
        c.center[axis] = low[axis] / 2 + high[axis] / 2;
        c.unit = hypot(c.unit, half[axis]);
    }
    if (!(c.unit > 0) || !isfinite(c.unit)) c.unit = 1;
    camera_up up = view->up;
    if (view->has_up && !find_axis(view->up_along, &up)) {
        choose_slanted(&c, m, view->up_along, half);
    } else {
        c.up_axis = choose_up(up, half, &turned);
        c.ground = turned ? high[c.up_axis] : low[c.up_axis];
        choose_front(&c, c.up_axis, turned, half);
    }
    if (view->has_direction) look_along(&c, view->direction);
    aim(&c);
    fit(&c, m, view->zoom, width, height);
    return c;
}

/* ---- moves ---- */

void camera_look(camera *c, double turn, double tilt)
{
    c->turn = remainder(turn, 4 * right_angle);
    c->tilt = fmin(fmax(tilt, -right_angle), right_angle);
    aim(c);
}

void camera_look_from(camera *c, camera_side side)
{
    static const double quarters[][2] = {
        [CAMERA_FRONT] = {0, 0}, [CAMERA_BACK] = {2, 0}, [CAMERA_LEFT] = {-1, 0},
        [CAMERA_RIGHT] = {1, 0}, [CAMERA_TOP] = {0, 1},  [CAMERA_BOTTOM] = {0, -1}};
    camera_look(c, quarters[side][0] * right_angle, quarters[side][1] * right_angle);
}

void camera_orbit(camera *c, double turn, double tilt)
{
    camera_look(c, c->turn + turn, c->tilt + tilt);
}

void camera_pan(camera *c, double x, double y)
{
    c->shift[0] += x;
    c->shift[1] += y;
}

void camera_zoom(camera *c, double factor, double x, double y)
{
    c->scale *= factor;
    c->shift[0] = x + (c->shift[0] - x) * factor;
    c->shift[1] = y + (c->shift[1] - y) * factor;
}

void camera_resize(camera *c, double width, double height)
{
    const double factor = fmin(width, height) / fmin(c->width, c->height);
    camera_zoom(c, factor, 0, 0);
    camera_pan(c, (width - factor * c->width) / 2, (height - factor * c->height) / 2);
    c->width = width;
    c->height = height;
}

/* ---- matrices ---- */

void camera_view_matrix(const camera *c, const double origin[3], float matrix[16])
{
    const double *const axes[3] = {c->right, c->up, c->toward};
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = c->center[k] / c->unit - (origin ? origin[k] / c->unit : 0);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            matrix[4 * column + row] = (float)(axes[row][column] / c->unit);
        matrix[12 + row] = (float)(-dot(axes[row], from) - (row == 2 ? view_distance : 0));
    }
    for (int column = 0; column < 4; column++)
        matrix[4 * column + 3] = column == 3 ? 1.0f : 0.0f;
}

void camera_projection_matrix(const camera *c, float matrix[16])
{
    static const double near = 1, far = 2 * CAMERA_DISTANCE - 1;
    const double scale[2] = {2 * c->scale / c->width, 2 * c->scale / c->height};
    const double middle[2] = {2 * c->shift[0] / c->width - 1, 1 - 2 * c->shift[1] / c->height};
    const int last = c->orthographic ? 3 : 2; /* the column that the picture's middle goes with */
    for (int i = 0; i < 16; i++)
        matrix[i] = 0;
    for (int k = 0; k < 2; k++) {
        matrix[5 * k] = (float)(c->orthographic ? scale[k] / view_distance : scale[k]);
        matrix[4 * last + k] = (float)(c->orthographic ? middle[k] : -middle[k]);
    }
    matrix[10] = (float)(c->orthographic ? -2 / (far - near) : -(far + near) / (far - near));
    matrix[14] =
        (float)(c->orthographic ? -(far + near) / (far - near) : -2 * far * near / (far - near));
    matrix[11] = c->orthographic ? 0.0f : -1.0f;
    matrix[15] = c->orthographic ? 1.0f : 0.0f;
}
