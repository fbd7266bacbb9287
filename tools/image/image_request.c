#include "image_request.h"

#include <float.h>
#include <string.h>

#include "image_labels.h"

static bool read_taps(void *place, const option *o, const char *text)
{
    image_request *r = place;
    const bool is_exact = strcmp(text, o->words) == 0;
    r->prefilter = is_exact ? CLSP_IMAGE_RECURSIVE : CLSP_IMAGE_LEAST_SQUARES;
    r->taps = 0;
    return is_exact || (option_read_count(&r->taps, o, text) && r->taps % 2 == 1);
}

/* Tells whether a mode that was given takes --cval. */
static bool has_constant_mode(const image_request *r)
{
    for (size_t i = 0; i < r->mode.num; i++)
        if (r->mode.values[i] == IMAGE_MODE_CONSTANT ||
            r->mode.values[i] == IMAGE_MODE_GRID_CONSTANT)
            return true;
    return false;
}

static int check(request *base)
{
    image_request *r = (image_request *)base;
    io_message message;
    if (r->truncated && r->taps == 0)
        return usage_error(base->command->name, "--truncated is of --taps N");
    if (r->truncated) r->prefilter = CLSP_IMAGE_TRUNCATED;
    if (r->taps > 0 && r->order < 2)
        return usage_error(base->command->name,
                           "--taps is of --order 2 and above, others have no prefilter");
    if (request_has(base, "cval") && r->mode.num > 0 && !has_constant_mode(r))
        return usage_error(base->command->name, "--cval is of --mode constant and grid-constant");
    if (request_has(base, "precision"))
        r->precision = base->precision == MESH_F32 ? CLSP_F32 : CLSP_F64;
    r->has_type = request_has(base, "type");
    r->has_alpha = request_has(base, "alpha");
    r->format = (image_format)request_format(base, base->outputs[0]);
    if (base->num_parts > 0 && !image_format_has_places(r->format))
        return usage_error(base->command->name,
                           "--part: '%s' cannot be written in parts, .npy, .nii and .tif can",
                           base->outputs[0]);
    if (image_format_is_built(r->format, base->outputs[0], &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

/* Complains of a list of numbers that does not suit the image. */
static int fail_count(const image_request *r, const char *name, size_t found, size_t needed)
{
    return usage_error(r->base.command->name, "%s: --%s has %lu values, the image needs %lu",
                       r->base.inputs[0], name, (unsigned long)found, (unsigned long)needed);
}

int image_request_suits(const image_request *r, const image_array *a)
{
    const uint32_t directions = a->directions;
    const size_t needed = directions * (directions + 1);
    const char *input = r->base.inputs[0];
    if (r->rotate != 0 && directions == 1)
        return usage_error(r->base.command->name,
                           "%s: --rotate needs an image of 2 or 3 directions", input);
    if (r->axis != 2 && directions != 3)
        return usage_error(r->base.command->name, "%s: --axis x and y are of volumes", input);
    if (r->shift.num > 0 && r->shift.num != directions)
        return fail_count(r, "shift", r->shift.num, directions);
    if (r->affine.num > 0 && r->affine.num != needed)
        return fail_count(r, "affine", r->affine.num, needed);
    if (r->spacing.num > 1 && r->spacing.num != directions)
        return fail_count(r, "spacing", r->spacing.num, directions);
    for (uint32_t i = 0; r->spacing.num > 0 && i < directions; i++)
        if (!(a->place.spacing[i] > 0)) {
            complain("%s: --spacing: the file does not say how far apart its samples are", input);
            return EXIT_FAILED;
        }
    if (r->clip && image_labels_are(r, a)) {
        complain("%s: --clip: whole numbers of 32 and 64 bits are taken as they are by order 0",
                 input);
        return EXIT_FAILED;
    }
    if (r->size.num > 0 && r->size.num != directions)
        return fail_count(r, "size", r->size.num, directions);
    if (r->mode.num > 1 && r->mode.num != directions)
        return fail_count(r, "mode", r->mode.num, directions);
    return EXIT_OK;
}

/* ---- rows ---- */

static const option output_rows[] = {
    {OPTION_OUTPUT(
        "where to write, .png, .jpg, .tif, .nii, .nii.gz or .npy; - is standard output")},
    {OPTION_FORMAT("png tif nii nii.gz npy jpg")},
    {.name = NULL}};

static const option type_rows[] = {
    {"type", 0, "T", "type of OUT's samples: @; default of IN's",
     OPTION_WORD(image_request, type, "u8 u16 s16 u32 s32 u64 s64 f32 f64")},
    {"quality", 0, "Q", "of a JPEG, @; default 90", OPTION_COUNT(image_request, quality, 1, 100),
     .formats = "jpg"},
    {"directions", 0, "D",
     "directions of an .npy array, 1 to 3; a further axis is that of channels",
     OPTION_COUNT(image_request, directions, 1, IMAGE_MAX_DIRECTIONS), .words = "1 2 3",
     .must = "1, 2 or 3"},
    {OPTION_PRECISION(
        "f64 is the default for images of f64 and of whole numbers of 32 and 64 bits, save "
        "by order 0, and needs a device with fp64")},
    {.name = NULL}};

static const option options[] = {
    {.rows = output_rows},
    {"rotate", 'r', "DEG", "turn by so many degrees, counterclockwise as a picture is seen",
     OPTION_NUMBER(image_request, rotate, -1e9, 1e9), .must = "a number of degrees"},
    {"axis", 0, "A", "axis to rotate about, of volumes: @; default z",
     OPTION_WORD(image_request, axis, "x y z"), .needs = "rotate"},
    {"fit", 0, NULL, "make OUT so large that all of the turned image is in it",
     OPTION_FLAG(image_request, fit), .needs = "rotate", .excludes = "size shift"},
    {"scale", 0, "F", "F times the size, @", OPTION_NUMBER(image_request, scale, 1e-6, 1e6),
     .must = "a number from 1e-6 to 1e6"},
    {"spacing", 0, "X[,Y[,Z]]",
     "make the distance between samples so long, in the unit of IN: millimeters of PNG, TIFF and "
     "JPEG",
     OPTION_LIST(image_request, spacing, ",", 1 << 1 | 1 << 2 | 1 << 3), .low = 1e-12, .high = 1e12,
     .must = "a length, or X,Y or X,Y,Z", .excludes = "scale affine"},
    {"shift", 's', "X,Y[,Z]", "move to the right and down, in samples of the output",
     OPTION_LIST(image_request, shift, ",", 1 << 1 | 1 << 2 | 1 << 3), .low = -1e12, .high = 1e12,
     .must = "X,Y or X,Y,Z"},
    {"affine", 0, "A,B,..",
     "instead of these: samples of OUT lie at coordinates of IN that are A x + B y + C, "
     "D x + E y + F (of volumes 12 numbers likewise)",
     OPTION_LIST(image_request, affine, ",", 1 << 2 | 1 << 6 | 1 << 12), .low = -1e12, .high = 1e12,
     .must = "6 numbers separated by commas, of volumes 12",
     .excludes = "rotate scale shift spacing"},
    {"size", 0, "WxH[xD]", "the size of OUT; default IN's, times F",
     OPTION_LIST(image_request, size, "xX", 1 << 1 | 1 << 2 | 1 << 3), .low = 1, .high = 99999999,
     .must = "as 640x480, of volumes as 64x64x32"},
    {"repeat", 0, "N", "do it N times, each time from the result before; default 1",
     OPTION_COUNT(image_request, repeat, 1, 1000000)},
    {"order", 0, "P", "order of the splines, @; default 3, 1 is linear, 0 takes the nearest sample",
     OPTION_COUNT(image_request, order, 0, 7), .words = "0 1 2 3 4 5 6 7", .must = "0 to 7"},
    {"mode", 'm', "M[,M[,M]]",
     "beyond the edges, along x, y, z or alike: mirror, reflect, grid-wrap, nearest, constant, "
     "grid-constant, wrap, as scipy.ndimage has them; default reflect where nothing lies further "
     "out than half a sample, else constant",
     OPTION_LIST(image_request, mode, ",", 1 << 1 | 1 << 2 | 1 << 3), .words = IMAGE_MODES,
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
    {"fetch", 0, "HOW",
     "the device makes values from @: its image objects, texel by texel or by their linear "
     "interpolation, which has 8 bits on GPUs; of --order 3, f32 and one channel, without "
     "--cooperate; default buffers",
     OPTION_WORD(image_request, fetch, "buffers texels lerps")},
    {"alpha", 0, "HOW",
     "colours are weighted by alpha, so that what is transparent gives none, or straight, each "
     "channel by itself: @; default weighted where IN or OUT has alpha",
     OPTION_WORD(image_request, alpha, "weighted straight")},
    {.rows = type_rows},
    {.rows = request_device},
    {.rows = request_sharing},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline image photo.png -o turned.png --rotate 10",
    "clspline image scan.nii.gz -o large.nii.gz --scale 2 --device gpu",
    "clspline image scan.nii.gz -o even.nii.gz --spacing 1",
    "clspline image scan.nii.gz -o fine.nii.gz --scale 2 --cooperate auto --report",
    "clspline image photo.png -o worn.tif --rotate 10 --repeat 36 --taps 15 --type f32",
    "curl -s https://example.org/a.png | clspline image - -o - -f png --scale 0.5 > half.png",
    NULL};

static const image_request defaults = {.repeat = 1, .axis = 2, .order = 3};

#define IMAGE_SUBCOMMAND                                                                           \
    .kinds = FILE_IMAGE, .input = "image",                                                         \
    .endings = "png jpg jpeg tif tiff nii nii.gz hdr img "                                         \
               "npy",                                                                              \
    .one_input = true, .request_bytes = sizeof(image_request), .check = check, .run = image_run

const subcommand command_image = {
    .name = "image",
    .summary = "turn, scale and move an image or a volume",
    .usage = "IN -o OUT [options]",
    .about =
        "Turns, scales and moves an image or a volume, by cubic B-spline interpolation unless told "
        "otherwise. PNG (8 and 16 bit), TIFF (8 and 16 bit, f32, f64; several pages are a volume), "
        "NIfTI (.nii, .nii.gz), JPEG and NumPy's .npy are read and written; the ending of OUT "
        "chooses. Whatever is combined of --scale, --rotate and "
        "--shift, "
        "in this order, is done in "
        "one step, about the middle of the image.",
    .options = options,
    .examples = examples,
    .result = "the image turned by 10 degrees; --scale scales and --shift moves it, volumes too",
    .defaults = &defaults,
    IMAGE_SUBCOMMAND};

static const option convert_options[] = {{.rows = output_rows},
                                         {.rows = type_rows},
                                         {.rows = request_device},
                                         {.rows = request_report},
                                         {.rows = request_messages},
                                         {.rows = request_help},
                                         {.name = NULL}};

static const char *const convert_examples[] = {"clspline convert scan.nii.gz -o scan.tif",
                                               "clspline convert photo.png -o photo.npy --type f32",
                                               NULL};

/* Samples are taken as they are: the order 0 does that. */
static const image_request convert_defaults = {.repeat = 1, .axis = 2};

const subcommand command_convert_image = {
    .name = "convert",
    .of = "an image",
    .summary = "write an image in another format",
    .usage = "IN -o OUT.{png,jpg,tif,nii,nii.gz,npy} [options]",
    .about = "Of an image or a volume: the same samples, in another format or type.",
    .options = convert_options,
    .examples = convert_examples,
    .result = "the image in another format",
    .defaults = &convert_defaults,
    IMAGE_SUBCOMMAND};
