#include "project_request.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "input.h"
#include "request.h"

static const char command[] = "project";

static const char help[] =
    "usage: clspline project CURVES ... POINTS -o OUT.{csv,npy} [options]\n"
    "\n"
    "Finds for each point the nearest point of all curves. CURVES are .g2 files or JSON in the\n"
    "layout of geomdl; POINTS is CSV with a point a line, an .npy array of shape (N, DIM) or an\n"
    ".xyz file. One of them may be -, for standard input. Any number of points will do.\n"
    "\n"
    "A row of the result: number of the point and of its curve, from 0, the parameter, the point\n"
    "of the curve, the distance, a bound (no point of the curves is nearer than that) and a\n"
    "status: found, cut (the search ended before all was certain), none (nothing within\n"
    "--max-dist), invalid (a point that is not finite), off (see --invert).\n"
    "\n"
    "options:\n"
    "  -o, --output OUT       where to write; the ending chooses CSV or .npy, an array of records\n"
    "                         for NumPy; - is standard output\n"
    "  -f, --format FORMAT    the format of -o -: csv or npy\n"
    "  -i, --invert           the points lie on the curves: those further away than the tolerance\n"
    "                         get the status off and make the exit status 3\n"
    "  -t, --tolerance E      of --invert, a length in the file's units, or E% of the diagonal of\n"
    "                         the box around the curves; default 1e-3%. Of --method mrep, how far\n"
    "                         its cubics may be from the curves; default 1e-2%\n"
    "  -m, --max-dist D       look no further than this\n"
    "  -k, --nearest K        the K nearest local minima of the distance, 1 to 16; default 1\n"
    "      --method M         exact (the default), or mrep: by cubic pieces\n"
    "  -p, --precision P      f32 (the default) or f64, which needs a device with "
    "fp64\n" REQUEST_HELP_DEVICE
    "      --cooperate HOW    search by the device and the host's cores together: auto, svm,\n"
    "                         dynamic, static, static=RATIO (the host's part, 0 to 1), device or\n"
    "                         host; by --method exact\n"
    "      --workers N        with --cooperate, how many of the host's cores, 0 to 1024\n"
    "      --join DEVICE      with --cooperate, one more device; may be given several times\n"
    "      --report           with --cooperate, each search's schedule, why not another, and what\n"
    "                         each processor did, on standard error\n"
    "  -q, --quiet            no times, no progress bar, no warnings\n"
    "  -v, --verbose          what was read, and what the library chose\n"
    "  -h, --help             this text\n";

static const char help_examples[] =
    "\n"
    "examples:\n"
    "  clspline project curves.g2 points.csv -o nearest.csv\n"
    "  clspline project a.g2 b.json points.npy -o nearest.npy --max-dist 0.5 --precision f64\n"
    "  clspline project curves.g2 samples.npy -o parameters.npy --invert --tolerance 1e-4\n"
    "  gunzip -c cloud.xyz.gz | clspline project curves.g2 - -o - -f csv | head\n";

enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_INVERT,
    OPTION_TOLERANCE,
    OPTION_MAX_DIST,
    OPTION_NEAREST,
    OPTION_METHOD,
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
    {"output", 'o', true},    {"format", 'f', true},    {"invert", 'i', false},
    {"tolerance", 't', true}, {"max-dist", 'm', true},  {"nearest", 'k', true},
    {"method", 0, true},      {"precision", 'p', true}, {"device", 'd', true},
    {"cooperate", 0, true},   {"workers", 0, true},     {"join", 0, true},
    {"report", 0, false},     {"quiet", 'q', false},    {"verbose", 'v', false},
    {"help", 'h', false},     {NULL, 0, false}};

/* What was given, to be checked when all is read. */
typedef struct words {
    const char *format;
    size_t num_outputs;
} words;

void project_request_help(void)
{
    fputs(help, stdout);
    fputs(help_examples, stdout);
}

static int read_tolerance(project_request *r, const char *text)
{
    char number[64];
    size_t length = strlen(text);
    r->is_percent = length > 0 && text[length - 1] == '%';
    if (r->is_percent) length--;
    bool valid = length < sizeof(number);
    if (valid) {
        memcpy(number, text, length);
        number[length] = 0;
        valid = request_number(number, DBL_MIN, DBL_MAX, &r->tolerance);
    }
    if (valid) return EXIT_OK;
    return usage_error(command, "--tolerance must be a number above 0, alone or with %%, not '%s'",
                       text);
}

static int read_max_dist(project_request *r, const char *text)
{
    if (request_number(text, DBL_MIN, DBL_MAX, &r->opts.max_dist)) return EXIT_OK;
    return usage_error(command, "--max-dist must be a number above 0, not '%s'", text);
}

static int read_nearest(project_request *r, const char *text)
{
    if (request_count(text, 1, CLSP_BSPLINE_PROJECT_MAX_NEAREST, &r->opts.num_nearest)) return EXIT_OK;
    return usage_error(command, "--nearest must be 1 to %d, not '%s'", CLSP_BSPLINE_PROJECT_MAX_NEAREST,
                       text);
}

static int read_method(project_request *r, const char *text)
{
    if (strcmp(text, "exact") != 0 && strcmp(text, "mrep") != 0)
        return usage_error(command, "--method must be exact or mrep, not '%s'", text);
    r->opts.method = text[0] == 'm' ? CLSP_BSPLINE_PROJECT_MREP : CLSP_BSPLINE_PROJECT_EXACT;
    return EXIT_OK;
}

/* Takes an option without value. */
static int set_flag(project_request *r, int found)
{
    if (found == OPTION_INVERT) r->invert = true;
    if (found == OPTION_QUIET) r->quiet = true;
    if (found == OPTION_VERBOSE) r->verbose = true;
    if (found == OPTION_HELP) r->help = true;
    return EXIT_OK;
}

/* Takes an argument of what to search for and how, or complains of one that is none at all. */
static int read_search(project_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_TOLERANCE:
        return read_tolerance(r, a->value);
    case OPTION_MAX_DIST:
        return read_max_dist(r, a->value);
    case OPTION_NEAREST:
        return read_nearest(r, a->value);
    case OPTION_METHOD:
        return read_method(r, a->value);
    default:
        return usage_error(command, "%s '%s'", args_error(found), a->word);
    }
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(project_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case OPTION_OUTPUT:
        r->output = a->value;
        w->num_outputs++;
        return EXIT_OK;
    case OPTION_FORMAT:
        w->format = a->value;
        return EXIT_OK;
    case OPTION_PRECISION:
        return request_precision(&r->precision, command, a->value);
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case ARGS_OPERAND:
        r->inputs[r->num_inputs++] = a->value;
        return EXIT_OK;
    case OPTION_COOPERATE:
    case OPTION_WORKERS:
    case OPTION_JOIN:
    case OPTION_REPORT:
        return sharing_take(&r->sharing, command, found - OPTION_COOPERATE, a->value);
    case OPTION_INVERT:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_HELP:
        return set_flag(r, found);
    default:
        return read_search(r, a, found);
    }
}

/* Finds the format of the output: of its ending, or of --format. */
static int check_format(project_request *r, const words *w)
{
    const int status =
        request_check_format(command, request_dashes(&r->output, 1), w->format != NULL);
    if (status != EXIT_OK) return status;
    r->is_npy = w->format ? strcmp(w->format, "npy") == 0 : input_ends_in(r->output, "npy");
    if (r->is_npy) return EXIT_OK;
    if (w->format && strcmp(w->format, "csv") != 0)
        return usage_error(command, "--format must be csv or npy, not '%s'", w->format);
    if (!w->format && !input_ends_in(r->output, "csv"))
        return usage_error(command, "'%s' does not end in .csv or .npy", r->output);
    return EXIT_OK;
}

static int check(project_request *r, const words *w)
{
    if (r->num_inputs < 2)
        return usage_error(command, r->num_inputs == 0 ? "no file of curves given"
                                                       : "no file of points given");
    if (w->num_outputs == 0) return usage_error(command, "no output given: use -o OUT");
    if (w->num_outputs > 1) return usage_error(command, "--output can be given once only");
    if (request_dashes(r->inputs, r->num_inputs) > 1)
        return usage_error(command, "standard input can be read once only");
    if (request_is_among(r->output, r->inputs, r->num_inputs))
        return usage_error(command, "'%s' is an input too", r->output);
    if (r->quiet && r->verbose)
        return usage_error(command, "--quiet and --verbose exclude each other");
    if (r->tolerance > 0 && !r->invert && r->opts.method != CLSP_BSPLINE_PROJECT_MREP)
        return usage_error(command, "--tolerance is of --invert and of --method mrep");
    if (r->sharing.cooperate && r->opts.method == CLSP_BSPLINE_PROJECT_MREP)
        return usage_error(command, "--cooperate is of --method exact");
    if (r->opts.num_nearest > 1 && r->opts.method == CLSP_BSPLINE_PROJECT_MREP)
        return usage_error(command, "--nearest is of --method exact");
    const int status = sharing_check(&r->sharing, command);
    return status == EXIT_OK ? check_format(r, w) : status;
}

int project_request_read(project_request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    words w = {NULL, 0};
    r->precision = MESH_F32;
    r->opts = (clsp_bspline_project_opts){.method = CLSP_BSPLINE_PROJECT_EXACT, .num_nearest = 1};
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        const int status = read_argument(r, &w, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    return check(r, &w);
}
