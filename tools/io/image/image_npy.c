#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_formats.h"
#include "npy.h"

enum { READ_BYTES = 1 << 20 };

/* ---- shapes ---- */

static bool fail_shape(const image_source *s, const npy_header *header)
{
    char shape[NPY_MAX_AXES * 24] = "";
    for (uint32_t i = 0; i < header->num_axes; i++)
        snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), i > 0 ? ", %llu" : "%llu",
                 (unsigned long long)header->shape[i]);
    return image_source_fail(s,
                             "an array of shape (%s) is no image with 1 to 3 directions and 1 to 4 "
                             "channels",
                             shape);
}

/* Divides the axes into directions and channels. */
static bool take_shape(image_array *a, const image_source *s, const npy_header *header,
                       uint32_t directions)
{
    const uint32_t axes = header->num_axes;
    if (axes == 0) return fail_shape(s, header);
    const uint64_t last = header->shape[axes - 1];
    const bool may_be_channels = last >= 1 && last <= IMAGE_MAX_CHANNELS;
    a->directions = directions;
    if (directions == 0) a->directions = axes > 2 && may_be_channels ? axes - 1 : axes;
    const bool has_channels = a->directions + 1 == axes;
    if (a->directions > IMAGE_MAX_DIRECTIONS || (has_channels && !may_be_channels) ||
        (!has_channels && a->directions != axes))
        return fail_shape(s, header);
    a->channels = has_channels ? (uint32_t)last : 1;
    for (uint32_t i = 0; i < a->directions; i++) {
        a->size[i] = (size_t)header->shape[i];
        if (a->size[i] != header->shape[i]) return fail_shape(s, header);
    }
    return true;
}

/* ---- values ---- */

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Turns numbers of the file's byte order, which is the little one, into the machine's, or back. */
static void swap_bytes(unsigned char *bytes, size_t count, size_t each)
{
    if (is_little_endian()) return;
    for (size_t at = 0; at < count; at += each)
        for (size_t i = 0; i < each / 2; i++) {
            const unsigned char kept = bytes[at + i];
            bytes[at + i] = bytes[at + each - 1 - i];
            bytes[at + each - 1 - i] = kept;
        }
}

static bool read_values(image_array *a, const image_source *s)
{
    image_bytes got = {.bytes = NULL};
    size_t bytes;
    if (!image_array_bytes(a, &bytes)) return image_source_fail(s, "an array that is too large");
    for (size_t want; got.count < bytes || !got.bytes; got.count += want) {
        want = bytes - got.count < READ_BYTES ? bytes - got.count : READ_BYTES;
        unsigned char *to = image_bytes_reserve(&got, want);
        a->values = got.bytes;
        if (!to) return image_source_fail(s, "not enough memory for this file");
        errno = 0;
        if (fread(to, 1, want, s->file) == want) continue;
        if (ferror(s->file)) return io_fail_errno(s->message, s->name, "cannot read");
        return image_source_fail(s, "the file ends before its array");
    }
    swap_bytes(a->values, bytes, image_type_bytes(a->type));
    return true;
}

bool image_npy_read(image_array *a, const image_source *s, uint32_t directions)
{
    static const image_type types[] = {[NPY_U8] = IMAGE_U8,
                                       [NPY_U16] = IMAGE_U16,
                                       [NPY_S16] = IMAGE_S16,
                                       [NPY_F32] = IMAGE_F32,
                                       [NPY_F64] = IMAGE_F64};
    npy_header header;
    if (!npy_read_header(&header, NPY_NUMBERS, s->file, s->name, s->message)) return false;
    a->type = types[header.type];
    return take_shape(a, s, &header, directions) && read_values(a, s);
}

/* ---- writing ---- */

static bool write_values(const image_array *a, FILE *file)
{
    unsigned char block[4096];
    size_t bytes, count;
    if (!image_array_bytes(a, &bytes)) return false;
    if (is_little_endian()) return fwrite(a->values, 1, bytes, file) == bytes;
    for (size_t at = 0; at < bytes; at += count) {
        count = bytes - at < sizeof(block) ? bytes - at : sizeof(block);
        memcpy(block, (const unsigned char *)a->values + at, count);
        swap_bytes(block, count, image_type_bytes(a->type));
        if (fwrite(block, 1, count, file) != count) return false;
    }
    return true;
}

bool image_npy_write(const image_array *a, FILE *file, const char *name, io_message *message)
{
    static const char *const types[] = {"'|u1'", "'<u2'", "'<i2'", "'<f4'", "'<f8'"};
    unsigned char header[NPY_HEADER_BYTES];
    uint64_t shape[IMAGE_MAX_DIRECTIONS + 1];
    uint32_t axes = a->directions;
    for (uint32_t i = 0; i < axes; i++)
        shape[i] = a->size[i];
    if (a->channels > 1) shape[axes++] = a->channels;
    errno = 0;
    if (npy_make_header(header, types[a->type], shape, axes) &&
        fwrite(header, 1, sizeof(header), file) == sizeof(header) && write_values(a, file))
        return true;
    return io_fail_errno(message, name, "cannot write");
}
