#include "image_stored.h"

#include <errno.h>
#include <stdlib.h>
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

bool image_stored_read(const image_array *a, uint64_t from, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got =
            pread(a->descriptor, (char *)to + done, bytes - done, (off_t)(a->at + from + done));
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += (size_t)got;
    }
    return true;
}

bool image_stored_load(image_array *a)
{
    size_t bytes;
    if (!a->is_stored) return true;
    if (!image_array_bytes(a, &bytes) || !image_array_make(a)) return false;
    if (!image_stored_read(a, 0, a->values, bytes)) {
        free(a->values);
        a->values = NULL;
        return false;
    }
    close(a->descriptor);
    a->is_stored = false;
    return true;
}
