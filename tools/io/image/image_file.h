/* Images and volumes from files and into them.

     .png       8 and 16 bit, gray or RGB, with alpha or without; a palette becomes RGB, fewer bits
                8. Written likewise
     .tif       all types of an image_array, 1 to 4 channels; several pages of one size are a
                volume, and smaller copies and masks among them are passed over. Read also are whole
                numbers of 1, 2 and 4 bits, which become u8 from 0 to 255, s8 (s16), f16 (f32),
                white as 0, and palettes (RGB). Images come as the orientation says
     .nii       NIfTI-1 and -2, also .nii.gz, and .hdr with .img, which are not written: all types,
                or RGB or RGBA of u8. s8 becomes s16, and a scale other than 1 makes f32 of 8 and 16
                bits and f32, f64 of the others. More than three dimensions are images or volumes in
                a row. What the header says, and its extensions, go into NIfTI again
     .npy       all types in C order: (W,), (H, W), (H, W, C), (D, H, W), (D, H, W,
                C) with C from 1 to 4. Of three lengths, the last one is that of channels where it
                can be. Written also with images or volumes in a row as a first axis

     .jpg       u8, gray or RGB; Exif's orientation turns it

   Files are known by how they begin; the ending of a name chooses what is written. TIFF, NIfTI
   and JPEG need libtiff, zlib and libjpeg, and a build without one of them says so. Lengths of
   pixels go from format to format; what else is not pixels (colour profiles, comments) is left out.
 */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_FILE_H
#define CLSPLINE_TOOLS_IO_IMAGE_FILE_H

#include <stdbool.h>

#include "image_array.h"
#include "message.h"

typedef enum image_format {
    IMAGE_NONE,
    IMAGE_PNG,
    IMAGE_TIFF,
    IMAGE_NIFTI,
    IMAGE_NIFTI_GZ,
    IMAGE_NPY,
    IMAGE_JPEG
} image_format;

enum { IMAGE_TEXT_BYTES = 256 };

/* The format of an ending: "png", "tif", "nii", "nii.gz", "npy", "jpg". */
image_format image_format_of_word(const char *word);

/* Whether this build has the library that a format needs. False with a message that has the
   name. */
bool image_format_is_built(image_format format, const char *name, io_message *message);

/* Reads a file, or standard input by the name "-". directions: of an .npy array, 1..3, the axes
   that are no channels; 0: by the lengths. False with a message that begins with the name, and no
   image then. */
bool image_file_read(image_array *a, const char *path, uint32_t directions, io_message *message);

/* As image_file_read. Values of .npy and NIfTI stay in the file where they are there as they are in
   memory: image_stored.h. */
bool image_file_open(image_array *a, const char *path, uint32_t directions, io_message *message);

/* Tells whether a format can hold an image. False with a message that begins with the name. */
bool image_file_suits(const image_array *a, image_format format, const char *name,
                      io_message *message);

/* Names what a file said that a format has no room for, or that is left out anyway, as a list in
   words. Returns whether there is any. */
bool image_file_loses(const image_array *a, image_format format, char text[IMAGE_TEXT_BYTES]);

/* Tells whether a file of this format has the values as they are in memory, one behind the other
   after a head, so that parts of it have places that are known. */
bool image_format_has_places(image_format format);

/* Makes the head of such a file, in new memory that the caller frees. False with a message that
 * begins with the name. */
bool image_file_head(const image_array *a, image_format format, image_bytes *head, const char *name,
                     io_message *message);

/* Writes a file, or standard output by the name "-". False with a message; no file is then left,
   and one that there was stays. */
bool image_file_write(const image_array *a, const char *path, image_format format,
                      io_message *message);

#endif
