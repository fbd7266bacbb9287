#define _XOPEN_SOURCE 700 /* fseeko */

#include "point_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "foreign.h"

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

/* Returns the array's columns. */
static uint64_t npy_columns(const npy_header *h)
{
    return h->num_axes == 1 ? 1 : h->shape[1];
}

/* Checks that the array is one of points, and that a file has all of them. */
static bool check_shape(point_file *f)
{
    const npy_header *h = &f->header;
    const uint64_t bytes = npy_type_bytes(h->type);
    const bool is_asked = f->columns.asked != NULL;
    struct stat status;
    char shape[24 * NPY_MAX_AXES];
    const bool is_row = f->dim == 1 && h->num_axes == 1;
    print_shape(h, shape, sizeof(shape));
    if (!is_row && (h->num_axes != 2 || (h->shape[1] != f->dim && !is_asked)))
        return io_fail(f->message, "%s: an array of shape (%s), not (N, %u)", f->in.name, shape,
                       f->dim);
    const uint64_t columns = npy_columns(h);
    if (columns > UINT32_MAX) return fail_npy(f, 0, "more columns than are read");
    if (is_asked && !point_columns_take_numbers(&f->columns, f->in.name, columns, f->message))
        return false;
    f->num = h->shape[0];
    if (fstat(fileno(f->in.file), &status) != 0 || !S_ISREG(status.st_mode)) return true;
    if ((uint64_t)status.st_size < h->bytes ||
        ((uint64_t)status.st_size - h->bytes) / (columns * bytes) < f->num)
        return io_fail(f->message, "%s: the file is too short for its array of shape (%s)",
                       f->in.name, shape);
    return true;
}

static bool open_npy(point_file *f)
{
    f->is_npy = true;
    if (!npy_read_header(&f->header, f->in.file, f->in.name, f->message) || !check_shape(f))
        return false;
    if (!f->header.is_fortran || npy_columns(&f->header) == 1) return true;
    f->by_columns = true;
    if (fseeko(f->in.file, 0, SEEK_CUR) == 0) return true;
    return fail_npy(f, 0,
                    "Fortran's order is read from files only, not from a pipe: save "
                    "numpy.ascontiguousarray of the array");
}

/* Reads numbers one after another in the file. False, with a message, where there are fewer. */
static bool read_run(point_file *f, uint64_t first, size_t num, double *to, size_t step)
{
    const size_t bytes = npy_type_bytes(f->header.type);
    unsigned char block[8 * NPY_BLOCK];
    for (size_t done = 0, count; done < num; done += count) {
        count = num - done < NPY_BLOCK ? num - done : NPY_BLOCK;
        const size_t found = fread(block, bytes, count, f->in.file);
        if (found < count)
            return fail_npy(f, f->header.bytes + (first + done + found) * bytes,
                            ferror(f->in.file) ? "cannot read" : "the file ends before its array");
        for (size_t i = 0; i < count; i++)
            to[(done + i) * step] = npy_get(&f->header, block + i * bytes);
    }
    return true;
}

/* Reads points of an array that has columns one after another. */
static bool read_columns(point_file *f, double *points, size_t num)
{
    const uint64_t bytes = npy_type_bytes(f->header.type);
    for (uint32_t k = 0; k < f->dim; k++) {
        const uint64_t first = f->columns.column[k] * f->num + f->taken;
        if (fseeko(f->in.file, (off_t)(f->header.bytes + first * bytes), SEEK_SET) != 0)
            return fail_npy(f, f->header.bytes + first * bytes, "cannot read");
        if (!read_run(f, first, num, points + k, f->dim)) return false;
    }
    return true;
}

/* Reads points of an array that has more columns than they have coordinates, row by row. */
static bool read_some_columns(point_file *f, double *points, size_t num)
{
    const size_t columns = (size_t)npy_columns(&f->header);
    double *row = malloc(columns * sizeof(double));
    bool done = row || fail_npy(f, 0, "not enough memory");
    for (size_t i = 0; done && i < num; i++) {
        done = read_run(f, (f->taken + i) * columns, columns, row, 1);
        for (uint32_t k = 0; done && k < f->dim; k++)
            points[i * f->dim + k] = row[f->columns.column[k]];
    }
    free(row);
    return done;
}

static size_t read_npy(point_file *f, double *points, size_t most)
{
    const uint64_t left = f->num - f->taken;
    const size_t num = left < most ? (size_t)left : most;
    bool done;
    if (f->by_columns)
        done = read_columns(f, points, num);
    else if (f->columns.asked)
        done = read_some_columns(f, points, num);
    else
        done = read_run(f, f->taken * f->dim, num * f->dim, points, 1);
    return done ? num : 0;
}

/* ---- text ---- */

enum { PLAIN_FIELDS = 64 };

/* Takes a line from before the data, divided; *is_row: it is the first of these. False on failure.
 */
static bool take_first(point_file *f, bool *is_row)
{
    bool is_heading = true;
    if (!fields_split(&f->line)) return false;
    if (f->line.is_remark)
        point_columns_take_remark(&f->columns, &f->line);
    else if (!point_columns_take_first(&f->columns, &f->line, &is_heading))
        return false;
    f->begun = !f->line.is_remark;
    *is_row = !is_heading;
    if (is_heading) fields_forget_separator(&f->line);
    return true;
}

/* Goes to the next line of data. False at the end and on failure. */
static bool begin_row(point_file *f)
{
    while (fields_read_line(&f->line)) {
        bool is_row = f->begun && !f->line.is_remark;
        if (is_row) return fields_split(&f->line);
        if (!f->begun && !take_first(f, &is_row)) return !(f->failed = true);
        if (is_row) return true;
    }
    return false;
}

/* Tells whether the row has as many fields as its heading, where that decides. */
static bool check_names(const point_file *f)
{
    const fields *line = &f->line;
    const size_t names = f->columns.num_names;
    if (names == 0 || line->num == names || line->is_cut) return true;
    return scanner_fail(line->scan, line->line, "%lu field%s where the heading has %lu",
                        (unsigned long)line->num, line->num == 1 ? "" : "s", (unsigned long)names);
}

/* Says that a row ends before a column. */
static bool fail_short(const point_file *f, size_t column)
{
    const fields *line = &f->line;
    const unsigned long num = (unsigned long)line->num;
    if (f->columns.is_chosen)
        return scanner_fail(line->scan, line->line, "%lu field%s where column %lu was expected",
                            num, num == 1 ? "" : "s", (unsigned long)column + 1);
    return scanner_fail(line->scan, line->line, "%lu number%s where points have %u coordinates",
                        num, num == 1 ? "" : "s", f->dim);
}

/* Refuses a row that goes on behind its point where no columns are chosen. */
static bool check_rest(const point_file *f)
{
    const fields *line = &f->line;
    if (f->is_xyz || f->columns.is_chosen || line->num <= f->dim) return true;
    if (!line->field[f->dim][0]) return scanner_fail(line->scan, line->line, "an empty field");
    return scanner_fail(line->scan, line->line,
                        "more numbers than the %u coordinates of a point; --columns chooses",
                        f->dim);
}

/* Reads a row of numbers alone, without its fields. False where there is more to look at. */
static bool read_plain_row(point_file *f, double *point)
{
    double values[PLAIN_FIELDS];
    const point_columns *const c = &f->columns;
    const bool may_be_more = f->is_xyz || c->is_chosen;
    size_t least = c->num_names, most = c->num_names;
    if (least == 0) most = may_be_more ? PLAIN_FIELDS : f->dim;
    for (uint32_t k = 0; k < f->dim; k++)
        if (least <= c->column[k]) least = c->column[k] + 1;
    if (!f->begun || most > PLAIN_FIELDS || least > most) return false;
    if (!fields_read_numbers(&f->line, values, least, most)) return false;
    for (uint32_t k = 0; k < f->dim; k++)
        point[k] = values[c->column[k]];
    return true;
}

static bool read_row(point_file *f, double *point)
{
    fields *line = &f->line;
    if (read_plain_row(f, point)) return true;
    if (!begin_row(f) || !check_names(f)) return false;
    for (uint32_t k = 0; k < f->dim; k++) {
        const size_t column = f->columns.column[k];
        if (column >= line->num) return fail_short(f, column);
        if (!fields_real(line, column, "a coordinate", &point[k])) return false;
    }
    return check_rest(f);
}

static size_t read_text(point_file *f, double *points, size_t most)
{
    size_t num = 0;
    while (num < most && read_row(f, points + num * f->dim))
        num++;
    f->failed = f->failed || f->scan.failed;
    return f->failed ? 0 : num;
}

/* ---- .ply ---- */

static bool open_ply(point_file *f)
{
    f->is_ply = true;
    if (f->columns.asked)
        return io_fail(f->message,
                       "%s: the coordinates of a .ply file have names: --columns is of "
                       "CSV and .npy",
                       f->in.name);
    if (!ply_points_open(&f->ply, &f->scan, f->dim)) return false;
    f->num = f->ply.num;
    return true;
}

static size_t read_ply(point_file *f, double *points, size_t most)
{
    const uint64_t left = f->num - f->taken;
    const size_t num = left < most ? (size_t)left : most;
    f->failed = !ply_points_read(&f->ply, points, num);
    return f->failed ? 0 : num;
}

/* ---- any file ---- */

static bool open_text(point_file *f)
{
    scanner_init(&f->scan, f->in.file, f->in.name, f->message);
    f->scan.any_real = true;
    if (ply_points_is(&f->scan)) return open_ply(f);
    fields_init(&f->line, &f->scan);
    if (foreign_refuse(&f->scan, "CSV, .xyz or .ply", FILE_POINTS)) return false;
    if (!f->is_xyz || f->dim == 3) return true;
    return io_fail(f->message, "%s: points of an .xyz file have 3 coordinates, not %u", f->in.name,
                   f->dim);
}

/* Whether the stream begins as .npy files do, as no text does. */
static bool begins_as_npy(FILE *file)
{
    const int c = getc(file);
    if (c != EOF) ungetc(c, file);
    return c == 0x93;
}

bool point_file_open(point_file *f, const char *path, uint32_t dim, const char *columns,
                     io_message *message)
{
    memset(f, 0, sizeof(*f)); /* too large for a literal on some stacks */
    f->message = message;
    f->dim = dim;
    f->num = UINT64_MAX;
    f->is_xyz = input_ends_in(path, "xyz");
    if (!point_columns_init(&f->columns, dim, columns, message)) return false;
    if (!input_open(&f->in, path, message)) return false;
    const bool is_npy = input_ends_in(path, "npy") || begins_as_npy(f->in.file);
    if (is_npy ? open_npy(f) : open_text(f)) return true;
    input_close(&f->in);
    return false;
}

size_t point_file_read(point_file *f, double *points, size_t most)
{
    if (f->failed) return 0;
    const size_t num = f->is_npy   ? read_npy(f, points, most)
                       : f->is_ply ? read_ply(f, points, most)
                                   : read_text(f, points, most);
    f->taken += num;
    return num;
}

double point_file_fraction(const point_file *f)
{
    if (f->num != UINT64_MAX) return f->num > 0 ? (double)f->taken / (double)f->num : 1;
    if (f->scan.size == UINT64_MAX || f->scan.size == 0) return 0;
    return 1 - (double)f->scan.unread / (double)f->scan.size;
}

void point_file_close(point_file *f)
{
    input_close(&f->in);
}
