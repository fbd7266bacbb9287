#include "bezier_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char help_head[] =
    "usage: clspline bezier IN.bv ... -o OUT.{obj,ply,vtk,stl,glb,png} [options]\n"
    "\n"
    "Evaluates the Bezier patches of BezierView files (tensor-product, rational, triangular\n"
    "and PN) and writes them as quads and triangles, or draws them. Polyhedra in the files are\n"
    "passed through. IN may be -, for standard input.\n"
    "\n"
    "options:\n";

static const char help_samples[] =
    "  -n, --samples N        points along each direction of a patch, 2 to 16384; default 32\n"
    "  -t, --tolerance E      instead, as many points for each patch as keep its triangles\n"
    "                         within E of it: a length in the file's units, E% of the box's\n"
    "                         diagonal, or Epx, pixels of the picture\n"
    "      --method M         how points are computed, to compare: auto (the default),\n"
    "                         separable, multilevel, matrix or brute\n";

static const char help_examples[] =
    "\n"
    "examples:\n"
    "  clspline bezier teapot.bv -o teapot.png\n"
    "  clspline bezier teapot.bv -o teapot.ply -o teapot.png --samples 64\n"
    "  clspline bezier teapot.bv -o teapot.obj --tolerance 0.1% --normals\n"
    "  clspline bezier teapot.bv -o teapot.vtk --precision f64 --device pocl:\n"
    "  clspline bezier teapot.bv -o teapot.ply -n 500 --cooperate auto --report\n"
    "  gunzip -c a.bv.gz | clspline bezier - -o - -f ply | ssh host 'cat > a.ply'\n";

enum { OPTION_TOLERANCE = NUM_MESH_OPTIONS, OPTION_METHOD };

static const args_option options[] = {
    MESH_OPTIONS, {"tolerance", 't', true}, {"method", 0, true}, {NULL, 0, false}};

enum { MOST_SAMPLES = 16384 };

void bezier_request_help(void)
{
    const char *const parts[] = {help_head, mesh_request_help_outputs, help_samples,
                                 mesh_request_help_rest, help_examples};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        fputs(parts[i], stdout);
}

static int read_tolerance(bezier_request *r, const char *text)
{
    static const char *const units[] = {"", "%", "px"};
    const char *unit = text + strspn(text, "+-.0123456789eE"); /* strtod knows more than decimals */
    char *end;
    r->tolerance = strtod(text, &end);
    bool valid = end != text && end == unit && isfinite(r->tolerance) && r->tolerance > 0;
    for (int i = 0; valid && i < 3; i++) {
        if (strcmp(unit, units[i]) != 0) continue;
        r->tolerance_unit = (request_unit)i;
        return EXIT_OK;
    }
    return usage_error(r->mesh.command,
                       "--tolerance must be a number above 0, alone or with %% or px, not '%s'",
                       text);
}

static int read_method(bezier_request *r, const char *text)
{
    static const char *const names[] = {"auto", "separable", "multilevel", "matrix", "brute"};
    static const clsp_bezier_method methods[] = {CLSP_BEZIER_METHOD_DEFAULT, CLSP_BEZIER_SEPARABLE,
                                                 CLSP_BEZIER_MULTILEVEL, CLSP_BEZIER_MATRIX,
                                                 CLSP_BEZIER_BRUTE};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) != 0) continue;
        r->method = methods[i];
        return EXIT_OK;
    }
    return usage_error(r->mesh.command,
                       "--method must be auto, separable, multilevel, matrix or brute, not '%s'",
                       text);
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(bezier_request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_TOLERANCE:
        return read_tolerance(r, a->value);
    case OPTION_METHOD:
        return read_method(r, a->value);
    default:
        return mesh_request_take(&r->mesh, a, found);
    }
}

int bezier_request_read(bezier_request *r, int argc, char **argv)
{
    const mesh_request *common = &r->mesh;
    args a = args_start(argc, argv);
    r->mesh.most_samples = MOST_SAMPLES;
    for (int found; (found = args_next(&a, options)) != ARGS_END;) {
        int status = read_argument(r, &a, found);
        if (status != EXIT_OK || common->help) return status;
    }
    if (r->tolerance > 0 && common->samples > 0)
        return usage_error(common->command, "--samples and --tolerance exclude each other");
    if (r->tolerance > 0 && r->method != CLSP_BEZIER_METHOD_DEFAULT)
        return usage_error(common->command, "--method is of grids that --samples makes, not of "
                                            "--tolerance");
    return mesh_request_check(common);
}
