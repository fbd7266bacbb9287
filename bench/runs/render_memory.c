#include "render_memory.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- stores ---- */

static bool store_own(render_memory *m, io_message *message)
{
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)m->bytes, NULL, GL_STREAM_DRAW);
    return gl.GetError() == GL_NO_ERROR || io_fail(message, "OpenGL has no memory for vertices");
}

static bool store_mapped(render_memory *m, const render_link *link, io_message *message)
{
    const GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr bytes = (GLsizeiptr)m->bytes;

    if (!link->gl.BufferStorage) return io_fail(message, "OpenGL maps no buffer for good");
    link->gl.BufferStorage(GL_ARRAY_BUFFER, bytes, NULL, flags);
    m->host = link->gl.MapBufferRange(GL_ARRAY_BUFFER, 0, bytes, flags);
    return (gl.GetError() == GL_NO_ERROR && m->host) || io_fail(message, "OpenGL maps no buffer");
}

static bool store_imported(render_memory *m, const render_link *link, io_message *message)
{
    if (!link->exporter) return io_fail(message, "%s", link->no_exporter.text);
    return exported_store_open(&m->store, link->exporter, m->bytes, message);
}

static bool store(render_memory *m, const render_link *link, io_message *message)
{
    switch (m->way) {
    case CLSP_GRAPHICS_STAGED:
        return store_mapped(m, link, message);
    case CLSP_GRAPHICS_EXTERNAL:
        return store_imported(m, link, message);
    case CLSP_GRAPHICS_AUTO:
        m->host = malloc(m->bytes);
        if (!m->host) return io_fail(message, "no memory for vertices");
        break;
    case CLSP_GRAPHICS_GL:
        break;
    }
    return store_own(m, message);
}

/* ---- sharing ---- */

/* Makes the buffer one of the library's, whose descriptor is another than OpenGL's. */
static bool share(render_memory *m, const render_link *link, io_message *message)
{
    const bool is_external = m->way == CLSP_GRAPHICS_EXTERNAL;
    clsp_graphics_desc desc = {.gl_buffer = m->buffer,
                               .handle = is_external ? CLSP_HANDLE_OPAQUE_FD : CLSP_HANDLE_NONE,
                               .fd = -1,
                               .host = m->host,
                               .bytes = is_external ? m->store.memory.bytes : m->bytes,
                               .way = m->way};
    clsp_graphics_report report = {.gl_event = 0};
    char reason[512] = "";

    if (is_external) {
        desc.fd = vulkan_memory_export(&m->store.memory, link->exporter, message);
        if (desc.fd < 0) return false;
    }
    gl.Finish();
    const clsp_status status = clsp_graphics_create(&m->graphics, link->ctx, &desc);
    if (status == CLSP_OK && clsp_graphics_info(m->graphics, &report) == CLSP_OK) {
        m->orders_itself = report.gl_event != 0;
        return true;
    }
    if (is_external) close(desc.fd);
    clsp_context_last_error(link->ctx, reason, sizeof reason);
    return io_fail(message, "%s", *reason ? reason : clsp_status_str(status));
}

/* Tells what the buffer and the array that are bound hold. */
static void describe_vertices(size_t stride)
{
    const GLsizei bytes = (GLsizei)(stride * sizeof(float));

    gl.VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, bytes, NULL);
    gl.EnableVertexAttribArray(0);
    if (stride > 3) {
        gl.VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, bytes, (void *)(3 * sizeof(float)));
        gl.EnableVertexAttribArray(1);
    }
}

bool render_memory_open(render_memory *m, render_link *link, clsp_graphics_way way, size_t vertices,
                        size_t stride, io_message *message)
{
    *m = (render_memory){.way = way, .bytes = vertices * stride * sizeof(float)};
    gl.GenVertexArrays(1, &m->array);
    gl.BindVertexArray(m->array);
    gl.GenBuffers(1, &m->buffer);
    gl.BindBuffer(GL_ARRAY_BUFFER, m->buffer);
    if (!store(m, link, message)) return false;
    describe_vertices(stride);
    return way == CLSP_GRAPHICS_AUTO || share(m, link, message);
}

void render_memory_close(render_memory *m)
{
    clsp_graphics_destroy(&m->graphics);
    if (m->array) gl.DeleteVertexArrays(1, &m->array);
    if (m->buffer) gl.DeleteBuffers(1, &m->buffer); /* which ends its map */
    exported_store_close(&m->store);
    if (m->way == CLSP_GRAPHICS_AUTO) free(m->host);
    *m = (render_memory){.bytes = 0};
}

clsp_output render_memory_output(const render_memory *m)
{
    if (m->graphics) return clsp_out_graphics(m->graphics, CLSP_F32, 0);
    return clsp_out_f32(m->host, m->bytes / sizeof(float));
}

void render_memory_upload(const render_memory *m)
{
    gl.BindBuffer(GL_ARRAY_BUFFER, m->buffer);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)m->bytes, m->host);
}
