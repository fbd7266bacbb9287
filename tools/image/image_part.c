#include "image_part.h"

#include <stdlib.h>
#include <string.h>

#include "image_formats.h"
#include "image_stored.h"

bool image_part_take(image_part *part, const image_request *r, const image_array *whole)
{
    parts_range range;
    if (!parts_take(&r->base, whole->size[0], "rows or slices", &range)) return false;
    *part = (image_part){
        .all = whole->size[0], .first = (size_t)range.first, .count = (size_t)range.count};
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

bool image_part_crop(const image_part *part, image_array *a, const char *name, io_message *message)
{
    const size_t rows = part->count * row_bytes(a);
    image_array kept = *a;
    bool done = true;
    kept.size[0] = part->count;
    kept.is_stored = false;
    if (!image_array_make(&kept))
        return io_fail(message, "%s: not enough memory for this image", name);
    for (size_t i = 0; done && i < frames_of(a); i++) {
        image_box box = image_box_whole(a, i);
        box.begin[0] = part->first;
        box.size[0] = part->count;
        done = image_stored_take(a, &box, (char *)kept.values + i * rows, name, message);
    }
    image_array_drop(done ? a : &kept);
    if (done) *a = kept;
    return done;
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
    done = done && part_file_open(&file, name, record, message);
    done = part_file_close(&file, record, done && write_rows(part, a, &head, &file));
    free(head.bytes);
    return done;
}
