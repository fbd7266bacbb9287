#include "gl_functions.h"

#include <string.h>

gl_functions gl;

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
    if (gl.GetError() == GL_NO_ERROR && (major > 3 || (major == 3 && minor >= 3))) return true;
    return io_fail(message, "OpenGL %d.%d is too old, it must be 3.3", (int)major, (int)minor);
}

bool gl_is_software(void)
{
    const char *name = (const char *)gl.GetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SWR"));
}
