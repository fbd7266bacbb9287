#include "picture.h"

#include <png.h>
#include <stdlib.h>

camera picture_camera(const mesh *m, const raster_view *view)
{
    return camera_place(m, &view->camera, (double)view->width, (double)view->height);
}

bool picture_write(const mesh *m, const raster_view *view, const char *path,
                   const io_progress *progress, io_message *message)
{
    output out = {0};
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)view->width,
                       .height = (png_uint_32)view->height,
                       .format = PNG_FORMAT_RGB};
    bool done = false;
    unsigned char *rgb = malloc(view->width * view->height * 3);
    if (!rgb || !raster_render(m, view, rgb, progress)) {
        io_fail(message, "%s: not enough memory to draw the picture", path);
        goto fail;
    }
    if (!output_open(&out, path, message)) goto fail;
    if (!png_image_write_to_stdio(&image, out.file, 0, rgb, 0, NULL)) {
        io_fail(message, "%s: cannot write: %s", out.name, image.message);
        goto fail;
    }
    done = true;
fail:
    if (out.file) done = output_close(&out, done);
    free(rgb);
    return done;
}
