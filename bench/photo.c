#include "photo.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BENCH_PNG

#include <png.h>

/* Grey of a colour, as scipy.misc.face has it. */
static float grey_of(const png_byte *pixel, size_t channels)
{
    if (channels == 1) return (float)pixel[0];
    return (float)(int)(0.21 * pixel[0] + 0.71 * pixel[1] + 0.07 * pixel[2]);
}

float *photo_read(const char *path, size_t *width, size_t *height, char why[PHOTO_WHY_MAX])
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    float *greys = NULL;
    png_byte *pixels = NULL;

    if (png_image_begin_read_from_file(&image, path)) {
        const bool is_color = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
        const size_t channels = is_color ? 3 : 1, num = (size_t)image.width * image.height;
        image.format = is_color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
        pixels = malloc(num * channels);
        greys = malloc(num * sizeof *greys);
        if (pixels && greys && png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            for (size_t i = 0; i < num; i++)
                greys[i] = grey_of(pixels + i * channels, channels);
            *width = image.width;
            *height = image.height;
            free(pixels);
            return greys;
        }
    }
    snprintf(why, PHOTO_WHY_MAX, "%s", image.message[0] ? image.message : "not enough memory");
    png_image_free(&image);
    free(pixels);
    free(greys);
    return NULL;
}

#else

float *photo_read(const char *path, size_t *width, size_t *height, char why[PHOTO_WHY_MAX])
{
    (void)path;
    (void)width;
    (void)height;
    snprintf(why, PHOTO_WHY_MAX, "the benchmark was built without libpng");
    return NULL;
}

#endif
