/* Buffers that are shared with graphics: a vertex or index buffer of OpenGL or Vulkan as the output
   of a call, so that nothing is copied where the drivers let it.

   The library calls no graphics API and links none. It takes handles of the caller's: a name of an
   OpenGL buffer, memory that Vulkan has exported, and a host pointer to where the buffer is mapped.
   There are three ways to share, and a buffer is made by the first of those that works:
     gl        the device's kernels write the OpenGL buffer itself (cl_khr_gl_sharing). The context
               is one with clsp_context_opts.graphics, or on a queue whose cl_context was made with
               the properties of an OpenGL context
     external  they write memory that another API has exported (cl_khr_external_memory)
     staged    the result goes to the host pointer as to any host memory (clsp_output.host)
   clsp_graphics_info says which way it is, and why those before it are not. What a device lists may
   fail all the same, and then the next way is taken: drivers differ, and so do computers with two
   GPUs of which one draws and the other computes.

   Each call with a clsp_output takes such a buffer (clsp_out_graphics), save those whose output is
   host memory only. Shared calls (share.h) take a staged one alone, but for tiles by schedule
   device. The call acquires the buffer behind its wait list, writes it and releases it; its event
   is complete after the release. Calls that write a staged buffer return when it is written. What a
   staged buffer holds is read where the result has gaps, which is slow of memory that is mapped to
   be written only.

   Who waits: with way gl and clsp_graphics_report.gl_event 0, the caller calls glFinish before a
   call, and before create, and waits for the call's event, or calls clFinish, before graphics
   reads the buffer. With gl_event 1 the queue and the OpenGL context that is current on the
   calling thread order themselves. With way external the caller waits on both sides. With way
   staged a call has written when it returns, and the caller sees to it that graphics no longer
   reads when it begins.

   Order of ends: graphics handles go before the OpenGL buffer, or before the host memory; whether
   before or after their context is the same. Commands that are enqueued complete.

   Thread-safety: with way gl, calls on the thread on which the OpenGL context is current; else on
   any thread. One call at a time for each buffer. After fork as contexts. */
#ifndef CLSPLINE_GRAPHICS_H
#define CLSPLINE_GRAPHICS_H

#include <clspline/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With which graphics a context is to share. Handles are those of the window system's own types,
   and at most one of the displays is given. A device that shares with no OpenGL, or refuses this
   context, is no error: the log says why, and so does clsp_graphics_info of each buffer. */
typedef struct clsp_graphics_context {
    void *gl_context;           /* GLXContext, EGLContext, HGLRC: current on the calling thread */
    void *egl_display;          /* EGLDisplay */
    void *glx_display;          /* Display * of GLX */
    void *wgl_dc;               /* HDC */
    void *cgl_share_group;      /* CGLShareGroupObj; in the place of gl_context */
    const uint8_t *device_uuid; /* [16] or NULL: GL_DEVICE_UUID_EXT, or deviceUUID of Vulkan. The
                                   device that tells it (cl_khr_device_uuid) is taken, and where
                                   none does it is CLSP_ERROR_NO_DEVICE. Among devices that
                                   clsp_context_opts.device or CLSPLINE_DEVICE names it is preferred
                                   alone. Another device shares by way staged alone */
    uint64_t reserved[CLSP_RESERVED];
} clsp_graphics_context;

typedef enum clsp_graphics_way {
    CLSP_GRAPHICS_AUTO = 0, /* the first of the others that works */
    CLSP_GRAPHICS_GL = 1,
    CLSP_GRAPHICS_EXTERNAL = 2,
    CLSP_GRAPHICS_STAGED = 3
} clsp_graphics_way;

enum { CLSP_NUM_GRAPHICS_WAYS = 4 /* values of clsp_graphics_way */ };

/* What kind of handle memory was exported as. */
typedef enum clsp_handle_type {
    CLSP_HANDLE_NONE = 0,
    CLSP_HANDLE_OPAQUE_FD = 1, /* a descriptor of the driver's own kind, as Vulkan's */
    CLSP_HANDLE_DMA_BUF = 2    /* a descriptor of a Linux dma-buf */
} clsp_handle_type;

/* All that the caller has of one buffer. A way that is named needs what it works on; way auto needs
   host, so that there always is one. */
typedef struct clsp_graphics_desc {
    uint32_t gl_buffer;      /* its name; its store exists and is never made anew. 0: none */
    clsp_handle_type handle; /* of fd */
    int fd;                  /* exported memory, the buffer from its begin on. It is the library's
                                once create has succeeded by way external, else still the caller's:
                                an importer each has a descriptor of its own */
    void *host;              /* where the buffer is mapped for good, or memory that the caller hands
                                to graphics. NULL: none */
    size_t bytes;            /* of the buffer, of the memory and of host: what outputs may use */
    clsp_graphics_way way;
    uint64_t reserved[CLSP_RESERVED];
} clsp_graphics_desc;

/* Makes a buffer that outputs of ctx's plans may be. It is acquired and released once, on a queue
   of its own, to find out whether that works. Errors: CLSP_ERROR_ARGUMENT (NULL, a description that
   cannot be, fd not open), CLSP_ERROR_BUFFER_SIZE (the OpenGL buffer has fewer bytes),
   CLSP_ERROR_NO_SHARING (the way that is named does not work; never with way auto),
   CLSP_ERROR_NO_MEMORY, CLSP_ERROR_DEVICE_LOST. On error *graphics is NULL. */
CLSP_API clsp_status clsp_graphics_create(clsp_graphics **graphics, clsp_context *ctx,
                                          const clsp_graphics_desc *desc);

/* Releases the buffer and writes NULL. *graphics may be NULL. Commands that are enqueued complete.
   After fork, in the child, it only writes NULL. */
CLSP_API void clsp_graphics_destroy(clsp_graphics **graphics);

/* What a buffer is. */
typedef struct clsp_graphics_report {
    clsp_graphics_way way;                    /* that was taken */
    char reason[CLSP_NUM_GRAPHICS_WAYS][256]; /* by way: why it was not taken; "" for the one that
                                                 was and for those behind it */
    uint32_t gl_event; /* 1: OpenGL and the queue order themselves (cl_khr_gl_event) */
    size_t bytes;
    uint64_t reserved[CLSP_RESERVED]; /* 0 */
} clsp_graphics_report;

/* Says which way a buffer is shared, and why not by those before. Errors: CLSP_ERROR_ARGUMENT
   (NULL). */
CLSP_API clsp_status clsp_graphics_info(const clsp_graphics *graphics,
                                        clsp_graphics_report *report);

/* Makes the output of a shared buffer from element `offset` on. */
static inline clsp_output clsp_out_graphics(clsp_graphics *graphics, clsp_type type, size_t offset)
{
    clsp_output out = {type, NULL, NULL, NULL, 0, offset, {0}, {0, 0, 0}};
    out.graphics = graphics;
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
