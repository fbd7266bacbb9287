/* `clspline bezier`: from a BezierView file to meshes and pictures. */
#include "command.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "evaluate.h"
#include "io/bezierview.h"
#include "io/normals.h"
#include "io/obj.h"
#include "io/picture.h"
#include "io/ply.h"
#include "io/vtk.h"
#include "progress.h"

static const char help[] =
    "usage: clspline bezier IN.bv -o OUT.{obj,ply,vtk,png} [-o OUT ...] [options]\n"
    "\n"
    "Evaluates the tensor-product Bezier patches of a BezierView file on uniform grids and\n"
    "writes them as quads, or draws them. Polyhedra in the file are passed through.\n"
    "\n"
    "options:\n"
    "  -o, --output OUT       where to write; the ending chooses the format: Wavefront OBJ,\n"
    "                         PLY (binary), legacy VTK (binary) or a PNG picture of\n"
    "                         1200 x 900 pixels. May be given several times\n"
    "  -n, --samples N        points along each direction of a patch, 2 to 16384; default 32\n"
    "  -p, --precision P      f32 (the default) or f64, which needs a device with fp64\n"
    "  -d, --device DEVICE    an index of 'clspline devices', 'cpu', 'gpu', 'integrated',\n"
    "                         'discrete', 'accelerator', or parts of names as in 'pocl:' or\n"
    "                         'nvidia:h200'; default: $CLSPLINE_DEVICE, else the best one\n"
    "      --normals          write normals of the vertices too (obj, ply, vtk)\n"
    "      --up AXIS          axis that points up in a picture: x, y, z or auto (the default:\n"
    "                         y, but z for a thing much longer in y than in x and z)\n"
    "  -q, --quiet            no times, no progress bar, no warnings\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  clspline bezier teapot.bv -o teapot.png\n"
    "  clspline bezier teapot.bv -o teapot.ply -o teapot.png --samples 64\n"
    "  clspline bezier teapot.bv -o teapot.vtk --precision f64 --device pocl:\n";

enum {
    OPTION_OUTPUT,
    OPTION_SAMPLES,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_NORMALS,
    OPTION_UP,
    OPTION_QUIET,
    OPTION_HELP
};

static const args_option options[] = {
    {"output", 'o', true}, {"samples", 'n', true}, {"precision", 'p', true},
    {"device", 'd', true}, {"normals", 0, false},  {"up", 0, true},
    {"quiet", 'q', false}, {"help", 'h', false},   {NULL, 0, false}};

enum { MIN_SAMPLES = 2, MAX_SAMPLES = 16384, DEFAULT_SAMPLES = 32 };

typedef enum format { FORMAT_NONE, FORMAT_OBJ, FORMAT_PLY, FORMAT_VTK, FORMAT_PNG } format;

typedef struct request {
    const char *input;
    const char **outputs; /* [num_outputs] */
    size_t num_outputs;
    uint32_t samples;
    mesh_precision precision;
    const char *device;
    bool normals, quiet, help;
    camera_up up;
} request;

/* What is on the way, and the times for the report. */
typedef struct work {
    const request *r;
    clsp_context *ctx; /* NULL for a file without patches */
    bezierview content;
    mesh result;
    double read_seconds, write_seconds;
    evaluate_times times;
    progress_bar bar;
    io_progress progress;
} work;

static format find_format(const char *path)
{
    static const char *const endings[] = {"", ".obj", ".ply", ".vtk", ".png"};
    const char *dot = strrchr(path, '.');
    for (int i = FORMAT_OBJ; dot && i <= FORMAT_PNG; i++)
        if (strcasecmp(dot, endings[i]) == 0) return (format)i;
    return FORMAT_NONE;
}

static int read_output(request *r, const char *path)
{
    if (find_format(path) == FORMAT_NONE)
        return usage_error("bezier", "'%s' does not end in .obj, .ply, .vtk or .png", path);
    r->outputs[r->num_outputs++] = path;
    return EXIT_OK;
}

static int read_samples(request *r, const char *text)
{
    unsigned long samples = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0 ||
        samples < MIN_SAMPLES || samples > MAX_SAMPLES)
        return usage_error("bezier", "--samples must be %d to %d, not '%s'", MIN_SAMPLES,
                           MAX_SAMPLES, text);
    r->samples = (uint32_t)samples;
    return EXIT_OK;
}

static int read_precision(request *r, const char *text)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0)
        return usage_error("bezier", "--precision must be f32 or f64, not '%s'", text);
    r->precision = text[1] == '3' ? MESH_F32 : MESH_F64;
    return EXIT_OK;
}

static int read_up(request *r, const char *text)
{
    static const char *const names[] = {"auto", "x", "y", "z"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        r->up = (camera_up)i;
        return EXIT_OK;
    }
    return usage_error("bezier", "--up must be x, y, z or auto, not '%s'", text);
}

static int read_input(request *r, const char *path)
{
    if (r->input) return usage_error("bezier", "more than one input: '%s'", path);
    r->input = path;
    return EXIT_OK;
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_OUTPUT:
        return read_output(r, a->value);
    case OPTION_SAMPLES:
        return read_samples(r, a->value);
    case OPTION_PRECISION:
        return read_precision(r, a->value);
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_NORMALS:
        r->normals = true;
        return EXIT_OK;
    case OPTION_UP:
        return read_up(r, a->value);
    case OPTION_QUIET:
        r->quiet = true;
        return EXIT_OK;
    case OPTION_HELP:
        r->help = true;
        return EXIT_OK;
    case ARGS_OPERAND:
        return read_input(r, a->value);
    default:
        return usage_error("bezier", "%s '%s'", args_error(found), a->word);
    }
}

static int read_request(request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        int status = read_argument(r, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    if (!r->input) return usage_error("bezier", "no input file given");
    if (r->num_outputs == 0) return usage_error("bezier", "no output given: use -o OUT");
    return EXIT_OK;
}

static bool read_content(work *w)
{
    io_message message;
    double start = seconds_now();
    if (!bezierview_load(&w->content, w->r->input, &message)) {
        complain("%s", message.text);
        return false;
    }
    w->read_seconds = seconds_now() - start;
    return true;
}

/* Rounds the polyhedra to float, as all else in the result is; complains where one does not fit. */
static bool round_positions(mesh *m, const char *name)
{
    for (size_t i = 0; i < 3 * m->num_vertices; i++) {
        if (fabs(m->positions[i]) > FLT_MAX) {
            complain("%s: the coordinate %g is too large for a float; use --precision f64", name,
                     m->positions[i]);
            return false;
        }
        m->positions[i] = (double)(float)m->positions[i];
    }
    return true;
}

static bool make_mesh(work *w)
{
    const request *r = w->r;
    if (w->content.num_batches > 0) {
        if (!evaluate_check_size(&w->content, r->samples, r->input)) return false;
        if (!open_context(&w->ctx, r->device, r->quiet)) return false;
        progress_start(&w->bar, "evaluating", r->quiet);
        bool done =
            evaluate_patches(w->ctx, &w->content, r->samples, &w->result, &w->progress, &w->times);
        progress_end(&w->bar);
        if (!done) return false;
    }
    if (r->precision == MESH_F32 && !round_positions(&w->content.polyhedra, r->input)) return false;
    if (mesh_append(&w->result, &w->content.polyhedra)) return true;
    complain("%s: not enough memory", r->input);
    return false;
}

static bool write_output(work *w, const char *path, io_message *message)
{
    mesh m = w->result;
    format form = find_format(path);
    if (!w->r->normals && form != FORMAT_PNG) m.normals = NULL;
    switch (form) {
    case FORMAT_OBJ:
        return obj_write(&m, path, &w->progress, message);
    case FORMAT_PLY:
        return ply_write(&m, path, &w->progress, message);
    case FORMAT_VTK:
        return vtk_write(&m, path, &w->progress, message);
    default:
        return picture_write(&m, w->r->up, path, &w->progress, message);
    }
}

static bool need_normals(const request *r)
{
    bool needed = r->normals;
    for (size_t i = 0; i < r->num_outputs; i++)
        if (find_format(r->outputs[i]) == FORMAT_PNG) needed = true;
    return needed;
}

static bool write_outputs(work *w)
{
    const request *r = w->r;
    io_message message;
    double start = seconds_now();
    if (need_normals(r) && !mesh_compute_normals(&w->result)) {
        complain("%s: not enough memory for normals", r->input);
        return false;
    }
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
    fprintf(stderr, "%s: %lu patches, %lu points", w->r->input,
            (unsigned long)bezierview_num_patches(&w->content),
            (unsigned long)w->result.num_vertices);
    if (w->ctx && clsp_context_device(w->ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    fprintf(stderr, "\nread %.1f ms, plan %.1f ms, evaluate %.1f ms, write %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->times.plan, 1e3 * w->times.evaluate,
            1e3 * w->write_seconds);
}

static int run_request(const request *r)
{
    work w = {.r = r, .result = {.precision = r->precision}};
    w.progress = (io_progress){progress_report, &w.bar};
    bool done = read_content(&w) && make_mesh(&w) && write_outputs(&w);
    if (done && !r->quiet) report(&w);
    clsp_context_destroy(&w.ctx);
    mesh_clear(&w.result);
    bezierview_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}

int command_bezier(int argc, char **argv)
{
    request r = {.samples = DEFAULT_SAMPLES, .precision = MESH_F32};
    r.outputs = calloc((size_t)argc, sizeof(*r.outputs)); /* as many as there can be */
    if (!r.outputs) {
        complain("not enough memory");
        return EXIT_FAILED;
    }
    int status = read_request(&r, argc, argv);
    if (status == EXIT_OK && r.help)
        fputs(help, stdout);
    else if (status == EXIT_OK)
        status = run_request(&r);
    free(r.outputs);
    return status;
}
