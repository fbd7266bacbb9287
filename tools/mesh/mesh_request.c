#include "mesh_request.h"

#include <stdlib.h>
#include <string.h>

#define DEGREES(member, from, to)                                                                  \
    .read = read_degrees, .low = from, .high = to, .must = #from " to " #to " degrees",            \
    OPTION_PLACE(mesh_request, member, double)

enum { MIN_PIXELS = 16, MAX_PIXELS = 8192 };

static int read_degrees(request *base, const option *o, const char *text)
{
    static const double degree = 3.14159265358979323846 / 180; /* in radians */
    double degrees = 0;
    const bool valid = option_number(text, o->low, o->high, &degrees);
    *(double *)((char *)base + o->place) = degrees * degree;
    return request_accept(base, o, text, valid);
}

static int read_size(request *base, const option *o, const char *text)
{
    raster_view *view = &((mesh_request *)base)->view;
    char word[OPTION_VALUE];
    const char *rest = text;
    uint32_t width, height;
    const bool valid = option_split(&rest, "x", word) &&
                       option_count(word, MIN_PIXELS, MAX_PIXELS, &width) && rest &&
                       option_count(rest, MIN_PIXELS, MAX_PIXELS, &height);
    if (valid) {
        view->width = width;
        view->height = height;
    }
    return request_accept(base, o, text, valid);
}

static int read_background(request *base, const option *o, const char *text)
{
    raster_view *view = &((mesh_request *)base)->view;
    const char *digits = text + (text[0] == '#' ? 1 : 0);
    view->has_background = strcmp(text, "auto") != 0;
    if (!view->has_background) return EXIT_OK;
    const unsigned long color = strtoul(digits, NULL, 16);
    for (int k = 0; k < 3; k++)
        view->background[k] = (unsigned char)(color >> (16 - 8 * k) & 0xff);
    return request_accept(base, o, text,
                          strlen(digits) == 6 &&
                              digits[strspn(digits, "0123456789abcdefABCDEF")] == 0);
}

const option mesh_request_outputs[] = {
    OPTION_OUTPUT("where to write; the ending chooses the format: Wavefront OBJ, PLY (binary), "
                  "legacy VTK (binary), STL (binary), glTF 2.0 (.glb) or a PNG picture. May be "
                  "given several times; - is standard output",
                  true),
    OPTION_FORMAT("obj ply vtk stl glb png"), OPTION_END};

static const option pictures[] = {
    OPTION_GROUP("pictures"),
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
    {"size", 0, "WxH", "pixels of a picture; default 1200x900", .read = read_size,
     .must = "WIDTHxHEIGHT, each 16 to 8192"},
    {"background", 0, "C", "colour behind the mesh: @; auto, the default, is shades of grey",
     .read = read_background, .words = "auto", .must = "auto or RRGGBB"},
    OPTION_END};

const option mesh_request_rest[] = {
    {"normals", 0, NULL, "write normals of the vertices too (obj, ply, vtk)",
     OPTION_FLAG(mesh_request, normals)},
    {"texture", 0, NULL,
     "write texture coordinates, the parameters u and v (obj, ply); glb always has both",
     OPTION_FLAG(mesh_request, texture)},
    OPTION_PRECISION("numbers to compute with: @; f32 is the default, f64 needs fp64"),
    OPTION_ROWS(request_device),
    OPTION_ROWS(pictures),
    OPTION_ROWS(request_sharing),
    OPTION_ROWS(request_messages),
    OPTION_ROWS(request_help),
    OPTION_END};

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
