/* `clspline bezier`: from a BezierView file to meshes and pictures. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_request.h"
#include "evaluate.h"
#include "io/bezierview.h"
#include "io/glb.h"
#include "io/normals.h"
#include "io/obj.h"
#include "io/picture.h"
#include "io/ply.h"
#include "io/stl.h"
#include "io/vtk.h"
#include "progress.h"
#include "stream_output.h"

enum {
    DEFAULT_SAMPLES = 32,
    VIEW_SAMPLES = 9, /* of the mesh that the camera is first placed on */
    MAX_VIEWS = 4     /* cameras placed until the mesh suits its own picture */
};

/* What is on the way, and the times for the report. */
typedef struct work {
    const bezier_request *r;
    char name[FILENAME_MAX];   /* of what is read, for messages */
    sharing_contexts contexts; /* none for a file without patches */
    bezierview content;
    seams edges;
    tessellation grids;
    mesh result;
    uint64_t num_points;
    bool streamed; /* the output was written while patches were evaluated */
    double read_seconds, write_seconds;
    evaluate_times times;
    progress_bar bar;
    io_progress progress;
} work;

/* Names all inputs together. */
static void name_inputs(work *w)
{
    const bezier_request *r = w->r;
    const char *first = strcmp(r->inputs[0], "-") == 0 ? "standard input" : r->inputs[0];
    if (r->num_inputs == 1)
        snprintf(w->name, sizeof(w->name), "%s", first);
    else
        snprintf(w->name, sizeof(w->name), "%lu files", (unsigned long)r->num_inputs);
}

static bool read_content(work *w)
{
    io_message message;
    double start = seconds_now();
    for (size_t i = 0; i < w->r->num_inputs; i++) {
        if (bezierview_add(&w->content, w->r->inputs[i], w->r->precision, &message)) continue;
        complain("%s", message.text);
        return false;
    }
    w->read_seconds = seconds_now() - start;
    return true;
}

/* Rounds the polyhedra to float, as all else in the result is. */
static void round_positions(mesh *m)
{
    for (size_t i = 0; i < 3 * m->num_vertices; i++)
        m->positions[i] = (double)(float)m->positions[i];
}

/* Whether a format needs normals even where they are not asked for. */
static bool shows_normals(request_format form)
{
    return form == FORMAT_PNG || form == FORMAT_GLB;
}

static bool need_normals(const bezier_request *r)
{
    bool needed = r->normals;
    for (size_t i = 0; i < r->num_outputs; i++)
        if (shows_normals(bezier_request_format(r, r->outputs[i]))) needed = true;
    return needed;
}

static bool out_of_memory(const work *w)
{
    complain("%s: not enough memory", w->name);
    return false;
}

static void print_report(void *user, const char *what, const clsp_cooperate_report *report)
{
    work *w = user;
    progress_end(&w->bar); /* until it is drawn anew */
    sharing_print(stderr, what, report);
}

static bool open_contexts(work *w)
{
    const bezier_request *r = w->r;
    const verbosity how_much = r->quiet     ? VERBOSITY_QUIET
                               : r->verbose ? VERBOSITY_VERBOSE
                                            : VERBOSITY_NORMAL;
    return w->contexts.ctx || sharing_open(&w->contexts, &r->sharing, r->device, how_much);
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

static evaluate_task make_task(work *w)
{
    const bezier_request *r = w->r;
    return (evaluate_task){.name = w->name,
                           .content = &w->content,
                           .edges = &w->edges,
                           .grids = &w->grids,
                           .precision = r->precision,
                           .has_normals = w->result.has_normals,
                           .streamed = w->streamed,
                           .method = r->method,
                           .sharing = r->sharing.cooperate ? &r->sharing.opts : NULL,
                           .report = r->sharing.report ? print_report : NULL,
                           .user = w};
}

/* Makes the mesh anew from the patches on their grids and the polyhedra, or streams it. */
static bool make_mesh(work *w)
{
    const evaluate_task task = make_task(w);
    bool has_patches = w->content.num_batches > 0, done = true;
    mesh_clear(&w->result);
    if (has_patches && !(evaluate_check_size(&task) && open_contexts(w))) return false;
    if (w->r->verbose) describe_batches(w);
    w->num_points = tessellation_num_points(&w->grids, &w->content);
    w->num_points += w->content.polyhedra.num_vertices;
    progress_start(&w->bar, w->streamed ? "writing" : "evaluating", w->r->quiet);
    if (w->streamed)
        done = stream_output(w->contexts.ctx, w->r, &task, &w->progress, &w->times);
    else if (has_patches)
        done = evaluate_mesh(w->contexts.ctx, &task, &w->result, &w->progress, &w->times);
    progress_end(&w->bar);
    if (!done || w->streamed) return done;
    return mesh_append(&w->result, &w->content.polyhedra) || out_of_memory(w);
}

/* A mesh for a tolerance in pixels. The camera depends on the mesh and the mesh on the camera: both
   are made again until the camera of the mesh asks for no more samples than it has. */
static bool make_mesh_for_picture(work *w)
{
    if (!tessellation_uniform(&w->grids, &w->content, VIEW_SAMPLES)) return out_of_memory(w);
    if (!make_mesh(w)) return false;
    tessellation_clear(&w->grids);
    for (int views = 0; views < MAX_VIEWS; views++) {
        camera view = picture_camera(&w->result, &w->r->view);
        uint64_t before = w->grids.num ? tessellation_num_points(&w->grids, &w->content) : 0;
        if (!tessellation_within(&w->grids, &w->content, &w->edges, w->r->tolerance, &view))
            return out_of_memory(w);
        if (tessellation_num_points(&w->grids, &w->content) == before) break;
        if (!make_mesh(w)) return false;
    }
    return true;
}

static bool make_mesh_within(work *w)
{
    double length = w->r->tolerance;
    if (w->r->tolerance_unit == UNIT_PERCENT) length *= tessellation_diagonal(&w->content) / 100;
    if (!tessellation_within(&w->grids, &w->content, &w->edges, length, NULL))
        return out_of_memory(w);
    return make_mesh(w);
}

static bool make_result(work *w)
{
    const bezier_request *r = w->r;
    w->result.has_normals = need_normals(r);
    if (r->precision == MESH_F32) round_positions(&w->content.polyhedra);
    if (w->result.has_normals && !mesh_compute_normals(&w->content.polyhedra))
        return out_of_memory(w);
    if (!seams_find(&w->edges, &w->content)) return out_of_memory(w);
    if (r->tolerance > 0 && r->tolerance_unit == UNIT_PIXEL) return make_mesh_for_picture(w);
    if (r->tolerance > 0) return make_mesh_within(w);
    uint32_t samples = r->samples > 0 ? r->samples : DEFAULT_SAMPLES;
    return tessellation_uniform(&w->grids, &w->content, samples) ? make_mesh(w) : out_of_memory(w);
}

static bool write_output(work *w, const char *path, io_message *message)
{
    mesh m = w->result;
    request_format form = bezier_request_format(w->r, path);
    if (!w->r->normals && !shows_normals(form)) m.normals = NULL;
    m.has_texture = w->r->texture;
    switch (form) {
    case FORMAT_OBJ:
        return obj_write(&m, path, &w->progress, message);
    case FORMAT_PLY:
        return mesh_file_write(&ply_format, &m, path, &w->progress, message);
    case FORMAT_VTK:
        return mesh_file_write(&vtk_format, &m, path, &w->progress, message);
    case FORMAT_STL:
        return stl_write(&m, path, &w->progress, message);
    case FORMAT_GLB:
        return glb_write(&m, path, &w->progress, message);
    default:
        return picture_write(&m, &w->r->view, path, &w->progress, message);
    }
}

static bool write_outputs(work *w)
{
    const bezier_request *r = w->r;
    io_message message;
    double start = seconds_now();
    if (w->streamed) return true;
    for (size_t i = 0; i < r->num_outputs; i++) {
        progress_start(&w->bar, "writing", r->quiet);
        bool done = write_output(w, r->outputs[i], &message);
        progress_end(&w->bar);
        if (done) continue;
        complain("%s", message.text);
        return false;
    }
    w->write_seconds = seconds_now() - start;
    return true;
}

static void report(const work *w)
{
    clsp_device_info info = {0};
    fprintf(stderr, "%s: %lu patches, %lu points", w->name,
            (unsigned long)bezierview_num_patches(&w->content), (unsigned long)w->num_points);
    if (w->contexts.ctx && clsp_context_device(w->contexts.ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    fprintf(stderr, "\nread %.1f ms, plan %.1f ms, evaluate %.1f ms, write %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->times.plan, 1e3 * w->times.evaluate,
            1e3 * (w->write_seconds + w->times.take));
}

static int run_request(const bezier_request *r)
{
    work w = {.r = r, .result = {.precision = r->precision}, .streamed = stream_suits(r)};
    w.progress = (io_progress){progress_report, &w.bar};
    name_inputs(&w);
    bool done = read_content(&w) && make_result(&w) && write_outputs(&w);
    if (done && !r->quiet) report(&w);
    sharing_close(&w.contexts);
    mesh_clear(&w.result);
    tessellation_clear(&w.grids);
    seams_clear(&w.edges);
    bezierview_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}

int command_bezier(int argc, char **argv)
{
    bezier_request r = {.precision = MESH_F32, .view = raster_view_default()};
    r.inputs = calloc((size_t)argc, sizeof(*r.inputs)); /* as many as there can be */
    r.outputs = calloc((size_t)argc, sizeof(*r.outputs));
    int status = EXIT_FAILED;
    if (r.inputs && r.outputs)
        status = bezier_request_read(&r, argc, argv);
    else
        complain("not enough memory");
    if (status == EXIT_OK && r.help)
        fputs(bezier_request_help, stdout);
    else if (status == EXIT_OK)
        status = run_request(&r);
    free(r.inputs);
    free(r.outputs);
    return status;
}
