#include "gl_functions.h"

#include <string.h>

gl_functions gl;

enum { NUM_UUIDS = 0x9596, UUID = 0x9597 /* of GL_EXT_memory_object */ };

bool gl_lists(const char *extension)
{
    GLint num = 0;
    gl.GetIntegerv(GL_NUM_EXTENSIONS, &num);
    for (GLint i = 0; i < num; i++)
        if (strcmp((const char *)gl.GetStringi(GL_EXTENSIONS, (GLuint)i), extension) == 0)
            return true;
    return false;
}

/* Fetches what extensions have: addresses of functions that a context lacks need not be NULL. */
static void load_extensions(gl_address (*address)(const char *name))
{
#define GL_FORGET(type, name) gl.name = NULL;
    GL_MEMORY_FUNCTIONS(GL_FORGET)
#undef GL_FORGET
    if (!gl_lists("GL_EXT_memory_object") || !gl_lists("GL_EXT_memory_object_fd")) return;
#define GL_FETCH(type, name) gl.name = (type)address("gl" #name);
    GL_MEMORY_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
}

bool gl_functions_load(gl_address (*address)(const char *name), io_message *message)
{
    GLint major = 0, minor = 0;
#define GL_FETCH(type, name)                                                                       \
    gl.name = (type)address("gl" #name);                                                           \
    if (!gl.name) return io_fail(message, "this OpenGL has no gl" #name);
    GL_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
    gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    if (gl.GetError() != GL_NO_ERROR || major < 3 || (major == 3 && minor < 3))
        return io_fail(message, "OpenGL %d.%d is too old, it must be 3.3", (int)major, (int)minor);
    load_extensions(address);
    return true;
}

bool gl_is_software(void)
{
    const char *name = (const char *)gl.GetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SWR"));
}

bool gl_device_uuid(int number, uint8_t uuid[GL_DEVICE_UUID])
{
    GLint num = 0;
    if (!gl.GetUnsignedBytei_vEXT) return false;
    gl.GetIntegerv(NUM_UUIDS, &num);
    if (number >= num) return false;
    gl.GetUnsignedBytei_vEXT(UUID, (GLuint)number, uuid);
    return true;
}
