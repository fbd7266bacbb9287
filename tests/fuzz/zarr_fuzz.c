/* Fuzz target of the reader of OME-Zarr: a folder of any attributes, any array and any chunk gives
   an image or an error with a message. The three are parts of the input, with a zero byte between
   them; the first byte tells whether the chunk's name has dots.
   Built and run by hand, from the root of the tree, with clang:

       sh tests/fuzz/build.sh zarr /tmp/zarr_fuzz
       mkdir -p /tmp/corpus_zarr
       printf '/{"multiscales":[{"axes":["y","x"],"datasets":[{"path":"a"}]}]}\0{"zarr_format":2,' \
           > /tmp/corpus_zarr/1
       printf '"shape":[2,3],"chunks":[2,3],"dtype":"<u2","order":"C","fill_value":1,' \
           >> /tmp/corpus_zarr/1
       printf '"dimension_separator":"/"}\0123456789012' >> /tmp/corpus_zarr/1
       ASAN_OPTIONS=allocator_may_return_null=1 /tmp/zarr_fuzz -max_len=1024 -max_total_time=300 \
           -rss_limit_mb=4096 /tmp/corpus_zarr */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void put(const char *folder, const char *name, const uint8_t *bytes, size_t count)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    require(file != NULL);
    require(fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* Takes what stands before the next zero byte, or the rest. */
static size_t take(const uint8_t **data, size_t *size, const uint8_t **part)
{
    const uint8_t *const end = *size > 0 ? memchr(*data, 0, *size) : NULL;
    const size_t count = end ? (size_t)(end - *data) : *size;
    *part = *data;
    *data += end ? count + 1 : count;
    *size -= end ? count + 1 : count;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64], inner[80], deep[96];
    const uint8_t *part;
    image_array a;
    io_message message = {""};
    size_t bytes;
    if (size == 0) return 0;
    snprintf(folder, sizeof(folder), "/dev/shm/zarr_fuzz.%ld", (long)getpid());
    snprintf(inner, sizeof(inner), "%s/a", folder);
    snprintf(deep, sizeof(deep), "%s/0", inner);
    mkdir(folder, 0700);
    mkdir(inner, 0700);
    mkdir(deep, 0700);
    const bool has_dots = *data++ == '.';
    size--;
    const size_t attributes = take(&data, &size, &part);
    put(folder, ".zattrs", part, attributes);
    const size_t array = take(&data, &size, &part);
    put(inner, ".zarray", part, array);
    put(inner, has_dots ? "0.0" : "0/0", data, size);
    if (image_file_read(&a, folder, 0, &message)) {
        double sum = 0;
        require(a.directions >= 1 && a.directions <= 3 && a.channels >= 1 && a.channels <= 4);
        require(image_array_bytes(&a, &bytes) && bytes > 0);
        for (size_t i = 0; i < bytes / image_type_bytes(a.type); i++)
            sum += image_array_get(&a, i);
        require(sum == sum || a.type >= IMAGE_F32); /* and every value is there */
        image_array_clear(&a);
    } else {
        require(!a.values && strncmp(message.text, folder, strlen(folder)) == 0);
        require(!strchr(message.text, '\n'));
    }
    snprintf(deep, sizeof(deep), "%s/%s", inner, has_dots ? "0.0" : "0/0");
    unlink(deep);
    return 0;
}
