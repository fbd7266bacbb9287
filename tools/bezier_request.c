#include "bezier_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "command.h"
#include "io/output.h"

const char bezier_request_help[] =
    "usage: clspline bezier IN.bv ... -o OUT.{obj,ply,vtk,stl,glb,png} [options]\n"
    "\n"
    "Evaluates the Bezier patches of BezierView files (tensor-product, rational, triangular\n"
    "and PN) and writes them as quads and triangles, or draws them. Polyhedra in the files are\n"
    "passed through. IN may be -, for standard input.\n"
    "\n"
    "options:\n"
    "  -o, --output OUT       where to write; the ending chooses the format: Wavefront OBJ,\n"
    "                         PLY (binary), legacy VTK (binary), STL (binary), glTF 2.0\n"
    "                         (.glb) or a PNG picture. May be given several times; - is\n"
    "                         standard output\n"
    "  -f, --format FORMAT    the format of -o -: obj, ply, vtk, stl, glb or png\n"
    "  -n, --samples N        points along each direction of a patch, 2 to 16384; default 32\n"
    "  -t, --tolerance E      instead, as many points for each patch as keep its triangles\n"
    "                         within E of it: a length in the file's units, E% of the box's\n"
    "                         diagonal, or Epx, pixels of the picture\n"
    "      --method M         how points are computed, to compare: auto (the default),\n"
    "                         separable, multilevel, matrix or brute\n"
    "  -p, --precision P      f32 (the default) or f64, which needs a device with fp64\n"
    "  -d, --device DEVICE    an index of 'clspline devices', 'cpu', 'gpu', 'integrated',\n"
    "                         'discrete', 'accelerator', or parts of names as in 'pocl:' or\n"
    "                         'nvidia:h200'; default: $CLSPLINE_DEVICE, else the best one\n"
    "      --cooperate HOW    evaluate by the device and the host's cores together: auto, svm,\n"
    "                         dynamic, static, static=RATIO (the host's part, 0 to 1),\n"
    "                         device or host; what cannot run gives way to the next of these\n"
    "      --workers N        with --cooperate, how many of the host's cores, 0 to 1024\n"
    "      --join DEVICE      with --cooperate, one more device; may be given several times\n"
    "      --report           with --cooperate, each evaluation's schedule, why not another,\n"
    "                         and what each processor did, on standard error\n"
    "      --normals          write normals of the vertices too (obj, ply, vtk)\n"
    "      --texture          write texture coordinates, the parameters u and v (obj, ply); glb\n"
    "                         always has both\n"
    "      --up AXIS          axis that points up in a picture: x, y, z or auto (the default:\n"
    "                         y, but z for a thing much longer in y than in x and z)\n"
    "      --azimuth DEG      in a picture, degrees to the right from the front of the wider\n"
    "                         side, about 30 by default\n"
    "      --elevation DEG    degrees above the horizon, -90 to 90, about 24 by default\n"
    "      --zoom Z           times as large as what fills the picture, 0.01 to 100\n"
    "      --size WxH         of a picture in pixels; default 1200x900\n"
    "      --background C     of a picture: RRGGBB, or auto (the default), shades of grey\n"
    "  -q, --quiet            no times, no progress bar, no warnings\n"
    "  -v, --verbose          what was read and how it is sampled, and what the library chose\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  clspline bezier teapot.bv -o teapot.png\n"
    "  clspline bezier teapot.bv -o teapot.ply -o teapot.png --samples 64\n"
    "  clspline bezier teapot.bv -o teapot.obj --tolerance 0.1% --normals\n"
    "  clspline bezier teapot.bv -o teapot.vtk --precision f64 --device pocl:\n"
    "  clspline bezier teapot.bv -o teapot.ply -n 500 --cooperate auto --report\n"
    "  gunzip -c a.bv.gz | clspline bezier - -o - -f ply | ssh host 'cat > a.ply'\n";

enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_SAMPLES,
    OPTION_TOLERANCE,
    OPTION_METHOD,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_NORMALS,
    OPTION_TEXTURE,
    OPTION_UP,
    OPTION_AZIMUTH,
    OPTION_ELEVATION,
    OPTION_ZOOM,
    OPTION_SIZE,
    OPTION_BACKGROUND,
    OPTION_COOPERATE,
    OPTION_WORKERS,
    OPTION_JOIN,
    OPTION_REPORT,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP
};

static const args_option options[] = {
    {"output", 'o', true},    {"format", 'f', true}, {"samples", 'n', true},
    {"tolerance", 't', true}, {"method", 0, true},   {"precision", 'p', true},
    {"device", 'd', true},    {"normals", 0, false}, {"texture", 0, false},
    {"up", 0, true},          {"azimuth", 0, true},  {"elevation", 0, true},
    {"zoom", 0, true},        {"size", 0, true},     {"background", 0, true},
    {"cooperate", 0, true},   {"workers", 0, true},  {"join", 0, true},
    {"report", 0, false},     {"quiet", 'q', false}, {"verbose", 'v', false},
    {"help", 'h', false},     {NULL, 0, false}};

enum { MIN_SAMPLES = 2, MAX_SAMPLES = 16384, MIN_PIXELS = 16, MAX_PIXELS = 8192 };
static const double degree = 3.14159265358979323846 / 180; /* in radians */

static const char *const format_words[] = {"", "obj", "ply", "vtk", "stl", "glb", "png"};

static request_format find_format(const char *word)
{
    for (int i = FORMAT_OBJ; i <= FORMAT_PNG; i++)
        if (strcasecmp(word, format_words[i]) == 0) return (request_format)i;
    return FORMAT_NONE;
}

request_format bezier_request_format(const bezier_request *r, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") == 0) return r->stdout_format;
    return dot ? find_format(dot + 1) : FORMAT_NONE;
}

static int read_output(bezier_request *r, const char *path)
{
    if (strcmp(path, "-") != 0 && bezier_request_format(r, path) == FORMAT_NONE)
        return usage_error("bezier", "'%s' does not end in .obj, .ply, .vtk, .stl, .glb or .png",
                           path);
    r->outputs[r->num_outputs++] = path;
    return EXIT_OK;
}

static int read_format(bezier_request *r, const char *word)
{
    r->stdout_format = find_format(word);
    if (r->stdout_format != FORMAT_NONE) return EXIT_OK;
    return usage_error("bezier", "--format must be obj, ply, vtk, stl, glb or png, not '%s'", word);
}

static size_t count_dashes(const char **names, size_t count)
{
    size_t dashes = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "-") == 0) dashes++;
    return dashes;
}

/* Standard input and output can be taken once, and the latter has no ending. */
static int check_dashes(const bezier_request *r)
{
    const size_t outputs = count_dashes(r->outputs, r->num_outputs);
    if (count_dashes(r->inputs, r->num_inputs) > 1)
        return usage_error("bezier", "standard input can be read once only");
    if (outputs > 1) return usage_error("bezier", "standard output can be written once only");
    if (outputs > 0 && r->stdout_format == FORMAT_NONE)
        return usage_error("bezier", "-o - needs --format");
    if (outputs == 0 && r->stdout_format != FORMAT_NONE)
        return usage_error("bezier", "--format is for -o -; files have it by their ending");
    return EXIT_OK;
}

static int read_samples(bezier_request *r, const char *text)
{
    unsigned long samples = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0 ||
        samples < MIN_SAMPLES || samples > MAX_SAMPLES)
        return usage_error("bezier", "--samples must be %d to %d, not '%s'", MIN_SAMPLES,
                           MAX_SAMPLES, text);
    r->samples = (uint32_t)samples;
    return EXIT_OK;
}

static int read_tolerance(bezier_request *r, const char *text)
{
    static const char *const units[] = {"", "%", "px"};
    const char *unit = text + strspn(text, "+-.0123456789eE"); /* strtod knows more than decimals */
    char *end;
    r->tolerance = strtod(text, &end);
    bool valid = end != text && end == unit && isfinite(r->tolerance) && r->tolerance > 0;
    for (int i = 0; valid && i < 3; i++) {
        if (strcmp(unit, units[i]) != 0) continue;
        r->tolerance_unit = (request_unit)i;
        return EXIT_OK;
    }
    return usage_error(
        "bezier", "--tolerance must be a number above 0, alone or with %% or px, not '%s'", text);
}

static int read_method(bezier_request *r, const char *text)
{
    static const char *const names[] = {"auto", "separable", "multilevel", "matrix", "brute"};
    static const clsp_bezier_method methods[] = {CLSP_BEZIER_AUTO, CLSP_BEZIER_SEPARABLE,
                                                 CLSP_BEZIER_MULTILEVEL, CLSP_BEZIER_MATRIX,
                                                 CLSP_BEZIER_BRUTE};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) != 0) continue;
        r->method = methods[i];
        return EXIT_OK;
    }
    return usage_error(
        "bezier", "--method must be auto, separable, multilevel, matrix or brute, not '%s'", text);
}

static int read_precision(bezier_request *r, const char *text)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0)
        return usage_error("bezier", "--precision must be f32 or f64, not '%s'", text);
    r->precision = text[1] == '3' ? MESH_F32 : MESH_F64;
    return EXIT_OK;
}

static int read_up(bezier_request *r, const char *text)
{
    static const char *const names[] = {"auto", "x", "y", "z"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        r->view.camera.up = (camera_up)i;
        return EXIT_OK;
    }
    return usage_error("bezier", "--up must be x, y, z or auto, not '%s'", text);
}

/* Reads a decimal number from low to high. */
static bool read_number(const char *text, double low, double high, double *value)
{
    char *end;
    size_t decimal = strspn(text, "+-.0123456789eE"); /* strtod knows more than decimals */
    *value = strtod(text, &end);
    return end != text && *end == 0 && text[decimal] == 0 && *value >= low && *value <= high;
}

static int read_azimuth(bezier_request *r, const char *text)
{
    double degrees;
    if (!read_number(text, -360, 360, &degrees))
        return usage_error("bezier", "--azimuth must be -360 to 360 degrees, not '%s'", text);
    r->view.camera.turn = degrees * degree;
    return EXIT_OK;
}

static int read_elevation(bezier_request *r, const char *text)
{
    double degrees;
    if (!read_number(text, -90, 90, &degrees))
        return usage_error("bezier", "--elevation must be -90 to 90 degrees, not '%s'", text);
    r->view.camera.tilt = degrees * degree;
    return EXIT_OK;
}

static int read_zoom(bezier_request *r, const char *text)
{
    if (read_number(text, 0.01, 100, &r->view.camera.zoom)) return EXIT_OK;
    return usage_error("bezier", "--zoom must be 0.01 to 100, not '%s'", text);
}

static int read_size(bezier_request *r, const char *text)
{
    const size_t first = strspn(text, "0123456789");
    const char *second = text + first + 1;
    bool valid = first > 0 && first <= 5 && text[first] == 'x' && second[0] != 0 &&
                 strlen(second) <= 5 && second[strspn(second, "0123456789")] == 0;
    const unsigned long width = valid ? strtoul(text, NULL, 10) : 0;
    const unsigned long height = valid ? strtoul(second, NULL, 10) : 0;
    if (width < MIN_PIXELS || width > MAX_PIXELS || height < MIN_PIXELS || height > MAX_PIXELS)
        return usage_error("bezier", "--size must be WIDTHxHEIGHT, each %d to %d, not '%s'",
                           MIN_PIXELS, MAX_PIXELS, text);
    r->view.width = width;
    r->view.height = height;
    return EXIT_OK;
}

static int read_background(bezier_request *r, const char *text)
{
    r->view.has_background = strcmp(text, "auto") != 0;
    if (!r->view.has_background) return EXIT_OK;
    const char *digits = text + (text[0] == '#' ? 1 : 0);
    if (strlen(digits) != 6 || digits[strspn(digits, "0123456789abcdefABCDEF")] != 0)
        return usage_error("bezier", "--background must be auto or RRGGBB, not '%s'", text);
    const unsigned long color = strtoul(digits, NULL, 16);
    for (int k = 0; k < 3; k++)
        r->view.background[k] = (unsigned char)(color >> (16 - 8 * k) & 0xff);
    return EXIT_OK;
}

static int read_input(bezier_request *r, const char *path)
{
    r->inputs[r->num_inputs++] = path;
    return EXIT_OK;
}

/* Takes an argument of shared evaluation. */
static int read_sharing(bezier_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_COOPERATE:
        return sharing_read_schedule(&r->sharing, "bezier", a->value);
    case OPTION_WORKERS:
        return sharing_read_workers(&r->sharing, "bezier", a->value);
    case OPTION_JOIN:
        return sharing_read_joined(&r->sharing, "bezier", a->value);
    default:
        r->sharing.report = true;
        return EXIT_OK;
    }
}

/* Takes an argument of pictures, or complains of one that is none at all. */
static int read_view(bezier_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_UP:
        return read_up(r, a->value);
    case OPTION_AZIMUTH:
        return read_azimuth(r, a->value);
    case OPTION_ELEVATION:
        return read_elevation(r, a->value);
    case OPTION_ZOOM:
        return read_zoom(r, a->value);
    case OPTION_SIZE:
        return read_size(r, a->value);
    case OPTION_BACKGROUND:
        return read_background(r, a->value);
    default:
        return usage_error("bezier", "%s '%s'", args_error(found), a->word);
    }
}

/* Takes an option without value. */
static void set_flag(bezier_request *r, int found)
{
    if (found == OPTION_NORMALS) r->normals = true;
    if (found == OPTION_TEXTURE) r->texture = true;
    if (found == OPTION_QUIET) r->quiet = true;
    if (found == OPTION_VERBOSE) r->verbose = true;
    if (found == OPTION_HELP) r->help = true;
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(bezier_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_OUTPUT:
        return read_output(r, a->value);
    case OPTION_FORMAT:
        return read_format(r, a->value);
    case OPTION_SAMPLES:
        return read_samples(r, a->value);
    case OPTION_TOLERANCE:
        return read_tolerance(r, a->value);
    case OPTION_METHOD:
        return read_method(r, a->value);
    case OPTION_PRECISION:
        return read_precision(r, a->value);
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_NORMALS:
    case OPTION_TEXTURE:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_HELP:
        set_flag(r, found);
        return EXIT_OK;
    case ARGS_OPERAND:
        return read_input(r, a->value);
    case OPTION_COOPERATE:
    case OPTION_WORKERS:
    case OPTION_JOIN:
    case OPTION_REPORT:
        return read_sharing(r, a, found);
    default:
        return read_view(r, a, found);
    }
}

/* Whether a name stands for one of the files, standard input and output left out. */
static bool is_among(const char *name, const char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, "-") != 0 && strcmp(names[i], "-") != 0 && output_is_same(name, names[i]))
            return true;
    return false;
}

/* Refuses to write a file twice, or over an input. */
static int check_outputs(const bezier_request *r)
{
    for (size_t i = 0; i < r->num_outputs; i++) {
        if (is_among(r->outputs[i], r->inputs, r->num_inputs))
            return usage_error("bezier", "'%s' is an input too", r->outputs[i]);
        if (is_among(r->outputs[i], r->outputs, i))
            return usage_error("bezier", "'%s' is given as output twice", r->outputs[i]);
    }
    return EXIT_OK;
}

int bezier_request_read(bezier_request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        int status = read_argument(r, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    if (r->num_inputs == 0) return usage_error("bezier", "no input file given");
    if (r->num_outputs == 0) return usage_error("bezier", "no output given: use -o OUT");
    if (r->tolerance > 0 && r->samples > 0)
        return usage_error("bezier", "--samples and --tolerance exclude each other");
    if (r->tolerance > 0 && r->method != CLSP_BEZIER_AUTO)
        return usage_error("bezier", "--method is of grids that --samples makes, not of "
                                     "--tolerance");
    if (r->quiet && r->verbose)
        return usage_error("bezier", "--quiet and --verbose exclude each other");
    const sharing_request *s = &r->sharing;
    if (!s->cooperate && (s->report || s->num_workers > 0 || s->num_joined > 0))
        return usage_error("bezier", "--report, --workers and --join need --cooperate");
    const int status = check_dashes(r);
    return status == EXIT_OK ? check_outputs(r) : status;
}
