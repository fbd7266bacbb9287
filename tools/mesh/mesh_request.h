/* What command lines have in common that ask for meshes and pictures. */
#ifndef CLSPLINE_TOOLS_MESH_REQUEST_H
#define CLSPLINE_TOOLS_MESH_REQUEST_H

#include "raster.h"
#include "request.h"

/* Formats, in the order of the row of --format, as request_format numbers them. */
enum { FORMAT_NONE, FORMAT_OBJ, FORMAT_PLY, FORMAT_VTK, FORMAT_STL, FORMAT_GLB, FORMAT_PNG };

typedef struct mesh_request {
    request base;
    uint32_t samples; /* 0: not given */
    bool normals, texture;
    raster_view view; /* of a picture */
    option_list size; /* of it, in pixels */
} mesh_request;

#define MESH_REQUEST_DEFAULT                                                                       \
    {                                                                                              \
        .base = {.precision = MESH_F32}, .view = RASTER_VIEW_DEFAULT                               \
    }

/* Rows of --output and --format, and those that come behind a command's own. */
extern const option mesh_request_outputs[];
extern const option mesh_request_rest[];

/* Takes over what the rows above leave. EXIT_OK. */
int mesh_request_check(request *r);

/* Whether normals are needed, for the vertices or by a format that always has them. */
bool mesh_request_needs_normals(const mesh_request *r);

/* Whether a format needs normals even where they are not asked for. */
bool mesh_request_shows_normals(int format);

#endif
