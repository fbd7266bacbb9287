#include "mesh_request.h"

#include <stdlib.h>
#include <string.h>

#define DEGREES(member, from, to)                                                                  \
    .read = read_degrees, .low = from, .high = to, .must = #from " to " #to " degrees",            \
    OPTION_PLACE(mesh_request, member, double)

static bool read_degrees(void *place, const option *o, const char *text)
{
    static const double degree = 3.14159265358979323846 / 180; /* in radians */
    double degrees = 0;
    const bool valid = option_number(text, o->low, o->high, &degrees);
    *(double *)place = degrees * degree;
    return valid;
}

static bool read_background(void *place, const option *o, const char *text)
{
    raster_view *view = place;
    const char *digits = text + (text[0] == '#' ? 1 : 0);
    view->has_background = strcmp(text, o->words) != 0;
    const unsigned long color = strtoul(digits, NULL, 16);
    for (int k = 0; k < 3; k++)
        view->background[k] = (unsigned char)(color >> (16 - 8 * k) & 0xff);
    return !view->has_background ||
           (strlen(digits) == 6 && digits[strspn(digits, "0123456789abcdefABCDEF")] == 0);
}

int mesh_request_check(request *r)
{
    mesh_request *m = (mesh_request *)r;
    if (m->size.num == 0) return EXIT_OK;
    m->view.width = (size_t)m->size.values[0];
    m->view.height = (size_t)m->size.values[1];
    return EXIT_OK;
}

const option mesh_request_outputs[] = {
    {OPTION_OUTPUT("where to write; the ending chooses the format: Wavefront OBJ, PLY (binary), "
                   "legacy VTK (binary), STL (binary), glTF 2.0 (.glb) or a PNG picture. May be "
                   "given several times; - is standard output"),
     .repeats = true},
    {OPTION_FORMAT("obj ply vtk stl glb png")},
    {.name = NULL}};

static const option pictures[] = {
    {.group = "pictures"},
    {"up", 0, "AXIS",
     "axis that points up: @; auto is y, but z for a thing much longer in y than "
     "in x and z",
     OPTION_WORD(mesh_request, view.camera.up, "auto x y z")},
    {"azimuth", 0, "DEG", "seen from the right of the front of the wider side: @; default about 30",
     DEGREES(view.camera.turn, -360, 360)},
    {"elevation", 0, "DEG", "seen from above the horizon: @; default about 24",
     DEGREES(view.camera.tilt, -90, 90)},
    {"zoom", 0, "Z", "how much larger than what fills the picture, @; default 1",
     OPTION_NUMBER(mesh_request, view.camera.zoom, 0.01, 100)},
    {"size", 0, "WxH", "pixels of a picture; default 1200x900",
     OPTION_LIST(mesh_request, size, "xX", 1 << 2), .low = 16, .high = 8192,
     .must = "WIDTHxHEIGHT, each 16 to 8192"},
    {"background", 0, "C", "colour behind the mesh: @; auto, the default, is shades of grey",
     .read = read_background, .place = offsetof(mesh_request, view), .words = "auto",
     .must = "auto or RRGGBB"},
    {.name = NULL}};

const option mesh_request_rest[] = {
    {"normals", 0, NULL, "write normals of the vertices too (obj, ply, vtk)",
     OPTION_FLAG(mesh_request, normals)},
    {"texture", 0, NULL,
     "write texture coordinates, the parameters u and v (obj, ply); glb always has both",
     OPTION_FLAG(mesh_request, texture)},
    {OPTION_PRECISION("f32 is the default, f64 needs fp64")},
    {.rows = request_device},
    {.rows = pictures},
    {.rows = request_sharing},
    {.rows = request_messages},
    {.rows = request_help},
    {.name = NULL}};

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
