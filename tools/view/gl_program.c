#include "gl_program.h"

static GLuint compile(GLenum kind, const char *head, const char *body, io_message *message)
{
    const GLchar *const parts[2] = {head, body};
    const GLuint shader = gl.CreateShader(kind);
    GLint done = 0;
    char log[1024] = "";
    gl.ShaderSource(shader, 2, parts, NULL);
    gl.CompileShader(shader);
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    gl.GetShaderInfoLog(shader, sizeof(log), NULL, log);
    io_fail(message, "OpenGL's compiler refuses a shader: %s", log);
    gl.DeleteShader(shader);
    return 0;
}

GLuint gl_program_make(const char *head, const char *vertex, const char *fragment,
                       io_message *message)
{
    GLint done = 0;
    char log[1024] = "";
    const GLuint first = compile(GL_VERTEX_SHADER, head, vertex, message);
    const GLuint second = first ? compile(GL_FRAGMENT_SHADER, head, fragment, message) : 0;
    GLuint program = second ? gl.CreateProgram() : 0;
    if (program) {
        gl.AttachShader(program, first);
        gl.AttachShader(program, second);
        gl.LinkProgram(program);
        gl.GetProgramiv(program, GL_LINK_STATUS, &done);
    }
    if (program && !done) {
        gl.GetProgramInfoLog(program, sizeof(log), NULL, log);
        io_fail(message, "OpenGL does not link shaders: %s", log);
        gl.DeleteProgram(program);
        program = 0;
    }
    if (first) gl.DeleteShader(first);
    if (second) gl.DeleteShader(second);
    return program;
}

GLint gl_place(GLuint program, const char *name)
{
    return gl.GetUniformLocation(program, name);
}
