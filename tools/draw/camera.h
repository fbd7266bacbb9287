/* Where a mesh is seen from: by default three quarters above, with little perspective, filling the
   picture. */
#ifndef CLSPLINE_TOOLS_IO_CAMERA_H
#define CLSPLINE_TOOLS_IO_CAMERA_H

#include "mesh.h"

typedef enum camera_up {
    CAMERA_UP_AUTO = 0, /* y, but z for a thing so long along y that it must be lying */
    CAMERA_UP_X,
    CAMERA_UP_Y,
    CAMERA_UP_Z
} camera_up;

/* From where to look. */
typedef struct camera_view {
    camera_up up;
    double turn,
        tilt;    /* radians: to the side, from the front of the wider side; above the horizon */
    double zoom; /* 1: the mesh fills the picture */
} camera_view;

/* Three quarters from above, all of it. */
#define CAMERA_VIEW_DEFAULT                                                                        \
    {                                                                                              \
        .up = CAMERA_UP_AUTO, .turn = 0.52, .tilt = 0.42, .zoom = 1                                \
    }

/* Camera axes in the mesh's space, and where things are. Positions are taken in units of `unit`
   from `center`. */
typedef struct camera {
    double right[3], up[3], toward[3]; /* toward the viewer */
    double center[3], unit;
    int up_axis;            /* of the mesh's space */
    double ground;          /* where the mesh stands: its lowest point along that axis */
    double scale, shift[2]; /* from the image plane to the picture */
} camera;

/* The camera that shows the mesh in the middle of a picture of this size; all of it where the zoom
   is 1 at most. */
camera camera_place(const mesh *m, const camera_view *view, double width, double height);

/* The image-plane position of a point and the reciprocal of its depth; x runs right, y down. Times
   `scale` plus `shift`, it is a position on the picture. */
void camera_project(const camera *c, const double position[3], double *x, double *y, double *w);

/* A length in the mesh's space that nowhere on the mesh is more than a pixel on the picture, at
   depths of at least 1 / w. Any w that is no such depth stands for the nearest that the mesh can
   be.
 */
double camera_pixel_length(const camera *c, double w);

#endif
