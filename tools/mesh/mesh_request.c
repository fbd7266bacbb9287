#include "mesh_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "request.h"

const char mesh_request_help_outputs[] =
    "  -o, --output OUT       where to write; the ending chooses the format: Wavefront OBJ,\n"
    "                         PLY (binary), legacy VTK (binary), STL (binary), glTF 2.0\n"
    "                         (.glb) or a PNG picture. May be given several times; - is\n"
    "                         standard output\n"
    "  -f, --format FORMAT    the format of -o -: obj, ply, vtk, stl, glb or png\n";

const char mesh_request_help_rest[] =
    "  -p, --precision P      f32 (the default) or f64, which needs a device with "
    "fp64\n" REQUEST_HELP_DEVICE SHARING_HELP_EVALUATION
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
    "  -h, --help             this text\n";

enum { MIN_SAMPLES = 2, MIN_PIXELS = 16, MAX_PIXELS = 8192 };
static const double degree = 3.14159265358979323846 / 180; /* in radians */

static const char *const format_words[] = {"", "obj", "ply", "vtk", "stl", "glb", "png"};

static request_format find_format(const char *word)
{
    for (int i = FORMAT_OBJ; i <= FORMAT_PNG; i++)
        if (strcasecmp(word, format_words[i]) == 0) return (request_format)i;
    return FORMAT_NONE;
}

request_format mesh_request_format(const mesh_request *r, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") == 0) return r->stdout_format;
    return dot ? find_format(dot + 1) : FORMAT_NONE;
}

static int read_output(mesh_request *r, const char *path)
{
    if (strcmp(path, "-") != 0 && mesh_request_format(r, path) == FORMAT_NONE)
        return usage_error(r->command, "'%s' does not end in .obj, .ply, .vtk, .stl, .glb or .png",
                           path);
    r->outputs[r->num_outputs++] = path;
    return EXIT_OK;
}

static int read_format(mesh_request *r, const char *word)
{
    r->stdout_format = find_format(word);
    if (r->stdout_format != FORMAT_NONE) return EXIT_OK;
    return usage_error(r->command, "--format must be obj, ply, vtk, stl, glb or png, not '%s'",
                       word);
}

/* Standard input and output can be taken once, and the latter has no ending. */
static int check_dashes(const mesh_request *r)
{
    if (request_dashes(r->inputs, r->num_inputs) > 1)
        return usage_error(r->command, "standard input can be read once only");
    return request_check_format(r->command, request_dashes(r->outputs, r->num_outputs),
                                r->stdout_format != FORMAT_NONE);
}

static int read_samples(mesh_request *r, const char *text)
{
    if (request_count(text, MIN_SAMPLES, r->most_samples, &r->samples)) return EXIT_OK;
    return usage_error(r->command, "--samples must be %d to %u, not '%s'", MIN_SAMPLES,
                       r->most_samples, text);
}

static int read_up(mesh_request *r, const char *text)
{
    static const char *const names[] = {"auto", "x", "y", "z"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        r->view.camera.up = (camera_up)i;
        return EXIT_OK;
    }
    return usage_error(r->command, "--up must be x, y, z or auto, not '%s'", text);
}

static int read_azimuth(mesh_request *r, const char *text)
{
    double degrees;
    if (!request_number(text, -360, 360, &degrees))
        return usage_error(r->command, "--azimuth must be -360 to 360 degrees, not '%s'", text);
    r->view.camera.turn = degrees * degree;
    return EXIT_OK;
}

static int read_elevation(mesh_request *r, const char *text)
{
    double degrees;
    if (!request_number(text, -90, 90, &degrees))
        return usage_error(r->command, "--elevation must be -90 to 90 degrees, not '%s'", text);
    r->view.camera.tilt = degrees * degree;
    return EXIT_OK;
}

static int read_zoom(mesh_request *r, const char *text)
{
    if (request_number(text, 0.01, 100, &r->view.camera.zoom)) return EXIT_OK;
    return usage_error(r->command, "--zoom must be 0.01 to 100, not '%s'", text);
}

static int read_size(mesh_request *r, const char *text)
{
    const size_t first = strspn(text, "0123456789");
    const char *second = text + first + 1;
    bool valid = first > 0 && first <= 5 && text[first] == 'x' && second[0] != 0 &&
                 strlen(second) <= 5 && second[strspn(second, "0123456789")] == 0;
    const unsigned long width = valid ? strtoul(text, NULL, 10) : 0;
    const unsigned long height = valid ? strtoul(second, NULL, 10) : 0;
    if (width < MIN_PIXELS || width > MAX_PIXELS || height < MIN_PIXELS || height > MAX_PIXELS)
        return usage_error(r->command, "--size must be WIDTHxHEIGHT, each %d to %d, not '%s'",
                           MIN_PIXELS, MAX_PIXELS, text);
    r->view.width = width;
    r->view.height = height;
    return EXIT_OK;
}

static int read_background(mesh_request *r, const char *text)
{
    r->view.has_background = strcmp(text, "auto") != 0;
    if (!r->view.has_background) return EXIT_OK;
    const char *digits = text + (text[0] == '#' ? 1 : 0);
    if (strlen(digits) != 6 || digits[strspn(digits, "0123456789abcdefABCDEF")] != 0)
        return usage_error(r->command, "--background must be auto or RRGGBB, not '%s'", text);
    const unsigned long color = strtoul(digits, NULL, 16);
    for (int k = 0; k < 3; k++)
        r->view.background[k] = (unsigned char)(color >> (16 - 8 * k) & 0xff);
    return EXIT_OK;
}

/* Takes an argument of pictures, or complains of one that is none at all. */
static int read_view(mesh_request *r, const args *a, int found)
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
        return usage_error(r->command, "%s '%s'", args_error(found), a->word);
    }
}

/* Takes an option without value. */
static int set_flag(mesh_request *r, int found)
{
    if (found == OPTION_NORMALS) r->normals = true;
    if (found == OPTION_TEXTURE) r->texture = true;
    if (found == OPTION_QUIET) r->quiet = true;
    if (found == OPTION_VERBOSE) r->verbose = true;
    if (found == OPTION_HELP) r->help = true;
    return EXIT_OK;
}

int mesh_request_take(mesh_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_OUTPUT:
        return read_output(r, a->value);
    case OPTION_FORMAT:
        return read_format(r, a->value);
    case OPTION_SAMPLES:
        return read_samples(r, a->value);
    case OPTION_PRECISION:
        return request_precision(&r->precision, r->command, a->value);
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_NORMALS:
    case OPTION_TEXTURE:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_HELP:
        return set_flag(r, found);
    case ARGS_OPERAND:
        r->inputs[r->num_inputs++] = a->value;
        return EXIT_OK;
    case OPTION_COOPERATE:
    case OPTION_WORKERS:
    case OPTION_JOIN:
    case OPTION_REPORT:
        return sharing_take(&r->sharing, r->command, found - OPTION_COOPERATE, a->value);
    default:
        return read_view(r, a, found);
    }
}

/* Refuses to write a file twice, or over an input. */
static int check_outputs(const mesh_request *r)
{
    for (size_t i = 0; i < r->num_outputs; i++) {
        if (request_is_among(r->outputs[i], r->inputs, r->num_inputs))
            return usage_error(r->command, "'%s' is an input too", r->outputs[i]);
        if (request_is_among(r->outputs[i], r->outputs, i))
            return usage_error(r->command, "'%s' is given as output twice", r->outputs[i]);
    }
    return EXIT_OK;
}

int mesh_request_check(const mesh_request *r)
{
    if (r->num_inputs == 0) return usage_error(r->command, "no input file given");
    if (r->num_outputs == 0) return usage_error(r->command, "no output given: use -o OUT");
    if (r->quiet && r->verbose)
        return usage_error(r->command, "--quiet and --verbose exclude each other");
    int status = sharing_check(&r->sharing, r->command);
    if (status == EXIT_OK) status = check_dashes(r);
    return status == EXIT_OK ? check_outputs(r) : status;
}

bool mesh_request_begin(mesh_request *r, const char *command, int argc)
{
    *r = (mesh_request){.command = command, .precision = MESH_F32, .view = raster_view_default()};
    r->inputs = calloc((size_t)argc, sizeof(*r->inputs)); /* as many as there can be */
    r->outputs = calloc((size_t)argc, sizeof(*r->outputs));
    if (r->inputs && r->outputs) return true;
    complain("not enough memory");
    return false;
}

void mesh_request_end(mesh_request *r)
{
    free(r->inputs);
    free(r->outputs);
}

bool mesh_request_shows_normals(request_format form)
{
    return form == FORMAT_PNG || form == FORMAT_GLB;
}

bool mesh_request_needs_normals(const mesh_request *r)
{
    bool needed = r->normals;
    for (size_t i = 0; i < r->num_outputs; i++)
        if (mesh_request_shows_normals(mesh_request_format(r, r->outputs[i]))) needed = true;
    return needed;
}
