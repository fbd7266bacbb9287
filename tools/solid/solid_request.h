/* The command lines of jobs on meshes of cells: eval, convert, slice, locate and probe. */
#ifndef CLSPLINE_TOOLS_SOLID_REQUEST_H
#define CLSPLINE_TOOLS_SOLID_REQUEST_H

#include "image_file.h"
#include "length_unit.h"
#include "picture_request.h"

enum { SOLID_MAX_REFINE = 20, SOLID_MAX_PLANES = 65536 };

/* Formats of the solid and its boundary, as request_format numbers them. */
typedef enum solid_format {
    SOLID_NONE,
    SOLID_VTU,
    SOLID_PLY,
    SOLID_OBJ,
    SOLID_STL,
    SOLID_GLB,
    SOLID_PNG
} solid_format;

/* Formats of the places and data of points. */
enum { PLACES_CSV = 1, PLACES_NPY };

/* Units of a mesh's lengths. */

typedef struct solid_request {
    request base;
    picture_options picture; /* of the boundary */
    image_format image;      /* of a slice */

    /* the mesh */
    double merge; /* points that are no farther apart become one; below 0: none do */
    uint32_t refine;
    bool orient;         /* cells that are inside out are turned */
    double crease_angle; /* degrees; below 0: no creases by angles */
    double crease_steps; /* their sharpness */
    bool has_steps;

    /* what is made of it */
    uint32_t samples; /* along each direction of a cell; 0: the cells themselves */
    bool bezier, classes, normals;
    bool slices;         /* there is a slice, or several: */
    bool is_stack;       /* several were asked for, if only one came of it */
    uint32_t axis;       /* across them, 0 to 2 */
    double height;       /* of the first, along that */
    double step;         /* from one to the next */
    size_t planes;       /* how many there are */
    uint32_t size;       /* pixels along the longer side; 0: by pixel */
    double pixel;        /* side of a pixel; 0: by size */
    length_unit unit;    /* of lengths, for resolutions */
    const char *array;   /* whose values are shown; NULL: all */
    bool cuts;           /* a picture of the boundary is cut open, */
    uint32_t cut_axis;   /* across this axis, */
    double cut_height;   /* at this height */
    const char *points;  /* a file of points that are looked for; NULL: none */
    bool probes;         /* their data are */
    const char *columns; /* of it; NULL: as it has them */
    bool nearest;        /* of points outside the nearest one of the solid is written */
    double tolerance;    /* up to which points outside are found at their nearest one */
    bool has_precision;  /* else the default */
} solid_request;

PICTURE_REQUEST_CHECK(solid_request);

/* Tells whether an output has cells, and not their boundary. */
bool solid_request_has_cells(const solid_request *r, const char *path);

/* Tells whether a picture of the boundary shows what the inside is needed for. */
bool solid_request_shows_data(const solid_request *r);

/* Tells whether points are looked for. */
static inline bool solid_request_has_points(const solid_request *r)
{
    return r->points != NULL;
}

/* Does what a solid_request asks for. Returns the exit status. */
int solid_run(request *r);

#endif
