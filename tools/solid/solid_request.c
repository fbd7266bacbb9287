#include "solid_request.h"

#include <math.h>
#include <string.h>

/* Reads the axis that a plane's text begins with, as in z=1.5. */
static bool read_axis(uint32_t *axis, const option *o, const char *text)
{
    const char head[] = {text[0], text[0] ? text[1] : 0, 0};
    const int number = option_number_of(o->words, head, false);
    *axis = (uint32_t)number;
    return number >= 0;
}

static bool read_cut(void *place, const option *o, const char *text)
{
    solid_request *r = place;
    r->cuts = read_axis(&r->cut_axis, o, text);
    return r->cuts && option_number(text + 2, -1e30, 1e30, &r->cut_height);
}

/* Reads z=H, or z=A:B:STEP. */
static bool read_at(void *place, const option *o, const char *text)
{
    solid_request *r = place;
    char word[OPTION_WORD_BYTES];
    double value[3];
    size_t num = 0;
    r->slices = read_axis(&r->axis, o, text);
    for (const char *rest = r->slices ? text + 2 : NULL; rest; num++)
        if (num == 3 || !option_split(&rest, ":", word) ||
            !option_number(word, -1e30, 1e30, &value[num]))
            return false;
    r->height = value[0];
    r->planes = 1;
    r->is_stack = num == 3;
    if (!r->is_stack) return num == 1;
    const double planes = floor((value[1] - value[0]) / value[2] + 1e-6) + 1;
    if (!(value[2] > 0) || !(planes >= 1 && planes <= SOLID_MAX_PLANES)) return false;
    r->step = value[2];
    r->planes = (size_t)planes;
    return true;
}

bool solid_request_has_cells(const solid_request *r, const char *path)
{
    return request_format(&r->base, path) == SOLID_VTU;
}

bool solid_request_shows_data(const solid_request *r)
{
    return (r->array || (r->cuts && r->picture.distance_to)) && request_makes(&r->base, "png");
}

/* Refuses parts of all but cells, whose places in the file are known. */
static int check_parts(const solid_request *r)
{
    const char *name = r->base.command->name;
    if (r->base.num_outputs != 1) return usage_error(name, "--part: of one output at a time");
    const char *path = r->base.outputs[0];
    if (solid_request_has_cells(r, path)) return EXIT_OK;
    return usage_error(name, "--part: '%s' cannot be written in parts, .vtu can", path);
}

/* Checks what is made of the mesh's own kind, cells and their boundary. */
static int check_solid(solid_request *r)
{
    request *base = &r->base;
    const char *name = base->command->name;
    for (size_t i = 0; r->classes && i < base->num_outputs; i++)
        if (strcmp(base->outputs[i], "-") == 0)
            return usage_error(name, "--classes and -o - both write to standard output");
    r->has_steps = request_has(base, "crease-steps");
    r->has_precision = request_has(base, "precision");
    return base->num_parts > 0 ? check_parts(r) : EXIT_OK;
}

static int check_eval(request *base)
{
    solid_request *r = (solid_request *)base;
    if (r->picture.range.num > 0 && !r->array && !r->picture.distance_to)
        return usage_error(base->command->name, "--range needs --array or --distance-to");
    if (r->picture.distance_to) r->picture.colors = COLORING_DISTANCE;
    const int status = picture_request_check(base);
    if (status != EXIT_OK) return status;
    if (r->array) r->picture.colors = COLORING_DATA;
    if (r->samples == 0 && (r->bezier || !request_has(base, "refine"))) r->samples = 4;
    return check_solid(r);
}

static int check_convert(request *base)
{
    return check_solid((solid_request *)base);
}

static int check_slice(request *base)
{
    solid_request *r = (solid_request *)base;
    const char *name = base->command->name, *path = base->outputs[0];
    io_message message;
    r->has_steps = request_has(base, "crease-steps");
    r->has_precision = request_has(base, "precision");
    r->image = (image_format)request_format(base, path);
    if (!r->slices) return usage_error(name, "no plane given: use --at");
    if (r->is_stack && r->image == IMAGE_PNG)
        return usage_error(name, "'%s': several slices are written as .npy, .tif or .nii", path);
    if (r->picture.range.num > 0 && r->picture.range.values[0] >= r->picture.range.values[1])
        return usage_error(name, "--range must be LO,HI with LO below HI");
    if (image_format_is_built(r->image, path, &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

static int check_points(request *base)
{
    solid_request *r = (solid_request *)base;
    r->points = base->inputs[1];
    r->has_steps = request_has(base, "crease-steps");
    r->has_precision = request_has(base, "precision");
    return EXIT_OK;
}

static int check_probe(request *base)
{
    ((solid_request *)base)->probes = true;
    return check_points(base);
}

/* ---- rows ---- */

#define MESH_ABOUT                                                                                 \
    "MESH has hexahedra, tetrahedra, wedges, prisms or polyhedra: VTK legacy and .vtu, MEDIT "     \
    ".mesh and .meshb, MFEM .mesh or Gmsh .msh, known by how it begins; - is standard input."
#define MESH_ENDINGS "vtk vtu mesh meshb msh"
#define POINTS_ABOUT                                                                               \
    "POINTS is .npy of shape (N, 3), .xyz, or CSV with a point a line; - is standard input."

/* How a mesh is read. */
static const option mesh_rows[] = {
    {"merge", 0, "T",
     "let points be one that are at most T apart, in units of the mesh, and cells hang together "
     "there",
     OPTION_NUMBER(solid_request, merge, 0, 1e30), .must = "a length, 0 or more"},
    {"orient", 0, NULL,
     "turn cells that are inside out, so that all have a positive volume and normals point outward",
     OPTION_FLAG(solid_request, orient)},
    {.name = NULL}};

/* What its limit is. */
static const option limit_rows[] = {
    {.rows = mesh_rows},
    {"refine", 0, "N",
     "refine the mesh first, @ times; with --samples the limit stays as it is, and its "
     "cells become 8 times as many each time",
     OPTION_COUNT(solid_request, refine, 0, SOLID_MAX_REFINE)},
    {"crease-angle", 0, "A",
     "keep sharp edges: those of the boundary whose faces' normals are more than A degrees apart, "
     "and the corners where three or more of them meet",
     OPTION_NUMBER(solid_request, crease_angle, 0, 180), .must = "0 to 180 degrees"},
    {"crease-steps", 0, "K",
     "keep creases for K refinements only, above 0 and below 10, as 2.5; this makes them "
     "soft and refines at least K times",
     OPTION_NUMBER(solid_request, crease_steps, 1e-30, 9.999999), .must = "above 0 and below 10"},
    {.name = NULL}};

#define OPTION_DOUBLES                                                                             \
    OPTION_PRECISION("f64 is the default if the device has it, else f32; f64 needs fp64")

static const option end_rows[] = {
    {.rows = request_sharing}, {.rows = request_messages}, {.rows = request_help}, {.name = NULL}};

static const solid_request defaults = {.base = {.precision = MESH_F32},
                                       .picture = PICTURE_OPTIONS_DEFAULT,
                                       .merge = -1,
                                       .crease_angle = -1,
                                       .unit = LENGTH_MM};

#define SOLID_SUBCOMMAND                                                                           \
    .kinds = FILE_CELLS, .input = "mesh", .endings = MESH_ENDINGS, .one_input = true,              \
    .request_bytes = sizeof(solid_request), .defaults = &defaults, .run = solid_run

/* ---- eval ---- */

static const option eval_options[] = {
    {OPTION_OUTPUT("where to write; several outputs share the work; - is standard output"),
     .repeats = true},
    {OPTION_FORMAT("vtu ply obj stl glb png")},
    {"samples", 'n', "S",
     "samples of a cell along each direction, @; default 4, and with --refine alone none: the "
     "refined mesh itself is written",
     OPTION_COUNT(solid_request, samples, 2, 100), .excludes = "bezier",
     .formats = "vtu ply obj stl glb png"},
    {.rows = limit_rows},
    {"bezier", 0, NULL,
     "one cubic VTK_BEZIER_HEXAHEDRON a cell, in .vtu: exact in regular cells, in others it meets "
     "the limit in 64 points",
     OPTION_FLAG(solid_request, bezier), .excludes = "samples", .formats = "vtu"},
    {"normals", 0, NULL, "normals of vertices, in .ply, .obj and .glb",
     OPTION_FLAG(solid_request, normals), .excludes = "bezier", .formats = "ply obj glb"},
    {"classes", 0, NULL,
     "print classes of cells: how many are regular, layered, irregular and split, for each "
     "refinement; -o may then be left out",
     OPTION_FLAG(solid_request, classes)},
    {OPTION_PRECISION("f32 is the default, with --bezier, and where coordinates ask for it, f64 if "
                      "the device has it; f64 needs fp64")},
    {.rows = request_device},
    {.group = "pictures"},
    {.rows = request_camera},
    {.rows = request_background},
    {OPTION_PICTURE_SIZE},
    {"array", 0, "NAME",
     "colour by this data of points or cells; of several numbers, by their vector's length",
     OPTION_TEXT(solid_request, array), .formats = "png"},
    {OPTION_DISTANCE_TO("colour by distances from the boundary, and the face of a cut, to these",
                        solid_request, picture.distance_to),
     .excludes = "array", .formats = "png"},
    {OPTION_PICTURE_RANGE("values at the ends of the colours; default those of the mesh"),
     .formats = "png"},
    {OPTION_BAR},
    {OPTION_COLORMAP("png")},
    {OPTION_PICTURE_EDGES("dark lines along the edges of cells")},
    {"cut", 0, "z=H",
     "cut open at height H (also x=H, y=H): what is on the viewer's side is left out, and the cut "
     "is coloured like the boundary",
     .read = read_cut, .words = "x= y= z=", .must = "as z=1.5", .formats = "png"},
    {.rows = request_sharing},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const eval_examples[] = {
    "clspline eval rod.vtk -o rod.vtu",
    "clspline eval rod.vtk -o rod.vtu -o rod.stl --samples 8 --crease-angle 30",
    "clspline eval rod.vtk -o refined.vtu --refine 2 --classes",
    "clspline eval part.vtu -o open.png --cut y=0 --array density --bar --edges",
    "clspline eval part.vtu -o deviation.png --distance-to scan.ply --bar",
    "clspline eval rod.vtk -o rod.vtu --samples 16 --cooperate auto --report",
    NULL};

const subcommand command_eval_solid = {
    .name = "eval",
    .of = "a mesh of cells",
    .summary = "evaluate the Catmull-Clark solid of a mesh of cells",
    .usage = "MESH -o OUT.{vtu,ply,obj,stl,glb,png} [options]",
    .about = "Of a mesh of cells: the limit of its Catmull-Clark solid, exact in every cell. "
             "" MESH_ABOUT
             " Data of points, such as a density, are evaluated likewise, and data of cells, such "
             "as a material, are kept: also MEDIT's and MFEM's of each cell, as medit:ref and "
             "attribute, and Gmsh's groups and entities, as gmsh:physical and gmsh:geometrical. "
             "The ending of OUT chooses what is written:\n"
             ".vtu: the solid, samples of each cell and the hexahedra between them\n"
             ".ply, .obj, .stl, .glb: its boundary, closed\n"
             ".png: a picture of its boundary",
    .options = eval_options,
    .examples = eval_examples,
    .result = "the Catmull-Clark solid of a mesh of cells; .stl: its boundary; .png: a picture",
    .instead = "classes",
    .check = check_eval,
    SOLID_SUBCOMMAND};

/* ---- convert ---- */

static const option convert_options[] = {
    {OPTION_OUTPUT("where to write; - is standard output"), .repeats = true},
    {OPTION_FORMAT("vtu ply obj stl glb")},
    {.rows = mesh_rows},
    {OPTION_PRECISION("f32 is the default, where coordinates ask for it f64; f64 needs fp64")},
    {.rows = request_device},
    {.rows = request_report},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const convert_examples[] = {"clspline convert part.msh -o part.vtu",
                                               "clspline convert part.vtu -o skin.stl --orient",
                                               NULL};

const subcommand command_convert_cells = {
    .name = "convert",
    .of = "a mesh of cells",
    .summary = "write the cells of a mesh, or their boundary, in another format",
    .usage = "MESH -o OUT.{vtu,ply,obj,stl,glb} [options]",
    .about = "Of a mesh of cells: the mesh itself with its data, as .vtu, or its "
             "boundary. " MESH_ABOUT,
    .options = convert_options,
    .examples = convert_examples,
    .result = "the mesh in another format, or its boundary",
    .check = check_convert,
    SOLID_SUBCOMMAND};

/* ---- slice ---- */

static const option slice_options[] = {
    {OPTION_OUTPUT("where to write; - is standard output")},
    {OPTION_FORMAT("png tif nii nii.gz npy")},
    {"at", 0, "z=H",
     "the plane at height H (also x=H, y=H), or as z=A:B:STEP the planes at A, A + STEP and so on "
     "up to B, as pages of .tif or a volume in .npy or .nii",
     .read = read_at,
     .words = "x= y= z=", .must = "as z=1.5, or as z=0:10:0.5, of 1 to 65536 planes"},
    {"size", 0, "N", "pixels along the longer side; default 512",
     OPTION_COUNT(solid_request, size, 1, 32768), .excludes = "pixel"},
    {"pixel", 0, "P", "instead, the side of a pixel, in units of the mesh",
     OPTION_NUMBER(solid_request, pixel, 1e-30, 1e30), .must = "a length above 0",
     .excludes = "size"},
    {"unit", 0, "U",
     "what lengths of the mesh are, for the resolution that image files tell: @; default mm",
     OPTION_WORD(solid_request, unit, LENGTH_UNITS)},
    {"array", 0, "NAME",
     "show this data of points, or show that of cells: each pixel's cell has it; default all data "
     "of points, up to 4 numbers; a mesh without shows 1 within the solid",
     OPTION_TEXT(solid_request, array)},
    {OPTION_PICTURE_RANGE("values that are black and white in PNG; default those of the mesh"),
     .formats = "png"},
    {.rows = limit_rows},
    {OPTION_DOUBLES},
    {.rows = request_device},
    {.rows = end_rows},
    {.name = NULL}};

static const char *const slice_examples[] = {
    "clspline slice part.vtu --at z=0.5 -o layer.png --array density --pixel 0.01",
    "clspline slice part.vtu --at z=0:1:0.1 -o layers.nii.gz --size 300", NULL};

const subcommand command_slice = {
    .name = "slice",
    .summary = "cut the solid of a mesh of cells by planes, into images",
    .usage = "MESH --at z=H -o OUT.{png,npy,tif,nii,nii.gz} [options]",
    .about = "Cuts the Catmull-Clark solid of a mesh of cells by a plane or several: each pixel "
             "has the values at its middle; outside of the solid NaN, in PNG transparent. "
             "" MESH_ABOUT,
    .options = slice_options,
    .examples = slice_examples,
    .result = "an image of the data on a plane through a solid; .nii: a volume of many",
    .check = check_slice,
    SOLID_SUBCOMMAND};

/* ---- locate, probe ---- */

static const option points_rows[] = {
    {OPTION_OUTPUT("where to write; - is standard output")},
    {OPTION_FORMAT("csv npy")},
    {OPTION_COLUMNS(solid_request, columns)},
    {"nearest", 0, NULL,
     "where points are outside, write the nearest point of the solid: its cell, u, v, w and how "
     "far off it is, or the data there",
     OPTION_FLAG(solid_request, nearest)},
    {"tolerance", 't', "T",
     "take points that are outside by T at most as found, at the nearest point of the solid; T is "
     "in units of the mesh, 0 by default",
     OPTION_NUMBER(solid_request, tolerance, 0, 1e30), .must = "a length, 0 or more"},
    {.name = NULL}};

static const option locate_options[] = {{.rows = points_rows},    {.rows = limit_rows},
                                        {OPTION_DOUBLES},         {.rows = request_device},
                                        {.rows = request_report}, {.rows = request_messages},
                                        {.rows = request_help},   {.name = NULL}};

static const char *const locate_examples[] = {
    "clspline locate part.vtu points.npy -o places.npy",
    "clspline locate part.vtu scan.csv -o places.csv --nearest --columns east,north,height", NULL};

const subcommand command_locate = {
    .name = "locate",
    .summary = "find in which cells of a solid points lie, and where there",
    .usage = "MESH POINTS -o OUT.{csv,npy} [options]",
    .about = "Finds where points lie in the Catmull-Clark solid of a mesh of cells. " POINTS_ABOUT
             " A row of the result: cell, u, v, w, the file's cell, how far off, how far outside "
             "at least. " MESH_ABOUT,
    .options = locate_options,
    .examples = locate_examples,
    .result = "of each point the cell of a solid that it is in, and u, v, w there",
    .second = "file of points",
    .check = check_points,
    SOLID_SUBCOMMAND};

static const option probe_options[] = {{.rows = points_rows},
                                       {"array", 0, "NAME",
                                        "which data of points; default all, up to 4 numbers",
                                        OPTION_TEXT(solid_request, array)},
                                       {.rows = limit_rows},
                                       {OPTION_DOUBLES},
                                       {.rows = request_device},
                                       {.rows = request_report},
                                       {.rows = request_messages},
                                       {.rows = request_help},
                                       {.name = NULL}};

static const char *const probe_examples[] = {
    "clspline probe part.vtu points.csv --array density -o density.csv", NULL};

const subcommand command_probe = {
    .name = "probe",
    .summary = "find a solid's data at points",
    .usage = "MESH POINTS -o OUT.{csv,npy} [options]",
    .about = "Writes the data of points that a mesh of cells has, evaluated as its Catmull-Clark "
             "solid is, at the points of a file, NaN outside. " POINTS_ABOUT " " MESH_ABOUT,
    .options = probe_options,
    .examples = probe_examples,
    .result = "of each point the data that a solid has there",
    .second = "file of points",
    .check = check_probe,
    SOLID_SUBCOMMAND};
