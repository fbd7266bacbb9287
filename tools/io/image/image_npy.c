#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_formats.h"
#include "image_stored.h"
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

/* Divides axes into directions and channels, as image_file_read has them. False where they are no
   image's. */
static bool divide(image_array *a, const uint64_t *shape, uint32_t axes, uint32_t directions)
{
    if (axes == 0) return false;
    const uint64_t last = shape[axes - 1];
    const bool may_be_channels = last >= 1 && last <= IMAGE_MAX_CHANNELS;
    a->directions = directions;
    if (directions == 0) a->directions = axes > 2 && may_be_channels ? axes - 1 : axes;
    const bool has_channels = a->directions + 1 == axes;
    if (a->directions > IMAGE_MAX_DIRECTIONS || (has_channels && !may_be_channels) ||
        (!has_channels && a->directions != axes))
        return false;
    a->channels = has_channels ? (uint32_t)last : 1;
    for (uint32_t i = 0; i < a->directions; i++) {
        a->size[i] = (size_t)shape[i];
        if (a->size[i] != shape[i]) return false;
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

/* Tells whether images have numbers of a type of files too. */
static bool has_own(npy_type type)
{
    return type != NPY_F16 && type != NPY_S8;
}

static bool is_swapped(const npy_header *header)
{
    return npy_type_bytes(header->type) > 1 && header->is_big == is_little_endian();
}

/* Tells whether an image has numbers as they are in a file. */
static bool is_same(const npy_header *header)
{
    return has_own(header->type) && !is_swapped(header);
}

/* Sets value number i of an image to a number as it stands in a file, with all its bits. */
static void take(image_array *a, size_t i, const npy_header *header, const unsigned char *from)
{
    const size_t each = image_type_bytes(a->type);
    unsigned char *to = (unsigned char *)a->values + i * each;
    if (!has_own(header->type)) {
        image_array_set(a, i, npy_get(header, from));
        return;
    }
    memcpy(to, from, each);
    if (is_swapped(header)) image_bytes_swap(to, each, each);
}

/* Reads so many bytes, which the caller frees, on failure too. */
static bool read_bytes(image_bytes *got, const image_source *s, size_t bytes)
{
    for (size_t want; got->count < bytes || !got->bytes; got->count += want) {
        want = bytes - got->count < READ_BYTES ? bytes - got->count : READ_BYTES;
        unsigned char *to = image_bytes_reserve(got, want);
        if (!to) return image_source_fail(s, "not enough memory for this file");
        errno = 0;
        if (fread(to, 1, want, s->file) == want) continue;
        if (ferror(s->file)) return io_fail_errno(s->message, s->name, "cannot read");
        return image_source_fail(s, "the file ends before its array");
    }
    return true;
}

/* Returns where the number stands in the file that is number i of the image. */
static size_t file_index(const npy_header *header, size_t i)
{
    size_t at = 0, step[NPY_MAX_AXES], all = 1;
    if (!header->is_fortran) return i;
    for (uint32_t k = 0; k < header->num_axes; k++) {
        step[k] = all;
        all *= (size_t)header->shape[k];
    }
    for (uint32_t k = header->num_axes; k-- > 0; i /= (size_t)header->shape[k])
        at += i % (size_t)header->shape[k] * step[k];
    return at;
}

/* Makes the image's values of numbers of any type, order and byte order. */
static bool convert(image_array *a, const image_source *s, const npy_header *header,
                    const unsigned char *from, size_t count)
{
    const size_t each = npy_type_bytes(header->type);
    if (!image_array_make(a)) return image_source_fail(s, "not enough memory for this file");
    for (size_t i = 0; i < count; i++)
        take(a, i, header, from + file_index(header, i) * each);
    return true;
}

static bool read_values(image_array *a, const image_source *s, const npy_header *header)
{
    image_bytes got = {.bytes = NULL};
    size_t bytes;
    const size_t each = npy_type_bytes(header->type), own = image_type_bytes(a->type);
    const bool is_ready = !header->is_fortran && is_same(header);
    if (!image_array_bytes(a, &bytes)) return image_source_fail(s, "an array that is too large");
    if (s->stays && is_ready && image_stored_keep(a, s->file, (uint64_t)ftello(s->file)))
        return true;
    const size_t count = bytes / own;
    bool done = read_bytes(&got, s, count * each); /* each is own, or less */
    if (done && !is_ready) done = convert(a, s, header, got.bytes, count);
    if (done && is_ready)
        a->values = got.bytes;
    else
        free(got.bytes);
    return done;
}

/* Returns what numbers become: the smallest type here that has all their values. */
static image_type image_type_of(npy_type type)
{
    static const image_type types[] = {
        [NPY_U8] = IMAGE_U8,   [NPY_U16] = IMAGE_U16, [NPY_S16] = IMAGE_S16, [NPY_F32] = IMAGE_F32,
        [NPY_F64] = IMAGE_F64, [NPY_F16] = IMAGE_F32, [NPY_S8] = IMAGE_S16,  [NPY_U32] = IMAGE_U32,
        [NPY_S32] = IMAGE_S32, [NPY_U64] = IMAGE_U64, [NPY_S64] = IMAGE_S64};
    return types[type];
}

bool image_npy_read(image_array *a, const image_source *s, uint32_t directions)
{
    npy_header header;
    if (!npy_read_header(&header, s->file, s->name, s->message)) return false;
    a->type = image_type_of(header.type);
    if (!divide(a, header.shape, header.num_axes, directions)) return fail_shape(s, &header);
    return read_values(a, s, &header);
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
        image_bytes_swap(block, count, image_type_bytes(a->type));
        if (fwrite(block, 1, count, file) != count) return false;
    }
    return true;
}

void image_npy_order(const image_array *a)
{
    const size_t each = image_type_bytes(a->type);
    if (!is_little_endian()) image_bytes_swap(a->values, image_array_count(a) * each, each);
}

bool image_npy_head(const image_array *a, image_bytes *head)
{
    static const char *const types[] = {"'|u1'", "'<u2'", "'<i2'", "'<u4'", "'<i4'",
                                        "'<u8'", "'<i8'", "'<f4'", "'<f8'"};
    uint64_t shape[IMAGE_MAX_DIRECTIONS + 2];
    uint32_t axes = 0;
    unsigned char *const header = image_bytes_reserve(head, NPY_HEADER_BYTES);
    if (a->frames > 1) shape[axes++] = a->frames;
    for (uint32_t i = 0; i < a->directions; i++)
        shape[axes++] = a->size[i];
    if (a->channels > 1) shape[axes++] = a->channels;
    if (!header || !npy_make_header(header, types[a->type], shape, axes)) return false;
    head->count += NPY_HEADER_BYTES;
    return true;
}

bool image_npy_write(const image_array *a, FILE *file, const char *name, io_message *message)
{
    image_bytes head = {.bytes = NULL};
    errno = 0;
    const bool done = image_npy_head(a, &head) &&
                      fwrite(head.bytes, 1, head.count, file) == head.count &&
                      write_values(a, file);
    free(head.bytes);
    return done || io_fail_errno(message, name, "cannot write");
}
