/* What is drawn: one grid of vertices as triangle strips with restart, in a frame of 1920 x 1080
   without multisampling, with a depth test. */
#ifndef BENCH_RENDER_SCENE_H
#define BENCH_RENDER_SCENE_H

#include "gl_frame.h"
#include "render_link.h"

enum { RENDER_WIDTH = 1920, RENDER_HEIGHT = 1080 };

typedef struct render_scene {
    const render_link *link;
    gl_frame frame;
    GLuint programs[2]; /* of one colour; lit by a light, by normals */
    GLuint indices;
    size_t samples; /* of the grid in each direction that the indices are of; 0: of none */
    GLsizei num_indices;
} render_scene;

/* False with a message; to be closed whatever happens. */
bool render_scene_open(render_scene *s, const render_link *link, io_message *message);
void render_scene_close(render_scene *s);

/* Makes the indices of a grid of samples x samples vertices. False with a message. */
bool render_scene_grid(render_scene *s, size_t samples, io_message *message);

/* Draws vertices and waits until it is done. */
void render_scene_draw(const render_scene *s, GLuint array, bool lit);

/* The share of the frame's pixels that are other than the background; NAN without memory. */
double render_scene_coverage(const render_scene *s);

#endif
