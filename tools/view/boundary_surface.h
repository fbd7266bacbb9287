/* The boundary of a solid on its way to the screen, and of what a plane leaves of it. All faces
   have equally many samples. */
#ifndef CLSPLINE_TOOLS_BOUNDARY_SURFACE_H
#define CLSPLINE_TOOLS_BOUNDARY_SURFACE_H

#include "boundary_faces.h"
#include "solid_model.h"
#include "view_mesh.h"

/* A plane that hides the cells on one side of it: those whose middle is further along an axis, or
   in a direction. */
typedef struct solid_cut {
    bool is_on;
    int axis;         /* CUT_SLANTED: none, but: */
    double share;     /* of the extent of the cells' middles along it, 0 to 1 */
    double across[3]; /* the direction */
} solid_cut;

enum { CUT_SLANTED = 3 };

typedef struct boundary_surface {
    const solid_model *m;
    solid_model shell; /* of the whole boundary */
    solid_cut cut;
    boundary_faces faces;          /* those that are drawn */
    clsp_solid_plan *whole, *all;  /* plans of the shell and, once there was a cut, of all cells */
    bool whole_is_old, all_is_old; /* points have moved since they were loaded */
    double bend;              /* the largest second difference of 5 x 5 samples; below 0: unknown */
    uint32_t samples;         /* along an edge of a face */
    uint32_t *same;           /* [vertices]: the vertex whose point each of them has */
    int channel;              /* of points that is shown; -1: none */
    uint32_t components;      /* of what is shown; its length is, of several */
    const solid_array *shown; /* data of cells that are shown; NULL: none */
    float *made;              /* what the plan makes, in parts */
} boundary_surface;

/* Takes a model whose cells are hexahedra, with their index, and must outlive the surface. Shows
   the data of this name, or with NULL the first of points, else of cells. Complains on failure,
   also where there are no data of the name; to be closed whatever happens. */
bool boundary_surface_open(boundary_surface *s, const solid_model *m, const char *array);

/* Tells whether there are data to be shown. */
bool boundary_surface_has_data(const boundary_surface *s);

/* Sets the cut and the samples along the edges of faces, and makes the mesh, whose marks have the
   data of cells. Complains on failure. */
bool boundary_surface_set(boundary_surface *s, solid_cut cut, uint32_t samples, view_mesh *m);

/* Takes notice that the model's points have moved; what a cut hides stays as it is. Complains on
   failure. */
bool boundary_surface_move(boundary_surface *s);

/* Evaluates all vertices, and sets the marks' values where data of points are shown. Vertices that
   faces share get equal points. Complains on failure. */
bool boundary_surface_eval(boundary_surface *s, view_mesh *m, float *vertices);

/* Finds how many samples along an edge keep triangles within a length of the limit, about: from
   second differences of 5 x 5 samples of each face. They are 2 to `most`. Complains, and returns 0,
   on failure. */
uint32_t boundary_surface_samples(boundary_surface *s, double length, uint32_t most);

/* Counts the triangles of the faces that are drawn. */
uint64_t boundary_surface_triangles(const boundary_surface *s, uint32_t samples);

void boundary_surface_close(boundary_surface *s);

#endif
