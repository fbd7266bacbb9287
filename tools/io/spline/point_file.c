#include "point_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NPY_BLOCK = 4096 }; /* numbers that are read at once */

/* ---- .npy ---- */

static bool fail_npy(point_file *f, uint64_t offset, const char *why)
{
    f->failed = true;
    return io_fail(f->message, "%s: offset %llu: %s", f->in.name, (unsigned long long)offset, why);
}

/* Writes a shape as Python does. */
static void print_shape(const npy_header *h, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < h->num_axes && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i > 0 ? ", %llu" : "%llu",
                                 (unsigned long long)h->shape[i]);
    if (h->num_axes == 1 && used < size) snprintf(text + used, size - used, ",");
}

/* Checks that the array is one of points, and that a file has all of them. */
static bool check_shape(point_file *f)
{
    const npy_header *h = &f->header;
    const uint64_t bytes = f->dim * (h->type == NPY_F64 ? 8u : 4u);
    struct stat status;
    char shape[24 * NPY_MAX_AXES];
    const bool is_row = f->dim == 1 && h->num_axes == 1;
    print_shape(h, shape, sizeof(shape));
    if (!is_row && (h->num_axes != 2 || h->shape[1] != f->dim))
        return io_fail(f->message, "%s: an array of shape (%s), not (N, %u) as the curves are",
                       f->in.name, shape, f->dim);
    f->num = h->shape[0];
    if (fstat(fileno(f->in.file), &status) != 0 || !S_ISREG(status.st_mode)) return true;
    if ((uint64_t)status.st_size < h->bytes ||
        ((uint64_t)status.st_size - h->bytes) / bytes < f->num)
        return io_fail(f->message, "%s: the file is too short for its array of shape (%s)",
                       f->in.name, shape);
    return true;
}

static bool open_npy(point_file *f)
{
    f->is_npy = true;
    return npy_read_header(&f->header, NPY_REALS, f->in.file, f->in.name, f->message) &&
           check_shape(f);
}

static double get_real(const unsigned char *from, size_t bytes)
{
    uint64_t bits = 0;
    for (size_t i = bytes; i-- > 0;)
        bits = bits << 8 | from[i];
    if (bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof(value));
    return (double)value;
}

static size_t read_npy(point_file *f, double *points, size_t most)
{
    const size_t bytes = f->header.type == NPY_F64 ? 8 : 4;
    const uint64_t left = f->num - f->taken;
    const size_t num = (left < most ? (size_t)left : most) * f->dim;
    unsigned char block[8 * NPY_BLOCK];
    for (size_t first = 0, count; first < num; first += count) {
        count = num - first < NPY_BLOCK ? num - first : NPY_BLOCK;
        const size_t found = fread(block, bytes, count, f->in.file);
        if (found < count) {
            const uint64_t offset = f->header.bytes + (f->taken * f->dim + first + found) * bytes;
            fail_npy(f, offset,
                     ferror(f->in.file) ? "cannot read" : "the file ends before its array");
            return 0;
        }
        for (size_t i = 0; i < count; i++)
            points[first + i] = get_real(block + i * bytes, bytes);
    }
    return num / f->dim;
}

/* ---- text ---- */

/* Whether the word is no name: "nan" is a number, "info" is none. */
static bool is_number(const char *word)
{
    char *end;
    strtod(word, &end);
    return end != word && (*end == 0 || !isalpha((unsigned char)word[0]));
}

/* Goes to the first number of the next line that has any; false at the end and on failure. */
static bool begin_row(point_file *f)
{
    scanner *s = &f->scan;
    const uint64_t line = f->row_line;
    bool found = scanner_word(s);
    if (found && line == 0 && !is_number(s->word)) { /* a heading */
        scanner_skip_line(s);
        s->separator = 0; /* which may have others */
        found = scanner_word(s);
    }
    if (s->failed) return false;
    if (found && s->word_line == line)
        return scanner_fail(s, line, "more numbers than %u, which the curves have coordinates",
                            f->dim);
    if (s->num_separators > 0) return scanner_fail(s, line > 0 ? line : 1, "an empty field");
    if (!found) return false;
    f->row_line = s->word_line;
    return true;
}

static bool read_row(point_file *f, double *point)
{
    scanner *s = &f->scan;
    if (!begin_row(f)) return false;
    for (uint32_t k = 0; k < f->dim; k++) {
        const bool is_there = k == 0 || scanner_word(s);
        if (s->failed) return false;
        if (!is_there || s->word_line != f->row_line)
            return scanner_fail(s, f->row_line, "%u number%s where the curves have %u coordinates",
                                k, k == 1 ? "" : "s", f->dim);
        if (k > 0 && s->num_separators != (s->separator != 0))
            return scanner_fail(s, f->row_line,
                                s->num_separators > 1 ? "an empty field"
                                                      : "a separator is missing");
        if (!scanner_real_here(s, "a coordinate", &point[k])) return false;
    }
    if (f->is_xyz) scanner_skip_line(s);
    return true;
}

static size_t read_text(point_file *f, double *points, size_t most)
{
    size_t num = 0;
    while (num < most && read_row(f, points + num * f->dim))
        num++;
    f->failed = f->scan.failed;
    return f->failed ? 0 : num;
}

static bool open_text(point_file *f)
{
    scanner_init(&f->scan, f->in.file, f->in.name, f->message);
    f->scan.any_real = true;
    f->scan.fields = !f->is_xyz;
    if (!f->is_xyz || f->dim == 3) return true;
    return io_fail(f->message, "%s: points of an .xyz file have 3 coordinates, the curves have %u",
                   f->in.name, f->dim);
}

/* ---- any file ---- */

/* Whether the stream begins as .npy files do, as no text does. */
static bool begins_as_npy(FILE *file)
{
    const int c = getc(file);
    if (c != EOF) ungetc(c, file);
    return c == 0x93;
}

bool point_file_open(point_file *f, const char *path, uint32_t dim, io_message *message)
{
    *f = (point_file){.message = message, .dim = dim, .num = UINT64_MAX};
    f->is_xyz = input_ends_in(path, "xyz");
    if (!input_open(&f->in, path, message)) return false;
    const bool is_npy = input_ends_in(path, "npy") || begins_as_npy(f->in.file);
    if (is_npy ? open_npy(f) : open_text(f)) return true;
    input_close(&f->in);
    return false;
}

size_t point_file_read(point_file *f, double *points, size_t most)
{
    if (f->failed) return 0;
    const size_t num = f->is_npy ? read_npy(f, points, most) : read_text(f, points, most);
    f->taken += num;
    return num;
}

double point_file_fraction(const point_file *f)
{
    if (f->is_npy) return f->num > 0 ? (double)f->taken / (double)f->num : 1;
    if (f->scan.size == UINT64_MAX || f->scan.size == 0) return 0;
    return 1 - (double)f->scan.unread / (double)f->scan.size;
}

void point_file_close(point_file *f)
{
    input_close(&f->in);
}
