/* What the tests of buffers that are shared with graphics have in common: a layer of the OpenCL
   loader that stands in for the driver (fake_graphics.h), plans of all families with every call
   that has an output, and a buffer of each way. */
#ifndef GRAPHICS_FIXTURE_H
#define GRAPHICS_FIXTURE_H

#include "support.h"

#include <clspline/clspline.h>

#include "fake_graphics.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    BEFORE = 5, /* elements around a result, which stay as they are */
    BEHIND = 3,
    UNTOUCHED = 0xff, /* their bytes */
    POINTS = 6        /* of a list */
};

extern fake_graphics *fake;
extern int gl_dummy; /* what stands for handles of an OpenGL context and display */

/* Finds the layer. Returns what the program is to end with where there is none, or no device; 0:
   there is. Called first in main. */
int graphics_start(char *const *argv);

/* Sets what the layer does, words of fake_graphics.h. */
void set_words(const char *words);

/* Asserts that the layer has seen nothing wrong, and that what was acquired has been released. */
void no_complaints(void);

clsp_context *context_of(const clsp_graphics_context *graphics);
clsp_context *gl_context(void);

/* A queue of the caller's that runs out of order, where the device has such queues, of a cl_context
   with an OpenGL context or without. */
cl_command_queue queue_with(bool gl);

/* Releases such a queue and its cl_context. */
void free_queue(cl_command_queue queue);

/* ---- calls ---- */

/* Plans of all families. */
typedef struct scene {
    clsp_context *ctx;
    clsp_patch_plan *bezier;
    clsp_patch_plan *bspline, *curve;
    clsp_image_plan *image;
    clsp_solid_mesh *mesh;
    clsp_solid_plan *solid;
    float numbers[3 * 64 * 4]; /* control points, samples and parameters of all */
} scene;

/* Makes plans of all families, or a B-spline surface alone, which is compiled sooner. */
scene make_scene(clsp_context *ctx, bool whole);
void free_scene(scene *s);

/* A scene of all families that a program's tests share, of a context with an OpenGL context:
   set-up and end of a group of tests. */
extern scene lent;
int open_lent(void **state);
int close_lent(void **state);

typedef struct graphics_call {
    const char *name;
    clsp_status (*call)(const scene *s, clsp_output out, const clsp_run *run);
    clsp_type type;
} graphics_call;

/* Every call with an output, and one that every scene has the plan of. */
extern const graphics_call calls[];
extern const size_t num_calls;
enum { SURFACE = 3 };
extern const clsp_range one;
clsp_status bspline_eval(const scene *s, clsp_output out, const clsp_run *run);

/* Counts the elements that a call writes. */
size_t elements_of(const scene *s, size_t c);

/* Makes what a call writes to a buffer, or to host memory, between elements that stay as they are;
   the caller frees. */
unsigned char *plain_result(const scene *s, size_t c, bool to_host);

/* ---- a buffer of each way ---- */

/* A buffer of graphics, and where its bytes are. */
typedef struct target {
    clsp_graphics *graphics;
    clsp_graphics_way way;
    unsigned char *bytes;
    size_t size;
    uint32_t gl_buffer;
    int fd;
    bool is_mapped;
} target;

target make_target(clsp_context *ctx, clsp_graphics_way way, size_t size);
void free_target(target *t);

/* Makes memory with a descriptor, as graphics exports it. */
int make_file(size_t size);

#endif
