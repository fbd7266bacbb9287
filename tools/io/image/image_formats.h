/* The formats of images one by one; image_file.h has what they have in common. */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_FORMATS_H
#define CLSPLINE_TOOLS_IO_IMAGE_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

#include "image_array.h"
#include "message.h"
#include "nifti_header.h"

/* What a NIfTI file says beside its image, and the bytes of its extensions, whose sizes and codes
   are in the machine's byte order. */
struct image_nifti {
    nifti_header header;
    image_bytes extensions;
};

/* A file to be read: what has been found of it, and where complaints go. */
typedef struct image_source {
    FILE *file; /* at its beginning */
    const char *name;
    io_message *message;
    bool stays; /* values may stay in the file: image_stored.h */
} image_source;

/* Says "NAME: why" and returns false. */
bool image_source_fail(const image_source *s, const char *format, ...) IO_PRINTF(2, 3);

/* Says what a file is that is no image, and returns false. Nothing of it may have been read. */
bool image_source_refuse(const image_source *s);

/* Reads all that is left of the file; the caller frees bytes, on failure too. */
bool image_source_bytes(const image_source *s, image_bytes *all);

/* Each reads an image into *a, which is zero, or leaves values for the caller to release. */
bool image_png_read(image_array *a, const image_source *s);
bool image_tiff_read(image_array *a, const image_source *s);
bool image_nifti_read(image_array *a, const image_source *s);
bool image_jpeg_read(image_array *a, const image_source *s);
enum { IMAGE_NAME_BYTES = 4096 };

/* Makes the name of the header of a NIfTI pair of that of its image. False where the name is none
   of an image. */
bool image_nifti_header_name(const char *path, char made[IMAGE_NAME_BYTES]);

bool image_npy_read(image_array *a, const image_source *s, uint32_t directions);

/* Each writes an image that the format can hold. False when that fails, where the stream shows it
   or the message, which begins with the name, says it. */
bool image_png_write(const image_array *a, FILE *file, const char *name, io_message *message);
bool image_jpeg_write(const image_array *a, FILE *file, const char *name, io_message *message);
bool image_nifti_write(const image_array *a, FILE *file, bool compress, const char *name,
                       io_message *message);
bool image_npy_write(const image_array *a, FILE *file, const char *name, io_message *message);

/* Make what stands before an image's values in its file, in new memory that the caller frees. False
   without memory, or where a header has no room for its sizes. */
bool image_npy_head(const image_array *a, image_bytes *head);
bool image_tiff_head(const image_array *a, image_bytes *head);
bool image_nifti_head(const image_array *a, image_bytes *head);

/* Brings values of an array into the byte order of its .npy file, or back. */
void image_npy_order(const image_array *a);

#endif
