/* Programs of shaders. */
#ifndef CLSPLINE_TOOLS_GL_PROGRAM_H
#define CLSPLINE_TOOLS_GL_PROGRAM_H

#include "gl_functions.h"

/* Compiles and links a program; both sources begin with the same text, which has #version. 0 with
   a message. */
GLuint gl_program_make(const char *head, const char *vertex, const char *fragment,
                       io_message *message);

/* Returns the place of a uniform of the program; -1, which setting ignores, where it is not used.
 */
GLint gl_place(GLuint program, const char *name);

#endif
