/* OpenGL beside an OpenCL device: a context without a window on the graphics device that is the
   same one, where there is such a one, and a clsp_context that shares buffers with it. */
#ifndef BENCH_RENDER_LINK_H
#define BENCH_RENDER_LINK_H

#include "bench.h"
#include "offscreen.h"
#include "vulkan_memory.h"

/* Functions beyond those of gl_functions.h. Some of GL 3.3, which are there: */
#define GL_BENCH_FUNCTIONS(X)                                                                      \
    X(PFNGLMAPBUFFERRANGEPROC, MapBufferRange)                                                     \
    X(PFNGLPRIMITIVERESTARTINDEXPROC, PrimitiveRestartIndex)

/* and those of GL 4.4, NULL before. */
#define GL_MAP_FUNCTIONS(X) X(PFNGLBUFFERSTORAGEPROC, BufferStorage)

typedef struct gl_bench_functions {
#define GL_BENCH_MEMBER(type, name) type name;
    GL_BENCH_FUNCTIONS(GL_BENCH_MEMBER)
    GL_MAP_FUNCTIONS(GL_BENCH_MEMBER)
#undef GL_BENCH_MEMBER
} gl_bench_functions;

typedef struct render_link {
    bench *b;
    offscreen screen;
    gl_bench_functions gl;
    bool is_software; /* OpenGL draws on the CPU */
    bool is_same;     /* as the UUIDs of OpenGL and OpenCL say */
    bool has_uuid;    /* the OpenCL device has one: */
    uint8_t uuid[VULKAN_UUID_BYTES];
    clsp_context *ctx; /* on the device of the bench, with the OpenGL context */
    cl_command_queue queue;
    cl_context context;
    vulkan_exporter *exporter; /* NULL: see no_exporter */
    io_message no_exporter;
    bool is_quiet; /* errors of ctx are not printed */
} render_link;

/* False with a message where there is no EGL, no driver or no context; to be closed whatever
   happens. */
bool render_link_open(render_link *link, bench *b, io_message *message);
void render_link_close(render_link *link);

#endif
