/* The shaders of the viewer, in GLSL 3.30: each is a head, and a body for vertices and fragments.
 */
#ifndef CLSPLINE_TOOLS_SHADERS_H
#define CLSPLINE_TOOLS_SHADERS_H

#include "color.h"

enum { SHADERS_HEAD = 4096 };

/* What a surface shows: shaders are made for just that, since drivers that draw on the CPU compute
   both sides of a condition. */
typedef struct shader_style {
    coloring_kind colors;
    bool wires, edges, zebra;
    bool quick;  /* lit at the vertices, not at every pixel; without zebra */
    bool placed; /* points are those of other vertices, by their numbers */
} shader_style;

/* Writes the head of all shaders: the version, the light of pictures, and the style. */
void shaders_head(const shader_style *style, char text[SHADERS_HEAD]);

extern const char shader_surface_vertex[], shader_surface_fragment[];
extern const char shader_backdrop_vertex[], shader_backdrop_fragment[];
extern const char shader_line_vertex[], shader_line_fragment[];
extern const char shader_point_vertex[], shader_point_fragment[];
/* with the vertices of the backdrop: */
extern const char shader_overlay_fragment[], shader_encode_fragment[];

#endif
