#include "image_stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool image_stored_keep(image_array *a, FILE *file, uint64_t at)
{
    struct stat info;
    size_t bytes;
    const int descriptor = fileno(file);
    if (descriptor < 0 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (!image_array_bytes(a, &bytes) || (uint64_t)info.st_size < at) return false;
    if ((uint64_t)info.st_size - at < bytes) return false;
    a->descriptor = dup(descriptor);
    a->is_stored = a->descriptor >= 0;
    a->at = at;
    return a->is_stored;
}

/* Reads so many bytes of the values from byte `from` on. False where they cannot be read: the file
   has become another one. */
static bool read_bytes(const image_array *a, uint64_t from, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got =
            pread(a->descriptor, (char *)to + done, bytes - done, (off_t)(a->at + from + done));
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += (size_t)got;
    }
    return true;
}

bool image_stored_take(const image_array *a, const image_box *box, void *to, const char *name,
                       io_message *message)
{
    const image_lines lines = image_box_lines(a, box);
    for (size_t i = 0; i < lines.num; i++) {
        const size_t at = image_line_at(a, &lines, i);
        char *const line = (char *)to + i * lines.bytes;
        if (!a->is_stored)
            memcpy(line, (const char *)a->values + at, lines.bytes);
        else if (!read_bytes(a, at, line, lines.bytes))
            return io_fail(message, "%s: cannot read its values again", name);
    }
    return true;
}

bool image_stored_load(image_array *a, const char *name, io_message *message)
{
    image_array loaded = *a;
    const size_t frames = a->frames > 1 ? a->frames : 1;
    bool done = true;
    size_t bytes;
    if (!a->is_stored) return true;
    loaded.is_stored = false;
    if (!image_array_bytes(a, &bytes) || !image_array_make(&loaded))
        return io_fail(message, "%s: not enough memory for this image", name);
    for (size_t i = 0; done && i < frames; i++) {
        const image_box box = image_box_whole(a, i);
        done =
            image_stored_take(a, &box, (char *)loaded.values + bytes / frames * i, name, message);
    }
    image_array_drop(done ? a : &loaded);
    if (done) *a = loaded;
    return done;
}
