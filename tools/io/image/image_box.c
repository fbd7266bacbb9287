#include "image_box.h"

#include <string.h>

static size_t pixel_bytes(const image_array *a)
{
    return a->channels * image_type_bytes(a->type);
}

image_box image_box_whole(const image_array *a, size_t frame)
{
    image_box box = {.frame = frame};
    memcpy(box.size, a->size, a->directions * sizeof(*a->size));
    return box;
}

image_lines image_box_lines(const image_array *a, const image_box *box)
{
    image_lines lines = {.box = box, .gap = a->directions - 1, .num = 1};
    while (lines.gap > 0 && box->size[lines.gap] == a->size[lines.gap])
        lines.gap--;
    lines.bytes = pixel_bytes(a);
    for (uint32_t i = 0; i < a->directions; i++)
        *(i < lines.gap ? &lines.num : &lines.bytes) *= box->size[i];
    return lines;
}

size_t image_line_at(const image_array *a, const image_lines *lines, size_t line)
{
    size_t stride = pixel_bytes(a), at = 0;
    for (uint32_t i = a->directions; i-- > 0; stride *= a->size[i]) {
        size_t place = lines->box->begin[i];
        if (i < lines->gap) {
            place += line % lines->box->size[i];
            line /= lines->box->size[i];
        }
        at += place * stride;
    }
    return at + lines->box->frame * stride;
}
