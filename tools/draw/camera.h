/* Where a mesh is seen from: by default three quarters above, with little perspective, filling the
   picture. */
#ifndef CLSPLINE_TOOLS_IO_CAMERA_H
#define CLSPLINE_TOOLS_IO_CAMERA_H

#include <stdbool.h>

#include "mesh.h"

typedef enum camera_up {
    CAMERA_UP_AUTO = 0, /* y, but z for a thing so long along y that it must be lying */
    CAMERA_UP_X,
    CAMERA_UP_Y,
    CAMERA_UP_Z,
    CAMERA_UP_MINUS_X,
    CAMERA_UP_MINUS_Y,
    CAMERA_UP_MINUS_Z
} camera_up;

#define CAMERA_UP_WORDS "auto x y z -x -y -z"

/* From where to look. */
typedef struct camera_view {
    camera_up up;
    bool has_up;        /* in its place: */
    double up_along[3]; /* what points up, of any length but 0 */
    double turn,
        tilt;    /* radians: to the side, from the front of the wider side; above the horizon */
    double zoom; /* 1: the mesh fills the picture */
    bool orthographic;   /* without perspective */
    bool has_direction;  /* in place of turn and tilt: */
    double direction[3]; /* in which to look, of any length */
} camera_view;

/* Three quarters from above, all of it. */
#define CAMERA_VIEW_DEFAULT                                                                        \
    {                                                                                              \
        .up = CAMERA_UP_AUTO, .turn = 0.52, .tilt = 0.42, .zoom = 1                                \
    }

/* Camera axes in the mesh's space, and where things are. Positions are taken in units of `unit`
   from `center`, which stands CAMERA_DISTANCE units away. */
typedef struct camera {
    double right[3], up[3], toward[3]; /* toward the viewer */
    double center[3], unit;
    double across[3], front[3], vertical[3]; /* the axes that turn and tilt count from */
    double turn, tilt;
    bool orthographic;
    int up_axis;            /* of the mesh's space; CAMERA_NO_AXIS: `vertical` is none */
    double ground;          /* where the mesh stands: its lowest point along that axis, or how far
                               that is along `vertical` from the center, in units */
    double scale, shift[2]; /* from the image plane to the picture */
    double width, height;   /* of the picture */
} camera;

enum { CAMERA_NO_AXIS = 3 };

#define CAMERA_DISTANCE 5.0 /* in half diagonals of the bounding box: little perspective */

/* The camera that shows the mesh in the middle of a picture of this size; all of it where the zoom
   is 1 at most. */
camera camera_place(const mesh *m, const camera_view *view, double width, double height);

/* The image-plane position of a point and the reciprocal of its depth; x runs right, y down. Times
   `scale` plus `shift`, it is a position on the picture. Without perspective w is no reciprocal,
   but likewise linear on the picture, and larger nearer to the viewer. */
void camera_project(const camera *c, const double position[3], double *x, double *y, double *w);

/* Moves a point of the mesh's space onto the ground, straight down or up. */
void camera_flatten(const camera *c, double position[3]);

/* A length in the mesh's space that nowhere on the mesh is more than a pixel on the picture, at
   depths of at least 1 / w. Any w that is no such depth stands for the nearest that the mesh can
   be.
 */
double camera_pixel_length(const camera *c, double w);

/* ---- moves: the distance and the zoom stay as they are unless they are what is moved ---- */

/* From a side: turn and tilt that look at the front of the wider side, and so on around. */
typedef enum camera_side {
    CAMERA_FRONT,
    CAMERA_BACK,
    CAMERA_LEFT,
    CAMERA_RIGHT,
    CAMERA_TOP,
    CAMERA_BOTTOM
} camera_side;

/* Looks from an angle, in radians; tilt is held between straight down and straight up. */
void camera_look(camera *c, double turn, double tilt);

/* Looks from a side. */
void camera_look_from(camera *c, camera_side side);

/* Goes around the center by angles: a turntable, whose axis stays upright. */
void camera_orbit(camera *c, double turn, double tilt);

/* Moves the picture by pixels, right and down. */
void camera_pan(camera *c, double x, double y);

/* Makes all larger by a factor, about a place on the picture that stays where it is. */
void camera_zoom(camera *c, double factor, double x, double y);

/* Goes to a picture of another size: what was in its middle stays there, as large as its shorter
   side. */
void camera_resize(camera *c, double width, double height);

/* ---- matrices for OpenGL, by columns, for column vectors ---- */

/* From the mesh's space to the camera's: x right, y up, z toward the viewer, who is at 0; lengths
   in units. Positions far away from 0 lose digits in it: those who draw such a mesh take them from
   `center` first and give this as `origin`; NULL: 0. */
void camera_view_matrix(const camera *c, const double origin[3], float matrix[16]);

/* From the camera's space to clip coordinates: places on the picture are those of camera_project.
   Depths from 1 to 2 CAMERA_DISTANCE - 1 units are seen. */
void camera_projection_matrix(const camera *c, float matrix[16]);

#endif
