/* An image, or a volume, as an array of numbers in memory. */
#ifndef CLSPLINE_TOOLS_IO_IMAGE_ARRAY_H
#define CLSPLINE_TOOLS_IO_IMAGE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum { IMAGE_MAX_DIRECTIONS = 3, IMAGE_MAX_CHANNELS = 4 };

typedef enum image_type {
    IMAGE_U8,
    IMAGE_U16,
    IMAGE_S16,
    IMAGE_U32,
    IMAGE_S32,
    IMAGE_U64,
    IMAGE_S64,
    IMAGE_F32,
    IMAGE_F64
} image_type;

/* What the last of 2 or 4 channels is. */
typedef enum image_alpha_kind {
    IMAGE_ALPHA_UNKNOWN,   /* the file does not say */
    IMAGE_ALPHA_NONE,      /* something else */
    IMAGE_ALPHA_STRAIGHT,  /* alpha, and colours are as if it were full */
    IMAGE_ALPHA_ASSOCIATED /* alpha, which colours are multiplied by */
} image_alpha_kind;

enum { IMAGE_MILLIMETERS = 2 }; /* NIfTI's number */

/* What files say that is left out, whatever is written. */
enum {
    IMAGE_LEFT_OUT_PROFILE = 1,
    IMAGE_LEFT_OUT_PLACE = 2,   /* in the world, other than as image_place has it */
    IMAGE_LEFT_OUT_NO_DATA = 4, /* the value of samples that are none */
    IMAGE_LEFT_OUT_WORDS = 8
};

/* A way from x, y, z, numbers of samples, and 1, to the world's coordinates. */
typedef struct image_form {
    double to_world[3][4];
    int code; /* which world, as NIfTI numbers them; 0: none is known */
} image_form;

/* What the file tells of where its samples are. Zero: nothing. */
typedef struct image_place {
    double spacing[IMAGE_MAX_DIRECTIONS]; /* between samples, along x, y, z */
    image_form sform, qform;
    double quatern[3], hand; /* of the qform: how it turns, and -1 where it mirrors z */
    int units;               /* of lengths, as NIfTI numbers them */
    bool is_per_inch;        /* the file counted samples an inch */
    const char *note;        /* what PNG and TIFF say that the image is; NULL: nothing. Not owned */
} image_place;

/* Returns how many millimeters a unit of lengths has; 0: that is not known. */
double image_unit_millimeters(int units);

/* Zero is an image without samples. */
typedef struct image_array {
    uint32_t directions; /* 1..3 */
    size_t
        size[IMAGE_MAX_DIRECTIONS]; /* [directions], the last one fastest: depth, height, width */
    size_t frames;                  /* images or volumes one behind the other; 0 is 1 */
    uint32_t channels;              /* 1..4 */
    image_alpha_kind alpha;
    image_type type;
    void *values;   /* [frames][size[0]]..[channels], in the machine's byte order */
    bool is_stored; /* they are in a file, and values is NULL: image_stored.h */
    int descriptor; /* of that, and where they begin in it: */
    uint64_t at;
    uint32_t quality;  /* of a JPEG that is written, 1 to 100; 0: the default */
    uint32_t left_out; /* what the file says beside, as IMAGE_LEFT_OUT_ bits */
    image_place place;
    struct image_nifti *nifti; /* what a NIfTI file says beside; NULL: nothing */
} image_array;

/* The bytes of a value, and the name of a type as "u8". */
size_t image_type_bytes(image_type type);
const char *image_type_name(image_type type);

/* Tells whether a type is one of whole numbers of 32 or 64 bits, which reals may have to round. */
bool image_type_is_wide(image_type type);

/* Counts the bytes of all values. False where they do not fit size_t. */
bool image_array_bytes(const image_array *a, size_t *bytes);

/* Allocates the values, which are not set. False without memory. */
bool image_array_make(image_array *a);

/* Tells whether an orientation, 1 to 8 as TIFF and Exif number them, has rows for columns. */
bool image_is_turned(int orientation);

/* Returns where a pixel of a stored image of width x height is in the image as it is seen. */
size_t image_seen_at(int orientation, size_t width, size_t height, size_t x, size_t y);

/* Counts the values. */
size_t image_array_count(const image_array *a);

/* Returns value number i, rounded where it has more than 53 bits. */
double image_array_get(const image_array *a, size_t i);

/* Sets value number i: whole numbers to the nearest, ties to even, saturated; NaN becomes 0 there.
 */
void image_array_set(image_array *a, size_t i, double value);

/* Makes values of another type; those of the same one stay as they are, to the bit. False without
   memory, and nothing is changed then. */
bool image_array_convert(image_array *a, image_type type);

/* Releases the values alone. */
void image_array_drop(image_array *a);

/* Releases the values and what else the array holds. */
void image_array_clear(image_array *a);

/* Bytes as they arrive from a file, so that a size that a file claims decides on no memory. */
typedef struct image_bytes {
    unsigned char *bytes;
    size_t count, capacity;
} image_bytes;

/* Returns room for so many bytes more behind those that there are, or NULL without memory. Who
   fills it adds to count. */
unsigned char *image_bytes_reserve(image_bytes *b, size_t more);

/* Turns numbers of `each` bytes, `count` bytes in all, into the other byte order. */
void image_bytes_swap(unsigned char *bytes, size_t count, size_t each);

#endif
