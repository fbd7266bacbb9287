/* The memory of an OpenGL buffer that Vulkan has exported: what OpenCL can import as well. */
#ifndef CLSPLINE_TOOLS_EXPORTED_STORE_H
#define CLSPLINE_TOOLS_EXPORTED_STORE_H

#include "gl_functions.h"
#include "vulkan_memory.h"

typedef struct exported_store {
    const vulkan_exporter *exporter; /* not owned */
    vulkan_memory memory;
    GLuint object; /* the memory as OpenGL has it */
} exported_store;

/* Gives the buffer that is bound to GL_ARRAY_BUFFER so many bytes of exported memory, for good.
   False with a message; to be closed whatever happens. */
bool exported_store_open(exported_store *s, const vulkan_exporter *e, size_t bytes,
                         io_message *message);

/* Releases the memory, after the buffer. */
void exported_store_close(exported_store *s);

#endif
