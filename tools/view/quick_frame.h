/* A frame for while something moves, on drivers that draw on the CPU. Small triangles shade each
   pixel several times there, so that making sRGB of light costs as much as all else: the frame
   holds light, without samples, and sRGB is made once for each pixel, on the way to the window. */
#ifndef CLSPLINE_TOOLS_QUICK_FRAME_H
#define CLSPLINE_TOOLS_QUICK_FRAME_H

#include "gl_frame.h"

typedef struct quick_frame {
    gl_frame frame;
    GLuint texture, program, array;
} quick_frame;

/* Makes it of a size. False with a message, and no frame then. */
bool quick_frame_open(quick_frame *q, int width, int height, io_message *message);

/* Makes sRGB of the picture in a framebuffer of its size: 0 is the window's. */
void quick_frame_show(const quick_frame *q, GLuint to);

void quick_frame_close(quick_frame *q);

#endif
