#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "light.h"
#include "gl_program.h"

#define CURVE_WIDTH   2.0f /* half of it, in pixels */
#define SEGMENT_WIDTH 0.6f
#define CONTROL_WIDTH 3.0f

enum { VALUE = 4, PLACE = 7 /* attributes: what is coloured by, and whose point a vertex has */ };

/* ---- making ---- */

static bool make_programs(scene *s, io_message *message)
{
    const struct {
        GLuint *program;
        const char *vertex, *fragment;
    } made[] = {{&s->backdrop, shader_backdrop_vertex, shader_backdrop_fragment},
                {&s->line, shader_line_vertex, shader_line_fragment},
                {&s->point, shader_point_vertex, shader_point_fragment},
                {&s->overlay, shader_backdrop_vertex, shader_overlay_fragment}};
    const shader_style plain = {.colors = COLORING_PLAIN};
    char head[SHADERS_HEAD];
    shaders_head(&plain, head);
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        *made[i].program = gl_program_make(head, made[i].vertex, made[i].fragment, message);
        if (!*made[i].program) return false;
    }
    return true;
}

/* Finds the program of the surface in a style, which is made when it is first needed. 0 with a
   message. */
static GLuint surface_program(scene *s, const scene_style *style, bool quick, io_message *message)
{
    const shader_style shown = {
        .colors = style->colors.kind,
        .wires = style->wires,
        .edges = style->edges,
        .zebra = style->zebra,
        .quick = quick && !style->zebra,
        .placed = s->vertices.shared,
    };
    GLuint *const program = &s->surface[(size_t)shown.colors << 5 | (size_t)shown.wires << 4 |
                                        (size_t)shown.edges << 3 | (size_t)shown.zebra << 2 |
                                        (size_t)shown.quick << 1 | (size_t)shown.placed];
    char head[SHADERS_HEAD];
    if (*program) return *program;
    shaders_head(&shown, head);
    *program = gl_program_make(head, shader_surface_vertex, shader_surface_fragment, message);
    return *program;
}

/* Lets an attribute of the array that is bound come from the buffer that is bound. */
static void attach(GLuint place, GLint size, GLenum type, size_t stride, size_t offset,
                   GLuint divisor)
{
    gl.EnableVertexAttribArray(place);
    gl.VertexAttribPointer(place, size, type, GL_FALSE, (GLsizei)stride,
                           (const void *)(uintptr_t)offset);
    gl.VertexAttribDivisor(place, divisor);
}

static GLuint make_texture(void)
{
    GLuint made = 0;
    gl.GenTextures(1, &made);
    gl.BindTexture(GL_TEXTURE_2D, made);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return made;
}

bool scene_open(scene *s, io_message *message)
{
    *s = (scene){.mesh = NULL};
    if (!make_programs(s, message)) return false;
    gl.GenVertexArrays(1, &s->surface_array);
    gl.GenVertexArrays(1, &s->line_array);
    gl.GenVertexArrays(1, &s->point_array);
    gl.GenVertexArrays(1, &s->empty_array);
    gl.GenBuffers(1, &s->indices);
    gl.GenBuffers(1, &s->marks);
    gl.GenBuffers(1, &s->places);
    gl.GenBuffers(1, &s->values);
    gl.GenBuffers(1, &s->controls);
    gl.GenBuffers(1, &s->segments);
    s->map = make_texture();
    s->words = make_texture();
    gl.GenTextures(1, &s->points);
    return true;
}

/* ---- meshes ---- */

/* Binds the numbers by which vertices have the points of others, and the vertices as a texture. */
static void bind_places(scene *s)
{
    if (!s->vertices.shared) {
        gl.DisableVertexAttribArray(PLACE);
        return;
    }
    gl.BindBuffer(GL_ARRAY_BUFFER, s->places);
    gl.EnableVertexAttribArray(PLACE);
    gl.VertexAttribIPointer(PLACE, 1, GL_UNSIGNED_INT, sizeof(uint32_t), NULL);
    gl.BindTexture(GL_TEXTURE_BUFFER, s->points);
    gl.TexBuffer(GL_TEXTURE_BUFFER, GL_RG32F, s->vertices.name);
}

/* Goes through host memory where a texture cannot hold the vertices. False without memory. */
static bool check_texture(scene *s)
{
    GLint most = 0;
    gl.GetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    return !s->vertices.shared || s->vertices.bytes / (2 * sizeof(float)) <= (size_t)most ||
           vertex_buffer_unshare(&s->vertices, "OpenGL's textures are too small");
}

/* Binds the attributes of the surface's vertices. */
static void bind_surface(scene *s)
{
    const size_t real = sizeof(float), stride = VIEW_STRIDE * real;
    gl.BindVertexArray(s->surface_array);
    gl.BindBuffer(GL_ARRAY_BUFFER, s->vertices.name);
    attach(0, 3, GL_FLOAT, stride, VIEW_POINT * real, 0);
    attach(1, 3, GL_FLOAT, stride, VIEW_NORMAL * real, 0);
    attach(2, 2, GL_FLOAT, stride, VIEW_PARAMS * real, 0);
    attach(3, 2, GL_FLOAT, stride, VIEW_CURVATURE * real, 0);
    gl.BindBuffer(GL_ARRAY_BUFFER, s->marks);
    attach(VALUE, 1, GL_FLOAT, sizeof(view_mark), offsetof(view_mark, value), 0);
    attach(5, 2, GL_FLOAT, sizeof(view_mark), offsetof(view_mark, cells), 0);
    attach(6, 1, GL_UNSIGNED_INT, sizeof(view_mark), offsetof(view_mark, patch), 0);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    bind_places(s);
}

void scene_set_marks(scene *s)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, s->marks);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(s->mesh->num_vertices * sizeof(view_mark)),
                  s->mesh->marks, GL_STATIC_DRAW);
    gl.BindVertexArray(s->surface_array);
    attach(VALUE, 1, GL_FLOAT, sizeof(view_mark), offsetof(view_mark, value), 0);
}

void scene_set_values(const scene *s, const float *values)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, s->values);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(s->mesh->num_vertices * sizeof(*values)), values,
                  GL_DYNAMIC_DRAW);
    gl.BindVertexArray(s->surface_array);
    attach(VALUE, 1, GL_FLOAT, sizeof(*values), 0, 0);
}

void scene_set_places(const scene *s, const uint32_t *place)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, s->places);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(s->mesh->num_vertices * sizeof(*place)), place,
                  GL_DYNAMIC_DRAW);
}

bool scene_set_mesh(scene *s, const view_mesh *m)
{
    s->mesh = m;
    if (!vertex_buffer_resize(&s->vertices, m->num_vertices * VIEW_STRIDE * sizeof(float)) ||
        !check_texture(s))
        return false;
    scene_set_marks(s);
    gl.BindVertexArray(s->surface_array);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(m->num_indices * sizeof(uint32_t)),
                  m->indices, GL_STATIC_DRAW);
    bind_surface(s);
    return gl.GetError() == GL_NO_ERROR;
}

/* ---- control points ---- */

/* Loads points in pairs, or alone where pairs is NULL. False without memory. */
static bool load_points(GLuint buffer, const double *points, const uint32_t *pairs, size_t num)
{
    float *to = malloc((3 * num + 1) * sizeof(*to));
    if (!to) return false;
    for (size_t i = 0; i < 3 * num; i++)
        to[i] = (float)points[3 * (pairs ? (size_t)pairs[i / 3] : i / 3) + i % 3];
    gl.BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * num * sizeof(*to)), to, GL_DYNAMIC_DRAW);
    free(to);
    return true;
}

bool scene_set_controls(scene *s, const double *points, size_t num, const uint32_t *pairs,
                        size_t num_pairs)
{
    s->num_controls = num;
    s->num_segments = num_pairs;
    gl.BindVertexArray(s->point_array);
    if (!load_points(s->controls, points, NULL, num)) return false;
    attach(0, 3, GL_FLOAT, 3 * sizeof(float), 0, 1);
    return load_points(s->segments, points, pairs, 2 * num_pairs);
}

/* ---- colours ---- */

void scene_set_colors(scene *s, const coloring *c)
{
    unsigned char rgb[COLOR_MAP_SIZE][3];
    float light[COLOR_MAP_SIZE][3];
    coloring_fill(c, rgb);
    for (size_t i = 0; i < COLOR_MAP_SIZE; i++)
        for (int k = 0; k < 3; k++)
            light[i][k] = color_decode(rgb[i][k]);
    gl.BindTexture(GL_TEXTURE_2D, s->map);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, COLOR_MAP_SIZE, 1, 0, GL_RGB, GL_FLOAT, light);
}

/* ---- drawing ---- */

/* The product of two matrices by columns. */
static void multiply(const float a[16], const float b[16], float c[16])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += (double)a[4 * k + row] * (double)b[4 * column + k];
            c[4 * column + row] = (float)sum;
        }
}

/* The matrices of a picture. */
typedef struct scene_view {
    float to_clip[16], to_camera[9];
    float eye[4]; /* its place; the last is 0 of a direction */
    float size[2];
} scene_view;

static scene_view view_of(const camera *c, const gl_frame *f)
{
    const double *const axes[3] = {c->right, c->up, c->toward};
    scene_view v = {.size = {(float)f->width, (float)f->height}};
    float to_eye[16], projection[16];
    camera_view_matrix(c, NULL, to_eye);
    camera_projection_matrix(c, projection);
    multiply(projection, to_eye, v.to_clip);
    v.eye[3] = c->orthographic ? 0 : 1;
    for (int k = 0; k < 3; k++)
        v.eye[k] =
            (float)(c->orthographic ? c->toward[k]
                                    : c->center[k] + CAMERA_DISTANCE * c->unit * c->toward[k]);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
            v.to_camera[3 * k + row] = (float)axes[row][k];
    return v;
}

static void set_linear(GLuint program, const char *name, const unsigned char rgb[3])
{
    gl.Uniform3f(gl_place(program, name), color_decode(rgb[0]), color_decode(rgb[1]),
                 color_decode(rgb[2]));
}

static void draw_surface(const scene *s, GLuint p, const scene_view *v, const scene_style *style)
{
    const bool is_plain = style->colors.kind == COLORING_PLAIN;
    const float *glaze = light_glaze.color;
    gl.UseProgram(p);
    gl.UniformMatrix4fv(gl_place(p, "to_clip"), 1, GL_FALSE, v->to_clip);
    gl.UniformMatrix3fv(gl_place(p, "to_camera"), 1, GL_FALSE, v->to_camera);
    gl.Uniform4f(gl_place(p, "eye"), v->eye[0], v->eye[1], v->eye[2], v->eye[3]);
    gl.Uniform2f(gl_place(p, "range"), (float)style->colors.low, (float)style->colors.high);
    gl.Uniform3f(gl_place(p, "plain"), glaze[0], glaze[1], glaze[2]);
    set_linear(p, "missing", color_of_nan);
    gl.Uniform1f(gl_place(p, "shine"), is_plain ? light_glaze.shine : LIGHT_COLORED_SHINE);
    gl.Uniform1i(gl_place(p, "map"), 0);
    gl.BindTexture(GL_TEXTURE_2D, s->map);
    if (s->vertices.shared) {
        gl.Uniform1i(gl_place(p, "vertices"), 1);
        gl.ActiveTexture(GL_TEXTURE1);
        gl.BindTexture(GL_TEXTURE_BUFFER, s->points);
        gl.ActiveTexture(GL_TEXTURE0);
    }
    gl.BindVertexArray(s->surface_array);
    gl.DrawElements(GL_TRIANGLES, (GLsizei)s->mesh->num_indices, GL_UNSIGNED_INT, NULL);
}

/* Draws lines from each of some points to the next, `stride` bytes on. */
static void draw_lines(const scene *s, GLuint buffer, size_t first, size_t stride, size_t to,
                       size_t count)
{
    gl.BindVertexArray(s->line_array);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffer);
    attach(0, 3, GL_FLOAT, stride, first, 1);
    attach(1, 3, GL_FLOAT, stride, first + to, 1);
    gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
}

static void begin_lines(const scene *s, const scene_view *v, float width, float nearer)
{
    gl.UseProgram(s->line);
    gl.UniformMatrix4fv(gl_place(s->line, "to_clip"), 1, GL_FALSE, v->to_clip);
    gl.Uniform2f(gl_place(s->line, "size"), v->size[0], v->size[1]);
    gl.Uniform1f(gl_place(s->line, "width"), 2 * width);
    gl.Uniform1f(gl_place(s->line, "nearer"), nearer);
}

static void draw_curves(const scene *s, const scene_view *v)
{
    const float *glaze = light_glaze.color;
    const size_t vertex = VIEW_STRIDE * sizeof(float);
    begin_lines(s, v, CURVE_WIDTH, 0);
    gl.Uniform4f(gl_place(s->line, "paint"), glaze[0], glaze[1], glaze[2], 1);
    for (size_t i = 0; i < s->mesh->num_curves; i++) {
        const view_curve *c = &s->mesh->curves[i];
        draw_lines(s, s->vertices.name, vertex * c->first, vertex, vertex, c->count - 1);
    }
}

/* Draws control points, before all, and the lines between them. */
static void draw_controls(const scene *s, const scene_view *v, size_t chosen)
{
    const size_t point = 3 * sizeof(float);
    begin_lines(s, v, SEGMENT_WIDTH, 1e-4f);
    gl.Uniform4f(gl_place(s->line, "paint"), 0.02f, 0.05f, 0.12f, 0);
    if (s->num_segments > 0) draw_lines(s, s->segments, 0, 2 * point, point, s->num_segments);
    gl.UseProgram(s->point);
    gl.UniformMatrix4fv(gl_place(s->point, "to_clip"), 1, GL_FALSE, v->to_clip);
    gl.Uniform2f(gl_place(s->point, "size"), v->size[0], v->size[1]);
    gl.Uniform1f(gl_place(s->point, "width"), 2 * CONTROL_WIDTH / 2);
    gl.Uniform1i(gl_place(s->point, "chosen"), chosen < s->num_controls ? (GLint)chosen : -1);
    gl.Uniform3f(gl_place(s->point, "paint"), 0.02f, 0.06f, 0.20f);
    gl.Uniform3f(gl_place(s->point, "other"), 0.95f, 0.75f, 0.05f);
    gl.DepthFunc(GL_ALWAYS);
    gl.BindVertexArray(s->point_array);
    gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)s->num_controls);
    gl.DepthFunc(GL_LESS);
}

/* Draws a triangle that covers the picture, at the far end of depths. */
static void cover(const scene *s, GLuint program)
{
    gl.UseProgram(program);
    gl.BindVertexArray(s->empty_array);
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

/* Draws what is behind all, where nothing else has been drawn. */
static void draw_backdrop(const scene *s)
{
    gl.UseProgram(s->backdrop);
    gl.Uniform3f(gl_place(s->backdrop, "light"), 0.90f, 0.91f, 0.92f);
    gl.Uniform3f(gl_place(s->backdrop, "dark"), 0.62f, 0.64f, 0.67f);
    gl.DepthFunc(GL_LEQUAL);
    cover(s, s->backdrop);
    gl.DepthFunc(GL_LESS);
}

bool scene_draw(scene *s, const gl_frame *f, const camera *c, const scene_style *style,
                size_t chosen, io_message *message)
{
    const scene_view v = view_of(c, f);
    const GLuint program = surface_program(s, style, f->is_light, message);
    if (!program) return false;
    gl_frame_begin(f);
    gl.ClearColor(0, 0, 0, 0);
    gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl.DepthFunc(GL_LESS);
    gl.Enable(GL_DEPTH_TEST);
    gl.ActiveTexture(GL_TEXTURE0);
    if (s->mesh->num_indices > 0) draw_surface(s, program, &v, style);
    if (s->mesh->num_curves > 0) draw_curves(s, &v);
    if (style->backdrop) draw_backdrop(s);
    if (s->num_controls > 0) draw_controls(s, &v, chosen);
    return true;
}

void scene_draw_label(const scene *s, const gl_frame *f, const scene_label *label)
{
    const GLsizei width = (GLsizei)label->image.width, height = (GLsizei)label->image.height;
    gl.BindFramebuffer(GL_FRAMEBUFFER, f->drawn);
    gl.Viewport(label->x, f->height - label->y - height, width, height);
    gl.Disable(GL_FRAMEBUFFER_SRGB); /* the colours are sRGB already */
    gl.UseProgram(s->overlay);
    gl.Uniform1i(gl_place(s->overlay, "to_light"), f->is_light);
    gl.Disable(GL_DEPTH_TEST);
    gl.Enable(GL_BLEND);
    gl.BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl.BindTexture(GL_TEXTURE_2D, s->words);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  label->image.pixels);
    cover(s, s->overlay);
    gl.Disable(GL_BLEND);
}

void scene_close(scene *s)
{
    GLuint *const programs[] = {&s->backdrop, &s->line, &s->point, &s->overlay};
    GLuint *const arrays[] = {&s->surface_array, &s->line_array, &s->point_array, &s->empty_array};
    GLuint *const buffers[] = {&s->indices, &s->marks,    &s->places,
                               &s->values,  &s->controls, &s->segments};
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        if (*programs[i]) gl.DeleteProgram(*programs[i]);
    for (size_t i = 0; i < SCENE_STYLES; i++)
        if (s->surface[i]) gl.DeleteProgram(s->surface[i]);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        if (*arrays[i]) gl.DeleteVertexArrays(1, arrays[i]);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (*buffers[i]) gl.DeleteBuffers(1, buffers[i]);
    if (s->map) gl.DeleteTextures(1, &s->map);
    if (s->words) gl.DeleteTextures(1, &s->words);
    if (s->points) gl.DeleteTextures(1, &s->points);
    vertex_buffer_close(&s->vertices);
    *s = (scene){.mesh = NULL};
}
