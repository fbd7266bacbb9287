#include "image_request.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "request.h"

static const char command[] = "image";
static const double MAX_NUMBER = 1e12; /* of --shift and --affine */

static const char help[] =
    "usage: clspline image IN -o OUT [options]\n"
    "\n"
    "Turns, scales and moves an image or a volume, by cubic B-spline interpolation unless told\n"
    "otherwise. PNG (8 and 16 bit), TIFF (8 and 16 bit, f32, f64; several pages are a volume),\n"
    "NIfTI-1 (.nii, .nii.gz) and NumPy's .npy are read and written; the ending of OUT chooses.\n"
    "Whatever is combined of --zoom, --rotate and --shift, in this order, is done in one step,\n"
    "about the middle of the image.\n"
    "\n"
    "options:\n"
    "  -o, --output OUT       .png, .tif, .nii, .nii.gz or .npy; - is standard output\n"
    "  -f, --format FORMAT    the format of -o -: png, tif, nii, nii.gz or npy\n"
    "  -r, --rotate DEG       by so many degrees, counterclockwise as a picture is seen\n"
    "      --axis A           of volumes, the axis to rotate about: x, y or z (the default)\n"
    "  -z, --zoom F           F times the size, above 0\n"
    "  -s, --shift X,Y[,Z]    to the right and down, in samples of the output\n"
    "      --affine A,B,..    instead of these: samples of OUT lie at coordinates of IN that are\n"
    "                         A x + B y + C, D x + E y + F (of volumes 12 numbers likewise)\n"
    "      --size WxH[xD]     the size of OUT; default: IN's, times F\n"
    "  -n, --repeat N         N times, each time from the result before; default 1\n"
    "      --order P          of the splines, 0 to 5; default 3, 1 is linear, 0 takes the nearest\n"
    "  -m, --mode M[,M[,M]]   beyond the edges, along x, y, z or alike: mirror, reflect,\n"
    "                         grid-wrap, nearest, constant (the default), grid-constant, wrap, as\n"
    "                         scipy.ndimage has them\n"
    "      --cval V           what is outside of the image, in constant and grid-constant;\n"
    "                         default 0, may be nan\n"
    "      --taps N           prefilter by N taps, odd, 3 to 127; default: exact, recursively\n"
    "      --truncated        taps that are cut off rather than of least squares\n"
    "      --clip             within the range of IN's samples\n"
    "      --type T           of OUT's samples: u8, u16, s16, f32 or f64; default: of IN's\n"
    "      --directions D     of an .npy array, 1 to 3; a further axis is that of channels\n"
    "  -p, --precision P      of arithmetic: f32, or f64 (the default for f64 images), which "
    "needs\n"
    "                         a device with fp64\n" REQUEST_HELP_DEVICE
    "  -q, --quiet            no times, no progress bar, no warnings\n"
    "  -v, --verbose          what the library chose\n"
    "  -h, --help             this text\n";

static const char help_examples[] =
    "\n"
    "examples:\n"
    "  clspline image photo.png -o turned.png --rotate 10 --mode mirror\n"
    "  clspline image scan.nii.gz -o large.nii.gz --zoom 2 --device gpu\n"
    "  clspline image photo.png -o worn.tif --rotate 10 --repeat 36 --taps 15 --type f32\n"
    "  curl -s https://example.org/a.png | clspline image - -o - -f png -z 0.5 > half.png\n";

enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_ROTATE,
    OPTION_AXIS,
    OPTION_ZOOM,
    OPTION_SHIFT,
    OPTION_AFFINE,
    OPTION_SIZE,
    OPTION_REPEAT,
    OPTION_ORDER,
    OPTION_MODE,
    OPTION_CVAL,
    OPTION_TAPS,
    OPTION_TRUNCATED,
    OPTION_CLIP,
    OPTION_TYPE,
    OPTION_DIRECTIONS,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP
};

static const args_option options[] = {
    {"output", 'o', true},   {"format", 'f', true},    {"rotate", 'r', true}, {"axis", 0, true},
    {"zoom", 'z', true},     {"shift", 's', true},     {"affine", 0, true},   {"size", 0, true},
    {"repeat", 'n', true},   {"order", 0, true},       {"mode", 'm', true},   {"cval", 0, true},
    {"taps", 0, true},       {"truncated", 0, false},  {"clip", 0, false},    {"type", 0, true},
    {"directions", 0, true}, {"precision", 'p', true}, {"device", 'd', true}, {"quiet", 'q', false},
    {"verbose", 'v', false}, {"help", 'h', false},     {NULL, 0, false}};

/* What was given, to be checked when all is read. */
typedef struct words {
    const char *format;
    size_t num_inputs, num_outputs;
    bool has_rotate, has_axis, truncated;
} words;

void image_request_help(void)
{
    fputs(help, stdout);
    fputs(help_examples, stdout);
}

/* ---- values ---- */

static int read_rotate(image_request *r, const char *text)
{
    if (request_number(text, -1e9, 1e9, &r->rotate)) return EXIT_OK;
    return usage_error(command, "--rotate must be a number of degrees, not '%s'", text);
}

static int read_axis(image_request *r, const char *text)
{
    const char *found = text[0] && !text[1] ? strchr("xyz", text[0]) : NULL;
    if (!found) return usage_error(command, "--axis must be x, y or z, not '%s'", text);
    r->axis = text[0] == 'x' ? 0 : text[0] == 'y' ? 1 : 2;
    return EXIT_OK;
}

static int read_zoom(image_request *r, const char *text)
{
    if (request_number(text, 1e-6, 1e6, &r->zoom)) return EXIT_OK;
    return usage_error(command, "--zoom must be a number from 1e-6 to 1e6, not '%s'", text);
}

static int read_shift(image_request *r, const char *text)
{
    r->num_shift = request_numbers(text, MAX_NUMBER, r->shift, IMAGE_MAX_DIRECTIONS);
    if (r->num_shift > 0) return EXIT_OK;
    return usage_error(command, "--shift must be X,Y or X,Y,Z, not '%s'", text);
}

static int read_affine(image_request *r, const char *text)
{
    const size_t num = r->num_affine =
        request_numbers(text, MAX_NUMBER, r->affine, IMAGE_AFFINE_NUMBERS);
    if (num == 2 || num == 6 || num == 12) return EXIT_OK;
    return usage_error(command,
                       "--affine must be 6 numbers separated by commas, of volumes 12, "
                       "not '%s'",
                       text);
}

static int read_size(image_request *r, const char *text)
{
    const char *rest = text;
    char word[REQUEST_WORD];
    uint32_t side;
    for (r->num_size = 0; rest && r->num_size < IMAGE_MAX_DIRECTIONS; r->num_size++) {
        if (!request_word(&rest, "xX", word) || !request_count(word, 1, 99999999, &side)) break;
        r->size[r->num_size] = side;
        if (!rest) {
            r->num_size++;
            return EXIT_OK;
        }
    }
    return usage_error(command, "--size must be as 640x480, of volumes as 64x64x32, not '%s'",
                       text);
}

static int read_repeat(image_request *r, const char *text)
{
    if (request_count(text, 1, 1000000, &r->repeat)) return EXIT_OK;
    return usage_error(command, "--repeat must be 1 to 1000000, not '%s'", text);
}

static int read_order(image_request *r, const char *text)
{
    uint32_t order;
    if (!request_count(text, 0, 5, &order))
        return usage_error(command, "--order must be 0 to 5, not '%s'", text);
    r->order = order == 0 ? CLSP_IMAGE_NEAREST_SAMPLE : (clsp_image_order)order;
    return EXIT_OK;
}

static bool find_mode(const char *word, clsp_image_mode *mode)
{
    static const struct {
        const char *name;
        clsp_image_mode mode;
    } known[] = {{"mirror", CLSP_IMAGE_MIRROR},
                 {"reflect", CLSP_IMAGE_REFLECT},
                 {"grid-mirror", CLSP_IMAGE_REFLECT}, /* SciPy's other name of it */
                 {"grid-wrap", CLSP_IMAGE_GRID_WRAP},
                 {"nearest", CLSP_IMAGE_NEAREST},
                 {"constant", CLSP_IMAGE_CONSTANT},
                 {"grid-constant", CLSP_IMAGE_GRID_CONSTANT},
                 {"wrap", CLSP_IMAGE_WRAP}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        *mode = known[i].mode;
        if (strcmp(word, known[i].name) == 0) return true;
    }
    return false;
}

/* Reads the names of modes separated by commas and returns how many; 0 for what is no such list. */
static size_t read_modes(const char *text, clsp_image_mode modes[IMAGE_MAX_DIRECTIONS])
{
    char word[REQUEST_WORD];
    for (size_t num = 0; num < IMAGE_MAX_DIRECTIONS; num++) {
        if (!request_word(&text, ",", word) || !find_mode(word, &modes[num])) return 0;
        if (!text) return num + 1;
    }
    return 0;
}

static int read_mode(image_request *r, const char *text)
{
    r->num_modes = read_modes(text, r->mode);
    if (r->num_modes > 0) return EXIT_OK;
    return usage_error(command,
                       "--mode must be mirror, reflect, grid-wrap, nearest, constant, "
                       "grid-constant or wrap, or some of them separated by commas, not '%s'",
                       text);
}

static int read_cval(image_request *r, const char *text)
{
    r->cval = NAN;
    if (strcmp(text, "nan") == 0 || request_number(text, -DBL_MAX, DBL_MAX, &r->cval))
        return EXIT_OK;
    return usage_error(command, "--cval must be a number or nan, not '%s'", text);
}

static int read_taps(image_request *r, const char *text)
{
    r->prefilter = CLSP_IMAGE_RECURSIVE;
    if (strcmp(text, "exact") == 0) return EXIT_OK;
    r->prefilter = CLSP_IMAGE_LEAST_SQUARES;
    if (request_count(text, 3, CLSP_IMAGE_MAX_TAPS, &r->taps) && r->taps % 2 == 1) return EXIT_OK;
    return usage_error(command, "--taps must be exact or an odd number from 3 to %d, not '%s'",
                       CLSP_IMAGE_MAX_TAPS, text);
}

static int read_type(image_request *r, const char *text)
{
    for (int i = IMAGE_U8; i <= IMAGE_F64; i++) {
        if (strcmp(text, image_type_name((image_type)i)) != 0) continue;
        r->type = (image_type)i;
        r->has_type = true;
        return EXIT_OK;
    }
    return usage_error(command, "--type must be u8, u16, s16, f32 or f64, not '%s'", text);
}

static int read_directions(image_request *r, const char *text)
{
    if (request_count(text, 1, IMAGE_MAX_DIRECTIONS, &r->directions)) return EXIT_OK;
    return usage_error(command, "--directions must be 1, 2 or 3, not '%s'", text);
}

static int read_precision(image_request *r, const char *text)
{
    mesh_precision precision;
    const int status = request_precision(&precision, command, text);
    r->precision = precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
    return status;
}

/* ---- arguments ---- */

/* Takes an option of where samples go. */
static int read_motion(image_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case OPTION_ROTATE:
        w->has_rotate = true;
        return read_rotate(r, a->value);
    case OPTION_AXIS:
        w->has_axis = true;
        return read_axis(r, a->value);
    case OPTION_ZOOM:
        return read_zoom(r, a->value);
    case OPTION_SHIFT:
        return read_shift(r, a->value);
    case OPTION_AFFINE:
        return read_affine(r, a->value);
    case OPTION_SIZE:
        return read_size(r, a->value);
    default:
        return read_repeat(r, a->value);
    }
}

/* Takes an option of how to interpolate, or complains of one that is none at all. */
static int read_manner(image_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_ORDER:
        return read_order(r, a->value);
    case OPTION_MODE:
        return read_mode(r, a->value);
    case OPTION_CVAL:
        return read_cval(r, a->value);
    case OPTION_TAPS:
        return read_taps(r, a->value);
    case OPTION_TYPE:
        return read_type(r, a->value);
    case OPTION_DIRECTIONS:
        return read_directions(r, a->value);
    case OPTION_PRECISION:
        return read_precision(r, a->value);
    default:
        return usage_error(command, "%s '%s'", args_error(found), a->word);
    }
}

/* Takes an option without value. */
static int set_flag(image_request *r, words *w, int found)
{
    if (found == OPTION_TRUNCATED) w->truncated = true;
    if (found == OPTION_CLIP) r->clip = true;
    if (found == OPTION_QUIET) r->quiet = true;
    if (found == OPTION_VERBOSE) r->verbose = true;
    if (found == OPTION_HELP) r->help = true;
    return EXIT_OK;
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(image_request *r, words *w, const args *a, int found)
{
    switch (found) {
    case ARGS_OPERAND:
        r->input = a->value;
        w->num_inputs++;
        return EXIT_OK;
    case OPTION_OUTPUT:
        r->output = a->value;
        w->num_outputs++;
        return EXIT_OK;
    case OPTION_FORMAT:
        w->format = a->value;
        return EXIT_OK;
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_TRUNCATED:
    case OPTION_CLIP:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_HELP:
        return set_flag(r, w, found);
    default:
        if (found >= OPTION_ROTATE && found <= OPTION_REPEAT) return read_motion(r, w, a, found);
        return read_manner(r, a, found);
    }
}

/* ---- what is allowed together ---- */

static int check_format(image_request *r, const words *w)
{
    io_message message;
    const int status =
        request_check_format(command, request_dashes(&r->output, 1), w->format != NULL);
    if (status != EXIT_OK) return status;
    r->format = w->format ? image_format_of_word(w->format) : image_format_of_name(r->output);
    if (r->format == IMAGE_NONE && w->format)
        return usage_error(command, "--format must be png, tif, nii, nii.gz or npy, not '%s'",
                           w->format);
    if (r->format == IMAGE_NONE)
        return usage_error(command, "'%s' does not end in .png, .tif, .nii, .nii.gz or .npy",
                           r->output);
    if (image_format_is_built(r->format, r->output, &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

static int check(image_request *r, const words *w)
{
    if (w->num_inputs == 0) return usage_error(command, "no image given");
    if (w->num_inputs > 1) return usage_error(command, "one image at a time");
    if (w->num_outputs == 0) return usage_error(command, "no output given: use -o OUT");
    if (w->num_outputs > 1) return usage_error(command, "--output can be given once only");
    if (request_is_among(r->output, &r->input, 1))
        return usage_error(command, "'%s' is the input too", r->output);
    if (r->quiet && r->verbose)
        return usage_error(command, "--quiet and --verbose exclude each other");
    if (r->num_affine > 0 && (w->has_rotate || r->zoom > 0 || r->num_shift > 0))
        return usage_error(command, "--affine stands alone, without --rotate, --zoom and --shift");
    if (w->has_axis && !w->has_rotate) return usage_error(command, "--axis is of --rotate");
    if (w->truncated && r->taps == 0) return usage_error(command, "--truncated is of --taps N");
    if (w->truncated) r->prefilter = CLSP_IMAGE_TRUNCATED;
    return check_format(r, w);
}

int image_request_read(image_request *r, int argc, char **argv)
{
    args a = args_start(argc, argv);
    words w = {.format = NULL};
    *r = (image_request){.repeat = 1, .axis = 2, .mode = {CLSP_IMAGE_CONSTANT}, .num_modes = 1};
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        const int status = read_argument(r, &w, &a, found);
        if (status != EXIT_OK || r->help) return status;
    }
    return check(r, &w);
}

/* Complains of a list of numbers that does not suit the image. */
static int fail_count(const image_request *r, const char *option, size_t found, size_t needed)
{
    return usage_error(command, "%s: --%s has %lu values, the image needs %lu", r->input, option,
                       (unsigned long)found, (unsigned long)needed);
}

int image_request_suits(const image_request *r, uint32_t directions)
{
    const size_t needed = directions * (directions + 1);
    if (r->rotate != 0 && directions == 1)
        return usage_error(command, "%s: --rotate needs an image of 2 or 3 directions", r->input);
    if (r->axis != 2 && directions != 3)
        return usage_error(command, "%s: --axis x and y are of volumes", r->input);
    if (r->num_shift > 0 && r->num_shift != directions)
        return fail_count(r, "shift", r->num_shift, directions);
    if (r->num_affine > 0 && r->num_affine != needed)
        return fail_count(r, "affine", r->num_affine, needed);
    if (r->num_size > 0 && r->num_size != directions)
        return fail_count(r, "size", r->num_size, directions);
    if (r->num_modes > 1 && r->num_modes != directions)
        return fail_count(r, "mode", r->num_modes, directions);
    return EXIT_OK;
}
