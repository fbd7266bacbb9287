#include "picture_request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES(member, from, to)                                                                  \
    .read = read_degrees, .low = from, .high = to, .must = #from " to " #to " degrees",            \
    OPTION_PLACE(picture_request, member, double)

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

bool picture_read_up(void *place, const option *o, const char *text)
{
    static const option three = {.marks = ",", .counts = 1 << 3, .low = -1e30, .high = 1e30};
    camera_view *view = place;
    option_list list;
    const int number = option_number_of(o->words, text + (text[0] == '+' ? 1 : 0), true);
    view->has_up = number < 0;
    view->up = number < 0 ? CAMERA_UP_AUTO : (camera_up)number;
    if (number >= 0) return true;
    if (!option_read_list(&list, &three, text)) return false;
    memcpy(view->up_along, list.values, sizeof(view->up_along));
    return list.values[0] != 0 || list.values[1] != 0 || list.values[2] != 0;
}

const option request_camera[] = {
    {OPTION_UP(picture_request, picture.view.camera), OF_CAMERA},
    {"azimuth", 0, "DEG", "seen from the right of the front of the wider side: @; default about 30",
     DEGREES(picture.view.camera.turn, -360, 360), OF_CAMERA},
    {"elevation", 0, "DEG", "seen from above the horizon: @; default about 24",
     DEGREES(picture.view.camera.tilt, -90, 90), OF_CAMERA},
    {"direction", 0, "X,Y,Z", "instead of both, the direction in which the camera looks",
     OPTION_LIST(picture_request, picture.direction, ",", 1 << 3), .low = -1e30, .high = 1e30,
     .must = "X,Y,Z, not all of them 0", .excludes = "azimuth elevation", OF_CAMERA},
    {"orthographic", 0, NULL, "without perspective",
     OPTION_FLAG(picture_request, picture.view.camera.orthographic), OF_CAMERA},
    {"zoom", 0, "Z", "how much larger than what fills the picture, @; default 1",
     OPTION_NUMBER(picture_request, picture.view.camera.zoom, 0.01, 100), OF_CAMERA},
    {.name = NULL}};

const option request_background[] = {
    {"background", 0, "C", "colour behind the mesh: @; auto, the default, is shades of grey",
     .read = read_background, .place = offsetof(picture_request, picture.view), .words = "auto",
     .must = "auto or RRGGBB", .formats = "png"},
    {OPTION_NO_BACKGROUND, .excludes = "background"},
    {.name = NULL}};

static int check_direction(request *r)
{
    picture_options *o = &((picture_request *)r)->picture;
    camera_view *view = &o->view.camera;
    if (o->direction.num == 0) return EXIT_OK;
    memcpy(view->direction, o->direction.values, sizeof(view->direction));
    view->has_direction = true;
    for (int k = 0; k < 3; k++)
        if (view->direction[k] != 0) return EXIT_OK;
    return usage_error(r->command->name, "--direction must be X,Y,Z, not all of them 0");
}

int picture_request_distances(const request *r, int colors, const char *distance_to)
{
    if (colors == COLORING_DISTANCE && !distance_to)
        return usage_error(r->command->name, "--colors distance needs --distance-to FILE");
    if (colors != COLORING_DISTANCE && distance_to)
        return usage_error(r->command->name, "--distance-to is of --colors distance");
    return EXIT_OK;
}

int picture_request_check(request *r)
{
    picture_options *o = &((picture_request *)r)->picture;
    const bool has_values = coloring_has_values(o->colors);
    const bool has_colors = o->range.num > 0 || o->view.bar || request_has(r, "colormap");
    o->own_colors = !request_has(r, "colors");
    if (o->size.num == 2) {
        o->view.width = (size_t)o->size.values[0];
        o->view.height = (size_t)o->size.values[1];
    }
    if (o->range.num > 0 && o->range.values[0] >= o->range.values[1])
        return usage_error(r->command->name, "--range must be LO,HI with LO below HI");
    if (request_has(r, "colors") && !has_values && has_colors)
        return usage_error(r->command->name, "--%s is of --colors mean, gauss or distance",
                           o->view.bar        ? "bar"
                           : o->range.num > 0 ? "range"
                                              : "colormap");
    const int status = picture_request_distances(r, (int)o->colors, o->distance_to);
    return status == EXIT_OK ? check_direction(r) : status;
}

bool picture_request_colors(const picture_options *o, coloring *c, const double *values, size_t num,
                            double least)
{
    *c = (coloring){
        .kind = o->colors, .map = o->map, .low = o->range.values[0], .high = o->range.values[1]};
    return o->range.num > 0 || coloring_fit(c, values, num, least);
}
