/* The command lines of jobs on B-splines. */
#include "spline_request.h"

#define IN_FILES                                                                                   \
    "IN is a .g2 file (GoTools, SISL), JSON in the layout of geomdl (NURBS-Python), STEP, IGES "   \
    "or BREP; "                                                                                    \
    "- is standard input."

static const option eval_options[] = {
    {.rows = mesh_request_outputs},
    {"samples", 'n', "N",
     "points along each direction of a spline, @; default 16 between neighbouring knots, 33 to "
     "2049 in all, of curves to 65537",
     OPTION_COUNT(mesh_request, samples, 2, 1048576), .excludes = "deflection"},
    {"deflection", 0, "P",
     "of CAD files: how far a mesh may be from the faces, @, in % of a part's diagonal; default "
     "0.1",
     OPTION_NUMBER(mesh_request, deflection, 1e-5, 10)},
    {.rows = request_only},
    {.rows = mesh_request_rest},
    {.name = NULL}};

static const char *const eval_examples[] = {
    "clspline eval surface.json -o surface.png",
    "clspline eval surface.json -o surface.ply -o surface.png --samples 200",
    "clspline eval a.g2 b.json -o both.vtk --normals --precision f64", NULL};

static const mesh_request eval_defaults = MESH_REQUEST_DEFAULT;

const subcommand command_eval_splines = {
    .name = "eval",
    .of = "B-splines",
    .kinds = FILE_SPLINES,
    .summary =
        "evaluate the B-splines of .g2, JSON, STEP, IGES and BREP files into a mesh or picture",
    .usage = "IN ... -o OUT.{obj,ply,vtk,stl,glb,png} [options]",
    .about = "Of B-splines: evaluates the curves, surfaces and volumes of files and writes them as "
             "lines and quads, or draws them; of volumes the six sides. " IN_FILES,
    .options = eval_options,
    .examples = eval_examples,
    .result = "a picture, or a mesh, of B-spline curves, surfaces and volumes",
    .input = "input file",
    .endings = "g2 json igs iges step stp brep",
    .request_bytes = sizeof(mesh_request),
    .defaults = &eval_defaults,
    .check = mesh_request_check,
    .run = bspline_eval_run};

#define ONLY_KINDS "curves surfaces volumes"

/* Takes a kind of splines, or names and colours of faces. */
static bool read_only(void *place, const option *o, const char *text)
{
    pieces_request *r = place;
    r->only = option_number_of(o->words, text, false) + 1;
    r->base.only = r->only > 0 ? NULL : text;
    return true;
}

static const option convert_options[] = {
    {OPTION_OUTPUT(
        "where to write: .g2, JSON, or BezierView, which has Bezier pieces of surfaces only; - is "
        "standard output")},
    {OPTION_FORMAT("bv g2 json")},
    {"only", 0, "WHAT",
     "the splines to write, of files that have others too: curves, surfaces or volumes; or faces "
     "of CAD files, by names and colours as for 'clspline eval'; default all",
     .read = read_only, .words = ONLY_KINDS},
    {"bezier", 0, NULL, "cut into Bezier pieces", OPTION_FLAG(pieces_request, bezier)},
    {"insert", 0, "N", "insert @ knots into each span, evenly",
     OPTION_COUNT(pieces_request, insert, 1, 1000), .excludes = "tolerance"},
    {"degree", 0, "K",
     "raise the degree to K, @; with --tolerance, curves and surfaces of higher degrees become the "
     "least number of Bezier pieces of this one that are within it",
     OPTION_COUNT(pieces_request, degree, 1, CLSP_REDUCE_MAX_DEGREE)},
    {"tolerance", 't', "E",
     "what pieces of a lower degree may be off: a length in the file's units, or E% of the "
     "diagonal "
     "of the box around all splines",
     OPTION_LENGTH(pieces_request, tolerance, "%"), .must = "a number above 0, alone or with %",
     .needs = "degree"},
    {"polynomial", 0, NULL, "pieces of a lower degree of rational curves are polynomial",
     OPTION_FLAG(pieces_request, polynomial), .needs = "tolerance"},
    {"free-tangents", 0, NULL,
     "pieces of a lower degree need not have the curve's tangents where they begin and end: "
     "up to a third fewer",
     OPTION_FLAG(pieces_request, free_tangents), .needs = "tolerance"},
    {OPTION_PRECISION("f64 is the default if the device has it, else f32; f64 needs fp64")},
    {.rows = request_device},
    {.rows = request_report},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

static const char *const convert_examples[] = {
    "clspline convert part.step -o part.g2 --only surfaces",
    "clspline convert surface.g2 -o surface.bv",
    "clspline convert curves.json -o cubics.g2 --degree 3 --tolerance 0.01",
    "clspline convert surface.g2 -o finer.g2 --degree 5 --insert 1",
    "clspline convert surface.g2 -o - -f bv | clspline eval - -o a.obj -t 0.1%",
    NULL};

static const pieces_request convert_defaults = {.base = {.precision = MESH_F32}};

const subcommand command_convert_splines = {
    .name = "convert",
    .of = "B-splines",
    .kinds = FILE_SPLINES,
    .summary = "write splines as Bezier pieces, meshes and images in other formats",
    .usage = "IN ... -o OUT.{bv,g2,json} [options]",
    .about =
        "Of B-splines: writes curves, surfaces and volumes in another format, with more knots, of "
        "other degrees, or as Bezier pieces. " IN_FILES,
    .options = convert_options,
    .examples = convert_examples,
    .result = "splines in another format; .vtu of .msh, .tif of .nii; .bv: their Bezier pieces",
    .input = "input file",
    .endings = "g2 json igs iges step stp brep",
    .request_bytes = sizeof(pieces_request),
    .defaults = &convert_defaults,
    .run = bspline_convert_run};
