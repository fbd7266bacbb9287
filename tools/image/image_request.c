#include "image_request.h"

#include <float.h>
#include <string.h>

static const double MAX_NUMBER = 1e12; /* of --shift and --affine */

/* ---- values ---- */

static int read_shift(request *base, const option *o, const char *text)
{
    image_request *r = (image_request *)base;
    r->num_shift = option_numbers(text, MAX_NUMBER, r->shift, IMAGE_MAX_DIRECTIONS);
    return request_accept(base, o, text, r->num_shift > 0);
}

static int read_affine(request *base, const option *o, const char *text)
{
    image_request *r = (image_request *)base;
    const size_t num = option_numbers(text, MAX_NUMBER, r->affine, IMAGE_AFFINE_NUMBERS);
    r->num_affine = num;
    return request_accept(base, o, text, num == 2 || num == 6 || num == 12);
}

static int read_size(request *base, const option *o, const char *text)
{
    image_request *r = (image_request *)base;
    const char *rest = text;
    char word[OPTION_VALUE];
    bool valid = true;
    for (r->num_size = 0; valid && rest; r->num_size++)
        valid = r->num_size < IMAGE_MAX_DIRECTIONS && option_split(&rest, "xX", word) &&
                option_count(word, 1, 99999999, &r->size[r->num_size]);
    return request_accept(base, o, text, valid);
}

static int read_mode(request *base, const option *o, const char *text)
{
    static const clsp_image_mode modes[] = {
        CLSP_IMAGE_MIRROR,   CLSP_IMAGE_REFLECT,       CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_NEAREST,
        CLSP_IMAGE_CONSTANT, CLSP_IMAGE_GRID_CONSTANT, CLSP_IMAGE_WRAP};
    image_request *r = (image_request *)base;
    const char *rest = text;
    char word[OPTION_VALUE];
    bool valid = true;
    for (r->num_modes = 0; valid && rest; r->num_modes++) {
        valid = r->num_modes < IMAGE_MAX_DIRECTIONS && option_split(&rest, ",", word);
        if (!valid) break;
        const bool is_reflect = strcmp(word, "grid-mirror") == 0; /* SciPy's other name of it */
        const int number = option_number_of(o->words, is_reflect ? "reflect" : word, false);
        valid = number >= 0;
        if (valid) r->mode[r->num_modes] = modes[number];
    }
    return request_accept(base, o, text, valid);
}

static int read_taps(request *base, const option *o, const char *text)
{
    image_request *r = (image_request *)base;
    const bool is_exact = strcmp(text, o->words) == 0;
    r->prefilter = is_exact ? CLSP_IMAGE_RECURSIVE : CLSP_IMAGE_LEAST_SQUARES;
    r->taps = 0;
    return request_accept(base, o, text,
                          is_exact ||
                              (option_count(text, o->low, o->high, &r->taps) && r->taps % 2 == 1));
}

/* ---- checks ---- */

static int check(request *base)
{
    image_request *r = (image_request *)base;
    io_message message;
    if (r->truncated && r->taps == 0)
        return usage_error(base->command->name, "--truncated is of --taps N");
    if (r->truncated) r->prefilter = CLSP_IMAGE_TRUNCATED;
    if (request_has(base, "precision"))
        r->precision = base->precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
    r->has_type = request_has(base, "type");
    r->format = (image_format)request_format(base, base->outputs[0]);
    if (image_format_is_built(r->format, base->outputs[0], &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

/* Complains of a list of numbers that does not suit the image. */
static int fail_count(const image_request *r, const char *name, size_t found, size_t needed)
{
    return usage_error("image", "%s: --%s has %lu values, the image needs %lu", r->base.inputs[0],
                       name, (unsigned long)found, (unsigned long)needed);
}

int image_request_suits(const image_request *r, uint32_t directions)
{
    const size_t needed = directions * (directions + 1);
    const char *input = r->base.inputs[0];
    if (r->rotate != 0 && directions == 1)
        return usage_error("image", "%s: --rotate needs an image of 2 or 3 directions", input);
    if (r->axis != 2 && directions != 3)
        return usage_error("image", "%s: --axis x and y are of volumes", input);
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

/* ---- the table ---- */

static const option options[] = {
    OPTION_OUTPUT("where to write, .png, .tif, .nii, .nii.gz or .npy; - is standard output", false),
    OPTION_FORMAT("png tif nii nii.gz npy"),
    {"rotate", 'r', "DEG", "turn by so many degrees, counterclockwise as a picture is seen",
     OPTION_NUMBER(image_request, rotate, -1e9, 1e9), .must = "a number of degrees"},
    {"axis", 0, "A", "axis to rotate about, of volumes: @; default z",
     OPTION_WORD(image_request, axis, "x y z"), .needs = "rotate"},
    {"zoom", 'z', "F", "F times the size, @", OPTION_NUMBER(image_request, zoom, 1e-6, 1e6),
     .must = "a number from 1e-6 to 1e6"},
    {"shift", 's', "X,Y[,Z]", "move to the right and down, in samples of the output",
     .read = read_shift, .must = "X,Y or X,Y,Z"},
    {"affine", 0, "A,B,..",
     "instead of these: samples of OUT lie at coordinates of IN that are A x + B y + C, "
     "D x + E y + F (of volumes 12 numbers likewise)",
     .read = read_affine, .must = "6 numbers separated by commas, of volumes 12",
     .excludes = "rotate zoom shift"},
    {"size", 0, "WxH[xD]", "the size of OUT; default IN's, times F", .read = read_size,
     .must = "as 640x480, of volumes as 64x64x32"},
    {"repeat", 'n', "N", "do it N times, each time from the result before; default 1",
     OPTION_COUNT(image_request, repeat, 1, 1000000)},
    {"order", 0, "P", "order of the splines, @; default 3, 1 is linear, 0 takes the nearest sample",
     OPTION_COUNT(image_request, order, 0, 5), .words = "0 1 2 3 4 5", .must = "0 to 5"},
    {"mode", 'm', "M[,M[,M]]",
     "beyond the edges, along x, y, z or alike: mirror, reflect, grid-wrap, nearest, constant (the "
     "default), grid-constant, wrap, as scipy.ndimage has them",
     .read = read_mode, .words = "mirror reflect grid-wrap nearest constant grid-constant wrap",
     .must = "mirror, reflect, grid-wrap, nearest, constant, grid-constant or wrap, or some of "
             "them separated by commas"},
    {"cval", 0, "V",
     "value outside of the image: in the modes constant and grid-constant; default 0, may be nan",
     OPTION_NUMBER(image_request, cval, -DBL_MAX, DBL_MAX), .words = "nan",
     .must = "a number or nan"},
    {"taps", 0, "N", "prefilter by N taps, odd, 3 to 127; default exact, recursively",
     .read = read_taps, .low = 3, .high = CLSP_IMAGE_MAX_TAPS, .words = "exact",
     .must = "exact or an odd number from 3 to 127"},
    {"truncated", 0, NULL, "taps that are cut off rather than of least squares",
     OPTION_FLAG(image_request, truncated), .needs = "taps"},
    {"clip", 0, NULL, "keep within the range of IN's samples", OPTION_FLAG(image_request, clip)},
    {"type", 0, "T", "type of OUT's samples: @; default of IN's",
     OPTION_WORD(image_request, type, "u8 u16 s16 f32 f64")},
    {"directions", 0, "D",
     "directions of an .npy array, 1 to 3; a further axis is that of channels",
     OPTION_COUNT(image_request, directions, 1, IMAGE_MAX_DIRECTIONS), .words = "1 2 3",
     .must = "1, 2 or 3"},
    OPTION_PRECISION(
        "numbers to compute with: @; f64 is the default for f64 images, and needs a device with "
        "fp64"),
    OPTION_ROWS(request_device),
    OPTION_ROWS(request_messages),
    OPTION_ROWS(request_help),
    OPTION_END};

static const char *const examples[] = {
    "clspline image photo.png -o turned.png --rotate 10",
    "clspline image scan.nii.gz -o large.nii.gz --zoom 2 --device gpu",
    "clspline image photo.png -o worn.tif --rotate 10 --repeat 36 --taps 15 --type f32",
    "curl -s https://example.org/a.png | clspline image - -o - -f png -z 0.5 > half.png", NULL};

static const image_request defaults = {
    .repeat = 1, .axis = 2, .order = 3, .mode = {CLSP_IMAGE_CONSTANT}, .num_modes = 1};

const subcommand command_image = {
    .name = "image",
    .summary = "turn, scale and move an image or a volume",
    .usage = "IN -o OUT [options]",
    .about =
        "Turns, scales and moves an image or a volume, by cubic B-spline interpolation unless told "
        "otherwise. PNG (8 and 16 bit), TIFF (8 and 16 bit, f32, f64; several pages are a volume), "
        "NIfTI-1 (.nii, .nii.gz) and NumPy's .npy are read and written; the ending of OUT chooses. "
        "Whatever is combined of --zoom, --rotate and --shift, in this order, is done in one step, "
        "about the middle of the image.",
    .options = options,
    .examples = examples,
    .result = "the image turned by 10 degrees; --zoom scales and --shift moves it, volumes too",
    .input = "image",
    .endings = "png tif tiff nii nii.gz npy",
    .one_input = true,
    .request_bytes = sizeof(image_request),
    .defaults = &defaults,
    .check = check,
    .run = image_run};
