#include "picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

camera picture_camera(const mesh *m, const raster_view *view)
{
    return raster_camera(m, view, 1);
}

/* Takes the alpha channel out of an image, in place. */
static void drop_alpha(unsigned char *pixels, size_t num)
{
    for (size_t i = 0; i < num; i++)
        memmove(pixels + 3 * i, pixels + 4 * i, 3);
}

bool picture_write(const mesh *m, const raster_paint *paint, const raster_view *view,
                   const char *path, const io_progress *progress, io_message *message)
{
    output out = {0};
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)view->width,
                       .height = (png_uint_32)view->height,
                       .format = view->no_background ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
    bool done = false;
    unsigned char *pixels = malloc(view->width * view->height * 4);
    if (!pixels || !raster_render(m, paint, view, pixels, progress)) {
        io_fail(message, "%s: not enough memory to draw the picture", path);
        goto fail;
    }
    if (!view->no_background) drop_alpha(pixels, view->width * view->height);
    if (!output_open(&out, path, message)) goto fail;
    if (!png_image_write_to_stdio(&image, out.file, 0, pixels, 0, NULL)) {
        io_fail(message, "%s: cannot write: %s", out.name, image.message);
        goto fail;
    }
    done = true;
fail:
    if (out.file) done = output_close(&out, done);
    free(pixels);
    return done;
}
