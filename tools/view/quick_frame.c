#include "quick_frame.h"

#include "gl_program.h"
#include "shaders.h"

/* Makes the texture that is drawn into, 16 bits a channel: sRGB's darkest steps are 1 / 3295. */
static GLuint make_texture(int width, int height)
{
    GLuint made = 0;
    gl.GenTextures(1, &made);
    gl.BindTexture(GL_TEXTURE_2D, made);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16, width, height, 0, GL_RGBA, GL_UNSIGNED_SHORT, NULL);
    return made;
}

/* Makes the framebuffer. Returns its status. */
static GLenum make_target(quick_frame *q)
{
    gl_frame *f = &q->frame;
    q->texture = make_texture(f->width, f->height);
    gl.GenFramebuffers(1, &f->drawn);
    gl.GenRenderbuffers(1, &f->depth);
    gl.BindFramebuffer(GL_FRAMEBUFFER, f->drawn);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, q->texture, 0);
    gl.BindRenderbuffer(GL_RENDERBUFFER, f->depth);
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, 0, GL_DEPTH_COMPONENT24, f->width,
                                      f->height);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, f->depth);
    return gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
}

bool quick_frame_open(quick_frame *q, int width, int height, io_message *message)
{
    const shader_style plain = {.colors = COLORING_PLAIN};
    char head[SHADERS_HEAD];
    *q = (quick_frame){.frame = {.width = width, .height = height, .samples = 1, .is_light = true}};
    const GLenum status = make_target(q);
    gl.GenVertexArrays(1, &q->array);
    shaders_head(&plain, head);
    q->program = gl_program_make(head, shader_backdrop_vertex, shader_encode_fragment, message);
    if (!q->program) {
        quick_frame_close(q);
        return false;
    }
    if (status == GL_FRAMEBUFFER_COMPLETE && gl.GetError() == GL_NO_ERROR) return true;
    quick_frame_close(q);
    return io_fail(message, "OpenGL cannot draw a picture of %d x %d pixels (0x%x)", width, height,
                   (unsigned)status);
}

void quick_frame_show(const quick_frame *q, GLuint to)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, to);
    gl.Viewport(0, 0, q->frame.width, q->frame.height);
    gl.Disable(GL_FRAMEBUFFER_SRGB);
    gl.Disable(GL_DEPTH_TEST);
    gl.UseProgram(q->program);
    gl.ActiveTexture(GL_TEXTURE0);
    gl.BindTexture(GL_TEXTURE_2D, q->texture);
    gl.BindVertexArray(q->array);
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

void quick_frame_close(quick_frame *q)
{
    gl_frame_close(&q->frame);
    if (q->texture) gl.DeleteTextures(1, &q->texture);
    if (q->program) gl.DeleteProgram(q->program);
    if (q->array) gl.DeleteVertexArrays(1, &q->array);
    *q = (quick_frame){.texture = 0};
}
