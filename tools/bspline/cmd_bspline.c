/* `clspline eval` on B-splines: from files of B-splines to meshes and pictures. */
#include "command.h"

#include <stdio.h>

#include "spline_file.h"
#include "mesh_work.h"
#include "part_mesh.h"
#include "spline_info.h"
#include "spline_request.h"
#include "spline_task.h"
#include "staging.h"

/* What is on the way. */
typedef struct work {
    mesh_work mesh;
    splines content;
} work;

/* Whether all splines have a place in a mesh; complains of one that has none. */
static bool check_dims(const work *w)
{
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const spline_type *type = &w->content.batches[i].type;
        if (type->dim == 2 || type->dim == 3) continue;
        complain("%s: a %s with points of %u coordinate%s has no place in a mesh", w->mesh.name,
                 spline_form(type), type->dim, type->dim == 1 ? "" : "s");
        return false;
    }
    return true;
}

/* Whether what is to be shown of all splines is there; complains where it is not. */
static bool check_colors(const work *w)
{
    const coloring_kind colors = mesh_request_colors(w->mesh.r);
    const bool is_curvature = colors == COLORING_MEAN || colors == COLORING_GAUSS;
    for (size_t i = 0; is_curvature && i < w->content.num_batches; i++) {
        if (w->content.batches[i].type.directions != 3) continue;
        complain("%s: no curvature is computed of the sides of volumes; use --colors patch",
                 w->mesh.name);
        return false;
    }
    return true;
}

/* Whether there is what options of surfaces work on; complains where there are curves alone. */
static bool check_curves(const work *w)
{
    static const char *const of_surfaces[] = {"normals", "texture", "edges"};
    const request *r = &w->mesh.r->base;
    for (size_t i = 0; i < w->content.num_batches; i++)
        if (w->content.batches[i].type.directions > 1) return true;
    for (size_t i = 0; i < sizeof(of_surfaces) / sizeof(of_surfaces[0]); i++)
        if (request_has(r, of_surfaces[i])) {
            complain("%s: --%s is of surfaces, and these are curves", w->mesh.name, of_surfaces[i]);
            return false;
        }
    return true;
}

static bool read_content(work *w)
{
    io_message message;
    double start = seconds_now();
    const mesh_request *r = w->mesh.r;
    w->content.deflection = r->deflection / 100;
    for (size_t i = 0; i < r->base.num_inputs; i++) {
        if (spline_file_add(&w->content, r->base.inputs[i], r->base.precision, &message)) continue;
        complain("%s", message.text);
        return false;
    }
    if (!spline_info_choose(&w->content, w->mesh.name, &r->base)) return false;
    spline_info_tell(&w->content, w->mesh.name, &r->base);
    double largest;
    const double diagonal = splines_diagonal(&w->content, &largest);
    staging_note_floats(&r->base, w->mesh.name, diagonal, largest);
    w->mesh.read_seconds = seconds_now() - start;
    return check_dims(w) && check_colors(w) && check_curves(w);
}

/* Tells of each batch how many splines of which degrees it has, and their samples. */
static void describe_batches(const work *w, const spline_task *task)
{
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const spline_batch *batch = &w->content.batches[i];
        const spline_type *type = &batch->type;
        char sizes[SPLINES_MAX_DIRECTIONS][64];
        for (uint32_t k = 0; k < SPLINES_MAX_DIRECTIONS; k++)
            sizes[k][0] = 0;
        for (uint32_t k = 0; k < type->directions; k++)
            snprintf(sizes[k], sizeof(sizes[k]), "%s%u spans of degree %u by %u samples",
                     k > 0 ? " x " : "", spline_spans(type, k), type->degree[k],
                     spline_task_samples(task, type, k));
        complain("note: %lu %s%ss: %s%s%s", (unsigned long)batch->num_splines,
                 type->rational ? "rational " : "", spline_form(type), sizes[0], sizes[1],
                 sizes[2]);
    }
}

/* Makes the mesh of a task whose source is made. */
static bool run_task(work *w, spline_task *task)
{
    mesh_work *m = &w->mesh;
    if (!mesh_source_check_size(&task->source) || !mesh_work_open(m)) return false;
    if (m->r->base.verbose) describe_batches(w, task);
    task->ctx = m->contexts.ctx;
    return mesh_work_make(m, &task->source);
}

/* Makes the mesh of CAD files' faces: by the host, unless a device is named, since their many
   degrees would have a GPU compile longer than it computes. */
static bool make_parts(work *w, const spline_task *task)
{
    mesh_work *m = &w->mesh;
    const mesh_request *r = m->r;
    spline_task own = *task;
    if (r->samples > 0 || r->base.num_parts > 0) {
        complain("%s: a CAD file's mesh has neither --%s", m->name,
                 r->samples > 0 ? "samples" : "part");
        return false;
    }
    if (!r->base.device && !r->base.sharing.cooperate)
        if (!open_context(&m->contexts.ctx, "host", request_verbosity(&r->base))) return false;
    if (!mesh_work_open(m)) return false;
    own.ctx = m->contexts.ctx;
    const bool done =
        part_mesh_make(&own, &m->result, &m->values) && part_mesh_colors(&own, &m->colors);
    m->result.colors = m->colors;
    m->num_points = m->result.num_vertices;
    m->streamed = false;
    return done;
}

static bool make_mesh(work *w)
{
    mesh_work *m = &w->mesh;
    const mesh_request *r = m->r;
    spline_task task = {.source = {.name = m->name,
                                   .precision = r->base.precision,
                                   .has_normals = m->result.has_normals,
                                   .colors = mesh_request_colors(r),
                                   .streamed = m->streamed},
                        .content = &w->content,
                        .samples = r->samples,
                        .sharing = r->base.sharing.cooperate ? &r->base.sharing.opts : NULL,
                        .report = mesh_work_print_shared,
                        .user = m,
                        .progress = &m->progress,
                        .times = &m->times};
    if (part_mesh_suits(&w->content)) return make_parts(w, &task);
    if (r->deflection > 0) {
        complain("%s: --deflection is of CAD files", m->name);
        return false;
    }
    const bool done = spline_task_begin(&task) && run_task(w, &task);
    spline_task_end(&task);
    return done;
}

int bspline_eval_run(request *base)
{
    const mesh_request *r = (const mesh_request *)base;
    work w = {.content = {0}};
    mesh_work_begin(&w.mesh, r);
    const bool done = read_content(&w) && make_mesh(&w) && mesh_work_write(&w.mesh) &&
                      mesh_work_report(&w.mesh, w.content.num_splines, "splines");
    mesh_work_end(&w.mesh);
    splines_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}
