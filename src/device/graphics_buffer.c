#include "graphics_buffer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "check.h"
#include "process.h"
#include "profile.h"

/* Of cl_khr_external_memory, whose header need not be there. */
enum { HANDLE_OPAQUE_FD = 0x2060, HANDLE_DMA_BUF = 0x2067 };

typedef cl_mem(CL_API_CALL *create_gl_fn)(cl_context, cl_mem_flags, cl_uint, cl_int *);

/* clCreateBufferWithProperties, the one function of OpenCL 3.0 that is used. */
typedef cl_mem(CL_API_CALL *create_external_fn)(cl_context, const cl_mem_properties *, cl_mem_flags,
                                                size_t, void *, cl_int *);

/* A buffer in the making. why: [CLSPI_GRAPHICS_REASON], written where a way does not work. */
typedef struct attempt {
    clsp_context *ctx;
    const clsp_graphics_desc *desc;
    clsp_graphics *made;
    char *why;
} attempt;

/* ---- checks ---- */

static clsp_status fail(clsp_context *ctx, const char *why)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "clsp_graphics_desc: %s", why);
}

/* Checks that what a way works on is given. */
static clsp_status check_way(clsp_context *ctx, const clsp_graphics_desc *d)
{
    switch (d->way) {
    case CLSP_GRAPHICS_AUTO:
        return d->host ? CLSP_OK : fail(ctx, "way auto without host");
    case CLSP_GRAPHICS_GL:
        return d->gl_buffer ? CLSP_OK : fail(ctx, "way gl without gl_buffer");
    case CLSP_GRAPHICS_EXTERNAL:
        return d->handle ? CLSP_OK : fail(ctx, "way external without a handle");
    case CLSP_GRAPHICS_STAGED:
        return d->host ? CLSP_OK : fail(ctx, "way staged without host");
    }
    return fail(ctx, "way is no clsp_graphics_way");
}

static clsp_status check_desc(clsp_context *ctx, const clsp_graphics_desc *d)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_graphics_desc", d->reserved));
    if (d->bytes == 0) return fail(ctx, "no bytes");
    if (d->bytes > PTRDIFF_MAX) return fail(ctx, "more bytes than the address space");
    if (d->handle != CLSP_HANDLE_NONE && d->handle != CLSP_HANDLE_OPAQUE_FD &&
        d->handle != CLSP_HANDLE_DMA_BUF)
        return fail(ctx, "handle is no clsp_handle_type");
    CLSPI_CHECK(check_way(ctx, d));
    if (d->handle != CLSP_HANDLE_NONE && fcntl(d->fd, F_GETFD) < 0)
        return fail(ctx, "fd is no descriptor that is open");
    return CLSP_OK;
}

/* ---- one way ---- */

static clsp_status give_up(const attempt *a, const char *what, cl_int code)
{
    snprintf(a->why, CLSPI_GRAPHICS_REASON, "%s: %s", what, clsp_status_str(code));
    return CLSP_ERROR_NO_SHARING;
}

static clsp_status give_up_for(const attempt *a, const char *why)
{
    snprintf(a->why, CLSPI_GRAPHICS_REASON, "%s", why);
    return CLSP_ERROR_NO_SHARING;
}

static bool find_functions(const attempt *a, const char *acquire, const char *release)
{
    const cl_device_id device = a->ctx->device.id;

    a->made->acquire = (clspi_pass_fn)clspi_extension_function(device, acquire);
    a->made->release = (clspi_pass_fn)clspi_extension_function(device, release);
    return a->made->acquire && a->made->release;
}

/* Acquires and releases a buffer once. The queue of the context may hold commands that wait for
   something of the caller's. */
static clsp_status try_out(const attempt *a)
{
    const clsp_graphics *const g = a->made;
    const char *what = "a queue";
    cl_int code;
    const cl_command_queue queue =
        clCreateCommandQueue(a->ctx->context, a->ctx->device.id, 0, &code);

    if (code != CL_SUCCESS) return give_up(a, what, code);
    what = "acquiring it";
    code = g->acquire(queue, 1, &g->buffer, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        what = "releasing it";
        code = g->release(queue, 1, &g->buffer, 0, NULL, NULL);
        const cl_int finished = clFinish(queue);
        if (code == CL_SUCCESS) code = finished;
    }
    clReleaseCommandQueue(queue);
    return code == CL_SUCCESS ? CLSP_OK : give_up(a, what, code);
}

/* Checks that an OpenGL buffer is as large as the caller says. */
static clsp_status check_gl_size(const attempt *a)
{
    size_t size;
    const cl_int code = clGetMemObjectInfo(a->made->buffer, CL_MEM_SIZE, sizeof size, &size, NULL);

    if (code != CL_SUCCESS) return give_up(a, "its size", code);
    if (size >= a->desc->bytes) return CLSP_OK;
    return clspi_fail(&a->ctx->log, CLSP_ERROR_BUFFER_SIZE,
                      "clsp_graphics_desc: %zu bytes, and the OpenGL buffer has %zu",
                      a->desc->bytes, size);
}

static clsp_status open_gl(const attempt *a)
{
    const char *const no_gl = a->ctx->graphics.no_gl;
    cl_int code;

    if (!a->desc->gl_buffer) return give_up_for(a, "no gl_buffer is given");
    if (*no_gl) return give_up_for(a, no_gl);
    const create_gl_fn create =
        (create_gl_fn)clspi_extension_function(a->ctx->device.id, "clCreateFromGLBuffer");
    if (!find_functions(a, "clEnqueueAcquireGLObjects", "clEnqueueReleaseGLObjects") || !create)
        return give_up_for(a, "there are no functions for the cl_khr_gl_sharing that is listed");
    a->made->buffer = create(a->ctx->context, CL_MEM_READ_WRITE, a->desc->gl_buffer, &code);
    if (code != CL_SUCCESS) {
        a->made->buffer = NULL;
        return give_up(a, "clCreateFromGLBuffer", code);
    }
    CLSPI_CHECK(check_gl_size(a));
    a->made->report.gl_event = clspi_has_extension(a->ctx->device.id, "cl_khr_gl_event");
    return try_out(a);
}

/* Tells whether the device says that it imports memory of a kind of handle, by OpenCL 3.0. */
static bool lists_external(const clsp_device_info *device, clsp_handle_type handle)
{
    unsigned major = 0;

    return sscanf(device->version, "OpenCL %u", &major) == 1 && major >= 3 &&
           clspi_has_extension(device->id, "cl_khr_external_memory") &&
           clspi_has_extension(device->id, handle == CLSP_HANDLE_DMA_BUF
                                               ? "cl_khr_external_memory_dma_buf"
                                               : "cl_khr_external_memory_opaque_fd");
}

/* Imports a descriptor. It is the driver's if that succeeds, so it gets one of its own: whatever
   fails later, the caller still has his. */
static clsp_status import(const attempt *a, create_external_fn create)
{
    const bool is_dma_buf = a->desc->handle == CLSP_HANDLE_DMA_BUF;
    const int fd = fcntl(a->desc->fd, F_DUPFD_CLOEXEC, 0);
    const cl_mem_properties list[] = {is_dma_buf ? HANDLE_DMA_BUF : HANDLE_OPAQUE_FD,
                                      (cl_mem_properties)fd, 0};
    cl_int code;

    if (fd < 0) return give_up_for(a, "no descriptor is left");
    a->made->buffer = create(a->ctx->context, list, CL_MEM_READ_WRITE, a->desc->bytes, NULL, &code);
    if (code == CL_SUCCESS) return CLSP_OK;
    a->made->buffer = NULL;
    close(fd);
    return give_up(a, "clCreateBufferWithProperties", code);
}

static clsp_status open_external(const attempt *a)
{
    const clsp_graphics_desc *const d = a->desc;

    if (d->handle == CLSP_HANDLE_NONE) return give_up_for(a, "no handle is given");
    if (*a->ctx->graphics.no_device) return give_up_for(a, a->ctx->graphics.no_device);
    if (!lists_external(&a->ctx->device, d->handle))
        return give_up_for(a, "the device does not list cl_khr_external_memory for this handle");
    const create_external_fn create =
        (create_external_fn)clspi_loader_function("clCreateBufferWithProperties");
    if (!create || !find_functions(a, "clEnqueueAcquireExternalMemObjectsKHR",
                                   "clEnqueueReleaseExternalMemObjectsKHR"))
        return give_up_for(a,
                           "there are no functions for the cl_khr_external_memory that is listed");
    CLSPI_CHECK(import(a, create));
    CLSPI_CHECK(try_out(a));
    close(d->fd);
    return CLSP_OK;
}

static clsp_status open_staged(const attempt *a)
{
    a->made->host = a->desc->host;
    return CLSP_OK;
}

/* ---- all ways ---- */

typedef clsp_status (*open_fn)(const attempt *a);

static const open_fn open_way[CLSP_NUM_GRAPHICS_WAYS] = {NULL, open_gl, open_external, open_staged};
static const char *const way_name[CLSP_NUM_GRAPHICS_WAYS] = {"auto", "gl", "external", "staged"};

/* Tries one way, and leaves nothing behind where it does not work. */
static clsp_status try_way(clsp_graphics *g, clsp_context *ctx, const clsp_graphics_desc *desc,
                           clsp_graphics_way way)
{
    const attempt a = {ctx, desc, g, g->report.reason[way]};
    const clsp_status status = open_way[way](&a);

    if (status == CLSP_OK) {
        g->report.way = way;
        return CLSP_OK;
    }
    clspi_buffer_release(&g->buffer);
    g->report.gl_event = 0;
    return status;
}

/* Finds the first way that works, or takes the one that is named. */
static clsp_status find_way(clsp_graphics *g, clsp_context *ctx, const clsp_graphics_desc *desc)
{
    clsp_status status = CLSP_ERROR_NO_SHARING;

    for (int way = CLSP_GRAPHICS_GL; way < CLSP_NUM_GRAPHICS_WAYS; way++) {
        char *const why = g->report.reason[way];
        const bool is_tried = desc->way == CLSP_GRAPHICS_AUTO || (int)desc->way == way;
        if (is_tried) status = try_way(g, ctx, desc, (clsp_graphics_way)way);
        if (status != CLSP_ERROR_NO_SHARING) return status;
        if (!is_tried)
            snprintf(why, CLSPI_GRAPHICS_REASON, "way %s was asked for", way_name[desc->way]);
        else if (desc->way != CLSP_GRAPHICS_AUTO)
            return clspi_fail(&ctx->log, status, "graphics: way %s: %s", way_name[way], why);
    }
    return status;
}

/* ---- the calls ---- */

static void tell(const clsp_graphics *g, clsp_context *ctx)
{
    clspi_message(&ctx->log, CLSP_LOG_INFO, "graphics: way %s of %zu bytes%s%s%s%s",
                  way_name[g->report.way], g->report.bytes,
                  *g->report.reason[CLSP_GRAPHICS_GL] ? "; not gl: " : "",
                  g->report.reason[CLSP_GRAPHICS_GL],
                  *g->report.reason[CLSP_GRAPHICS_EXTERNAL] ? "; not external: " : "",
                  g->report.reason[CLSP_GRAPHICS_EXTERNAL]);
}

clsp_status clsp_graphics_create(clsp_graphics **out, clsp_context *ctx,
                                 const clsp_graphics_desc *desc)
{
    if (out) *out = NULL;
    if (!out || !ctx || !desc) return clspi_context_null(ctx, "clsp_graphics_create");
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(check_desc(ctx, desc));
    clsp_graphics *g = calloc(1, sizeof *g);
    if (!g) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "clsp_graphics_create: no memory");
    g->ctx = ctx;
    g->process = clspi_process();
    g->report.bytes = desc->bytes;
    const clsp_status status = find_way(g, ctx, desc);
    if (status != CLSP_OK) {
        free(g);
        return status;
    }
    tell(g, ctx);
    *out = g;
    return CLSP_OK;
}

void clsp_graphics_destroy(clsp_graphics **ptr)
{
    clsp_graphics *const g = ptr ? *ptr : NULL;

    if (!g) return;
    *ptr = NULL;
    if (g->process != clspi_process()) return;
    if (g->last) clReleaseEvent(g->last);
    clspi_buffer_release(&g->buffer);
    free(g);
}

clsp_status clsp_graphics_info(const clsp_graphics *graphics, clsp_graphics_report *report)
{
    if (graphics && graphics->process != clspi_process())
        return clspi_fail(NULL, CLSP_ERROR_STATE, "%s", clspi_made_before_fork);
    if (!graphics || !report) return clspi_context_null(NULL, "clsp_graphics_info");
    *report = graphics->report;
    return CLSP_OK;
}

/* ---- in a series ---- */

clsp_status clspi_graphics_acquire(clsp_graphics *graphics, clspi_series *series)
{
    if (graphics->last) CLSPI_CHECK(clspi_series_join(series, graphics->last));
    return clspi_series_pass(series, graphics->acquire, graphics->buffer,
                             "acquiring a buffer of graphics");
}

/* Keeps the event of an out-of-order queue's release for the next call. */
static clsp_status keep_last(clsp_graphics *graphics, const clspi_series *series)
{
    if (series->ctx->in_order || !series->last) return CLSP_OK;
    CLSPI_CHECK(clspi_cl(&series->ctx->log, clRetainEvent(series->last), "clRetainEvent"));
    if (graphics->last) clReleaseEvent(graphics->last);
    graphics->last = series->last;
    return CLSP_OK;
}

clsp_status clspi_graphics_release(clsp_graphics *graphics, clspi_series *series,
                                   clsp_status status)
{
    clsp_status released = clspi_series_pass(series, graphics->release, graphics->buffer,
                                             "releasing a buffer of graphics");

    if (released == CLSP_OK) released = keep_last(graphics, series);
    return status == CLSP_OK ? released : status;
}
