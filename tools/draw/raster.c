#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "camera.h"
#include "color.h"
#include "light.h"
#include "mesh_shape.h"
#include "normals.h"

enum {
    SUB = 3,   /* SUB x SUB samples a pixel */
    BAND = 60, /* rows drawn at a time, which bounds memory */
    BLURS = 3  /* of a shadow */
};
#define LINE_WIDTH 2.0f /* of curves, half of it, in pixels */

/* A vertex on the picture, in samples, with the reciprocal of its depth and its normal in the
   camera's axes. */
typedef struct vertex {
    float x, y, w;
    float normal[3];
} vertex;

typedef struct sample {
    float w;         /* reciprocal depth of what is seen; 0: background */
    float normal[3]; /* in the camera's axes, not normalised; shaded once all is drawn */
} sample;

/* A mesh with its vertices on the picture. */
typedef struct drawing {
    const mesh *m;
    const camera *view;
    vertex *vertices; /* of the mesh, then one for each corner of the faces that are on no grid,
                         whose normals end at creases */
    float line_width; /* of curves, half of it, in samples */
} drawing;

/* The rows of samples being drawn. */
typedef struct band {
    size_t width, first, rows; /* in samples */
    sample *samples;           /* [rows][width] */
} band;

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

static size_t first_corner(const mesh *m)
{
    return m->num_grid_faces > 0 ? m->face_ends[m->num_grid_faces - 1] : 0;
}

/* Adds vertices for the corners of polyhedra behind those of the mesh. */
static bool add_corners(drawing *d)
{
    const mesh *m = d->m;
    const size_t first = first_corner(m);
    if (m->num_corners == first) return true;
    double *normals = mesh_corner_normals(m, m->num_grid_faces);
    if (!normals) return false;
    for (size_t i = first; i < m->num_corners; i++) {
        vertex *corner = &d->vertices[m->num_vertices + i - first];
        *corner = d->vertices[m->corners[i]];
        turn(d->view, normals + 3 * (i - first), corner->normal);
    }
    free(normals);
    return true;
}

/* Makes room for the vertices; false when memory runs out. */
static bool begin_drawing(drawing *d, const mesh *m, const camera *c)
{
    *d = (drawing){.m = m, .view = c};
    d->vertices = calloc(m->num_vertices + m->num_corners - first_corner(m) + 1, sizeof(vertex));
    return d->vertices;
}

static bool transform(drawing *d, const mesh *m, const camera *c)
{
    if (!begin_drawing(d, m, c)) return false;
    d->line_width = LINE_WIDTH * SUB;
    for (size_t i = 0; i < m->num_vertices; i++) {
        double x, y, w;
        vertex *v = &d->vertices[i];
        camera_project(c, m->positions + 3 * i, &x, &y, &w);
        v->x = (float)(c->scale * x + c->shift[0]);
        v->y = (float)(c->scale * y + c->shift[1]);
        v->w = (float)w;
        turn(c, m->normals + 3 * i, v->normal);
    }
    return add_corners(d);
}

static float edge(const vertex *a, const vertex *b, float x, float y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* Clamps a coordinate to 0..limit; also for what does not fit size_t. */
static size_t clamp(float value, size_t limit)
{
    if (!(value > 0)) return 0;
    return value < (float)limit ? (size_t)value : limit;
}

static void draw_sample(sample *target, const vertex *const corners[3], const float signs[3],
                        const float weights[3])
{
    float w = 0;
    for (int i = 0; i < 3; i++)
        w += weights[i] * corners[i]->w;
    if (!(w > target->w)) return;
    target->w = w;
    for (int k = 0; k < 3; k++)
        target->normal[k] = signs[0] * weights[0] * corners[0]->normal[k] +
                            signs[1] * weights[1] * corners[1]->normal[k] +
                            signs[2] * weights[2] * corners[2]->normal[k];
}

/* A triangle of a face. */
typedef struct triangle {
    const vertex *corners[3];
    const double *places[3]; /* their positions */
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
static void align_normals(const camera *c, const triangle *t, float area, float signs[3])
{
    float plane[3], agreement = 0;
    plane_normal(c, t, plane);
    for (int i = 0; i < 3; i++) {
        signs[i] = dot_floats(t->corners[0]->normal, t->corners[i]->normal) < 0 ? -1.0f : 1.0f;
        agreement += signs[i] * dot_floats(plane, t->corners[i]->normal);
    }
    if ((agreement < 0) == (area < 0))
        for (int i = 0; i < 3; i++)
            signs[i] = -signs[i];
}

/* Whether rows of the band may have samples of a triangle. */
static bool meets_band(const band *b, const vertex *const corners[3])
{
    const vertex *p = corners[0], *q = corners[1], *r = corners[2];
    const float low = fminf(p->y, fminf(q->y, r->y)), high = fmaxf(p->y, fmaxf(q->y, r->y));
    return high >= (float)b->first && low <= (float)(b->first + b->rows);
}

/* Draws the samples in a triangle of this area, above or below 0, with its corners' normals times
   their signs. */
static void fill_triangle(band *b, const vertex *const corners[3], float area, const float signs[3])
{
    const vertex *p = corners[0], *q = corners[1], *r = corners[2];
    const float top = (float)b->first;
    const float low = fminf(p->y, fminf(q->y, r->y)), high = fmaxf(p->y, fmaxf(q->y, r->y));
    size_t y0 = clamp(low - top, b->rows), y1 = clamp(high - top + 1, b->rows);
    size_t x0 = clamp(fminf(p->x, fminf(q->x, r->x)), b->width);
    size_t x1 = clamp(fmaxf(p->x, fmaxf(q->x, r->x)) + 1, b->width);
    for (size_t y = y0; y < y1; y++) {
        for (size_t x = x0; x < x1; x++) {
            float at_x = (float)x + 0.5f, at_y = (float)(y + b->first) + 0.5f;
            float weights[3] = {edge(q, r, at_x, at_y) / area, edge(r, p, at_x, at_y) / area,
                                edge(p, q, at_x, at_y) / area};
            if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
                draw_sample(&b->samples[y * b->width + x], corners, signs, weights);
        }
    }
}

static void draw_triangle(band *b, const camera *c, const triangle *t)
{
    float signs[3];
    const float area = edge(t->corners[0], t->corners[1], t->corners[2]->x, t->corners[2]->y);
    if (!isfinite(area) || area == 0 || !meets_band(b, t->corners)) return;
    align_normals(c, t, area, signs);
    fill_triangle(b, t->corners, area, signs);
}

/* ---- curves ---- */

/* Makes the two edges of a curve's line at one of its ends: `width` to either side of it, and as
   much beyond the end, so that lines that meet at an angle leave no gap. (x, y) is the line's
   direction, of unit length. The normals are those of a tube. */
static void widen(const vertex *v, float width, float x, float y, vertex sides[2])
{
    for (int i = 0; i < 2; i++) {
        const float across = i == 0 ? width : -width;
        sides[i] = (vertex){v->x - y * across, v->y + x * across, v->w, {0, 0, 0}};
        sides[i].normal[0] = (i == 0 ? -y : y);
        sides[i].normal[1] = (i == 0 ? -x : x); /* the picture's y runs down */
        sides[i].normal[2] = 0.2f;
    }
}

static void draw_line(band *b, const vertex *from, const vertex *to, float width)
{
    static const float signs[3] = {1, 1, 1};
    const float x = to->x - from->x, y = to->y - from->y, length = sqrtf(x * x + y * y);
    if (!isfinite(length) || length == 0) return;
    const float unit_x = x / length, unit_y = y / length;
    vertex ends[2] = {*from, *to}, sides[2][2];
    for (int i = 0; i < 2; i++) {
        ends[i].x += (i == 0 ? -width : width) * unit_x;
        ends[i].y += (i == 0 ? -width : width) * unit_y;
        widen(&ends[i], width, unit_x, unit_y, sides[i]);
    }
    const vertex *const halves[2][3] = {{&sides[0][0], &sides[0][1], &sides[1][0]},
                                        {&sides[1][0], &sides[0][1], &sides[1][1]}};
    for (int i = 0; i < 2; i++) {
        const float area = edge(halves[i][0], halves[i][1], halves[i][2]->x, halves[i][2]->y);
        if (isfinite(area) && area != 0 && meets_band(b, halves[i]))
            fill_triangle(b, halves[i], area, signs);
    }
}

/* A drawing and the samples that its curves are drawn into. */
typedef struct curve_drawing {
    const drawing *d;
    band *b;
} curve_drawing;

static bool draw_curve(void *user, uint32_t first, uint32_t count)
{
    const curve_drawing *c = user;
    for (uint32_t i = first; i + 1 < first + count; i++)
        draw_line(c->b, &c->d->vertices[i], &c->d->vertices[i + 1], c->d->line_width);
    return true;
}

/* ---- meshes ---- */

/* Gives the corner of a face with this number among all corners. */
static void set_corner(const drawing *d, triangle *t, int i, size_t face, size_t corner)
{
    const mesh *m = d->m;
    const size_t number = m->corners[corner];
    t->places[i] = m->positions + 3 * number;
    t->corners[i] =
        &d->vertices[face < m->num_grid_faces ? number
                                              : m->num_vertices + corner - first_corner(m)];
}

static void draw_mesh(band *b, const drawing *d)
{
    const mesh_shape shape = mesh_shape_of(d->m);
    curve_drawing curves = {d, b};
    mesh_shape_curves(&shape, draw_curve, &curves);
    for (size_t face = 0; face < d->m->num_faces; face++) {
        size_t count;
        const size_t first = (size_t)(mesh_face(d->m, face, &count) - d->m->corners);
        triangle t;
        set_corner(d, &t, 0, face, first);
        for (size_t i = 1; i + 1 < count; i++) {
            set_corner(d, &t, 1, face, first + i);
            set_corner(d, &t, 2, face, first + i + 1);
            draw_triangle(b, d->view, &t);
        }
    }
}

/* Linear colour of the background: light above, a little darker toward the corners. */
static void backdrop(float x, float y, float color[3])
{
    static const float light[3] = {0.90f, 0.91f, 0.92f}, dark[3] = {0.62f, 0.64f, 0.67f};
    float distance = (x - 0.5f) * (x - 0.5f) * 1.1f + (y - 0.42f) * (y - 0.42f) * 1.5f;
    float blend = fminf(1, distance * 1.6f);
    for (int k = 0; k < 3; k++)
        color[k] = light[k] + (dark[k] - light[k]) * blend;
}

/* Replaces a line of values by means over 2 radius + 1 neighbours, with zeros outside. `line` is
   room for it. */
static void blur_line(float *values, size_t count, size_t stride, size_t radius, float *line)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        line[i] = values[i * stride];
    for (size_t i = 0; i < radius && i < count; i++)
        sum += line[i];
    for (size_t i = 0; i < count; i++) {
        if (i + radius < count) sum += line[i + radius];
        if (i > radius) sum -= line[i - radius - 1];
        values[i * stride] = sum / (float)(2 * radius + 1);
    }
}

/* A few box blurs come close to a Gaussian (central limit theorem). */
static void blur(float *values, size_t width, size_t height, size_t radius, float *line)
{
    for (int pass = 0; pass < BLURS; pass++) {
        for (size_t y = 0; y < height; y++)
            blur_line(values + y * width, width, 1, radius, line);
        for (size_t x = 0; x < width; x++)
            blur_line(values + x, height, width, radius, line);
    }
}

/* Presses the vertices onto the ground, in pixels, the picture's first one at (margin, margin). */
static bool flatten(drawing *d, const mesh *m, const camera *c, size_t margin)
{
    if (!begin_drawing(d, m, c)) return false;
    d->line_width = LINE_WIDTH;
    for (size_t i = 0; i < m->num_vertices; i++) {
        double x, y, w, p[3];
        for (size_t axis = 0; axis < 3; axis++)
            p[axis] = m->positions[3 * i + axis];
        p[c->up_axis] = c->ground;
        camera_project(c, p, &x, &y, &w);
        d->vertices[i].x = (float)((c->scale * x + c->shift[0]) / SUB + (double)margin);
        d->vertices[i].y = (float)((c->scale * y + c->shift[1]) / SUB + (double)margin);
        d->vertices[i].w = (float)w;
    }
    for (size_t i = first_corner(m); i < m->num_corners; i++)
        d->vertices[m->num_vertices + i - first_corner(m)] = d->vertices[m->corners[i]];
    return true;
}

/* The picture's part of an array with a margin on all sides; NULL when memory runs out. */
static float *cut_out(const float *wide, size_t width, size_t height, size_t margin)
{
    float *shadow = malloc(width * height * sizeof(float));
    for (size_t y = 0; shadow && y < height; y++)
        memcpy(shadow + y * width, wide + (y + margin) * (width + 2 * margin) + margin,
               width * sizeof(float));
    return shadow;
}

/* How much of the light from above the mesh takes from the ground at each pixel, 0..1, softened;
   the caller frees. NULL when memory runs out. What lies beyond the picture, as far as the blur
   reaches, is drawn too. */
static float *cast_shadow(const camera *c, const mesh *m, size_t width, size_t height)
{
    const size_t radius = width / 80, margin = BLURS * radius;
    const size_t wide = width + 2 * margin, tall = height + 2 * margin, pixels = wide * tall;
    drawing d;
    band b = {.width = wide, .rows = tall, .samples = calloc(pixels, sizeof(sample))};
    float *values = malloc(pixels * sizeof(float)), *shadow = NULL;
    float *line = malloc((wide > tall ? wide : tall) * sizeof(float));
    if (flatten(&d, m, c, margin) && b.samples && values && line) {
        draw_mesh(&b, &d);
        for (size_t i = 0; i < pixels; i++)
            values[i] = b.samples[i].w > 0 ? 1.0f : 0.0f;
        blur(values, wide, tall, radius, line);
        shadow = cut_out(values, width, height, margin);
    }
    free(line);
    free(values);
    free(b.samples);
    free(d.vertices);
    return shadow;
}

/* The mean of a pixel's samples, over the background. */
static void resolve(const band *b, size_t column, size_t row, const float background[3],
                    unsigned char rgb[3])
{
    float sum[3] = {0, 0, 0};
    for (size_t y = 0; y < SUB; y++) {
        for (size_t x = 0; x < SUB; x++) {
            const sample *s = &b->samples[(row * SUB + y) * b->width + column * SUB + x];
            float color[3] = {background[0], background[1], background[2]};
            if (s->w > 0) light_shade(&light_glaze, s->normal, color);
            for (int k = 0; k < 3; k++)
                sum[k] += fminf(1, color[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = color_encode(sum[k] / (SUB * SUB));
}

/* Linear colour of the background at a pixel of which the mesh takes some light. */
static void shade_background(const raster_view *view, size_t x, size_t y, float shadow,
                             float color[3])
{
    backdrop((float)x / (float)view->width, (float)y / (float)view->height, color);
    for (int k = 0; k < 3; k++) {
        if (view->has_background) color[k] = color_decode(view->background[k]);
        color[k] *= 1 - 0.5f * shadow;
    }
}

/* Writes the pixels of a band that has been drawn. */
static void resolve_band(const band *b, const raster_view *view, const float *shadow,
                         unsigned char *rgb)
{
    const size_t first = b->first / SUB;
    for (size_t y = 0; y < b->rows / SUB; y++) {
        for (size_t x = 0; x < view->width; x++) {
            const size_t pixel = (first + y) * view->width + x;
            float background[3];
            shade_background(view, x, first + y, shadow[pixel], background);
            resolve(b, x, y, background, rgb + 3 * pixel);
        }
    }
}

bool raster_render(const mesh *m, const raster_view *view, unsigned char *rgb,
                   const io_progress *progress)
{
    band b = {.width = view->width * SUB};
    camera c = camera_place(m, &view->camera, (double)b.width, (double)(view->height * SUB));
    drawing d;
    b.samples = malloc(b.width * BAND * SUB * sizeof(sample));
    float *shadow = cast_shadow(&c, m, view->width, view->height);
    bool done = transform(&d, m, &c) && b.samples && shadow;
    for (size_t i = 0; done && c.tilt <= 0 && i < view->width * view->height; i++)
        shadow[i] = 0; /* the ground is not seen from below */
    for (size_t first = 0; done && first < view->height; first += BAND) {
        size_t rows = view->height - first < BAND ? view->height - first : BAND;
        b.first = first * SUB;
        b.rows = rows * SUB;
        for (size_t i = 0; i < b.rows * b.width; i++)
            b.samples[i].w = 0;
        draw_mesh(&b, &d);
        resolve_band(&b, view, shadow, rgb);
        io_report(progress, first + rows, view->height);
    }
    free(shadow);
    free(b.samples);
    free(d.vertices);
    return done;
}
