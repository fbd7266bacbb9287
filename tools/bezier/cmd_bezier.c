/* `clspline eval` on Bezier patches: from a BezierView file to meshes and pictures. */
#include "command.h"

#include "bezier_request.h"
#include "evaluate.h"
#include "bezierview.h"
#include "normals.h"
#include "picture.h"
#include "mesh_work.h"
#include "staging.h"

enum {
    DEFAULT_SAMPLES = 32,
    VIEW_SAMPLES = 9, /* of the mesh that the camera is first placed on */
    MAX_VIEWS = 4     /* cameras placed until the mesh suits its own picture */
};

/* What is on the way. */
typedef struct work {
    mesh_work mesh;
    const bezier_request *r;
    bezierview content;
    seams edges;
    tessellation grids;
} work;

static bool read_content(work *w)
{
    io_message message;
    double start = seconds_now();
    const mesh_request *r = w->mesh.r;
    for (size_t i = 0; i < r->base.num_inputs; i++) {
        if (bezierview_add(&w->content, r->base.inputs[i], r->base.precision, &message)) continue;
        complain("%s", message.text);
        return false;
    }
    double largest;
    const double diagonal = tessellation_diagonal(&w->content, &largest);
    staging_note_floats(&r->base, w->mesh.name, diagonal, largest);
    w->mesh.read_seconds = seconds_now() - start;
    return true;
}

/* Rounds the polyhedra to float, as all else in the result is. */
static void round_positions(mesh *m)
{
    for (size_t i = 0; i < 3 * m->num_vertices; i++)
        m->positions[i] = (double)(float)m->positions[i];
}

/* Tells of each batch how many patches of which degrees it has, and their fewest and most samples.
 */
static void describe_batches(const work *w)
{
    const uint32_t *num = w->grids.num;
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const bezierview_batch *batch = &w->content.batches[i];
        const bezierview_type *type = &batch->type;
        uint32_t least = UINT32_MAX, most = 0;
        for (size_t k = 0; k < 2 * batch->num_patches; k++, num++) {
            if (*num < least) least = *num;
            if (*num > most) most = *num;
        }
        complain("note: %lu %s%s of degrees %u x %u, %u to %u samples a direction",
                 (unsigned long)batch->num_patches, type->rational ? "rational " : "",
                 type->form == BEZIERVIEW_TRIANGLE ? "triangles" : "surfaces", type->degree_u,
                 type->degree_v, least, most);
    }
}

/* Makes the mesh of a task whose source is made. */
static bool run_task(work *w, evaluate_task *task)
{
    mesh_work *m = &w->mesh;
    const bool has_patches = w->content.num_batches > 0;
    if (has_patches && !(mesh_source_check_size(&task->source) && mesh_work_open(m))) return false;
    if (m->r->base.verbose) describe_batches(w);
    task->ctx = m->contexts.ctx;
    return mesh_work_make(m, &task->source);
}

/* Makes the mesh anew from the patches on their grids and the polyhedra, or streams it. */
static bool make_mesh(work *w)
{
    mesh_work *m = &w->mesh;
    const mesh_request *r = m->r;
    evaluate_task task = {.source = {.name = m->name,
                                     .precision = r->base.precision,
                                     .has_normals = m->result.has_normals,
                                     .colors = mesh_request_colors(r),
                                     .streamed = m->streamed},
                          .content = &w->content,
                          .edges = &w->edges,
                          .grids = &w->grids,
                          .method = w->r->method,
                          .sharing = r->base.sharing.cooperate ? &r->base.sharing.opts : NULL,
                          .report = mesh_work_print_shared,
                          .user = m,
                          .progress = &m->progress,
                          .times = &m->times};
    const bool done = evaluate_begin(&task) && run_task(w, &task);
    evaluate_end(&task);
    return done;
}

/* A mesh for a tolerance in pixels. The camera depends on the mesh and the mesh on the camera: both
   are made again until the camera of the mesh asks for no more samples than it has. */
static bool make_mesh_for_picture(work *w)
{
    if (!tessellation_uniform(&w->grids, &w->content, VIEW_SAMPLES))
        return mesh_work_memory(&w->mesh);
    if (!make_mesh(w)) return false;
    tessellation_clear(&w->grids);
    for (int views = 0; views < MAX_VIEWS; views++) {
        camera view = picture_camera(&w->mesh.result, &w->mesh.r->picture.view);
        uint64_t before = w->grids.num ? tessellation_num_points(&w->grids, &w->content) : 0;
        if (!tessellation_within(&w->grids, &w->content, &w->edges, w->r->tolerance.value, &view))
            return mesh_work_memory(&w->mesh);
        if (tessellation_num_points(&w->grids, &w->content) == before) break;
        if (!make_mesh(w)) return false;
    }
    return true;
}

static bool make_mesh_within(work *w)
{
    double length = w->r->tolerance.value;
    double largest;
    if (w->r->tolerance.unit == UNIT_PERCENT)
        length *= tessellation_diagonal(&w->content, &largest) / 100;
    if (!tessellation_within(&w->grids, &w->content, &w->edges, length, NULL))
        return mesh_work_memory(&w->mesh);
    return make_mesh(w);
}

static bool make_result(work *w)
{
    const bezier_request *r = w->r;
    const uint32_t samples = r->mesh.samples > 0 ? r->mesh.samples : DEFAULT_SAMPLES;
    if (r->mesh.base.precision == MESH_F32) round_positions(&w->content.polyhedra);
    if (w->mesh.result.has_normals && !mesh_compute_normals(&w->content.polyhedra))
        return mesh_work_memory(&w->mesh);
    if (!seams_find(&w->edges, &w->content)) return mesh_work_memory(&w->mesh);
    if (r->tolerance.value > 0 && r->tolerance.unit == UNIT_PIXEL) return make_mesh_for_picture(w);
    if (r->tolerance.value > 0) return make_mesh_within(w);
    if (!tessellation_uniform(&w->grids, &w->content, samples)) return mesh_work_memory(&w->mesh);
    return make_mesh(w);
}

int bezier_run(request *base)
{
    const bezier_request *r = (const bezier_request *)base;
    work w = {.r = r};
    mesh_work_begin(&w.mesh, &r->mesh);
    if (r->tolerance.value > 0 && r->tolerance.unit == UNIT_PIXEL)
        w.mesh.streamed = false; /* the picture decides on the points */
    bool done = read_content(&w) && make_result(&w) && mesh_work_write(&w.mesh);
    done = done && mesh_work_report(&w.mesh, bezierview_num_patches(&w.content), "patches");
    mesh_work_end(&w.mesh);
    tessellation_clear(&w.grids);
    seams_clear(&w.edges);
    bezierview_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}
