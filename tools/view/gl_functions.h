/* OpenGL's functions, by address: the program links no GL, so that it starts without a driver.

   gl_functions_load fetches the addresses of the table; afterwards gl.Clear(..) is glClear. The
   table is that of one context at a time, which is current on the calling thread. */
#ifndef CLSPLINE_TOOLS_GL_FUNCTIONS_H
#define CLSPLINE_TOOLS_GL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <GL/glcorearb.h>

#include "message.h"

/* X(type, name) for every function of GL 3.3 core that is called. */
#define GL_FUNCTIONS(X)                                                                            \
    X(PFNGLACTIVETEXTUREPROC, ActiveTexture)                                                       \
    X(PFNGLATTACHSHADERPROC, AttachShader)                                                         \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                                                             \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                   \
    X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                 \
    X(PFNGLBINDTEXTUREPROC, BindTexture)                                                           \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                   \
    X(PFNGLBLENDFUNCSEPARATEPROC, BlendFuncSeparate)                                               \
    X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                   \
    X(PFNGLBUFFERDATAPROC, BufferData)                                                             \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                       \
    X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                     \
    X(PFNGLCLEARPROC, Clear)                                                                       \
    X(PFNGLCLEARCOLORPROC, ClearColor)                                                             \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                                                       \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                       \
    X(PFNGLCREATESHADERPROC, CreateShader)                                                         \
    X(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                                                       \
    X(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                             \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram)                                                       \
    X(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers)                                           \
    X(PFNGLDELETESHADERPROC, DeleteShader)                                                         \
    X(PFNGLDELETETEXTURESPROC, DeleteTextures)                                                     \
    X(PFNGLDELETEVERTEXARRAYSPROC, DeleteVertexArrays)                                             \
    X(PFNGLDEPTHFUNCPROC, DepthFunc)                                                               \
    X(PFNGLDEPTHMASKPROC, DepthMask)                                                               \
    X(PFNGLDISABLEPROC, Disable)                                                                   \
    X(PFNGLDISABLEVERTEXATTRIBARRAYPROC, DisableVertexAttribArray)                                 \
    X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                             \
    X(PFNGLDRAWARRAYSINSTANCEDPROC, DrawArraysInstanced)                                           \
    X(PFNGLDRAWELEMENTSPROC, DrawElements)                                                         \
    X(PFNGLENABLEPROC, Enable)                                                                     \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                   \
    X(PFNGLFINISHPROC, Finish)                                                                     \
    X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                   \
    X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                         \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                                                             \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                   \
    X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                 \
    X(PFNGLGENTEXTURESPROC, GenTextures)                                                           \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                   \
    X(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)                                                 \
    X(PFNGLGETERRORPROC, GetError)                                                                 \
    X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                           \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                               \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                         \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                 \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                                                           \
    X(PFNGLGETSTRINGPROC, GetString)                                                               \
    X(PFNGLGETSTRINGIPROC, GetStringi)                                                             \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                             \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                           \
    X(PFNGLPIXELSTOREIPROC, PixelStorei)                                                           \
    X(PFNGLREADPIXELSPROC, ReadPixels)                                                             \
    X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                     \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                         \
    X(PFNGLTEXBUFFERPROC, TexBuffer)                                                               \
    X(PFNGLTEXIMAGE2DPROC, TexImage2D)                                                             \
    X(PFNGLTEXPARAMETERIPROC, TexParameteri)                                                       \
    X(PFNGLUNIFORM1FPROC, Uniform1f)                                                               \
    X(PFNGLUNIFORM1IPROC, Uniform1i)                                                               \
    X(PFNGLUNIFORM2FPROC, Uniform2f)                                                               \
    X(PFNGLUNIFORM3FPROC, Uniform3f)                                                               \
    X(PFNGLUNIFORM4FPROC, Uniform4f)                                                               \
    X(PFNGLUNIFORMMATRIX3FVPROC, UniformMatrix3fv)                                                 \
    X(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv)                                                 \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                                                             \
    X(PFNGLVERTEXATTRIBDIVISORPROC, VertexAttribDivisor)                                           \
    X(PFNGLVERTEXATTRIBIPOINTERPROC, VertexAttribIPointer)                                         \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                           \
    X(PFNGLVIEWPORTPROC, Viewport)

/* Functions of GL_EXT_memory_object and GL_EXT_memory_object_fd, which take memory that Vulkan
   exports; NULL without these extensions. */
typedef void(APIENTRYP gl_get_bytes_fn)(GLenum target, GLuint index, GLubyte *data);
typedef void(APIENTRYP gl_make_memory_fn)(GLsizei num, GLuint *memory);
typedef void(APIENTRYP gl_delete_memory_fn)(GLsizei num, const GLuint *memory);
typedef void(APIENTRYP gl_import_fd_fn)(GLuint memory, GLuint64 size, GLenum handle, GLint fd);
typedef void(APIENTRYP gl_store_memory_fn)(GLenum target, GLsizeiptr size, GLuint memory,
                                           GLuint64 offset);
#define GL_MEMORY_FUNCTIONS(X)                                                                     \
    X(gl_get_bytes_fn, GetUnsignedBytei_vEXT)                                                      \
    X(gl_make_memory_fn, CreateMemoryObjectsEXT)                                                   \
    X(gl_delete_memory_fn, DeleteMemoryObjectsEXT)                                                 \
    X(gl_import_fd_fn, ImportMemoryFdEXT)                                                          \
    X(gl_store_memory_fn, BufferStorageMemEXT)

enum { GL_DEVICE_UUID = 16 /* bytes */ };

typedef struct gl_functions {
#define GL_MEMBER(type, name) type name;
    GL_FUNCTIONS(GL_MEMBER)
    GL_MEMORY_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
} gl_functions;

extern gl_functions gl;

/* Fetches the addresses for the context that is current, by glfwGetProcAddress or
   eglGetProcAddress, and checks that it has GL 3.3. False with a message. */
typedef void (*gl_address)(void);
bool gl_functions_load(gl_address (*address)(const char *name), io_message *message);

/* Tells whether the context lists an extension. */
bool gl_lists(const char *extension);

/* Finds a device that the context draws on, by the number of those that it names. False where it
   names no such one. */
bool gl_device_uuid(int number, uint8_t uuid[GL_DEVICE_UUID]);

/* Tells whether the context draws on the CPU, as Mesa's llvmpipe and softpipe do. */
bool gl_is_software(void);

#endif
