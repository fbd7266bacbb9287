/* A vertex buffer of OpenGL and how the library writes it. */
#ifndef BENCH_RENDER_MEMORY_H
#define BENCH_RENDER_MEMORY_H

#include "exported_store.h"
#include "render_link.h"

typedef struct render_memory {
    clsp_graphics_way way; /* AUTO: host memory, which is uploaded */
    GLuint buffer, array;  /* array: vertices of it, with normals or without */
    exported_store store;  /* of way external */
    void *host;            /* the buffer's map, or host memory */
    clsp_graphics *graphics;
    bool orders_itself; /* OpenGL waits for the queue's commands by itself, and these for OpenGL */
    size_t bytes;
} render_memory;

/* Makes a buffer for vertices of packed floats, 3 or 6. Way external takes memory of Vulkan's, way
   staged the buffer mapped for good, to be written only. False with a message where the way does
   not work; to be closed whatever happens. */
bool render_memory_open(render_memory *m, render_link *link, clsp_graphics_way way, size_t vertices,
                        size_t stride, io_message *message);
void render_memory_close(render_memory *m);

/* The output that a call writes. */
clsp_output render_memory_output(const render_memory *m);

/* Uploads what a call has written to host memory. */
void render_memory_upload(const render_memory *m);

#endif
