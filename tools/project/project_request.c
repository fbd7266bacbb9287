#include "project_request.h"

#include <float.h>
#include <string.h>

static int check_picture(request *base)
{
    project_request *r = (project_request *)base;
    if (r->picture.range.num > 0 && !r->histogram && !request_makes(base, "png ply"))
        return usage_error(base->command->name,
                           "--range needs an output in .png or .ply, or --histogram");
    r->picture.colors = r->is_signed ? COLORING_SIGNED : COLORING_DATA;
    return picture_request_check(base);
}

bool project_request_judges(const project_request *r)
{
    return r->invert || (r->tolerance.value > 0 && r->opts.method != CLSP_NEAREST_MREP);
}

static int check(request *base)
{
    const project_request *r = (const project_request *)base;
    const bool by_cubics = r->opts.method == CLSP_NEAREST_MREP;
    const char *name = base->command->name;
    if (base->sharing.cooperate && by_cubics)
        return usage_error(name, "--cooperate is of --method exact");
    if (base->num_parts > 0 && base->num_outputs > 0 &&
        request_format(base, base->outputs[0]) != PROJECT_NPY)
        return usage_error(name, "--part: '%s' cannot be written in parts, .npy can",
                           base->outputs[0]);
    if (base->json && base->num_outputs > 0 && strcmp(base->outputs[0], "-") == 0)
        return usage_error(name, "--json goes to standard output, as -o - does");
    if (r->opts.num_nearest > 1 && by_cubics)
        return usage_error(name, "--count is of --method exact");
    return check_picture(base);
}

static const option options[] = {
    {OPTION_OUTPUT(
        "where to write; the ending chooses CSV, .npy, an array of records for NumPy, a PNG "
        "picture, or .ply, the points coloured by their distances; - is standard output")},
    {OPTION_FORMAT("csv npy png ply")},
    {"tolerance", 't', "E",
     "points further away than this get the status off; if there are any, or any without a result, "
     "the exit status is 3. A length in the file's units, or E% of the diagonal of the box around "
     "the model",
     OPTION_LENGTH(project_request, tolerance, "%"), .must = "a number above 0, alone or with %"},
    {"invert", 'i', NULL,
     "the points lie on the model, and their parameters are wanted: as --tolerance, by default "
     "1e-3%",
     OPTION_FLAG(project_request, invert)},
    {OPTION_COLUMNS(project_request, columns)},
    {"max-dist", 'm', "D", "look no further than this",
     OPTION_NUMBER(project_request, opts.max_dist, DBL_MIN, DBL_MAX), .must = "a number above 0"},
    {"count", 'k', "K", "the K nearest local minima of the distance, @; default 1",
     OPTION_COUNT(project_request, opts.num_nearest, 1, CLSP_NEAREST_MAX_RESULTS)},
    {OPTION_OF_METHODS(
        "method", 0, "M",
        "@: exact is the default, mrep works by cubic pieces, on one device. --tolerance then says "
        "how far these may be from the curves, by default 1e-2%, and points are judged with "
        "--invert alone",
        OPTION_WORD(project_request, opts.method, "exact mrep"), .low = CLSP_NEAREST_EXACT)},
    {"signed", 's', NULL,
     "distances have a sign, that of the side of the surface: above 0 where u x v, the normal, "
     "points, which comes along; nan where the side is open, as beside edges and creases, the "
     "bound being the distance there. Colours are about 0",
     OPTION_FLAG(project_request, is_signed)},
    {"unit", 0, "U",
     "the points are in @, default mm, and a CAD file's model, with all that comes out, is in mm",
     OPTION_WORD(project_request, unit, LENGTH_UNITS)},
    {.rows = request_only},
    {"json", 0, NULL,
     "print as JSON on standard output how many points have each status, and the least, mean, root "
     "mean "
     "square, median, 95th and 99th percentile and greatest of the distances",
     OPTION_FLAG(request, json)},
    {"histogram", 0, NULL, "on standard error, how many points have which distance",
     OPTION_FLAG(project_request, histogram)},
    {"by-face", 0, NULL,
     "of each face, or other curve or surface, the points that are nearest to it and their least, "
     "mean, root mean square and greatest distance: on standard error, or in the JSON of --json, "
     "which has all that it has of all",
     OPTION_FLAG(project_request, by_face)},
    {OPTION_PRECISION("f32 is the default, f64 needs fp64")},
    {.rows = request_device},
    {.group = "pictures"},
    {OPTION_PICTURE_RANGE("distances at the ends of the colours, and of --histogram; default the "
                          "least and the greatest")},
    {OPTION_BAR},
    {OPTION_COLORMAP("png ply")},
    {.rows = request_camera},
    {.rows = request_background},
    {OPTION_PICTURE_SIZE},
    {.rows = request_sharing},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline project curves.g2 points.csv -o nearest.csv",
    "clspline project teapot.bv scan.ply -o deviation.png --bar --range 0,0.1",
    "clspline project part.step scan.ply -o colored.ply --signed --tolerance 0.05 --json",
    "clspline project a.g2 b.json points.npy -o nearest.npy --max-dist 0.5 --precision f64",
    "clspline project curves.g2 samples.npy -o parameters.npy --invert --tolerance 1e-4",
    "clspline project curves.g2 scan.csv -o nearest.csv --columns east,north,height",
    "gunzip -c cloud.xyz.gz | clspline project curves.g2 - -o - -f csv | head",
    NULL};

static const project_request defaults = {.base = {.precision = MESH_F32},
                                         .picture = PICTURE_OPTIONS_DEFAULT,
                                         .unit = LENGTH_MM,
                                         .opts = {.method = CLSP_NEAREST_EXACT, .num_nearest = 1}};

const subcommand command_project = {
    .name = "project",
    .summary = "find the nearest points of curves and surfaces to points, and their parameters",
    .usage = "MODEL ... POINTS -o OUT.{csv,npy,png,ply} [options]",
    .about =
        "Finds for each point the nearest point of all curves and surfaces. MODEL are .g2 files, "
        "JSON in the layout of geomdl, STEP, IGES, BREP or .bv files; faces of CAD files end with "
        "their loops. POINTS is CSV "
        "with a point a line, an .npy array of shape (N, DIM), an .xyz file or the vertices of a "
        "PLY file; a heading of CSV decides on its columns. One of them may be -, for standard "
        "input. Any number of points will do.\n"
        "\n"
        "A row of the result: number of the point and of its curve or surface, from 0, the "
        "parameter, where there are surfaces u and v (of a curve 0), the nearest point, the "
        "distance, a bound (no point of the model is nearer than that), of CAD "
        "files the edge that the nearest point is on, -1 within a face, and its tolerance, and a "
        "status: found, cut "
        "(the search ended before all was certain), none (nothing within --max-dist), invalid (a "
        "point that is not finite), off (see --tolerance). A picture shows the model and the "
        "points, coloured by their distances; .ply has the points alone, with their colours and "
        "distances.",
    .options = options,
    .examples = examples,
    .result = "of each point the nearest point of the model, its parameters and the distance",
    .kinds = FILE_PATCHES | FILE_SPLINES,
    .input = "file of curves or surfaces",
    .second = "file of points",
    .endings = "g2 json igs iges step stp brep bv csv npy xyz ply",
    .request_bytes = sizeof(project_request),
    .defaults = &defaults,
    .check = check,
    .run = project_run};
