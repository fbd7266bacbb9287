#include "raster_drawing.h"

#include <math.h>
#include <stdlib.h>

#include "mesh_shape.h"
#include "normals.h"

/* Half the width of curves and of dark lines, the radius of points, and how much nearer than their
   place lines and points are, in pixels. */
#define CURVE_WIDTH  2.0f
#define EDGE_WIDTH   0.6f
#define POINT_RADIUS 2.5f
#define EDGE_LIFT    1.5
#define POINT_LIFT   2.5

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Turns a direction into the camera's axes. */
static void turn(const camera *c, const double direction[3], float turned[3])
{
    turned[0] = (float)dot(direction, c->right);
    turned[1] = (float)dot(direction, c->up);
    turned[2] = (float)dot(direction, c->toward);
}

/* ---- vertices ---- */

static size_t first_corner(const mesh *m)
{
    return m->num_grid_faces > 0 ? m->face_ends[m->num_grid_faces - 1] : 0;
}

/* Makes room for the vertices; false when memory runs out. */
static bool begin(drawing *d, const mesh *m, const raster_paint *paint, const camera *c)
{
    *d = (drawing){.m = m, .paint = paint, .view = c};
    if (paint->cut) d->side = c->toward[paint->cut->axis] < 0 ? -1 : 1;
    d->vertices = calloc(m->num_vertices + m->num_corners - first_corner(m) + 1, sizeof(vertex));
    return d->vertices;
}

/* Gives a vertex its place on the picture. */
static void project(const drawing *d, const double position[3], vertex *v)
{
    const camera *c = d->view;
    double x, y, w;
    camera_project(c, position, &x, &y, &w);
    v->x = (float)(c->scale * x + c->shift[0]);
    v->y = (float)(c->scale * y + c->shift[1]);
    v->w = (float)w;
}

/* Tells how far a vertex, which is projected, is beyond the cut. */
static void set_beyond(const drawing *d, const double position[3], vertex *v)
{
    const raster_cut *cut = d->paint->cut;
    const camera *c = d->view;
    if (!cut) return;
    const double beyond = d->side * (position[cut->axis] / c->unit - cut->height / c->unit);
    v->beyond = (float)(c->orthographic ? beyond : beyond * (double)v->w);
}

/* Gives a vertex the place of its value in the map of colours. */
static void set_place(const drawing *d, size_t i)
{
    const raster_paint *p = d->paint;
    const unsigned char *own = p->colors.kind == COLORING_OWN ? d->m->colors + 3 * i : NULL;
    const bool has_value = p->values && !p->of_faces && i >= p->first_point;
    d->vertices[i].place = own ? (float)((uint32_t)own[0] << 16 | (uint32_t)own[1] << 8 | own[2])
                           : has_value
                               ? (float)coloring_place(&p->colors, p->values[i - p->first_point])
                               : NAN;
}

/* Adds vertices for the corners of polyhedra, with normals of their faces, and of pieces, with
   those of the vertices, behind those of the mesh. */
static bool add_corners(drawing *d)
{
    const mesh *m = d->m;
    const size_t first = first_corner(m);
    if (m->num_corners == first) return true;
    double *normals = m->is_pieced ? NULL : mesh_corner_normals(m, m->num_grid_faces);
    if (!normals && !m->is_pieced) return false;
    for (size_t i = first; i < m->num_corners; i++) {
        vertex *corner = &d->vertices[m->num_vertices + i - first];
        *corner = d->vertices[m->corners[i]];
        if (normals) turn(d->view, normals + 3 * (i - first), corner->normal);
    }
    free(normals);
    return true;
}

bool drawing_open(drawing *d, const mesh *m, const raster_paint *paint, const camera *c)
{
    if (!begin(d, m, paint, c)) return false;
    d->pixel = RASTER_SUB;
    for (size_t i = 0; i < m->num_vertices; i++) {
        vertex *v = &d->vertices[i];
        project(d, m->positions + 3 * i, v);
        set_beyond(d, m->positions + 3 * i, v);
        set_place(d, i);
        turn(c, m->normals + 3 * i, v->normal);
    }
    return add_corners(d);
}

bool drawing_open_flat(drawing *d, const mesh *m, const raster_paint *paint, const camera *c,
                       size_t margin)
{
    if (!begin(d, m, paint, c)) return false;
    d->pixel = 1;
    for (size_t i = 0; i < m->num_vertices; i++) {
        double x, y, w, p[3];
        for (size_t axis = 0; axis < 3; axis++)
            p[axis] = m->positions[3 * i + axis];
        camera_flatten(c, p);
        camera_project(c, p, &x, &y, &w);
        d->vertices[i].x = (float)((c->scale * x + c->shift[0]) / RASTER_SUB + (double)margin);
        d->vertices[i].y = (float)((c->scale * y + c->shift[1]) / RASTER_SUB + (double)margin);
        d->vertices[i].w = (float)w;
        set_beyond(d, m->positions + 3 * i, &d->vertices[i]);
    }
    for (size_t i = first_corner(m); i < m->num_corners; i++)
        d->vertices[m->num_vertices + i - first_corner(m)] = d->vertices[m->corners[i]];
    return true;
}

void drawing_close(drawing *d)
{
    free(d->vertices);
    d->vertices = NULL;
}

/* ---- faces ---- */

/* A triangle of a face. */
typedef struct triangle {
    filling fill;
    const double *places[3]; /* the positions of its corners */
} triangle;

/* The normal of a triangle's plane, in the camera's axes and the camera's unit, by the right hand.
 */
static void plane_normal(const camera *c, const triangle *t, float normal[3])
{
    double a[3], b[3], across[3];
    for (int k = 0; k < 3; k++) {
        a[k] = t->places[1][k] / c->unit - t->places[0][k] / c->unit;
        b[k] = t->places[2][k] / c->unit - t->places[0][k] / c->unit;
    }
    for (int k = 0; k < 3; k++)
        across[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    normals_make_unit(across);
    turn(c, across, normal);
}

static float dot_floats(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Signs by which the corners' normals point to the side of the triangle that is seen. They are
   aligned with each other first: where a surface is folded they are opposite, and a mean of them
   would be no normal at all. On the picture, where y runs down, a triangle that is seen from the
   front has a negative area. */
static void align_normals(const camera *c, triangle *t, float area)
{
    float *signs = t->fill.signs;
    float plane[3], agreement = 0;
    plane_normal(c, t, plane);
    for (int i = 0; i < 3; i++) {
        signs[i] =
            dot_floats(t->fill.corners[0]->normal, t->fill.corners[i]->normal) < 0 ? -1.0f : 1.0f;
        agreement += signs[i] * dot_floats(plane, t->fill.corners[i]->normal);
    }
    if ((agreement < 0) == (area < 0))
        for (int i = 0; i < 3; i++)
            signs[i] = -signs[i];
}

static void draw_triangle(band *b, const camera *c, triangle *t)
{
    const vertex *const *corners = t->fill.corners;
    const float area = band_edge(corners[0], corners[1], corners[2]->x, corners[2]->y);
    if (!isfinite(area) || area == 0 || !band_meets(b, corners)) return;
    align_normals(c, t, area);
    band_fill(b, &t->fill, area);
}

/* Gives the corner of a face with this number among all corners. */
static void set_corner(const drawing *d, triangle *t, int i, size_t face, size_t corner)
{
    const mesh *m = d->m;
    const size_t number = m->corners[corner];
    t->places[i] = m->positions + 3 * number;
    t->fill.corners[i] =
        &d->vertices[face < m->num_grid_faces ? number
                                              : m->num_vertices + corner - first_corner(m)];
}

static void draw_face(band *b, const drawing *d, size_t face)
{
    const raster_paint *p = d->paint;
    float place = 0;
    const bool is_own = p->colors.kind == COLORING_OWN; /* which cannot be interpolated */
    triangle t = {.fill = {.flat = is_own || (p->values && p->of_faces) ? &place : NULL}};
    size_t count;
    const size_t first = (size_t)(mesh_face(d->m, face, &count) - d->m->corners);
    set_corner(d, &t, 0, face, first);
    if (is_own)
        place = t.fill.corners[0]->place;
    else if (t.fill.flat)
        place = (float)coloring_place(&p->colors, p->values[face]);
    for (size_t i = 1; i + 1 < count; i++) {
        set_corner(d, &t, 1, face, first + i);
        set_corner(d, &t, 2, face, first + i + 1);
        draw_triangle(b, d->view, &t);
    }
}

/* ---- lines and points ---- */

/* A drawing and the samples that its curves are drawn into. */
typedef struct curve_drawing {
    const drawing *d;
    band *b;
} curve_drawing;

static bool draw_curve(void *user, uint32_t first, uint32_t count)
{
    const curve_drawing *c = user;
    for (uint32_t i = first; i + 1 < first + count; i++)
        band_line(c->b, &c->d->vertices[i], &c->d->vertices[i + 1], CURVE_WIDTH * c->d->pixel,
                  SAMPLE_CURVE);
    return true;
}

/* A vertex that is nearer by so many pixels. */
static vertex lifted(const drawing *d, size_t i, double lift)
{
    vertex v = d->vertices[i];
    v.w *= (float)(1 + lift * RASTER_SUB / d->view->scale);
    return v;
}

/* Draws dark lines, a little nearer than the surface that they are on. */
static void draw_edges(band *b, const drawing *d)
{
    for (size_t i = 0; i < d->paint->num_edges; i++) {
        const uint32_t *at = d->paint->edges + 2 * i;
        const vertex from = lifted(d, at[0], EDGE_LIFT), to = lifted(d, at[1], EDGE_LIFT);
        band_line(b, &from, &to, EDGE_WIDTH * d->pixel, SAMPLE_EDGE);
    }
}

static void draw_points(band *b, const drawing *d)
{
    for (size_t i = d->paint->first_point; d->paint->has_points && i < d->m->num_vertices; i++) {
        const vertex point = lifted(d, i, POINT_LIFT);
        band_sphere(b, &point, POINT_RADIUS * d->pixel);
    }
}

void drawing_draw(const drawing *d, band *b)
{
    const mesh_shape shape = mesh_shape_of(d->m);
    curve_drawing curves = {d, b};
    mesh_shape_curves(&shape, draw_curve, &curves);
    for (size_t face = 0; face < d->m->num_faces; face++)
        draw_face(b, d, face);
    draw_edges(b, d);
    draw_points(b, d);
}
