/* A mesh with its vertices on the picture, from where it is drawn into rows of samples. */
#ifndef CLSPLINE_TOOLS_DRAW_RASTER_DRAWING_H
#define CLSPLINE_TOOLS_DRAW_RASTER_DRAWING_H

#include "camera.h"
#include "raster.h"
#include "raster_band.h"

enum { RASTER_SUB = 3 }; /* RASTER_SUB x RASTER_SUB samples a pixel */

typedef struct drawing {
    const mesh *m;
    const raster_paint *paint;
    const camera *view;
    vertex *vertices; /* of the mesh, then one for each corner of the faces that are on no grid,
                         whose normals end at creases */
    float pixel;      /* its side, in samples of the picture that is drawn */
    double side;      /* of the cut that is drawn: 1 where what is above the plane is left out, -1
                         below; 0: there is no cut */
} drawing;

/* Projects a mesh's vertices onto the picture of a camera whose pixels are samples. To be closed
   whatever happens. False when memory runs out. */
bool drawing_open(drawing *d, const mesh *m, const raster_paint *paint, const camera *c);

/* Presses the vertices onto the ground; in pixels, the picture's first one at (margin, margin). To
   be closed and may fail likewise. */
bool drawing_open_flat(drawing *d, const mesh *m, const raster_paint *paint, const camera *c,
                       size_t margin);

/* Draws all into a band. */
void drawing_draw(const drawing *d, band *b);

void drawing_close(drawing *d);

#endif
