#include "vertex_buffer.h"

#include <stdlib.h>

bool vertex_buffer_resize(vertex_buffer *b, size_t bytes)
{
    if (!b->name) gl.GenBuffers(1, &b->name);
    if (bytes > b->capacity || bytes < b->capacity / 4) {
        free(b->host);
        b->capacity = 0;
        b->host = malloc(bytes + 1);
        if (!b->host) return false;
        b->capacity = bytes;
        gl.BindBuffer(GL_ARRAY_BUFFER, b->name);
        gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
        if (gl.GetError() != GL_NO_ERROR) return false;
    }
    b->bytes = bytes;
    return true;
}

void *vertex_buffer_host(const vertex_buffer *b)
{
    return b->host;
}

void vertex_buffer_update(const vertex_buffer *b)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, b->name);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)b->bytes, b->host);
}

void vertex_buffer_close(vertex_buffer *b)
{
    if (b->name) gl.DeleteBuffers(1, &b->name);
    free(b->host);
    *b = (vertex_buffer){.name = 0};
}
