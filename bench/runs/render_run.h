/* One case of evaluation and drawing: a Bezier patch whose control points change each frame, by
   several ways from the library's call to the vertices that OpenGL draws. */
#ifndef BENCH_RENDER_RUN_H
#define BENCH_RENDER_RUN_H

#include "render_memory.h"
#include "render_scene.h"

typedef struct render_case {
    size_t order, samples; /* control points and vertices in each direction */
    clsp_type precision;   /* of arithmetic; vertices are floats */
    bool lit;              /* with normals, 24 bytes a vertex; else 12, of one colour */
    double side;           /* of the frame's, that the patch takes: it covers the square of it */
    clsp_bezier_method method; /* of the plan */
} render_case;

/* The ways. */
typedef enum render_way {
    RENDER_SHARED,     /* the call writes what OpenGL draws */
    RENDER_STAGED,     /* it writes a map of that */
    RENDER_UPLOAD,     /* it writes host memory, which glBufferSubData copies */
    RENDER_EVALUATION, /* it writes a buffer of the device, and nothing is drawn */
    RENDER_DRAWING,    /* nothing is called, and the vertices of the first way are drawn */
    RENDER_WAYS
} render_way;

typedef struct render_result {
    bool has[RENDER_WAYS];          /* the way was there */
    bench_timing time[RENDER_WAYS]; /* of a frame */
    double error[RENDER_WAYS];      /* worst of vertices that OpenGL has, in eps of float * largest
                                       coordinate; NAN where nothing is read */
} render_result;

/* Measures a case by all ways in turns, after a look at what each has drawn. shared: the way gl or
   external, or auto where buffers are not shared. */
clsp_status render_run_measure(render_link *link, render_scene *scene, const render_case *c,
                               clsp_graphics_way shared, render_result *result);

#endif
