/* Drawing a model by OpenGL: its surface in the light of pictures, curves, control points, and
   words before it. */
#ifndef CLSPLINE_TOOLS_SCENE_H
#define CLSPLINE_TOOLS_SCENE_H

#include "camera.h"
#include "color.h"
#include "gl_frame.h"
#include "glyphs.h"
#include "shaders.h"
#include "vertex_buffer.h"
#include "view_mesh.h"

/* What is shown of a model. */
typedef struct scene_style {
    coloring colors;
    bool wires, edges, zebra, backdrop;
} scene_style;

/* A rectangle of words on the picture, its upper left corner at (x, y). */
typedef struct scene_label {
    rgba_image image;
    int x, y;
} scene_label;

enum { SCENE_STYLES = (COLORING_OWN + 1) << 5 /* shaders of the surface */ };

typedef struct scene {
    GLuint backdrop, line, point, overlay; /* programs */
    GLuint surface[SCENE_STYLES];          /* those that have been needed, else 0 */
    GLuint surface_array, line_array, point_array, empty_array;
    GLuint indices, marks, places, values, controls, segments; /* buffers */
    GLuint map, words, points; /* textures; points: of the vertices */
    vertex_buffer vertices;
    const view_mesh *mesh;
    size_t num_controls, num_segments;
} scene;

/* Compiles what is drawn by, for the context that is current. False with a message, and a scene to
   be closed. */
bool scene_open(scene *s, io_message *message);

/* Takes a mesh, which must stay until another is set: makes room for its vertices, as s->vertices
   has been opened, and loads its marks and triangles. False without memory. */
bool scene_set_mesh(scene *s, const view_mesh *m);

/* Loads the mesh's marks anew, of which values have changed. */
void scene_set_marks(scene *s);

/* Loads values that are shown in the place of the marks', [num_vertices], until a mesh or marks are
   set. */
void scene_set_values(const scene *s, const float *values);

/* Loads whose point each vertex has, [num_vertices], for vertices that calls write into what is
   drawn from. */
void scene_set_places(const scene *s, const uint32_t *place);

/* Takes control points [num][3] and the lines between them, pairs of their numbers. False without
   memory. */
bool scene_set_controls(scene *s, const double *points, size_t num, const uint32_t *pairs,
                        size_t num_pairs);

/* Loads the colours of a style. */
void scene_set_colors(scene *s, const coloring *c);

/* Draws the scene into a frame. chosen: the control point of another colour; SIZE_MAX: none. False
   with a message where a shader cannot be had. */
bool scene_draw(scene *s, const gl_frame *f, const camera *c, const scene_style *style,
                size_t chosen, io_message *message);

/* Draws words over what has been drawn. */
void scene_draw_label(const scene *s, const gl_frame *f, const scene_label *label);

void scene_close(scene *s);

#endif
