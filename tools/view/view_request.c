#include "view_request.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "picture_request.h"

#define DEGREES(member, from, to)                                                                  \
    .read = read_degrees, .low = from, .high = to, .must = #from " to " #to " degrees",            \
    OPTION_PLACE(view_request, member, double)

static bool read_degrees(void *place, const option *o, const char *text)
{
    static const double degree = 3.14159265358979323846 / 180; /* in radians */
    double degrees = 0;
    const bool valid = option_number(text, o->low, o->high, &degrees);
    *(double *)place = degrees * degree;
    return valid;
}

/* Refuses colours that are not shown: in a picture, for a window can change to them. */
static int check_shown(const view_request *r)
{
    static const char *const colors[] = {"range", "colormap", "bar"};
    const request *base = &r->base;
    const char *name = base->command->name;
    const bool has_picture = base->num_outputs > 0;
    if (r->no_background && !has_picture)
        return usage_error(name, "--no-background needs --output");
    for (size_t i = 0; has_picture && i < sizeof(colors) / sizeof(colors[0]); i++)
        if (request_has(base, colors[i]) && r->coloring < COLORING_MEAN)
            return usage_error(name, "--%s is of --coloring mean, gauss, distance or data",
                               colors[i]);
    if (r->array && has_picture && r->coloring != COLORING_DATA)
        return usage_error(name, "--array is of --coloring data");
    if (!has_picture && r->coloring != COLORING_DISTANCE) return EXIT_OK;
    return picture_request_distances(base, r->coloring, r->distance_to);
}

static int check(request *base)
{
    view_request *r = (view_request *)base;
    const char *name = base->command->name;
    if (base->num_outputs > 1) return usage_error(name, "--output can be given once only");
    const char *path = base->num_outputs > 0 ? base->outputs[0] : "-";
    const size_t length = strlen(path);
    if (strcmp(path, "-") != 0 && (length < 4 || strcasecmp(path + length - 4, ".png") != 0))
        return usage_error(name, "'%s' does not end in .png", path);
    if (r->range.num > 0 && !(r->range.values[0] < r->range.values[1]))
        return usage_error(name, "--range must be LO,HI with LO below HI");
    if (r->resolution.num > 0) {
        r->width = (int)r->resolution.values[0];
        r->height = (int)r->resolution.values[1];
    }
    const int status = check_shown(r);
    if (status != EXIT_OK) return status;
    r->camera.has_direction = r->direction.num > 0;
    for (size_t k = 0; k < r->direction.num; k++)
        r->camera.direction[k] = r->direction.values[k];
    const double *d = r->camera.direction;
    if (r->camera.has_direction && d[0] == 0 && d[1] == 0 && d[2] == 0)
        return usage_error(name, "--camera-direction must have a length");
    return EXIT_OK;
}

static const option options[] = {
    {OPTION_OUTPUT("draw a PNG picture instead of opening a window; - is standard output")},
    {"resolution", 0, "W,H", "pixels of the picture or the window; default 1200,900",
     OPTION_LIST(view_request, resolution, ",xX", 1 << 2), .low = 1, .high = 8192,
     .must = "WIDTH,HEIGHT, each 1 to 8192"},
    {"samples", 'n', "N",
     "points along each direction of a patch, @; default as many as keep triangles within a "
     "quarter "
     "of a pixel",
     OPTION_COUNT(view_request, samples, 2, 1025)},
    {.rows = request_device},
    {.group = "the camera"},
    {OPTION_UP(view_request, camera)},
    {"camera-direction", 0, "X,Y,Z", "look in this direction; default from three quarters above",
     OPTION_LIST(view_request, direction, ",", 1 << 3), .low = -1e30, .high = 1e30,
     .must = "three numbers, as 0,0,-1"},
    {"camera-zoom-factor", 0, "Z", "how much larger than what fills the picture, @; default 1",
     OPTION_NUMBER(view_request, camera.zoom, 0.01, 100)},
    {"camera-azimuth-angle", 0, "DEG", "then go around the model to the right, @",
     DEGREES(turn, -360, 360)},
    {"camera-elevation-angle", 0, "DEG", "then go up, @", DEGREES(tilt, -180, 180)},
    {"camera-orthographic", 0, NULL, "no perspective",
     OPTION_FLAG(view_request, camera.orthographic)},
    {.group = "what is shown"},
    {"coloring", 0, "HOW",
     "what colours tell: @; mean and gauss are curvatures, data is a number of a solid's file",
     OPTION_WORD(view_request, coloring, COLORING_WORDS " data")},
    {OPTION_DISTANCE_TO("of --coloring distance", view_request, distance_to)},
    {"array", 0, "NAME", "which data of a solid's points or cells; default the first",
     OPTION_TEXT(view_request, array)},
    {"range", 0, "LO,HI",
     "values at the ends of the colours; default those of the data, of curvatures about 0 with 98 "
     "in 100 of the values",
     OPTION_LIST(view_request, range, ",", 1 << 2), .low = -1e30, .high = 1e30,
     .must = "LO,HI with LO below HI"},
    {"colormap", 0, "MAP",
     "colours from the least value to the greatest: @; auto is diverging for curvature, else "
     "viridis",
     OPTION_WORD(view_request, map, COLOR_MAP_WORDS)},
    {"bar", 'b', NULL, "show which value has which colour", OPTION_FLAG(view_request, bar)},
    {"edges", 'e', NULL, "show the edges of patches or cells", OPTION_FLAG(view_request, edges)},
    {"wireframe", 0, NULL, "show the lines between samples", OPTION_FLAG(view_request, wireframe)},
    {"control-points", 0, NULL, "show control points", OPTION_FLAG(view_request, controls)},
    {"zebra", 0, NULL, "show stripes, which break where normals do",
     OPTION_FLAG(view_request, zebra)},
    {"no-background", 0, NULL, "a picture that is transparent beside the model",
     OPTION_FLAG(view_request, no_background)},
    {"crease-angle", 0, "A",
     "of solids: keep edges of the boundary sharp whose faces' normals are more than A degrees "
     "apart",
     OPTION_NUMBER(view_request, crease_angle, 0, 180), .must = "0 to 180 degrees"},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline view teapot.bv", "clspline view teapot.bv --output teapot.png --coloring gauss --bar",
    "clspline view vase.json --edges --control-points",
    "clspline view part.vtu --coloring data --array density --bar", NULL};

static const view_request defaults = {.camera = CAMERA_VIEW_DEFAULT, .crease_angle = -1};

const subcommand command_view = {
    .name = "view",
    .summary = "look at patches, splines and solids in a window, or draw them by OpenGL",
    .usage = "IN [options]\nIN --output OUT.png [options]",
    .about =
        "Shows Bezier patches (.bv), B-splines (.g2, .json, .igs, .step) and solids (.vtk, .vtu, "
        ".mesh, .meshb, "
        ".msh) in a window, whose control points can be dragged, or draws a picture without one. "
        "Several files of one kind are shown together. The program clspline-view does it, which "
        "must stand beside clspline or on PATH; 'clspline bezier IN -o OUT.png' draws pictures "
        "without it.\n"
        "In the window: left drag turns, middle drag moves, wheel or right drag zooms, H lists the "
        "keys.\n"
        "Exit status: 0 done, 1 failed (also: no display, no OpenGL, nothing to draw), 2 wrong "
        "usage.",
    .options = options,
    .examples = examples,
    .result = "a window with the model; --output OUT.png: a picture of it",
    .input = "input file",
    .endings = "bv g2 json igs iges step stp vtk vtu mesh meshb msh",
    .request_bytes = sizeof(view_request),
    .defaults = &defaults,
    .check = check,
    .run = view_run};
