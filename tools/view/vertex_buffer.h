/* Vertices that the library makes and OpenGL draws: memory to evaluate into, and the buffer that is
   drawn from. */
#ifndef CLSPLINE_TOOLS_VERTEX_BUFFER_H
#define CLSPLINE_TOOLS_VERTEX_BUFFER_H

#include <stddef.h>

#include "gl_functions.h"

typedef struct vertex_buffer {
    GLuint name;
    size_t bytes, capacity;
    void *host;
} vertex_buffer;

/* Makes room for so many bytes; what was there is lost. False without memory. */
bool vertex_buffer_resize(vertex_buffer *b, size_t bytes);

/* The memory to be evaluated into, until vertex_buffer_update. */
void *vertex_buffer_host(const vertex_buffer *b);

/* Lets OpenGL see what was written. */
void vertex_buffer_update(const vertex_buffer *b);

void vertex_buffer_close(vertex_buffer *b);

#endif
