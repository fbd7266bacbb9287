/* What command lines have in common that ask for pictures. */
#ifndef CLSPLINE_TOOLS_PICTURE_REQUEST_H
#define CLSPLINE_TOOLS_PICTURE_REQUEST_H

#include "raster.h"
#include "request.h"

/* The picture that is asked for. */
typedef struct picture_options {
    raster_view view;
    option_list size, range, direction; /* as they were given */
    coloring_kind colors;
    const char *distance_to; /* the file of COLORING_DISTANCE; NULL else */
    color_map map;
    bool edges;
    bool own_colors; /* where the model has some: --colors was not given */
} picture_options;

#define PICTURE_OPTIONS_DEFAULT                                                                    \
    {                                                                                              \
        .view = RASTER_VIEW_DEFAULT                                                                \
    }

/* What all requests begin with to which the rows below belong. */
typedef struct picture_request {
    request base;
    picture_options picture;
} picture_request;

/* A request of another type must have these members in these places. */
#define PICTURE_REQUEST_CHECK(type)                                                                \
    _Static_assert(offsetof(type, picture) == offsetof(picture_request, picture),                  \
                   "a request begins as a picture_request does")

/* What rows of the camera say of themselves. */
#define OF_CAMERA .formats = "png", .is_camera = true

/* The pixels of a picture, and the range of colours. */
#define OPTION_PICTURE_SIZE                                                                        \
    "size", 0, "WxH", "pixels of a picture; default 1200x900",                                     \
        OPTION_LIST(picture_request, picture.size, "xX", 1 << 2),                                  \
        .low = 16, .high = 8192, .must = "WIDTHxHEIGHT, each 16 to 8192", OF_CAMERA
#define OPTION_PICTURE_RANGE(text)                                                                 \
    "range", 0, "LO,HI", text, OPTION_LIST(picture_request, picture.range, ",", 1 << 2),           \
        .low = -1e300, .high = 1e300, .must = "LO,HI with LO below HI"
#define OPTION_COLORS(text, list)                                                                  \
    "colors", 0, "WHAT", text, OPTION_WORD(picture_request, picture.colors, list), .formats = "png"
#define OPTION_DISTANCE_TO(text, type, member)                                                     \
    "distance-to", 0, "FILE",                                                                      \
        text ": curves or surfaces (.g2, .json, .igs, .step, .bv), or points of any other file "   \
             "(.npy, .xyz, .ply, CSV)",                                                            \
        OPTION_TEXT(type, member), .is_file = true
#define OPTION_PICTURE_EDGES(text)                                                                 \
    "edges", 0, NULL, text, OPTION_FLAG(picture_request, picture.edges), .formats = "png"
/* Beside the mesh, and the colours of outputs in some formats. */
#define OPTION_BAR                                                                                 \
    "bar", 0, NULL, "beside the mesh, a bar that tells which value has which colour",              \
        OPTION_FLAG(picture_request, picture.view.bar), .needs = "colors array distance-to",       \
                                                        .formats = "png"
#define OPTION_COLORMAP(list)                                                                      \
    "colormap", 0, "MAP",                                                                          \
        "colours from the least value to the greatest: @; auto is diverging for curvature, else "  \
        "viridis",                                                                                 \
        OPTION_WORD(picture_request, picture.map, COLOR_MAP_WORDS),                                \
        .needs = "colors array distance-to", .formats = list

#define OPTION_NO_BACKGROUND                                                                       \
    "no-background", 0, NULL, "nothing behind the mesh: the picture is transparent there",         \
        OPTION_FLAG(picture_request, picture.view.no_background), .formats = "png"

/* Reads what points up into a camera_view: one of the row's words, also with the sign +, or three
   numbers. */
bool picture_read_up(void *view, const option *o, const char *text);

/* The row of it. */
#define OPTION_UP(type, member)                                                                    \
    "up", 0, "AXIS",                                                                               \
        "axis or direction that points up: @; auto is y, but z for a thing much longer in y than " \
        "in x and z",                                                                              \
        .read = picture_read_up, .place = offsetof(type, member), .words = CAMERA_UP_WORDS,        \
        .must = "auto, x, y, z, -x, -y, -z or X,Y,Z"

extern const option request_camera[];     /* from where */
extern const option request_background[]; /* before what */

/* Takes over what the rows above leave. EXIT_OK, or EXIT_USAGE with a complaint. */
int picture_request_check(request *r);

/* Complains where a colouring and the file of distances do not go together. Returns EXIT_OK or
   EXIT_USAGE. */
int picture_request_distances(const request *r, int colors, const char *distance_to);

/* Sets the range of colours that was given; else that of the values, and of curvature at least
   -least..least. False when memory runs out. */
bool picture_request_colors(const picture_options *o, coloring *c, const double *values, size_t num,
                            double least);

#endif
