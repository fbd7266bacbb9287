/* Fuzz target of the BezierView reader: any bytes give a result or an error with a message.
   Built and run by hand, from the root of the tree:

       IO=tools/io
       FLAGS="-std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined"
       clang $FLAGS -I$IO tests/fuzz/bezierview_fuzz.c $IO/array.c $IO/bezierview.c \
           $IO/mesh.c $IO/message.c $IO/scanner.c -lm -o /tmp/bezierview_fuzz
       mkdir -p /tmp/corpus
       /tmp/bezierview_fuzz -max_len=4096 -max_total_time=300 /tmp/corpus tests/data */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezierview.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_batch(const bezierview_batch *batch)
{
    size_t rows = (size_t)batch->degree_u + 1, columns = (size_t)batch->degree_v + 1;
    require(batch->num_patches > 0);
    require(batch->num_reals == batch->num_patches * rows * columns * 3);
    for (size_t i = 0; i < batch->num_reals; i++)
        require(isfinite(batch->points[i]) != 0);
    for (size_t i = 0; i < batch->num_patches; i++)
        require(batch->groups[i] >= BEZIERVIEW_NO_GROUP);
}

static void check_mesh(const mesh *m)
{
    size_t count;
    for (size_t face = 0; face < m->num_faces; face++) {
        const uint32_t *corners = mesh_face(m, face, &count);
        require(count >= 3);
        for (size_t i = 0; i < count; i++)
            require(corners[i] < m->num_vertices);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bezierview content;
    io_message message = {""};
    if (size == 0) return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    require(file != NULL);
    if (bezierview_read(&content, file, "f", &message)) {
        for (size_t i = 0; i < content.num_batches; i++)
            check_batch(&content.batches[i]);
        check_mesh(&content.polyhedra);
    } else {
        require(strncmp(message.text, "f:", 2) == 0 && !strchr(message.text, '\n'));
        require(content.num_batches == 0 && content.polyhedra.num_vertices == 0);
    }
    bezierview_clear(&content);
    fclose(file);
    return 0;
}
