/* What command lines have in common that ask for meshes and pictures. */
#ifndef CLSPLINE_TOOLS_MESH_REQUEST_H
#define CLSPLINE_TOOLS_MESH_REQUEST_H

#include "picture_request.h"

/* Formats, in the order of the row of --format, as request_format numbers them. */
enum { FORMAT_NONE, FORMAT_OBJ, FORMAT_PLY, FORMAT_VTK, FORMAT_STL, FORMAT_GLB, FORMAT_PNG };

typedef struct mesh_request {
    request base;
    picture_options picture;
    uint32_t samples;  /* 0: not given */
    double deflection; /* of CAD files' meshes, in % of a part's diagonal; 0: not given */
    bool normals, texture;
} mesh_request;

#define MESH_REQUEST_DEFAULT                                                                       \
    {                                                                                              \
        .base = {.precision = MESH_F32}, .picture = PICTURE_OPTIONS_DEFAULT                        \
    }

/* Rows of --output and --format, and those that come behind a command's own. */
extern const option mesh_request_outputs[];
extern const option mesh_request_rest[];

/* Checks what pictures, and meshes in parts, need. EXIT_OK, or else with a complaint. */
int mesh_request_check(request *r);

/* What the vertices' values are needed for: the colours of a picture, if there is one. */
coloring_kind mesh_request_colors(const mesh_request *r);

/* Whether normals are needed, for the vertices or by a format that always has them. */
bool mesh_request_needs_normals(const mesh_request *r);

/* Whether a format needs normals even where they are not asked for. */
bool mesh_request_shows_normals(int format);

#endif
