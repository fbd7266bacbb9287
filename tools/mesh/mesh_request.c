#include "mesh_request.h"

PICTURE_REQUEST_CHECK(mesh_request);

const option mesh_request_outputs[] = {
    {OPTION_OUTPUT("where to write; the ending chooses the format: Wavefront OBJ, PLY (binary), "
                   "legacy VTK (binary), STL (binary), glTF 2.0 (.glb) or a PNG picture. May be "
                   "given several times; - is standard output"),
     .repeats = true},
    {OPTION_FORMAT("obj ply vtk stl glb png")},
    {.name = NULL}};

static const option pictures[] = {
    {.group = "pictures"},
    {.rows = request_camera},
    {.rows = request_background},
    {OPTION_PICTURE_SIZE},
    {OPTION_COLORS("what surfaces are coloured by: @; mean is half the sum of the principal "
                   "curvatures, gauss their product; default plain, of CAD files their own colours",
                   COLORING_WORDS)},
    {OPTION_DISTANCE_TO("of --colors distance", mesh_request, picture.distance_to),
     .needs = "colors", .formats = "png"},
    {OPTION_PICTURE_RANGE("values at the ends of the colours; default of curvatures symmetric "
                          "about 0, with 98 of 100 points within, of distances all"),
     .needs = "colors", .formats = "png"},
    {OPTION_BAR},
    {OPTION_COLORMAP("png")},
    {OPTION_PICTURE_EDGES("dark lines along the edges of patches, of B-spline surfaces, and of "
                          "faces of polyhedra")},
    {.name = NULL}};

const option mesh_request_rest[] = {
    {"normals", 0, NULL, "write normals of the vertices too (obj, ply, vtk)",
     OPTION_FLAG(mesh_request, normals), .formats = "obj ply vtk glb"},
    {"texture", 0, NULL,
     "write texture coordinates, the parameters u and v (obj, ply); glb always has both",
     OPTION_FLAG(mesh_request, texture), .formats = "obj ply glb"},
    {OPTION_PRECISION("f32 is the default, f64 needs fp64")},
    {.rows = request_device},
    {.rows = pictures},
    {.rows = request_sharing},
    {.rows = request_parts},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

/* Refuses parts of files of which it is not known where their bytes are before all are made. */
static int check_parts(const mesh_request *r)
{
    const char *name = r->base.outputs[0], *command = r->base.command->name;
    const int format = request_format(&r->base, name);
    if (r->base.num_outputs > 1) return usage_error(command, "--part: of one output at a time");
    if (format == FORMAT_VTK && r->normals)
        return usage_error(
            command, "--part: '%s' cannot be written in parts with --normals, .ply can", name);
    if (format == FORMAT_PLY || format == FORMAT_VTK) return EXIT_OK;
    return usage_error(command, "--part: '%s' cannot be written in parts, .ply and .vtk can", name);
}

int mesh_request_check(request *r)
{
    const int status = picture_request_check(r);
    return status == EXIT_OK && r->num_parts > 0 ? check_parts((const mesh_request *)r) : status;
}

coloring_kind mesh_request_colors(const mesh_request *r)
{
    for (size_t i = 0; i < r->base.num_outputs; i++)
        if (request_format(&r->base, r->base.outputs[i]) == FORMAT_PNG) return r->picture.colors;
    return COLORING_PLAIN;
}

bool mesh_request_shows_normals(int format)
{
    return format == FORMAT_PNG || format == FORMAT_GLB;
}

bool mesh_request_needs_normals(const mesh_request *r)
{
    bool needed = r->normals;
    for (size_t i = 0; i < r->base.num_outputs; i++)
        if (mesh_request_shows_normals(request_format(&r->base, r->base.outputs[i]))) needed = true;
    return needed;
}
