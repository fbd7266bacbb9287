#include "vertex_buffer.h"

#include <stdlib.h>
#include <unistd.h>

void vertex_buffer_open(vertex_buffer *b, clsp_context *ctx, vulkan_exporter **exporter)
{
    *b = (vertex_buffer){.ctx = ctx, .exporter = exporter};
}

/* ---- stores ---- */

static void release(vertex_buffer *b)
{
    clsp_graphics_destroy(&b->shared); /* before OpenGL's */
    if (b->name) gl.DeleteBuffers(1, &b->name);
    exported_store_close(&b->exported);
    free(b->host);
    b->name = 0;
    b->host = NULL;
    b->bytes = b->capacity = 0;
    b->orders_itself = false;
    b->way = CLSP_GRAPHICS_STAGED;
}

static void make_name(vertex_buffer *b)
{
    gl.GenBuffers(1, &b->name);
    gl.BindBuffer(GL_ARRAY_BUFFER, b->name);
}

/* Makes OpenGL's own store, and host memory for calls to write. False without memory. */
static bool make_own(vertex_buffer *b, size_t bytes)
{
    make_name(b);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    b->host = malloc(bytes + 1);
    return b->host && gl.GetError() == GL_NO_ERROR;
}

/* Makes a buffer of graphics. False with the reason why the way does not work. */
static bool make_shared(vertex_buffer *b, const clsp_graphics_desc *desc, io_message *reason)
{
    clsp_graphics_report report;
    gl.Finish();
    const clsp_status status = clsp_graphics_create(&b->shared, b->ctx, desc);
    if (status == CLSP_OK && clsp_graphics_info(b->shared, &report) == CLSP_OK) {
        b->orders_itself = report.gl_event != 0;
        b->way = report.way;
        return true;
    }
    if (clsp_context_last_error(b->ctx, reason->text, sizeof(reason->text)) == 0)
        io_fail(reason, "%s", clsp_status_str(status));
    return false;
}

/* Lets calls write the buffer of OpenGL that is there. */
static bool share_own(vertex_buffer *b, size_t bytes, io_message *reason)
{
    const clsp_graphics_desc desc = {.gl_buffer = b->name, .bytes = bytes, .way = CLSP_GRAPHICS_GL};
    if (!make_shared(b, &desc, reason)) return false;
    free(b->host);
    b->host = NULL;
    return true;
}

static bool open_exporter(vertex_buffer *b, io_message *reason)
{
    uint8_t uuid[GL_DEVICE_UUID];
    if (*b->exporter) return true;
    if (!gl_device_uuid(0, uuid)) return io_fail(reason, "OpenGL imports no memory");
    *b->exporter = vulkan_exporter_open(uuid, reason);
    return *b->exporter;
}

/* Makes the store of memory that Vulkan exports, and lets calls write it. The descriptor is the
   library's where that succeeds. */
static bool share_exported(vertex_buffer *b, size_t bytes, io_message *reason)
{
    if (!open_exporter(b, reason)) return false;
    make_name(b);
    if (!exported_store_open(&b->exported, *b->exporter, bytes, reason)) return false;
    const clsp_graphics_desc desc = {
        .handle = CLSP_HANDLE_OPAQUE_FD,
        .fd = vulkan_memory_export(&b->exported.memory, *b->exporter, reason),
        .bytes = bytes,
        .way = CLSP_GRAPHICS_EXTERNAL};
    if (desc.fd < 0) return false;
    if (make_shared(b, &desc, reason)) return true;
    close(desc.fd);
    return false;
}

/* Makes room in a buffer that calls write themselves. False where none can be had, which is not
   tried again; the reason is kept. */
static bool make_any_shared(vertex_buffer *b, size_t bytes)
{
    io_message own = {""}, external;
    if (!b->ctx || bytes == 0) return false;
    if (make_own(b, bytes) && share_own(b, bytes, &own)) return true;
    release(b);
    if (b->exporter && share_exported(b, bytes, &external)) return true;
    release(b);
    b->ctx = NULL;
    if (b->exporter)
        io_fail(&b->reason, "%.250s; %.250s", own.text, external.text);
    else
        io_fail(&b->reason, "%.250s", own.text);
    return false;
}

bool vertex_buffer_resize(vertex_buffer *b, size_t bytes)
{
    if (!b->name || bytes > b->capacity || bytes < b->capacity / 4) {
        release(b);
        if (!make_any_shared(b, bytes) && !make_own(b, bytes)) return false;
        b->capacity = bytes;
    }
    b->bytes = bytes;
    return true;
}

bool vertex_buffer_unshare(vertex_buffer *b, const char *reason)
{
    const size_t bytes = b->bytes;
    b->ctx = NULL;
    io_fail(&b->reason, "%s", reason);
    release(b);
    return vertex_buffer_resize(b, bytes);
}

/* ---- vertices ---- */

vertex_target vertex_buffer_begin(const vertex_buffer *b)
{
    if (b->shared && !b->orders_itself) gl.Finish();
    return (vertex_target){.host = b->host, .graphics = b->shared};
}

bool vertex_buffer_end(const vertex_buffer *b)
{
    if (b->shared) return b->orders_itself || clsp_context_finish(b->ctx) == CLSP_OK;
    vertex_buffer_put(b, 0, b->host, b->bytes);
    return true;
}

void vertex_buffer_put(const vertex_buffer *b, size_t offset, const void *from, size_t bytes)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, b->name);
    gl.BufferSubData(GL_ARRAY_BUFFER, (GLintptr)offset, (GLsizeiptr)bytes, from);
}

const void *vertex_buffer_read(const vertex_buffer *b, void **copy)
{
    *copy = NULL;
    if (b->host) return b->host;
    *copy = malloc(b->bytes + 1);
    if (!*copy) return NULL;
    gl.BindBuffer(GL_ARRAY_BUFFER, b->name);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)b->bytes, *copy);
    return *copy;
}

void vertex_buffer_close(vertex_buffer *b)
{
    release(b);
    *b = (vertex_buffer){.name = 0};
}
