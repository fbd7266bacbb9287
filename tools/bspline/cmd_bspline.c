/* `clspline bspline`: from files of B-splines to meshes and pictures. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "bezier_pieces.h"
#include "spline_file.h"
#include "mesh_work.h"
#include "spline_task.h"

static const char help_head[] =
    "usage: clspline bspline eval IN ... -o OUT.{obj,ply,vtk,stl,glb,png} [options]\n"
    "       clspline bspline bezier IN ... -o OUT.{bv,g2,json} [options]\n"
    "\n"
    "eval evaluates the B-spline curves, surfaces and volumes of files and writes them as lines\n"
    "and quads, or draws them; of volumes the six sides. bezier cuts them into Bezier pieces, for\n"
    "'clspline bezier' or other programs: surfaces into BezierView files, all into .g2 or JSON;\n"
    "of the options it takes -o, -f (bv, g2, json), -p, -d, -q, -v. IN is a .g2 file (GoTools,\n"
    "SISL) or JSON in the layout of geomdl (NURBS-Python); - is standard input.\n"
    "\n"
    "options:\n";

static const char help_samples[] =
    "  -n, --samples N        points along each direction of a spline, 2 to 1048576; default: 16\n"
    "                         between neighbouring knots, 33 to 2049 in all, of curves to 65537\n";

static const char help_examples[] =
    "\n"
    "examples:\n"
    "  clspline bspline eval curves.g2 -o curves.png\n"
    "  clspline bspline eval surface.json -o surface.ply -o surface.png --samples 200\n"
    "  clspline bspline eval a.g2 b.json -o both.vtk --normals --precision f64\n"
    "  clspline bspline bezier surface.g2 -o - -f bv | clspline bezier - -o a.obj -t 0.1%\n";

static const args_option options[] = {MESH_OPTIONS, {NULL, 0, false}};

enum { MOST_SAMPLES = 1048576 };

static void print_help(void)
{
    const char *const parts[] = {help_head, mesh_request_help_outputs, help_samples,
                                 mesh_request_help_rest, help_examples};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        fputs(parts[i], stdout);
}

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

static bool read_content(work *w)
{
    io_message message;
    double start = seconds_now();
    const mesh_request *r = w->mesh.r;
    for (size_t i = 0; i < r->num_inputs; i++) {
        if (spline_file_add(&w->content, r->inputs[i], r->precision, &message)) continue;
        complain("%s", message.text);
        return false;
    }
    if (w->content.num_trimmed > 0 && !r->quiet)
        complain("warning: %s: %lu trimmed surfaces are taken whole", w->mesh.name,
                 (unsigned long)w->content.num_trimmed);
    w->mesh.read_seconds = seconds_now() - start;
    return check_dims(w);
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
    if (m->r->verbose) describe_batches(w, task);
    task->ctx = m->contexts.ctx;
    return mesh_work_make(m, &task->source);
}

static bool make_mesh(work *w)
{
    mesh_work *m = &w->mesh;
    const mesh_request *r = m->r;
    spline_task task = {.source = {.name = m->name,
                                   .precision = r->precision,
                                   .has_normals = m->result.has_normals,
                                   .streamed = m->streamed},
                        .content = &w->content,
                        .samples = r->samples,
                        .sharing = r->sharing.cooperate ? &r->sharing.opts : NULL,
                        .report = r->sharing.report ? mesh_work_print_shared : NULL,
                        .user = m,
                        .progress = &m->progress,
                        .times = &m->times};
    const bool done = spline_task_begin(&task) && run_task(w, &task);
    spline_task_end(&task);
    return done;
}

static int run_eval(const mesh_request *r)
{
    work w = {.content = {0}};
    mesh_work_begin(&w.mesh, r);
    const bool done = read_content(&w) && make_mesh(&w) && mesh_work_write(&w.mesh);
    if (done && !r->quiet) mesh_work_report(&w.mesh, w.content.num_splines, "splines");
    mesh_work_end(&w.mesh);
    splines_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}

static int read_request(mesh_request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    r->most_samples = MOST_SAMPLES;
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        const int status = mesh_request_take(r, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    return mesh_request_check(r);
}

static int command_eval(int argc, char **argv)
{
    mesh_request r;
    int status = EXIT_FAILED;
    if (mesh_request_begin(&r, "bspline", argc)) status = read_request(&r, argc, argv);
    if (status == EXIT_OK && r.help)
        print_help();
    else if (status == EXIT_OK)
        status = run_eval(&r);
    mesh_request_end(&r);
    return status;
}

int command_bspline(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "eval") == 0) return command_eval(argc - 1, argv + 1);
    if (strcmp(word, "bezier") == 0) return bezier_pieces_command(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return EXIT_OK;
    }
    if (word[0] == 0) return usage_error("bspline", "no action given, there are eval and bezier");
    return usage_error("bspline", "unknown action '%s', there are eval and bezier", word);
}
