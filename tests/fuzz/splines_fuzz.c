/* Fuzz target of the readers of B-splines and of points: any bytes give a result or an error with a
   message. The first byte chooses the reader; the rest is the file. '0' and '1' are for files of
   B-splines, .g2 and JSON, also clspline-cad's, in double and float; most others are for points.
   Built and run by hand, from the root of the tree, with clang:

       sh tests/fuzz/build.sh splines /tmp/splines_fuzz
       mkdir -p /tmp/corpus_splines
       for f in knot.g2 vase.json block.json; do
           { printf 0; cat tests/data/$f; } > /tmp/corpus_splines/$f; done
       { printf 3; cat tests/data/points.csv; } > /tmp/corpus_splines/points.csv
       /tmp/splines_fuzz -max_len=8192 -max_total_time=300 /tmp/corpus_splines */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "point_file.h"
#include "spline_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_message(const io_message *message)
{
    require(message->text[0] != 0 && !strchr(message->text, '\n'));
}

/* ---- splines ---- */

static void check_batch(const spline_batch *batch)
{
    const spline_type *type = &batch->type;
    const size_t coordinates = spline_coordinates(type);
    size_t which;
    require(type->directions >= 1 && type->directions <= 3 && type->dim >= 1 && type->dim <= 4);
    require(batch->num_splines > 0);
    require(batch->num_reals == batch->num_splines * spline_num_controls(type) * coordinates);
    for (uint32_t k = 0; k < type->directions; k++) {
        require(type->num_controls[k] > type->degree[k]);
        require(spline_knot_defect(type, k, &which) == NULL);
        require(spline_spans(type, k) >= 1);
    }
    for (size_t i = 0; i < batch->num_reals; i++) {
        require(isfinite(batch->points[i]) != 0);
        require(!type->rational || i % coordinates != type->dim || batch->points[i] > 0);
    }
}

static void read_splines(FILE *file, mesh_precision precision)
{
    splines content = {0};
    io_message message = {""};
    if (spline_file_read(&content, file, "f", precision, &message)) {
        size_t num = 0;
        for (size_t i = 0; i < content.num_batches; i++) {
            check_batch(&content.batches[i]);
            num += content.batches[i].num_splines;
        }
        require(num > 0 && num == content.num_splines);
    } else {
        require(strncmp(message.text, "f:", 2) == 0);
        check_message(&message);
        require(content.num_batches == 0 && content.num_splines == 0);
    }
    splines_clear(&content);
}

/* ---- points ---- */

/* Reads the bytes as a file of the ending, since standard input cannot be wound back. */
static void read_points(const uint8_t *data, size_t size, const char *ending, uint32_t dim,
                        const char *columns)
{
    static point_file f;
    char path[64];
    double points[7 * POINT_FILE_MAX_DIM];
    io_message message = {""};
    snprintf(path, sizeof(path), "/tmp/splines-fuzz-%ld.%s", (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size);
    fclose(file);
    if (point_file_open(&f, path, dim, columns, &message)) {
        uint64_t num = 0;
        for (size_t found; (found = point_file_read(&f, points, 7)) > 0;)
            num += found;
        require(f.failed || num == f.taken);
        require(point_file_fraction(&f) >= 0 && point_file_fraction(&f) <= 1);
        if (f.failed) check_message(&message);
        point_file_close(&f);
    } else {
        check_message(&message);
    }
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"csv", "npy", "xyz"};
    if (size < 2) return 0;
    const unsigned kind = data[0] % 16;
    if (kind >= 2) {
        const uint32_t dim = kind % 3 == 2 ? 3 : kind % 4 + 1;
        read_points(data + 1, size - 1, endings[kind % 3], dim,
                    dim == 2 && kind > 8 ? "b,3" : NULL);
        return 0;
    }
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "rb");
    require(file != NULL);
    read_splines(file, kind % 2 ? MESH_F32 : MESH_F64);
    fclose(file);
    return 0;
}
