/* A solid on its way from a file to its limit: the mesh as it was read, with creases, refined. */
#ifndef CLSPLINE_TOOLS_SOLID_MODEL_H
#define CLSPLINE_TOOLS_SOLID_MODEL_H

#include <clspline/clspline.h>

#include "solid_cells.h"
#include "solid_request.h"

/* Numbers of each point besides its coordinates, and the first channel that they are. */
typedef struct solid_channel {
    const char *name;
    uint32_t components, first;
} solid_channel;

/* Samples of cells: along u and v, and along w; along 0: none, across 1: those at w = 0. */
typedef struct solid_grid {
    uint32_t along, across;
} solid_grid;

typedef struct solid_model {
    const solid_request *r;
    clsp_context *ctx;
    solid_cells cells; /* as read */
    solid_channel fields[CLSP_SOLID_MAX_DIM];
    size_t num_fields;
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;
    uint32_t channels;
    double *points;   /* [num_vertices][channels] */
    double origin[3]; /* the place from which points count, 0 unless solid_model_centre moved it */
    uint32_t *index;  /* [num_cells][8], once solid_model_index has been called */
    uint32_t refined; /* how often */
    bool keeps_coarser; /* points may move: refinement keeps the meshes that it begins with: */
    clsp_solid_mesh **coarser; /* [refined] */
    uint32_t outside; /* vertices of a shell (solid_shell.h) that are on its outside, its first
                         ones; 0: the mesh is the solid's */
    uint32_t *source; /* [num_cells]: of refined cells that have data, the file's; NULL: the same */
} solid_model;

/* Chooses the data that come along, and finds those that the request names: before a device is
   opened, whose threads may still be at work when the command ends. False with a complaint. */
bool solid_model_choose(solid_model *m);

/* Makes the mesh of the cells, which have been read, with the creases that are asked for. False
   with a complaint. */
bool solid_model_make(solid_model *m);

/* Makes the mesh of m->cells alone, whose creases have this sharpness, NULL: stay sharp. False with
   a complaint. */
bool solid_model_create(solid_model *m, const float *sharpness, bool orient);

/* Refines the mesh once, and takes its creases away when that was the last step that has them.
   False with a complaint. */
bool solid_model_refine(solid_model *m);

/* Makes the points anew after those of the cells have moved, by the meshes that have been kept.
   False with a complaint. */
bool solid_model_move(solid_model *m);

/* Lets points count from the middle of their box, so that rounding is that of the solid's size,
   however far away it is. */
void solid_model_centre(solid_model *m);

/* Writes the cells of a hexahedral mesh to m->index, unless they are there. */
bool solid_model_index(solid_model *m);

/* Counts the cells that are flat or inside out, judged by their edges' middle directions. The index
   must be there. */
size_t solid_model_odd_cells(const solid_model *m);

/* Tells whether the mesh is to be refined once more before it is evaluated or written. */
bool solid_model_is_coarse(const solid_model *m);

/* Returns the file's cell that a cell is a part of. */
size_t solid_model_source(const solid_model *m, size_t cell);

/* Finds the data of cells that the request names; NULL: it names none, or data of points. */
const solid_array *solid_model_shown(const solid_model *m);

/* Finds the data of points that the request names; NULL: it names none, or data of cells. */
const solid_channel *solid_model_field(const solid_model *m);

/* Complains that there are no data of the name that the request has, and lists what there are.
   Returns false. */
bool solid_model_no_array(const solid_model *m);

/* Makes a plan of the mesh, whose cells have a grid and whose vertices these attributes, and loads
   the points. False with a complaint. */
bool solid_model_plan(const solid_model *m, mesh_precision precision, solid_grid grid,
                      uint32_t attributes, clsp_solid_plan **plan);

/* Loads the points into such a plan. False with a complaint. */
bool solid_model_load(const solid_model *m, mesh_precision precision, clsp_solid_plan *plan);

void solid_model_clear(solid_model *m);

/* Complains of a want of memory. Returns false. */
bool solid_model_memory(const solid_model *m);

#endif
