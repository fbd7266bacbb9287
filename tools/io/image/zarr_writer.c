#include "zarr_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_output.h"
#include "image_formats.h"
#include "zarr_array.h"

enum { T, C, Z, Y, X, AXES }; /* all that an image can have, in the order of OME-NGFF */

/* An image as an array: axes that it has not are 1 long. */
typedef struct layout {
    bool has[AXES];
    size_t size[AXES], chunk[AXES];
    size_t bytes_each, chunk_bytes;
} layout;

static layout layout_of(const image_array *a)
{
    static const size_t sides[2][AXES] = {{1, 1, 1, 512, 512}, {1, 1, 64, 128, 128}};
    layout l = {.bytes_each = image_type_bytes(a->type), .chunk_bytes = l.bytes_each};
    l.size[T] = a->frames > 1 ? a->frames : 1;
    l.size[C] = a->channels;
    l.size[Z] = a->directions == 3 ? a->size[0] : 1;
    l.size[Y] = a->size[a->directions - 2];
    l.size[X] = a->size[a->directions - 1];
    for (int i = 0; i < AXES; i++) {
        const size_t side = sides[a->directions == 3][i];
        l.has[i] = l.size[i] > 1 || i == Y || i == X || (i == Z && a->directions == 3);
        l.chunk[i] = l.size[i] < side ? l.size[i] : side;
        l.chunk_bytes *= l.chunk[i];
    }
    return l;
}

static size_t num_chunks(const layout *l, int axis)
{
    return (l->size[axis] - 1) / l->chunk[axis] + 1;
}

/* The axis along which images are cut into parts. */
static int first_axis(const image_array *a)
{
    return a->directions == 3 ? Z : Y;
}

size_t zarr_writer_layer(const image_array *whole)
{
    return layout_of(whole).chunk[first_axis(whole)];
}

uint64_t zarr_writer_bytes(const image_array *whole)
{
    const layout l = layout_of(whole);
    uint64_t bytes = l.chunk_bytes;
    for (int i = 0; i < AXES; i++)
        bytes *= num_chunks(&l, i);
    return bytes;
}

/* ---- what the image is ---- */

enum { TEXT_BYTES = 2048 };

/* A text that grows; nothing here is longer than it may be. */
typedef struct text {
    char bytes[TEXT_BYTES];
    size_t count;
} text;

static void add(text *t, const char *format, ...) IO_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->count += (size_t)vsnprintf(t->bytes + t->count, TEXT_BYTES - t->count, format, args);
    va_end(args);
}

static void add_counts(text *t, const layout *l, const size_t *counts)
{
    const char *between = "[";
    for (int i = 0; i < AXES; i++) {
        if (!l->has[i]) continue;
        add(t, "%s%lu", between, (unsigned long)counts[i]);
        between = ", ";
    }
    add(t, "]");
}

static text describe_array(const image_array *a, const layout *l)
{
    static const char *const types[] = {"|u1", "<u2", "<i2", "<u4", "<i4",
                                        "<u8", "<i8", "<f4", "<f8"};
    text t = {.count = 0};
    add(&t, "{\n    \"chunks\": ");
    add_counts(&t, l, l->chunk);
    add(&t, ",\n    \"compressor\": null,\n    \"dimension_separator\": \"/\",\n");
    add(&t, "    \"dtype\": \"%s\",\n    \"fill_value\": 0,\n", types[a->type]);
    add(&t, "    \"filters\": null,\n    \"order\": \"C\",\n    \"shape\": ");
    add_counts(&t, l, l->size);
    add(&t, ",\n    \"zarr_format\": 2\n}\n");
    return t;
}

/* Adds a number for each axis: that of directions, x first, where it is not 0. */
static void add_reals(text *t, const layout *l, const double *numbers, double otherwise)
{
    const char *between = "[";
    for (int i = 0; i < AXES; i++) {
        const double number = i >= Z ? numbers[X - i] : 0;
        if (!l->has[i]) continue;
        add(t, "%s%.17g", between, number != 0 ? number : otherwise);
        between = ", ";
    }
    add(t, "]");
}

/* Tells the axes, how far samples are apart and where the first one is. */
static text describe_image(const image_array *a, const layout *l)
{
    static const char *const names[] = {"t", "c", "z", "y", "x"};
    static const char *const types[] = {"time", "channel", "space", "space", "space"};
    static const char *const units[] = {NULL, "meter", "millimeter", "micrometer"};
    const char *const unit =
        a->place.units > 0 && a->place.units < 4 ? units[a->place.units] : NULL;
    text t = {.count = 0};
    add(&t, "{\n    \"multiscales\": [\n        {\n            \"axes\": [");
    for (int i = 0, num = 0; i < AXES; i++) {
        if (!l->has[i]) continue;
        add(&t, "%s\n                {\"name\": \"%s\", \"type\": \"%s\"", num++ > 0 ? "," : "",
            names[i], types[i]);
        if (unit && i >= Z) add(&t, ", \"unit\": \"%s\"", unit);
        add(&t, "}");
    }
    add(&t, "\n            ],\n            \"datasets\": [\n                {\n"
            "                    \"coordinateTransformations\": [{\"scale\": ");
    add_reals(&t, l, a->place.spacing, 1);
    add(&t, ", \"type\": \"scale\"}");
    if (a->place.origin[0] != 0 || a->place.origin[1] != 0 || a->place.origin[2] != 0) {
        add(&t, ", {\"translation\": ");
        add_reals(&t, l, a->place.origin, 0);
        add(&t, ", \"type\": \"translation\"}");
    }
    add(&t, "],\n                    \"path\": \"0\"\n"
            "                }\n            ],\n            \"name\": \"image\",\n"
            "            \"version\": \"0.4\"\n        }\n    ]\n}\n");
    return t;
}

/* ---- files ---- */

static bool fail(const zarr_writer *w)
{
    return io_fail_errno(w->message, w->name, "cannot write");
}

static bool write_all(int descriptor, const void *bytes, size_t num)
{
    for (const char *from = bytes; num > 0;) {
        const ssize_t written = write(descriptor, from, num);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        num -= (size_t)written;
    }
    return true;
}

/* Writes a file whole. Where others write the same bytes into it at once it is never shorter. */
static bool write_file(const zarr_writer *w, const char *file, const void *bytes, size_t num)
{
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int descriptor = openat(w->folder, file, flags, 0666);
    if (descriptor < 0) return fail(w);
    bool done = write_all(descriptor, bytes, num) && ftruncate(descriptor, (off_t)num) == 0;
    if (!done) fail(w);
    if (close(descriptor) != 0 && done) done = fail(w);
    return done;
}

static bool make_folder(const zarr_writer *w, const char *folder)
{
    struct stat status;
    if (mkdirat(w->folder, folder, 0777) == 0) return true;
    if (errno != EEXIST) return fail(w);
    errno = ENOTDIR;
    return (fstatat(w->folder, folder, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(status.st_mode)) ||
           fail(w);
}

static bool write_head(const zarr_writer *w, const layout *l)
{
    static const char group[] = "{\n    \"zarr_format\": 2\n}\n", array[] = "0/.zarray";
    const text of_array = describe_array(w->whole, l), of_image = describe_image(w->whole, l);
    return make_folder(w, "0") && write_file(w, ".zgroup", group, strlen(group)) &&
           write_file(w, ".zattrs", of_image.bytes, of_image.count) &&
           write_file(w, array, of_array.bytes, of_array.count);
}

/* ---- chunks ---- */

/* The rows or slices that are written, and a chunk of them. */
typedef struct chunk_work {
    const zarr_writer *w;
    const layout *l;
    const image_array *rows;
    size_t first;
    size_t index[AXES];
    unsigned char *bytes; /* [chunk_bytes] */
} chunk_work;

/* Copies a line along x of a chunk, from number `at` of the array's values on. */
static void copy_line(const chunk_work *k, size_t at, size_t num, unsigned char *to)
{
    const size_t each = k->l->bytes_each, step = k->l->size[C] * each;
    const unsigned char *from = (const unsigned char *)k->rows->values + at * each;
    if (step == each)
        memcpy(to, from, num * each);
    else
        for (size_t i = 0; i < num; i++)
            memcpy(to + i * each, from + i * step, each);
}

/* Returns how many numbers of an axis a chunk has. */
static size_t length_of(const chunk_work *k, int axis)
{
    const size_t begin = k->index[axis] * k->l->chunk[axis], left = k->l->size[axis] - begin;
    return left < k->l->chunk[axis] ? left : k->l->chunk[axis];
}

/* Makes the bytes of a chunk. */
static void fill_chunk(const chunk_work *k)
{
    const layout *const l = k->l;
    size_t size[AXES], begin[AXES]; /* of the rows that there are */
    for (int i = 0; i < AXES; i++) {
        size[i] = l->size[i];
        begin[i] = k->index[i] * l->chunk[i];
    }
    const int axis = first_axis(k->rows);
    size[axis] = k->rows->size[0];
    begin[axis] -= k->first;
    memset(k->bytes, 0, l->chunk_bytes);
    for (size_t z = 0; z < length_of(k, Z); z++)
        for (size_t y = 0; y < length_of(k, Y); y++) {
            const size_t slice = k->index[T] * size[Z] + begin[Z] + z;
            const size_t pixel = (slice * size[Y] + begin[Y] + y) * size[X] + begin[X];
            copy_line(k, pixel * l->size[C] + k->index[C], length_of(k, X),
                      k->bytes + (z * l->chunk[Y] + y) * l->chunk[X] * l->bytes_each);
        }
    const npy_header little = {.type = NPY_F64};
    if (!image_npy_is_same(&little)) image_bytes_swap(k->bytes, l->chunk_bytes, l->bytes_each);
}

/* Makes the name of a chunk, and folders on the way where they are wanted. */
static bool name_chunk(const chunk_work *k, char name[ZARR_NAME_BYTES], bool makes_folders)
{
    size_t length = (size_t)snprintf(name, ZARR_NAME_BYTES, "0");
    for (int i = 0; i < AXES; i++) {
        if (!k->l->has[i]) continue;
        if (makes_folders && length > 1 && !make_folder(k->w, name)) return false;
        length += (size_t)snprintf(name + length, ZARR_NAME_BYTES - length, "/%lu",
                                   (unsigned long)k->index[i]);
    }
    return true;
}

static bool write_chunk(const chunk_work *k)
{
    char name[ZARR_NAME_BYTES];
    if (!name_chunk(k, name, k->index[X] == 0)) return false;
    fill_chunk(k);
    return write_file(k->w, name, k->bytes, k->l->chunk_bytes);
}

/* Waits until a chunk is on the disk. */
static bool sync_chunk(const chunk_work *k)
{
    char name[ZARR_NAME_BYTES];
    name_chunk(k, name, false);
    const int descriptor =
        openat(k->w->folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool done = descriptor >= 0 && fsync(descriptor) == 0;
    if (!done) fail(k->w);
    if (descriptor >= 0) close(descriptor);
    return done;
}

/* Goes through the chunks that have the rows. */
static bool each_chunk(chunk_work *k, bool (*act)(const chunk_work *))
{
    const layout *const l = k->l;
    const int axis = first_axis(k->rows);
    const size_t begin = k->first / l->chunk[axis];
    size_t end[AXES];
    for (int i = 0; i < AXES; i++) {
        k->index[i] = i == axis ? begin : 0;
        end[i] = num_chunks(l, i);
    }
    end[axis] = begin + (k->rows->size[0] - 1) / l->chunk[axis] + 1;
    for (int i = AXES; i > 0;) {
        if (!act(k)) return false;
        for (i = AXES; i > 0 && ++k->index[i - 1] == end[i - 1]; i--)
            k->index[i - 1] = i - 1 == axis ? begin : 0;
    }
    return true;
}

bool zarr_writer_put(const zarr_writer *w, const image_array *rows, size_t first)
{
    const layout l = layout_of(w->whole);
    chunk_work k = {.w = w, .l = &l, .rows = rows, .first = first};
    if (!write_head(w, &l)) return false;
    k.bytes = malloc(l.chunk_bytes);
    if (!k.bytes) return io_fail(w->message, "%s: not enough memory", w->name);
    /* to the disk behind all others, so that few of them are waited for */
    const bool done = each_chunk(&k, write_chunk) && (!w->is_shared || each_chunk(&k, sync_chunk));
    free(k.bytes);
    return done;
}

bool zarr_write(const image_array *a, const char *path, io_message *message)
{
    folder_output out;
    if (!folder_output_open(&out, path, message)) return false;
    const zarr_writer w = {.folder = out.descriptor, .name = path, .whole = a, .message = message};
    return folder_output_close(&out, zarr_writer_put(&w, a, 0));
}
