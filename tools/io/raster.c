#include "raster.h"

#include <math.h>
#include <stdlib.h>

#include "camera.h"

enum {
    SUB = 3,
    BAND = 60
}; /* SUB x SUB samples a pixel; rows drawn at a time, which bounds memory */

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

/* The rows of samples being drawn. */
typedef struct band {
    size_t width, first, rows; /* in samples */
    sample *samples;           /* [rows][width] */
} band;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static vertex *transform(const camera *c, const mesh *m)
{
    vertex *vertices = malloc((m->num_vertices + 1) * sizeof(*vertices));
    if (!vertices) return NULL;
    for (size_t i = 0; i < m->num_vertices; i++) {
        double x, y, w;
        const double *normal = m->normals + 3 * i;
        camera_project(c, m->positions + 3 * i, &x, &y, &w);
        vertices[i] = (vertex){.x = (float)(c->scale * x + c->shift[0]),
                               .y = (float)(c->scale * y + c->shift[1]),
                               .w = (float)w,
                               .normal = {(float)dot(normal, c->right), (float)dot(normal, c->up),
                                          (float)dot(normal, c->toward)}};
    }
    return vertices;
}

static float lambert(const float n[3], float x, float y, float z)
{
    return fmaxf(0, (n[0] * x + n[1] * y + n[2] * z) / sqrtf(x * x + y * y + z * z));
}

/* Linear colour of a glazed surface, lit from the upper left, filled from the right, under a bright
   sky; the viewer is at z. */
static void shade(const float interpolated[3], float color[3])
{
    static const float glaze[3] = {0.56f, 0.17f, 0.085f};
    static const float sky[3] = {0.40f, 0.44f, 0.50f}, ground[3] = {0.17f, 0.15f, 0.13f};
    const float *v = interpolated;
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    float side = v[2] < 0 ? -1.0f : 1.0f; /* both sides are lit */
    float n[3] = {0, 0, 1};
    if (length > 1e-6f)
        for (int k = 0; k < 3; k++)
            n[k] = side * v[k] / length;

    float key = lambert(n, -0.55f, 0.75f, 0.60f);
    float fill = lambert(n, 0.90f, 0.10f, 0.50f);
    float half = lambert(n, -0.55f, 0.75f, 0.60f + 1.10f); /* between key light and viewer */
    float gloss = 0.38f * powf(half, 70) + 0.07f * powf(half, 10);
    float rim = 0.16f * powf(1 - n[2], 4);
    float upward = 0.5f + 0.5f * n[1];
    for (int k = 0; k < 3; k++) {
        float around = ground[k] + (sky[k] - ground[k]) * upward;
        color[k] = glaze[k] * (around + 0.95f * key + 0.16f * fill) + gloss + rim * sky[k];
    }
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

static void draw_sample(sample *target, const vertex *corners[3], const float signs[3],
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

/* Signs by which the corners' normals point to one side: where a surface is folded they are
   opposite, and a mean of them would be no normal at all. */
static void align_normals(const vertex *corners[3], float signs[3])
{
    for (int i = 0; i < 3; i++) {
        float agreement = 0;
        for (int k = 0; k < 3; k++)
            agreement += corners[0]->normal[k] * corners[i]->normal[k];
        signs[i] = agreement < 0 ? -1.0f : 1.0f;
    }
}

static void draw_triangle(band *b, const vertex *corners[3])
{
    const vertex *p = corners[0], *q = corners[1], *r = corners[2];
    float area = edge(p, q, r->x, r->y);
    if (!isfinite(area) || area == 0) return;
    float signs[3], top = (float)b->first, bottom = (float)(b->first + b->rows);
    float low = fminf(p->y, fminf(q->y, r->y)), high = fmaxf(p->y, fmaxf(q->y, r->y));
    if (high < top || low > bottom) return;
    size_t y0 = clamp(low - top, b->rows), y1 = clamp(high - top + 1, b->rows);
    size_t x0 = clamp(fminf(p->x, fminf(q->x, r->x)), b->width);
    size_t x1 = clamp(fmaxf(p->x, fmaxf(q->x, r->x)) + 1, b->width);
    align_normals(corners, signs);
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

static void draw_mesh(band *b, const mesh *m, const vertex *vertices)
{
    for (size_t face = 0; face < m->num_faces; face++) {
        size_t count;
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 1; i + 1 < count; i++) {
            const vertex *triangle[3] = {&vertices[corners[0]], &vertices[corners[i]],
                                         &vertices[corners[i + 1]]};
            draw_triangle(b, triangle);
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

/* Three box blurs come close to a Gaussian (central limit theorem). */
static void blur(float *values, size_t width, size_t height, size_t radius, float *line)
{
    for (int pass = 0; pass < 3; pass++) {
        for (size_t y = 0; y < height; y++)
            blur_line(values + y * width, width, 1, radius, line);
        for (size_t x = 0; x < width; x++)
            blur_line(values + x, height, width, radius, line);
    }
}

/* The vertices pressed onto the ground, in pixels. */
static vertex *flatten(const camera *c, const mesh *m)
{
    vertex *vertices = calloc(m->num_vertices + 1, sizeof(*vertices));
    if (!vertices) return NULL;
    for (size_t i = 0; i < m->num_vertices; i++) {
        double x, y, w, p[3];
        for (size_t axis = 0; axis < 3; axis++)
            p[axis] = m->positions[3 * i + axis];
        p[c->up_axis] = c->ground;
        camera_project(c, p, &x, &y, &w);
        vertices[i].x = (float)((c->scale * x + c->shift[0]) / SUB);
        vertices[i].y = (float)((c->scale * y + c->shift[1]) / SUB);
        vertices[i].w = (float)w;
    }
    return vertices;
}

/* How much of the light from above the mesh takes from the ground at each pixel, 0..1, softened;
   the caller frees. NULL when memory runs out. */
static float *cast_shadow(const camera *c, const mesh *m, size_t width, size_t height)
{
    size_t pixels = width * height;
    vertex *vertices = flatten(c, m);
    band b = {.width = width, .rows = height, .samples = calloc(pixels, sizeof(sample))};
    float *shadow = malloc(pixels * sizeof(float));
    float *line = malloc((width > height ? width : height) * sizeof(float));
    bool done = vertices && b.samples && shadow && line;
    if (done) {
        draw_mesh(&b, m, vertices);
        for (size_t i = 0; i < pixels; i++)
            shadow[i] = b.samples[i].w > 0 ? 1.0f : 0.0f;
        blur(shadow, width, height, width / 80, line);
    }
    free(line);
    free(b.samples);
    free(vertices);
    if (done) return shadow;
    free(shadow);
    return NULL;
}

/* The sRGB transfer function (IEC 61966-2-1). */
static unsigned char encode(float linear)
{
    float x = fminf(1, fmaxf(0, linear));
    float coded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (unsigned char)(255 * coded + 0.5f);
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
            if (s->w > 0) shade(s->normal, color);
            for (int k = 0; k < 3; k++)
                sum[k] += fminf(1, color[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = encode(sum[k] / (SUB * SUB));
}

/* Linear of sRGB. */
static float decode(unsigned char coded)
{
    float x = (float)coded / 255;
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

/* Linear colour of the background at a pixel of which the mesh takes some light. */
static void shade_background(const raster_view *view, size_t x, size_t y, float shadow,
                             float color[3])
{
    backdrop((float)x / (float)view->width, (float)y / (float)view->height, color);
    for (int k = 0; k < 3; k++) {
        if (view->has_background) color[k] = decode(view->background[k]);
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

raster_view raster_view_default(void)
{
    return (raster_view){.camera = camera_view_default(), .width = 1200, .height = 900};
}

bool raster_render(const mesh *m, const raster_view *view, unsigned char *rgb,
                   const io_progress *progress)
{
    band b = {.width = view->width * SUB};
    camera c = camera_place(m, &view->camera, (double)b.width, (double)(view->height * SUB));
    vertex *vertices = transform(&c, m);
    b.samples = malloc(b.width * BAND * SUB * sizeof(sample));
    float *shadow = cast_shadow(&c, m, view->width, view->height);
    bool done = vertices && b.samples && shadow;
    for (size_t i = 0; done && view->camera.tilt <= 0 && i < view->width * view->height; i++)
        shadow[i] = 0; /* the ground is not seen from below */
    for (size_t first = 0; done && first < view->height; first += BAND) {
        size_t rows = view->height - first < BAND ? view->height - first : BAND;
        b.first = first * SUB;
        b.rows = rows * SUB;
        for (size_t i = 0; i < b.rows * b.width; i++)
            b.samples[i].w = 0;
        draw_mesh(&b, m, vertices);
        resolve_band(&b, view, shadow, rgb);
        io_report(progress, first + rows, view->height);
    }
    free(shadow);
    free(b.samples);
    free(vertices);
    return done;
}
