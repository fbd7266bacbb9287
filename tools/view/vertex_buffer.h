/* Vertices that the library makes and OpenGL draws. Where the drivers let it, calls write the
   buffer that is drawn from (clspline/graphics.h): OpenGL's own, or memory that Vulkan exports to
   both. Else they write host memory, which is uploaded. */
#ifndef CLSPLINE_TOOLS_VERTEX_BUFFER_H
#define CLSPLINE_TOOLS_VERTEX_BUFFER_H

#include "exported_store.h"
#include "vertex_target.h"

typedef struct vertex_buffer {
    clsp_context *ctx;          /* that is to share; NULL: none, or it has been tried in vain */
    vulkan_exporter **exporter; /* of memory that is tried too; NULL: none is */
    GLuint name;
    size_t bytes, capacity;
    void *host; /* what calls write; NULL: */
    clsp_graphics *shared;
    exported_store exported;
    bool orders_itself; /* OpenGL and the queue do, and nobody waits */
    clsp_graphics_way way;
    io_message reason; /* why vertices go through host memory; "" */
} vertex_buffer;

/* Begins, without room: with a context whose calls are to write the buffer itself, or with NULL.
   exporter: the caller's, which is opened when it is first needed, or NULL. He closes it when there
   is nothing more to be drawn: NVIDIA's driver takes the OpenGL context from the thread then. */
void vertex_buffer_open(vertex_buffer *b, clsp_context *ctx, vulkan_exporter **exporter);

/* Makes room for so many bytes; what was there is lost, and the name may be another. False without
   memory. */
bool vertex_buffer_resize(vertex_buffer *b, size_t bytes);

/* Says where calls write the vertices, until vertex_buffer_end lets OpenGL see them. That returns
   false where the device has failed. */
vertex_target vertex_buffer_begin(const vertex_buffer *b);
bool vertex_buffer_end(const vertex_buffer *b);

/* Writes some bytes besides, before calls write others. */
void vertex_buffer_put(const vertex_buffer *b, size_t offset, const void *from, size_t bytes);

/* Reads all bytes, which are copied where the host does not have them. The caller frees *copy. NULL
   without memory. */
const void *vertex_buffer_read(const vertex_buffer *b, void **copy);

/* Goes on through host memory, with room as before, because of a reason. False without memory. */
bool vertex_buffer_unshare(vertex_buffer *b, const char *reason);

void vertex_buffer_close(vertex_buffer *b);

#endif
