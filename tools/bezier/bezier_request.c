#include "bezier_request.h"

static const option options[] = {
    {.rows = mesh_request_outputs},
    {"samples", 'n', "N", "points along each direction of a patch, @; default 32",
     OPTION_COUNT(bezier_request, mesh.samples, 2, 16384), .excludes = "tolerance"},
    {"tolerance", 't', "E",
     "instead, as many points for each patch as keep its triangles within E of it: a length in the "
     "file's units, E% of the box's diagonal, or Epx, pixels of the picture",
     OPTION_LENGTH(bezier_request, tolerance, "% px"),
     .must = "a number above 0, alone or with % or px", .excludes = "samples method"},
    {OPTION_OF_METHODS(
        "method", 0, "M", "how points are computed, to compare: @; default auto",
        OPTION_WORD(bezier_request, method, "auto separable multilevel matrix brute"))},
    {.rows = mesh_request_rest},
    {.name = NULL}};

static const char *const examples[] = {
    "clspline eval teapot.bv -o teapot.png",
    "clspline eval teapot.bv -o teapot.ply -o teapot.png --samples 64",
    "clspline eval teapot.bv -o teapot.obj --tolerance 0.1% --normals",
    "clspline eval teapot.bv -o teapot.vtk --precision f64 --device pocl:",
    "clspline eval teapot.bv -o teapot.ply -n 500 --cooperate auto --report",
    "gunzip -c a.bv.gz | clspline eval - -o - -f ply | ssh host 'cat > a.ply'",
    NULL};

static int check(request *base)
{
    const option_length *tolerance = &((const bezier_request *)base)->tolerance;
    base->has_camera = tolerance->value > 0 && tolerance->unit == UNIT_PIXEL;
    return mesh_request_check(base);
}

static const bezier_request defaults = {.mesh = MESH_REQUEST_DEFAULT};

const subcommand command_eval_patches = {
    .name = "eval",
    .of = "Bezier patches",
    .kinds = FILE_PATCHES,
    .summary = "evaluate patches, splines and solids into meshes and pictures",
    .usage = "IN.bv ... -o OUT.{obj,ply,vtk,stl,glb,png} [options]",
    .about = "Of Bezier patches: evaluates those of BezierView files (tensor-product, rational, "
             "triangular and PN) and writes them as quads and triangles, or draws them. Polyhedra "
             "in the files are passed through. IN may be -, for standard input.",
    .options = options,
    .examples = examples,
    .result = "a picture of patches, splines or solids; .ply, .obj, .vtu and others: a mesh",
    .input = "input file",
    .endings = "bv",
    .request_bytes = sizeof(bezier_request),
    .defaults = &defaults,
    .check = check,
    .run = bezier_run};
