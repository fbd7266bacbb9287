/* A layer of the OpenCL loader (OPENCL_LAYERS) that gives a device without graphics the extensions
   by which buffers are shared with it. Its OpenGL buffers are plain memory, which a release fills
   and an acquire reads, or those of the OpenGL context that is current; its exported memory is any
   file that can be mapped. It keeps the books on all and writes down what is wrong.

   The environment variable FAKE_GRAPHICS, read at each call, has words with blanks between them:
     gl, gl_event, external, uuid   what the device lists besides its own extensions
     opengl                         buffers are OpenGL's, which is reached by way of EGL's library
     refuse-context                 contexts with an OpenGL context give -1000
     no-functions                   extensions have no functions
     fail-import                    making a buffer fails
     fail-acquire, fail-release     so do these
     fail-launch                    and launching a kernel
     lost                           the device fails whatever it is given, and whoever waits for it
     other-uuid                     the device has another UUID
     basic-uuid                     so do devices but PoCL's "basic" one */
#ifndef FAKE_GRAPHICS_H
#define FAKE_GRAPHICS_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_graphics {
    /* Makes an OpenGL buffer, and gives its name; where its bytes are; its end. */
    uint32_t (*make_buffer)(size_t bytes);
    unsigned char *(*bytes_of)(uint32_t name);
    void (*delete_buffer)(uint32_t name);

    unsigned acquired, released, imported; /* how often so far */
    unsigned alive;                        /* shared buffers that are not released */
    unsigned unsafe;     /* calls of functions that may end a process where nothing is listed */
    char complaint[256]; /* the first wrong thing; "" */
} fake_graphics;

/* The one function that the layer exports beside those of a layer. */
#define FAKE_GRAPHICS_SYMBOL "fake_graphics_get"
typedef fake_graphics *(*fake_graphics_fn)(void);

/* Finds the layer, where the loader has taken it; else NULL. */
fake_graphics *fake_graphics_find(void);

enum { FAKE_UUID = 0x5a, FAKE_OTHER_UUID = 0x5b }; /* each of the 16 bytes */

#endif
