#include "view_request.h"

#include <string.h>
#include <strings.h>

/* Refuses colours that are not shown: in a picture, for a window can change to them. */
static int check_shown(const view_request *r)
{
    static const char *const colors[] = {"range", "colormap", "bar"};
    const request *base = &r->base;
    const char *name = base->command->name;
    const bool has_picture = base->num_outputs > 0;
    if (r->picture.view.no_background && !has_picture)
        return usage_error(name, "--no-background needs --output");
    for (size_t i = 0; has_picture && i < sizeof(colors) / sizeof(colors[0]); i++)
        if (request_has(base, colors[i]) && r->picture.colors < COLORING_MEAN)
            return usage_error(name, "--%s is of --colors mean, gauss, distance or data",
                               colors[i]);
    if (r->array && has_picture && r->picture.colors != COLORING_DATA)
        return usage_error(name, "--array is of --colors data");
    return EXIT_OK;
}

static int check(request *base)
{
    const char *name = base->command->name;
    if (base->num_outputs > 1) return usage_error(name, "--output can be given once only");
    const char *path = base->num_outputs > 0 ? base->outputs[0] : "-";
    const size_t length = strlen(path);
    if (strcmp(path, "-") != 0 && (length < 4 || strcasecmp(path + length - 4, ".png") != 0))
        return usage_error(name, "'%s' does not end in .png", path);
    const int status = check_shown((const view_request *)base);
    return status == EXIT_OK ? picture_request_check(base) : status;
}

static const option options[] = {
    {OPTION_OUTPUT("draw a PNG picture instead of opening a window; - is standard output")},
    {OPTION_PICTURE_SIZE},
    {"samples", 'n', "N",
     "points along each direction of a patch, @; default as many as keep triangles within a "
     "quarter "
     "of a pixel",
     OPTION_COUNT(view_request, samples, 2, 1025)},
    {.rows = request_only},
    {.rows = request_device},
    {.group = "pictures"},
    {.rows = request_camera},
    {OPTION_NO_BACKGROUND},
    {.group = "what is shown"},
    {OPTION_COLORS("what colours tell: @; mean is half the sum of the principal curvatures, gauss "
                   "their product, data a number of a solid's file; default plain, of CAD files "
                   "their own colours",
                   COLORING_WORDS " data")},
    {OPTION_DISTANCE_TO("of --colors distance", view_request, picture.distance_to)},
    {"array", 0, "NAME", "which data of a solid's points or cells; default the first",
     OPTION_TEXT(view_request, array)},
    {OPTION_PICTURE_RANGE("values at the ends of the colours; default those of the data, of "
                          "curvatures about 0 with 98 in 100 of the values")},
    {OPTION_BAR},
    {OPTION_COLORMAP("png")},
    {OPTION_PICTURE_EDGES("dark lines along the edges of patches or cells")},
    {"wireframe", 0, NULL, "show the lines between samples", OPTION_FLAG(view_request, wireframe)},
    {"control-points", 0, NULL, "show control points", OPTION_FLAG(view_request, controls)},
    {"zebra", 0, NULL, "show stripes, which break where normals do",
     OPTION_FLAG(view_request, zebra)},
    {"crease-angle", 0, "A",
     "of solids: keep edges of the boundary sharp whose faces' normals are more than A degrees "
     "apart",
     OPTION_NUMBER(view_request, crease_angle, 0, 180), .must = "0 to 180 degrees"},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline view teapot.bv", "clspline view teapot.bv --output teapot.png --colors gauss --bar",
    "clspline view vase.json --edges --control-points",
    "clspline view part.vtu --colors data --array density --bar", NULL};

static const view_request defaults = {.picture = PICTURE_OPTIONS_DEFAULT, .crease_angle = -1};

const subcommand command_view = {
    .name = "view",
    .summary = "look at patches, splines and solids in a window, or draw them by OpenGL",
    .usage = "IN [options]\nIN --output OUT.png [options]",
    .about =
        "Shows Bezier patches (.bv), B-splines (.g2, .json, .igs, .step) and solids (.vtk, .vtu, "
        ".mesh, .meshb, "
        ".msh) in a window, whose control points can be dragged, or draws a picture without one. "
        "Several files of one kind are shown together. The program clspline-view does it, which "
        "must stand beside clspline or on PATH; 'clspline eval IN -o OUT.png' draws pictures "
        "without it.\n"
        "In the window: left drag turns, middle drag moves, wheel or right drag zooms, H lists the "
        "keys.\n"
        "Exit status: 0 done, 1 failed (also: no display, no OpenGL, nothing to draw), 2 wrong "
        "usage.",
    .options = options,
    .examples = examples,
    .result = "a window with the model; --output OUT.png: a picture of it",
    .kinds = FILE_PATCHES | FILE_SPLINES | FILE_CELLS,
    .input = "input file",
    .endings = "bv g2 json igs iges step stp brep vtk vtu mesh meshb msh",
    .request_bytes = sizeof(view_request),
    .defaults = &defaults,
    .check = check,
    .run = view_run};
