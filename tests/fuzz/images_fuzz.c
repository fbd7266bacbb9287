/* Fuzz target of the readers of images: any bytes give an image or an error with a message.
   Built and run by hand, from the root of the tree, with clang:

       sh tests/fuzz/build.sh images /tmp/images_fuzz
       mkdir -p /tmp/corpus_images
       ASAN_OPTIONS=allocator_may_return_null=1 /tmp/images_fuzz -max_len=4096 \
           -max_total_time=300 /tmp/corpus_images tests/data docs */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    image_array a;
    io_message message = {""};
    size_t bytes;
    snprintf(path, sizeof(path), "/tmp/images_fuzz.%ld", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    const size_t written = fwrite(data, 1, size, file);
    require(fclose(file) == 0 && written == size);
    if (image_file_read(&a, path, 0, &message)) {
        double sum = 0;
        require(a.directions >= 1 && a.directions <= 3 && a.channels >= 1 && a.channels <= 4);
        require(image_array_bytes(&a, &bytes) && bytes > 0);
        for (size_t i = 0; i < bytes / image_type_bytes(a.type); i++)
            sum += image_array_get(&a, i);
        require(sum == sum || a.type >= IMAGE_F32); /* and every value is there */
        image_array_clear(&a);
    } else {
        require(!a.values && strncmp(message.text, path, strlen(path)) == 0);
        require(!strchr(message.text, '\n'));
    }
    unlink(path);
    return 0;
}
