#include "gl_frame.h"

#include <string.h>

/* Adds a renderbuffer to the framebuffer that is bound. */
static GLuint attach(const gl_frame *f, int samples, GLenum format, GLenum place)
{
    GLuint made = 0;
    gl.GenRenderbuffers(1, &made);
    gl.BindRenderbuffer(GL_RENDERBUFFER, made);
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples > 1 ? samples : 0, format, f->width,
                                      f->height);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, made);
    return made;
}

static GLuint make_framebuffer(void)
{
    GLuint made = 0;
    gl.GenFramebuffers(1, &made);
    gl.BindFramebuffer(GL_FRAMEBUFFER, made);
    return made;
}

bool gl_frame_open(gl_frame *f, int width, int height, int samples, io_message *message)
{
    GLint most = 0, largest = 0;
    gl.GetIntegerv(GL_MAX_SAMPLES, &most);
    gl.GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    *f = (gl_frame){.width = width, .height = height, .samples = samples < most ? samples : most};
    if (width > largest || height > largest)
        return io_fail(message, "OpenGL draws at most %d x %d pixels here", (int)largest,
                       (int)largest);
    f->drawn = make_framebuffer();
    f->color = attach(f, f->samples, GL_SRGB8_ALPHA8, GL_COLOR_ATTACHMENT0);
    f->depth = attach(f, f->samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
    GLenum status = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (f->samples > 1) {
        f->resolved = make_framebuffer();
        f->plain = attach(f, 1, GL_SRGB8_ALPHA8, GL_COLOR_ATTACHMENT0);
    }
    if (status == GL_FRAMEBUFFER_COMPLETE) status = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE && gl.GetError() == GL_NO_ERROR) return true;
    gl_frame_close(f);
    return io_fail(message, "OpenGL cannot draw a picture of %d x %d pixels (0x%x)", width, height,
                   (unsigned)status);
}

void gl_frame_begin(const gl_frame *f)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, f->drawn);
    gl.Viewport(0, 0, f->width, f->height);
    gl.Enable(GL_FRAMEBUFFER_SRGB);
}

/* Makes the means of the samples, of light; then bytes are copied as they are. A frame without
   samples is read as it was drawn. */
static void resolve(const gl_frame *f)
{
    if (f->samples < 2) {
        gl.Disable(GL_FRAMEBUFFER_SRGB);
        gl.BindFramebuffer(GL_READ_FRAMEBUFFER, f->drawn);
        return;
    }
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, f->drawn);
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, f->resolved);
    gl.Enable(GL_FRAMEBUFFER_SRGB);
    gl.BlitFramebuffer(0, 0, f->width, f->height, 0, 0, f->width, f->height, GL_COLOR_BUFFER_BIT,
                       GL_NEAREST);
    gl.Disable(GL_FRAMEBUFFER_SRGB);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, f->resolved);
}

/* Puts the rows into the opposite order. */
static void turn_rows(unsigned char *rgba, size_t row, size_t rows)
{
    for (size_t y = 0; y < rows / 2; y++)
        for (size_t x = 0; x < row; x++) {
            unsigned char *a = rgba + y * row + x, *b = rgba + (rows - 1 - y) * row + x;
            const unsigned char kept = *a;
            *a = *b;
            *b = kept;
        }
}

void gl_frame_read(const gl_frame *f, unsigned char *rgba)
{
    resolve(f);
    gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl.ReadPixels(0, 0, f->width, f->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    turn_rows(rgba, 4 * (size_t)f->width, (size_t)f->height);
}

void gl_frame_show(const gl_frame *f)
{
    resolve(f);
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl.BlitFramebuffer(0, 0, f->width, f->height, 0, 0, f->width, f->height, GL_COLOR_BUFFER_BIT,
                       GL_NEAREST);
}

void gl_frame_close(gl_frame *f)
{
    if (!f->drawn) return;
    gl.DeleteFramebuffers(1, &f->drawn);
    if (f->resolved) gl.DeleteFramebuffers(1, &f->resolved);
    gl.DeleteRenderbuffers(1, &f->color);
    gl.DeleteRenderbuffers(1, &f->depth);
    if (f->plain) gl.DeleteRenderbuffers(1, &f->plain);
    *f = (gl_frame){.width = 0};
}
