#include "zarr_chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if IO_HAS_ZLIB
#include <zlib.h>
#endif

#include "image_formats.h"

enum { MOST_AT_ONCE = 1 << 24 }; /* bytes of a chunk that is not packed, unless a line has more */

/* What is on the way: one chunk, and what of it is taken. */
typedef struct work {
    const zarr_chunks *c;
    bool is_same; /* numbers are the image's as they are */
    uint64_t index[ZARR_MAX_AXES];
    uint64_t from[ZARR_MAX_AXES], num[ZARR_MAX_AXES]; /* along each axis, of the chunk's numbers */
    size_t stride[ZARR_MAX_AXES];                     /* of these, in bytes */
    int descriptor;                                   /* of the chunk's file; -1: it is not there */
    uint64_t bytes;                                   /* of that */
    image_bytes chunk; /* all of it, unpacked, or what was read last */
} work;

/* Says what is wrong with a chunk. */
static bool fail(const work *w, const char *why)
{
    char chunk[ZARR_NAME_BYTES];
    zarr_chunk_name(w->c->array, w->index, chunk);
    return io_fail(w->c->message, "%s: chunk %s: %s", w->c->name, chunk, why);
}

/* ---- numbers ---- */

/* Puts a line of numbers where they belong. */
static void put_line(const work *w, const unsigned char *from, size_t to)
{
    const zarr_chunks *const c = w->c;
    const uint32_t last = c->array->num_axes - 1;
    const size_t each = image_type_bytes(c->type), step = c->step[last];
    const size_t num = (size_t)w->num[last], stride = w->stride[last];
    char *const at = (char *)c->to + to * each;
    image_array target = {.type = c->type, .values = at};
    if (w->is_same && step == 1)
        memcpy(at, from, num * each);
    else if (w->is_same)
        for (size_t i = 0; i < num; i++)
            memcpy(at + i * step * each, from + i * stride, each);
    else
        for (size_t i = 0; i < num; i++)
            image_npy_take(&target, i * step, &c->array->form, from + i * stride);
}

/* Puts all numbers of some axes, from this one to the last one. from: of the first of them. */
static void put(const work *w, uint32_t axis, const unsigned char *from, size_t to)
{
    if (axis + 1 == w->c->array->num_axes) {
        put_line(w, from, to);
        return;
    }
    for (size_t i = 0; i < w->num[axis]; i++)
        put(w, axis + 1, from + i * w->stride[axis], to + i * w->c->step[axis]);
}

/* Puts the fill value in place of a chunk that is not there. */
static void put_fill(const work *w, uint32_t axis, size_t to)
{
    const zarr_chunks *const c = w->c;
    image_array target = {.type = c->type, .values = c->to};

    if (axis + 1 < c->array->num_axes && axis + 1 < ZARR_MAX_AXES) { /* which compilers then know */
        for (size_t i = 0; i < w->num[axis]; i++)
            put_fill(w, axis + 1, to + i * c->step[axis]);
        return;
    }
    for (size_t i = 0; i < w->num[axis]; i++)
        image_array_set(&target, to + i * c->step[axis], c->array->fill);
}

/* ---- chunks that are as they are ---- */

static bool read_bytes(work *w, uint64_t at, size_t bytes)
{
    w->chunk.count = 0;
    if (!image_bytes_reserve(&w->chunk, bytes)) return fail(w, "not enough memory for it");
    while (w->chunk.count < bytes) {
        const ssize_t got = pread(w->descriptor, w->chunk.bytes + w->chunk.count,
                                  bytes - w->chunk.count, (off_t)(at + w->chunk.count));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail(w, "cannot be read");
        w->chunk.count += (size_t)got;
    }
    return true;
}

/* Reads what of a chunk lies between the first and the last number of some axes, and puts them; or
   does so for one number of the first of these axes after the other. */
static bool take_plain(work *w, uint32_t axis, uint64_t at, size_t to)
{
    const uint32_t axes = w->c->array->num_axes;
    uint64_t first = at, span = npy_type_bytes(w->c->array->form.type);
    for (uint32_t i = axis; i < axes; i++) {
        first += w->from[i] * w->stride[i];
        span += (w->num[i] - 1) * w->stride[i];
    }
    if (span <= MOST_AT_ONCE || axis + 1 == axes) {
        if (!read_bytes(w, first, (size_t)span)) return false;
        put(w, axis, w->chunk.bytes, to);
        return true;
    }
    for (uint64_t i = 0; i < w->num[axis]; i++)
        if (!take_plain(w, axis + 1, at + (w->from[axis] + i) * w->stride[axis],
                        to + (size_t)i * w->c->step[axis]))
            return false;
    return true;
}

/* ---- packed chunks ---- */

#if IO_HAS_ZLIB
/* Unpacks the whole file, which has so many bytes then. */
static bool unpack_stream(work *w, z_stream *stream, size_t bytes)
{
    enum { STEP = 1 << 16 };
    unsigned char packed[STEP];
    int state = Z_OK;
    while (state == Z_OK) {
        if (stream->avail_in == 0) {
            const ssize_t got = read(w->descriptor, packed, STEP);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return fail(w, "its packed data end early");
            stream->next_in = packed;
            stream->avail_in = (uInt)got;
        }
        const size_t left = bytes - w->chunk.count;
        const size_t room = left < STEP ? left + 1 : STEP; /* one more than there should be */
        unsigned char *const to = image_bytes_reserve(&w->chunk, room);
        if (!to) return fail(w, "not enough memory for it");
        stream->next_out = to;
        stream->avail_out = (uInt)room;
        state = inflate(stream, Z_NO_FLUSH);
        w->chunk.count += room - stream->avail_out;
        if (w->chunk.count > bytes) return fail(w, "has more numbers than it should");
    }
    if (state != Z_STREAM_END) return fail(w, "its packed data are damaged");
    return w->chunk.count == bytes || fail(w, "has fewer numbers than it should");
}

static bool take_packed(work *w)
{
    enum { EITHER = 32, WINDOW = 15 }; /* zlib's or gzip's head */
    z_stream stream = {.next_in = NULL};
    size_t first = 0;
    w->chunk.count = 0;
    if (inflateInit2(&stream, EITHER + WINDOW) != Z_OK) return fail(w, "not enough memory for it");
    const bool done = unpack_stream(w, &stream, (size_t)zarr_chunk_bytes(w->c->array));
    inflateEnd(&stream);
    for (uint32_t i = 0; i < w->c->array->num_axes; i++)
        first += (size_t)w->from[i] * w->stride[i];
    if (done) put(w, 0, w->chunk.bytes + first, 0);
    return done;
}
#else
static bool take_packed(work *w)
{
    return fail(w, "clspline was built without zlib"); /* and said so before */
}
#endif

/* ---- all chunks ---- */

/* Opens the file of a chunk, if there is one. */
static bool open_chunk(work *w)
{
    char name[ZARR_NAME_BYTES];
    struct stat status;
    zarr_chunk_name(w->c->array, w->index, name);
    w->descriptor = openat(w->c->folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (w->descriptor < 0) return errno == ENOENT || fail(w, strerror(errno));
    if (fstat(w->descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return fail(w, "is no regular file");
    w->bytes = (uint64_t)status.st_size;
    return w->c->array->is_packed || w->bytes == zarr_chunk_bytes(w->c->array) ||
           fail(w, "has not the bytes of its numbers");
}

/* Finds what of a chunk is taken. Returns where its first number goes. */
static size_t find_part(work *w)
{
    const zarr_chunks *const c = w->c;
    size_t stride = npy_type_bytes(c->array->form.type), to = 0;
    for (uint32_t i = c->array->num_axes; i-- > 0;) {
        const uint64_t chunk = c->array->chunk[i], at = w->index[i] * chunk;
        const uint64_t first = at > c->begin[i] ? at : c->begin[i], end = c->begin[i] + c->size[i];
        w->from[i] = first - at;
        w->num[i] = (end < at + chunk ? end : at + chunk) - first;
        w->stride[i] = stride;
        to += (size_t)(first - c->begin[i]) * c->step[i];
        stride *= (size_t)chunk;
    }
    return to;
}

static bool take_chunk(work *w)
{
    const zarr_chunks *const c = w->c;
    const size_t to = find_part(w);
    zarr_chunks moved = *c;
    moved.to = (char *)c->to + to * image_type_bytes(c->type);
    w->c = &moved;
    bool done = open_chunk(w);
    if (done && w->descriptor < 0)
        put_fill(w, 0, 0);
    else if (done)
        done = c->array->is_packed ? take_packed(w) : take_plain(w, 0, 0, 0);
    if (w->descriptor >= 0) close(w->descriptor);
    w->c = c;
    return done;
}

/* Goes on to the next chunk, the last axis first. */
static bool next_chunk(const zarr_chunks *c, uint64_t *index)
{
    for (uint32_t i = c->array->num_axes; i-- > 0;) {
        const uint64_t chunk = c->array->chunk[i];
        if (++index[i] * chunk < c->begin[i] + c->size[i]) return true;
        index[i] = c->begin[i] / chunk;
    }
    return false;
}

bool zarr_chunks_take(const zarr_chunks *c)
{
    work w = {.c = c};
    bool done = true;
    w.is_same = image_npy_is_same(&c->array->form);
    for (uint32_t i = 0; i < c->array->num_axes; i++)
        w.index[i] = c->begin[i] / c->array->chunk[i];
    do
        done = take_chunk(&w);
    while (done && next_chunk(c, w.index));
    free(w.chunk.bytes);
    return done;
}

uint64_t zarr_chunks_stored(const zarr_array *z, int folder, uint64_t enough)
{
    zarr_chunks c = {.array = z};
    uint64_t index[ZARR_MAX_AXES] = {0}, bytes = 0;
    enum { MOST = 1 << 18 }; /* chunks that are looked for */
    size_t num = 0;
    memcpy(c.size, z->shape, sizeof(c.size));
    do {
        char name[ZARR_NAME_BYTES];
        struct stat status;
        zarr_chunk_name(z, index, name);
        if (fstatat(folder, name, &status, 0) == 0) bytes += (uint64_t)status.st_size;
    } while (bytes < enough && ++num < MOST && next_chunk(&c, index));
    return bytes;
}
