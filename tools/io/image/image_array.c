#include "image_array.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "image_formats.h"

size_t image_type_bytes(image_type type)
{
    static const size_t bytes[] = {1, 2, 2, 4, 4, 8, 8, 4, 8};
    return bytes[type];
}

const char *image_type_name(image_type type)
{
    static const char *const names[] = {"u8",  "u16", "s16", "u32", "s32",
                                        "u64", "s64", "f32", "f64"};
    return names[type];
}

bool image_type_is_wide(image_type type)
{
    return type >= IMAGE_U32 && type <= IMAGE_S64;
}

double image_unit_millimeters(int units)
{
    static const double lengths[] = {0, 1000, 1, 0.001}; /* none, m, mm, um */
    return units > 0 && units < 4 ? lengths[units] : 0;
}

bool image_array_bytes(const image_array *a, size_t *bytes)
{
    *bytes = image_type_bytes(a->type) * a->channels;
    if (a->frames > SIZE_MAX / *bytes) return false;
    if (a->frames > 0) *bytes *= a->frames;
    for (uint32_t i = 0; i < a->directions; i++) {
        if (a->size[i] > 0 && *bytes > SIZE_MAX / a->size[i]) return false;
        *bytes *= a->size[i];
    }
    return true;
}

bool image_array_make(image_array *a)
{
    size_t bytes;
    if (!image_array_bytes(a, &bytes)) return false;
    a->values = malloc(bytes > 0 ? bytes : 1);
    return a->values != NULL;
}

double image_array_get(const image_array *a, size_t i)
{
    switch (a->type) {
    case IMAGE_U8:
        return (double)((const uint8_t *)a->values)[i];
    case IMAGE_U16:
        return (double)((const uint16_t *)a->values)[i];
    case IMAGE_S16:
        return (double)((const int16_t *)a->values)[i];
    case IMAGE_U32:
        return (double)((const uint32_t *)a->values)[i];
    case IMAGE_S32:
        return (double)((const int32_t *)a->values)[i];
    case IMAGE_U64:
        return (double)((const uint64_t *)a->values)[i];
    case IMAGE_S64:
        return (double)((const int64_t *)a->values)[i];
    case IMAGE_F32:
        return (double)((const float *)a->values)[i];
    default:
        return ((const double *)a->values)[i];
    }
}

bool image_is_turned(int orientation)
{
    return orientation >= 5;
}

size_t image_seen_at(int orientation, size_t width, size_t height, size_t x, size_t y)
{
    static const bool rightwards[] = {true, false, false, true, true, true, false, false};
    static const bool downwards[] = {true, true, false, false, true, false, false, true};
    if (!rightwards[orientation - 1]) x = width - 1 - x;
    if (!downwards[orientation - 1]) y = height - 1 - y;
    return image_is_turned(orientation) ? x * height + y : y * width + x;
}

size_t image_array_count(const image_array *a)
{
    size_t bytes;
    return image_array_bytes(a, &bytes) ? bytes / image_type_bytes(a->type) : 0;
}

/* Rounds and saturates. */
static double whole(double value, double low, double high)
{
    return isnan(value) ? 0 : rint(fmin(fmax(value, low), high));
}

void image_array_set(image_array *a, size_t i, double value)
{
    switch (a->type) {
    case IMAGE_U8:
        ((uint8_t *)a->values)[i] = (uint8_t)whole(value, 0, UINT8_MAX);
        break;
    case IMAGE_U16:
        ((uint16_t *)a->values)[i] = (uint16_t)whole(value, 0, UINT16_MAX);
        break;
    case IMAGE_S16:
        ((int16_t *)a->values)[i] = (int16_t)whole(value, INT16_MIN, INT16_MAX);
        break;
    case IMAGE_U32:
        ((uint32_t *)a->values)[i] = (uint32_t)whole(value, 0, UINT32_MAX);
        break;
    case IMAGE_S32:
        ((int32_t *)a->values)[i] = (int32_t)whole(value, INT32_MIN, INT32_MAX);
        break;
    case IMAGE_U64: /* the most of which is no double */
        ((uint64_t *)a->values)[i] =
            value >= 0x1p64 ? UINT64_MAX : (uint64_t)whole(value, 0, 0x1p64);
        break;
    case IMAGE_S64:
        ((int64_t *)a->values)[i] =
            value >= 0x1p63 ? INT64_MAX : (int64_t)whole(value, -0x1p63, 0x1p63);
        break;
    case IMAGE_F32:
        ((float *)a->values)[i] = (float)value;
        break;
    default:
        ((double *)a->values)[i] = value;
    }
}

/* Sets value number i of 64 bits to that of the other sign, which a double may not hold. */
static void set_long(image_array *a, size_t i, const image_array *from)
{
    const uint64_t bits = ((const uint64_t *)from->values)[i], most = INT64_MAX;
    const uint64_t other = from->type == IMAGE_S64 ? 0 : most; /* where a has none with its bits */
    ((uint64_t *)a->values)[i] = bits <= most ? bits : other;
}

bool image_array_convert(image_array *a, image_type type)
{
    image_array made = *a;
    if (a->type == type) return true;
    made.type = type;
    if (!image_array_make(&made)) return false;
    const size_t num = image_array_count(a);
    const bool are_long = image_type_is_wide(type) && image_type_is_wide(a->type) &&
                          image_type_bytes(type) + image_type_bytes(a->type) == 16;
    for (size_t i = 0; i < num; i++)
        if (are_long)
            set_long(&made, i, a);
        else
            image_array_set(&made, i, image_array_get(a, i));
    free(a->values);
    *a = made;
    return true;
}

void image_array_drop(image_array *a)
{
    free(a->values);
    if (a->is_stored) close(a->descriptor);
    a->values = NULL;
    a->is_stored = false;
}

void image_array_clear(image_array *a)
{
    image_array_drop(a);
    if (a->nifti) free(a->nifti->extensions.bytes);
    free(a->nifti);
    *a = (image_array){.values = NULL};
}

unsigned char *image_bytes_reserve(image_bytes *b, size_t more)
{
    if (more > SIZE_MAX - b->count) return NULL;
    unsigned char *moved = array_reserve(b->bytes, &b->capacity, b->count + more, 1);
    if (!moved) return NULL;
    b->bytes = moved;
    return moved + b->count;
}

void image_bytes_swap(unsigned char *bytes, size_t count, size_t each)
{
    for (size_t at = 0; at < count; at += each)
        for (size_t i = 0; i < each / 2; i++) {
            const unsigned char kept = bytes[at + i];
            bytes[at + i] = bytes[at + each - 1 - i];
            bytes[at + each - 1 - i] = kept;
        }
}
