#include "solid_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "input.h"
#include "request.h"

static const char command[] = "solid";

static const char help[] =
    "usage: clspline solid MESH -o OUT [options]\n"
    "\n"
    "Evaluates the Catmull-Clark solid of a mesh of cells: its limit, exact in every cell. MESH\n"
    "has hexahedra, tetrahedra, wedges, prisms or polyhedra: VTK legacy and .vtu, MEDIT and MFEM\n"
    ".mesh or Gmsh .msh, known by how it begins; - is standard input. Data of points, such as a\n"
    "density, are evaluated likewise. The ending of OUT chooses what is written:\n"
    "  .vtu                   the solid: samples of each cell, and the hexahedra between them\n"
    "  .ply .obj .stl         its boundary, closed\n"
    "  .png .npy .tif         with --slice, values on a plane\n"
    "\n"
    "options:\n"
    "  -o, --output OUT       where to write; several outputs share the work; - is standard "
    "output\n"
    "  -f, --format FORMAT    the format of -o -: an ending as above, without its dot\n"
    "  -n, --samples S        samples of a cell along each direction, 2 to 100; default 4, and\n"
    "                         with --refine alone none: the refined mesh itself is written\n"
    "      --refine N         refine the mesh so many times first, 0 to 20; with --samples the\n"
    "                         limit stays as it is, and its cells become 8 times as many each "
    "time\n"
    "      --crease-angle A   keep edges of the boundary sharp whose faces' normals are more than "
    "A\n"
    "                         degrees apart, and the corners where three or more of them meet\n"
    "      --crease-steps K   keep creases for K refinements only, 1 to 20, which makes them soft\n"
    "                         and refines at least K times\n"
    "      --bezier           .vtu with one cubic VTK_BEZIER_HEXAHEDRON a cell: exact in regular\n"
    "                         cells, in others it meets the limit in 64 points\n"
    "      --classes          print how many cells are regular, layered and irregular, for each\n"
    "                         refinement; -o may then be left out\n";

static const char help_slices[] =
    "      --slice z=H        the plane at height H (also x=H, y=H): each pixel has the values at\n"
    "                         its middle; outside of the solid NaN, in PNG transparent\n"
    "      --size N           pixels along the longer side of the slice, 1 to 32768; default 512\n"
    "      --pixel P          instead, the side of a pixel, in units of the mesh\n"
    "      --array NAME       show this data of points; default all of them, up to 4 numbers; a\n"
    "                         mesh without shows 1 within the solid\n"
    "      --range LO,HI      values that are black and white in PNG; default those of the mesh\n"
    "  -p, --precision P      f32 (the default; with --bezier and --slice f64 where the device "
    "has\n"
    "                         it) or f64, which needs a device with "
    "fp64\n" REQUEST_HELP_DEVICE SHARING_HELP_EVALUATION
    "  -q, --quiet            no times, no progress bar, no warnings\n"
    "  -v, --verbose          what was read, and what the library chose\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  clspline solid rod.vtk -o rod.vtu\n"
    "  clspline solid rod.vtk -o rod.vtu -o rod.stl --samples 8 --crease-angle 30\n"
    "  clspline solid rod.vtk -o refined.vtu --refine 2 --classes\n"
    "  clspline solid part.vtu --slice z=0.5 -o layer.png --array density --pixel 0.01\n"
    "  clspline solid rod.vtk -o rod.vtu --samples 16 --cooperate auto --report\n";

enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_SAMPLES,
    OPTION_REFINE,
    OPTION_CREASE_ANGLE,
    OPTION_CREASE_STEPS,
    OPTION_BEZIER,
    OPTION_CLASSES,
    OPTION_SLICE,
    OPTION_SIZE,
    OPTION_PIXEL,
    OPTION_ARRAY,
    OPTION_RANGE,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_COOPERATE,
    OPTION_WORKERS,
    OPTION_JOIN,
    OPTION_REPORT,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP
};

static const args_option options[] = {
    {"output", 'o', true},  {"format", 'f', true},     {"samples", 'n', true},
    {"refine", 0, true},    {"crease-angle", 0, true}, {"crease-steps", 0, true},
    {"bezier", 0, false},   {"classes", 0, false},     {"slice", 0, true},
    {"size", 0, true},      {"pixel", 0, true},        {"array", 0, true},
    {"range", 0, true},     {"precision", 'p', true},  {"device", 'd', true},
    {"cooperate", 0, true}, {"workers", 0, true},      {"join", 0, true},
    {"report", 0, false},   {"quiet", 'q', false},     {"verbose", 'v', false},
    {"help", 'h', false},   {NULL, 0, false}};

/* What was given, to be checked when all is read. */
typedef struct words {
    const char *format;
    size_t num_inputs;
    bool has_samples, has_refine, has_range;
} words;

void solid_request_help(void)
{
    fputs(help, stdout);
    fputs(help_slices, stdout);
}

/* ---- formats ---- */

static solid_format format_of(const char *ending)
{
    static const char *const endings[] = {"vtu", "ply", "obj", "stl"};
    for (int i = 0; i < 4; i++)
        if (strcmp(ending, endings[i]) == 0) return (solid_format)i;
    return image_format_of_word(ending) != IMAGE_NONE ? SOLID_IMAGE : SOLID_NONE;
}

solid_format solid_request_format(const solid_request *r, const char *path)
{
    static const char *const endings[] = {"vtu", "ply", "obj", "stl"};
    if (strcmp(path, "-") == 0) return r->format;
    for (int i = 0; i < 4; i++)
        if (input_ends_in(path, endings[i])) return (solid_format)i;
    return image_format_of_name(path) != IMAGE_NONE ? SOLID_IMAGE : SOLID_NONE;
}

/* ---- values ---- */

static int read_samples(solid_request *r, const char *text)
{
    if (request_count(text, 2, 100, &r->samples)) return EXIT_OK;
    return usage_error(command, "--samples must be 2 to 100, not '%s'", text);
}

static int read_refine(solid_request *r, const char *text)
{
    if (request_count(text, 0, SOLID_MAX_REFINE, &r->refine)) return EXIT_OK;
    return usage_error(command, "--refine must be 0 to %d, not '%s'", SOLID_MAX_REFINE, text);
}

static int read_angle(solid_request *r, const char *text)
{
    if (request_number(text, 0, 180, &r->crease_angle)) return EXIT_OK;
    return usage_error(command, "--crease-angle must be 0 to 180 degrees, not '%s'", text);
}

static int read_steps(solid_request *r, const char *text)
{
    r->has_steps = true;
    if (request_count(text, 1, SOLID_MAX_REFINE, &r->crease_steps)) return EXIT_OK;
    return usage_error(command, "--crease-steps must be 1 to %d, not '%s'", SOLID_MAX_REFINE, text);
}

static int read_slice(solid_request *r, const char *text)
{
    const char *axis = text[0] ? strchr("xyz", text[0]) : NULL;
    r->slices = axis && text[1] == '=' && request_number(text + 2, -1e30, 1e30, &r->height);
    if (!r->slices) return usage_error(command, "--slice must be as z=1.5, not '%s'", text);
    r->axis = text[0] == 'x' ? 0 : text[0] == 'y' ? 1 : 2;
    return EXIT_OK;
}

static int read_size(solid_request *r, const char *text)
{
    if (request_count(text, 1, 32768, &r->size)) return EXIT_OK;
    return usage_error(command, "--size must be 1 to 32768, not '%s'", text);
}

static int read_pixel(solid_request *r, const char *text)
{
    if (request_number(text, 1e-30, 1e30, &r->pixel)) return EXIT_OK;
    return usage_error(command, "--pixel must be a length above 0, not '%s'", text);
}

static int read_range(solid_request *r, words *w, const char *text)
{
    double ends[2];
    w->has_range = true;
    if (request_numbers(text, 1e30, ends, 2) == 2 && ends[0] < ends[1]) {
        r->low = ends[0];
        r->high = ends[1];
        return EXIT_OK;
    }
    return usage_error(command, "--range must be LO,HI with LO below HI, not '%s'", text);
}

/* ---- arguments ---- */

static int set_flag(solid_request *r, int found)
{
    r->bezier = r->bezier || found == OPTION_BEZIER;
    r->classes = r->classes || found == OPTION_CLASSES;
    r->quiet = r->quiet || found == OPTION_QUIET;
    r->verbose = r->verbose || found == OPTION_VERBOSE;
    r->help = r->help || found == OPTION_HELP;
    return EXIT_OK;
}

static int read_of_slices(solid_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case OPTION_SLICE:
        return read_slice(r, a->value);
    case OPTION_SIZE:
        return read_size(r, a->value);
    case OPTION_PIXEL:
        return read_pixel(r, a->value);
    case OPTION_RANGE:
        return read_range(r, w, a->value);
    default:
        r->array = a->value;
        return EXIT_OK;
    }
}

static int read_of_mesh(solid_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case OPTION_SAMPLES:
        w->has_samples = true;
        return read_samples(r, a->value);
    case OPTION_REFINE:
        w->has_refine = true;
        return read_refine(r, a->value);
    case OPTION_CREASE_ANGLE:
        return read_angle(r, a->value);
    default:
        return read_steps(r, a->value);
    }
}

static int read_argument(solid_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case ARGS_OPERAND:
        r->input = a->value;
        w->num_inputs++;
        return EXIT_OK;
    case ARGS_UNKNOWN:
    case ARGS_NO_VALUE:
    case ARGS_EXTRA_VALUE:
        return usage_error(command, "%s '%s'", args_error(found), a->word);
    case OPTION_OUTPUT:
        r->outputs[r->num_outputs++] = a->value;
        return EXIT_OK;
    case OPTION_FORMAT:
        w->format = a->value;
        return EXIT_OK;
    case OPTION_PRECISION:
        r->has_precision = true;
        return request_precision(&r->precision, command, a->value);
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_COOPERATE:
    case OPTION_WORKERS:
    case OPTION_JOIN:
    case OPTION_REPORT:
        return sharing_take(&r->sharing, command, found - OPTION_COOPERATE, a->value);
    case OPTION_SAMPLES:
    case OPTION_REFINE:
    case OPTION_CREASE_ANGLE:
    case OPTION_CREASE_STEPS:
        return read_of_mesh(r, w, a, found);
    case OPTION_SLICE:
    case OPTION_SIZE:
    case OPTION_PIXEL:
    case OPTION_ARRAY:
    case OPTION_RANGE:
        return read_of_slices(r, w, a, found);
    default:
        return set_flag(r, found);
    }
}

/* ---- what is allowed together ---- */

static int check_outputs(solid_request *r, const words *w)
{
    const int status = request_check_format(command, request_dashes(r->outputs, r->num_outputs),
                                            w->format != NULL);
    if (status != EXIT_OK) return status;
    r->format = w->format ? format_of(w->format) : SOLID_NONE;
    if (w->format && r->format == SOLID_NONE)
        return usage_error(command,
                           "--format must be vtu, ply, obj or stl, of slices png, npy or tif, not "
                           "'%s'",
                           w->format);
    for (size_t i = 0; i < r->num_outputs; i++) {
        const char *path = r->outputs[i];
        const solid_format format = solid_request_format(r, path);
        if (format == SOLID_NONE)
            return usage_error(command, "'%s' does not end in .vtu, .ply, .obj or .stl", path);
        if ((format == SOLID_IMAGE) != r->slices)
            return usage_error(command,
                               r->slices ? "'%s': a slice is written as .png, .npy or .tif"
                                         : "'%s': an image needs --slice",
                               path);
        if (request_is_among(path, &r->input, 1))
            return usage_error(command, "'%s' is the input too", path);
        if (request_is_among(path, r->outputs, i))
            return usage_error(command, "'%s' is given twice", path);
        if (format == SOLID_IMAGE)
            r->picture = w->format && strcmp(path, "-") == 0 ? image_format_of_word(w->format)
                                                             : image_format_of_name(path);
    }
    return EXIT_OK;
}

static int check_slice(const solid_request *r, const words *w)
{
    io_message message;
    if (!r->slices && (r->size > 0 || r->pixel > 0 || r->array || w->has_range))
        return usage_error(command, "--size, --pixel, --array and --range are of --slice");
    if (!r->slices) return EXIT_OK;
    if (r->num_outputs > 1) return usage_error(command, "a slice has one output");
    if (r->bezier || w->has_samples)
        return usage_error(command, "--slice excludes --bezier and --samples");
    if (r->size > 0 && r->pixel > 0)
        return usage_error(command, "--size and --pixel exclude each other");
    if (r->num_outputs > 0 && !image_format_is_built(r->picture, r->outputs[0], &message)) {
        complain("%s", message.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int check(solid_request *r, const words *w)
{
    if (w->num_inputs == 0) return usage_error(command, "no mesh given");
    if (w->num_inputs > 1) return usage_error(command, "one mesh at a time");
    if (r->num_outputs == 0 && !r->classes)
        return usage_error(command, "no output given: use -o OUT");
    if (r->classes && request_dashes(r->outputs, r->num_outputs) > 0)
        return usage_error(command, "--classes and -o - both write to standard output");
    if (r->quiet && r->verbose)
        return usage_error(command, "--quiet and --verbose exclude each other");
    if (r->bezier && w->has_samples) return usage_error(command, "--bezier excludes --samples");
    if (!r->samples && (r->bezier || !w->has_refine)) r->samples = 4;
    int status = sharing_check(&r->sharing, command);
    if (status == EXIT_OK) status = check_outputs(r, w);
    return status == EXIT_OK ? check_slice(r, w) : status;
}

int solid_request_read(solid_request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    words w = {.format = NULL};
    r->crease_angle = -1;
    r->precision = MESH_F32;
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        const int status = read_argument(r, &w, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    return check(r, &w);
}
