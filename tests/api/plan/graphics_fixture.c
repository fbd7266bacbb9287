#define _GNU_SOURCE /* memfd_create */

#include "graphics_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

fake_graphics *fake;
int gl_dummy;

void set_words(const char *words)
{
    assert_int_equal(setenv("FAKE_GRAPHICS", words, 1), 0);
}

void no_complaints(void)
{
    assert_string_equal(fake->complaint, "");
    assert_int_equal(fake->unsafe, 0);
    assert_int_equal(fake->acquired, fake->released);
}

clsp_context *context_of(const clsp_graphics_context *graphics)
{
    clsp_context_opts opts = {.graphics = graphics};
    clsp_context *ctx;

    if (!getenv("CLSPLINE_DEVICE")) opts.device = ":"; /* also one without the UUID */
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    return ctx;
}

clsp_context *gl_context(void)
{
    return context_of(&(clsp_graphics_context){.gl_context = &gl_dummy, .egl_display = &gl_dummy});
}

/* ---- plans ---- */

enum { SAMPLES = 7, IMAGE = 12 /* along a side, of patches and of images */ };

const clsp_range one = {0, 1};
static const uint32_t hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static void make_surface(scene *s)
{
    const clsp_axis axis = {.num = SAMPLES};
    const clsp_bspline_desc bspline = {
        .degree = {3, 3}, .num_controls = {5, 6}, .axis = {axis, axis}};
    const clsp_bspline_target pieces = {.bezier = 1};
    const clsp_input in = clsp_in_f32(s->numbers, 90);

    assert_ok(s->ctx, clsp_bspline_plan_create(&s->bspline, s->ctx, &bspline));
    assert_ok(s->ctx, clsp_patch_set_control_points(s->bspline, 1, in, NULL));
    assert_ok(s->ctx, clsp_bspline_set_target(s->bspline, &pieces));
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
    assert_ok(s->ctx, clsp_patch_set_control_points(s->bezier, 1, points, NULL));
    assert_ok(s->ctx, clsp_bspline_plan_create(&s->curve, s->ctx, &curve));
    assert_ok(s->ctx, clsp_patch_set_control_points(s->curve, 1, few, NULL));
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
scene make_scene(clsp_context *ctx, bool whole)
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

void free_scene(scene *s)
{
    clsp_solid_plan_destroy(&s->solid);
    clsp_solid_mesh_destroy(&s->mesh);
    clsp_image_plan_destroy(&s->image);
    clsp_patch_plan_destroy(&s->curve);
    clsp_patch_plan_destroy(&s->bspline);
    clsp_patch_plan_destroy(&s->bezier);
}

scene lent;

int open_lent(void **state)
{
    (void)state;
    set_words("gl external");
    lent = make_scene(gl_context(), true);
    return 0;
}

int close_lent(void **state)
{
    (void)state;
    free_scene(&lent);
    clsp_context_destroy(&lent.ctx);
    return 0;
}

static clsp_status bezier_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_patch_eval(s->bezier, one, out, run);
}

static clsp_status patch_points(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_points list = {.num = POINTS, .params = clsp_in_f32(s->numbers, 2 * POINTS)};

    return clsp_patch_eval_points(s->bezier, &list, out, run);
}

static clsp_status patch_indices(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_patch_indices(s->bezier, CLSP_FACES_TRIANGLES, one, out, run);
}

clsp_status bspline_eval(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_patch_eval(s->bspline, one, out, run);
}

static clsp_status convert(const scene *s, clsp_output out, const clsp_run *run)
{
    return clsp_bspline_convert(s->bspline, one, out, run);
}

static clsp_status project(const scene *s, clsp_output out, const clsp_run *run)
{
    const clsp_nearest_queries queries = {.num = POINTS,
                                          .points = clsp_in_f32(s->numbers + 50, 3 * POINTS)};

    return clsp_nearest_project(s->curve, &queries, NULL, out, run);
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

const graphics_call calls[] = {
    {"bezier eval", bezier_eval, CLSP_F32},
    {"patch points", patch_points, CLSP_F32},
    {"patch indices", patch_indices, CLSP_U32},
    {"bspline eval", bspline_eval, CLSP_F32},
    {"convert", convert, CLSP_F32},
    {"project", project, CLSP_F32},
    {"image eval", image_eval, CLSP_F32},
    {"image points", image_points, CLSP_F32},
    {"coefficients", coefficients, CLSP_F32},
    {"solid eval", solid_eval, CLSP_F32},
    {"solid points", solid_points, CLSP_F32},
    {"refine", refine, CLSP_F32},
};

const size_t num_calls = COUNT(calls);

size_t elements_of(const scene *s, size_t c)
{
    clsp_tiling tiling;

    assert_ok(s->ctx,
              calls[c].call(s, (clsp_output){.type = CLSP_F32}, &(clsp_run){.tiling = &tiling}));
    assert_true(tiling.elements.count > 0);
    return tiling.elements.count;
}

/* ---- a buffer of each way ---- */

int make_file(size_t size)
{
    const int fd = memfd_create("shared", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    return fd;
}

target make_target(clsp_context *ctx, clsp_graphics_way way, size_t size)
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

void free_target(target *t)
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

unsigned char *plain_result(const scene *s, size_t c, bool to_host)
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
/* ---- queues ---- */

cl_command_queue queue_with(bool gl)
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

/* Intel's runtime ends a cl_context before its queue if it may: the queue goes first. */
void free_queue(cl_command_queue queue)
{
    cl_context context;

    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, (void *)&context, NULL);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* ---- the layer ---- */

int graphics_start(char *const *argv)
{
    support_begin();
    fake = fake_graphics_find();
    if (!fake) puts("skipped: the OpenCL loader takes no layers");
    support_remember_self(argv[0]);
    return fake ? 0 : 77;
}
