/* A small software rasteriser: a shaded picture of a mesh, on a ground with its shadow. */
#ifndef CLSPLINE_TOOLS_IO_RASTER_H
#define CLSPLINE_TOOLS_IO_RASTER_H

#include <stdint.h>

#include "camera.h"
#include "color.h"
#include "mesh.h"
#include "output.h"

/* The picture to draw. */
typedef struct raster_view {
    camera_view camera;
    size_t width, height;
    bool has_background;         /* of one colour, else of shades of grey */
    unsigned char background[3]; /* sRGB */
    bool no_background;          /* transparent, without a shadow */
    bool bar;                    /* at the right, of colours with values */
} raster_view;

/* The default camera's view in 1200 x 900 pixels. */
#define RASTER_VIEW_DEFAULT                                                                        \
    {                                                                                              \
        .camera = CAMERA_VIEW_DEFAULT, .width = 1200, .height = 900                                \
    }

/* Values on a plane, for the face of a cut: of pixel (i, j), whose middle is at
   low[0] + (j + 1/2) pixel along axis across[0] and low[1] + (rows - i - 1/2) pixel along
   across[1]; NaN outside of what is cut. */
typedef struct raster_section {
    uint32_t across[2];
    double low[2], pixel;
    size_t rows, columns;
    const double *values; /* [rows][columns] */
    bool is_stepped;      /* values change in steps, and have none between them */
} raster_section;

/* A cut through a closed mesh whose faces run counterclockwise seen from outside: what is on the
   viewer's side of a plane is not drawn, and the mesh is closed along it. */
typedef struct raster_cut {
    uint32_t axis;                 /* across the plane, 0 to 2 */
    double height;                 /* along that */
    const raster_section *section; /* colours on the plane; NULL: one */
} raster_cut;

/* How a mesh is painted. All zero: in one colour. */
typedef struct raster_paint {
    coloring colors;      /* COLORING_OWN: by the mesh's, which all vertices of a face share */
    const double *values; /* to be coloured: of the vertices from first_point on, or of the faces;
                             NULL: none */
    bool of_faces;
    const char *title;     /* of the bar */
    const uint32_t *edges; /* [num_edges][2]: vertices between which there are dark lines */
    size_t num_edges;
    size_t first_point;    /* vertices from here on are little spheres, */
    bool has_points;       /* where this is set */
    const raster_cut *cut; /* NULL: none */
} raster_paint;

/* The camera of a picture, with this many samples of it in a pixel along each direction. */
camera raster_camera(const mesh *m, const raster_view *view, size_t samples);

/* Draws a mesh with normals into rgba[height][width][4] (sRGB, alpha 255 where there is a
   background). Both sides of a face are lit alike. Faces that are on none of the mesh's grids are
   shaded by mesh_corner_normals, so that edges stay edges. Curves are lines of a few pixels. Faces
   with a position that is not finite are left out. paint may be NULL. False when memory runs out.
 */
bool raster_render(const mesh *m, const raster_paint *paint, const raster_view *view,
                   unsigned char *rgba, const io_progress *progress);

#endif
