/* The boundary of a solid: its faces, and samples of the limit on them. */
#ifndef CLSPLINE_TOOLS_SOLID_BOUNDARY_H
#define CLSPLINE_TOOLS_SOLID_BOUNDARY_H

#include "boundary_faces.h"
#include "solid_samples.h"

typedef struct solid_boundary {
    boundary_faces faces;  /* of the model's cells */
    solid_model shell;     /* of these faces */
    solid_samples samples; /* of its cells, w = 0 alone: [faces][samples][samples][channels]; its
                              samples are 0 where none are asked for */
} solid_boundary;

/* Finds the faces of a model, whose index must be there, and prepares as many samples of each
   along both directions as the request says. To be closed whatever happens. False with a
   complaint. */
bool solid_boundary_open(solid_boundary *b, const solid_model *m, mesh_precision precision);

void solid_boundary_close(solid_boundary *b);

#endif
