/* Buffers that are shared with graphics, on any device: a layer of the OpenCL loader stands in for
   the driver (fake_graphics.h). Every call writes the bytes that it writes to a buffer, or to host
   memory where the buffer is staged, and hands the buffer over as the extensions want it; whatever
   does not work leads to the next way; what is wrong is refused. */
#define _GNU_SOURCE /* memfd_create */

#include "support.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <pthread.h>

#include <clspline/clspline.h>

#include "fake_graphics.h"

enum { BEFORE = 5, BEHIND = 3 /* elements around a result */, UNTOUCHED = 0xff };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static fake_graphics *fake;
static int gl_dummy; /* what stands for handles of an OpenGL context and display */

static void set_words(const char *words)
{
    assert_int_equal(setenv("FAKE_GRAPHICS", words, 1), 0);
}

static void no_complaints(void)
{
    assert_string_equal(fake->complaint, "");
    assert_int_equal(fake->unsafe, 0);
    assert_int_equal(fake->acquired, fake->released);
}

static clsp_context *context_of(const clsp_graphics_context *graphics)
{
    const clsp_context_opts opts = {.graphics = graphics};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    return ctx;
}

static clsp_context *gl_context(void)
{
    return context_of(&(clsp_graphics_context){.gl_context = &gl_dummy, .egl_display = &gl_dummy});
}

/* ---- every call ---- */

enum { SIDE = 9, SAMPLES = 7, POINTS = 6, IMAGE = 12 };

/* Plans of all families. */
typedef struct scene {
    clsp_context *ctx;
    clsp_bezier_plan *bezier;
    clsp_bspline_plan *bspline, *curve;
    clsp_image_plan *image;
    clsp_solid_mesh *mesh;
    clsp_solid_plan *solid;
    float numbers[3 * 64 * 4]; /* control points, samples and parameters of all */
} scene;

static const clsp_range one = {0, 1};
static const uint32_t hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static void make_surface(scene *s)
{
    const clsp_axis axis = {.num = SAMPLES};
    const clsp_bspline_desc bspline = {
        .degree = {3, 3}, .num_controls = {5, 6}, .axis = {axis, axis}};
    const clsp_bspline_target target = {.bezier = 1};
    const clsp_input in = clsp_in_f32(s->numbers, 90);

    assert_ok(s->ctx, clsp_bspline_plan_create(&s->bspline, s->ctx, &bspline));
    assert_ok(s->ctx, clsp_bspline_set_control_points(s->bspline, 1, in, NULL));
    assert_ok(s->ctx, clsp_bspline_set_target(s->bspline, &target));
}

static void make_splines(scene *s)
{
    const clsp_axis axis = {.num = SAMPLES};
    const clsp_bezier_desc bezier = {
        .degree = {3, 3},
        .axis = {axis, axis},
        .vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, .stride = 7}};
    const clsp_bspline_desc curve = {.directions = 1, .degree = {3}, .num_controls = {8}};
    const clsp_input points = clsp_in_f32(s->numbers, 48), few = clsp_in_f32(s->numbers, 24);

    assert_ok(s->ctx, clsp_bezier_plan_create(&s->bezier, s->ctx, &bezier));
    assert_ok(s->ctx, clsp_bezier_set_control_points(s->bezier, 1, points, NULL));
    assert_ok(s->ctx, clsp_bspline_plan_create(&s->curve, s->ctx, &curve));
    assert_ok(s->ctx, clsp_bspline_set_control_points(s->curve, 1, few, NULL));
}

static void make_others(scene *s)
{
    const clsp_image_desc image = {.size = {IMAGE, IMAGE}};
    const clsp_solid_cells cells = {
        .num_vertices = 8, .num_cells = 1, .index = hexahedron, .num_indices = 8};
    const clsp_solid_desc solid = {.axis = {{.num = 3}, {.num = 3}, {.num = 3}}};
    const clsp_input samples = clsp_in_f32(s->numbers, IMAGE * IMAGE);
    const clsp_input points = clsp_in_f32(s->numbers, 24);

    assert_ok(s->ctx, clsp_image_plan_create(&s->image, s->ctx, &image));
    assert_ok(s->ctx, clsp_image_set_samples(s->image, 1, samples, NULL));
    assert_ok(s->ctx, clsp_solid_mesh_create(&s->mesh, s->ctx, &cells));
    assert_ok(s->ctx, clsp_solid_plan_create(&s->solid, s->mesh, &solid));
    assert_ok(s->ctx, clsp_solid_set_control_points(s->solid, points, NULL));
}

/* Makes plans of all families, or a B-spline surface alone, which is compiled sooner. */
static scene make_scene(clsp_context *ctx, bool whole)
{
    scene s = {.ctx = ctx};
    uint64_t seed = 7;

    for (size_t i = 0; i < COUNT(s.numbers); i++)
        s.numbers[i] = (float)(support_uniform(&seed) / 2 + 0.5);
    make_surface(&s);
    if (!whole) return s;
    make_splines(&s);
    make_others(&s);
    return s;
}

static void free_scene(scene *s)
{
    clsp_solid_plan_destroy(&s->solid);
    clsp_solid_mesh_destroy(&s->mesh);
    clsp_image_plan_destroy(&s->image);
    clsp_bspline_plan_destroy(&s->curve);
    clsp_bspline_plan_destroy(&s->bspline);
    clsp_bezier_plan_destroy(&s->bezier);
}

/* The scene that tests share, of a context with an OpenGL context. */
static scene lent;

static int open_lent(void **state)
{
    (void)state;
    set_words("gl external");
    lent = make_scene(gl_context(), true);
    return 0;
}

static int close_lent(void **state)
{
    (void)state;
    free_scene(&lent);
    clsp_context_destroy(&lent.ctx);
    return 0;
}

static clsp_status bezier_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bezier_eval(s->bezier, one, out, run);
}

static clsp_status bezier_points(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_points list = {.num = POINTS, .params = clsp_in_f32(s->numbers, 2 * POINTS)};

    return clsp_bezier_eval_points(s->bezier, &list, out, run);
}

static clsp_status bezier_indices(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bezier_indices(s->bezier, CLSP_FACES_TRIANGLES, one, out, run);
}

static clsp_status bspline_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bspline_eval(s->bspline, one, out, run);
}

static clsp_status bspline_points(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_points list = {.num = POINTS, .params = clsp_in_f32(s->numbers, 2 * POINTS)};

    return clsp_bspline_eval_points(s->bspline, &list, out, run);
}

static clsp_status bspline_indices(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bspline_indices(s->bspline, CLSP_FACES_QUADS, one, out, run);
}

static clsp_status convert(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bspline_convert(s->bspline, one, out, run);
}

static clsp_status project(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_bspline_queries queries = {.num = POINTS,
                                          .points = clsp_in_f32(s->numbers + 50, 3 * POINTS)};

    return clsp_bspline_project(s->curve, &queries, NULL, out, run);
}

static clsp_status image_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_image_map map = {.matrix = {{0.7, 0.2, 1}, {-0.2, 0.7, 3}}};

    return clsp_image_eval(s->image, one, &map, out, run);
}

static clsp_status image_points(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_image_map map = {
        .at = {.num = POINTS, .params = clsp_in_f32(s->numbers, 2 * POINTS)}};

    return clsp_image_eval(s->image, one, &map, out, run);
}

static clsp_status coefficients(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_image_coefficients(s->image, one, out, run);
}

static clsp_status solid_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_solid_eval(s->solid, one, out, run);
}

static clsp_status solid_points(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_points list = {.num = POINTS, .params = clsp_in_f32(s->numbers, 3 * POINTS)};

    return clsp_solid_eval_points(s->solid, &list, out, run);
}

static clsp_status refine(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_solid_refine_points(s->mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f32(s->numbers, 24), out,
                                    run);
}

static const struct {
    const char *name;
    clsp_status (*call)(const scene *s, clsp_output out, const clsp_run *run);
    clsp_type type;
} calls[] = {
    {"bezier eval", bezier_eval, CLSP_F32},
    {"bezier points", bezier_points, CLSP_F32},
    {"bezier indices", bezier_indices, CLSP_U32},
    {"bspline eval", bspline_eval, CLSP_F32},
    {"bspline points", bspline_points, CLSP_F32},
    {"bspline indices", bspline_indices, CLSP_U32},
    {"convert", convert, CLSP_F32},
    {"project", project, CLSP_F32},
    {"image eval", image_eval, CLSP_F32},
    {"image points", image_points, CLSP_F32},
    {"coefficients", coefficients, CLSP_F32},
    {"solid eval", solid_eval, CLSP_F32},
    {"solid points", solid_points, CLSP_F32},
    {"refine", refine, CLSP_F32},
};

enum { SURFACE = 3 /* that every scene can make */ };

static size_t elements_of(const scene *s, size_t c)
{
    clsp_tiling tiling;

    assert_ok(s->ctx,
              calls[c].call(s, (clsp_output){.type = CLSP_F32}, &(clsp_run){.tiling = &tiling}));
    assert_true(tiling.elements.count > 0);
    return tiling.elements.count;
}

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

static int make_file(size_t size)
{
    const int fd = memfd_create("shared", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    return fd;
}

static target make_target(clsp_context *ctx, clsp_graphics_way way, size_t size)
{
    target t = {.way = way, .size = size, .fd = -1};
    clsp_graphics_desc desc = {.way = way, .bytes = size};

    if (way == CLSP_GRAPHICS_GL) {
        desc.gl_buffer = t.gl_buffer = fake->make_buffer(size);
        t.bytes = fake->bytes_of(t.gl_buffer);
    } else if (way == CLSP_GRAPHICS_EXTERNAL) {
        desc.handle = CLSP_HANDLE_OPAQUE_FD;
        desc.fd = t.fd = make_file(size);
        t.bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t.fd, 0);
        t.is_mapped = true;
        assert_true(t.bytes != MAP_FAILED);
    } else
        desc.host = t.bytes = malloc(size);
    memset(t.bytes, UNTOUCHED, size);
    assert_ok(ctx, clsp_graphics_create(&t.graphics, ctx, &desc));
    return t;
}

static void free_target(target *t)
{
    clsp_graphics_destroy(&t->graphics);
    assert_null(t->graphics);
    if (t->gl_buffer)
        fake->delete_buffer(t->gl_buffer);
    else if (t->is_mapped)
        assert_int_equal(munmap(t->bytes, t->size), 0);
    else
        free(t->bytes);
}

/* ---- bytes ---- */

/* What a call writes to a buffer, or to host memory, between elements that stay as they are. */
static unsigned char *plain_result(const scene *s, size_t c, bool to_host)
{
    const size_t element = clsp_type_bytes(calls[c].type);
    const size_t num = BEFORE + elements_of(s, c) + BEHIND;
    unsigned char *const bytes = malloc(num * element);
    const cl_command_queue queue = clsp_context_queue(s->ctx);
    cl_context context;
    cl_int code;

    assert_non_null(bytes);
    memset(bytes, UNTOUCHED, num * element);
    if (to_host) {
        const clsp_output out = {
            .type = calls[c].type, .host = bytes, .size = num, .offset = BEFORE};
        assert_ok(s->ctx, calls[c].call(s, out, NULL));
        return bytes;
    }
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, (void *)&context, NULL);
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         num * element, bytes, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(s->ctx, calls[c].call(s, clsp_out_buffer(buffer, calls[c].type, BEFORE), NULL));
    clFinish(queue);
    code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, num * element, bytes, 0, NULL, NULL);
    assert_int_equal(code, CL_SUCCESS);
    clReleaseMemObject(buffer);
    return bytes;
}

static void check_call(const scene *s, size_t c, clsp_graphics_way way)
{
    unsigned char *const wanted = plain_result(s, c, way == CLSP_GRAPHICS_STAGED);
    const size_t num = BEFORE + elements_of(s, c) + BEHIND;
    target t = make_target(s->ctx, way, num * clsp_type_bytes(calls[c].type));
    const clsp_output out = clsp_out_graphics(t.graphics, calls[c].type, BEFORE);
    const unsigned before = fake->acquired;
    cl_event done = NULL;

    assert_ok(s->ctx, calls[c].call(s, out, &(clsp_run){.done = &done}));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    if (memcmp(t.bytes, wanted, t.size) != 0) fail_msg("%s, way %d", calls[c].name, (int)way);
    assert_int_equal(fake->acquired - before, way == CLSP_GRAPHICS_STAGED ? 0 : 1);

    /* once more, without an event */
    memset(t.bytes, UNTOUCHED, t.size);
    assert_ok(s->ctx, calls[c].call(s, out, NULL));
    clFinish(clsp_context_queue(s->ctx));
    assert_memory_equal(t.bytes, wanted, t.size);
    free_target(&t);
    free(wanted);
}

static void check_calls(const scene *s)
{
    for (size_t c = 0; c < COUNT(calls); c++)
        for (int way = CLSP_GRAPHICS_GL; way < CLSP_NUM_GRAPHICS_WAYS; way++)
            check_call(s, c, (clsp_graphics_way)way);
    clFinish(clsp_context_queue(s->ctx));
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

static void test_every_call(void **state)
{
    (void)state;
    set_words("gl external");
    check_calls(&lent);
}

/* A queue of the caller's that runs out of order, where the device has such queues, of a cl_context
   with an OpenGL context or without. */
static cl_command_queue queue_with(bool gl)
{
    const clsp_device_info device = support_device();
    cl_platform_id platform;
    cl_int code;

    clGetDeviceInfo(device.id, CL_DEVICE_PLATFORM, sizeof platform, (void *)&platform, NULL);
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)platform,
                                          gl ? 0x2008 : 0,
                                          (cl_context_properties)&gl_dummy,
                                          0x2009,
                                          (cl_context_properties)&gl_dummy,
                                          0};
    const cl_context context = clCreateContext(list, 1, &device.id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue =
        clCreateCommandQueue(context, device.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES)
        queue = clCreateCommandQueue(context, device.id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return queue;
}

/* Releases such a queue and its cl_context, which Intel's runtime ends before the queue if it may.
 */
static void free_queue(cl_command_queue queue)
{
    cl_context context;

    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, (void *)&context, NULL);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static void test_out_of_order(void **state)
{
    clsp_context *ctx;

    (void)state;
    set_words("gl external");
    const cl_command_queue queue = queue_with(true);
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    scene s = make_scene(ctx, true);
    check_calls(&s);
    free_scene(&s);
    clsp_context_destroy(&ctx);
    free_queue(queue);
}

/* Calls of two plans write one buffer one after the other, whatever the queue lets overlap. */
static void check_two_plans(clsp_context *ctx)
{
    scene s[2] = {make_scene(ctx, false), make_scene(ctx, false)};
    const size_t num = elements_of(&s[0], SURFACE), bytes = num * sizeof(float);
    unsigned char *const wanted = plain_result(&s[0], SURFACE, false);
    target t = make_target(ctx, CLSP_GRAPHICS_GL, 2 * bytes);

    for (size_t i = 0; i < 2; i++)
        assert_ok(ctx, bspline_eval(&s[i], clsp_out_graphics(t.graphics, CLSP_F32, i * num), NULL));
    clFinish(clsp_context_queue(ctx));
    for (size_t i = 0; i < 2; i++)
        assert_memory_equal(t.bytes + i * bytes, wanted + BEFORE * sizeof(float), bytes);
    free_target(&t);
    free(wanted);
    free_scene(&s[0]);
    free_scene(&s[1]);
    no_complaints();
}

static void test_two_plans(void **state)
{
    clsp_context *ctx;

    (void)state;
    set_words("gl");
    const cl_command_queue queue = queue_with(true);
    assert_ok(NULL, clsp_context_create(&ctx, queue, NULL));
    check_two_plans(ctx);
    clsp_context_destroy(&ctx);
    free_queue(queue);
}

/* ---- events ---- */

static void *open_gate(void *gate)
{
    const struct timespec pause = {0, 20000000};

    nanosleep(&pause, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

/* A buffer is acquired behind the wait list, and the call's event is complete behind the release:
   what OpenGL has written until then around the result is still there. */
static void test_events(void **state)
{
    clsp_context *const ctx = lent.ctx;
    cl_event gate, done;
    cl_context context;
    cl_int code;
    pthread_t thread;

    (void)state;
    set_words("gl");
    const size_t num = elements_of(&lent, SURFACE);
    unsigned char *const wanted = plain_result(&lent, SURFACE, false);
    target t = make_target(ctx, CLSP_GRAPHICS_GL, (num + 1) * sizeof(float));
    clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT, sizeof context,
                          (void *)&context, NULL);
    gate = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    const clsp_run run = {.num_wait = 1, .wait = &gate, .done = &done};
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, 0), &run));
    memset(t.bytes, 0x11, t.size);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_memory_equal(t.bytes, wanted + BEFORE * sizeof(float), num * sizeof(float));
    assert_true(t.bytes[num * sizeof(float)] == 0x11);
    pthread_join(thread, NULL);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    free_target(&t);
    free(wanted);
    no_complaints();
}

/* Nothing is handed over by a call that writes nothing, or is only asked, or is refused. */
static void test_nothing(void **state)
{
    clsp_tiling tiling;

    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    target t = make_target(ctx, CLSP_GRAPHICS_GL, 64);
    const clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
    const unsigned before = fake->acquired;
    assert_ok(ctx, clsp_bezier_eval(lent.bezier, (clsp_range){0, 0}, out, NULL));
    assert_ok(ctx, clsp_bezier_eval(lent.bezier, one, out, &(clsp_run){.tiling = &tiling}));
    assert_status(ctx, clsp_bezier_eval(lent.bezier, one, out, NULL), CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(fake->acquired, before);
    free_target(&t);
    no_complaints();
}

/* ---- the way that is taken ---- */

/* What auto takes of a buffer that could be shared in every way, and a part of the reasons. */
typedef struct way_case {
    const char *words;
    clsp_graphics_way way;
    const char *no_gl, *no_external; /* NULL: none */
    bool without_gl;                 /* the context is one without an OpenGL context */
} way_case;

static const way_case way_cases[] = {
    {"gl external", CLSP_GRAPHICS_GL, NULL, NULL, false},
    {"external", CLSP_GRAPHICS_EXTERNAL, "does not list cl_khr_gl_sharing", NULL, false},
    {"gl external", CLSP_GRAPHICS_EXTERNAL, "without an OpenGL context", NULL, true},
    {"gl external refuse-context", CLSP_GRAPHICS_EXTERNAL, "CL_INVALID_GL_SHAREGROUP", NULL, false},
    {"", CLSP_GRAPHICS_STAGED, "does not list", "does not list cl_khr_external_memory", false},
    {"gl refuse-context", CLSP_GRAPHICS_STAGED, "CL_INVALID_GL_SHAREGROUP", "does not list", false},
    {"gl external no-functions", CLSP_GRAPHICS_STAGED, "no functions", "no functions", false},
    {"gl external fail-import", CLSP_GRAPHICS_STAGED, "clCreateFromGLBuffer: CL_INVALID_GL_OBJECT",
     "clCreateBufferWithProperties: CL_INVALID_VALUE", false},
    {"gl external fail-acquire", CLSP_GRAPHICS_STAGED, "acquiring it: ", "acquiring it: ", false},
    {"gl external fail-release", CLSP_GRAPHICS_STAGED, "releasing it: ", "releasing it: ", false},
    {"gl external uuid", CLSP_GRAPHICS_GL, NULL, NULL, false},
    {"gl external uuid other-uuid", CLSP_GRAPHICS_STAGED,
     "UUID 5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b, graphics 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "UUID",
     false},
};

static void check_reason(const char *reason, const char *wanted)
{
    if (!wanted)
        assert_string_equal(reason, "");
    else if (!strstr(reason, wanted))
        fail_msg("'%s' does not hold '%s'", reason, wanted);
}

/* A named way that does not work is an error that says why; the descriptor stays the caller's. */
static void check_named(clsp_context *ctx, const way_case *c, clsp_graphics_desc desc)
{
    const char *const reasons[] = {NULL, c->no_gl, c->no_external, NULL};
    char message[512];
    clsp_graphics *g = (clsp_graphics *)&desc;

    for (int way = CLSP_GRAPHICS_GL; way <= CLSP_GRAPHICS_EXTERNAL; way++) {
        if (!reasons[way]) continue;
        desc.way = (clsp_graphics_way)way;
        assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), CLSP_ERROR_NO_SHARING);
        assert_null(g);
        clsp_context_last_error(ctx, message, sizeof message);
        check_reason(message, reasons[way]);
        assert_true(fcntl(desc.fd, F_GETFD) >= 0);
    }
}

static void check_bytes(clsp_context *ctx, clsp_graphics *g, const unsigned char *bytes)
{
    scene s = make_scene(ctx, false);
    const bool to_host = bytes != NULL;
    const size_t size = elements_of(&s, SURFACE) * sizeof(float);
    unsigned char *const wanted = plain_result(&s, SURFACE, to_host);

    assert_ok(ctx, bspline_eval(&s, clsp_out_graphics(g, CLSP_F32, 0), NULL));
    clFinish(clsp_context_queue(ctx));
    if (to_host) assert_memory_equal(bytes, wanted + BEFORE * sizeof(float), size);
    free(wanted);
    free_scene(&s);
}

static void check_way(const way_case *c)
{
    enum { BYTES = 4096 };
    uint8_t uuid[16];
    const clsp_graphics_context graphics = {.gl_context = c->without_gl ? NULL : &gl_dummy,
                                            .glx_display = c->without_gl ? NULL : &gl_dummy,
                                            .device_uuid = uuid};
    clsp_graphics_report report;
    clsp_graphics *g;

    set_words(c->words);
    memset(uuid, FAKE_UUID, sizeof uuid);
    clsp_context *ctx = context_of(&graphics);
    const clsp_graphics_desc desc = {.gl_buffer = fake->make_buffer(BYTES),
                                     .handle = CLSP_HANDLE_DMA_BUF,
                                     .fd = make_file(BYTES),
                                     .host = malloc(BYTES),
                                     .bytes = BYTES};
    check_named(ctx, c, desc);
    assert_ok(ctx, clsp_graphics_create(&g, ctx, &desc));
    assert_ok(ctx, clsp_graphics_info(g, &report));
    assert_int_equal(report.way, c->way);
    assert_int_equal(report.bytes, BYTES);
    check_reason(report.reason[CLSP_GRAPHICS_GL], c->no_gl);
    check_reason(report.reason[CLSP_GRAPHICS_EXTERNAL], c->no_external);
    assert_string_equal(report.reason[CLSP_GRAPHICS_STAGED], "");
    assert_int_equal(fcntl(desc.fd, F_GETFD) < 0, c->way == CLSP_GRAPHICS_EXTERNAL);
    check_bytes(ctx, g, c->way == CLSP_GRAPHICS_STAGED ? desc.host : NULL);
    clsp_graphics_destroy(&g);
    fake->delete_buffer(desc.gl_buffer);
    if (c->way != CLSP_GRAPHICS_EXTERNAL) close(desc.fd);
    free(desc.host);
    clsp_context_destroy(&ctx);
    assert_int_equal(fake->alive, 0);
}

static void test_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(way_cases); i++) {
        check_way(&way_cases[i]);
        assert_string_equal(fake->complaint, "");
        assert_int_equal(fake->unsafe, 0);
        fake->released = fake->acquired; /* of releases that were made to fail */
    }
}

/* gl_event is told of buffers that are shared by way gl alone. */
static void test_gl_event(void **state)
{
    clsp_graphics_report report;

    (void)state;
    set_words("gl gl_event external");
    clsp_context *ctx = gl_context();
    for (int way = CLSP_GRAPHICS_GL; way < CLSP_NUM_GRAPHICS_WAYS; way++) {
        target t = make_target(ctx, (clsp_graphics_way)way, 16);
        assert_ok(ctx, clsp_graphics_info(t.graphics, &report));
        assert_int_equal(report.gl_event, way == CLSP_GRAPHICS_GL);
        if (way > CLSP_GRAPHICS_GL) check_reason(report.reason[CLSP_GRAPHICS_GL], "was asked for");
        free_target(&t);
    }
    clsp_context_destroy(&ctx);
    no_complaints();
}

/* On a queue of the caller's the cl_context decides. */
static void test_plain_queue(void **state)
{
    const clsp_graphics_context graphics = {.gl_context = &gl_dummy};
    clsp_graphics *g;
    clsp_context *ctx;

    (void)state;
    set_words("gl external");
    const cl_command_queue queue = queue_with(false);
    assert_ok(NULL, clsp_context_create(&ctx, queue, &(clsp_context_opts){.graphics = &graphics}));
    target t = make_target(ctx, CLSP_GRAPHICS_EXTERNAL, 64);
    const clsp_graphics_desc desc = {.gl_buffer = 1, .way = CLSP_GRAPHICS_GL, .bytes = 1};
    assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), CLSP_ERROR_NO_SHARING);
    free_target(&t);
    clsp_context_destroy(&ctx);
    free_queue(queue);
    no_complaints();
}

/* ---- the device ---- */

static bool is_basic(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return strstr(info.name, "basic") != NULL;
}

/* Tells whether a context is of PoCL's device "basic", which has the UUID, where it draws or not
   and with a device named. */
static bool takes_basic(const uint8_t *uuid, const char *device)
{
    const clsp_graphics_context graphics = {.device_uuid = uuid};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(
                        &ctx, NULL, &(clsp_context_opts){.graphics = &graphics, .device = device}));
    const bool basic = is_basic(ctx);
    clsp_context_destroy(&ctx);
    return basic;
}

/* Tells whether there are PoCL's devices "basic" and "pthread". */
static bool has_both(void)
{
    clsp_device_info infos[16];
    size_t num = 0;
    bool basic = false, pthread = false;

    if (clsp_device_list(infos, COUNT(infos), &num) != CLSP_OK) return false;
    for (size_t i = 0; i < num && i < COUNT(infos); i++) {
        basic = basic || strncmp(infos[i].name, "basic", 5) == 0;
        pthread = pthread || strncmp(infos[i].name, "pthread", 7) == 0;
    }
    return basic && pthread;
}

/* Of a process that has these two: 0 where the one that draws is taken; 77 without them. */
static int choose_device(void)
{
    uint8_t uuid[16];

    memset(uuid, FAKE_UUID, sizeof uuid);
    set_words("uuid basic-uuid");
    if (!has_both()) return 77;
    const bool first = takes_basic(uuid, NULL), without = takes_basic(NULL, NULL);
    const bool named = takes_basic(uuid, "pocl:pthread"), both = takes_basic(uuid, "pocl:");
    return first && !without && !named && both ? 0 : 1;
}

static void test_device_choice(void **state)
{
    (void)state;
    const int status = support_wait(support_start(
        (const char *const[]){"choice", NULL},
        (const char *const[]){"POCL_DEVICES=pthread basic", "CLSPLINE_DEVICE", NULL}));
    if (status == 77) skip_because("PoCL has no two devices");
    assert_int_equal(status, 0);
}

/* ---- what is wrong ---- */

static void refuse(clsp_context *ctx, clsp_status wanted, clsp_graphics_desc desc)
{
    clsp_graphics *g = (clsp_graphics *)&desc;
    char message[512] = "";

    assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), wanted);
    assert_null(g);
    assert_true(clsp_context_last_error(ctx, message, sizeof message) > 0);
}

static void test_wrong_descs(void **state)
{
    char host[64];
    const clsp_graphics_desc good = {.host = host, .bytes = sizeof host};

    (void)state;
    set_words("gl external");
    clsp_context *ctx = gl_context();
    const uint32_t name = fake->make_buffer(63);
    const int fd = make_file(63), closed = dup(fd);
    assert_int_equal(close(closed), 0);
#define REFUSED(status, change)                                                                    \
    do {                                                                                           \
        clsp_graphics_desc d = good;                                                               \
        change;                                                                                    \
        refuse(ctx, status, d);                                                                    \
    } while (0)
    REFUSED(CLSP_ERROR_ARGUMENT, d.bytes = 0);
    REFUSED(CLSP_ERROR_ARGUMENT, d.bytes = SIZE_MAX);
    REFUSED(CLSP_ERROR_ARGUMENT, d.host = NULL);
    REFUSED(CLSP_ERROR_ARGUMENT, (d.host = NULL, d.way = CLSP_GRAPHICS_STAGED));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.host = NULL, d.gl_buffer = name, d.bytes = 63));
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = CLSP_GRAPHICS_GL);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = CLSP_GRAPHICS_EXTERNAL);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = (clsp_graphics_way)4);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = (clsp_graphics_way)-1);
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = (clsp_handle_type)3, d.fd = fd));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = CLSP_HANDLE_OPAQUE_FD, d.fd = closed));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = CLSP_HANDLE_DMA_BUF, d.fd = -1));
    for (size_t i = 0; i < CLSP_RESERVED; i++)
        REFUSED(CLSP_ERROR_ARGUMENT, d.reserved[i] = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, d.gl_buffer = name);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, (d.gl_buffer = name, d.way = CLSP_GRAPHICS_GL));
    REFUSED(CLSP_ERROR_NO_SHARING, (d.gl_buffer = 99, d.way = CLSP_GRAPHICS_GL));
    REFUSED(CLSP_ERROR_NO_SHARING,
            (d.handle = CLSP_HANDLE_OPAQUE_FD, d.fd = fd, d.way = CLSP_GRAPHICS_EXTERNAL));
    close(fd);
    fake->delete_buffer(name);
    clsp_context_destroy(&ctx);
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

static void test_wrong_contexts(void **state)
{
    const clsp_graphics_context wrong[] = {
        {.gl_context = &gl_dummy, .egl_display = &gl_dummy, .glx_display = &gl_dummy},
        {.gl_context = &gl_dummy, .wgl_dc = &gl_dummy, .glx_display = &gl_dummy},
        {.egl_display = &gl_dummy},
        {.cgl_share_group = &gl_dummy, .gl_context = &gl_dummy},
        {.gl_context = &gl_dummy, .reserved = {0, 0, 0, 1}},
    };
    clsp_context *ctx;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_status(NULL,
                      clsp_context_create(&ctx, NULL, &(clsp_context_opts){.graphics = &wrong[i]}),
                      CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < CLSP_RESERVED - 1; i++) {
        clsp_context_opts opts = {.device = NULL};
        opts.reserved[i] = 1;
        assert_status(NULL, clsp_context_create(&ctx, NULL, &opts), CLSP_ERROR_ARGUMENT);
    }
}

static void test_wrong_calls(void **state)
{
    clsp_graphics_report report;
    clsp_graphics *none = NULL;

    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    clsp_context *other = gl_context();
    float host[1024];
    const clsp_graphics_desc desc = {.host = host, .bytes = sizeof host};
    assert_status(NULL, clsp_graphics_create(NULL, ctx, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_create(&none, NULL, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_create(&none, ctx, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_info(NULL, &report), CLSP_ERROR_ARGUMENT);
    clsp_graphics_destroy(NULL);
    clsp_graphics_destroy(&none);
    for (int way = CLSP_GRAPHICS_GL; way <= CLSP_GRAPHICS_STAGED; way += 2) {
        target t = make_target(ctx, (clsp_graphics_way)way, sizeof host);
        target foreign = make_target(other, (clsp_graphics_way)way, sizeof host);
        clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
        assert_status(ctx, clsp_graphics_info(t.graphics, NULL), CLSP_ERROR_ARGUMENT);
        assert_status(ctx,
                      bspline_eval(&lent, clsp_out_graphics(foreign.graphics, CLSP_F32, 0), NULL),
                      CLSP_ERROR_ARGUMENT);
        assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F64, 0), NULL),
                      CLSP_ERROR_ARGUMENT);
        assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, 1000), NULL),
                      CLSP_ERROR_BUFFER_SIZE);
        assert_status(ctx,
                      bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, SIZE_MAX), NULL),
                      CLSP_ERROR_BUFFER_SIZE);
        out.host = host;
        assert_status(ctx, bspline_eval(&lent, out, NULL), CLSP_ERROR_ARGUMENT);
        out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
        out.reserved[1] = 1;
        assert_status(ctx, bspline_eval(&lent, out, NULL), CLSP_ERROR_ARGUMENT);
        free_target(&foreign);
        free_target(&t);
    }
    clsp_context_destroy(&other);
    no_complaints();
}

/* Coordinates in the memory of a staged buffer would be overwritten by what is made of them. */
static void test_overlap(void **state)
{
    (void)state;
    set_words("");
    target t = make_target(lent.ctx, CLSP_GRAPHICS_STAGED, 2 * POINTS * sizeof(float));
    const clsp_input params = clsp_in_f32((const float *)(const void *)t.bytes, 2 * POINTS);
    const clsp_image_map map = {.at = {.num = POINTS, .params = params}};
    const clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
    assert_status(lent.ctx, clsp_image_eval(lent.image, one, &map, out, NULL), CLSP_ERROR_ARGUMENT);
    free_target(&t);
}

/* A shared call takes a staged buffer alone, save tiles by the device; a call that takes host
   memory only none. */
static void test_host_only(void **state)
{
    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    const clsp_run shared = {.share = &(clsp_share){.num_workers = 1}};
    const size_t bytes = elements_of(&lent, SURFACE) * sizeof(float);
    target gl = make_target(ctx, CLSP_GRAPHICS_GL, bytes);
    target staged = make_target(ctx, CLSP_GRAPHICS_STAGED, bytes);
    assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(gl.graphics, CLSP_F32, 0), &shared),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(staged.graphics, CLSP_F32, 0), &shared));
    const clsp_share tiles = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = one};
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(gl.graphics, CLSP_F32, 0),
                                &(clsp_run){.share = &tiles}));
    clFinish(clsp_context_queue(ctx));
    for (int i = 0; i < 2; i++) {
        const clsp_output out = clsp_out_graphics(i ? gl.graphics : staged.graphics, CLSP_U32, 0);
        assert_status(ctx, clsp_solid_mesh_cells(lent.mesh, out), CLSP_ERROR_ARGUMENT);
        assert_status(ctx, clsp_solid_cell_classes(lent.solid, one, out), CLSP_ERROR_ARGUMENT);
    }
    free_target(&gl);
    free_target(&staged);
    no_complaints();
}

/* A call whose acquire fails leaves all as it was, and says so; one whose kernels fail gives the
   buffer back; the next one works. */
static void test_failing_calls(void **state)
{
    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    for (size_t c = 0; c < COUNT(calls); c++) {
        const size_t bytes = elements_of(&lent, c) * clsp_type_bytes(calls[c].type);
        target t = make_target(ctx, CLSP_GRAPHICS_GL, bytes);
        const clsp_output out = clsp_out_graphics(t.graphics, calls[c].type, 0);
        set_words("gl fail-acquire");
        assert_status(ctx, calls[c].call(&lent, out, NULL), CL_INVALID_GL_OBJECT);
        clFinish(clsp_context_queue(ctx));
        assert_true(support_poisoned(t.bytes, bytes));
        set_words("gl fail-launch");
        calls[c].call(&lent, out, NULL); /* one that launches nothing succeeds */
        clFinish(clsp_context_queue(ctx));
        assert_int_equal(fake->acquired, fake->released);
        set_words("gl fail-release");
        assert_status(ctx, calls[c].call(&lent, out, NULL), CL_INVALID_GL_OBJECT);
        set_words("gl");
        assert_ok(ctx, calls[c].call(&lent, out, NULL));
        clFinish(clsp_context_queue(ctx));
        assert_false(support_poisoned(t.bytes, bytes));
        free_target(&t);
        fake->released = fake->acquired;
    }
    no_complaints();
}

/* Buffers outlive their context, and end while commands are enqueued. */
static void test_ends(void **state)
{
    (void)state;
    set_words("gl external");
    clsp_context *ctx = gl_context();
    scene s = make_scene(ctx, false);
    const size_t bytes = elements_of(&s, SURFACE) * sizeof(float);
    clsp_graphics_report report;
    target t[3];
    for (int i = 0; i < 3; i++)
        t[i] = make_target(ctx, (clsp_graphics_way)(CLSP_GRAPHICS_GL + i), bytes);
    assert_ok(ctx, bspline_eval(&s, clsp_out_graphics(t[0].graphics, CLSP_F32, 0), NULL));
    clsp_graphics_destroy(&t[0].graphics);
    clFinish(clsp_context_queue(ctx));
    assert_false(support_poisoned(t[0].bytes, bytes));
    free_scene(&s);
    clsp_context_destroy(&ctx);
    assert_ok(NULL, clsp_graphics_info(t[1].graphics, &report));
    for (int i = 0; i < 3; i++)
        free_target(&t[i]);
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

/* A child of fork only forgets a buffer. */
static void test_fork(void **state)
{
    int status = -1;

    (void)state;
    set_words("gl external");
    target t = make_target(lent.ctx, CLSP_GRAPHICS_EXTERNAL, 64);
    const pid_t child = fork();
    if (child == 0) {
        clsp_graphics_destroy(&t.graphics);
        _exit(t.graphics == NULL && fake->alive == 1 ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free_target(&t);
    no_complaints();
}

/* ---- structs ---- */

/* The layouts of structs without graphics in them, which later ones keep. */
typedef struct plain_output {
    clsp_type type;
    cl_mem buffer;
    void *host;
    void *svm;
    size_t size;
    size_t offset;
    uint64_t reserved[CLSP_RESERVED];
} plain_output;

typedef struct plain_opts {
    const char *device;
    clsp_log_fn log;
    void *log_user;
    const char *cache_dir;
    const char *limits;
    uint64_t reserved[CLSP_RESERVED];
} plain_opts;

static void test_layouts(void **state)
{
    (void)state;
    assert_int_equal(sizeof(clsp_output), sizeof(plain_output));
    assert_int_equal(offsetof(clsp_output, graphics), offsetof(plain_output, reserved));
    assert_int_equal(offsetof(clsp_output, reserved), offsetof(plain_output, reserved[1]));
    assert_int_equal(sizeof(clsp_context_opts), sizeof(plain_opts));
    assert_int_equal(offsetof(clsp_context_opts, graphics), offsetof(plain_opts, reserved));
    assert_int_equal(offsetof(clsp_context_opts, reserved), offsetof(plain_opts, reserved[1]));
}

/* Finds the layer, where the loader has taken it. */
static fake_graphics *find_layer(void)
{
    const char *const path = getenv("OPENCL_LAYERS");
    void *const layer = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *const symbol = layer ? dlsym(layer, FAKE_GRAPHICS_SYMBOL) : NULL;
    fake_graphics_fn get;

    if (!symbol) return NULL;
    memcpy(&get, &symbol, sizeof get);
    return get();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call),  cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_two_plans),   cmocka_unit_test(test_events),
        cmocka_unit_test(test_nothing),     cmocka_unit_test(test_ways),
        cmocka_unit_test(test_gl_event),    cmocka_unit_test(test_plain_queue),
        cmocka_unit_test(test_wrong_descs), cmocka_unit_test(test_wrong_contexts),
        cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_host_only),   cmocka_unit_test(test_failing_calls),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_device_choice),
        cmocka_unit_test(test_fork),        cmocka_unit_test(test_layouts),
    };

    if (support_no_device()) return 77;
    fake = find_layer();
    if (!fake) {
        puts("skipped: the OpenCL loader takes no layers");
        return 77;
    }
    support_remember_self(argv[0]);
    if (argc > 1) return choose_device();
    return cmocka_run_group_tests(tests, open_lent, close_lent);
}
