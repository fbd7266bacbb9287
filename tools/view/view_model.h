/* A model as it is shown: read from files of any kind, evaluated by plans that stay, with control
   points that can be moved. */
#ifndef CLSPLINE_TOOLS_VIEW_MODEL_H
#define CLSPLINE_TOOLS_VIEW_MODEL_H

#include "control_moves.h"
#include "patch_surface.h"
#include "boundary_surface.h"
#include "spline_pieces.h"
#include "view_request.h"

enum { VIEW_MOST_PATCHES = 1 << 20 };

typedef enum view_kind { VIEW_PATCHES, VIEW_SPLINES, VIEW_SOLID } view_kind;

typedef struct view_model {
    clsp_context *ctx;
    const view_request *r;
    view_kind kind;
    bezierview content; /* patches as they are read, or pieces of splines */
    patch_surface patches;
    splines from; /* splines as they are read */
    spline_pieces pieces;
    solid_request solid_request;
    solid_model solid;
    size_t read_creases; /* of the solid's file; others follow from lines and angles */
    boundary_surface boundary;
    solid_cut cut;
    control_points controls;
    double diagonal;    /* of the box around the control points */
    float *face_colors; /* of the triangles of a CAD file's faces, 0xRRGGBB; NULL: none */
    view_mesh mesh;
    mesh outline; /* positions of a coarse mesh, for cameras to be placed */
} view_model;

/* Reads the request's files. NULL with a complaint. */
view_model *view_model_read(const view_request *r);

/* Makes the plans of a model that has been read. Complains on failure: the model can only be closed
   then. */
bool view_model_make(view_model *m, clsp_context *ctx);

/* Does both. NULL with a complaint. */
view_model *view_model_open(clsp_context *ctx, const view_request *r);

/* Tells whether a model has data to be coloured by, curvatures, and colours of its own. */
bool view_model_has_data(const view_model *m);
bool view_model_has_curvature(const view_model *m);
bool view_model_has_colors(const view_model *m);

/* Chooses samples such that triangles are within a tolerance in pixels of what the camera shows,
   and no more than the budget, and makes the mesh anew where they have changed: *changed. Complains
   on failure. */
bool view_model_sample(view_model *m, const camera *c, double tolerance, uint64_t budget,
                       bool *changed);

/* Hides a part of a solid; other models stay as they are. Complains on failure. */
bool view_model_cut(view_model *m, solid_cut cut);

/* Evaluates all vertices: into host memory, or into a buffer of graphics, which is for models whose
   vertices are as the device makes them. Complains on failure. */
bool view_model_eval(view_model *m, bool curvature, const vertex_target *to);
bool view_model_stays_on_device(const view_model *m);

/* Fills the vertices that are as they are, [count][VIEW_STRIDE] from the first on, which stay out
   of a buffer of graphics; with NULL it tells only which these are. */
void view_model_fixed(const view_model *m, float *vertices, size_t *first, size_t *count);

/* Tells whose point each vertex in a buffer of graphics is to have, so that no crack is seen:
   place[num_vertices]. */
void view_model_places(const view_model *m, uint32_t *place);

/* Takes notice that control points have moved. Complains on failure. */
bool view_model_moved(view_model *m);

/* Releases a model, which may be NULL. */
void view_model_close(view_model *m);

#endif
