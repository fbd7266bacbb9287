/* The boundary of a solid as a mesh: its vertices are corners of faces, then points within edges,
   then within faces, so that faces share what is theirs. */
#ifndef CLSPLINE_TOOLS_SOLID_SURFACE_H
#define CLSPLINE_TOOLS_SOLID_SURFACE_H

#include "mesh.h"
#include "progress.h"
#include "solid_boundary.h"

typedef struct solid_surface {
    const solid_model *m;
    solid_samples *samples; /* of faces; NULL: control points */
    uint32_t num;           /* samples along an edge */
    const boundary_faces *faces;
    uint32_t *edges, *vertex; /* of corners of faces; of the mesh's vertices, from 1 on */
    uint32_t num_corners, num_edges;
    bool *flips;  /* faces that are turned around */
    bool inward;  /* all of them are */
    mesh result;  /* of each face (num - 1)^2 quadrilaterals, outward */
    double *data; /* [result's vertices][num_data]: data of points, where they are wanted */
    uint32_t num_data;
} solid_surface;

/* Makes the mesh, of samples or where the request asks for none of control points, with data of
   points and normals where they are wanted. To be closed whatever happens. False with a complaint.
 */
bool solid_surface_make(solid_surface *w, const solid_model *m, solid_boundary *boundary,
                        bool with_data, bool with_normals, progress_bar *bar);

/* Lists the lines along the edges of all faces: [*num][2] vertices, which the caller frees. NULL
   with a complaint. */
uint32_t *solid_surface_edges(const solid_surface *w, size_t *num);

void solid_surface_close(solid_surface *w);

#endif
