/* A model before a camera: what the window and pictures have in common. */
#ifndef CLSPLINE_TOOLS_STAGE_H
#define CLSPLINE_TOOLS_STAGE_H

#include "distance_set.h"
#include "scene.h"
#include "view_model.h"

/* Triangles that are drawn at most, on CPUs while something moves and at rest, and on GPUs. */
enum { STAGE_MOVING = 250000, STAGE_RESTING = 1000000, STAGE_GPU = 8000000 };

#define STAGE_TOLERANCE 0.25 /* of triangles, in pixels */

typedef struct stage {
    const view_request *r;
    clsp_context *ctx;
    view_model *model;
    scene scene;
    scene_style style;
    camera view;
    double tolerance;
    bool is_software;          /* OpenGL draws on the CPU */
    bool may_export;           /* there will be many frames: Vulkan may be started for them, */
    bool said_why;             /* vertices go through host memory */
    vulkan_exporter *exporter; /* then */
    distance_set *distances;   /* NULL: none were asked for */
    float *values;             /* [num_values]: distances of the vertices */
    size_t num_values;
    bool is_measured, shows_values; /* they suit the vertices, and are what is shown */
    bool shows_controls, shows_bar;
    bool has_curvature;                               /* among the vertices that are there */
    bool is_loaded, is_sampled, is_evaluated, is_fit; /* what still suits model and style */
} stage;

/* Reads the model's files. Complains on failure; to be closed whatever happens. */
bool stage_open(stage *s, const view_request *r);

/* Opens the device beside the OpenGL context that is current, which `graphics` has, makes what
   plans and OpenGL need, and places the camera in a picture. Complains on failure. */
bool stage_begin(stage *s, const clsp_graphics_context *graphics, int width, int height);

/* Places the camera as the request has it. */
void stage_place(stage *s, int width, int height);

/* Colours by something else, if the model has it. Returns whether. */
bool stage_color(stage *s, coloring_kind kind);

/* Makes all that a frame needs and is not there: samples, vertices, colours, control points.
   Complains on failure. */
bool stage_update(stage *s, bool moving);

/* Says how vertices come to OpenGL: by gl, external or staged, as graphics.h calls it. */
const char *stage_way(const stage *s);

/* Draws into a frame, and over it the bar of the colours where it is shown. Complains on failure.
 */
bool stage_draw(stage *s, const gl_frame *f, size_t chosen);

/* Draws a text over a frame, on paper, at the top or the bottom of the picture. Complains on
   failure. */
bool stage_draw_text(const stage *s, const gl_frame *f, const char *text, bool at_bottom);

/* Reads the files of a request in the place of the model, which stays where that fails; the camera
   stays. Complains on failure. r must stay. */
bool stage_replace(stage *s, const view_request *r);

void stage_close(stage *s);

#endif
