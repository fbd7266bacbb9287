#include "image_part.h"

#include <stdlib.h>
#include <string.h>

#include "image_formats.h"

bool image_part_take(image_part *part, const image_request *r, size_t all)
{
    parts_range range;
    if (!parts_take(&r->base, all, "rows or slices", &range)) return false;
    *part = (image_part){.all = all, .first = (size_t)range.first, .count = (size_t)range.count};
    return true;
}

void image_part_restrict(const image_part *part, clsp_image_map *map, image_array *made)
{
    map->origin[0] = part->first;
    map->size[0] = (uint32_t)part->count;
    made->size[0] = part->count;
}

/* Returns the bytes of one row or slice of an array. */
static size_t row_bytes(const image_array *a)
{
    size_t bytes = a->channels * image_type_bytes(a->type);
    for (uint32_t i = 1; i < a->directions; i++)
        bytes *= a->size[i];
    return bytes;
}

static size_t frames_of(const image_array *a)
{
    return a->frames > 1 ? a->frames : 1;
}

bool image_part_crop(const image_part *part, image_array *a)
{
    const size_t row = row_bytes(a), num = frames_of(a), all = a->size[0] * row;
    image_array kept = *a;
    kept.size[0] = part->count;
    if (!image_array_make(&kept)) return false;
    for (size_t i = 0; i < num; i++)
        memcpy((char *)kept.values + i * part->count * row,
               (const char *)a->values + i * all + part->first * row, part->count * row);
    free(a->values);
    *a = kept;
    return true;
}

void *image_part_samples(const image_array *a, const void *frame, const clsp_image_desc *desc,
                         size_t *num)
{
    const uint32_t last = a->directions - 1;
    const size_t pixel = a->channels * image_type_bytes(a->type), row = desc->size[last] * pixel;
    size_t rows = 1;
    for (uint32_t i = 0; i < last; i++)
        rows *= desc->size[i];
    char *const samples = malloc(rows * row), *to = samples;
    *num = rows * desc->size[last] * a->channels;
    for (size_t r = 0; samples && r < rows; r++, to += row) {
        size_t at = desc->part.begin[last], stride = a->size[last], left = r;
        for (uint32_t i = last; i-- > 0; stride *= a->size[i], left /= desc->size[i])
            at += (desc->part.begin[i] + left % desc->size[i]) * stride;
        memcpy(to, (const char *)frame + at * pixel, row);
    }
    return samples;
}

/* Writes the head, and the rows of all frames behind it. */
static bool write_rows(const image_part *part, const image_array *a, const image_bytes *head,
                       part_file *file)
{
    const size_t row = row_bytes(a), rows = part->count * row;
    bool done = part_file_write(file, 0, head->bytes, head->count);
    for (size_t i = 0; done && i < frames_of(a); i++)
        done = part_file_write(file, head->count + ((uint64_t)i * part->all + part->first) * row,
                               (const char *)a->values + i * rows, rows);
    return done;
}

bool image_part_write(const image_part *part, const image_array *a, const image_request *r,
                      part_record *record, io_message *message)
{
    const char *name = r->base.outputs[0];
    image_bytes head = {.bytes = NULL};
    image_array whole = *a;
    part_file file = {.descriptor = -1};
    whole.size[0] = part->all;
    bool done = image_file_head(&whole, r->format, &head, name, message);
    if (r->format == IMAGE_NPY) image_npy_order(a); /* nobody reads the values after this */
    record->bytes = head.count + (uint64_t)part->all * row_bytes(a) * frames_of(a);
    done = done && part_file_open(&file, name, message) && part_file_fit(&file, record->bytes);
    done = part_file_close(&file, record, done && write_rows(part, a, &head, &file));
    free(head.bytes);
    return done;
}
