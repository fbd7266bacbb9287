#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "color_bar.h"
#include "command.h"
#include "control_lines.h"

static bool no_memory(void)
{
    complain("not enough memory to draw");
    return false;
}

bool stage_open(stage *s, const view_request *r)
{
    *s = (stage){.r = r, .tolerance = STAGE_TOLERANCE};
    s->style = (scene_style){.wires = r->wireframe,
                             .edges = r->picture.edges,
                             .zebra = r->zebra,
                             .backdrop = !r->picture.view.no_background};
    s->shows_controls = r->controls;
    s->shows_bar = r->picture.view.bar;
    s->model = view_model_read(r);
    return s->model;
}

/* Opens the device: the one that OpenGL draws on, where there is one. Else another will do, so that
   words are given that all devices fit, and without OpenCL the host. */
static bool open_device(stage *s, clsp_graphics_context graphics)
{
    uint8_t uuid[GL_DEVICE_UUID];
    size_t num = 0;
    const char *variable = getenv("CLSPLINE_DEVICE"), *device = s->r->base.device;
    if (!device && !(variable && *variable))
        device = clsp_device_list(NULL, 0, &num) == CLSP_OK && num == 1 ? "host" : ":";
    if (!s->is_software && gl_device_uuid(0, uuid)) graphics.device_uuid = uuid;
    return open_context_beside(&s->ctx, device, &graphics, request_verbosity(&s->r->base));
}

static bool open_distances(stage *s)
{
    if (s->r->picture.distance_to)
        s->distances = distance_set_open(s->ctx, s->r->picture.distance_to);
    return s->distances || !s->r->picture.distance_to;
}

/* Colours as the request has it. Complains where the model has no such thing. */
static bool color_first(stage *s)
{
    const view_request *r = s->r;
    if (r->picture.own_colors && stage_color(s, COLORING_OWN)) return true;
    if (stage_color(s, r->picture.colors)) return true;
    complain("%s: --colors %s: %s", r->base.inputs[0],
             r->picture.colors == COLORING_DATA   ? "data"
             : r->picture.colors == COLORING_MEAN ? "mean"
                                                  : "gauss",
             r->picture.colors == COLORING_DATA ? "the model has no data"
                                                : "curvatures are of patches and splines alone");
    return false;
}

void stage_place(stage *s, int width, int height)
{
    const camera_view *const view = &s->r->picture.view.camera;
    size_t bar = s->shows_bar ? color_bar_width((size_t)width, (size_t)height) : 0;
    if (bar >= (size_t)width) bar = 0;
    s->view = camera_place(&s->model->outline, view, width - (double)bar, height);
    s->view.width = width;
}

/* Lets calls write what is drawn from, for models of which they make all. */
static void open_vertices(stage *s)
{
    vertex_buffer_open(&s->scene.vertices, view_model_stays_on_device(s->model) ? s->ctx : NULL,
                       s->may_export && !s->is_software ? &s->exporter : NULL);
}

bool stage_begin(stage *s, const clsp_graphics_context *graphics, int width, int height)
{
    io_message message;
    s->is_software = gl_is_software();
    if (!open_device(s, *graphics) || !view_model_make(s->model, s->ctx) || !open_distances(s) ||
        !color_first(s))
        return false;
    s->is_loaded = true;
    if (!scene_open(&s->scene, &message)) {
        complain("%s", message.text);
        return false;
    }
    open_vertices(s);
    stage_place(s, width, height);
    return true;
}

/* ---- colours ---- */

static bool is_curvature(coloring_kind kind)
{
    return kind == COLORING_MEAN || kind == COLORING_GAUSS;
}

bool stage_color(stage *s, coloring_kind kind)
{
    if (kind == COLORING_DATA && !view_model_has_data(s->model)) return false;
    if (is_curvature(kind) && !view_model_has_curvature(s->model)) return false;
    if (kind == COLORING_DISTANCE && !s->distances) return false;
    if (kind == COLORING_OWN && !view_model_has_colors(s->model)) return false;
    s->style.colors = (coloring){.kind = kind, .map = s->r->picture.map};
    s->is_fit = false;
    if (is_curvature(kind) && !s->has_curvature) s->is_evaluated = false;
    return true;
}

/* What the colours of the style tell, as a title. */
static const char *title_of(const stage *s)
{
    switch (s->style.colors.kind) {
    case COLORING_MEAN:
        return "mean curvature";
    case COLORING_GAUSS:
        return "Gauss curvature";
    case COLORING_DISTANCE:
        return "distance";
    case COLORING_DATA:
        return s->r->array ? s->r->array : "data";
    default:
        return "";
    }
}

/* The values of all vertices; the caller frees. NULL without memory. */
static double *list_values(const stage *s)
{
    const view_mesh *m = &s->model->mesh;
    void *copy;
    const float *vertices = vertex_buffer_read(&s->scene.vertices, &copy);
    const coloring_kind kind = s->style.colors.kind;
    double *values = vertices ? malloc((m->num_vertices + 1) * sizeof(*values)) : NULL;
    for (size_t i = 0; values && i < m->num_vertices; i++) {
        const float *k = vertices + VIEW_STRIDE * i + VIEW_CURVATURE;
        const double principal[2] = {(double)k[0], (double)k[1]};
        values[i] = kind == COLORING_DATA       ? (double)m->marks[i].value
                    : kind == COLORING_DISTANCE ? (double)s->values[i]
                                                : coloring_curvature(kind, principal);
    }
    free(copy);
    return values;
}

/* Finds the range of the colours, unless the user gave one. */
static bool fit(stage *s)
{
    coloring *c = &s->style.colors;
    const double flat = 1e-4 / fmax(s->model->diagonal, 1e-30);
    bool done = true;
    s->is_fit = true;
    if (s->r->picture.range.num > 0) {
        c->low = s->r->picture.range.values[0];
        c->high = s->r->picture.range.values[1];
    } else if (coloring_has_values(c->kind)) {
        double *values = list_values(s);
        done = values && coloring_fit(c, values, s->model->mesh.num_vertices,
                                      c->kind == COLORING_GAUSS ? flat * flat : flat);
        free(values);
    }
    if (!done) return no_memory();
    scene_set_colors(&s->scene, c);
    return true;
}

/* ---- frames ---- */

static uint64_t budget_of(const stage *s, bool moving)
{
    if (!s->is_software) return STAGE_GPU;
    return moving ? STAGE_MOVING : STAGE_RESTING;
}

const char *stage_way(const stage *s)
{
    static const char *const names[CLSP_NUM_GRAPHICS_WAYS] = {"staged", "gl", "external", "staged"};
    return names[s->scene.vertices.way];
}

/* Says once why vertices go through host memory: where OpenGL draws on the CPU too that is as
   good, and only said where the user wants to know what was chosen. */
static void say_why(stage *s)
{
    const verbosity how_much = request_verbosity(&s->r->base);
    const char *reason = s->scene.vertices.reason.text;
    if (s->said_why || !reason[0] || how_much == VERBOSITY_QUIET) return;
    s->said_why = true;
    if (!s->is_software || how_much == VERBOSITY_VERBOSE)
        complain("note: vertices go through host memory: %s", reason);
}

/* Makes room for the model's mesh, and writes what calls do not. */
static bool set_mesh(stage *s)
{
    const vertex_buffer *b = &s->scene.vertices;
    size_t first = 0, count = 0;
    if (!scene_set_mesh(&s->scene, &s->model->mesh)) return no_memory();
    s->shows_values = s->is_measured = false;
    say_why(s);
    if (b->shared) view_model_fixed(s->model, NULL, &first, &count);
    if (count == 0) return true;
    float *fixed = malloc(count * VIEW_STRIDE * sizeof(*fixed));
    if (!fixed) return no_memory();
    view_model_fixed(s->model, fixed, &first, &count);
    vertex_buffer_put(b, first * VIEW_STRIDE * sizeof(*fixed), fixed,
                      count * VIEW_STRIDE * sizeof(*fixed));
    free(fixed);
    return true;
}

static bool sample(stage *s, bool moving)
{
    bool changed;
    if (!view_model_sample(s->model, &s->view, s->tolerance, budget_of(s, moving), &changed))
        return false;
    s->is_sampled = true;
    if (!changed && s->scene.mesh) return true;
    s->is_evaluated = false;
    return set_mesh(s);
}

/* Tells OpenGL which vertices have the points of others, where the host does not make them so. */
static bool set_places(stage *s)
{
    uint32_t *place = malloc((s->model->mesh.num_vertices + 1) * sizeof(*place));
    if (!place) return no_memory();
    view_model_places(s->model, place);
    scene_set_places(&s->scene, place);
    free(place);
    return true;
}

static bool write_vertices(stage *s, bool curvature)
{
    const vertex_buffer *b = &s->scene.vertices;
    const vertex_target to = vertex_buffer_begin(b);
    if (b->shared && !set_places(s)) return false;
    if (!view_model_eval(s->model, curvature, &to)) return false;
    if (vertex_buffer_end(b)) return true;
    complain("the device failed while it made vertices");
    return false;
}

/* Goes on through host memory after a failure. */
static bool write_staged(stage *s, bool curvature)
{
    s->said_why = true;
    complain("note: vertices go through host memory from now on");
    return vertex_buffer_unshare(&s->scene.vertices, "sharing has failed") && set_mesh(s) &&
           write_vertices(s, curvature);
}

static bool evaluate(stage *s)
{
    const bool curvature = is_curvature(s->style.colors.kind);
    if (!write_vertices(s, curvature) && !(s->scene.vertices.shared && write_staged(s, curvature)))
        return false;
    if (view_model_has_data(s->model) && !s->shows_values) scene_set_marks(&s->scene);
    s->is_measured = false;
    s->has_curvature = curvature;
    s->is_evaluated = true;
    return true;
}

static bool set_controls(stage *s)
{
    control_lines lines = {.num_points = 0};
    const bool done =
        (!s->shows_controls || control_lines_make(&lines, s->model)) &&
        scene_set_controls(&s->scene, lines.points, lines.num_points, lines.pairs, lines.num_pairs);
    control_lines_clear(&lines);
    return done || no_memory();
}

/* Makes room for the values of all vertices. */
static bool reserve_values(stage *s)
{
    const size_t num = s->model->mesh.num_vertices;
    float *moved = realloc(s->values, (num + 1) * sizeof(*moved));
    if (!moved) return no_memory();
    s->values = moved;
    s->num_values = num;
    return true;
}

/* Measures the distances of all vertices. */
static bool measure_distances(stage *s)
{
    void *copy = NULL;
    if (!reserve_values(s)) return false;
    const size_t num = s->num_values;
    const float *vertices = vertex_buffer_read(&s->scene.vertices, &copy);
    double *places = malloc((3 * num + 1) * sizeof(*places));
    double *found = malloc((num + 1) * sizeof(*found));
    bool done = (vertices && places && found) || no_memory();
    for (size_t i = 0; done && i < 3 * num; i++)
        places[i] = (double)vertices[i / 3 * VIEW_STRIDE + VIEW_POINT + i % 3];
    done = done && distance_set_find(s->distances, places, num, found);
    for (size_t i = 0; done && i < num; i++)
        s->values[i] = (float)found[i];
    free(copy);
    free(places);
    free(found);
    return done;
}

/* Shows what vertices are coloured by. Distances take long: while something moves they stay those
   of the vertices before. */
static bool set_values(stage *s, bool moving)
{
    if (s->style.colors.kind != COLORING_DISTANCE) {
        if (s->shows_values) scene_set_marks(&s->scene);
        s->shows_values = false;
        return true;
    }
    if (s->shows_values && (s->is_measured || moving)) return true;
    if (!s->is_measured && !measure_distances(s)) return false;
    scene_set_values(&s->scene, s->values);
    s->is_measured = s->shows_values = true;
    return true;
}

bool stage_update(stage *s, bool moving)
{
    if (!s->is_loaded && !view_model_moved(s->model)) return false;
    s->is_loaded = true;
    if (!s->is_sampled && !sample(s, moving)) return false;
    if (!s->is_evaluated && !(evaluate(s) && set_controls(s))) return false;
    if (!set_values(s, moving)) return false;
    return s->is_fit || fit(s);
}

bool stage_replace(stage *s, const view_request *r)
{
    view_model *made = view_model_open(s->ctx, r);
    if (!made) return false;
    const bool stayed = view_model_stays_on_device(s->model);
    view_model_close(s->model);
    s->model = made;
    s->r = r;
    if (view_model_stays_on_device(made) != stayed) {
        vertex_buffer_close(&s->scene.vertices);
        open_vertices(s);
    }
    s->scene.mesh = NULL;
    s->is_loaded = true;
    s->is_sampled = s->is_evaluated = s->is_fit = s->has_curvature = false;
    if (!stage_color(s, s->style.colors.kind)) stage_color(s, COLORING_PLAIN);
    return true;
}

/* ---- drawing ---- */

/* Draws the bar at the right of the picture. False without memory. */
static bool draw_bar(const stage *s, const gl_frame *f)
{
    const size_t width = (size_t)f->width, height = (size_t)f->height;
    const size_t bar = color_bar_width(width, height);
    const rgba_image whole = {calloc(width * height, 4), width, height};
    scene_label label = {.image = {malloc(bar * height * 4 + 1), bar, height},
                         .x = (int)(width - bar)};
    const bool done = whole.pixels && label.image.pixels;
    if (done) color_bar_draw(&whole, &s->style.colors, title_of(s));
    for (size_t y = 0; done && y < height; y++)
        memcpy(label.image.pixels + 4 * bar * y, whole.pixels + 4 * (width * (y + 1) - bar),
               4 * bar);
    if (done && bar > 0) scene_draw_label(&s->scene, f, &label);
    free(whole.pixels);
    free(label.image.pixels);
    return done || no_memory();
}

bool stage_draw(stage *s, const gl_frame *f, size_t chosen)
{
    io_message message;
    if (!scene_draw(&s->scene, f, &s->view, &s->style, chosen, &message)) {
        complain("%s", message.text);
        return false;
    }
    return !s->shows_bar || !coloring_has_values(s->style.colors.kind) || draw_bar(s, f);
}

/* Counts the lines of a text, and the letters of the longest one. */
static size_t measure(const char *text, size_t *longest)
{
    size_t lines = 0;
    *longest = 0;
    for (const char *at = text; at; lines++) {
        const size_t length = strcspn(at, "\n");
        if (length > *longest) *longest = length;
        at = at[length] ? at + length + 1 : NULL;
    }
    return lines;
}

bool stage_draw_text(const stage *s, const gl_frame *f, const char *text, bool at_bottom)
{
    static const unsigned char ink[3] = {20, 20, 24}, paper[4] = {255, 255, 255, 210};
    const size_t scale = f->height > 1500 ? 2 : 1, margin = scale * GLYPH_ADVANCE;
    size_t longest;
    const size_t lines = measure(text, &longest);
    scene_label label = {.image = {.width = scale * GLYPH_ADVANCE * longest + 2 * margin,
                                   .height = scale * GLYPH_LINE * lines + margin},
                         .x = (int)margin,
                         .y = (int)margin};
    if (at_bottom) label.y = f->height - (int)(label.image.height + margin);
    label.image.pixels = calloc(label.image.width * label.image.height, 4);
    if (!label.image.pixels) return no_memory();
    rgba_fill(&label.image, 0, 0, label.image.width, label.image.height, paper);
    glyphs_draw(&label.image, (long)margin, (long)margin / 2, scale, text, ink);
    scene_draw_label(&s->scene, f, &label);
    free(label.image.pixels);
    return true;
}

void stage_close(stage *s)
{
    if (s->scene.backdrop) scene_close(&s->scene);
    vulkan_exporter_close(s->exporter);
    distance_set_close(s->distances);
    free(s->values);
    view_model_close(s->model);
    clsp_context_destroy(&s->ctx);
}
