#include "solid_request.h"

#include <math.h>
#include <string.h>

#include "output.h"

/* Reads the axis that a plane's text begins with, as in z=1.5. */
static bool read_axis(uint32_t *axis, const option *o, const char *text)
{
    const char head[] = {text[0], text[0] ? text[1] : 0, 0};
    const int number = option_number_of(o->words, head, false);
    *axis = (uint32_t)number;
    return number >= 0;
}

static bool read_slice(void *place, const option *o, const char *text)
{
    solid_request *r = place;
    r->planes = 1;
    r->slices = read_axis(&r->axis, o, text);
    return r->slices && option_number(text + 2, -1e30, 1e30, &r->height);
}

static bool read_cut(void *place, const option *o, const char *text)
{
    solid_request *r = place;
    r->cuts = read_axis(&r->cut_axis, o, text);
    return r->cuts && option_number(text + 2, -1e30, 1e30, &r->cut_height);
}

/* Reads z=A:B:STEP. */
static bool read_slices(void *place, const option *o, const char *text)
{
    solid_request *r = place;
    char word[OPTION_WORD_BYTES];
    double value[3];
    r->slices = read_axis(&r->axis, o, text);
    if (!r->slices) return false;
    const char *rest = text + 2;
    for (int i = 0; i < 3; i++)
        if (!rest || !option_split(&rest, ":", word) ||
            !option_number(word, -1e30, 1e30, &value[i]))
            return false;
    const double planes = floor((value[1] - value[0]) / value[2] + 1e-6) + 1;
    if (rest || !(value[2] > 0) || !(planes >= 1 && planes <= SOLID_MAX_PLANES)) return false;
    r->height = value[0];
    r->step = value[2];
    r->planes = (size_t)planes;
    r->is_stack = true;
    return true;
}

static int check_slice(solid_request *r)
{
    static const image_format pictures[] = {
        [SOLID_PNG] = IMAGE_PNG,     [SOLID_NPY] = IMAGE_NPY,           [SOLID_TIFF] = IMAGE_TIFF,
        [SOLID_NIFTI] = IMAGE_NIFTI, [SOLID_NIFTI_GZ] = IMAGE_NIFTI_GZ,
    };
    io_message message;
    if (!r->slices || r->base.num_outputs == 0) return EXIT_OK;
    if (r->base.num_outputs > 1)
        return usage_error(r->base.command->name, "a slice has one output");
    r->image = pictures[request_format(&r->base, r->base.outputs[0])];
    if (r->is_stack && r->image == IMAGE_PNG)
        return usage_error(r->base.command->name,
                           "'%s': several slices are written as .npy, .tif or .nii",
                           r->base.outputs[0]);
    if (image_format_is_built(r->image, r->base.outputs[0], &message)) return EXIT_OK;
    complain("%s", message.text);
    return EXIT_FAILED;
}

bool solid_request_has_cells(const solid_request *r, const char *path)
{
    return request_format(&r->base, path) == SOLID_VTU;
}

/* Tells whether a picture of the boundary is asked for. */
static bool has_picture(const solid_request *r)
{
    for (size_t i = 0; i < r->base.num_outputs; i++)
        if (request_format(&r->base, r->base.outputs[i]) == SOLID_PNG) return !r->slices;
    return false;
}

bool solid_request_shows_data(const solid_request *r)
{
    return (r->array || (r->cuts && r->picture.distance_to)) && has_picture(r);
}

/* Checks the files of points and of what becomes of them. */
static int check_points(const solid_request *r)
{
    const request *base = &r->base;
    const char *name = base->command->name, *points = r->locate ? r->locate : r->probe;
    const char *path = base->num_outputs > 0 ? base->outputs[0] : "-";
    if (strcmp(base->inputs[0], "-") == 0 && strcmp(points, "-") == 0)
        return usage_error(name, "mesh and points cannot both be standard input");
    if (base->num_outputs > 1)
        return usage_error(name, "places and data of points have one output");
    if (strcmp(path, "-") != 0 && strcmp(points, "-") != 0 && output_is_same(path, points))
        return usage_error(name, "'%s' has the points", path);
    return EXIT_OK;
}

static int check_outputs(const solid_request *r)
{
    const request *base = &r->base;
    for (size_t i = 0; i < base->num_outputs; i++) {
        const char *path = base->outputs[i];
        const int format = request_format(base, path);
        if (r->classes && strcmp(path, "-") == 0)
            return usage_error(base->command->name,
                               "--classes and -o - both write to standard output");
        if (solid_request_has_points(r) && format != SOLID_NPY && format != SOLID_CSV)
            return usage_error(base->command->name,
                               "'%s': places and data of points are written as .csv or .npy", path);
        if (solid_request_has_points(r)) continue;
        if (format == SOLID_CSV)
            return usage_error(base->command->name, "'%s': .csv needs --locate or --probe", path);
        if (r->slices && format < SOLID_PNG)
            return usage_error(base->command->name,
                               "'%s': a slice is written as .png, .npy, .tif or .nii", path);
        if (!r->slices && format > SOLID_PNG)
            return usage_error(base->command->name, "'%s': an image needs --slice", path);
    }
    return solid_request_has_points(r) ? check_points(r) : EXIT_OK;
}

/* Options that make no sense without an image or a picture. */
static int check_needs(const solid_request *r)
{
    static const char *const all[] = {"size", "array", "range"};
    const char *name = r->base.command->name;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (request_has(&r->base, all[i]) && !r->slices && !has_picture(r) &&
            !(r->probe && strcmp(all[i], "array") == 0))
            return usage_error(name, "--%s needs --slice, or a picture (.png)", all[i]);
    option_walk walk = {.at = {r->base.command->options}};
    for (const option *o; (o = option_next(&walk)) != NULL;)
        if (o->formats && strcmp(o->formats, "png") == 0 && request_has(&r->base, o->name) &&
            !has_picture(r))
            return usage_error(name, "--%s needs a picture of the boundary (.png without --slice)",
                               o->name);
    if (r->picture.range.num > 0 && !r->slices && !r->array && !r->picture.distance_to)
        return usage_error(name, "--range needs --array or --distance-to");
    if (r->picture.range.num > 0 && !request_makes(&r->base, "png"))
        return usage_error(name, "--range needs a picture or a slice in .png");
    return EXIT_OK;
}

/* Sizes of slices are one number, of pictures two. */
static int check_image_size(solid_request *r)
{
    const option_list *size = &r->picture.size;
    const char *name = r->base.command->name;
    if (size->num == 0) return EXIT_OK;
    if (r->slices && size->num > 1)
        return usage_error(name, "--size of a slice is one number, the pixels of the longer side");
    r->size = (uint32_t)size->values[0];
    if (r->slices) return EXIT_OK;
    for (size_t i = 0; i < 2; i++)
        if (size->num < 2 || size->values[i] < 16 || size->values[i] > 8192)
            return usage_error(name, "--size of a picture must be WIDTHxHEIGHT, each 16 to 8192");
    return EXIT_OK;
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

static int check(request *base)
{
    solid_request *r = (solid_request *)base;
    int status = check_outputs(r);
    if (status == EXIT_OK) status = check_needs(r);
    if (status == EXIT_OK) status = check_image_size(r);
    if (r->picture.distance_to) r->picture.colors = COLORING_DISTANCE;
    if (status == EXIT_OK) status = picture_request_check(base);
    if (status == EXIT_OK && base->num_parts > 0) status = check_parts(r);
    if (status != EXIT_OK) return status;
    if (r->array && !r->slices && !r->probe) r->picture.colors = COLORING_DATA;
    r->has_steps = request_has(base, "crease-steps");
    r->has_precision = request_has(base, "precision");
    if (solid_request_has_points(r)) return EXIT_OK;
    if (r->samples == 0 && (r->bezier || !request_has(base, "refine"))) r->samples = 4;
    return check_slice(r);
}

/* ---- the table ---- */

#define SLICES "png npy tif nii nii.gz"
#define POINTS "csv npy"

static const option options[] = {
    {OPTION_OUTPUT("where to write; several outputs share the work, a slice has one; - is standard "
                   "output"),
     .repeats = true},
    {OPTION_FORMAT("vtu ply obj stl glb png npy tif nii nii.gz csv")},
    {"samples", 'n', "S",
     "samples of a cell along each direction, @; default 4, and with --refine alone none: the "
     "refined mesh itself is written",
     OPTION_COUNT(solid_request, samples, 2, 100), .excludes = "bezier slice slices",
     .formats = "vtu ply obj stl glb png"},
    {"merge", 0, "T",
     "let points be one that are at most T apart, in units of the mesh, and cells hang together "
     "there",
     OPTION_NUMBER(solid_request, merge, 0, 1e30), .must = "a length, 0 or more"},
    {"refine", 0, "N",
     "refine the mesh first, @ times; with --samples the limit stays as it is, and its "
     "cells become 8 times as many each time",
     OPTION_COUNT(solid_request, refine, 0, SOLID_MAX_REFINE)},
    {"orient", 0, NULL,
     "turn cells that are inside out, so that all have a positive volume and normals point outward",
     OPTION_FLAG(solid_request, orient)},
    {"crease-angle", 0, "A",
     "keep sharp edges: those of the boundary whose faces' normals are more than A degrees apart, "
     "and the corners where three or more of them meet",
     OPTION_NUMBER(solid_request, crease_angle, 0, 180), .must = "0 to 180 degrees"},
    {"crease-steps", 0, "K",
     "keep creases for K refinements only, above 0 and below 10, as 2.5; this makes them "
     "soft and refines at least K times",
     OPTION_NUMBER(solid_request, crease_steps, 1e-30, 9.999999), .must = "above 0 and below 10"},
    {"bezier", 0, NULL,
     "one cubic VTK_BEZIER_HEXAHEDRON a cell, in .vtu: exact in regular cells, in others it meets "
     "the limit in 64 points",
     OPTION_FLAG(solid_request, bezier), .excludes = "samples slice slices", .formats = "vtu"},
    {"normals", 0, NULL, "normals of vertices, in .ply, .obj and .glb",
     OPTION_FLAG(solid_request, normals), .excludes = "bezier slice slices",
     .formats = "ply obj glb"},
    {"classes", 0, NULL,
     "print classes of cells: how many are regular, layered, irregular and split, for each "
     "refinement; -o may then be left out",
     OPTION_FLAG(solid_request, classes)},
    {OPTION_PRECISION("f32 is the default, with --bezier, --slice, --locate, --probe, and where "
                      "coordinates ask for it, f64 if the device has it; f64 needs fp64")},
    {.rows = request_device},
    {.group = "slices"},
    {"slice", 0, "z=H",
     "the plane at height H (also x=H, y=H): each pixel has the values at its middle; outside of "
     "the solid NaN, in PNG transparent",
     .read = read_slice, .words = "x= y= z=", .must = "as z=1.5",
     .excludes = "slices bezier samples", .formats = SLICES},
    {"slices", 0, "z=A:B:STEP",
     "the planes at A, A + STEP and so on up to B, as pages of .tif or a volume in .npy or .nii",
     .read = read_slices, .words = "x= y= z=", .must = "as z=0:10:0.5, of 1 to 65536 planes",
     .excludes = "slice bezier samples", .formats = SLICES},
    {"size", 0, "N",
     "pixels along the longer side of the slice; default 512. Of a picture WxH; default 1200x900",
     OPTION_LIST(solid_request, picture.size, "xX", 1 << 1 | 1 << 2), .low = 1, .high = 32768,
     .excludes = "pixel"},
    {"pixel", 0, "P", "instead, the side of a pixel, in units of the mesh",
     OPTION_NUMBER(solid_request, pixel, 1e-30, 1e30), .must = "a length above 0",
     .needs = "slice slices", .excludes = "size"},
    {"unit", 0, "U",
     "what lengths of the mesh are, for the resolution that image files tell: @; default mm",
     OPTION_WORD(solid_request, unit, "um mm cm m in"), .needs = "slice slices"},
    {"array", 0, "NAME",
     "show, or probe, this data of points, or show that of cells: each pixel's cell has it; "
     "default all data of points, "
     "up to 4 numbers; a mesh without shows 1 within the solid. In pictures of the boundary, what "
     "it is coloured by; of several numbers, their vector's length",
     OPTION_TEXT(solid_request, array)},
    {OPTION_PICTURE_RANGE("values that are black and white in PNG, or at the ends of the colours; "
                          "default those of the mesh")},
    {.group = "points"},
    {"locate", 0, "POINTS",
     "write where the points of a file lie, to .csv or .npy: cell, u, v, w, the file's cell, how "
     "far "
     "off, how far outside at least. POINTS is .npy of shape (N, 3), .xyz, or CSV; - is standard "
     "input",
     OPTION_TEXT(solid_request, locate), .is_file = true,
     .excludes = "probe slice slices samples bezier normals cooperate", .formats = POINTS},
    {"probe", 0, "POINTS",
     "write the mesh's data of points at the points of a file, NaN outside: all, or those of "
     "--array",
     OPTION_TEXT(solid_request, probe), .is_file = true,
     .excludes = "locate slice slices samples bezier normals cooperate", .formats = POINTS},
    {"columns", 0, "X,Y,Z",
     "the columns that coordinates are in, of POINTS in CSV: names of its first line, or numbers "
     "from 1 on",
     OPTION_TEXT(solid_request, columns), .needs = "locate probe"},
    {"nearest", 0, NULL,
     "where points are outside, write the nearest point of the solid: its cell, u, v, w and how "
     "far off it is, or the data there",
     OPTION_FLAG(solid_request, nearest), .needs = "locate probe"},
    {"tolerance", 0, "T",
     "take points that are outside by T at most as found, at the nearest point of the solid; T is "
     "in units of the mesh, 0 by default",
     OPTION_NUMBER(solid_request, tolerance, 0, 1e30), .must = "a length, 0 or more",
     .needs = "locate probe"},
    {.group = "pictures of the boundary"},
    {"cut", 0, "z=H",
     "cut open at height H (also x=H, y=H): what is on the viewer's side is left out, and the cut "
     "is coloured like the boundary",
     .read = read_cut, .words = "x= y= z=", .must = "as z=1.5", .excludes = "slice slices",
     .formats = "png"},
    {OPTION_DISTANCE_TO("colour by distances from the boundary, and the face of a cut, to these",
                        solid_request, picture.distance_to),
     .excludes = "array slice slices", .formats = "png"},
    {OPTION_PICTURE_EDGES("dark lines along the edges of cells")},
    {OPTION_BAR},
    {OPTION_COLORMAP("png")},
    {.rows = request_camera},
    {.rows = request_sharing},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline solid rod.vtk -o rod.vtu",
    "clspline solid rod.vtk -o rod.vtu -o rod.stl --samples 8 --crease-angle 30",
    "clspline solid rod.vtk -o refined.vtu --refine 2 --classes",
    "clspline solid part.vtu --slice z=0.5 -o layer.png --array density --pixel 0.01",
    "clspline solid part.vtu -o open.png --cut y=0 --array density --bar --edges",
    "clspline solid part.vtu -o deviation.png --distance-to scan.ply --bar",
    "clspline solid part.vtu --locate points.npy -o places.npy",
    "clspline solid part.vtu --probe points.csv --array density -o density.csv",
    "clspline solid rod.vtk -o rod.vtu --samples 16 --cooperate auto --report",
    NULL};

static const solid_request defaults = {.base = {.precision = MESH_F32},
                                       .picture = PICTURE_OPTIONS_DEFAULT,
                                       .merge = -1,
                                       .crease_angle = -1,
                                       .unit = SOLID_MM};

const subcommand command_solid = {
    .name = "solid",
    .summary = "evaluate the Catmull-Clark solid of a mesh of cells, or cut it",
    .usage = "MESH -o OUT [options]",
    .about =
        "Evaluates the Catmull-Clark solid of a mesh of cells: its limit, exact in every cell. "
        "MESH has hexahedra, tetrahedra, wedges, prisms or polyhedra: VTK legacy and .vtu, MEDIT "
        ".mesh and .meshb, MFEM .mesh or Gmsh .msh, known by how it begins; - is standard input. "
        "Data of points, such as a density, are evaluated likewise, and data of cells, such as a "
        "material, are kept: also MEDIT's and MFEM's of each cell, as medit:ref and attribute, and "
        "Gmsh's groups and entities, as gmsh:physical and gmsh:geometrical. The ending of OUT "
        "chooses what is written:\n"
        ".vtu: the solid, samples of each cell and the hexahedra between them\n"
        ".ply, .obj, .stl, .glb: its boundary, closed\n"
        ".png: a picture of its boundary\n"
        ".png, .npy, .tif, .nii, .nii.gz: with --slice, values on a plane\n"
        ".csv, .npy: with --locate, where points lie; with --probe, the data there",
    .options = options,
    .examples = examples,
    .result = "the Catmull-Clark solid of a mesh of cells; .stl: its boundary; .png: a picture",
    .input = "mesh",
    .endings = "vtk vtu mesh meshb msh",
    .one_input = true,
    .instead = "classes",
    .request_bytes = sizeof(solid_request),
    .defaults = &defaults,
    .check = check,
    .run = solid_run};
