#include "view_picture.h"

#include <stdlib.h>

#include "command.h"
#include "image_file.h"
#include "offscreen.h"

enum { SAMPLES = 4 };

/* Divides light by its coverage: where a pixel is covered in part, the rest of it is black. */
static void spread_colors(unsigned char *rgba, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, rgba += 4)
        for (int k = 0; rgba[3] > 0 && rgba[3] < 255 && k < 3; k++)
            rgba[k] = color_encode(color_decode(rgba[k]) * 255 / (float)rgba[3]);
}

/* Leaves the coverage out. */
static void drop_alpha(unsigned char *rgba, size_t pixels)
{
    for (size_t i = 0; i < 3 * pixels; i++)
        rgba[i] = rgba[i / 3 * 4 + i % 3];
}

bool view_picture_save(const gl_frame *f, bool alpha, const char *path)
{
    const size_t width = (size_t)f->width, height = (size_t)f->height;
    io_message message;
    image_array image = {.directions = 2,
                         .size = {height, width},
                         .channels = 4,
                         .alpha = IMAGE_ALPHA_STRAIGHT,
                         .type = IMAGE_U8};
    if (!image_array_make(&image)) {
        complain("%s: not enough memory to draw the picture", path);
        return false;
    }
    gl_frame_read(f, image.values);
    if (alpha) {
        spread_colors(image.values, width * height);
    } else {
        drop_alpha(image.values, width * height);
        image.channels = 3;
        image.alpha = IMAGE_ALPHA_UNKNOWN;
    }
    const GLenum error = gl.GetError();
    bool done = error == GL_NO_ERROR;
    if (!done) complain("%s: OpenGL failed (error 0x%x)", path, (unsigned)error);
    if (done && !image_file_write(&image, path, IMAGE_PNG, &message)) {
        complain("%s", message.text);
        done = false;
    }
    image_array_clear(&image);
    return done;
}

static bool make_picture(stage *s, const offscreen *o, const view_request *r)
{
    const clsp_graphics_context graphics = {.gl_context = o->context, .egl_display = o->display};
    gl_frame frame = {.width = 0};
    io_message message;
    const int width = (int)r->picture.view.width, height = (int)r->picture.view.height;
    if (!gl_frame_open(&frame, width, height, SAMPLES, &message)) {
        complain("%s", message.text);
        return false;
    }
    const bool done = stage_begin(s, &graphics, width, height) && stage_update(s, false) &&
                      stage_draw(s, &frame, SIZE_MAX) &&
                      view_picture_save(&frame, r->picture.view.no_background, r->base.outputs[0]);
    gl_frame_close(&frame);
    return done;
}

bool view_picture(const view_request *r)
{
    offscreen o;
    stage s;
    io_message message;
    bool done = stage_open(&s, r);
    const bool opened = done && offscreen_open(&o, &message);
    if (done && !opened) complain("%s", message.text);
    done = opened && make_picture(&s, &o, r);
    if (opened) {
        if (s.scene.backdrop) scene_close(&s.scene);
        s.scene = (scene){.mesh = NULL};
        offscreen_close(&o);
    }
    stage_close(&s);
    return done;
}
