#include "exported_store.h"

#include <unistd.h>

enum { HANDLE_OPAQUE_FD = 0x9586 /* GL_HANDLE_TYPE_OPAQUE_FD_EXT */ };

bool exported_store_open(exported_store *s, const vulkan_exporter *e, size_t bytes,
                         io_message *message)
{
    *s = (exported_store){.exporter = e};
    if (!gl.ImportMemoryFdEXT) return io_fail(message, "OpenGL imports no memory");
    if (!vulkan_memory_open(&s->memory, e, bytes, message)) return false;
    const int fd = vulkan_memory_export(&s->memory, e, message);
    if (fd < 0) return false;
    gl.CreateMemoryObjectsEXT(1, &s->object);
    gl.ImportMemoryFdEXT(s->object, s->memory.bytes, HANDLE_OPAQUE_FD, fd);
    GLenum code = gl.GetError();
    if (code != GL_NO_ERROR) {
        close(fd); /* which is OpenGL's where it has been imported */
        return io_fail(message, "glImportMemoryFdEXT: 0x%x", code);
    }
    gl.BufferStorageMemEXT(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, s->object, 0);
    code = gl.GetError();
    return code == GL_NO_ERROR || io_fail(message, "glBufferStorageMemEXT: 0x%x", code);
}

void exported_store_close(exported_store *s)
{
    if (s->object) gl.DeleteMemoryObjectsEXT(1, &s->object);
    if (s->memory.bytes || s->memory.buffer) vulkan_memory_close(&s->memory, s->exporter);
    *s = (exported_store){.object = 0};
}
