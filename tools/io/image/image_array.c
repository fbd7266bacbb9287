#include "image_array.h"

#include <stdlib.h>

#include "array.h"

size_t image_type_bytes(image_type type)
{
    static const size_t bytes[] = {1, 2, 2, 4, 8};
    return bytes[type];
}

const char *image_type_name(image_type type)
{
    static const char *const names[] = {"u8", "u16", "s16", "f32", "f64"};
    return names[type];
}

bool image_array_bytes(const image_array *a, size_t *bytes)
{
    *bytes = image_type_bytes(a->type) * a->channels;
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
    case IMAGE_F32:
        return (double)((const float *)a->values)[i];
    default:
        return ((const double *)a->values)[i];
    }
}

void image_array_clear(image_array *a)
{
    free(a->values);
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
