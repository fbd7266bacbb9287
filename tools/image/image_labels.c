#include "image_labels.h"

bool image_labels_are(const image_request *r, const image_array *a)
{
    return r->order == 0 && image_type_is_wide(a->type);
}

/* Returns the bits of the value outside, from the lowest address on. */
static uint64_t bits_outside(const image_request *r, image_type type)
{
    uint64_t bits = 0;
    image_array one = {.type = type, .values = &bits};
    image_array_set(&one, 0, r->cval);
    return bits;
}

bool image_labels_change(const image_request *r, const image_array *a)
{
    return bits_outside(r, a->type) != 0;
}

static void combine(const image_request *r, const image_array *a)
{
    const size_t each = image_type_bytes(a->type), bytes = image_array_count(a) * each;
    const uint64_t outside = bits_outside(r, a->type);
    const unsigned char *bits = (const unsigned char *)&outside;
    unsigned char *values = a->values;
    for (size_t i = 0; outside != 0 && i < bytes; i++)
        values[i] ^= bits[i % each];
}

void image_labels_begin(const image_request *r, image_array *a)
{
    combine(r, a);
    a->channels *= (uint32_t)(image_type_bytes(a->type) / image_type_bytes(IMAGE_U16));
    a->type = IMAGE_U16;
}

void image_labels_end(const image_request *r, image_array *a, image_type type)
{
    a->channels /= (uint32_t)(image_type_bytes(type) / image_type_bytes(IMAGE_U16));
    a->type = type;
    combine(r, a);
}
