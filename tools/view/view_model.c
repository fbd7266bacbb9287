#include "view_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cad_model.h"
#include "command.h"
#include "part_mesh.h"
#include "sample_numbers.h"
#include "solid_file.h"
#include "spline_file.h"
#include "spline_info.h"

enum {
    COARSE_SAMPLES = 9,
    MOST_BYTES = 1 << 29, /* of a file */
    CUT_TRIANGLES = 80000 /* of cells within a solid, which are evaluated more slowly */
};

static const char *name_of(const view_model *m)
{
    return strcmp(m->r->base.inputs[0], "-") == 0 ? "standard input" : m->r->base.inputs[0];
}

static bool no_memory(const view_model *m)
{
    complain("%s: not enough memory", name_of(m));
    return false;
}

/* ---- reading ---- */

static view_kind kind_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    const char *ending = dot ? dot + 1 : "";
    if (option_number_of("g2 json igs iges step stp brep", ending, true) >= 0) return VIEW_SPLINES;
    return option_number_of("vtk vtu mesh meshb msh", ending, true) >= 0 ? VIEW_SOLID
                                                                         : VIEW_PATCHES;
}

/* Complains of inputs that cannot be shown together. */
static bool check_kinds(const view_model *m)
{
    const request *r = &m->r->base;
    for (size_t i = 1; i < r->num_inputs; i++) {
        if (kind_of(r->inputs[i]) == m->kind && m->kind != VIEW_SOLID) continue;
        complain("%s: %s", r->inputs[i],
                 m->kind == VIEW_SOLID ? "one solid at a time"
                                       : "files of one kind alone are shown together");
        return false;
    }
    if (m->kind == VIEW_SOLID || m->r->crease_angle < 0) return true;
    complain("%s: --crease-angle is of solids", r->inputs[0]);
    return false;
}

static bool read_file(view_model *m, const char *path, io_message *message)
{
    switch (m->kind) {
    case VIEW_PATCHES:
        return bezierview_add(&m->content, path, MESH_F32, message);
    case VIEW_SPLINES:
        return spline_file_add(&m->from, path, MESH_F32, message);
    default:
        return solid_file_open(&m->solid.cells, path, NULL, message);
    }
}

/* Complains of a file that is larger than any model that can be shown, before it is read. */
static bool check_bytes(const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size <= MOST_BYTES)
        return true;
    complain("%s: it has %.1f GiB, view shows files of up to 0.5 GiB", path,
             (double)found.st_size / (1024.0 * 1024.0 * 1024.0));
    return false;
}

/* Lists the colours of the triangles of a CAD file's faces. False when memory runs out. */
static bool list_colors(view_model *m)
{
    const cad_model *from = m->from.cad;
    const size_t num = from->triangles.num / 3;
    bool has_colors = false;
    float *colors = malloc((num + 1) * sizeof(*colors));
    if (!colors) return false;
    for (size_t f = 0; f < from->num_faces; f++) {
        unsigned char rgb[3];
        if (cad_model_rgb(from, f, rgb))
            has_colors = true;
        else
            memcpy(rgb, color_of_plain, sizeof(rgb));
        for (size_t c = from->corner.at[f] / 3; c < from->corner.at[f + 1] / 3; c++)
            colors[c] = (float)((uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
    }
    if (has_colors)
        m->face_colors = colors;
    else
        free(colors);
    return true;
}

/* Takes the mesh of a CAD file's faces in the place of its splines. */
static bool take_part(view_model *m)
{
    const cad_model *from = m->from.cad;
    mesh *to = &m->content.polyhedra;
    double *nodes = mesh_add_vertices(to, from->nodes.num / 3);
    bool done = nodes && list_colors(m);
    if (done) memcpy(nodes, from->nodes.at, from->nodes.num * sizeof(double));
    for (size_t f = 0; done && f < from->num_faces; f++)
        for (size_t c = from->corner.at[f]; done && c < from->corner.at[f + 1]; c++)
            done = mesh_add_corner(to, from->node.at[from->vertex.at[f] + from->triangles.at[c]]) &&
                   (c % 3 < 2 || mesh_end_face(to));
    splines_clear(&m->from);
    m->kind = VIEW_PATCHES;
    return done || no_memory(m);
}

static bool read_files(view_model *m)
{
    const request *r = &m->r->base;
    io_message message;
    for (size_t i = 0; i < r->num_inputs; i++) {
        if (!check_bytes(r->inputs[i])) return false;
        if (read_file(m, r->inputs[i], &message)) continue;
        complain("%s", message.text);
        return false;
    }
    if (!spline_info_choose(&m->from, name_of(m), r)) return false;
    spline_info_tell(&m->from, name_of(m), r);
    return !part_mesh_suits(&m->from) || take_part(m);
}

/* ---- control points ---- */

static bool add_patch_controls(view_model *m)
{
    for (size_t i = 0; i < m->content.num_batches; i++) {
        const bezierview_batch *batch = &m->content.batches[i];
        const size_t stride = bezierview_coordinates(&batch->type);
        const control_block block = {batch->points, batch->num_reals / stride, stride, 3,
                                     batch->type.rational};
        if (!control_points_add(&m->controls, &block)) return no_memory(m);
    }
    return true;
}

static bool add_spline_controls(view_model *m)
{
    for (size_t i = 0; i < m->from.num_batches; i++) {
        const spline_batch *batch = &m->from.batches[i];
        const size_t stride = spline_coordinates(&batch->type);
        const control_block block = {batch->points, batch->num_reals / stride, stride,
                                     batch->type.dim, batch->type.rational};
        if (!control_points_add(&m->controls, &block)) return no_memory(m);
    }
    return true;
}

static bool add_solid_controls(view_model *m)
{
    const control_block block = {m->solid.cells.points, m->solid.cells.num_points, 3, 3, false};
    return control_points_add(&m->controls, &block) || no_memory(m);
}

static double diagonal_of(const view_model *m)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < m->controls.num; i++) {
        double place[3];
        control_points_get(&m->controls, i, place);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], place[k]);
            high[k] = fmax(high[k], place[k]);
        }
    }
    if (m->controls.num == 0) mesh_bounds(&m->outline, low, high);
    return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

/* ---- making ---- */

/* Complains of a model that is empty, or of which even the coarsest mesh is too large. */
static bool check_size(const view_model *m, size_t num_patches, bool has_more)
{
    if (num_patches == 0 && !has_more) complain("%s: there is nothing to show", name_of(m));
    if (num_patches > VIEW_MOST_PATCHES)
        complain("%s: these are %zu patches, view shows %d at most; 'clspline eval' makes meshes "
                 "of more",
                 name_of(m), num_patches, VIEW_MOST_PATCHES);
    return num_patches <= VIEW_MOST_PATCHES && (num_patches > 0 || has_more);
}

/* Counts the Bezier pieces of splines; 2^40 for that and more. */
static size_t count_pieces(const splines *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->num_batches; i++) {
        const spline_type *type = &s->batches[i].type;
        double pieces = type->directions > 1 ? (double)s->batches[i].num_splines : 0;
        for (uint32_t k = 0; k < type->directions; k++)
            pieces *= spline_spans(type, k);
        sum += pieces;
    }
    return (size_t)fmin(sum, 1099511627776.0);
}

static bool open_patches(view_model *m)
{
    const bool done =
        check_size(m, bezierview_num_patches(&m->content), m->content.polyhedra.num_faces > 0) &&
        add_patch_controls(m) && patch_surface_open(&m->patches, m->ctx, &m->content);
    m->patches.face_values = m->face_colors;
    return done;
}

static bool open_splines(view_model *m)
{
    return check_size(m, count_pieces(&m->from), m->from.num_splines > 0) &&
           add_spline_controls(m) &&
           spline_pieces_open(&m->pieces, m->ctx, &m->from, &m->content) &&
           patch_surface_open(&m->patches, m->ctx, &m->content);
}

static bool open_solid(view_model *m)
{
    bool done = solid_model_choose(&m->solid) && solid_model_make(&m->solid);
    while (done && solid_model_is_coarse(&m->solid))
        done = solid_model_refine(&m->solid);
    return done && check_size(m, m->solid.counts.num_cells, false) &&
           solid_model_index(&m->solid) && add_solid_controls(m) &&
           boundary_surface_open(&m->boundary, &m->solid, m->r->array);
}

static bool open_kind(view_model *m)
{
    switch (m->kind) {
    case VIEW_PATCHES:
        return open_patches(m);
    case VIEW_SPLINES:
        return open_splines(m);
    default:
        return open_solid(m);
    }
}

/* ---- samples ---- */

static size_t num_numbers(const view_model *m)
{
    return 2 * m->patches.num_patches;
}

/* Makes the mesh of patches and curves. */
static bool set_samples(view_model *m, const uint32_t *num)
{
    if (!patch_surface_set_samples(&m->patches, num, m->pieces.num_curve_vertices,
                                   m->pieces.num_curves, &m->mesh))
        return false;
    if (m->pieces.num_curves > 0)
        spline_pieces_curves(&m->pieces, patch_surface_vertices(&m->patches), m->mesh.curves);
    return true;
}

/* Makes the mesh with equally many samples everywhere. */
static bool set_uniform(view_model *m, uint32_t samples)
{
    if (m->kind == VIEW_SOLID) return boundary_surface_set(&m->boundary, m->cut, samples, &m->mesh);
    uint32_t *num = malloc((num_numbers(m) + 1) * sizeof(*num));
    if (!num) return no_memory(m);
    for (size_t i = 0; i < num_numbers(m); i++)
        num[i] = samples;
    const bool done = set_samples(m, num);
    free(num);
    return done;
}

/* Keeps the positions of a coarse mesh. */
static bool make_outline(view_model *m)
{
    const size_t patches = m->patches.num_patches + m->solid.counts.num_cells;
    if (!set_uniform(m, patches > 10000 ? 3 : COARSE_SAMPLES)) return false;
    float *vertices = malloc((m->mesh.num_vertices + 1) * VIEW_STRIDE * sizeof(*vertices));
    double *positions = mesh_add_vertices(&m->outline, m->mesh.num_vertices);
    bool done = vertices && (positions || m->mesh.num_vertices == 0);
    if (!done) no_memory(m);
    done = done && view_model_eval(m, false, &(vertex_target){.host = vertices});
    for (size_t i = 0; done && i < 3 * m->mesh.num_vertices; i++)
        positions[i] = (double)vertices[i / 3 * VIEW_STRIDE + i % 3];
    free(vertices);
    return done;
}

static uint64_t count_triangles(const void *user, const uint32_t *num)
{
    return patch_surface_triangles(user, num);
}

/* Chooses numbers for the patches on the screen. */
static bool choose_samples(const view_model *m, const camera *c, double tolerance, uint64_t budget,
                           uint32_t *num)
{
    tessellation t = {.num = NULL};
    if (m->r->samples > 0) {
        for (size_t i = 0; i < num_numbers(m); i++)
            num[i] = m->r->samples;
        return true;
    }
    const bool done = tessellation_within(&t, &m->content, &m->patches.edges, tolerance, c);
    for (size_t i = 0; done && i < num_numbers(m); i++)
        num[i] = sample_numbers_nest(t.num[i], m->patches.num[i]);
    tessellation_clear(&t);
    if (!done) return no_memory(m);
    sample_numbers_limit(num, num_numbers(m), budget, count_triangles, &m->patches);
    return seams_join(&m->patches.edges, m->patches.num_patches, num) || no_memory(m);
}

static bool sample_patches(view_model *m, const camera *c, double tolerance, uint64_t budget,
                           bool *changed)
{
    uint32_t *num = malloc((num_numbers(m) + 1) * sizeof(*num));
    if (!num) return no_memory(m);
    bool done = choose_samples(m, c, tolerance, budget, num);
    *changed = done && memcmp(num, m->patches.num, num_numbers(m) * sizeof(*num)) != 0;
    if (*changed) done = set_samples(m, num);
    free(num);
    return done;
}

static bool sample_solid(view_model *m, const camera *c, double tolerance, uint64_t budget,
                         bool *changed)
{
    boundary_surface *s = &m->boundary;
    uint32_t samples = m->r->samples;
    if (samples == 0) {
        const double length = tolerance * camera_pixel_length(c, -1);
        samples = boundary_surface_samples(s, length, SAMPLE_NUMBERS_MOST);
        if (samples == 0) return false;
        samples = sample_numbers_nest(samples, s->samples);
        const uint64_t most = s->cut.is_on && budget > CUT_TRIANGLES ? CUT_TRIANGLES : budget;
        while (samples > 2 && boundary_surface_triangles(s, samples) > most)
            samples = (samples - 1) / 2 + 1;
    }
    *changed = samples != s->samples;
    return !*changed || boundary_surface_set(s, m->cut, samples, &m->mesh);
}

bool view_model_sample(view_model *m, const camera *c, double tolerance, uint64_t budget,
                       bool *changed)
{
    return m->kind == VIEW_SOLID ? sample_solid(m, c, tolerance, budget, changed)
                                 : sample_patches(m, c, tolerance, budget, changed);
}

bool view_model_cut(view_model *m, solid_cut cut)
{
    m->cut = cut;
    return m->kind != VIEW_SOLID ||
           boundary_surface_set(&m->boundary, cut, m->boundary.samples, &m->mesh);
}

/* ---- evaluation ---- */

bool view_model_eval(view_model *m, bool curvature, const vertex_target *to)
{
    if (m->kind == VIEW_SOLID) return boundary_surface_eval(&m->boundary, &m->mesh, to->host);
    return patch_surface_eval(&m->patches, curvature, to) &&
           (m->kind != VIEW_SPLINES ||
            spline_pieces_eval(&m->pieces, to, patch_surface_vertices(&m->patches)));
}

bool view_model_stays_on_device(const view_model *m)
{
    return m->kind != VIEW_SOLID;
}

void view_model_fixed(const view_model *m, float *vertices, size_t *first, size_t *count)
{
    *first = m->patches.num_vertices;
    *count = patch_surface_vertices(&m->patches) - *first;
    if (vertices) patch_surface_corners(&m->patches, vertices);
}

void view_model_places(const view_model *m, uint32_t *place)
{
    for (size_t i = 0; i < m->mesh.num_vertices; i++)
        place[i] = (uint32_t)i;
    patch_surface_places(&m->patches, place);
}

bool view_model_moved(view_model *m)
{
    if (m->kind == VIEW_SOLID)
        return solid_model_move(&m->solid) && boundary_surface_move(&m->boundary);
    return (m->kind != VIEW_SPLINES || spline_pieces_load(&m->pieces, &m->content)) &&
           patch_surface_load(&m->patches);
}

/* ---- the whole ---- */

view_model *view_model_read(const view_request *r)
{
    view_model *m = calloc(1, sizeof(*m));
    if (!m) {
        complain("not enough memory");
        return NULL;
    }
    *m = (view_model){.r = r, .kind = kind_of(r->base.inputs[0])};
    m->solid_request = (solid_request){.base = r->base, .crease_angle = r->crease_angle};
    m->solid = (solid_model){.r = &m->solid_request};
    if (check_kinds(m) && read_files(m)) return m;
    view_model_close(m);
    return NULL;
}

bool view_model_make(view_model *m, clsp_context *ctx)
{
    m->ctx = m->solid.ctx = ctx;
    m->solid.keeps_coarser = true;
    m->read_creases = m->solid.cells.num_creases;
    if (!open_kind(m) || !make_outline(m)) return false;
    m->diagonal = diagonal_of(m);
    return true;
}

view_model *view_model_open(clsp_context *ctx, const view_request *r)
{
    view_model *m = view_model_read(r);
    if (m && view_model_make(m, ctx)) return m;
    view_model_close(m);
    return NULL;
}

bool view_model_has_data(const view_model *m)
{
    return m->kind == VIEW_SOLID && boundary_surface_has_data(&m->boundary);
}

bool view_model_has_curvature(const view_model *m)
{
    return m->kind != VIEW_SOLID && m->patches.num_patches > 0;
}

bool view_model_has_colors(const view_model *m)
{
    return m->face_colors != NULL;
}

void view_model_close(view_model *m)
{
    if (!m) return;
    free(m->face_colors);
    patch_surface_close(&m->patches);
    if (m->pieces.ctx) spline_pieces_close(&m->pieces);
    boundary_surface_close(&m->boundary);
    solid_model_clear(&m->solid);
    control_points_clear(&m->controls);
    view_mesh_clear(&m->mesh);
    mesh_clear(&m->outline);
    splines_clear(&m->from);
    bezierview_clear(&m->content);
    free(m);
}
