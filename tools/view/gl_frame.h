/* A picture that is drawn into: four samples a pixel and depth, and what becomes of them. */
#ifndef CLSPLINE_TOOLS_GL_FRAME_H
#define CLSPLINE_TOOLS_GL_FRAME_H

#include <stddef.h>

#include "gl_functions.h"

typedef struct gl_frame {
    int width, height, samples;
    GLuint drawn, color, depth; /* a framebuffer with samples */
    GLuint resolved, plain;     /* one without; 0 where the first has none either */
    bool is_light;              /* it holds linear light instead of sRGB */
} gl_frame;

/* Makes it of a size, with as many samples a pixel as the context has, at most so many; 1 is none.
   False with a message, and no frame then. */
bool gl_frame_open(gl_frame *f, int width, int height, int samples, io_message *message);

/* Binds it: what is drawn next goes there. */
void gl_frame_begin(const gl_frame *f);

/* Makes the means of the samples, and reads them: rgba[height][width][4], the top row first. */
void gl_frame_read(const gl_frame *f, unsigned char *rgba);

/* Copies the means of the samples to the window's own framebuffer, of the same size. */
void gl_frame_show(const gl_frame *f);

void gl_frame_close(gl_frame *f);

#endif
